"""Parse parts of speech in names of words: ``cell.n`` is a noun, ``node.js`` is a plain name."""

from collections.abc import Collection

NOUN, VERB, ADJECTIVE, ADVERB = OPEN_CLASSES = ("noun", "verb", "adjective", "adverb")
_TAGS = {
    NOUN: "n noun nn nns nnp nnps propn",
    VERB: "v verb vb vbd vbg vbn vbp vbz",
    ADJECTIVE: "a s adj adjective jj jjr jjs",
    ADVERB: "r adv adverb rb rbr rbs",
}
# The tag of a closed class is also its name.
_CLOSED_CLASSES = ("adp", "conj", "det", "intj", "num", "pron", "prt")
_PART_OF_TAG = {tag: part for part, tags in _TAGS.items() for tag in tags.split()} | {
    tag: tag for tag in _CLOSED_CLASSES
}


def lemma_and_part(word: str) -> tuple[str, str | None]:
    """Return the lemma and the part of speech of a word; None if its name has no known tag.

    Initials such as ``U.S``, ``p.s`` and ``u.s.a`` have no tag. Other single letters may have one,
    such as ``C.n`` and ``x.n``.

    >>> lemma_and_part("age.n"), lemma_and_part("age.NOUN"), lemma_and_part("so.conj")
    (('age', 'noun'), ('age', 'noun'), ('so', 'conj'))
    >>> lemma_and_part("node.js"), lemma_and_part("U.S"), lemma_and_part("X.n")
    (('node.js', None), ('U.S', None), ('X', 'noun'))
    """
    lemma, _, tag = word.rpartition(".")
    part = _PART_OF_TAG.get(tag.casefold())
    return (word, None) if not lemma or part is None or _are_initials(word) else (lemma, part)


def _are_initials(word: str) -> bool:
    """Return whether a name is an abbreviation of single letters.

    The letters are all capitals, or three or more small letters, or a small letter and ``s``.
    """
    letters = word.split(".")
    if any(len(letter) != 1 for letter in letters):
        return False
    # After a single letter, `s` is rarely the tag of an adjective: u.s is an abbreviation.
    small = len(letters) > 2 or (letters[0].isascii() and letters[-1] == "s")
    return all(map(str.isupper, letters)) or (small and all(map(str.islower, letters)))


def parts_of_speech(words: Collection[str]) -> dict[str, str]:
    """Return each word's part of speech, or {} if a word has none or if all classes are closed.

    >>> parts_of_speech(["cell.n", "age.NOUN"]), parts_of_speech(["cell.n", "bank"])
    ({'cell.n': 'noun', 'age.NOUN': 'noun'}, {})
    >>> parts_of_speech(["so.conj", "cold.s"]), parts_of_speech(["node.js", "cell.n"])
    ({'so.conj': 'conj', 'cold.s': 'adjective'}, {})
    """
    parts = {word: lemma_and_part(word)[1] for word in words}
    known = {word: part for word, part in parts.items() if part is not None}
    has_open_class = not set(OPEN_CLASSES).isdisjoint(known.values())
    return known if has_open_class and len(known) == len(parts) else {}
