"""A word as the name of its files, and back.

A word is whatever a corpus says: ``../x``, ``CON``, ``{}``, 300 characters, another script. Its
name is of lower-case letters, digits, hyphens and ``=``, so that it is safe as a file on any
disk, in a shell, a Snakemake wildcard and an address. An ordinary word is its own name.

Every other byte of the word's UTF-8 is ``=`` and two hexadecimal digits, as in quoted-printable
(RFC 2045, 6.7): capitals too, since two names that differ in case alone are one file on some
disks, and so are a composed and a decomposed accent. A name longer than ``LONGEST`` is cut, and
ends with ``==`` and a digest of the word.
"""

import hashlib
import re
from collections.abc import Iterable
from urllib.parse import unquote_to_bytes

from wsd.errors import ConfigError, StorageError

# With a suffix and a temporary file's marks, below the 255 bytes that a disk allows.
LONGEST = 100
DIGEST = 32
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
# Names that Windows keeps for devices, with any suffix.
DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
NAME = re.compile(r"(?:[a-z0-9-]|=[0-9a-f]{2})+")
# What a user calls something that is a file or folder of that name: no word.
PLAIN_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
CUT = re.compile(rf"(?:[a-z0-9-]|=[0-9a-f]{{2}})+==[0-9a-f]{{{DIGEST}}}")


def file_name(word: str) -> str:
    """The name of a word's files and pages; no two words have the same.

    >>> file_name("crane"), file_name("Bank"), file_name("../x"), file_name("con")
    ('crane', '=42ank', '=2e=2e=2fx', '=63on')

    Raises
    ------
    ConfigError
        For an empty word.
    """
    if not word:
        raise ConfigError("a word is empty", fix="leave it out")
    # A lone surrogate is how a byte of the command line comes that is not UTF-8.
    written = word.encode("utf-8", "surrogatepass")
    parts = [chr(byte) if chr(byte) in PLAIN else f"={byte:02x}" for byte in written]
    # A leading hyphen is an option to a command.
    if parts[0] == "-" or is_device(word):
        parts[0] = f"={ord(word[0]):02x}"
    name = "".join(parts)
    if len(name) <= LONGEST:
        return name
    parts = parts[:LONGEST]
    while len(kept := "".join(parts)) > LONGEST - DIGEST - len("=="):
        parts.pop()
    return f"{kept}=={hashlib.sha256(written).hexdigest()[:DIGEST]}"


def is_plain_name(text: str) -> bool:
    """Whether a name that a user gives is safe as that of a file."""
    return re.fullmatch(PLAIN_NAME, text) is not None


def is_device(text: str) -> bool:
    """Whether Windows keeps a name, in lower case, for a device."""
    return DEVICES.fullmatch(text) is not None


def word_of(name: str, known: Iterable[str] = ()) -> str:
    """The word of a name: ``word_of(file_name(word), [word]) == word``.

    Parameters
    ----------
    name : str
    known : iterable of str
        Words that it may be; a name that was cut cannot be read back without them.

    Raises
    ------
    ConfigError
        If it is the name of no word, or was cut and is that of no known word.
    """
    if CUT.fullmatch(name):
        for word in known:
            if file_name(word) == name:
                return word
        what = f"{name!r} is a long word's name, and of none that is known"
        raise ConfigError(what, fix="give the word itself")
    if is_name(name):
        return _unescaped(name)
    raise ConfigError(
        f"{name!r} is no name of a word",
        fix="name it as `wsd` does: lower-case letters, digits and hyphens as they "
        "are, every other byte as = and two hexadecimal digits",
    )


def is_name(text: str) -> bool:
    """Whether a text is what :func:`file_name` makes of some word."""
    if CUT.fullmatch(text):
        return len(text) <= LONGEST
    if not NAME.fullmatch(text):
        return False
    try:
        return file_name(_unescaped(text)) == text
    except UnicodeDecodeError:
        return False


def _unescaped(name: str) -> str:
    return unquote_to_bytes(name.replace("=", "%")).decode("utf-8", "surrogatepass")


def as_name(text: str) -> str:
    """The name that a command's argument means: a name as it is, else that of the word.

    So a word that begins with a hyphen can be given, as ``=2dword``.
    """
    return text if is_name(text) else file_name(text)


def check_encoding(encoding: str) -> None:
    """Refuse a system's encoding of file names in which not every name can be said.

    Raises
    ------
    StorageError
    """
    if encoding.lower().replace("-", "") != "utf8":
        what = f"file names, and what programs are handed, are in {encoding} here, not in UTF-8"
        fix = "set PYTHONUTF8=1, or a locale of UTF-8 such as LC_ALL=C.UTF-8"
        raise StorageError(what, where="the environment", fix=fix)
