"""Recognise the columns of a table of pairs by their names, and read its labels and ratings."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from wsd.errors import CorpusError

# Of several fitting columns, the first of these names counts.
NAMES = {
    "word": ("word", "lemma", "target", "target_word", "homonym"),
    "pos": ("pos",),
    "form": ("form", "string"),
    "sentence1": ("sentence1", "sentence_1", "context1", "context_1", "text1"),
    "sentence2": ("sentence2", "sentence_2", "context2", "context_2", "text2"),
    **{
        f"{key}{number}": (f"{key}{number}", f"{key}_{number}")
        for number in (1, 2)
        for key in ("start", "end", "span", "position")
    },
    "rating": ("rating", "judgment", "judgement", "mean_relatedness", "average", "mean", "score"),
    "label": ("label", "tag", "gold", "same"),
    "split": ("split", "set"),
}
PLACES = ("start", "end", "span", "position")
LABELS = {"t": 1.0, "true": 1.0, "1": 1.0, "same": 1.0} | dict.fromkeys(
    ("f", "false", "0", "different"), 0.0
)
# The names of the splits in files and columns.
SPLIT_OF = {"train": "train", "training": "train", "test": "test"} | dict.fromkeys(
    ("dev", "valid", "val", "validation", "development"), "dev"
)
# Parts of speech of WiC and MCL-WiC, as the names of words have them; others in lower case.
PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


def find_columns(header: Iterable[str], columns: Mapping[str, str], where: str) -> dict[str, str]:
    """Return the column of each key of ``NAMES`` that a table has.

    A table with ratings and labels is one of ratings, unless the user names the label alone.

    Parameters
    ----------
    header : iterable of str
        The names of the columns.
    columns : mapping of a key of ``NAMES`` to a column
        Columns that the user names.
    where : str
        File and line of the names.

    Raises
    ------
    CorpusError
        If the user names a column that the table lacks.
    """
    names = list(header)
    if missing := [name for name in columns.values() if name not in names]:
        problem = f"no column {missing[0]!r} among {', '.join(names)}"
        raise CorpusError(problem, where=where, fix="correct --columns")
    free = {name.strip().lower(): name for name in names if name not in columns.values()}
    usual = {
        key: next((free[name] for name in fitting if name in free), None)
        for key, fitting in NAMES.items()
    }
    known = {key: name for key, name in usual.items() if name is not None} | dict(columns)
    if "rating" in known and not ("label" in columns and "rating" not in columns):
        known.pop("label", None)
    elif "label" in known:
        known.pop("rating", None)
    return known


def has_pairs(header: Iterable[str]) -> bool:
    """Return whether a table with these columns has two sentences in each line."""
    names = {name.strip().lower() for name in header}
    return all(names & {*NAMES[key]} for key in ("sentence1", "sentence2"))


def parse_label(value: Any, key: str) -> float:
    """Return 1 for *same*, 0 for *different*, or a rating; NaN for an empty cell.

    Raises
    ------
    ValueError
        For another value.
    """
    text = "" if value is None else str(value).strip()
    if not text:
        return math.nan
    if key == "label":
        if text.lower() not in LABELS:
            raise ValueError(f"{text!r} is no label")
        return LABELS[text.lower()]
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text!r} is no rating")
    return number


def name_of(lemma: str, part: str) -> str:
    """Return the name of a word with its part of speech, such as ``carry.v``."""
    part = part.strip().lower()
    return f"{lemma}.{PARTS.get(part, part)}" if part else lemma
