"""Match names to the words of a corpus, and find names that are easily confused."""

from collections.abc import Callable, Hashable, Iterable, Sequence

from wsd.artifacts.parts_of_speech import lemma_and_part


def matching_words(name: str, words: Sequence[str]) -> list[str]:
    """Return the words that a name may mean: the word itself, or all words that match equally well.

    The first rule that matches is used: an exact match; ignoring capitals; the same lemma and part
    of speech, however it is written (``.v`` or ``.verb``); the lemma alone.

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
    ["'Crane' and 'crane' count as different words: spell them alike if they are the same"]

    Parameters
    ----------
    names : iterable of str
    kind : str
        The kind of things that the names mean, in the plural.
    key : function of a name, optional
        Names with the same key may mean the same. By default, these differ only in capitals or in
        how the part of speech is written.
    """
    by_key: dict[Hashable, list[str]] = {}
    for name in sorted(set(names)):
        by_key.setdefault((key or _lemma_and_part)(name), []).append(name)
    return [
        f"{' and '.join(map(repr, similar))} count as different {kind}: "
        "spell them alike if they are the same"
        for similar in by_key.values()
        if len(similar) > 1
    ]


def _lemma_and_part(word: str) -> tuple[str, str | None]:
    lemma, part = lemma_and_part(word)
    return lemma.casefold(), part
