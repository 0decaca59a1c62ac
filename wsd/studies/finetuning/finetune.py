"""Fine-tune an encoder on words' senses, and predict every word.

Cross-validation selects the settings. Each setting is trained with the first seed on all folds but
one, and scored on the held-out fold. Then the best setting is trained on the whole training set,
once per seed. Only then are test instances predicted. No seed is selected: each has its own file of
predictions. The encoder of the first seed is saved as a folder for a model's ``path``.

Each seed has an ordinary file of predictions. Instead of a layer choice it has ``finetuned``,
because the whole encoder was trained and there is no layer to choose.

A linear layer on the focal word has a row per sense of every word. The candidates for an instance
are the senses of its word that have training instances. There is no dropout.
"""

import argparse
import itertools
import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch

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
from wsd.artifacts import training_set as folding
from wsd.artifacts.column_names import FINETUNED
from wsd.artifacts.corpus_table import Corpora, read_corpora
from wsd.artifacts.cv_table import OBJECTIVES
from wsd.artifacts.encoder_input import DEVICES, POOLINGS
from wsd.artifacts.encoder_record import package_versions, read_record, without_folder
from wsd.artifacts.predictions import WordPredictions, write_predictions
from wsd.artifacts.run_json import list_folders
from wsd.artifacts.training_set import Folds
from wsd.classification.fit_and_predict import predict_splits, provenance_on, scores_of
from wsd.encoder import model_files
from wsd.encoder.encoder import Encoder
from wsd.encoder.load_model import choose_device, load_folder, quiet_transformers
from wsd.errors import ModelError
from wsd.logs import log
from wsd.metrics.scores import confusion, word_scores
from wsd.storage.atomic import replacing_folder, umask
from wsd.storage.checksums import note_checksum
from wsd.storage.csv import write_csv

BATCH = 32
# The sentences of a batch that are in memory together; their gradients are added.
PART = 8
# The share of the steps in which the learning rate rises, the weight decay, and the norm to which
# gradients are clipped.
WARM_UP, DECAY, LONGEST = 0.1, 0.01, 1.0

# Training rows by word, and instances as words with rows.
Rows = Mapping[str, np.ndarray]
Instances = Sequence[tuple[str, int]]


def number_of_steps(instances: int, epochs: int) -> int:
    """Return the number of batches in all epochs."""
    return epochs * math.ceil(instances / BATCH)


def rate_share(step: int, steps: int) -> float:
    """Return the share of the highest rate at a step from 0: it rises linearly, then falls to 0.

    >>> tuple(9 * rate_share(step, 20) for step in (0, 1, 2, 11, 19))
    (4.5, 9.0, 9.0, 4.5, 0.5)
    """
    rising = math.ceil(WARM_UP * steps)
    return min((step + 1) / rising, (steps - step) / max(1, steps - rising))


