"""Turn a word into the name of its files, and back.

A word can be any text: ``../x``, ``{}``, 300 characters, another script. Its name consists
of lower-case letters, digits, hyphens and ``=``, so that it is safe as a file on any disk, in a
shell, a Snakemake wildcard and a URL. An ordinary word is its own name.

Every other byte of the word's UTF-8 becomes ``=`` and two hexadecimal digits, as in
quoted-printable (RFC 2045, 6.7). Capitals are escaped too, because names that differ only in case
are one file on some disks; :func:`urllib.parse.quote` cannot do that. A name longer than
``LONGEST`` is cut, and ends in ``==`` and a digest of the word.
"""

import hashlib
import re
from collections.abc import Iterable
from urllib.parse import unquote_to_bytes

from wsd.errors import ConfigError, StorageError

# Leaves room for a suffix and the marks of a temporary file within a disk's limit of 255 bytes.
LONGEST = 100
DIGEST = 32
# The names that a user may give to models, runs and other things that become files or folders.
PLAIN_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
CUT = re.compile(rf"(?:[a-z0-9-]|=[0-9a-f]{{2}})+==[0-9a-f]{{{DIGEST}}}")


def file_name(word: str) -> str:
    """Return the name of a word's files and pages; no two words share one.

    >>> file_name("crane"), file_name("Bank"), file_name("../x")
    ('crane', '=42ank', '=2e=2e=2fx')

    Raises
    ------
    ConfigError
        For an empty word.
    """
    if not word:
        raise ConfigError("a word is empty", fix="leave it out")
    # Python reads a byte of the command line that is not UTF-8 as a lone surrogate.
    raw = word.encode("utf-8", "surrogatepass")
    name = re.sub(rb"[^a-z0-9-]", lambda byte: b"=%02x" % ord(byte[0]), raw).decode()
    # A command would take a leading hyphen for an option.
    if name[0] == "-":
        name = f"=2d{name[1:]}"
    if len(name) <= LONGEST:
        return name
    kept = re.sub("=.?$", "", name[: LONGEST - DIGEST - len("==")])
    return f"{kept}=={hashlib.sha256(raw).hexdigest()[:DIGEST]}"


def is_plain_name(text: str) -> bool:
    """Return whether a user's name for something is safe as the name of a file."""
    return re.fullmatch(PLAIN_NAME, text) is not None


def word_of(name: str, known: Iterable[str] = ()) -> str:
    """Return the word of a name: ``word_of(file_name(word), [word]) == word``.

    Parameters
    ----------
    name : str
    known : iterable of str
        The words to try if the name was cut, since a cut name does not determine its word.

    Raises
    ------
    ConfigError
        If no word has this name, or if the name was cut and no known word has it.
    """
    if CUT.fullmatch(name):
        for word in known:
            if file_name(word) == name:
                return word
        problem = f"{name!r} is a shortened name, from which its word cannot be read"
        raise ConfigError(problem, fix="give the word itself")
    if is_name(name):
        return _unescaped(name)
    raise ConfigError(
        f"{name!r} is not the name of a word",
        fix="keep lower-case letters, digits and hyphens, and write every other byte as = and two "
        "hexadecimal digits",
    )


def is_name(text: str) -> bool:
    """Return whether :func:`file_name` returns this text for some word."""
    if CUT.fullmatch(text):
        return len(text) <= LONGEST
    try:
        return text != "" and file_name(_unescaped(text)) == text
    except UnicodeError:
        return False


def _unescaped(name: str) -> str:
    return unquote_to_bytes(name.replace("=", "%")).decode("utf-8", "surrogatepass")


def as_name(text: str) -> str:
    """Return the file name for an argument of a command, which is a word or already a name.

    So a word that begins with a hyphen can be given as a name, such as ``=2dword``.
    """
    return text if is_name(text) else file_name(text)


def check_encoding(encoding: str) -> None:
    """Refuse an encoding of file names other than UTF-8: others cannot express every name.

    Raises
    ------
    StorageError
    """
    if encoding.lower().replace("-", "") != "utf8":
        problem = f"file names and arguments are encoded in {encoding} here, not in UTF-8"
        fix = "set PYTHONUTF8=1, or a locale of UTF-8 such as LC_ALL=C.UTF-8"
        raise StorageError(problem, where="the environment", fix=fix)
