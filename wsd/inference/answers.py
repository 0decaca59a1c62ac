"""A line that comes in, and what is said of each occurrence in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

# What a row can be: answered, or why not.
OK, NOT_FOUND, AMBIGUOUS, UNREADABLE = STATUSES = ("ok", "not found", "ambiguous", "unreadable")


@dataclass(frozen=True)
class Line:
    """A line of input.

    Attributes
    ----------
    number : int
        From 1.
    text : str
    word : str or None
        Whose occurrences are asked for; None for every word that the model knows.
    wrong : str or None
        Why the line cannot be read.
    """

    number: int
    text: str
    word: str | None = None
    wrong: str | None = None


@dataclass(frozen=True)
class Neighbour:
    """A training instance near to what is predicted.

    Attributes
    ----------
    line : int
        In the training file, from 0.
    sense : str
        Its gold sense.
    similarity : float
        Cosine.
    sentence : str or None
        Where the corpus is at hand.
    """

    line: int
    sense: str
    similarity: float
    sentence: str | None


@dataclass(frozen=True)
class Answer:
    """What is said of one occurrence, or why a line has no answer.

    Attributes
    ----------
    line : Line
    status : str
        Among ``STATUSES``.
    word, form : str or None
        The word, and its form in the text.
    start : int or None
        Where the form starts in the text.
    sense : str or None
    probability : float or None
        Of the predicted sense.
    scores, probabilities : mappings of sense to float or None
        Scores are the evaluation's; probabilities are calibrated where they could be.
    distance : float or None
        Cosine distance to the nearest training instance.
    far : bool
        Whether that is farther than training instances lie from each other.
    message : str
        What to know of it; empty if there is nothing.
    neighbours : tuple of Neighbour
    """

    line: Line
    status: str
    word: str | None = None
    form: str | None = None
    start: int | None = None
    sense: str | None = None
    probability: float | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    probabilities: Mapping[str, float | None] = field(default_factory=dict)
    distance: float | None = None
    far: bool = False
    message: str = ""
    neighbours: tuple[Neighbour, ...] = ()
