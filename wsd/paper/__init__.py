"""The figures of a paper, from the tables of a finished run, as PDF, SVG and PNG.

Not :mod:`wsd.figures`, which says what macro-F1 is. A module per figure: its ``draw_`` function
takes tables and returns a figure, or None where they have nothing to show. Every figure can be read
without colours, and has the same bytes on every run.
"""

import logging
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from wsd.errors import ResultError
from wsd.files import expecting, replacing, verify
from wsd.paper.differences import draw_differences
from wsd.paper.layers import draw_layers
from wsd.paper.learning import draw_learning
from wsd.paper.models import draw_models
from wsd.paper.style import MEASURES, styled
from wsd.paper.words import draw_words
from wsd.sheets import unguarded

log = logging.getLogger("wsd")

FORMATS = ("pdf", "svg", "png")
TEXTS = ("kind", "model", "view", "classifier", "layers", "word", "train", "figure")
COLUMNS = {
    "comparison": ("kind", "model", "layers", "classifier", *MEASURES),
    "layers": (
        *("model", "view", "classifier", "layers", "relative_depth", "chosen_on_folds"),
        *("figure", "value"),
        *("low", "high", "difference", "difference_low", "difference_high", "p_holm"),
    ),
    "words": ("model", "view", "classifier", "word", "layers", "macro_f1", "chosen_on_folds"),
    "controls": ("kind", "model", "view", "layers", "classifier", *MEASURES),
    "learning": (
        *("model", "view", "layers", "classifier", "train", "n_words", "n_train"),
        *("mean_macro_f1", "lowest_draw", "highest_draw"),
    ),
}
# What would make two files of one figure differ: the date, the version of the library.
METADATA = {"pdf": ("CreationDate", "Producer"), "svg": ("Date", "Creator"), "png": ("Software",)}


def read(path: Path, table: str) -> pd.DataFrame:
    """Read one of the tables of ``COLUMNS``; without rows it may lack its header too.

    Raises
    ------
    ResultError
        If the file is missing, damaged, or another table.
    """
    verify(path)
    try:
        with expecting(path):
            # A word may be called "nan": only an empty cell is missing.
            found = pd.read_csv(
                path, dtype=dict.fromkeys(TEXTS, str), keep_default_na=False, na_values=[""]
            )
            return unguarded(found[list(COLUMNS[table])])
    except FileNotFoundError:
        raise ResultError(
            "a file of an earlier step is missing", where=str(path), fix="run snakemake"
        ) from None
    except ResultError as error:
        if isinstance(error.__cause__, pd.errors.EmptyDataError):
            return pd.DataFrame(columns=list(COLUMNS[table]))
        raise


def write(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the path's suffix, whole or not at all."""
    form = path.suffix.removeprefix(".")
    with replacing(path) as temporary:
        figure.savefig(temporary, format=form, metadata=dict.fromkeys(METADATA[form]))


def figures(
    *,
    comparison: Path,
    layers: Path,
    word_layers: Path,
    controls: Path,
    learning: Path,
    out: Path,
    formats: Sequence[str] = FORMATS,
) -> None:
    """Write the figures ``layers``, ``models``, ``words``, ``learning`` and ``differences``.

    One that the tables have nothing for is left out.

    Parameters
    ----------
    comparison, layers, word_layers, controls, learning : Path
        The tables of that name, .csv.
    out : Path
    formats : sequence of str
        Among ``FORMATS``.
    """
    of_layers = read(layers, "layers")
    of_words = read(word_layers, "words")
    of_controls = read(controls, "controls")
    of_learning = read(learning, "learning")
    of_all = read(comparison, "comparison")
    out.mkdir(parents=True, exist_ok=True)
    with styled():
        made = {
            "layers": draw_layers(of_layers, of_controls, of_all),
            "models": draw_models(of_layers),
            "words": draw_words(of_words),
            "learning": draw_learning(of_learning),
            "differences": draw_differences(of_layers),
        }
        for name, figure in made.items():
            if figure is None:
                log.info("figures: the tables have nothing for %s, left out", name)
                continue
            # Laid out once: it takes longer than the writing, and is the same for all formats.
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
            for form in formats:
                write(figure, out / f"{name}.{form}")
