"""Cells that a spreadsheet may take for a formula, and cells that it does not: one list for both
implementations of the guard, wsd/storage/csv.py and wsd/report/assets/word-table.js.
"""

OPERATORS = (*"=+-@", *"\uff1d\uff0b\uff0d\uff20", *"\ufe66\ufe62\ufe63\ufe6b", "\u2212")
CONTROLS = tuple("\t\n\r\0")
INVISIBLE = (" ", "\u00a0", "\u3000", "\ufeff", "\u200b", "\x1f", "\x85", "\u2028")
FORMULAS = (
    *(f"{sign}1+1" for sign in OPERATORS),
    *(f"{sign}bank" for sign in CONTROLS),
    *(f"{space}=1+1" for space in INVISIBLE),
    *("\r\n=1+1", "'=1+1", "''\uff1dHYPERLINK(1)", "--", "'-", "' =1"),
)
NO_FORMULAS = (
    *("", "-", "-0.589385", "+1", "-2e-05", "'", "bank", "1=1", "a\n=1"),
    *("\u00e9", "\u5de5=1", " bank", "_=1"),
)
