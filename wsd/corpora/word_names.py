"""Which word of a corpus somebody means by a name, and which words are easily mistaken."""

from collections.abc import Callable, Hashable, Iterable, Sequence

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


def alike(
    names: Iterable[str], kind: str = "words", fold: Callable[[str], Hashable] | None = None
) -> list[str]:
    """Say which names differ in capitals alone, or in the tag of one part of speech; a line each.

    >>> alike(["crane", "Crane", "age.n", "run.n", "run.v"])
    ["'Crane' and 'crane' are two words here: write them alike if they are one"]

    Parameters
    ----------
    names : iterable of str
    kind : str
        What they are the names of, in the plural.
    fold : function of a name, optional
        What names that are alike have in common; by default what is said above.
    """
    found: dict[Hashable, list[str]] = {}
    for name in sorted(set(names)):
        found.setdefault((fold or _folded)(name), []).append(name)
    numbers = {2: "two", 3: "three"}
    return [
        f"{' and '.join(map(repr, of))} are {numbers.get(len(of), len(of))} {kind} here: "
        "write them alike if they are one"
        for of in found.values()
        if len(of) > 1
    ]


def _folded(word: str) -> tuple[str, str | None]:
    lemma, part = lemma_and_part(word)
    return lemma.casefold(), part
