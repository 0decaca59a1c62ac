"""Write the page of a corpus of pairs: accuracy by layer, cosines, and errors of all layers.

The page is a single file without scripts. It needs only the tables of ``wsd pairs``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.arguments import add_out, add_path
from wsd.errors import wrong_file
from wsd.metrics.graded import FEWEST_WORDS
from wsd.report.pages.model_notes import detectable
from wsd.report.pages.render import render_alone
from wsd.report.pages.report_data import having, records, sentence
from wsd.storage.atomic import write_text
from wsd.storage.csv import Columns, read_csv
from wsd.studies.pairs.cosines import COSINES, NAMES, NUMBERS, TABLE, Cosines, read_cosines
from wsd.studies.pairs.pair_table import DIFFERENT, SAME, Pairs, read_pairs
from wsd.studies.pairs.plots import curve, histogram

# The largest number of listed pairs that every layer gets wrong.
MOST = 200
COLUMNS = Columns(NAMES, NUMBERS, ("chosen",))


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
    split = table["split"].iloc[-1]  # test, or the last split with labels
    shown = having(table, split=split)
    (selected,) = records(shown[shown["chosen"]])
    name = (selected["transform"], selected["layers"])
    rows = pairs.labelled(split)
    thresholds = {(row["transform"], row["layers"]): row["threshold"] for row in records(shown)}
    alike = [other for other in cosines if other[0] == selected["transform"]]
    beyond = np.stack([cosines[other][rows] - thresholds[other] for other in alike])
    is_wrong = ((beyond >= 0) != (pairs.same[rows] == SAME)).all(axis=0)
    worst_first = np.argsort(-np.abs(beyond[:, is_wrong]).mean(axis=0), kind="stable")
    wrong = rows[is_wrong][worst_first]
    return render_alone(
        "pairs/pairs.html",
        about=pairs.about,
        model=provenance["model"],
        view=provenance["view"],
        split=split,
        selected=selected,
        selected_on="dev" if "dev" in set(table["split"]) else "train",
        rows=records(shown),
        fewest_words=FEWEST_WORDS,
        by_words=selected["words"] >= FEWEST_WORDS,
        detected=detectable(shown),
        others=records(table[table["chosen"] & (table["split"] != split)]),
        curve=curve(shown, selected),
        histogram=histogram(cosines[name][rows], pairs.same[rows] == SAME, selected["threshold"]),
        n_wrong=len(wrong),
        layers=[layers for _, layers in alike],
        wrong=[_shown(pairs, row, cosines[name][row], text) for row in wrong[:MOST]],
    )


def _shown(pairs: Pairs, row: int, cosine: float, text: bool) -> dict[str, Any]:
    """Return a pair's values on the page."""
    both = [sentence(pairs.sentences, i) for i in pairs.rows[row]] if text else []
    return {
        "word": str(pairs.word[row]),
        "line": int(pairs.line[row]),
        "gold": {SAME: "same", DIFFERENT: "different"}[int(pairs.same[row])],
        "cosine": float(cosine),
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
    table = read_csv(path, COLUMNS)
    if set(zip(table["transform"], table["layers"], strict=True)) != set(cosines):
        raise wrong_file("the table and the cosines have different layer choices", path)
    write_text(args.out, page(pairs, table, cosines, provenance, text=not args.no_text))
