"""Export the results of a run for others: predictions, scores and provenance, but no sentence.

The export has every configuration that could be selected, on the full training set and the test
split. `wsd board` merges the exports of several machines.
"""

import argparse
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

from wsd.arguments import add_out, add_results
from wsd.artifacts.column_names import ALL_WORDS
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.find_runs import SELECTION
from wsd.artifacts.predictions import read_predictions
from wsd.artifacts.training_set import FULL
from wsd.errors import unknown_choice
from wsd.evaluation.layer_groups import Group, read_groups
from wsd.evaluation.most_similar_sentences import near_duplicate_groups, without_duplicates
from wsd.fitted.selected_results import Configuration, Results
from wsd.logs import log
from wsd.storage.csv import read_csv
from wsd.storage.json import read_json
from wsd.storage.result_files import parsing
from wsd.studies.board.export_file import DOCUMENT, NAMES, corpus_checksum, write_export

DATASET = ("name", "title", "licence", "licence_url", "citation")


def read_run(results: Results, models: Sequence[str] = ()) -> tuple[list[Group], dict[str, Corpus]]:
    """Return the configurations of a run, by default of all its models, and its corpora.

    Raises
    ------
    ConfigError
        If the run lacks a model.
    ResultError
        If a file of the run is missing or damaged, or files do not belong together.
    """
    run, path = results.map, results.map.file(SELECTION)
    with parsing(path):
        table = read_csv(path)
        table = table[(table["train"] == FULL) & (table["scope"] == ALL_WORDS)]
        rows = table[list(NAMES)].itertuples(index=False, name=None)
        every = [Configuration(*names) for names in rows]
    known = dict.fromkeys(configuration.model for configuration in every)
    for name in models:
        if name not in known:
            raise unknown_choice(f"the run has no model {name!r}", known, "--model")
    kept = [each for each in every if not models or each.model in models]
    predictions = [results.predictions(each) for each in kept]
    searches = [
        run.file(f"{c.model}/search/{FULL}/{c.view}/{c.layers}.{c.classifier}.parquet")
        for c in kept
    ]
    words = sorted(word.word for word in read_predictions(predictions[0])[0])
    corpora = {word: results.corpus(word) for word in words}
    groups = read_groups(predictions, searches, corpora)
    # The same order whatever the config's, so that equal results give equal bytes.
    return sorted(groups, key=lambda group: tuple(group.names.values())), corpora


def describe(
    results: Results, groups: Sequence[Group], corpora: Mapping[str, Corpus]
) -> dict[str, Any]:
    """Return the provenance and facts of a run for ``export.json``."""
    run, first = results.map, groups[0].rows[0]
    chosen = read_json(path := run.file("selection.json"))["chosen"]
    sources = {group.names["model"]: group.rows[0].source for group in groups}
    classifiers = {group.names["classifier"]: group.rows[0].source for group in groups}
    dataset = {key: str(getattr(results.dataset, key, "")) for key in DATASET}
    words = {
        word.word: {
            "digest": corpora[word.word].digest,
            "senses": list(word.senses),
            "n_train": word.n_train,
            "n_test": len(word.gold),
        }
        for word in first.words
    }
    with parsing(path):
        models = {
            name: {
                "encoder": without_places(source["encoder"]),
                "selected": {key: str(chosen[name][FULL]["all"][key]) for key in NAMES[1:]},
            }
            for name, source in sources.items()
        }
    return {
        "dataset": {**dataset, "name": dataset["name"] or run.folder.name},
        "corpus": {"checksum": corpus_checksum(words), "words": words},
        "objective": groups[0].objective,
        "folds": first.source["folds"],
        "spaces": {
            name: {key: source[key] for key in ("estimator", "space")}
            for name, source in classifiers.items()
        },
        "models": models,
        "config": without_places(run.config),
        "seed": run.config.get("seed"),
        "versions": first.source["versions"],
        "written_by": version("wsd"),
    }


def without_places(value: Any, key: str = "") -> Any:
    """Return a value of JSON with paths cut to their last part: folders can name a person.

    >>> without_places({"path": "models/mpnet", "glosses": "/home/me/glosses.tsv", "layers": "all"})
    {'path': 'mpnet', 'glosses': 'glosses.tsv', 'layers': 'all'}
    """
    if isinstance(value, dict):
        return {name: without_places(entry, name) for name, entry in value.items()}
    if isinstance(value, list):
        return [without_places(entry) for entry in value]
    if isinstance(value, str) and (key == "path" or value.startswith(("/", "~"))):
        return PurePath(value).name
    return value


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_results(parser)
    text = "only these encoders of the run (default: all)"
    parser.add_argument("--model", nargs="+", default=[], metavar="NAME", help=text)
    add_out(parser, "the export", ".zip")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    results = Results(args.results, args.of_run)
    groups, corpora = read_run(results, args.model)
    documents = groups[0].rows[0].documents
    instances = {
        "near_duplicates": near_duplicate_groups(corpora),
        "unlike_training": without_duplicates(corpora),
        **({DOCUMENT: documents} if documents else {}),
    }
    checksum = write_export(args.out, describe(results, groups, corpora), groups, instances)
    log.info("export: %s, checksum %s", args.out, checksum)