class Tagger:
    """An encoder and its linear layer; every training starts from the files of the encoder.

    Parameters
    ----------
    record : mapping
        From :func:`wsd.encoder.model.resolve`. The model's files are verified again.
    corpora : mapping of word to Corpus
    pooling, input, device
        As in :class:`wsd.encoder.encoder.Encoder`.

    Attributes
    ----------
    classes : mapping of word to int array
        The senses with training instances, after :meth:`fit`.
    """

    def __init__(
        self, record: Mapping[str, Any], corpora: Corpora, *, pooling: str, input: Any, device: str
    ) -> None:
        self.record, self.corpora, self.device = record, corpora, choose_device(device)
        self.folder = model_files.verify(record)
        self._options = {"pooling": pooling, "input": input, "device": self.device}
        self._load()
        self.aligned = {word: self.encoder.align(corpus) for word, corpus in corpora.items()}

    def _load(self) -> None:
        tokenizer, model = load_folder(str(self.folder), self.record.get("random_weights"))
        self.model = model.to(self.device)
        self.encoder = Encoder(tokenizer, self.model, **self._options)
        _ = self.encoder.architecture  # refuses a model that cannot be used
        sizes = np.array([len(corpus.senses) for corpus in self.corpora.values()])
        self.first = dict(zip(self.corpora, np.cumsum(sizes) - sizes, strict=True))
        # Zeros: before the first step all senses have equal probabilities for any encoder.
        self.layer = torch.nn.Linear(self.encoder.width, int(sizes.sum()), device=self.device)
        for parameter in self.layer.parameters():
            torch.nn.init.zeros_(parameter)

    def fit(self, rows: Rows, rate: float, epochs: int, seed: int) -> None:
        """Train on some rows of every word; the seed decides the order of the instances.

        Raises
        ------
        ModelError
            If a gradient is not finite.
        """
        self._load()
        self.classes = {w: np.unique(self.corpora[w].gold[own]) for w, own in rows.items()}
        instances = [(word, row) for word, own in rows.items() for row in own.tolist()]
        parameters = [*self.encoder.model.parameters(), *self.layer.parameters()]
        decayed = {"params": [p for p in parameters if p.ndim > 1], "weight_decay": DECAY}
        others = {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0}
        optimizer = torch.optim.AdamW([decayed, others], lr=rate)
        steps = number_of_steps(len(instances), epochs)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: rate_share(i, steps))
        for epoch in range(epochs):
            order = np.random.default_rng([seed, epoch]).permutation(len(instances)).tolist()
            loss = 0.0
            for start in range(0, len(order), BATCH):
                batch = [instances[i] for i in order[start : start + BATCH]]
                loss += self._add_gradients(batch)
                norm = torch.nn.utils.clip_grad_norm_(parameters, LONGEST)
                if not torch.isfinite(norm):
                    problem = f"fine-tuning diverges in epoch {epoch + 1}, with the rate {rate:g}"
                    fix = "lower `finetune.rate`; BERT's authors tried 2e-5 to 5e-5"
                    raise ModelError(problem, fix=fix)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
            text = "seed %d, rate %g: epoch %d of %d, loss %.3f"
            log.info(text, seed, rate, epoch + 1, epochs, loss / len(order))

    def _add_gradients(self, batch: Instances) -> float:
        """Add the gradients of a batch's mean loss to the parameters; return the sum of losses."""
        total = 0.0
        for part in self._parts(batch):
            rows = [batch[i] for i in part]
            gold = [int(self.first[word] + self.corpora[word].gold[row]) for word, row in rows]
            target = torch.tensor(gold, device=self.device)
            loss = torch.nn.functional.cross_entropy(self._logits(rows), target, reduction="sum")
            (loss / len(batch)).backward()
            total += loss.item()
        return total

    def _parts(self, instances: Instances) -> Iterator[list[int]]:
        """Yield places of instances of similar lengths."""
        lengths = [len(self.aligned[word][row].ids) for word, row in instances]
        order = np.argsort(lengths, kind="stable").tolist()
        yield from (order[start : start + PART] for start in range(0, len(order), PART))

    def _logits(self, batch: Instances) -> torch.Tensor:
        """Return a logit for every sense of all words; minus infinity if it is no candidate."""
        aligned, encoder = [self.aligned[word][row] for word, row in batch], self.encoder
        inputs = encoder.network.inputs([a.ids for a in aligned], [a.segments for a in aligned])
        state = encoder.model(**inputs).last_hidden_state.float()
        pooled = [state[i, a.pooled(encoder.pooling)].mean(dim=0) for i, a in enumerate(aligned)]
        logits = self.layer(torch.stack(pooled))
        refused = torch.ones_like(logits, dtype=torch.bool)
        for i, (word, _) in enumerate(batch):
            refused[i, self.first[word] + self.classes[word]] = False
        return logits.masked_fill(refused, -torch.inf)

    def classifier(self, word: str) -> Any:
        """Return a fitted classifier of a word, whose instances are rows of its corpus."""

        def predict_proba(rows: np.ndarray) -> np.ndarray:
            instances = [(word, row) for row in rows.tolist()]
            columns = self.first[word] + self.classes[word]
            probabilities = np.empty((len(rows), len(columns)))
            with torch.inference_mode():
                for part in self._parts(instances):
                    logits = self._logits([instances[i] for i in part])
                    probabilities[part] = logits.softmax(dim=1)[:, columns].cpu().numpy()
            return probabilities

        return SimpleNamespace(classes_=self.classes[word], predict_proba=predict_proba)


class Setting(NamedTuple):
    """The highest learning rate of a training, and its number of epochs."""

    rate: float
    epochs: int


COLUMNS = ["trial", *Setting._fields, "fold", "objective", "chosen"]


def settings_of(
    rates: Sequence[float], epochs: Sequence[int], steps_per_epoch: int, least: int
) -> list[Setting]:
    """Return all settings, each with at least as many epochs as the least number of steps takes.

    >>> settings_of([1e-4], [2, 3], steps_per_epoch=4, least=10)
    [Setting(rate=0.0001, epochs=3)]
    """
    fewest = math.ceil(least / steps_per_epoch)
    settings = (Setting(rate, max(n, fewest)) for rate, n in itertools.product(rates, epochs))
    return list(dict.fromkeys(settings))


