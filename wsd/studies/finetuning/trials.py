"""An encoder and the words that it is trained on: trainings on rows of them, and predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.fold_table import Folds
from wsd.artifacts.predictions import WordPredictions
from wsd.encoder import sources
from wsd.studies.finetuning import finetuning_files
from wsd.studies.finetuning.finetuning_files import Setting

if TYPE_CHECKING:
    from wsd.encoder.focal_pieces import Aligned
    from wsd.studies.finetuning.tagger import Tagger
    from wsd.studies.finetuning.training import Done

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
        from wsd.studies.finetuning.tagger import Instance, Tagger
        from wsd.studies.finetuning.training import train

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
        from wsd.studies.finetuning.tagger import Instance

        senses = self.senses()
        found = {w: np.full((len(of), len(senses[w])), np.nan) for w, of in rows.items()}

        def run(word: str, places: list[int]) -> tuple[list[int], np.ndarray]:
            batch = [
                Instance(self._aligned[word][row], senses[word], -1)
                for row in rows[word][places].tolist()
            ]
            return places, tagger.chances(batch)[:, senses[word]].numpy()

        works = (
            (word, [len(self._aligned[word][row].ids) for row in of]) for word, of in rows.items()
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
            with done.timed():
                scored = {word: rows for word, rows in scored.items() if len(rows)}
                found = of.predict(tagger, scored, fit)
            metric = finetuning_files.objective_of(found, objective)
            lines.append(
                {
                    "trial": number,
                    **setting._asdict(),
                    "fold": fold,
                    "objective": metric,
                    **costs_of(done),
                }
            )
    return lines


def costs_of(done: "Done") -> dict[str, float]:
    """The columns of ``costs.csv`` after the names."""
    return {key: round(getattr(done, key), 1) for key in finetuning_files.COSTS_COLUMNS[2:]}
