"""Predictions to scores: per word, and over all words.

Per word: accuracy; macro-F1 over the senses that occur in the test set's gold or predicted
labels; balanced accuracy, the mean recall of the senses that occur in gold. Over words: the
accuracy over all instances (micro), and the means of the per-word figures. All are fractions.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from wsd import layers, predictions
from wsd.errors import ResultError
from wsd.files import write_json, write_text
from wsd.predictions import WordPredictions

KEYS = ["model", "train", "view", "layers", "classifier"]
FIGURES = ["accuracy", "macro_f1", "balanced_accuracy"]
SCORES = [*KEYS, "word", "n_senses", "n_train", "n_test", *FIGURES]
MEANS = ["micro_accuracy", "mean_word_accuracy", "mean_macro_f1", "mean_balanced_accuracy"]
SUMMARY = [*KEYS, *MEANS]


def score_word(words: WordPredictions) -> dict[str, Any]:
    """The figures of one word.

    Returns
    -------
    dict with n_senses, n_train, n_test, accuracy, macro_f1 and balanced_accuracy
    """
    from sklearn.metrics import accuracy_score, f1_score, recall_score

    gold, predicted = words.gold, words.predicted
    occurring = sorted(set(gold.tolist()) | set(predicted.tolist()))
    return {
        "n_senses": len(words.senses),
        "n_train": words.n_train,
        "n_test": len(gold),
        "accuracy": accuracy_score(gold, predicted),
        "macro_f1": f1_score(gold, predicted, labels=occurring, average="macro", zero_division=0.0),
        "balanced_accuracy": recall_score(
            gold, predicted, labels=sorted(set(gold.tolist())), average="macro"
        ),
    }


def summarise(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per model, training set, view, layer choice and classifier, over all words.

    Parameters
    ----------
    scores : DataFrame with the columns of ``SCORES``
    """
    correct = scores.assign(correct=scores["accuracy"] * scores["n_test"])
    groups = correct.groupby(KEYS, sort=False, observed=True)
    summary = pd.DataFrame(
        {
            "micro_accuracy": groups["correct"].sum() / groups["n_test"].sum(),
            "mean_word_accuracy": groups["accuracy"].mean(),
            "mean_macro_f1": groups["macro_f1"].mean(),
            "mean_balanced_accuracy": groups["balanced_accuracy"].mean(),
        }
    )
    return summary.reset_index()[SUMMARY]


def evaluate(
    files: Sequence[Path],
    *,
    dataset: str,
    config: Mapping[str, Any],
    command: str,
    scores: Path,
    summary: Path,
    out: Path,
) -> None:
    """Score prediction files and write the two tables and their provenance.

    Rows are ordered by model, training set, view, layer choice (single layers first) and
    classifier, whatever the order of ``files``.

    Parameters
    ----------
    files : sequence of Path
        Written by :func:`wsd.predictions.classify`.
    dataset, config, command
        For the provenance: the corpus, the config that asked for these tables, and what a user
        types to get them again.
    scores, summary, out : Path
        The two CSV tables and the JSON file of provenance.
    """
    rows, sources = [], []
    for path in files:
        words, source = predictions.read(path)
        sources.append(source)
        key = _key(source)
        rows += [{**key, "word": word.word, **score_word(word)} for word in words]
    run = {"dataset": dataset, "config": dict(config), "command": command}
    provenance = {**run, **_provenance(sources)}
    order = provenance["layers"]

    def place(row: dict[str, Any]) -> tuple[Any, ...]:
        model, train, view, layers_, *rest = (row[key] for key in [*KEYS, "word"])
        return (model, train, view, order[model].index(layers_), *rest)

    rows.sort(key=place)
    table = pd.DataFrame(rows, columns=SCORES)
    twice = table.duplicated([*KEYS, "word"])
    if twice.any():
        raise ResultError(f"two files hold the row {table[twice].iloc[0].to_dict()}")
    write_text(scores, table.to_csv(index=False, float_format="%.6f"))
    write_text(summary, summarise(table).to_csv(index=False, float_format="%.6f"))
    write_json(out, provenance)


def _key(provenance: Mapping[str, Any]) -> dict[str, str]:
    return {
        "model": provenance["encoder"]["model"]["name"],
        **{key: provenance[key] for key in KEYS[1:]},
    }


def _layers(sources: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Per model, the layer choices in their fixed order."""
    found: dict[str, set[str]] = {}
    blocks: dict[str, int] = {}
    for source in sources:
        model = source["encoder"]["model"]
        blocks[model["name"]] = model["blocks"]
        found.setdefault(model["name"], set()).add(source["layers"])
    return {
        name: [choice.name for choice in layers.expand(found[name], blocks[name])]
        for name in sorted(found)
    }


def _provenance(sources: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all rows were made from; refuses rows that do not belong together."""
    merged: dict[str, dict[str, Any]] = {"corpus": {}, "models": {}, "classifiers": {}}
    for source in sources:
        parts = {
            "corpus": source["corpus"],
            "models": {source["encoder"]["model"]["name"]: source["encoder"]},
            "classifiers": {
                source["classifier"]: {key: source[key] for key in ("estimator", "parameters")}
            },
        }
        for part, entries in parts.items():
            for name, value in entries.items():
                if merged[part].setdefault(name, value) != value:
                    raise ResultError(
                        f"the predictions were made with different {part} called {name!r}",
                        fix="delete the predictions and run again",
                    )
    return {
        **merged,
        "layers": _layers(sources),
        "trains": sorted({source["train"] for source in sources}),
        "views": sorted({source["view"] for source in sources}),
        "versions": {
            package: ", ".join(sorted({source["versions"][package] for source in sources}))
            for package in sorted(sources[0]["versions"])
        },
    }
