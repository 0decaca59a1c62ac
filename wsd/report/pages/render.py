"""Render pages from templates with a content security policy, and pack their data."""

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

import numpy as np
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wsd import __version__
from wsd.artifacts.column_names import feature_set
from wsd.artifacts.transform_names import transform_label
from wsd.errors import ResultError
from wsd.report.pages.report_data import Report
from wsd.report.tables import METRICS
from wsd.storage.atomic import write_text
from wsd.storage.file_names import file_name
from wsd.storage.text_table import p_value

BOKEH, STYLE = "bokeh.min.js", "style.css"
# The scripts of a page, in the order in which they are loaded: each uses only earlier ones.
SHARED = ("page.js", "files.js", "plots.js")
CURVES = (BOKEH, *SHARED, "tables.js")
INDEX = (BOKEH, *SHARED, "gallery.js", "tables.js")
WORD_PARTS = (
    "data", "state", "text", "colours", "plot", "scores", "card",
    "table", "strip", "controls",
)  # fmt: skip
WORD = (*SHARED, "extra-columns.js", *(f"word-{part}.js" for part in WORD_PARTS))


def word_scripts(report: Report) -> tuple[str, ...]:
    """Return the scripts of the word pages: the report's own, then the scripts of studies."""
    added = [script for extension in report.extensions for script in extension.word_scripts]
    return (*WORD, *added, "word.js")


def write_assets(report: Report, folder: Path) -> None:
    """Write Bokeh's script, the scripts of the pages and the style sheet into a folder."""
    for name in dict.fromkeys((BOKEH, *word_scripts(report), *INDEX, STYLE)):
        write_text(folder / PurePath(name).name, asset(name))


@cache
def asset(name: str) -> str:
    """Return the text of an asset: of the report, of Bokeh, or of a study ("study/file.js")."""
    if name == BOKEH:
        folder = package_files("bokeh") / "server" / "static" / "js"
    else:
        folder = package_files("wsd") / ("studies" if "/" in name else "report/assets")
    return (folder / name).read_text(encoding="utf-8")


def render(template: str, report: Report, **values: Any) -> str:
    """Render a page of the report, which loads the report's own files and nothing else.

    Parameters
    ----------
    template : str
        The name of a template of the report, or "study/file.html".
    report : Report
    **values
        For the template; ``root`` is the relative path to the report's folder, if the page lies
        below it.
    """
    own = {"index.html": INDEX, "word.html": (BOKEH, *word_scripts(report))}
    names = [PurePath(script).name for script in own.get(template, CURVES)]
    return _environment().get_template(template).render(report=report, scripts=names, **values)


def render_fragment(template: str, **values: Any) -> Markup:
    """Render a part of a page."""
    text = _environment().get_template(template).render(**values)
    return Markup(text)  # noqa: S704 - the template escapes the values


def render_alone(
    template: str, scripts: Sequence[str] = (), packed_script: str = "", **values: Any
) -> str:
    """Render a page as one file, whose policy names the hashes of its scripts.

    Parameters
    ----------
    template : str
    scripts : sequence of str
        Names of assets.
    packed_script : str
        A further script, which the packed data of the page contains.
    **values
        For the template.
    """
    script = "".join(map(asset, scripts))
    hashes = " ".join(_hash(text) for text in (script, packed_script) if text)
    own = {
        "portable": True,
        "script": Markup(script),  # noqa: S704 - the package's own files
        "style": Markup(asset(STYLE)),  # noqa: S704 - the package's own file
        "csp": _csp(hashes or "'none'"),
    }
    return _environment().get_template(template).render(**values, **own)


def encode(values: np.ndarray, dtype: str) -> str:
    """Encode whole numbers as base64 of their bytes, for a typed array of the page's script.

    Parameters
    ----------
    values : array of any shape
        Whole numbers; bool and float arrays are taken if they hold nothing else.
    dtype : str
        Such as ``"<u2"``.

    Raises
    ------
    ResultError
        If a number is not whole, or is out of the range of the type.
    """
    with np.errstate(invalid="ignore"):
        packed = np.asarray(values).astype(dtype)
    if not np.array_equal(packed, values):
        limits = np.iinfo(dtype)
        problem = f"a page can hold whole numbers from {limits.min} to {limits.max} only"
        where = f"the numbers of a page, which are {values.min()} to {values.max()}"
        raise ResultError(problem, where=where, fix="ask for fewer clusters, or merge senses")
    return base64.b64encode(packed.tobytes()).decode()


