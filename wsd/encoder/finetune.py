"""Train an encoder on words' senses, with settings that the folds choose, and predict every word.

Each setting is trained with the first seed on what some folds leave, and scored on what they hold
out; then every seed is trained on the whole training set with the best of them. No test instance is
looked at before that, and no seed is chosen: each has its own file of predictions. The encoder of
the first one is kept as a folder that an encoder's ``path`` can be.
"""

import argparse
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from math import fsum, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from wsd.arguments import (
    add_choice,
    add_corpora,
    add_objective,
    add_out_folder,
    add_path,
    count,
    seed,
)
from wsd.artifacts import finetuned, search
from wsd.artifacts import folds as folding
from wsd.artifacts.corpus import Corpora, read_corpora
from wsd.artifacts.encoder_record import read_record
from wsd.artifacts.finetuned import Setting
from wsd.artifacts.folds import Folds
from wsd.artifacts.predictions import TEST, WordPredictions, versions, write_predictions
from wsd.artifacts.tables import FINETUNED
from wsd.artifacts.views import DEVICES, INPUTS, MASKED, POOLINGS
from wsd.encoder import sources
from wsd.errors import ConfigError, DamageError, ModelError
from wsd.storage.atomic import replacing_folder, umask
from wsd.storage.checksums import note_checksum
from wsd.storage.csv import write_csv

if TYPE_CHECKING:
    from wsd.encoder.tagger import Tagger
    from wsd.encoder.training import Done
    from wsd.encoder.word_pieces import Aligned

PACKAGES = ("numpy", "safetensors", "tokenizers", "torch", "transformers", "wsd")
UNFINISHED = ".unfinished"
# Rows of each word.
Rows = Mapping[str, np.ndarray]


@dataclass
class Finetuning:
    """An encoder and what it is trained on.

    Attributes
    ----------
    record : mapping
        Of `wsd model`.
    corpora : mapping of word to Corpus
        The words that the training set has.
    options : mapping
        ``pooling``, ``masked`` and ``device``.
    threads : int
    unfinished : Path
        The folder of the checkpoints.
    """

    record: Mapping[str, Any]
    corpora: Corpora
    options: Mapping[str, Any]
    threads: int
    unfinished: Path
    _aligned: dict[str, "list[Aligned]"] = field(default_factory=dict)

    def senses(self) -> dict[str, range]:
        """The rows of the linear layer that are each word's."""
        ends = np.cumsum([len(corpus.senses) for corpus in self.corpora.values()]).tolist()
        return {
            word: range(end - len(corpus.senses), end)
            for (word, corpus), end in zip(self.corpora.items(), ends, strict=True)
        }

    def fit(self, rows: Rows, setting: Setting, seed: int, name: str) -> "tuple[Tagger, Done]":
        """Train on some rows of every word; what was done of it before is not done again."""
        from wsd.encoder.tagger import Instance, Tagger
        from wsd.encoder.training import train

        senses = self.senses()
        known = np.zeros(sum(map(len, senses.values())), dtype=bool)
        for word, of in rows.items():
            known[senses[word].start + self.corpora[word].gold[of]] = True
        tagger = Tagger.load(
            sources.verify(self.record),
            known.tolist(),
            setting.blocks,
            random_weights=self.record.get("random_weights"),
            **self.options,
        )
        if not self._aligned:
            self._aligned = {w: tagger.encoder.align(of) for w, of in self.corpora.items()}
        instances = [
            Instance(self._aligned[word][row], senses[word], senses[word][gold])
            for word, of in rows.items()
            for row, gold in zip(of.tolist(), self.corpora[word].gold[of].tolist(), strict=True)
        ]
        guessed = [
            len(of) * log(known[senses[word].start : senses[word].stop].sum())
            for word, of in rows.items()
        ]
        done = train(
            tagger,
            instances,
            setting,
            seed,
            path=self.unfinished / f"{name}.safetensors",
            about={"files": self.record["files"], "known": known.tolist()},
            threads=self.threads,
            guessing=fsum(guessed) / len(instances),
        )
        return tagger, done

    def predict(self, tagger: "Tagger", rows: Rows, n_train: Rows) -> list[WordPredictions]:
        """What the model says of some rows of words, all of one split."""
        from wsd.encoder.batches import run_all
        from wsd.encoder.tagger import Instance

        senses = self.senses()
        found = {w: np.full((len(of), len(senses[w])), np.nan) for w, of in rows.items()}

        def run(word: str, places: list[int]) -> tuple[list[int], np.ndarray]:
            batch = [
                Instance(self._aligned[word][row], senses[word], -1)
                for row in rows[word][places].tolist()
            ]
            return places, tagger.chances(batch)[:, senses[word]].numpy()

        works = (
            (word, [len(self._aligned[word][row].ids) for row in of], ())
            for word, of in rows.items()
        )
        device = tagger.encoder.device
        for word, (places, of_batch) in run_all(run, works, device=device, threads=self.threads):
            found[word][places] = of_batch
        made = []
        for word, of in rows.items():
            corpus = self.corpora[word]
            learned = np.isin(np.arange(len(corpus.senses)), corpus.gold[n_train[word]])
            # Of a sense without training instances nothing is known.
            scores = np.where(learned, found[word], np.nan)
            made.append(
                WordPredictions(
                    word=word,
                    senses=corpus.senses,
                    n_train=len(n_train[word]),
                    index=corpus.index[of],
                    gold=corpus.gold[of],
                    predicted=np.nanargmax(scores, axis=1).astype(np.int32),
                    scores=scores,
                    split=str(corpus.split[of[0]]),
                )
            )
        return made


