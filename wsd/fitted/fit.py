"""Fit every word of a configuration, and write the words with a card as one `.wsd` file."""

import argparse
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from wsd.arguments import add_configuration, add_out, add_results
from wsd.artifacts.column_names import TOGETHER
from wsd.artifacts.dataset import ABOUT
from wsd.artifacts.predictions import TEST
from wsd.artifacts.run_json import bare
from wsd.artifacts.training_set import FULL
from wsd.fitted.model_card import card
from wsd.fitted.selected_results import Results
from wsd.fitted.train_selected import Fitting
from wsd.fitted.wsd_file import WsdFileWriter
from wsd.logs import log
from wsd.metrics.scores import WORD_SCORES
from wsd.storage.atomic import check_target, replacing
from wsd.storage.csv import read_csv

PACKAGES = ("numpy", "safetensors", "scikit-learn", "scipy", "tokenizers", "torch", "transformers")


def _with_absolute_path(encoder: dict[str, Any]) -> dict[str, Any]:
    """Return the encoder with an absolute path, valid from any working directory."""
    model = encoder["model"]
    source = dict(model["source"])
    if "path" in source:
        source["path"] = str(Path(source["path"]).expanduser().resolve())
    return {**encoder, "model": {**model, "source": source}}


def _dataset_facts(results: Results) -> dict[str, str]:
    """Return the facts about the corpus that a card has; empty where they are unknown."""
    known, name = results.dataset, results.map.folder.name
    facts = {key: getattr(known, key, "") for key in ABOUT}
    return {**facts, "name": getattr(known, "name", name), "title": facts["title"] or name}


def _measured(fitting: Fitting) -> dict[str, Any]:
    """Return the results of earlier steps for a configuration; a missing table is empty."""
    files, configuration = fitting.results.map, vars(fitting.configuration)

    def rows(name: str, **equal: Any) -> pd.DataFrame:
        if not files.has(name):
            return pd.DataFrame()
        table = read_csv(files.file(name))
        for column, value in {**configuration, **equal}.items():
            table = table[table[column] == value]
        return table

    scores = rows("scores.csv", train=FULL, test=TEST)
    intervals = rows("comparison/words.csv")
    if len(intervals):
        bounds = [f"{score}_{end}" for score in WORD_SCORES for end in ("low", "high")]
        # The selected configuration has a second row if it is also the best on the test set.
        intervals = intervals.drop_duplicates("word")
        scores = scores.merge(intervals[["word", *bounds]], on="word")
    tables = {
        "scores": scores,
        "overall": rows("comparison.csv").head(1),
        "calibration": rows(f"{configuration['model']}/calibration.csv", word=TOGETHER),
        "ood": rows(f"{configuration['model']}/ood.csv", word=TOGETHER),
    }
    return {name: table.to_dict("records") for name, table in tables.items()}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser)
    add_configuration(parser)
    text = "include the training sentences; the licence of the corpus limits who may get the file"
    parser.add_argument("--with-sentences", action="store_true", help=text)
    add_out(parser, "the model file", ".wsd")


def run(args: argparse.Namespace) -> None:
    """Fit every word of a configuration and write the model file."""
    check_target(args.out)
    results = Results(args.results, args.of_run)
    fitting = Fitting(results, results.choose(args.model, args.view, args.layers, args.classifier))
    with replacing(args.out) as temporary:
        writer = WsdFileWriter(temporary)
        for done, word in enumerate(fitting.words, start=1):
            writer.put(fitting.word(word))
            log.info("fit: %s, %d of %d words", word, done, len(fitting.words))
        manifest = {
            "configuration": vars(fitting.configuration),
            "encoder": _with_absolute_path(fitting.encoder),
            "predictions": fitting.source,
            "language": fitting.language,
            "versions": {name: version(name) for name in ("wsd", *PACKAGES)},
        }
        sentences = {word: fitting.sentences(word) for word in fitting.words if args.with_sentences}
        contents, known = {**manifest, "words": writer.words}, _dataset_facts(results)
        name, measured = bare(args.out.name), _measured(fitting)
        text = card(contents, name, known, measured, with_sentences=args.with_sentences)
        writer.close(manifest, text, sentences)
