"""Write docs/figures/*.svg: `python docs/make/figures.py`.

The tutorial's figures show the built-in corpus with the packaged MiniLM. The figures of the
findings show the numbers of the tables on the pages in docs/findings/.
tests/docs/test_tutorial.py draws all of them again and compares.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from wsd.analysis.project import pca
from wsd.inference.focal_embedder import FocalEmbedder
from wsd.inference.sentences import labelled, quickstart
from wsd.report.pages.curves import COLOURS, MARKERS, style_of

MM, TWO_COLUMNS = 1 / 25.4, 180.0  # a millimetre in inches; millimetres
STYLE: Any = {
    **dict.fromkeys(("font.size", "axes.labelsize", "axes.titlesize"), 8),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 7),
    **dict.fromkeys(("legend.fontsize", "legend.title_fontsize"), 7),
    **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.6),
    **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 2.5),
    **{"axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False},
    **{"lines.linewidth": 1.0, "lines.markersize": 3.5, "legend.frameon": False},
    **{"svg.fonttype": "none", "svg.hashsalt": "wsd"},
}
WORDS = ("apple", "bank", "crane", "java", "spring")
KS = (1, 2, 3, 4)
FIGURES = Path(__file__).parents[1] / "figures"
FINDINGS = Path(__file__).parents[1] / "findings"
SIZES = ("1%", "5%", "10%", "25%", "50%", "100%")
PARTS = ("nouns", "verbs", "adjectives", "adverbs")


class Score(NamedTuple):
    """A number of a table and its 95% interval; without one, all three are equal."""

    value: float
    low: float
    high: float


@contextmanager
def styled() -> Iterator[None]:
    """Set the style of the figures within the context, whatever the user's matplotlibrc."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def look(number: int) -> dict[str, str]:
    """Return the colour and marker of a series, the same as on the pages."""
    colour, marker = style_of(number)
    return {"color": COLOURS[colour], "marker": MARKERS[marker][1]}


def draw_projections(k: int, out: Path) -> None:
    """Draw all sentences of every word on two principal components of ``mean-last-k``."""
    embedder = FocalEmbedder("all-MiniLM-L6-v2", f"mean-last-{k}", device="cpu")
    markers = [name for _, name in MARKERS.values()]
    with styled():
        figure = Figure(figsize=(TWO_COLUMNS * MM, 44 * MM), layout="constrained")
        for ax, word in zip(figure.subplots(1, len(WORDS)), WORDS, strict=True):
            corpus = quickstart(word)
            parts = [labelled(corpus, split) for split in ("train", "test")]
            gold = np.concatenate([y for _, y in parts])
            vectors = embedder.fit_transform([sentence for X, _ in parts for sentence in X])
            train = np.arange(len(gold)) < len(parts[0][0])
            points, _ = pca(vectors, train)
            for i, sense in enumerate(corpus.senses):
                x, y = points[gold == sense].T
                style = {"color": COLOURS[i], "marker": markers[i], "alpha": 0.8}
                label = sense.removeprefix(f"{word}_")
                ax.scatter(x, y, s=9, linewidths=0, label=label, **style)
            ax.set(title=word, xticks=[], yticks=[])
            ax.legend(fontsize=5, loc="upper center", bbox_to_anchor=(0.5, -0.02), handlelength=1)
        _save(figure, out / f"mean-last-{k}.svg")


def draw_two_corpora(out: Path) -> None:
    """Draw macro-F1 over MiniLM's layers on both corpora."""
    nouns = table("coarsewsd20", "layer")
    words = table("noad", "layer")
    curves = {
        "CoarseWSD-20, logistic regression": [nouns[i]["logistic regression"] for i in nouns],
        "CoarseWSD-20, nearest centroid": [nouns[i]["nearest centroid"] for i in nouns],
        "SemCor and MASC, logistic regression": [words[i]["all, 642"] for i in words],
    }
    _draw_curves(curves, out / "two-corpora.svg")


def draw_parts_of_speech(out: Path) -> None:
    """Draw macro-F1 over the layers, a curve per part of speech."""
    rows = table("noad", "layer").values()
    columns = [name for name in next(iter(rows)) if name.startswith(PARTS)]
    curves = {name.partition(",")[0]: [row[name] for row in rows] for name in columns}
    _draw_curves(curves, out / "parts-of-speech.svg")


