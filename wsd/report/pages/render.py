"""From values to pages: templates, what a page may load, how data lie in it."""

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wsd.artifacts.column_names import feature_set
from wsd.artifacts.transform_names import transform_label
from wsd.errors import ResultError
from wsd.report.pages.report_data import Report
from wsd.report.tables import METRICS
from wsd.storage.atomic import write_text
from wsd.storage.file_names import file_name

BOKEH, STYLE = "bokeh.min.js", "style.css"
# The scripts of a page, in the order in which they are loaded: each uses only those before it.
SHARED = ("page.js", "plots.js")
TABLES = (*SHARED, "curves.js", "tables.js")
INDEX = (*SHARED, "curves.js", "gallery.js", "tables.js")
WORD_PARTS = (
    "data", "state", "address", "text", "colours", "plot", "beside", "scores", "card", "table",
    "steps", "filters",
)  # fmt: skip
WORD = (*SHARED, *(f"word-{part}.js" for part in WORD_PARTS), "word.js")


def write_assets(folder: Path) -> None:
    """Write Bokeh's script, the report's own scripts and its style sheet.

    Parameters
    ----------
    folder : Path
    """
    for name in dict.fromkeys((BOKEH, *WORD, *INDEX, STYLE)):
        write_text(folder / name, asset(name))


@cache
def asset(name: str) -> str:
    """The text of one of the report's files."""
    own = package_files("wsd.report") / "assets"
    folder = package_files("bokeh") / "server" / "static" / "js" if name == BOKEH else own
    return (folder / name).read_text(encoding="utf-8")


def render(template: str, report: Report, **values: Any) -> str:
    """A page of the report, which loads the report's own files and nothing else.

    Parameters
    ----------
    template : str
    report : Report
    **values
        For the template; ``root`` is the way to the report's folder, if the page lies below it.
    """
    # The first page has no plot of Bokeh's, and is there at once.
    scripts = (
        INDEX
        if template == "index.html"
        else (BOKEH, *(WORD if template == "word.html" else TABLES))
    )
    return _environment().get_template(template).render(report=report, scripts=scripts, **values)


def render_alone(template: str, scripts: Sequence[str] = (), **values: Any) -> str:
    """A page of no report, as one file; its scripts are let in by their hash."""
    script = "".join(asset(name) for name in scripts)
    return (
        _environment()
        .get_template(template)
        .render(
            **values,
            portable=True,
            script=Markup(script),  # noqa: S704 - the package's own files
            style=Markup(asset(STYLE)),  # noqa: S704 - the package's own file
            csp=_csp(_hash(script) if scripts else "'none'"),
        )
    )


def render_portable(report: Report, *, data: Any, figure: Any, **values: Any) -> str:
    """A word's page as one file, whose scripts are let in by their hashes."""
    scripts = "".join(asset(name) for name in WORD)
    return render(
        "word.html",
        report,
        **values,
        portable=True,
        packed=_pack_alone({"data": data, "figure": figure}),
        script=Markup(scripts),  # noqa: S704 - the package's own files
        style=Markup(asset(STYLE)),  # noqa: S704 - the package's own file
        csp=_csp(f"{_hash(scripts)} {_hash(asset(BOKEH))}"),
    )


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
        If a number is not whole, or the type has no room for it: it would turn into another.
    """
    with np.errstate(invalid="ignore"):
        packed = np.asarray(values).astype(dtype)
    if not np.array_equal(packed, values):
        room = np.iinfo(dtype)
        what = f"a page has no room for a number: it holds whole numbers {room.min} to {room.max}"
        where = f"the numbers of a page, which are {values.min()} to {values.max()}"
        raise ResultError(what, where=where, fix="ask for fewer clusters, or merge senses")
    return base64.b64encode(packed.tobytes()).decode()


def pack(value: Any) -> str:
    """JSON, deflated, in base64: what the page's script unpacks."""
    return base64.b64encode(zlib.compress(_dump(value).encode(), 9)).decode()


@cache
def _with_bokeh() -> tuple[bytes, Any]:
    """Bokeh's script, deflated as far as it is known, and the compressor in that state."""
    started = zlib.compressobj(9)
    return started.compress(f'{{"bokeh":{_dump(asset(BOKEH))},'.encode()), started


def _pack_alone(values: dict[str, Any]) -> str:
    """As :func:`pack` with Bokeh's script before the values; it is deflated once for all."""
    done, started = _with_bokeh()
    going_on = started.copy()
    rest = going_on.compress(_dump(values)[1:].encode()) + going_on.flush()
    return base64.b64encode(done + rest).decode()


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _script_json(value: Any) -> Markup:
    """JSON that cannot end the script element it stands in, nor start a comment there."""
    text = _dump(value)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - nothing is left that HTML would interpret


def _csp(scripts: str) -> str:
    # Bokeh styles its shadow trees with <style> elements, and its icons are data: images.
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def number(value: float, form: str) -> str:
    """A number in a form of ``format``; a dash where there is none."""
    dash, minus = "\N{EN DASH}", "\N{MINUS SIGN}"
    return dash if value != value else format(value, form).replace("-", minus)


def percent(value: float, digits: int = 2) -> str:
    """A fraction in percent."""
    return number(value * 100, f".{digits}f")


def signed(value: float, digits: int = 2) -> str:
    """A difference of fractions in points, with its sign."""
    return number(value * 100, f"+.{digits}f")


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else number(value, ".3f")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("wsd.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(feature_set=feature_set, metrics=METRICS)
    # Of a page that loads the report's files and lies beside the folder of these.
    environment.globals.update(root="", portable=False, csp=_csp("'self'"))
    environment.filters.update(
        percent=percent,
        signed=signed,
        p=_p,
        whole=lambda value: number(value, "+.0f"),
        depth=lambda value: number(value, ".2f"),
        script_json=_script_json,
        transformed=transform_label,
        page=lambda word: f"{file_name(str(word))}.html",
        # A path segment or a fragment's value, so `/` is escaped too.
        part=lambda text: quote(str(text), safe=""),
        count=lambda number: f"{int(number):,}",
        # A place to break a long name at, which copying and searching do not see.
        breakable=lambda text: Markup("_<wbr>").join(str(text).split("_")),
        pretty=lambda value: json.dumps(value, indent=2, ensure_ascii=False),
    )
    return environment