def try_settings(
    of: Finetuning,
    settings: Sequence[Setting],
    folds: Folds,
    n_folds: int,
    seed: int,
    objective: str,
) -> list[dict[str, Any]]:
    """Train every setting on what each of the first folds leaves, and score what it holds out.

    A word without folds is learned whole and not scored. Where no word has any, and where there is
    one setting alone, nothing is tried.

    Returns
    -------
    list of dict
        Per setting and fold: ``trial``, the setting's number from 1, ``fold``, ``objective``, and
        what it took.
    """
    train_rows = {word: folds.rows(corpus) for word, corpus in of.corpora.items()}
    held = {word: found.held[0] for word, found in folds.words.items() if found.held is not None}
    held = {word: found for word, found in held.items() if word in of.corpora}
    lines = []
    for number, setting in enumerate(settings if held and len(settings) > 1 else (), 1):
        for fold in range(n_folds):
            fit = {
                word: rows[held[word] != fold] if word in held else rows
                for word, rows in train_rows.items()
            }
            scored = {word: train_rows[word][out == fold] for word, out in held.items()}
            tagger, done = of.fit(fit, setting, seed, f"trial-{number}-{fold}")
            found = of.predict(tagger, {w: rows for w, rows in scored.items() if len(rows)}, fit)
            figure = finetuned.objective_of(found, objective)
            lines.append(
                {
                    "trial": number,
                    **setting._asdict(),
                    "fold": fold,
                    "objective": figure,
                    **_costs(done),
                }
            )
    return lines


