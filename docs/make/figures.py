"""Write docs/figures/*.svg: `python docs/make/figures.py`.

The tutorial's figures show the built-in corpus with the packaged MiniLM. The figures of the
findings show the numbers of the tables in docs/findings/data/.
tests/docs/test_tutorial.py draws all of them again and compares.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from tables import MINILM, MPNET, read, where

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
    nouns, words = read("coarsewsd20-layers"), read("noad-layers")
    logistic, centroid = "logistic regression", "nearest centroid"
    curves = {
        "CoarseWSD-20, logistic regression": scores(nouns, model=MINILM, classifier=logistic),
        "CoarseWSD-20, nearest centroid": scores(nouns, model=MINILM, classifier=centroid),
        "SemCor and MASC, logistic regression": scores(words, model=MINILM, words="all"),
    }
    _draw_curves(curves, out / "two-corpora.svg")


def draw_parts_of_speech(out: Path) -> None:
    """Draw macro-F1 over the layers, a curve per part of speech."""
    rows = read("noad-layers")
    _draw_curves({part: scores(rows, words=part) for part in PARTS}, out / "parts-of-speech.svg")


def draw_rows(out: Path) -> None:
    """Draw macro-F1 of the selected configuration, controls, baselines and published systems."""
    kept = where(read("coarsewsd20-rows"), run="config/study.yaml", metric="mean_macro_f1")
    rows = [row for _, row in kept.iterrows()]
    drawn = [(row["row"], score(row)) for row in rows]
    drawn.insert(1, ("the same, words vary", score(rows[0], "_over_words")))
    with styled():
        figure = Figure(figsize=(TWO_COLUMNS * MM, 70 * MM), layout="constrained")
        ax = figure.subplots()
        for i, (name, (value, low, high)) in enumerate(drawn):
            color = look(0)["color"] if i < 3 else "0.35"
            ax.plot([low, high], [i, i], color=color, linewidth=1.2)
            if not name.startswith("the same"):
                ax.plot([value], [i], color=color, marker="o")
        names = [name for name, _ in drawn]
        ax.set(yticks=range(len(names)), yticklabels=names, xlabel="macro-F1 (%)", xlim=(25, 100))
        ax.invert_yaxis()
        ax.grid(axis="x", linewidth=0.3)
        _save(figure, out / "coarsewsd20-rows.svg")


def draw_training_size(out: Path) -> None:
    """Draw macro-F1 against the share of the training set."""
    rows = {row["training set"]: row for _, row in read("coarsewsd20-training-size").iterrows()}
    with styled():
        figure = Figure(figsize=(TWO_COLUMNS * MM, 55 * MM), layout="constrained")
        ax = figure.subplots()
        for i, name in enumerate(("LDA", "nearest centroid")):
            shares = [size for size in SIZES if rows[size][name]]
            x = [float(size.rstrip("%")) for size in shares]
            ax.plot(x, [float(rows[size][name]) for size in shares], label=name, **look(i))
        ax.set(xscale="log", xlabel="share of the training set (%)", ylabel="macro-F1 (%)")
        ax.set_xticks([1, 5, 10, 25, 50, 100], ["1", "5", "10", "25", "50", "100"])
        ax.minorticks_off()
        ax.legend()
        _save(figure, out / "training-size.svg")


def scores(rows: pd.DataFrame, **values: str) -> list[Score]:
    """Return the scores of the rows with the given values, in the order of the layers."""
    kept = where(rows, **values).sort_values("layer")
    return [score(row, "_over_words") for _, row in kept.iterrows()]


def score(row: pd.Series, level: str = "") -> Score:
    """Return a row's score, with the interval of a level if it has one.

    A row without a value, of several seeds, has their range: its middle is the value.
    """
    ends = [float(row[key]) for key in (f"low{level}", f"high{level}") if row.get(key)]
    value = row.get("value") or row.get("mean_macro_f1")
    middle = float(value) if value else sum(ends) / 2
    return Score(middle, *(ends or (middle, middle)))


def draw_published(out: Path) -> None:
    """Draw the share of each model's rise over its depth: ours in colour, published ones grey."""
    published: dict[str, list[float]] = {}
    for _, row in read("published").iterrows():
        if "best layer only" not in row["task"]:
            published.setdefault(row["source"] + row["model"], []).append(float(row["score"]))
    noad = {"classifier": "logistic regression", "words": "all"}
    plain = {"input": "plain", "first_piece": "line break (default)"}
    logistic = {"classifier": "logistic regression"}
    ours = {
        "MiniLM, SemCor and MASC": scores(read("noad-layers"), model=MINILM, **noad),
        "mpnet, SemCor and MASC": scores(read("noad-layers"), model=MPNET, **noad),
        "SmolLM2, quickstart corpus": scores(read("decoders"), **plain, **logistic),
    }
    with styled():
        figure = Figure(figsize=(TWO_COLUMNS * MM, 62 * MM), layout="constrained")
        ax = figure.subplots()
        for i, values in enumerate(published.values()):
            label = f"{len(published)} published curves" if i == 0 else None
            ax.plot(*_rise(values), color="0.75", linewidth=0.6, label=label)
        for i, (name, curve) in enumerate(ours.items()):
            ax.plot(*_rise([value for value, _, _ in curve]), label=name, **look(i))
        ax.set(xlabel="layer / blocks", ylabel="share of the rise")
        ax.legend(loc="lower right")
        _save(figure, out / "published-curves.svg")


def draw_decoders(out: Path) -> None:
    """Draw macro-F1 over the depth, a curve per input of the decoder, beside MiniLM."""
    names = {"plain": "SmolLM2, plain", "echo": "SmolLM2, echo", "prompt": "SmolLM2, prompt"}
    names[MINILM] = "MiniLM"
    rows = read("decoders-coarsewsd20/layers")
    rows = where(rows, view="focal", classifier="logistic")
    with styled():
        figure = Figure(figsize=(TWO_COLUMNS * MM, 70 * MM), layout="constrained")
        ax = figure.subplots()
        for i, (model, name) in enumerate(names.items()):
            curve = where(rows, model=model)
            value, low, high = (100 * curve[column] for column in ("value", "low", "high"))
            error = (value - low, high - value)
            ax.errorbar(curve["relative_depth"], value, yerr=error, label=name, **look(i))
        # Layer 0, of 33 to 45, would hide the differences.
        ax.set(xlabel="layer / blocks", ylabel="macro-F1 (%)", ylim=(68, 97))
        ax.legend(loc="lower right")
        _save(figure, out / "decoders.svg")


def _rise(values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the relative depths of the layers, and the shares of the rise from layer 0 to best."""
    above = np.subtract(values, values[0])
    return np.linspace(0, 1, len(values)), above / above.max()


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
    draw_published(out)
    draw_decoders(out)
    for k in KS:
        draw_projections(k, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else FIGURES)
