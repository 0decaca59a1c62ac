"""Write the page of a corpus of pairs: scores by layer, cosines, and errors of all layers.

The page is a single file. It needs only the tables of ``wsd pairs``.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from wsd.arguments import add_out, add_path
from wsd.artifacts.column_names import feature_set
from wsd.artifacts.transform_names import transform_label
from wsd.errors import WsdError, wrong_file
from wsd.metrics.graded import FEWEST_WORDS
from wsd.report.overview import Listed, Result, day, find_pages
from wsd.report.pages.plots import DASHES, plot_of_tables
from wsd.report.pages.render import CURVES, number, render_alone
from wsd.report.pages.report_data import having, records, sentence
from wsd.storage.atomic import write_text
from wsd.storage.csv import read_csv
from wsd.studies.pairs import pair_tables as tables
from wsd.studies.pairs.pair_tables import COSINES, OUT_OF_FOLD, TABLE, Cosines, Pairs

LABELS = {"accuracy": "Pair accuracy", "auc": "AUC", "spearman": "Spearman", "pearson": "Pearson"}
# The largest number of listed pairs that every layer gets wrong.
MOST = 200
# Two ranks are far apart if they differ by at least this share of all pairs.
FAR = 0.5
WIDTH, HEIGHT = 760, 260
# Space for the labels of the axes.
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 34
BINS = 40
# The most pairs of a scatter plot, and the radius of a dot.
MOST_DOTS, DOT = 2000, 3
# The most intervals between the numbers of an axis.
ACROSS, UP = 8, 4


def page(
    pairs: Pairs,
    table: pd.DataFrame,
    cosines: Cosines,
    provenance: dict[str, Any],
    *,
    text: bool = True,
) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    pairs : Pairs
    table : DataFrame
        The result of :func:`wsd.studies.pairs.pairs.score`.
    cosines : Cosines
    provenance : dict
        The provenance of the cosines.
    text : bool
        Whether the page contains the sentences.
    """
    split = table["split"].iloc[-1]  # test or all pairs, or the last split with labels
    shown = having(table, split=split)
    (selected,) = records(shown[shown["chosen"]])
    name = (selected["transform"], selected["layers"])
    rows = pairs.labelled(split)
    gold, own = pairs.gold[rows], records(having(shown, transform=name[0]))
    values = [cosines[name[0], row["layers"]][rows] for row in own]
    if pairs.is_graded:
        listed, plot = _missed(values, gold), scatter(cosines[name][rows], gold)
    else:
        listed = _missed(values, gold, [row["threshold"] for row in own])
        plot = histogram(cosines[name][rows], gold == 1, selected["threshold"])
    others = records(table[table["chosen"] & (table["split"] != split)])
    return render_alone(
        "pairs/pairs.html",
        CURVES,
        about=pairs.about,
        model=provenance["model"],
        view=provenance["view"],
        split=split,
        selected=selected,
        selected_on="dev" if "dev" in set(table["split"]) else pairs.fitted_on,
        out_of_fold=next((row for row in others if row["split"] == OUT_OF_FOLD), None),
        rows=records(shown),
        graded=pairs.is_graded,
        metrics=pairs.metrics,
        fewest_words=FEWEST_WORDS,
        majority=float(max(gold.mean(), 1 - gold.mean())),
        by_words=selected["words"] >= FEWEST_WORDS,
        tested=bool(shown["p_largest_advantage"].notna().any()),
        others=[row for row in others if row["split"] != OUT_OF_FOLD],
        curve=curve(shown, selected, pairs.metrics[0]),
        labels=LABELS,
        plot=plot,
        n_listed=len(listed),
        layers=[row["layers"] for row in own],
        listed=[_shown(pairs, row, cosines[name][row], text) for row in rows[listed][:MOST]],
    )


