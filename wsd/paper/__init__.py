"""The figures of a paper, from the tables of a finished run, as PDF, SVG and PNG.

Not :mod:`wsd.figures`, which says what macro-F1 is. A module per figure: its ``draw_`` function
takes tables and returns a figure, or None where they have nothing to show. Every figure can be read
without colours, and has the same bytes on every run.
"""

import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from matplotlib.figure import Figure

from wsd.files import replacing
from wsd.paper.differences import draw_differences
from wsd.paper.layers import draw_layers
from wsd.paper.learning import draw_learning
from wsd.paper.models import draw_models
from wsd.paper.style import MEASURES, styled
from wsd.paper.words import draw_words
from wsd.sheets import Columns, read_csv

log = logging.getLogger("wsd")

FORMATS = ("pdf", "svg", "png")
_optional = partial(Columns, may_be_empty=True)
COLUMNS = {
    "comparison": _optional(
        ("kind", "model", "layers", "classifier"),
        tuple(MEASURES),
    ),
    "layers": _optional(
        ("model", "view", "classifier", "layers", "figure"),
        (
            *("relative_depth", "value", "low", "high"),
            *("difference", "difference_low", "difference_high", "p_holm"),
        ),
        ("chosen_on_folds",),
    ),
    "word_layers": _optional(
        ("model", "view", "classifier", "word", "layers"), ("macro_f1",), ("chosen_on_folds",)
    ),
    "controls": _optional(
        ("kind", "model", "view", "layers", "classifier"),
        tuple(MEASURES),
    ),
    "learning": _optional(
        ("model", "view", "layers", "classifier", "train"),
        ("n_words", "n_train", "mean_macro_f1", "lowest_draw", "highest_draw"),
    ),
}
# What would make two files of one figure differ: the date, the version of the library.
METADATA = {"pdf": ("CreationDate", "Producer"), "svg": ("Date", "Creator"), "png": ("Software",)}


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the path's suffix, whole or not at all."""
    form = path.suffix.removeprefix(".")
    with replacing(path) as temporary:
        figure.savefig(temporary, format=form, metadata=dict.fromkeys(METADATA[form]))


def figures(*, out: Path, formats: Sequence[str] = FORMATS, **tables: Path) -> None:
    """Write the figures ``layers``, ``models``, ``words``, ``learning`` and ``differences``.

    One that the tables have nothing for is left out.

    Parameters
    ----------
    out : Path
    formats : sequence of str
        Among ``FORMATS``.
    **tables : Path
        The tables of ``COLUMNS``, .csv; any of them may have no rows.
    """
    of = {name: read_csv(tables[name], columns) for name, columns in COLUMNS.items()}
    out.mkdir(parents=True, exist_ok=True)
    with styled():
        drawn = {
            "layers": draw_layers(of["layers"], of["controls"], of["comparison"]),
            "models": draw_models(of["layers"]),
            "words": draw_words(of["word_layers"]),
            "learning": draw_learning(of["learning"]),
            "differences": draw_differences(of["layers"]),
        }
        for name, figure in drawn.items():
            if figure is None:
                log.info("figures: the tables have nothing for %s, left out", name)
                continue
            # Laid out once: it takes longer than the writing, and is the same for all formats.
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
            for form in formats:
                write_figure(figure, out / f"{name}.{form}")
