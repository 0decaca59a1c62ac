"""Write the page of a corpus of pairs: scores by layer, cosines, and errors of all layers.

The page is a single file. It needs only the tables of ``wsd pairs``.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.arguments import add_out, add_path
from wsd.errors import wrong_file
from wsd.metrics.graded import FEWEST_WORDS
from wsd.report.pages.render import CURVES, render_alone
from wsd.report.pages.report_data import having, records, sentence
from wsd.storage.atomic import write_text
from wsd.storage.csv import read_csv
from wsd.studies.pairs.cosines import (
    COSINES,
    LABEL_METRICS,
    RATING_METRICS,
    TABLE,
    Cosines,
    metrics_of,
    read_cosines,
)
from wsd.studies.pairs.pair_table import Pairs, read_pairs
from wsd.studies.pairs.plots import curve, histogram, scatter
from wsd.studies.pairs.score_pairs import OUT_OF_FOLD

LABELS = {"accuracy": "Pair accuracy", "auc": "AUC", "spearman": "Spearman", "pearson": "Pearson"}
# The largest number of listed pairs that every layer gets wrong.
MOST = 200
# Two ranks are far apart if they differ by at least this share of all pairs.
FAR = 0.5


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
    alike = {layers: values[rows] for (t, layers), values in cosines.items() if t == name[0]}
    if pairs.is_graded:
        listed, metric, scale = _far(alike, pairs.gold[rows]), RATING_METRICS[0], 1
        plot = scatter(cosines[name][rows], pairs.gold[rows])
    else:
        own = records(having(shown, transform=name[0]))
        thresholds = {row["layers"]: row["threshold"] for row in own}
        listed = _wrong(alike, thresholds, pairs.gold[rows] == 1)
        metric, scale = LABEL_METRICS[0], 100
        plot = histogram(cosines[name][rows], pairs.gold[rows] == 1, selected["threshold"])
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
        metrics=metrics_of(is_graded=pairs.is_graded),
        fewest_words=FEWEST_WORDS,
        majority=float(max(pairs.gold[rows].mean(), 1 - pairs.gold[rows].mean())),
        by_words=selected["words"] >= FEWEST_WORDS,
        tested=bool(shown["p_largest_advantage"].notna().any()),
        others=[row for row in others if row["split"] != OUT_OF_FOLD],
        curve=curve(shown, selected, metric, LABELS[metric], scale),
        labels=LABELS,
        plot=plot,
        n_listed=len(listed),
        layers=list(alike),
        listed=[_shown(pairs, row, cosines[name][row], text) for row in rows[listed][:MOST]],
    )


def _wrong(
    cosines: Mapping[str, np.ndarray], thresholds: Mapping[str, float], same: np.ndarray
) -> np.ndarray:
    """Return the pairs that every layer choice gets wrong, the furthest from thresholds first."""
    beyond = np.stack([values - thresholds[layers] for layers, values in cosines.items()])
    wrong = np.flatnonzero(((beyond >= 0) != same).all(axis=0))
    return wrong[np.argsort(-np.abs(beyond[:, wrong]).mean(axis=0), kind="stable")]


def _far(cosines: Mapping[str, np.ndarray], ratings: np.ndarray) -> np.ndarray:
    """Return the pairs whose rank by rating is far from that by cosine in every layer choice.

    Ranks are far apart if they differ by ``FAR`` of all pairs, always in the same direction.
    """
    from scipy.stats import rankdata

    ranks = rankdata([*cosines.values(), ratings], axis=1) / len(ratings)
    apart = ranks[:-1] - ranks[-1]
    is_far = (apart >= FAR).all(axis=0) | (apart <= -FAR).all(axis=0)
    return np.flatnonzero(is_far)[np.argsort(-np.abs(apart[:, is_far]).mean(axis=0), kind="stable")]


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


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_path(parser, "--pairs", "folder of pairs that `wsd import` wrote")
    add_path(parser, "--scores", f"folder of `wsd pairs`, with {TABLE} and {COSINES}")
    parser.add_argument("--no-text", action="store_true", help="leave the sentences out")
    add_out(parser, "the page", ".html")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    pairs = read_pairs(args.pairs)
    cosines, provenance = read_cosines(args.scores / COSINES, pairs)
    path: Path = args.scores / TABLE
    table = read_csv(path)
    if set(zip(table["transform"], table["layers"], strict=True)) != set(cosines):
        raise wrong_file("the table and the cosines have different layer choices", path)
    write_text(args.out, page(pairs, table, cosines, provenance, text=not args.no_text))
