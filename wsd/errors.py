"""Define the errors that a user can cause or meet: the problem, its place, and its fix.

A command prints the text of such an error and ends with its exit code. Only a fault in the program
shows a traceback. Messages quote foreign text, which cannot control the terminal.
"""

import errno
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

# Characters that scripts such as Persian's and Hindi's need.
JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
# Control characters, invisible marks, lone surrogates, line and paragraph separators.
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
# The most characters of a line of a message; a quoted file may be one long line.
LONGEST = 1000
# Fixes for errors of the operating system. These errors concern the machine, not the file.
PERMISSION = "make it readable and writable for you, or choose another path"
MACHINE_FIXES = {
    errno.ENOSPC: "make room on that disk",
    errno.EDQUOT: "your quota is used up: make room",
    errno.EFBIG: "the file is too large: raise the limit (`ulimit -f`), or choose another disk",
    errno.EROFS: "the disk is mounted read-only: make it writable, or choose another path",
    errno.EACCES: PERMISSION,
    errno.EPERM: PERMISSION,
    errno.EMFILE: "raise the limit on open files (`ulimit -n`)",
    errno.ENFILE: "too many files are open on this machine: end other programs",
    errno.EAGAIN: "raise the limit on processes (`ulimit -u`), or end other programs",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ELOOP: "a symbolic link leads back to itself: remove it, or choose another path",
    errno.EIO: "the disk or its connection fails: check it, or choose another path",
    errno.ESTALE: "the network disk has changed: run the command again, or choose another path",
}
# The user can fix these errors if they concern a path that the user named.
PATH_FIXES = {
    errno.ENOENT: "check the path: the file, or a folder above it, does not exist",
    errno.ENOTDIR: "a folder of this path is a file: move it, or choose another path",
    errno.EISDIR: "this is a folder, not a file: move it, or choose another path",
    errno.EEXIST: "this path exists already: move it, or choose another path",
    errno.ENOTEMPTY: "the folder is not empty: empty it, or choose another path",
    errno.ENXIO: "this is a device or a pipe: choose a file",
    errno.ENODEV: "this is a device: choose a file",
    errno.ETXTBSY: "the file is a running program: choose another path",
}


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


def advice(number: int | None) -> str:
    """Return the fix for an error of the operating system, given its ``errno``."""
    return (MACHINE_FIXES | PATH_FIXES).get(number or 0, "fix the file, or choose another path")


def as_user_error(error: OSError, named: Sequence[str | Path]) -> WsdError | None:
    """Return an error for the user if the user can fix an error of the operating system.

    Parameters
    ----------
    error : OSError
    named : sequence of str or Path
        The paths that the user named.

    Returns
    -------
    WsdError or None
        None if the program is at fault.
    """
    if error.errno not in MACHINE_FIXES and not (
        error.errno in PATH_FIXES
        and isinstance(error.filename, str)
        and any(are_related(error.filename, path) for path in named)
    ):
        return None
    where = str(error.filename) if error.filename is not None else None
    fix = advice(error.errno)
    if error.errno == errno.EISDIR and where in [str(path) for path in named]:
        fix = "name a file, not a folder"
    return WsdError((error.strerror or str(error)).lower(), where=where, fix=fix)


def are_related(first: str | Path, second: str | Path) -> bool:
    """Return whether two paths are the same, or one lies below the other."""
    a, b = Path(first).absolute(), Path(second).absolute()
    return a.is_relative_to(b) or b.is_relative_to(a)


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
