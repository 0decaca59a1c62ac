"""Predict each word with the configuration that its own folds chose."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from wsd.arguments import add_embeddings, add_out, add_path
from wsd.artifacts import folds as folding
from wsd.artifacts.corpus import Corpus, read_corpora
from wsd.artifacts.features import read_features, shared_provenance
from wsd.artifacts.predictions import PER_WORD, WordPredictions, write_predictions
from wsd.classification.fit_word import estimator_for, predict_word, provenance_on
from wsd.errors import ResultError
from wsd.storage.expecting import expecting
from wsd.storage.json import read_json


def classify_selected(
    corpora: Mapping[str, Corpus],
    embeddings: Path,
    *,
    chosen: Mapping[str, Mapping[str, Any]],
    folds: Path,
    out: Path,
) -> None:
    """Fit and predict each word with the configuration that its own folds chose.

    Parameters
    ----------
    corpora, embeddings
        As in :func:`classify`.
    chosen : mapping of word to the view, layers, estimator and parameters selected for it
    folds : Path
        The training set.
    out : Path
    """
    train = folding.of_words(folds, corpora)
    sources: dict[str, Any] = {}
    made: list[WordPredictions] = []
    with threadpool_limits(1):
        for word in (word for word in corpora if word in train.words):
            if word not in chosen:
                raise ResultError(
                    f"nothing was selected for {word!r}",
                    fix="run `wsd select` on the search files of this model and training set",
                )
            row, corpus = chosen[word], corpora[word]
            found, vectors, sources[word] = read_features(
                embeddings, corpus, row["view"], row["layers"]
            )
            classifier = estimator_for(row["estimator"], row["parameters"], found)
            made += predict_word(corpus, vectors, classifier, train.rows(corpus))
    provenance = {
        **provenance_on(train),
        **dict.fromkeys(("view", "layers", "classifier", "estimator"), PER_WORD),
        "parameters": {},
        "space": {},
        "chosen": {word: dict(row) for word, row in chosen.items()},
        **shared_provenance(sources, out),
    }
    write_predictions(out, made, provenance)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_embeddings(parser)
    parser.add_argument("--model", required=True, help="its name in the selection")
    add_path(parser, "--selection", "of `wsd select`, .json")
    add_path(parser, "--folds", "of `wsd folds`")
    add_out(parser, "the predictions, .parquet")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    with expecting(args.selection):
        chosen = read_json(args.selection)["chosen"].get(args.model, {}).get("full", {})
    classify_selected(
        read_corpora(args.corpus, args.words),
        args.embeddings,
        chosen=chosen.get("words", {}),
        folds=args.folds,
        out=args.out,
    )
