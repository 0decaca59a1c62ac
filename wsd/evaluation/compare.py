"""Which configuration is how good, how sure that is, and what it is better than.

Everything is about the full training set and the test split. The reference of a model is the one
configuration that its folds selected for all words. It is compared, on the same instances, with
what was selected per word, what turned out best on the test set, the other models' references, the
baselines and controls, and the outputs that others published. All tables hold fractions.
"""

import argparse
import itertools

import numpy as np
import pandas as pd

from wsd.arguments import (
    add_corpora,
    add_optional_files,
    add_out_folder,
    add_path,
    add_seed,
    writes,
)
from wsd.artifacts import column_names
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.fold_table import describe_settings
from wsd.artifacts.predictions import TEST
from wsd.errors import wrong_file
from wsd.evaluation import comparison_tables
from wsd.evaluation.comparison_rows import CONTROL_TASK, read_rows
from wsd.evaluation.comparison_tables import Line
from wsd.evaluation.model_comparison import assemble
from wsd.evaluation.near_duplicates import without_duplicates
from wsd.evaluation.paper_table import latex, markdown
from wsd.metrics.near_duplicates import components
from wsd.storage.atomic import write_text
from wsd.storage.csv import read_csv, write_csv
from wsd.storage.json import read_json
from wsd.storage.result_files import parsing

# What `compare` is given: the kind of the rows, and what the files are predictions of.
FILES = {
    "candidates": (column_names.CANDIDATE, "every configuration that could be selected"),
    "per_word": (column_names.SELECTED_PER_WORD, "each word as its own folds choose"),
    "baselines": (column_names.BASELINE, "no encoder"),
    "views": (column_names.CONTROL_VIEW, "control views"),
    "random_controls": (column_names.RANDOM_CONTROL, "encoders with random weights"),
    "zero_shot": (column_names.ZERO_SHOT, "from glosses, without a label"),
    "finetuned": (column_names.FINE_TUNED, "of an encoder that was trained further, one per seed"),
    "finetuned_layers": (column_names.FINE_TUNED_LAYER, "the single layers of such an encoder"),
    "control": (CONTROL_TASK, "the control task"),
    "published": (column_names.PUBLISHED, "of `wsd published`"),
    "systems": (column_names.SYSTEM, "of `wsd score`"),
}
# What is read of selection.csv and of scores.csv.
LISTED = ["train", "scope", *column_names.NAMES[1:], "objective"]
SCORED = ["train", "draw", "test", *column_names.NAMES[1:], "word", "n_train", "macro_f1"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_corpora(parser)
    for kind, (_, text) in FILES.items():
        add_optional_files(parser, f"--{kind.replace('_', '-')}", f"predictions: {text}")
    add_path(parser, "--selection", "of `wsd select`, .json")
    add_path(parser, "--selection-table", "the same, .csv")
    add_path(parser, "--scores", "of `wsd evaluate`")
    add_seed(parser)
    add_path(parser, "--table", "the comparison, .csv")
    writes(parser, "table")
    add_out_folder(parser, "folder for what stands behind it")


def run(args: argparse.Namespace) -> None:
    """Write the comparison and, in a folder, everything that stands behind it."""
    corpora = read_corpora(args.corpus, args.words)
    with parsing(args.selection):
        chosen = read_json(args.selection)
        objective, folds, chosen = chosen["objective"], chosen["folds"], chosen["chosen"]
    rows = {name: read_rows(vars(args)[name], kind, corpora) for name, (kind, _) in FILES.items()}
    for row in itertools.chain(*rows.values()):
        # What was not tuned has no folds.
        drawn, train = row.source.get("folds"), row.source.get("train")
        if drawn and folds.get(train, drawn) != drawn:
            what = f"predictions of another run: {row.kind}, {describe_settings(drawn)}"
            raise wrong_file(
                f"{what}; the selection has {describe_settings(folds[train])}", args.selection
            )
    own = rows["candidates"]
    controls = [
        *rows["views"],
        *rows["random_controls"],
        *rows["finetuned_layers"],
        *rows["zero_shot"],
    ]
    elsewhere = [*rows["published"], *rows["systems"]]
    with parsing(args.selection_table):
        listed = read_csv(args.selection_table)[LISTED]
    found = assemble(
        candidates=own,
        per_word=rows["per_word"],
        others=[*rows["baselines"], *rows["finetuned"], *controls, *elsewhere],
        chosen=chosen,
        objective=objective,
        table=listed,
    )
    unlike = without_duplicates(corpora)
    clusters = {
        word: components([corpus.tokens[i] for i in np.flatnonzero(corpus.split == TEST)])
        for word, corpus in corpora.items()
    }
    # What a system learned from is not known here.
    with parsing(args.scores):
        score_table = read_csv(args.scores)[SCORED]
    score_table["draw"] = score_table["draw"].astype(object).fillna("")
    # By all its names: a model may be called like a system.
    foreign = {row.configuration for row in elsewhere}
    names = score_table[list(column_names.NAMES[1:])].itertuples(index=False, name=None)
    score_table = score_table[[of not in foreign for of in names]]
    sets = score_table.groupby("train")["word"].agg(set)
    common = sorted(set.intersection(*sets)) if len(sets) else []
    scores: list[Line] = []
    behind: dict[str, list[Line]] = {
        **{name: [] for name in ("words", "rare-senses", "differences", "best-set", "errors")},
        "controls": comparison_tables.with_intervals(controls, unlike, {}, args.seed),
        "selectivity": comparison_tables.selectivity([*own, *controls], rows["control"]),
        "learning": comparison_tables.learning(score_table, common),
    }
    for systems in found:
        shown = [systems.reference, *systems.others]
        # Baselines and published rows stand once beside each model's selected row.
        beside = {"reference_model": systems.reference.model}
        every = [*shown, *systems.candidates]
        of_model = comparison_tables.with_intervals(every, unlike, systems.objective, args.seed)
        scores += [{**line, **beside} for line in of_model]
        behind["words"] += [
            {**line, **beside} for line in comparison_tables.word_rows(shown, args.seed)
        ]
        behind["rare-senses"] += [
            {**line, **beside} for line in comparison_tables.rare_senses(shown)
        ]
        behind["differences"] += comparison_tables.differences(systems, clusters, args.seed)
        behind["best-set"] += comparison_tables.best_set(systems, objective, args.seed)
        behind["errors"] += [{**beside, **line} for line in comparison_tables.errors(systems)]
    write_csv(args.table, pd.DataFrame(scores))
    for name, lines in behind.items():
        write_csv(args.out / f"{name}.csv", pd.DataFrame(lines))
    write_text(args.out / "comparison.md", markdown(scores, behind["differences"], objective))
    write_text(args.out / "comparison.tex", latex(scores, behind["differences"], objective))
