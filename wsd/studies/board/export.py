"""Export the results of a run for others: predictions, scores and provenance, but no sentence.

The export has every configuration that could be selected, on the full training set and the test
split. `wsd board` merges the exports of several machines.
"""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from math import isnan, prod
from pathlib import PurePath
from typing import Any

from wsd.arguments import add_out, add_results
from wsd.artifacts.column_names import ALL_WORDS
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.find_runs import SELECTION
from wsd.artifacts.job_logs import embedding_seconds
from wsd.artifacts.predictions import read_predictions
from wsd.artifacts.training_set import FULL
from wsd.encoder.find_model_folder import verify
from wsd.encoder.model_files import SAFETENSORS
from wsd.errors import ConfigError, WsdError, unknown_choice
from wsd.evaluation.layer_groups import Group, read_groups
from wsd.evaluation.most_similar_sentences import near_duplicate_groups, without_duplicates
from wsd.fitted.selected_results import Configuration, Results
from wsd.logs import log
from wsd.storage.csv import read_csv
from wsd.storage.json import read_json
from wsd.storage.result_files import parsing
from wsd.studies.board.export_checks import DATASET, corpus_checksum
from wsd.studies.board.export_file import SUFFIX, write_export
from wsd.studies.board.export_tables import NAMES, Content

# The types of tensors that are no parameters, such as positions, begin with these letters.
NO_PARAMETERS = ("I", "U", "BOOL")


def gather(results: Results, models: Sequence[str] = ()) -> tuple[dict[str, Any], Content]:
    """Return the facts of a run for ``export.json``, and its configurations.

    Parameters
    ----------
    results : Results
    models : sequence of str
        Their names; by default all models of the run.

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
        named = table[list(NAMES)].itertuples(index=False, name=None)
        configurations = [Configuration(*names) for names in named]
    known = dict.fromkeys(configuration.model for configuration in configurations)
    for name in models:
        if name not in known:
            raise unknown_choice(f"the run has no model {name!r}", known, "--model")
    kept = [c for c in configurations if not models or c.model in models]
    predictions = [results.predictions(configuration) for configuration in kept]
    searches = [
        run.file(f"{c.model}/search/{FULL}/{c.view}/{c.layers}.{c.classifier}.parquet")
        for c in kept
    ]
    words = sorted(word.word for word in read_predictions(predictions[0])[0])
    corpora = {word: results.corpus(word) for word in dict.fromkeys(words)}
    groups = read_groups(predictions, searches, corpora)
    # The same order whatever the config's, so that equal results give equal bytes.
    groups.sort(key=lambda group: tuple(group.names.values()))
    content = Content(groups, near_duplicate_groups(corpora), without_duplicates(corpora))
    return _about(results, groups, corpora), content


def _about(
    results: Results, groups: Sequence[Group], corpora: Mapping[str, Corpus]
) -> dict[str, Any]:
    run = results.map
    chosen = read_json(path := run.file("selection.json"))["chosen"]
    sources = {group.names["model"]: group.rows[0].source for group in groups}
    first = groups[0].rows[0]
    dataset = {key: str(getattr(results.dataset, key, "")) for key in DATASET}
    words = {
        words.word: {
            "digest": corpora[words.word].digest,
            "senses": list(words.senses),
            "n_train": words.n_train,
            "n_test": len(words.gold),
        }
        for words in first.words
    }
    models = {}
    for name, source in sources.items():
        encoder = source["encoder"]
        seconds = embedding_seconds(run, run.folder.parent / "logs" / run.folder.name, name)
        with parsing(path):
            selected = {key: str(chosen[name][FULL]["all"][key]) for key in NAMES[1:]}
        models[name] = {
            "encoder": without_places(encoder),
            "selected": selected,
            "parameters": count_parameters(encoder["model"]),
            "embedding_processor_seconds": None if isnan(seconds) else seconds,
        }
    spaces = {
        group.names["classifier"]: {
            key: group.rows[0].source[key] for key in ("estimator", "space")
        }
        for group in groups
    }
    return {
        "dataset": {**dataset, "name": dataset["name"] or run.folder.name},
        "corpus": {"checksum": corpus_checksum(words), "words": words},
        "objective": groups[0].objective,
        "folds": first.source["folds"],
        "spaces": spaces,
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


def count_parameters(record: Mapping[str, Any]) -> int | None:
    """Return the number of parameters in a model's weight files, used or not.

    None if this machine no longer has the files of the record.
    """
    from safetensors import SafetensorError, safe_open

    total = 0
    with suppress(WsdError, SafetensorError, OSError):
        folder = verify(record, mend=False)
        for name in (name for name in record["files"] if name.endswith(SAFETENSORS)):
            with safe_open(folder / name, framework="numpy") as file:
                for key in file.keys():  # noqa: SIM118 - the file is no mapping
                    tensor = file.get_slice(key)
                    if not tensor.get_dtype().startswith(NO_PARAMETERS):
                        total += prod(tensor.get_shape())
        return total
    log.info("%s: its files are not here, so its parameters are not counted", record["name"])
    return None


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_results(parser)
    text = "only these encoders of the run (default: all)"
    parser.add_argument("--model", nargs="+", default=[], metavar="NAME", help=text)
    add_out(parser, "the export", SUFFIX)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if args.out.suffix != SUFFIX:
        problem = f"the name of an export ends with {SUFFIX}, not {args.out.suffix!r}"
        raise ConfigError(problem, where=str(args.out), fix="rename it")
    about, content = gather(Results(args.results, args.of_run), args.model)
    checksum = write_export(args.out, about, content)
    size = args.out.stat().st_size / 1e3
    log.info("export: %s, %.0f kB, checksum %s", args.out, size, checksum)
