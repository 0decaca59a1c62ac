"""What an import reports: bad lines, all at once, and the lines of its summary.

Every reader of a table passes its errors about single lines to one :class:`BadLines`. The import
then refuses the files with a list of these lines, or leaves the lines out (``--skip-bad``).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from wsd.errors import CorpusError, visible
from wsd.logs import log

# How many lines or words are shown.
SHOWN = 20
# How many different reasons and fixes a message shows.
REASONS = 3
SKIP = "or leave out bad lines with --skip-bad"
# Values in a message: texts in quotes, and numbers.
_VALUE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\b\d+\b""")


class BadLines:
    """The bad lines of some files."""

    def __init__(self) -> None:
        self._errors: list[CorpusError] = []
        self._n_instances = Counter[str]()

    @property
    def errors(self) -> tuple[CorpusError, ...]:
        """The errors so far."""
        return tuple(self._errors)

    @property
    def is_empty(self) -> bool:
        """Return whether no line is bad."""
        return not self._errors

    @contextmanager
    def line(self) -> Iterator[None]:
        """Collect an error about a line that is read inside this context."""
        try:
            yield
        except CorpusError as error:
            self.add(error)

    def add(self, error: CorpusError, n_instances: int = 1) -> None:
        """Collect an error about a line, or about several instances."""
        self._errors.append(error)
        self._n_instances[f"lines with a problem: {reason(error)}"] += n_instances

    def settle(self, n_left: int, *, skip: bool) -> Counter[str]:
        """Refuse the files if they have bad lines, or leave these lines out.

        Parameters
        ----------
        n_left : int
            The number of instances without the bad lines.
        skip : bool
            Whether to leave out bad lines.

        Returns
        -------
        Counter
            The number of instances that are left out, by reason.

        Raises
        ------
        CorpusError
            With all bad lines, unless ``skip`` is set and an instance is left.
        """
        if not self._errors:
            return Counter()
        lines = [visible(f"{error.where}: {error.problem}") for error in self._errors]
        if not skip or not n_left:
            raise self._together(lines, SKIP if n_left else None)
        for line in lines:
            log.info(f"left out: {line}")
        return self._n_instances

    def _together(self, lines: Sequence[str], skip: str | None) -> CorpusError:
        first, *others = self._errors
        fixes = list(dict.fromkeys(error.fix for error in self._errors if error.fix))[:REASONS]
        fix = "; ".join(filter(None, [*fixes, skip]))
        if not others:
            return CorpusError(first.problem, where=first.where, fix=fix)
        reasons = Counter(map(reason, self._errors)).most_common()
        shown = [f"{text} ({number})" for text, number in reasons[:REASONS]]
        more = [f"{len(reasons) - REASONS} more problems"] if len(reasons) > REASONS else []
        return CorpusError(
            f"{len(self._errors)} lines cannot be read: {', '.join([*shown, *more])}",
            where=f"{first.where}, and {len(others)} more",
            fix="\n".join([fix, *lines]),
        )


def reason(error: CorpusError) -> str:
    """Return the problem of an error without the values of its line.

    >>> reason(CorpusError("unknown split 'dev'")), reason(CorpusError("2 columns, not 3"))
    ("unknown split '...'", 'N columns, not N')
    """
    return _VALUE.sub(lambda value: "N" if value[0][0].isdigit() else "'...'", error.problem)


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
