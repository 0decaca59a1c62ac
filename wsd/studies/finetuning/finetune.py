"""Fine-tune an encoder on words' senses, and predict every word.

Cross-validation selects the settings. Each setting is trained with the first seed on all folds but
one, and scored on the held-out fold. Then the best setting is trained on the whole training set,
once per seed. Only then are test instances predicted. No seed is selected: each has its own file of
predictions. The encoder of the first seed is saved as a folder for a model's ``path``.
"""

import argparse
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from wsd.arguments import (
    add_choice,
    add_corpora,
    add_input,
    add_listings,
    add_objective,
    add_out_folder,
    add_path,
    count,
)
from wsd.arguments import seed as seed_argument
from wsd.artifacts import cv_table
from wsd.artifacts import fold_table as folding
from wsd.artifacts.column_names import FINETUNED
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.encoder_record import package_versions, read_record, without_folder
from wsd.artifacts.fold_table import Folds
from wsd.artifacts.predictions import TEST, WordPredictions, versions, write_predictions
from wsd.artifacts.run_json import list_folders
from wsd.artifacts.view_names import DEVICES, POOLINGS
from wsd.encoder import find_model_folder
from wsd.errors import ConfigError
from wsd.storage.atomic import replacing_folder, umask
from wsd.storage.checksums import note_checksum
from wsd.storage.csv import write_csv
from wsd.studies.finetuning import finetuning_files
from wsd.studies.finetuning.finetuning_files import Setting
from wsd.studies.finetuning.schedule import long_enough
from wsd.studies.finetuning.trials import Finetuning, Rows, cost_columns, try_settings

UNFINISHED = ".unfinished"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_path(parser, "--model", "a record of `wsd model`")
    add_corpora(parser)
    add_path(parser, "--folds", "the folds of the training set, from `wsd folds`")
    text = "settings as JSON: lists of `rate`, `epochs` and `blocks`"
    parser.add_argument("--grid", required=True, metavar="JSON", help=text)
    text = "the number of folds of the first repeat on which settings are tried (default: 1)"
    parser.add_argument("--tried", type=count, default=1, metavar="N", help=text)
    text = "the fewest steps of a training: a small training set gets more epochs"
    parser.add_argument("--steps", type=count, default=1, metavar="N", help=text)
    add_objective(parser, cv_table.OBJECTIVES)
    parser.add_argument("--seeds", type=seed_argument, nargs="+", default=[1, 2, 3])
    add_choice(parser, "--pooling", POOLINGS)
    add_input(parser)
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--threads", type=count, default=1)
    add_listings(parser)
    add_out_folder(parser, "folder for predictions, trials.csv, costs.csv and model/")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    record, settings = read_record(args.model), finetuning_files.read_settings(args.grid, "--grid")
    numbers = [int(s.blocks) for s in settings if s.blocks != finetuning_files.ALL]
    if (most := max(numbers, default=0)) > record["blocks"]:
        problem = f"{most} blocks to train, but {record['name']} has {record['blocks']}"
        raise ConfigError(problem, where="--grid", fix="give fewer, or all")
    corpora = read_corpora(args.corpus, args.words)
    folds = folding.read_for_words(args.folds, corpora)
    if args.tried > folds.k:
        problem = f"{args.tried} folds to try settings on, but there are {folds.k}"
        raise ConfigError(problem, where="--tried", fix=f"give {folds.k} at most")
    finetuning = Finetuning(
        record,
        {word: corpus for word, corpus in corpora.items() if word in folds.words},
        {"pooling": args.pooling, "input": args.input, "device": args.device},
        args.threads,
        args.out / UNFINISHED,
    )
    with find_model_folder.offline(args.model):
        _finetune(args, finetuning, settings, folds)
    list_folders(args.listings)
    shutil.rmtree(finetuning.unfinished)