def _missed(
    cosines: Sequence[np.ndarray], gold: np.ndarray, thresholds: Sequence[float] = ()
) -> np.ndarray:
    """Return the pairs that every layer choice gets wrong, the furthest from thresholds first.

    For ratings, these are pairs whose rank by rating is far from that by cosine in every layer
    choice: they differ by at least ``FAR`` of all pairs, always in the same direction.
    """
    if thresholds:
        apart = np.stack([own - limit for own, limit in zip(cosines, thresholds, strict=True)])
        missed = ((apart >= 0) != (gold == 1)).all(axis=0)
    else:
        ranks = rankdata([*cosines, gold], axis=1) / len(gold)
        apart = ranks[:-1] - ranks[-1]
        missed = (apart >= FAR).all(axis=0) | (apart <= -FAR).all(axis=0)
    order = np.argsort(-np.abs(apart[:, missed]).mean(axis=0), kind="stable")
    return np.flatnonzero(missed)[order]


def _shown(pairs: Pairs, row: int, cosine: float, text: bool) -> dict[str, Any]:
    """Return a pair's values on the page."""
    both = [sentence(pairs.sentences, i) for i in pairs.rows[row]] if text else []
    gold = float(pairs.gold[row])
    label = f"{gold:.3g}" if pairs.is_graded else ("different", "same")[int(gold)]
    return {
        "word": str(pairs.word[row]),
        "line": int(pairs.line[row]),
        "gold": label,
        "cosine": float(cosine),
        "extra": {key: values[row] for key, values in pairs.extra.items() if values[row]},
        "sentences": [(parts["left"], parts["focal"], parts["right"]) for parts in both],
    }


def curve(table: pd.DataFrame, selected: Mapping[str, Any], metric: str) -> dict[str, Any]:
    """Return the plot of a metric by layer choice, with a line per transformation.

    Parameters
    ----------
    table : DataFrame
        The rows of one split.
    selected : mapping
        The row of the selected configuration, which gets a ring.
    metric : str
        A column of the table.
    """
    table = table.rename(columns={f"{metric}{end}": f"value{end}" for end in ("", "_low", "_high")})
    lines = {
        transform_label(name): having(table, transform=name)
        for name in dict.fromkeys(table["transform"])
    }
    chosen = (transform_label(selected["transform"]), selected["layers"])
    scale = 100 if metric in tables.LABEL_METRICS else 1
    return plot_of_tables(lines, y=LABELS[metric], scale=scale, chosen=chosen)


def histogram(cosines: np.ndarray, same: np.ndarray, threshold: float) -> dict[str, Any]:
    """Return the histogram of the cosines of each kind of pair, with the threshold.

    Parameters
    ----------
    cosines : array of shape (n,)
    same : bool array of shape (n,)
    threshold : float
    """
    ends = np.linspace(min(cosines.min(), threshold), max(cosines.max(), threshold), BINS + 1)
    groups = {"same": cosines[same], "different": cosines[~same]}
    counts = {name: np.histogram(values, ends)[0] for name, values in groups.items()}
    most = max(int(heights.max()) for heights in counts.values())
    across, down, axes = _axes((ends[0], ends[-1]), (0, most))
    kinds = []
    for style, (name, heights) in enumerate(counts.items()):
        # Each bar from its left to its right end, between two points on the axis.
        corners = zip(ends.repeat(2), [0, *heights.repeat(2), 0], strict=True)
        points = " ".join(f"{across(x)},{down(y)}" for x, y in corners)
        text = f"{name}: none"
        if n := heights.sum():
            text = f"{name}: {n} pairs, median cosine {number(np.median(groups[name]), '.2f')}"
        look = {"name": name, "style": style, "dash": DASHES[style]}
        kinds.append({**look, "points": points, "text": text})
    return {**axes, "kinds": kinds, "threshold": (across(threshold), number(threshold, ".3f"))}


def scatter(cosines: np.ndarray, ratings: np.ndarray) -> dict[str, Any]:
    """Return the plot of ratings by cosine, with at most ``MOST_DOTS`` pairs, evenly chosen.

    Parameters
    ----------
    cosines, ratings : arrays of shape (n,)
    """
    shown = np.unique(np.linspace(0, len(cosines) - 1, MOST_DOTS).astype(int))
    x, y = ((values.min(), values.max()) for values in (cosines, ratings))
    across, down, axes = _axes(x, y, inset=DOT)
    dots = [(across(cosines[i]), down(ratings[i])) for i in shown]
    return {**axes, "dots": dots, "radius": DOT}


