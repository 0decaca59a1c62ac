"""Train an encoder on rows of words, and predict other rows with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.fold_table import Folds
from wsd.artifacts.predictions import WordPredictions
from wsd.encoder import find_model_folder
from wsd.studies.finetuning import finetuning_files
from wsd.studies.finetuning.finetuning_files import Setting

if TYPE_CHECKING:
    from wsd.encoder.aligned import Aligned
    from wsd.studies.finetuning.tagger import Instance, Tagger
    from wsd.studies.finetuning.training import Progress

# The rows of each word.
Rows = Mapping[str, np.ndarray]


@dataclass
class Finetuning:
    """An encoder and the words that it is trained on.

    Attributes
    ----------
    record : mapping
        As ``wsd model`` writes it.
    corpora : mapping of word to Corpus
        The words of the training set.
    options : mapping
        ``pooling``, ``input`` and ``device``.
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

    @cached_property
    def senses(self) -> dict[str, range]:
        """Return the rows of the linear layer for the senses of each word."""
        ends = np.cumsum([len(corpus.senses) for corpus in self.corpora.values()]).tolist()
        return {
            word: range(end - len(corpus.senses), end)
            for (word, corpus), end in zip(self.corpora.items(), ends, strict=True)
        }

    def split_rows(self, split: str) -> Rows:
        """Return the rows of a split, for all words that have any."""
        rows = {word: np.flatnonzero(c.split == split) for word, c in self.corpora.items()}
        return {word: numbers for word, numbers in rows.items() if len(numbers)}

    def fit(self, rows: Rows, setting: Setting, seed: int, name: str) -> "tuple[Tagger, Progress]":
        """Train on some rows of every word, or resume from the checkpoint of this name."""
        from wsd.studies.finetuning.tagger import Tagger
        from wsd.studies.finetuning.training import train

        known = np.zeros(sum(map(len, self.senses.values())), dtype=bool)
        for word, numbers in rows.items():
            known[self.senses[word].start + self.corpora[word].gold[numbers]] = True
        tagger = Tagger.load(
            find_model_folder.verify(self.record),
            known.tolist(),
            setting.blocks,
            random_weights=self.record.get("random_weights"),
            **self.options,
        )
        if not self._aligned:
            self._aligned = {w: tagger.encoder.align(corpus) for w, corpus in self.corpora.items()}
        instances = [i for word, numbers in rows.items() for i in self._instances(word, numbers)]
        # The loss of guessing among the senses of each word.
        losses = [
            len(numbers) * log(known[self.senses[word].start : self.senses[word].stop].sum())
            for word, numbers in rows.items()
        ]
        progress = train(
            tagger,
            instances,
            setting,
            seed,
            path=self.unfinished / f"{name}.safetensors",
            about={"files": self.record["files"], "known": known.tolist()},
            threads=self.threads,
            guessing=fsum(losses) / len(instances),
        )
        return tagger, progress

    def _instances(self, word: str, rows: np.ndarray) -> "list[Instance]":
        from wsd.studies.finetuning.tagger import Instance

        senses, golds = self.senses[word], self.corpora[word].gold[rows].tolist()
        return [
            Instance(self._aligned[word][row], senses, senses[gold])
            for row, gold in zip(rows.tolist(), golds, strict=True)
        ]

    def predict(self, tagger: "Tagger", rows: Rows, n_train: Rows) -> list[WordPredictions]:
        """Predict some rows of words, all of the same split; ``n_train`` are the training rows."""
        from wsd.encoder.batches import run_all

        instances = {word: self._instances(word, numbers) for word, numbers in rows.items()}
        scores = {w: np.full((len(i), len(self.senses[w])), np.nan) for w, i in instances.items()}

        def run(word: str, places: list[int]) -> tuple[list[int], np.ndarray]:
            batch = [instances[word][place] for place in places]
            return places, tagger.probabilities(batch)[:, self.senses[word]].numpy()

        works = ((word, [len(i.aligned.ids) for i in items]) for word, items in instances.items())
        device = tagger.encoder.device
        for word, (places, batch) in run_all(run, works, device=device, threads=self.threads):
            scores[word][places] = batch
        return [
            self._predictions(word, numbers, scores[word], n_train[word])
            for word, numbers in rows.items()
        ]

    def _predictions(
        self, word: str, rows: np.ndarray, scores: np.ndarray, train: np.ndarray
    ) -> WordPredictions:
        corpus = self.corpora[word]
        learned = np.isin(np.arange(len(corpus.senses)), corpus.gold[train])
        scores = np.where(learned, scores, np.nan)
        return WordPredictions(
            word=word,
            senses=corpus.senses,
            n_train=len(train),
            index=corpus.index[rows],
            gold=corpus.gold[rows],
            predicted=np.nanargmax(scores, axis=1).astype(np.int32),
            scores=scores,
            split=str(corpus.split[rows[0]]),
        )


def try_settings(
    finetuning: Finetuning,
    settings: Sequence[Setting],
    folds: Folds,
    n_folds: int,
    seed: int,
    objective: str,
) -> list[dict[str, Any]]:
    """Train every setting without each of the first folds, and score it on the held-out fold.

    Words without folds are trained on whole and not scored. If no word has folds, or if there is a
    single setting, nothing is tried.

    Returns
    -------
    list of dict
        For each setting and fold: ``trial``, the setting's number from 1, ``fold``, ``objective``,
        and the costs.
    """
    train_rows = {word: folds.rows(corpus) for word, corpus in finetuning.corpora.items()}
    held_out = {
        word: word_folds.held[0]
        for word, word_folds in folds.words.items()
        if word_folds.held is not None and word in train_rows
    }
    if not held_out or len(settings) == 1:
        return []
    lines = []
    for number, setting in enumerate(settings, 1):
        for fold in range(n_folds):
            fit = {
                word: rows[held_out[word] != fold] if word in held_out else rows
                for word, rows in train_rows.items()
            }
            scored = {
                word: train_rows[word][fold_of_row == fold]
                for word, fold_of_row in held_out.items()
                if (fold_of_row == fold).any()
            }
            tagger, progress = finetuning.fit(fit, setting, seed, f"trial-{number}-{fold}")
            with progress.timed():
                predictions = finetuning.predict(tagger, scored, fit)
            line = {"trial": number, **setting._asdict(), "fold": fold}
            line["objective"] = finetuning_files.mean_objective(predictions, objective)
            lines.append({**line, **cost_columns(progress)})
    return lines


def cost_columns(progress: "Progress") -> dict[str, float]:
    """Return the seconds for the columns of ``costs.csv``."""
    return {key: round(getattr(progress, key), 1) for key in finetuning_files.COSTS_COLUMNS[2:]}