def _finetune(
    args: argparse.Namespace, finetuning: Finetuning, grid: Sequence[Setting], folds: Folds
) -> None:
    """Select the best setting, train it with every seed, predict, and then write all files."""
    rows = {word: folds.rows(corpus) for word, corpus in finetuning.corpora.items()}
    settings = long_enough(grid, sum(map(len, rows.values())), args.steps)
    trials = try_settings(finetuning, settings, folds, args.tried, args.seeds[0], args.objective)
    best = finetuning_files.best(trials, settings)
    predictions, costs = _train_seeds(finetuning, rows, settings[best], args.seeds)
    provenance = {
        **_provenance(args, finetuning, folds),
        "parameters": settings[best]._asdict(),
        # The settings of the config, which are the same for every training set.
        "space": {"settings": [setting._asdict() for setting in grid], "steps": args.steps},
        "tried": len(trials),
    }
    for seed, words in predictions.items():
        name = finetuning_files.classifier_name(seed)
        about = {**provenance, "classifier": name, "seed": seed}
        write_predictions(args.out / f"{name}.parquet", words, about)
    _write_tables(args.out, trials, costs, best)
    _write_model(args.out / finetuning_files.MODEL, finetuning, rows, settings[best], args.seeds[0])


def _train_seeds(
    finetuning: Finetuning, rows: Rows, setting: Setting, seeds: Iterable[int]
) -> tuple[dict[int, list[WordPredictions]], list[dict[str, float]]]:
    """Train with every seed; return the predictions of all splits but training, and the costs."""
    corpora = finetuning.corpora
    splits = dict.fromkeys(
        [TEST, *(s for corpus in corpora.values() for s in corpus.split.tolist())]
    )
    del splits["train"]
    predictions, costs = {}, []
    for number in seeds:
        tagger, progress = finetuning.fit(rows, setting, number, f"seed-{number}")
        with progress.timed():
            predictions[number] = [
                prediction
                for split in splits
                for prediction in finetuning.predict(tagger, finetuning.split_rows(split), rows)
            ]
        costs.append({"seed": number, **cost_columns(progress)})
    return predictions, costs


def _provenance(args: argparse.Namespace, finetuning: Finetuning, folds: Folds) -> dict[str, Any]:
    return {
        "train": folds.train,
        "task": "sense",
        "versions": versions(),
        "view": finetuning_files.VIEW,
        "layers": FINETUNED,
        "encoder": {
            "model": without_folder(finetuning.record),
            "input": args.input,
            "pooling": args.pooling,
            "device": args.device,
            "versions": package_versions(),
        },
        "corpus": {word: corpus.digest for word, corpus in finetuning.corpora.items()},
        "estimator": FINETUNED,
        "objective": args.objective,
        "folds": folds.settings,
    }


def _write_tables(
    out: Path, trials: Sequence[Mapping[str, Any]], costs: Sequence[Mapping[str, Any]], best: int
) -> None:
    table = pd.DataFrame([*trials, *costs], columns=finetuning_files.COSTS_COLUMNS)
    table = table.astype({"trial": "Int64", "seed": "Int64"})
    write_csv(out / finetuning_files.COSTS, table)
    rows = [
        {**line, "chosen": line["trial"] == best + 1, "rate": f"{line['rate']:g}"}
        for line in trials
    ]
    table = pd.DataFrame(rows, columns=finetuning_files.TRIALS_COLUMNS)
    write_csv(out / finetuning_files.TRIALS, table)


def _write_model(
    out: Path, finetuning: Finetuning, rows: Rows, setting: Setting, number: int
) -> None:
    """Save the encoder of a seed, from its last checkpoint, with the other files of the model."""
    tagger, _ = finetuning.fit(rows, setting, number, f"seed-{number}")
    with replacing_folder(out) as folder:
        tagger.save(folder)
        source = find_model_folder.verify(finetuning.record)
        for name in finetuning.record["files"]:
            if ".safetensors" not in name:
                shutil.copyfile(source / name, folder / name)
        for path in [*folder.iterdir()]:
            path.chmod(0o666 & ~umask())
            note_checksum(path)
