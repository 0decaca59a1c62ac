"""Find the word of a corpus that somebody means by a name, and names that are easily confused."""

from collections.abc import Callable, Hashable, Iterable, Sequence

from wsd.artifacts.parts_of_speech import lemma_and_part


def matching_words(name: str, words: Sequence[str]) -> list[str]:
    """Return the words that a name may mean: the word itself, or else all that match equally well.

    Capitals are ignored, then the tag of the part of speech is compared by its meaning, then a
    lemma alone matches any part of speech.

    >>> matching_words("serve", ["serve.v", "bank"]), matching_words("run", ["run.n", "run.v"])
    (['serve.v'], ['run.n', 'run.v'])
    """
    if name in words:
        return [name]
    folded = name.casefold()
    lemmas = {word: _lemma_and_part(word) for word in words}
    return (
        [word for word in words if word.casefold() == folded]
        or [word for word in words if lemmas[word] == _lemma_and_part(name)]
        or [word for word in words if lemmas[word][0] == folded]
    )


def similar_names(
    names: Iterable[str], kind: str = "words", key: Callable[[str], Hashable] | None = None
) -> list[str]:
    """Return a line for each set of names that may mean the same.

    >>> similar_names(["crane", "Crane", "age.n", "run.n", "run.v"])
    ["'Crane' and 'crane' are two words here: write them alike if they are one"]

    Parameters
    ----------
    names : iterable of str
    kind : str
        What the names stand for, in the plural.
    key : function of a name, optional
        Names with the same key may mean the same. By default these differ in capitals alone, or
        in the tag of one part of speech.
    """
    by_key: dict[Hashable, list[str]] = {}
    for name in sorted(set(names)):
        by_key.setdefault((key or _lemma_and_part)(name), []).append(name)
    numbers = {2: "two", 3: "three"}
    return [
        f"{' and '.join(map(repr, similar))} are {numbers.get(len(similar), len(similar))} {kind} "
        "here: write them alike if they are one"
        for similar in by_key.values()
        if len(similar) > 1
    ]


def _lemma_and_part(word: str) -> tuple[str, str | None]:
    lemma, part = lemma_and_part(word)
    return lemma.casefold(), part
