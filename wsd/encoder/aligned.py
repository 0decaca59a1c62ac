"""Hold the pieces of an instance, and the positions that each view averages."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Aligned:
    """The pieces of an instance.

    Attributes
    ----------
    ids : list of int
        The numbers of the word pieces and special tokens.
    focal : list of int
        The positions in ``ids`` of the pieces that are read: the focal word's, unless the input
        reads others.
    others : list of int
        The positions of the pieces of all other words of the sentence, in its last copy.
    cls : int or None
        The position of ``[CLS]``.
    windowed : bool
        Whether the sentence was shortened to the length limit.
    segments : list of int or None
        The segment ids of the tokenizer; None if all are 0.
    pieces : tuple of str
        The pieces of the focal word, also if it is masked or others are read.
    unknown : bool
        Whether the focal word has the tokenizer's unknown piece.
    vanished : int
        The number of words without a piece.
    special : int
        The number of words that the tokenizer takes for special tokens, such as ``[SEP]``.
    within : list of int or None
        The positions of the focal word's pieces in the last copy of the sentence; None for
        ``focal``.
    """

    ids: list[int]
    focal: list[int]
    others: list[int]
    cls: int | None
    windowed: bool
    segments: list[int] | None = None
    pieces: tuple[str, ...] = ()
    unknown: bool = False
    vanished: int = 0
    special: int = 0
    within: list[int] | None = None

    @property
    def sentence(self) -> list[int]:
        """Return the positions of all words' pieces in the last copy of the sentence."""
        return sorted([*(self.focal if self.within is None else self.within), *self.others])

    def pooled(self, pooling: str) -> list[int]:
        """Return the positions whose mean is the vector of the focal word."""
        if pooling == "first":
            return self.focal[:1]
        return self.focal[-1:] if pooling == "last" else self.focal
