"""File names of words are safe and unique, and lead back to the word."""

import re
import shlex
import string
import subprocess
import unicodedata
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wsd.artifacts.dataset import DATASETS
from wsd.errors import ConfigError, visible
from wsd.storage.file_names import LONGEST, as_name, file_name, is_name, word_of

# Any text, and text with difficult characters.
TROUBLE = st.text(alphabet="aA=./\\{}*%- ~$'\"`\n\x1b\x00\u202eé\u0301ßConNUL1", min_size=1)
WORDS = st.text(min_size=1) | TROUBLE | st.text("ab=2f", min_size=60, max_size=330)

HOSTILE = (
    "a/b", "..", ".", "../../etc/passwd", "{word}", "*", "a b", "-rf", "--words", "x" * 300,
    "Überraschung", "銀行", "بنك", "Crane", "crane ", "caf\u00e9", "cafe\u0301", "CON", "con",
    "nul", "com1", "=2fetc", "a==b", "%2F", "~", "$HOME", "`id`", "'", '"', "\\", "a:b", "a\x00b",
    "\udcff", "#", "?", "&", "<b>", "名" * 200, "ice_cream", "don't", ".hidden", "trail.",
)  # fmt: skip


def test_ordinary_words_do_not_change() -> None:
    plain = ("coarsewsd20", "quickstart", "quickstart-hard")
    words = [word for name in plain for word in DATASETS[name].words]
    assert len(words) == 35
    assert [file_name(word) for word in words] == words
    assert file_name("mother-in-law2") == "mother-in-law2"


@pytest.mark.parametrize("word", HOSTILE)
def test_a_hostile_word_makes_a_safe_name(word: str, tmp_path: Path) -> None:
    name = file_name(word)
    # One file, in the intended folder.
    (tmp_path / f"{name}.parquet").write_text("x")
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.parquet"]
    shown = subprocess.run(["bash", "-c", f"echo {name}"], capture_output=True, text=True)
    assert shown.stdout == name + "\n"
    assert shlex.quote(name).strip("'") == name
    assert quote(name, safe="=") == name and name.format() == name


def test_hostile_words_have_different_names_on_any_disk() -> None:
    # Compare names as a disk does that ignores case and composes accents.
    seen = {unicodedata.normalize("NFC", file_name(word)).casefold() for word in HOSTILE}
    assert len(seen) == len(HOSTILE)


@settings(deadline=None)
@given(WORDS)
@example("x" * LONGEST)
@example("x" * (LONGEST + 1))
@example("=" * 300)
def test_a_name_leads_back_to_its_word(word: str) -> None:
    name = file_name(word)
    assert word_of(name, [word]) == word
    assert is_name(name) and as_name(name) == name
    assert re.fullmatch(r"[a-z0-9=][a-z0-9=-]*", name)
    assert len(name) <= LONGEST
    if "==" not in name:
        assert word_of(name) == word


@settings(deadline=None)
@given(WORDS, WORDS)
def test_no_two_words_share_a_name(first: str, second: str) -> None:
    assert (file_name(first) == file_name(second)) == (first == second)


@settings(deadline=None)
@given(st.text(string.ascii_lowercase + string.digits + "=-", max_size=120) | st.text())
def test_a_valid_name_is_the_name_of_its_word(text: str) -> None:
    if is_name(text) and "==" not in text:
        assert file_name(word_of(text)) == text
    elif not is_name(text):
        with pytest.raises(ConfigError):
            word_of(text)
        if text:
            assert word_of(as_name(text), [text]) == text


def test_invalid_names_have_no_word() -> None:
    with pytest.raises(ConfigError, match="empty"):
        file_name("")
    with pytest.raises(ConfigError, match="its word cannot be read"):
        word_of(file_name("x" * 300), ["x" * 299])
    for text in ("", "=2F", "=zz", "=ff=fe", "a.b", "-a", "=61", "a" * 101):
        assert not is_name(text)


@settings(deadline=None)
@given(st.text())
def test_visible_text_cannot_steer_a_terminal(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)
    shown.encode()
    if text.isprintable():
        assert shown == text


def test_visible_text_does_not_change() -> None:
    persian = "می\u200cخواهم"  # noqa: RUF001
    assert visible(persian) == persian
    assert visible("a\nb\x1b[2J", "\n") == "a\nb\\x1b[2J"
    assert visible("\u202egpj.exe\x9b1m\u2028") == "\\u202egpj.exe\\x9b1m\\u2028"
