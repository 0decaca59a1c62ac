"""Predict each word with the configuration that cross-validation selected for it."""

import argparse
from typing import Any

from wsd.arguments import add_embeddings, add_out, add_path
from wsd.artifacts import training_set as folding
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.feature_set import read_features, shared_provenance
from wsd.artifacts.predictions import PER_WORD, WordPredictions, write_predictions
from wsd.artifacts.training_set import FULL
from wsd.classification.fit_and_predict import estimator_for, predict_word, provenance_on
from wsd.errors import ResultError
from wsd.metrics.single_thread import one_thread
from wsd.storage.json import read_json
from wsd.storage.result_files import parsing


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_embeddings(parser)
    parser.add_argument("--model", required=True, help="its name in the selection")
    add_path(parser, "--selection", "of `wsd select`, .json")
    add_path(parser, "--folds", "of `wsd folds`")
    add_out(parser, "the predictions", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Fit each word with its selected configuration, predict, and write the predictions."""
    with parsing(args.selection):
        selection = read_json(args.selection)
        chosen = selection["chosen"].get(args.model, {}).get(FULL, {}).get("words", {})
    corpora = read_corpora(args.corpus, args.words)
    train = folding.read_folds_for(args.folds, corpora)
    sources: dict[str, Any] = {}
    predictions: list[WordPredictions] = []
    with one_thread():
        for word in train.words:
            if word not in chosen:
                fix = "run `wsd select` on the search files of this model and training set"
                raise ResultError(f"nothing was selected for {word!r}", fix=fix)
            row, corpus = chosen[word], corpora[word]
            features, vectors, sources[word] = read_features(
                args.embeddings, corpus, row["view"], row["layers"]
            )
            classifier = estimator_for(row["estimator"], features, row["parameters"])
            predictions += predict_word(corpus, vectors, classifier, train.rows(corpus))
    provenance = {
        **provenance_on(train),
        **dict.fromkeys(("view", "layers", "classifier", "estimator"), PER_WORD),
        "parameters": {},
        "space": {},
        "chosen": chosen,
        **shared_provenance(sources),
    }
    write_predictions(args.out, predictions, provenance)
