"""File names of words are safe and unique, and lead back to the word."""

import re
import subprocess
import unicodedata
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wsd.errors import ConfigError, visible
from wsd.storage.file_names import LONGEST, as_name, file_name, is_name, is_plain_name, word_of

# Any text, and text with difficult characters.
TROUBLE = st.text(alphabet="aA=./\\{}*%- ~$'\"`\n\x1b\x00\u202eé\u0301ßConNUL1", min_size=1)
WORDS = st.text(min_size=1) | TROUBLE | st.text("ab=2f", min_size=60, max_size=330)
HOSTILE = (
    "a/b", "..", ".", "../../etc/passwd", "{word}", "*", "a b", "-rf", "--words", "x" * 300,
    "Überraschung", "銀行", "بنك", "Crane", "crane ", "caf\u00e9", "cafe\u0301", "CON", "con",
    "nul", "com1", "=2fetc", "a==b", "%2F", "~", "$HOME", "`id`", "'", '"', "\\", "a:b", "a\x00b",
    "\udcff", "#", "?", "&", "<b>", "名" * 200, "ice_cream", "don't", ".hidden", "trail.",
)  # fmt: skip


def test_hostile_words_make_safe_names(tmp_path: Path) -> None:
    names = [file_name(word) for word in HOSTILE]
    for name in names:
        # One file, in the intended folder.
        (tmp_path / f"{name}.parquet").write_text("x")
        assert quote(name, safe="=") == name and name.format() == name
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.parquet" for name in names}
    shown = subprocess.run(["bash", "-c", f"echo {' '.join(names)}"], capture_output=True)
    assert shown.stdout.decode() == " ".join(names) + "\n"
    # Compare names as a disk does that ignores case and composes accents.
    seen = {unicodedata.normalize("NFC", name).casefold() for name in names}
    assert len(seen) == len(HOSTILE)


@settings(deadline=None, max_examples=60)
@given(WORDS, WORDS)
@example("x" * LONGEST, "x" * (LONGEST + 1))
@example("=" * 300, "=" * 299)
def test_a_name_leads_back_to_its_only_word(word: str, other: str) -> None:
    name = file_name(word)
    assert word_of(name, [other, word]) == word
    assert is_name(name) and as_name(name) == name
    assert re.fullmatch(r"[a-z0-9=][a-z0-9=-]*", name) and len(name) <= LONGEST
    if "==" not in name:
        assert word_of(name) == word
    assert (name == file_name(other)) == (word == other)


def test_invalid_names_have_no_word() -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        word_of(file_name("x" * 300), ["x" * 299])
    for text in ("", "=2F", "=zz", "=ff=fe", "a.b", "-a", "=61", "a" * 101):
        assert not is_name(text) and (not text or word_of(as_name(text), [text]) == text)
        with pytest.raises(ConfigError):
            word_of(text)
    for text in ("", ".", "..", "../a", "a/b", ".a", "-a", "a b", "a\n", "ä", "{a}"):
        assert not is_plain_name(text)


@settings(deadline=None, max_examples=60)
@given(st.text())
@example("می\u200cخواهم")  # noqa: RUF001
def test_visible_text_cannot_steer_a_terminal(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)
    if text.replace("\u200c", "").isprintable():
        assert shown == text
    assert visible("a\nb\x1b[2J", "\n") == "a\nb\\x1b[2J"
