"""What steps took in processor time, as far as it is on record.

Every step that ends well says so in the last line of its log, with the processor time that it took
over all cores. `wsd finetune` writes more, ``costs.csv``, with a row per trial and per seed. What
is not on record is NaN, and so is every sum that it is part of.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import fsum, nan
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from wsd.artifacts.finetuned import COSTS
from wsd.artifacts.training_set import FULL, setting
from wsd.storage.expecting import UNEXPECTED


class Spent(NamedTuple):
    """Processor seconds: of what was chosen, and with all that it was chosen among."""

    chosen: float
    searched: float


def processor_seconds(log: Path) -> float:
    """What a step took; NaN if its log is missing or none, or does not end well."""
    with suppress(OSError, *UNEXPECTED):
        last = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
        seconds = float(last["processor_seconds"])
        return seconds if 0 < seconds < float("inf") else nan
    return nan


def total(logs: Iterable[Path]) -> float:
    """What several steps took together; NaN if one of them is not on record, or there is none."""
    found = [processor_seconds(path) for path in logs]
    return fsum(found) if found else nan


@dataclass(frozen=True)
class Costs:
    """The records of one dataset.

    Attributes
    ----------
    logs : Path
        Of what its runs share.
    own : Path
        Of what the run has of its own.
    results : Path
        ``results/<dataset>``.
    parts : int
        In so many jobs its words are embedded.
    trains : tuple of str
        All its training sets, every draw.
    """

    logs: Path
    own: Path
    results: Path
    parts: int
    trains: tuple[str, ...]

    def embedding(self, model: str) -> float:
        """Every layer of every stored view of all words."""
        parts = range(1, self.parts + 1)
        return total(self.logs / model / "embed" / f"{part}.log" for part in parts)

    def classifying(self, model: str, train: str, view: str, layers: str, classifier: str) -> float:
        """One feature set and classifier: tuned on folds, fitted and applied.

        All further training sets are done in one job: where they are draws of one setting, each
        has an equal share of it; of other ones it is not on record what each took.
        """
        name = f"{view}.{layers}.{classifier}.log"
        if train == FULL:
            return processor_seconds(self.logs / model / "classify" / name)
        further = [of for of in self.trains if of != FULL]
        if len({setting(of)[0] for of in further}) > 1:
            return nan
        return processor_seconds(self.logs / model / "classify_trains" / name) / len(further)

    def baseline(self, name: str) -> float:
        """A baseline without an encoder."""
        return processor_seconds(self.logs / "baselines" / f"{name}.log")

    def substitutes(self, model: str) -> float:
        """Asking a model for substitutes, and learning from bags of them."""
        folder = self.logs / model
        return total([folder / "substitutes.log", folder / "baseline_substitutes.log"])

    def zero_shot(self, model: str, layers: str) -> float:
        """Embedding sentences and glosses, and taking the nearest gloss."""
        folder = self.logs / model
        of_glosses = [folder / "embed_glosses" / "1.log", folder / "zero_shot" / f"{layers}.log"]
        return self.embedding(model) + total(of_glosses)

    def classifying_selected(self, model: str) -> float:
        """Fitting and applying what each word's folds chose."""
        return processor_seconds(self.own / model / "classify_selected.log")

    def finetuning(self, model: str, train: str) -> Spent:
        """One seed, on average; and with every trial. Seeds are no search: none is picked."""
        with suppress(OSError, *UNEXPECTED):
            rows = pd.read_csv(self.results / model / "finetune" / train / COSTS)
            seconds = rows["processor_seconds"].astype(float)
            one = float(seconds[rows["seed"].notna()].mean()) or nan
            return Spent(one, one + fsum(seconds[rows["seed"].isna()]))
        return Spent(nan, nan)