def _axes(
    x: tuple[float, float], y: tuple[float, float], inset: int = 0
) -> tuple[Callable[[float], float], Callable[[float], float], dict[str, Any]]:
    """Return the functions that place values in an SVG, and the sizes and labels of its axes."""

    def place(value: float, ends: tuple[float, float], first: float, last: float) -> float:
        share = (value - ends[0]) / ((ends[1] - ends[0]) or 1)
        return round(float(first + share * (last - first)), 1)

    across = partial(place, ends=x, first=LEFT + inset, last=WIDTH - RIGHT - inset)
    down = partial(place, ends=y, first=HEIGHT - BOTTOM - inset, last=TOP + inset)
    axes = {
        "size": (WIDTH, HEIGHT),
        # The left and right end of the field, and its bottom.
        "field": (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM),
        "x": [(across(value), text) for value, text in round_values(*x, ACROSS).items()],
        "y": [(down(value), text) for value, text in round_values(*y, UP).items()],
    }
    return across, down, axes


def round_values(low: float, high: float, most: int) -> dict[float, str]:
    """Return at most ``most`` + 1 round values between two numbers, with their texts.

    >>> round_values(-0.013, 0.49, 4)
    {0.0: '0.0', 0.2: '0.2', 0.4: '0.4'}
    >>> list(round_values(40, 95, 12).values())
    ['40', '45', '50', '55', '60', '65', '70', '75', '80', '85', '90', '95']
    """
    if not high > low:
        return {low: f"{low:.3g}"}
    power = floor(log10((high - low) / most))
    steps = ((factor * 10.0**n, n) for n in (power, power + 1) for factor in (1, 2, 5))
    step, n = next((step, n) for step, n in steps if (high - low) / step <= most)
    slack = 1e-9  # of a step, for rounding errors
    multiples = range(ceil(low / step - slack), floor(high / step + slack) + 1)
    return {i * step: number(i * step, f".{max(0, -n)}f") for i in multiples}


def reports(results: Path) -> Iterator[Listed]:
    """Yield every page of pairs below a folder of all results, for the list of all reports."""
    for path, listed in find_pages(results, "*/pairs.html"):
        result = main_result(path.with_name(TABLE))
        yield replace(listed, models=[path.parent.name], day=day(path), result=result)


def main_result(table: Path) -> Result | None:
    """Return the selected configuration's result: out of fold, or on the last labelled split."""
    with suppress(WsdError, LookupError):
        chosen = records(having(read_csv(table), chosen=True))
        row = next((row for row in chosen if row["split"] == OUT_OF_FOLD), chosen[-1])
        metric = "spearman" if "spearman" in row else "accuracy"
        score, low, high = (row[f"{metric}{bound}"] for bound in ("", "_low", "_high"))
        kind = "; Spearman" if metric == "spearman" else ""
        classifier = f"cosine, {transform_label(row['transform'])}{kind}"
        features = feature_set(row["view"], row["layers"])
        return Result(features, classifier, score, low, high, row["words"])
    return None


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_path(parser, "--pairs", "folder of pairs that `wsd import` wrote")
    add_path(parser, "--scores", f"folder of `wsd pairs`, with {TABLE} and {COSINES}")
    parser.add_argument("--no-text", action="store_true", help="leave the sentences out")
    add_out(parser, "the page", ".html")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    pairs = tables.read_pairs(args.pairs)
    cosines, provenance = tables.read_cosines(args.scores / COSINES, pairs)
    path: Path = args.scores / TABLE
    table = read_csv(path)
    if set(zip(table["transform"], table["layers"], strict=True)) != set(cosines):
        raise wrong_file("the table and the cosines have different layer choices", path)
    write_text(args.out, page(pairs, table, cosines, provenance, text=not args.no_text))
