"""Recognise the columns of a table by their names."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wsd.errors import ConfigError, CorpusError

NAMES = {
    "sentence": ("sentence", "text", "context"),
    "sense": ("sense", "label", "gold"),
    "word": ("word", "lemma", "target"),
    "split": ("split", "set"),
    "position": ("position",),
    "start": ("start",),
    "end": ("end",),
    "span": ("indexes_target_token",),  # of DWUG
    # The names of Sketch Engine, AntConc, CQPweb, #LancsBox, and the tables of our own pages.
    "left": ("left", "left context", "left_context", "context before"),
    "keyword": ("keyword", "kwic", "hit", "node", "query item", "focal"),
    "right": ("right", "right context", "right_context", "context after"),
    "document": ("document",),
}
CONCORDANCE = ("left", "keyword", "right")
# Each of these columns gives the place of the focal word.
PLACES = ("position", "start", "span", "keyword")
FIX_NESTED = (
    "write a line for each word, with its sense as a text, and its place in `start` and `end`; for "
    "an export of an annotation tool, run the script in docs/how-to/annotation-tools.md"
)
OTHER_FORMATS = "docs/reference/formats.md shows how to convert other formats"


def parse_columns(items: Sequence[str], known: Iterable[str] = NAMES) -> dict[str, str]:
    """Return the columns of ``--columns``, by key.

    Parameters
    ----------
    items : sequence of str
        Such as ``sentence=text``.
    known : iterable of str
        The possible keys.

    Raises
    ------
    ConfigError
        For a malformed item, an unknown key, and a key or a column that is named twice.
    """
    columns: dict[str, str] = {}
    for item in items:
        key, _, name = item.partition("=")
        if key not in known or not name:
            keys = ", ".join(known)
            fix = f"write KEY=COLUMN, where KEY is one of {keys}, and COLUMN its name in the file"
            raise ConfigError(f"{item} is not KEY=COLUMN", where="--columns", fix=fix)
        if key in columns or name in columns.values():
            fix = "give each key one column, and each column one key"
            problem = f"{key if key in columns else name} is named twice"
            raise ConfigError(problem, where="--columns", fix=fix)
        columns[key] = name
    return columns


def find_columns(
    values: Mapping[str, Any], columns: Mapping[str, str], where: str, needed: Sequence[str]
) -> dict[str, str]:
    """Return the column of each key of ``NAMES`` that the table has.

    Parameters
    ----------
    values : mapping
        A line of the table, by column.
    columns : mapping of a key of ``NAMES`` to a column
        Columns that the user names.
    where : str
        File and line of the names.
    needed : sequence of str
        Keys that the table must have. Three columns of a concordance count as the sentence.

    Raises
    ------
    CorpusError
        For a missing or ambiguous column, and a place that is incomplete or given twice.
    """
    column_of = {key: _find(key, values, columns, where) for key in NAMES if key not in CONCORDANCE}
    # A table with a sentence is no concordance, unless the user names its columns.
    if column_of["sentence"] is None or columns.keys() & set(CONCORDANCE):
        parts = {key: _find(key, values, columns, where) for key in CONCORDANCE}
        if all(parts.values()):
            column_of |= parts | dict.fromkeys(("sentence", "position", "start", "end", "span"))
    known = {key: name for key, name in column_of.items() if name is not None}
    in_parts = {"sentence"} if "keyword" in known else set()
    if missing := [key for key in needed if key not in known.keys() | in_parts]:
        header = ", ".join(values) or "none"
        problem = f"no column for the {' and the '.join(missing)} among {header}"
        raise CorpusError(problem, where=where, fix=_how_to_name(missing, values))
    is_half = ("start" in known) != ("end" in known)
    if is_half or len(set(PLACES) & set(known)) > 1:
        places = [known[key] for key in ("position", "start", "end", "span") if key in known]
        problem = f"the focal word's place is incomplete, or given twice: {', '.join(places)}"
        fix = "keep position, or start and end, or span; or none of them, and mark the word"
        raise CorpusError(problem, where=where, fix=fix)
    return known


def _find(
    key: str, values: Mapping[str, Any], columns: Mapping[str, str], where: str
) -> str | None:
    """Return the column of a key: the one that the user names, or the one with a usual name."""
    if key in columns:
        if columns[key] not in values:
            problem = f"no column {columns[key]!r} among {', '.join(values)}"
            raise CorpusError(problem, where=where, fix="correct --columns")
        return columns[key]
    free = [name for name in values if name not in columns.values()]
    fitting = [name for name in free if name.strip().lower() in NAMES[key]]
    if len(fitting) > 1:
        problem = f"{' and '.join(fitting)} could both be the {key}"
        raise CorpusError(problem, where=where, fix=f"choose with --columns {key}={fitting[0]}")
    return fitting[0] if fitting else None


def _how_to_name(missing: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return the advice about missing columns."""
    if nested := [name for name, value in values.items() if _is_nested(value)]:
        return f"{FIX_NESTED} (now {', '.join(nested)} has lists or objects)"
    if len(values) == 1:
        names = " and ".join(missing)
        columns = f"write the names of the columns, such as {names}, in the first line of a table"
        return f"{columns}; {OTHER_FORMATS}"
    fix = [
        f"call the column with the {key} {' or '.join(map(repr, NAMES[key]))}, or add "
        f"--columns {key}=NAME"
        for key in missing
    ]
    if "sentence" in missing:
        fix.append(
            "for a sentence in three columns add --columns left=NAME keyword=NAME right=NAME"
        )
    else:
        fix.append("for sentences without senses add --unlabelled")
    return "; ".join(fix)


def _is_nested(value: Any) -> bool:
    """Return whether a value is an object, or a list of anything but tokens."""
    is_tokens = isinstance(value, list) and all(isinstance(token, str) for token in value)
    return isinstance(value, dict | list) and not is_tokens
