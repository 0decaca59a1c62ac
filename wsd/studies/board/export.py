"""Export the results of a run for others: predictions and provenance, but no sentence.

The export is one ``.zip`` with the selected and every other candidate configuration, on the full
training set and the test split. It has four members (docs/how-to/board.md describes them):
``export.json``, facts and provenance; ``scores.parquet``, a row per configuration;
``predictions.parquet``, a row per test instance, without its sentence; and ``SHA256SUMS``. A sense
is its 0-based place among the senses of its word. The same results give the same bytes.
"""

import argparse
import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

import pandas as pd

from wsd.arguments import add_out, add_results
from wsd.artifacts.column_names import ALL_WORDS
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.find_runs import SELECTION
from wsd.artifacts.predictions import read_predictions
from wsd.artifacts.training_set import FULL
from wsd.errors import unknown_choice
from wsd.evaluation.layerwise import Group, read_groups
from wsd.evaluation.most_similar_sentences import near_duplicate_groups, without_duplicates
from wsd.fitted.selected_results import Configuration, Results
from wsd.logs import log
from wsd.metrics.scores import MEAN_SCORES, mean_scores
from wsd.storage.atomic import replacing
from wsd.storage.csv import read_csv
from wsd.storage.json import read_json

KIND = {"kind": "wsd export", "format": 1}
MEMBERS = ("export.json", "scores.parquet", "predictions.parquet", "SHA256SUMS")
ABOUT, SCORES, PREDICTIONS, SUMS = MEMBERS
NAMES = ["model", "view", "layers", "classifier"]
# The columns of the instances of every export, and one that only some corpora have.
INSTANCE, DOCUMENT = ["word", "index", "gold", "near_duplicates", "unlike_training"], "document"
DATASET = ("title", "licence", "licence_url", "citation")


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
    table = read_csv(path)
    table = table[(table["train"] == FULL) & (table["scope"] == ALL_WORDS)]
    known = {*table["model"]}
    for name in models:
        if name not in known:
            raise unknown_choice(f"the run has no model {name!r}", known, "--model")
    kept = table[table["model"].isin(models or table["model"])]
    names = [Configuration(*row) for row in kept[NAMES].itertuples(index=False)]
    predictions = [results.predictions(each) for each in names]
    place = f"{{0.model}}/search/{FULL}/{{0.view}}/{{0.layers}}.{{0.classifier}}.parquet"
    searches = [run.file(place.format(each)) for each in names]
    words = sorted(word.word for word in read_predictions(predictions[0])[0])
    corpora = {word: results.corpus(word) for word in words}
    groups = read_groups(predictions, searches, corpora)
    # In the same order whatever the config's, so that equal results give equal bytes.
    return sorted(groups, key=lambda group: tuple(group.names.values())), corpora


def describe(
    results: Results, groups: Sequence[Group], corpora: Mapping[str, Corpus]
) -> dict[str, Any]:
    """Return the facts and the provenance of a run, without the paths of its machine."""
    chosen = read_json(results.map.file("selection.json"))["chosen"]
    words, models = {}, {}
    for word in groups[0].rows[0].words:
        about = {"digest": corpora[word.word].digest, "senses": list(word.senses)}
        words[word.word] = {**about, "n_train": word.n_train, "n_test": len(word.gold)}
    for group in groups:
        name, source = group.names["model"], group.rows[0].source
        models[name] = {"encoder": source["encoder"], "selected": chosen[name][FULL]["all"]}
    dataset = {key: str(getattr(results.dataset, key, "")) for key in DATASET}
    facts = {
        **KIND,
        "dataset": {**dataset, "name": results.map.folder.name},
        "corpus": {"words": words},
        "objective": groups[0].objective,
        "models": models,
        "config": results.map.config,
        "written_by": version("wsd"),
    }
    return dict(without_places(facts))


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


def as_tables(
    groups: Sequence[Group], corpora: Mapping[str, Corpus]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of configurations and of test instances."""
    rows = [row for group in groups for row in group.rows]
    lines: list[dict[str, Any]] = []
    for group in groups:
        for row, objective_cv in zip(group.rows, group.objective_cv, strict=True):
            names = {**dict(zip(NAMES, row.configuration, strict=True)), "column": f"c{len(lines)}"}
            chosen = {"selected": row.layers == group.selected, "objective_cv": objective_cv}
            lines.append({**names, **chosen, **mean_scores(row.confusions)})
    scores = pd.DataFrame(lines).astype(dict.fromkeys(["objective_cv", *MEAN_SCORES], float))
    near, unlike, parts = near_duplicate_groups(corpora), without_duplicates(corpora), []
    for i, word in enumerate(rows[0].words):
        columns = [word.word, word.index, word.gold, near[word.word], unlike[word.word]]
        part = dict(zip(INSTANCE, columns, strict=True))
        if documents := rows[0].documents:
            part[DOCUMENT] = documents[word.word]
        part |= {f"c{number}": row.words[i].predicted for number, row in enumerate(rows)}
        parts.append(pd.DataFrame(part))
    table = pd.concat(parts)
    numbers = [name for name in table if name not in ("word", "unlike_training")]
    return scores, table.astype(dict.fromkeys(numbers, "int32"))


def checksums(members: Mapping[str, bytes]) -> bytes:
    """Return the SHA-256 of members by name, as ``sha256sum`` writes them."""
    sums = {name: hashlib.sha256(member).hexdigest() for name, member in members.items()}
    return "".join(f"{digest}  {name}\n" for name, digest in sums.items()).encode()


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
    about = describe(results, groups, corpora)
    text = json.dumps(about, indent=1, sort_keys=True, ensure_ascii=False)
    tables = [
        table.to_parquet(index=False, compression="zstd") for table in as_tables(groups, corpora)
    ]
    members = dict(zip(MEMBERS, [text.encode(), *tables], strict=False))
    members[SUMS] = checksums(members)
    with replacing(args.out) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, member in members.items():
            # An entry that is made from a name alone has a fixed date.
            archive.writestr(zipfile.ZipInfo(name), member, zipfile.ZIP_DEFLATED)
    log.info("export: %s, checksum %s", args.out, hashlib.sha256(members[SUMS]).hexdigest())
