"""Train an encoder on words' senses, with settings that the folds choose, and predict every word.

Each setting is trained with the first seed on what some folds leave, and scored on what they hold
out; then every seed is trained on the whole training set with the best of them. No test instance is
looked at before that, and no seed is chosen: each has its own file of predictions. The encoder of
the first one is kept as a folder that an encoder's ``path`` can be.
"""

import argparse
import os
import shutil
from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
import pandas as pd

from wsd.arguments import (
    add_choice,
    add_corpora,
    add_listings,
    add_objective,
    add_out_folder,
    add_path,
    count,
    seed,
)
from wsd.artifacts import cv_table
from wsd.artifacts import fold_table as folding
from wsd.artifacts.column_names import FINETUNED
from wsd.artifacts.corpus_table import Corpora, read_corpora
from wsd.artifacts.encoder_record import read_record
from wsd.artifacts.fold_table import Folds
from wsd.artifacts.predictions import TEST, WordPredictions, versions, write_predictions
from wsd.artifacts.run_map import list_folders
from wsd.artifacts.view_names import DEVICES, INPUTS, MASKED, POOLINGS
from wsd.encoder import sources
from wsd.errors import ConfigError, DamageError
from wsd.storage.atomic import replacing_folder, umask
from wsd.storage.checksums import note_checksum
from wsd.storage.csv import write_csv
from wsd.studies.finetuning import finetuning_files
from wsd.studies.finetuning.finetuning_files import Setting
from wsd.studies.finetuning.schedule import long_enough
from wsd.studies.finetuning.trials import Finetuning, costs_of, try_settings

PACKAGES = ("numpy", "safetensors", "tokenizers", "torch", "transformers", "wsd")
UNFINISHED = ".unfinished"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_path(parser, "--model", "a record of `wsd model`")
    add_corpora(parser)
    add_path(parser, "--folds", "of `wsd folds`, of the training set")
    text = "settings as JSON: lists of `rate`, `epochs` and `blocks`"
    parser.add_argument("--grid", required=True, metavar="JSON", help=text)
    text = "on so many folds of the first repeat settings are tried (default: 1)"
    parser.add_argument("--tried", type=count, default=1, metavar="N", help=text)
    text = "the fewest steps of a training: a small set has as many epochs as that takes"
    parser.add_argument("--steps", type=count, default=1, metavar="N", help=text)
    add_objective(parser, cv_table.OBJECTIVES)
    parser.add_argument("--seeds", type=seed, nargs="+", default=[1, 2, 3])
    add_choice(parser, "--pooling", POOLINGS)
    add_choice(parser, "--input", INPUTS, "the sentence, or a mask token for its focal word")
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--threads", type=count, default=1)
    add_listings(parser)
    add_out_folder(parser, "folder for predictions, trials.csv, costs.csv and model/")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    # Nothing below may ask the hub: models are fetched by `wsd model` alone.
    os.environ["HF_HUB_OFFLINE"] = "1"
    record, settings = read_record(args.model), finetuning_files.read_settings(args.grid, "--grid")
    most = max((int(of.blocks) for of in settings if of.blocks != finetuning_files.ALL), default=0)
    if most > record["blocks"]:
        what = f"{most} blocks are to be trained, {record['name']} has {record['blocks']}"
        raise ConfigError(what, where="--grid", fix="give fewer, or all")
    corpora = read_corpora(args.corpus, args.words)
    folds = folding.read_for_words(args.folds, corpora)
    if args.tried > folds.k:
        what = f"settings are to be tried on {args.tried} folds, and there are {folds.k}"
        raise ConfigError(what, where="--tried", fix=f"give {folds.k} at most")
    of = Finetuning(
        record,
        {word: corpus for word, corpus in corpora.items() if word in folds.words},
        {"pooling": args.pooling, "masked": args.input == MASKED, "device": args.device},
        args.threads,
        args.out / UNFINISHED,
    )
    try:
        _finetune(args, of, settings, folds)
    except sources.CacheError as error:
        # This step asks no hub; the one that made the record does.
        raise DamageError(error.what, path=args.model) from error
    shutil.rmtree(of.unfinished)


def _finetune(
    args: argparse.Namespace, of: Finetuning, settings: Sequence[Setting], folds: Folds
) -> None:
    """Try, train and predict; nothing is written before all of it is done."""
    first, objective = args.seeds[0], args.objective
    rows = {word: folds.rows(corpus) for word, corpus in of.corpora.items()}
    # The provenance names those that were asked for: they are the same for every training set.
    here = long_enough(settings, sum(map(len, rows.values())), args.steps)
    trials = try_settings(of, here, folds, args.tried, first, objective)
    chosen = here[best := finetuning_files.best(trials, here)]
    splits = dict.fromkeys(
        [TEST, *(s for corpus in of.corpora.values() for s in corpus.split.tolist())]
    )
    costs = [
        {key: line[key] for key in line if key in finetuning_files.COSTS_COLUMNS} for line in trials
    ]
    made: dict[int, list[WordPredictions]] = {}
    for number in args.seeds:
        tagger, done = of.fit(rows, chosen, number, f"seed-{number}")
        with done.timed():
            made[number] = [
                found
                for split in splits
                if split != "train"
                for found in of.predict(tagger, _rows_of(of.corpora, split), rows)
            ]
        costs.append({"seed": number, **costs_of(done)})
    provenance = {
        "train": folds.train,
        "task": "sense",
        "versions": versions(),
        "view": finetuning_files.VIEW,
        "layers": FINETUNED,
        "encoder": {
            "model": {key: value for key, value in of.record.items() if key != "folder"},
            "input": args.input,
            "pooling": args.pooling,
            "device": args.device,
            "versions": {package: version(package) for package in PACKAGES},
        },
        "corpus": {word: corpus.digest for word, corpus in of.corpora.items()},
        "estimator": FINETUNED,
        "parameters": chosen._asdict(),
        "space": {"settings": [setting._asdict() for setting in settings], "steps": args.steps},
        "objective": objective,
        "tried": len(trials),
        "folds": folds.settings,
    }
    for number, words in made.items():
        name = finetuning_files.name_of(number)
        about = {**provenance, "classifier": name, "seed": number}
        write_predictions(args.out / f"{name}.parquet", words, about)
    for line in trials:
        line |= {"chosen": line["trial"] == best + 1, "rate": f"{line['rate']:g}"}
    write_csv(
        args.out / finetuning_files.TRIALS,
        pd.DataFrame(trials, columns=finetuning_files.TRIALS_COLUMNS),
    )
    table = pd.DataFrame(costs, columns=finetuning_files.COSTS_COLUMNS)
    write_csv(args.out / finetuning_files.COSTS, table.astype({"trial": "Int64", "seed": "Int64"}))
    # Its last checkpoint is there: nothing is trained again.
    tagger, _ = of.fit(rows, chosen, first, f"seed-{first}")
    with replacing_folder(args.out / finetuning_files.MODEL) as folder:
        tagger.save(folder)
        source = sources.verify(of.record)
        for name in of.record["files"]:
            if ".safetensors" not in name:
                shutil.copyfile(source / name, folder / name)
        for path in [*folder.iterdir()]:
            path.chmod(0o666 & ~umask())
            note_checksum(path)
    list_folders(args.listings)


def _rows_of(corpora: Corpora, split: str) -> dict[str, np.ndarray]:
    rows = {word: np.flatnonzero(corpus.split == split) for word, corpus in corpora.items()}
    return {word: of for word, of in rows.items() if len(of)}
