"""A word's name, taken apart: ``age.n`` and ``age.noun`` are the noun *age*, ``node.js`` no noun.

Corpora that have a word's part of speech name it so: lemma, point, tag.
"""

from collections.abc import Sequence

NOUN, VERB, ADJECTIVE, ADVERB, OTHER = "noun", "verb", "adjective", "adverb", "other"
_TAGS = {
    NOUN: "n noun nn nns nnp nnps propn",
    VERB: "v verb vb vbd vbg vbn vbp vbz",
    ADJECTIVE: "a s adj adjective jj jjr jjs",
    ADVERB: "r adv adverb rb rbr rbs",
    OTHER: "adp conj det intj num pron prt",
}
PART_OF_TAG = {tag: part for part, tags in _TAGS.items() for tag in tags.split()}


def lemma_and_part(word: str) -> tuple[str, str | None]:
    """A word's lemma and its part of speech, if the name has a known one.

    A single letter after a single letter is no tag: ``U.S`` is no adjective.

    >>> lemma_and_part("age.n"), lemma_and_part("age.NOUN"), lemma_and_part("node.js")
    (('age', 'noun'), ('age', 'noun'), ('node.js', None))
    """
    lemma, _, tag = word.rpartition(".")
    part = PART_OF_TAG.get(tag.casefold())
    initials = len(tag) == 1 == len(lemma.rpartition(".")[2])
    return (word, None) if not lemma or part is None or initials else (lemma, part)


def named(asked: str, words: Sequence[str]) -> list[str]:
    """The words that somebody may mean: the one of that name, or else all that fit it as well.

    A name fits in other capitals, with another tag of the same part of speech, and as the lemma
    alone.

    >>> named("serve", ["serve.v", "bank"]), named("run", ["run.n", "run.v"])
    (['serve.v'], ['run.n', 'run.v'])
    """
    if asked in words:
        return [asked]
    folded, of_asked = asked.casefold(), lemma_and_part(asked.casefold())
    apart = {word: lemma_and_part(word.casefold()) for word in words}
    return (
        [word for word in words if word.casefold() == folded]
        or [word for word in words if apart[word] == of_asked]
        or [word for word in words if apart[word][0] == folded]
    )