def _costs(done: "Done") -> dict[str, float]:
    return {key: round(getattr(done, key), 1) for key in finetuned.COSTS_COLUMNS[2:]}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_path(parser, "--model", "a record of `wsd model`")
    add_corpora(parser)
    add_path(parser, "--folds", "of `wsd folds`, of the training set")
    text = "settings as JSON: lists of `rate`, `epochs` and `blocks`"
    parser.add_argument("--grid", required=True, metavar="JSON", help=text)
    text = "on so many folds of the first repeat settings are tried (default: 1)"
    parser.add_argument("--tried", type=count, default=1, metavar="N", help=text)
    add_objective(parser, search.OBJECTIVES)
    parser.add_argument("--seeds", type=seed, nargs="+", default=[1, 2, 3])
    add_choice(parser, "--pooling", POOLINGS)
    add_choice(parser, "--input", INPUTS, "the sentence, or a mask token for its focal word")
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--threads", type=count, default=1)
    add_out_folder(parser, "folder for predictions, trials.csv, costs.csv and model/")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    # Nothing below may ask the hub: models are fetched by `wsd model` alone.
    os.environ["HF_HUB_OFFLINE"] = "1"
    record, settings = read_record(args.model), finetuned.read_settings(args.grid, "--grid")
    most = max((int(of.blocks) for of in settings if of.blocks != finetuned.ALL), default=0)
    if most > record["blocks"]:
        what = f"{most} blocks are to be trained, {record['name']} has {record['blocks']}"
        raise ConfigError(what, where="--grid", fix="give fewer, or all")
    corpora = read_corpora(args.corpus, args.words)
    folds = folding.of_words(args.folds, corpora)
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
    except ModelError:
        shutil.rmtree(of.unfinished, ignore_errors=True)  # the same again would end the same way
        raise
    shutil.rmtree(of.unfinished)


def _finetune(
    args: argparse.Namespace, of: Finetuning, settings: Sequence[Setting], folds: Folds
) -> None:
    """Try, train and predict; nothing is written before all of it is done."""
    first, objective = args.seeds[0], args.objective
    trials = try_settings(of, settings, folds, args.tried, first, objective)
    chosen = settings[best := finetuned.best(trials, settings)]
    rows = {word: folds.rows(corpus) for word, corpus in of.corpora.items()}
    splits = dict.fromkeys(
        [TEST, *(s for corpus in of.corpora.values() for s in corpus.split.tolist())]
    )
    costs = [{key: line[key] for key in line if key in finetuned.COSTS_COLUMNS} for line in trials]
    made: dict[int, list[WordPredictions]] = {}
    for number in args.seeds:
        tagger, done = of.fit(rows, chosen, number, f"seed-{number}")
        costs.append({"seed": number, **_costs(done)})
        made[number] = [
            found
            for split in splits
            if split != "train"
            for found in of.predict(tagger, _rows_of(of.corpora, split), rows)
        ]
    provenance = {
        "train": folds.train,
        "task": "sense",
        "versions": versions(),
        "view": finetuned.VIEW,
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
        "space": {"settings": [setting._asdict() for setting in settings]},
        "objective": objective,
        "folds": {"k": folds.k, "repeats": folds.repeats, "seed": folds.seed},
    }
    for number, words in made.items():
        name = finetuned.name_of(number)
        about = {**provenance, "classifier": name, "seed": number}
        write_predictions(args.out / f"{name}.parquet", words, about)
    for line in trials:
        line |= {"chosen": line["trial"] == best + 1, "rate": f"{line['rate']:g}"}
    write_csv(args.out / finetuned.TRIALS, pd.DataFrame(trials, columns=finetuned.TRIALS_COLUMNS))
    table = pd.DataFrame(costs, columns=finetuned.COSTS_COLUMNS)
    write_csv(args.out / finetuned.COSTS, table.astype({"trial": "Int64", "seed": "Int64"}))
    # Its last checkpoint is there: nothing is trained again.
    tagger, _ = of.fit(rows, chosen, first, f"seed-{first}")
    with replacing_folder(args.out / finetuned.MODEL) as folder:
        tagger.save(folder)
        source = sources.verify(of.record)
        for name in of.record["files"]:
            if ".safetensors" not in name:
                shutil.copyfile(source / name, folder / name)
        for path in [*folder.iterdir()]:
            path.chmod(0o666 & ~umask())
            note_checksum(path)


def _rows_of(corpora: Corpora, split: str) -> dict[str, np.ndarray]:
    rows = {word: np.flatnonzero(corpus.split == split) for word, corpus in corpora.items()}
    return {word: of for word, of in rows.items() if len(of)}
