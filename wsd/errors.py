"""Define the errors that a user can cause or meet: the problem, its place, and its fix.

A command prints the text of such an error and ends with its exit code. Only a fault in the program
shows a traceback. Messages quote foreign text, which cannot control the terminal.
"""

import unicodedata
from collections.abc import Iterable
from pathlib import Path

# Characters that scripts such as Persian's and Hindi's need.
JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
# Control characters, invisible marks, lone surrogates, line and paragraph separators.
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
# The most characters of a line of a message; a quoted file may be one long line.
LONGEST = 1000


def visible(text: str, keep: str = "") -> str:
    r"""Return text with escapes for all characters that a terminal would obey, or not show.

    >>> print(visible("a\x1b[31mb\tc"))
    a\x1b[31mb\tc

    Parameters
    ----------
    text : str
    keep : str
        Characters to keep, such as line ends.
    """
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in UNSEEN and character not in JOINERS + keep
        else character
        for character in text
    )


class WsdError(Exception):
    """Base of all errors that the ``wsd`` command reports without a traceback.

    Parameters
    ----------
    problem : str
        The problem, with the offending value.
    where : str, optional
        File and line, config key or address.
    fix : str, optional
        What the user can do about it.
    """

    exit_code = 1

    def __init__(self, problem: str, *, where: str | None = None, fix: str | None = None) -> None:
        self.problem, self.where, self.fix = problem, where, fix
        super().__init__(problem, where, fix)

    def __str__(self) -> str:
        parts = {"": self.problem, "  where: ": self.where, "  what to do: ": self.fix}
        half = LONGEST // 2
        return "\n".join(
            visible(line if len(line) <= LONGEST else f"{line[:half]} ... {line[-half:]}")
            for label, text in parts.items()
            if text or not label
            # Indented, so that quoted text does not look like another message.
            for line in f"{label}{text}".replace("\n", "\n    ").split("\n")
        )


class ConfigError(WsdError):
    """An unusable config key, argument of a command or layer choice."""

    exit_code = 2


class CorpusError(WsdError):
    """A corpus file that is missing or breaks the format."""

    exit_code = 3


class DownloadError(WsdError):
    """A download that failed, or a downloaded file that is not the expected one."""

    exit_code = 4


class ModelError(WsdError):
    """An encoder or tokenizer that is missing, changed or unsupported."""

    exit_code = 5


class ResultError(WsdError):
    """A file of an earlier step that is missing, damaged, or belongs to other data."""

    exit_code = 6


def unknown_choice(problem: str, names: Iterable[str], where: str | None = None) -> ConfigError:
    """Return the error for a name that is unknown, with the names to choose among."""
    return ConfigError(problem, where=where, fix=f"choose among {', '.join(names)}")


def wrong_file(problem: str, path: Path) -> ResultError:
    """Return the error for a file of another kind, or for a file that does not fit the others."""
    fix = "name the right file; if it is a run's own, delete it and run again"
    return ResultError(problem, where=str(path), fix=fix)


class StorageError(WsdError):
    """A disk that is full, or a folder that cannot be written."""

    exit_code = 7


class DamageError(ResultError):
    """A file of an earlier step that has changed since it was written.

    Parameters
    ----------
    problem : str
    path : Path
        The file. If it is deleted, its step runs again.
    """

    def __init__(self, problem: str, *, path: Path) -> None:
        self.path = path
        super().__init__(problem, where=str(path), fix="delete the file and run again")