def pack(value: Any) -> str:
    """Return a value as JSON, deflated, in base64; the page's script unpacks it."""
    return base64.b64encode(zlib.compress(_dump(value).encode(), 9)).decode()


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _script_json(value: Any) -> Markup:
    """Return JSON that can neither end its script element nor start a comment in it."""
    text = _dump(value)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - all characters with a meaning in HTML are escaped


def _csp(scripts: str) -> str:
    """Return a content security policy that allows these scripts and no other."""
    # Bokeh styles its shadow trees with <style> elements, and its icons are data: images.
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def number(value: float, form: str) -> str:
    """Format a number; NaN is a dash."""
    dash, minus = "\N{EN DASH}", "\N{MINUS SIGN}"
    return dash if value != value else format(value, form).replace("-", minus)


def percent(value: float, digits: int = 2) -> str:
    """Format a fraction in percent."""
    return number(value * 100, f".{digits}f")


def signed(value: float, digits: int = 2) -> str:
    """Format a difference of fractions in percentage points, with its sign."""
    return number(value * 100, f"+.{digits}f")


@cache
def _environment() -> Environment:
    loader = ChoiceLoader([PackageLoader("wsd.report"), PackageLoader("wsd", "studies")])
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.globals.update(feature_set=feature_set, metrics=METRICS, version=__version__)
    # Defaults for a page in the report's folder.
    environment.globals.update(root="", portable=False, csp=_csp("'self'"))
    environment.filters.update(
        percent=percent,
        signed=signed,
        p=lambda value: number(value, "") if value != value else p_value(value),
        points=lambda value: number(value, ".1f"),
        number=number,
        script_json=_script_json,
        packed=pack,
        transformed=transform_label,
        page=lambda word: f"{file_name(str(word))}.html",
        path=lambda path: quote(path, safe="/="),
        # A path segment or a fragment's value: `/` is escaped too.
        part=lambda text: quote(str(text), safe=""),
        count=lambda number: f"{int(number):,}",
        # A long name may break after an underscore; copying and searching ignore that.
        breakable=lambda text: Markup("_<wbr>").join(str(text).split("_")),
        pretty=lambda value: json.dumps(value, indent=2, ensure_ascii=False),
    )
    return environment


# A page colours and filters its instances by a column with 2 to this many values.
MOST_VALUES = 20


def packed_columns(
    extra: Mapping[str, Sequence[str]], order: Sequence[int] | np.ndarray, with_text: np.ndarray
) -> list[dict[str, Any]]:
    """Return the extra columns as the script ``extra-columns.js`` takes them.

    Each column has its distinct values, and for each instance the number of its value. ``group``
    tells whether the page colours and filters by the column. A column without any text is left
    out.

    Parameters
    ----------
    extra : mapping of column to text per row of the corpus
    order : int array of shape (n,)
        The corpus's rows in the order of the page.
    with_text : bool array of shape (n,)
        In that order, whether the page has the sentence. A column with more than ``MOST_VALUES``
        values has text for these rows only.
    """
    columns = []
    for name, cells in extra.items():
        shown = [cells[row] for row in order]
        distinct = values = _ordered(set(shown))
        if len(values) > MOST_VALUES:
            shown = [cell if has else "" for cell, has in zip(shown, with_text, strict=True)]
            distinct = list(dict.fromkeys(shown))
        if not any(value.strip() for value in distinct):
            continue
        numbers = {value: number for number, value in enumerate(distinct)}
        codes = np.array([numbers[cell] for cell in shown])
        packed = encode(codes, "u1" if len(distinct) <= 256 else "<u4")
        column = {"name": name, "group": 2 <= len(values) <= MOST_VALUES, "values": distinct}
        columns.append({**column, "codes": packed})
    return columns


def most_colours(columns: Iterable[Mapping[str, Any]]) -> int:
    """Return how many colours the packed columns need: 0 if the page colours by none."""
    return max((len(column["values"]) for column in columns if column["group"]), default=0)


def _ordered(values: Iterable[str]) -> list[str]:
    """Return values in the order of their numbers, or else of their text; no value is last."""
    by_text = sorted(values, key=lambda value: (not value, value))
    try:
        return sorted(by_text, key=lambda value: (not value, float(value or 0)))
    except ValueError:
        return by_text
