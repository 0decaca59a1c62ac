"""Compare the selected configurations with everything else, with intervals and tests.

All tables are about the full training set and the test split; scores are fractions. The reference
of a model is the configuration that cross-validation selected for all words. It is compared, on the
same instances, with the configurations selected per word, the best one on the test set, the
references of other models, baselines, controls, and the predictions of other systems.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

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
from wsd.evaluation import comparison_tables
from wsd.evaluation.comparison_rows import (
    CONTROL_TASK,
    CONTROLS,
    ModelComparison,
    assemble,
    read_rows,
)
from wsd.evaluation.comparison_tables import SELECTIVITY_COLUMNS, Line, selectivity
from wsd.evaluation.latex_table import latex, markdown
from wsd.evaluation.most_similar_sentences import near_duplicate_groups, without_duplicates
from wsd.storage.atomic import write_text
from wsd.storage.csv import read_csv, write_csv
from wsd.storage.json import read_json
from wsd.storage.result_files import parsing

# By option: the kind of the rows, and which predictions the files hold.
FILES = {
    "candidates": (column_names.CANDIDATE, "every configuration that could be selected"),
    "per_word": (column_names.SELECTED_PER_WORD, "with the configuration selected for each word"),
    "baselines": (column_names.BASELINE, "no encoder"),
    "finetuned": (column_names.FINE_TUNED, "of a fine-tuned encoder, one per seed"),
    "views": (column_names.CONTROL_VIEW, "control views"),
    "random_controls": (column_names.RANDOM_CONTROL, "encoders with random weights"),
    "finetuned_layers": (column_names.FINE_TUNED_LAYER, "single layers of a fine-tuned encoder"),
    "zero_shot": (column_names.ZERO_SHOT, "from glosses, without a label"),
    "control": (CONTROL_TASK, "the control task"),
    "published": (column_names.PUBLISHED, "of `wsd score`, published systems"),
    "systems": (column_names.SYSTEM, "of `wsd score`"),
}
# The columns of the tables that may be empty.
COLUMNS = {
    "rare-senses": comparison_tables.RARE_SENSE_COLUMNS,
    "controls": comparison_tables.SCORE_COLUMNS,
    "selectivity": SELECTIVITY_COLUMNS,
    "learning": comparison_tables.LEARNING_COLUMNS,
}
# The columns to read from selection.csv and from scores.csv.
LISTED = ["train", "scope", *column_names.NAMES[1:], "objective"]
SCORED = ["train", "draw", "test", *column_names.NAMES[1:], "word", "n_train", "macro_f1"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_corpora(parser)
    for name, (_, text) in FILES.items():
        add_optional_files(parser, f"--{name.replace('_', '-')}", f"predictions: {text}")
    add_path(parser, "--selection", "of `wsd select`, .json")
    add_path(parser, "--selection-table", "the same, .csv")
    add_path(parser, "--scores", "of `wsd evaluate`")
    add_seed(parser)
    add_path(parser, "--table", "the comparison, .csv")
    writes(parser, "table")
    add_out_folder(parser, "folder for the tables behind the comparison")


def run(args: argparse.Namespace) -> None:
    """Write the comparison, and the tables behind it in a folder."""
    corpora = read_corpora(args.corpus, args.words)
    with parsing(args.selection):
        selection = read_json(args.selection)
        objective, chosen = selection["objective"], selection["chosen"]
    with parsing(args.selection_table):
        cv_scores = read_csv(args.selection_table)[LISTED]
    rows = {name: read_rows(vars(args)[name], kind, corpora) for name, (kind, _) in FILES.items()}
    every = [row for rows_of_kind in rows.values() for row in rows_of_kind]
    comparisons = assemble(every, chosen, objective, cv_scores)
    unlike, clusters = without_duplicates(corpora), near_duplicate_groups(corpora)
    tables: dict[str, list[Line]] = {}
    for comparison in comparisons:
        for name, lines in _tables(comparison, objective, unlike, clusters, args.seed).items():
            tables.setdefault(name, []).extend(lines)
    controls = [row for row in every if row.kind in CONTROLS]
    task = [*rows["candidates"], *controls]
    others = {row.configuration for row in (*rows["published"], *rows["systems"])}
    tables |= {
        "controls": comparison_tables.with_intervals(controls, unlike, {}, args.seed),
        "selectivity": selectivity(task, rows["control"], args.seed),
        "learning": comparison_tables.learning(_scores_of_models(args.scores, others)),
    }
    scores, differences = tables.pop("comparison"), tables["differences"]
    write_csv(args.table, pd.DataFrame(scores))
    for name, lines in tables.items():
        write_csv(args.out / f"{name}.csv", pd.DataFrame(lines, columns=COLUMNS.get(name)))
    has_documents = any(corpus.document is not None for corpus in corpora.values())
    sampled = "documents" if has_documents else "sentences"
    write_text(args.out / "comparison.md", markdown(scores, differences, objective, sampled))
    write_text(args.out / "comparison.tex", latex(scores, differences, objective, sampled))


def _tables(
    comparison: ModelComparison,
    objective: str,
    unlike: Mapping[str, np.ndarray],
    clusters: Mapping[str, np.ndarray],
    seed: int,
) -> dict[str, list[Line]]:
    """Return the lines that one model adds to each table, by the table's name."""
    shown = [comparison.reference, *comparison.others]
    every = [*shown, *comparison.candidates]
    # Baselines and other systems have a line for each model.
    model = {"reference_model": comparison.reference.model}
    scores = comparison_tables.with_intervals(every, unlike, comparison.objective, seed)
    return {
        "comparison": [line | model for line in scores],
        "words": [line | model for line in comparison_tables.word_rows(shown, seed, unlike)],
        "rare-senses": [line | model for line in comparison_tables.rare_senses(shown)],
        "differences": comparison_tables.differences(comparison, clusters, seed),
        "best-set": comparison_tables.best_set(comparison, objective, seed),
    }


def _scores_of_models(path: Path, others: set[tuple[str, ...]]) -> pd.DataFrame:
    """Read scores.csv without other systems, whose training sets are unknown."""
    with parsing(path):
        table = read_csv(path)[SCORED]
    # Compare all names: a model may have the name of a system.
    names = table[list(column_names.NAMES[1:])].itertuples(index=False, name=None)
    return table[[configuration not in others for configuration in names]]
