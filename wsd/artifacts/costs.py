"""What steps took in processor time, as far as it is on record.

Snakemake writes a benchmark beside every job: a table of one row with ``cpu_time``, in seconds,
over all cores. `wsd finetune` writes its own, ``costs.csv``, with a row per trial and per seed.
What is not on record is NaN, and so is every sum that it is part of.
"""

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


def processor_seconds(benchmark: Path) -> float:
    """What a job took; NaN if its benchmark is missing or none, or it was too short."""
    with suppress(OSError, *UNEXPECTED):
        seconds = float(pd.read_csv(benchmark, sep="\t")["cpu_time"].iloc[0])
        return seconds if 0 < seconds < float("inf") else nan
    return nan


def total(benchmarks: Iterable[Path]) -> float:
    """What several jobs took together; NaN if one of them is not on record, or there is none."""
    found = [processor_seconds(path) for path in benchmarks]
    return fsum(found) if found else nan


@dataclass(frozen=True)
class Costs:
    """The records of one dataset.

    Attributes
    ----------
    benchmarks : Path
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

    benchmarks: Path
    own: Path
    results: Path
    parts: int
    trains: tuple[str, ...]

    def embedding(self, model: str) -> float:
        """Every layer of every stored view of all words."""
        parts = range(1, self.parts + 1)
        return total(self.benchmarks / model / "embed" / f"{part}.tsv" for part in parts)

    def classifying(self, model: str, train: str, view: str, layers: str, classifier: str) -> float:
        """One feature set and classifier: tuned on folds, fitted and applied.

        All further training sets are done in one job: where they are draws of one setting, each
        has an equal share of it; of other ones it is not on record what each took.
        """
        name = f"{view}.{layers}.{classifier}.tsv"
        if train == FULL:
            return processor_seconds(self.benchmarks / model / "classify" / name)
        further = [of for of in self.trains if of != FULL]
        if len({setting(of)[0] for of in further}) > 1:
            return nan
        return processor_seconds(self.benchmarks / model / "classify_trains" / name) / len(further)

    def baseline(self, name: str) -> float:
        """A baseline without an encoder."""
        return processor_seconds(self.benchmarks / "baselines" / f"{name}.tsv")

    def substitutes(self, model: str) -> float:
        """Asking a model for substitutes, and learning from bags of them."""
        folder = self.benchmarks / model
        return total([folder / "substitutes.tsv", folder / "baseline_substitutes.tsv"])

    def zero_shot(self, model: str, layers: str) -> float:
        """Embedding sentences and glosses, and taking the nearest gloss."""
        folder = self.benchmarks / model
        of_glosses = [folder / "embed_glosses" / "1.tsv", folder / "zero_shot" / f"{layers}.tsv"]
        return self.embedding(model) + total(of_glosses)

    def classifying_selected(self, model: str) -> float:
        """Fitting and applying what each word's folds chose."""
        return processor_seconds(self.own / model / "classify_selected.tsv")

    def finetuning(self, model: str, train: str) -> Spent:
        """One seed, on average; and every trial and seed."""
        with suppress(OSError, *UNEXPECTED):
            rows = pd.read_csv(self.results / model / "finetune" / train / COSTS)
            seconds = rows["processor_seconds"].astype(float)
            one = float(seconds[rows["seed"].notna()].mean())
            return Spent(one or nan, fsum(seconds) or nan)
        return Spent(nan, nan)
