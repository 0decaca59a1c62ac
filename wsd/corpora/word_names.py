"""Which word of a corpus somebody means by a name."""

from collections.abc import Sequence

from wsd.artifacts.parts_of_speech import lemma_and_part


def named(asked: str, words: Sequence[str]) -> list[str]:
    """The words that somebody may mean: the one of that name, or else all that fit it as well.

    A name fits in other capitals, with another tag of the same part of speech, and as the lemma
    alone.

    >>> named("serve", ["serve.v", "bank"]), named("run", ["run.n", "run.v"])
    (['serve.v'], ['run.n', 'run.v'])
    """
    if asked in words:
        return [asked]
    folded, of_asked = asked.casefold(), _folded(asked)
    apart = {word: _folded(word) for word in words}
    return (
        [word for word in words if word.casefold() == folded]
        or [word for word in words if apart[word] == of_asked]
        or [word for word in words if apart[word][0] == folded]
    )


def _folded(word: str) -> tuple[str, str | None]:
    lemma, part = lemma_and_part(word)
    return lemma.casefold(), part