def draw_rows(out: Path) -> None:
    """Draw macro-F1 of the selected configuration, controls, baselines and published systems."""
    scores = {name: row["macro-F1"] for name, row in table("coarsewsd20", "row").items()}
    with styled():
        figure = Figure(figsize=(TWO_COLUMNS * MM, 70 * MM), layout="constrained")
        ax = figure.subplots()
        for i, score in enumerate(scores.values()):
            color = look(0)["color"] if i < 3 else "0.35"
            ax.plot([score.low, score.high], [i, i], color=color, linewidth=1.2)
            ax.plot([score.value], [i], color=color, marker="o")
        names = [name.replace("`", "") for name in scores]
        ax.set(yticks=range(len(scores)), yticklabels=names, xlabel="macro-F1 (%)", xlim=(25, 100))
        ax.invert_yaxis()
        ax.grid(axis="x", linewidth=0.3)
        _save(figure, out / "coarsewsd20-rows.svg")


def draw_training_size(out: Path) -> None:
    """Draw macro-F1 against the share of the training set."""
    rows = table("coarsewsd20", "training set")
    with styled():
        figure = Figure(figsize=(TWO_COLUMNS * MM, 55 * MM), layout="constrained")
        ax = figure.subplots()
        for i, name in enumerate(("LDA", "nearest centroid")):
            shares = [size for size in SIZES if name in rows[size]]
            x = [float(size.rstrip("%")) for size in shares]
            ax.plot(x, [rows[size][name].value for size in shares], label=name, **look(i))
        ax.set(xscale="log", xlabel="share of the training set (%)", ylabel="macro-F1 (%)")
        ax.set_xticks([1, 5, 10, 25, 50, 100], ["1", "5", "10", "25", "50", "100"])
        ax.minorticks_off()
        ax.legend()
        _save(figure, out / "training-size.svg")


def table(page: str, first: str) -> dict[str, dict[str, Score]]:
    """Return the scores of the first table of a page whose first column is ``first``.

    The keys are the first cell of a row and the column; cells without a number are left out.
    """
    lines = (FINDINGS / f"{page}.md").read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first} |"))
    names = _cells(lines[start])
    rows: dict[str, dict[str, Score]] = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        name, *cells = _cells(line)
        rows[name] = {key: _score(cell) for key, cell in zip(names[1:], cells, strict=True) if cell}
    return rows


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _score(cell: str) -> Score:
    """Read ``94.62 [93.36, 95.74]``, ``94.62``, an interval alone, or a range with an en dash."""
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", cell)]
    if not numbers:
        return Score(np.nan, np.nan, np.nan)
    if cell.startswith("["):
        return Score(np.nan, *numbers)
    if "\u2013" in cell:
        return Score(sum(numbers) / 2, *numbers)
    value, low, high = numbers if len(numbers) == 3 else numbers[:1] * 3
    return Score(value, low, high)


def _draw_curves(curves: dict[str, list[Score]], path: Path) -> None:
    """Draw scores over the layers, with intervals as bars where the table has them."""
    with styled():
        figure = Figure(figsize=(TWO_COLUMNS * MM, 62 * MM), layout="constrained")
        ax = figure.subplots()
        for i, (name, scores) in enumerate(curves.items()):
            value, low, high = np.transpose(scores)
            x = np.arange(len(value)) + 0.04 * (i - (len(curves) - 1) / 2)
            ax.errorbar(x, value, yerr=(value - low, high - value), label=name, **look(i))
        ax.set(xlabel="layer", ylabel="macro-F1 (%)", xticks=range(len(value)))
        ax.legend(loc="lower right")
        _save(figure, path)


def _save(figure: Figure, path: Path) -> None:
    figure.savefig(path, metadata={"Date": None})


def main(out: Path) -> None:
    """Write every figure."""
    out.mkdir(parents=True, exist_ok=True)
    draw_two_corpora(out)
    draw_parts_of_speech(out)
    draw_rows(out)
    draw_training_size(out)
    for k in KS:
        draw_projections(k, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else FIGURES)
