"""Parts of speech in the names of words: ``cell.n`` is a noun, ``node.js`` is a plain name.

Everything that needs a word's part of speech asks :func:`lemma_and_part`: tables, pages, the search
for a word's forms, ``predict``.
"""

from collections.abc import Collection

NOUN, VERB, ADJECTIVE, ADVERB = OPEN_CLASSES = ("noun", "verb", "adjective", "adverb")
_TAGS = {
    NOUN: "n noun nn nns nnp nnps propn",
    VERB: "v verb vb vbd vbg vbn vbp vbz",
    ADJECTIVE: "a s adj adjective jj jjr jjs",
    ADVERB: "r adv adverb rb rbr rbs",
}
# A closed class is called by its tag.
_CLOSED_CLASSES = ("adp", "conj", "det", "intj", "num", "pron", "prt")
_PART_OF_TAG = {tag: part for part, tags in _TAGS.items() for tag in tags.split()} | {
    tag: tag for tag in _CLOSED_CLASSES
}


def lemma_and_part(word: str) -> tuple[str, str | None]:
    """Return the lemma and the part of speech of a word; None where its name has no known tag.

    Initials have no tag: ``U.S``, ``p.s``, ``u.s.a``. Other letters may have one: ``C.n``, ``x.n``.

    >>> lemma_and_part("age.n"), lemma_and_part("age.NOUN"), lemma_and_part("so.conj")
    (('age', 'noun'), ('age', 'noun'), ('so', 'conj'))
    >>> lemma_and_part("node.js"), lemma_and_part("U.S"), lemma_and_part("X.n")
    (('node.js', None), ('U.S', None), ('X', 'noun'))
    """
    lemma, _, tag = word.rpartition(".")
    part = _PART_OF_TAG.get(tag.casefold())
    return (word, None) if not lemma or part is None or _initials(word) else (lemma, part)


def _initials(word: str) -> bool:
    """Whether a name is single letters that abbreviate: all capitals, three or more, or ``?.s``."""
    letters = word.split(".")
    if any(len(letter) != 1 for letter in letters):
        return False
    # The tag `s`, an adjective, is rarer after a single letter than abbreviations such as u.s.
    small = len(letters) > 2 or (letters[0].isascii() and letters[-1] == "s")
    return all(map(str.isupper, letters)) or (small and all(map(str.islower, letters)))


def parts_of_speech(words: Collection[str]) -> dict[str, str]:
    """Return each word's part of speech, or nothing if a word has none or all are closed-class.

    >>> parts_of_speech(["cell.n", "age.NOUN"]), parts_of_speech(["cell.n", "bank"])
    ({'cell.n': 'noun', 'age.NOUN': 'noun'}, {})
    >>> parts_of_speech(["so.conj", "cold.s"]), parts_of_speech(["node.js", "cell.n"])
    ({'so.conj': 'conj', 'cold.s': 'adjective'}, {})
    """
    found = {word: lemma_and_part(word)[1] for word in words}
    if not set(OPEN_CLASSES) & set(found.values()):
        return {}
    parts = {word: part for word, part in found.items() if part is not None}
    return parts if len(parts) == len(found) else {}
