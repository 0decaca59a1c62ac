"""Lines of the summary that an import shows at its end."""

from collections.abc import Iterable, Sequence

from wsd.logs import log

# How many lines or words are shown.
SHOWN = 20


def shorten(lines: Sequence[str], kind: str) -> list[str]:
    """Return the first lines, and the number of the others, which are called ``kind``."""
    more = [f"... and {len(lines) - SHOWN} more {kind}"] if len(lines) > SHOWN else []
    return [*lines[:SHOWN], *more]


def log_all(lines: Iterable[str], kind: str) -> None:
    """Log the lines of :func:`shorten`."""
    for line in shorten(list(lines), kind):
        log.info(line)


def plural(number: int, noun: str) -> str:
    """Return a number and a noun.

    >>> plural(1, "word"), plural(2, "word")
    ('1 word', '2 words')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