def cross_validate(
    tagger: Tagger, rows: Rows, folds: Folds, settings: Sequence[Setting], args: Any
) -> list[dict[str, Any]]:
    """Train every setting without each of the first folds, and score it on the held-out fold.

    Words without folds are trained on whole and not scored. If no word has folds, or if there is a
    single setting, nothing is tried.
    """
    words = folds.words.items()
    held = {word: of_word.held[0] for word, of_word in words if of_word.held is not None}
    if not held or len(settings) == 1:
        return []
    trials = []
    for (number, setting), fold in itertools.product(enumerate(settings, 1), range(args.tried)):
        fit_on = {w: own[held[w] != fold] if w in held else own for w, own in rows.items()}
        tagger.fit(fit_on, *setting, args.seeds[0])
        scores = []
        for word, fold_of_row in held.items():
            corpus, scored = tagger.corpora[word], rows[word][fold_of_row == fold]
            if len(scored):
                n_senses = len(corpus.senses)
                chances = scores_of(tagger.classifier(word), scored, n_senses)
                matrix = confusion(corpus.gold[scored], np.nanargmax(chances, axis=1), n_senses)
                scores.append(word_scores(matrix)[OBJECTIVES[args.objective]])
        line = {"trial": number, **setting._asdict(), "fold": fold}
        trials.append({**line, "objective": float(np.mean(scores))})
    return trials


def best(trials: Sequence[dict[str, Any]], settings: Sequence[Setting]) -> int:
    """Return the index of the first setting with the highest mean objective over folds."""
    if not trials:
        return 0
    means = pd.DataFrame(trials).groupby("trial")["objective"].mean().to_numpy()
    # The means of equal scores may differ in their last bits.
    return int((means >= means.max() - 1e-12).argmax())


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_path(parser, "--model", "a record of `wsd model`")
    add_corpora(parser)
    add_path(parser, "--folds", "the folds of the training set, from `wsd folds`")
    text = "the highest learning rates to try"
    parser.add_argument("--rates", type=float, nargs="+", required=True, help=text)
    text = "the numbers of epochs to try"
    parser.add_argument("--epochs", type=count, nargs="+", required=True, help=text)
    text = "the number of folds of the first repeat on which settings are tried (default: 1)"
    parser.add_argument("--tried", type=count, default=1, metavar="N", help=text)
    text = "the fewest steps of a training: a small training set gets more epochs"
    parser.add_argument("--steps", type=count, default=1, metavar="N", help=text)
    add_objective(parser, OBJECTIVES)
    parser.add_argument("--seeds", type=seed_argument, nargs="+", default=[1, 2, 3])
    add_choice(parser, "--pooling", POOLINGS)
    add_input(parser)
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--threads", type=count, default=1)
    add_listings(parser)
    add_out_folder(parser, "folder for predictions, trials.csv and model/")


def run(args: argparse.Namespace) -> None:
    """Select a setting, train it with every seed, and write predictions and the first encoder."""
    record = read_record(args.model)
    corpora = read_corpora(args.corpus, args.words)
    folds = folding.read_folds_for(args.folds, corpora)
    torch.set_num_threads(args.threads)
    options = {"pooling": args.pooling, "input": args.input, "device": args.device}
    corpora = {word: corpus for word, corpus in corpora.items() if word in folds.words}
    tagger = Tagger(record, corpora, **options)
    rows = {word: folds.rows(corpus) for word, corpus in corpora.items()}
    steps_per_epoch = number_of_steps(sum(map(len, rows.values())), 1)
    settings = settings_of(args.rates, args.epochs, steps_per_epoch, args.steps)
    trials = cross_validate(tagger, rows, folds, settings, args)
    chosen = best(trials, settings)
    provenance = {
        **provenance_on(folds),
        "view": "focal",
        "layers": FINETUNED,
        "encoder": {"model": without_folder(record), **options, "versions": package_versions()},
        "corpus": {word: corpus.digest for word, corpus in corpora.items()},
        "estimator": FINETUNED,
        "objective": args.objective,
        "folds": folds.settings,
        "parameters": settings[chosen]._asdict(),
        # The settings of the config, which are the same for every training set.
        "space": {"rate": args.rates, "epochs": args.epochs, "steps": args.steps},
        "tried": len(trials),
    }
    for seed in args.seeds:
        tagger.fit(rows, *settings[chosen], seed)
        predictions: list[WordPredictions] = []
        for word, corpus in corpora.items():
            instances, classifier = np.arange(len(corpus)), tagger.classifier(word)
            predictions += predict_splits(corpus, instances, classifier, len(rows[word]))
        name = f"{FINETUNED}-{seed}"
        about = {**provenance, "classifier": name, "seed": seed}
        write_predictions(args.out / f"{name}.parquet", predictions, about)
        if seed == args.seeds[0]:
            write_model(args.out / "model", tagger)
    for line in trials:
        line |= {"rate": f"{line['rate']:g}", "chosen": line["trial"] == chosen + 1}
    write_csv(args.out / "trials.csv", pd.DataFrame(trials, columns=COLUMNS))
    list_folders(args.listings)


def write_model(out: Path, tagger: Tagger) -> None:
    """Save the trained encoder with the other files of the model."""
    with replacing_folder(out) as folder:
        with quiet_transformers():
            tagger.model.save_pretrained(folder)
        for name in tagger.record["files"]:
            if ".safetensors" not in name:
                shutil.copyfile(tagger.folder / name, folder / name)
        for path in [*folder.iterdir()]:
            path.chmod(0o666 & ~umask())
            note_checksum(path)
