"""Score predictions, per word and over all words.

The scores of a word are its accuracy (word accuracy on pages); macro-F1 over the senses that occur
in the gold or predicted labels of the test set; and balanced accuracy, the mean recall of the gold
senses. The scores over words are micro accuracy, over all instances, and the means of the per-word
scores. All are fractions.

Out-of-domain test instances have no macro-F1: most words have one sense there, so it would depend
on which other senses happen to be predicted.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.arguments import add_files, add_optional_files, add_path, json_object, writes
from wsd.artifacts import predictions
from wsd.artifacts.column_names import FINETUNED, KEY_COLUMNS, SCORES_COLUMNS, SUMMARY_COLUMNS
from wsd.artifacts.feature_set import ordered_features
from wsd.artifacts.predictions import PER_WORD, TEST, WordPredictions
from wsd.artifacts.training_set import setting
from wsd.errors import ResultError
from wsd.metrics.scores import MEAN_SCORES, WORD_SCORES, confusion, word_scores
from wsd.storage.csv import write_csv
from wsd.storage.json import write_json
from wsd.storage.result_files import parsing, require


def score_word(words: WordPredictions) -> dict[str, Any]:
    """Score one word.

    Returns
    -------
    dict with n_senses, n_train, n_test, accuracy, macro_f1 and balanced_accuracy
    """
    scores = word_scores(confusion(words.gold, words.predicted, len(words.senses)))
    if words.split != TEST:
        scores["macro_f1"] = np.asarray(np.nan)
    return {
        "n_senses": len(words.senses),
        "n_train": words.n_train,
        "n_test": len(words.gold),
        **{name: float(value) for name, value in scores.items()},
    }


def summarise(scores: pd.DataFrame) -> pd.DataFrame:
    """Return a row per model, training set and draw, test set, view, layer choice and classifier.

    Parameters
    ----------
    scores : DataFrame with the columns of ``SCORES_COLUMNS``
    """
    correct = scores.assign(correct=scores["accuracy"] * scores["n_test"])
    groups = correct.groupby(KEY_COLUMNS, sort=False, observed=True)
    summary = groups[list(WORD_SCORES)].mean().set_axis(MEAN_SCORES[1:], axis=1)
    summary["micro_accuracy"] = groups["correct"].sum() / groups["n_test"].sum()
    return summary.reset_index()[SUMMARY_COLUMNS]


def _key(provenance: Mapping[str, Any]) -> dict[str, str]:
    train, draw = setting(provenance["train"])
    return {
        "model": provenance["encoder"]["model"]["name"],
        "train": train,
        "draw": "" if draw is None else str(draw),
        **{key: provenance[key] for key in ("view", "layers", "classifier")},
    }


def _feature_sets(sources: Sequence[Mapping[str, Any]]) -> dict[str, list[tuple[str, str]]]:
    """Return the view and layer choice of each model's rows, in order.

    Rows without one layer choice come last: a choice per word, and fine-tuned encoders.
    """
    blocks: dict[str, int] = {}
    by_model: dict[str, set[tuple[str, str]]] = {}
    for source in sources:
        model = source["encoder"]["model"]
        blocks[model["name"]] = model["blocks"]
        by_model.setdefault(model["name"], set()).add((source["view"], source["layers"]))
    ordered = {}
    for name, pairs in sorted(by_model.items()):
        choices = [names for names in sorted(pairs) if not {PER_WORD, FINETUNED} & {*names}]
        ordered[name] = [*ordered_features(choices, blocks[name]), *sorted(pairs - {*choices})]
    return ordered


def _merged(sources: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Merge the corpora, folds, models and classifiers of the provenances, by name."""
    corpus: dict[str, Any] = {}
    folds, models, classifiers = {}, {}, {}
    for source in sources:
        corpus |= source["corpus"]
        classifiers[source["classifier"]] = {k: source.get(k) for k in ("estimator", "space")}
        if "folds" in source:  # a row without tuning has none
            folds[source["train"]] = source["folds"]
        if source["layers"] != FINETUNED:  # the rows of a fine-tuned encoder use no vectors
            models[source["encoder"]["model"]["name"]] = source["encoder"]
    return {"corpus": corpus, "folds": folds, "models": models, "classifiers": classifiers}


def _read(
    paths: Sequence[Path], *, of_systems: bool
) -> tuple[list[dict[str, Any]], list[tuple[str, dict[str, Any]]]]:
    """Return the rows of prediction files, and the model and provenance of each file."""
    rows: list[dict[str, Any]] = []
    sources: list[tuple[str, dict[str, Any]]] = []
    for path in paths:
        words, source = predictions.read_predictions(path)
        with parsing(path, "not predictions of this kind"):
            key = _key(source)
            if of_systems:
                source = source["encoder"]["published"]
            else:
                require(source.get("task", "sense") == "sense", "of the control task")
        sources.append((key["model"], source))
        rows += [
            {**key, "test": word.split, "word": word.word, **score_word(word)} for word in words
        ]
    return rows, sources


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_files(parser, "--predictions")
    add_optional_files(parser, "--systems", "of `wsd score`")
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--config", default="{}", metavar="JSON", help="for the provenance")
    parser.add_argument("--reproduce", default="", metavar="COMMAND", help="for the provenance")
    add_path(parser, "--scores", "table per word, .csv")
    add_path(parser, "--summary", "table over words, .csv")
    add_path(parser, "--provenance", "the provenance of both tables, .json")
    writes(parser, "scores", "summary", "provenance")


def run(args: argparse.Namespace) -> None:
    """Score prediction files and write the two tables and their provenance.

    Rows are ordered by model, training set, test set, layer choice (single layers first), view
    and classifier, whatever the order of the files; the rows of other systems come last.
    """
    config = json_object(args.config, "--config")
    rows, by_model = _read(args.predictions, of_systems=False)
    rows_of_systems, published = _read(args.systems, of_systems=True)
    sources, systems = [source for _, source in by_model], dict(published)
    feature_sets = _feature_sets(sources)
    provenance = {
        "dataset": args.dataset,
        "config": config,
        "command": args.reproduce,
        "systems": systems,
        **_merged(sources),
        "layers": {name: [layers for _, layers in pairs] for name, pairs in feature_sets.items()},
        "trains": sorted({source["train"] for source in sources}),
        "views": sorted({source["view"] for source in sources}),
        "versions": {
            package: ", ".join(sorted({source["versions"][package] for source in sources}))
            for package in sorted(sources[0]["versions"])
        },
    }
    if same := sorted(systems.keys() & feature_sets.keys()):
        fix = "give the system another name with `wsd score --name`, or leave one of them out"
        raise ResultError(f"a system and a model have the same name {same[0]!r}", fix=fix)

    def place(row: dict[str, Any]) -> tuple[Any, ...]:
        model, names = row["model"], (row["view"], row["layers"])
        order = 0 if model in systems else feature_sets[model].index(names)
        train = (row["train"], row["draw"], row["test"] != TEST)
        return (model in systems, model, *train, order, row["classifier"], row["word"])

    rows = sorted([*rows, *rows_of_systems], key=place)
    table = pd.DataFrame(rows, columns=SCORES_COLUMNS)
    twice = table.duplicated([*KEY_COLUMNS, "word"])
    if twice.any():
        named = ", ".join(filter(None, table[twice].iloc[0][[*KEY_COLUMNS, "word"]]))
        fix = "name each file once"
        raise ResultError(f"two files hold {named}", where="--predictions, --systems", fix=fix)
    write_csv(args.scores, table)
    write_csv(args.summary, summarise(table))
    write_json(args.provenance, provenance)
