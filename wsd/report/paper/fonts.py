"""Fonts for words in scripts that matplotlib's own font lacks, such as Chinese or Devanagari."""

import unicodedata
from collections.abc import Iterable
from pathlib import Path

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

from wsd.logs import log

# This font comes with matplotlib, so that a figure is the same on every machine.
FONT = "DejaVu Sans"
NORMAL = 400  # the weight of a font
MOST_NAMED = 8  # characters and words of a warning
ADVICE = "install a font that has them, such as fonts-noto-cjk or fonts-noto-core on Debian"


def fallback_fonts(texts: Iterable[str]) -> list[str]:
    """Return the installed fonts that have the characters of texts that ``FONT`` lacks.

    A warning names the characters that no installed font has, and their texts.

    Parameters
    ----------
    texts : iterable of str

    Returns
    -------
    list of str
        Names of font families, Noto's fonts without serifs first; empty if ``FONT`` has everything.
    """
    texts = list(dict.fromkeys(texts))
    own = FT2Font(font_manager.findfont(FONT)).get_charmap()
    lacking = {char for char in "".join(texts) if ord(char) not in own and is_visible(char)}
    chosen = []
    # The system is asked each time, since matplotlib's list may be older than a font.
    for path in sorted(font_manager.findSystemFonts(), key=by_preference) if lacking else []:
        try:
            font = FT2Font(path)
            entry = font_manager.ttfFontProperty(font)
        except (OSError, RuntimeError, NotImplementedError):
            continue  # a damaged font, or a format that matplotlib cannot draw
        has = {char for char in lacking if ord(char) in font.get_charmap()}
        if has and (entry.style, entry.weight) == ("normal", NORMAL):
            font_manager.fontManager.addfont(path)
            chosen.append(entry.name)
            lacking -= has
    if lacking:
        drawn = [text for text in texts if lacking & set(text)]
        log.warning(
            "figures: no font has %s: boxes replace them in %s; %s",
            *(listing(sorted(lacking)), listing(drawn), ADVICE),
        )
    return chosen


def listing(names: list[str]) -> str:
    """Return the first names of a list."""
    return " ".join([*names[:MOST_NAMED], *(["…"] if len(names) > MOST_NAMED else [])])


def is_visible(char: str) -> bool:
    """Return whether a character has a picture; spaces and marks of direction have none."""
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp")


def by_preference(path: str) -> tuple[bool, bool, str]:
    """Return the sort key of a font's file: Noto's fonts first, fonts with serifs last."""
    name = Path(path).name.lower()
    return "serif" in name, "noto" not in name, path
