"""Find the processor time of each strategy in the logs of its steps.

`wsd finetune` also writes ``costs.csv``, with a row per trial and per seed. A missing time is NaN,
and so is a sum with a missing time. Files of other studies are looked up by name in the map of the
run.
"""

from contextlib import suppress
from dataclasses import dataclass
from math import fsum, isnan, nan
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from wsd.artifacts.job_logs import embedding_seconds, step_seconds
from wsd.artifacts.run_json import RunMap
from wsd.artifacts.training_set import FULL, setting
from wsd.errors import ResultError
from wsd.storage.result_files import UNEXPECTED


class Spent(NamedTuple):
    """Processor seconds of the selected configuration, without and with the search for it."""

    chosen: float
    searched: float


@dataclass(frozen=True)
class Costs:
    """The processor times of one run. A log has the relative path of the step's file.

    Attributes
    ----------
    run : RunMap
    logs : Path
        The folder of the logs of the dataset's steps.
    trains : tuple of str
        All training sets of the run, with every draw.
    """

    run: RunMap
    logs: Path
    trains: tuple[str, ...]

    def _step(self, name: str) -> float:
        """Return the time of the step that made a file."""
        return step_seconds(self.run, self.logs, name)

    def embedding(self, model: str) -> float:
        """Return the time of embedding: all words, views and layers, in one job or several."""
        return embedding_seconds(self.run, self.logs, model)

    def classifying(self, model: str, train: str, view: str, layers: str, classifier: str) -> float:
        """Return the time of tuning and fitting a feature set and classifier, and predicting.

        One job does all further training sets. Draws of one setting share its time equally; the
        time of other training sets is unknown.
        """

        def job(name: str) -> float:
            return self._step(f"{model}/predictions/{name}/{view}/{layers}.{classifier}.parquet")

        if train == FULL:
            return job(FULL)
        further = [name for name in self.trains if name != FULL]
        if len({setting(name)[0] for name in further}) > 1:
            return nan
        # One of the training sets has the log.
        times = (seconds for seconds in map(job, further) if not isnan(seconds))
        return next(times, nan) / len(further)

    def baseline(self, name: str) -> float:
        """Return the time of a baseline without an encoder."""
        return self._step(f"baselines/{name}.parquet")

    def substitutes(self, model: str) -> float:
        """Return the time of the bag of substitutes, with the substitutes themselves."""
        bags = self._step(f"{model}/baselines/bag_of_substitutes.parquet")
        return self._step(f"{model}/substitutes/words.json") + bags

    def zero_shot(self, model: str, layers: str) -> float:
        """Return the time of embedding sentences and glosses, and taking the nearest gloss."""
        glosses = self._step(f"{model}/gloss-vectors/alignment.1.json")
        nearest = self._step(f"{model}/zero-shot/{layers}.gloss.parquet")
        return self.embedding(model) + glosses + nearest

    def classifying_selected(self, model: str) -> float:
        """Return the time of fitting the selection per word and of predicting with it."""
        return self._step(f"{model}/predictions/{FULL}/per-word/per-word.per-word.parquet")

    def finetuning(self, model: str, train: str) -> Spent:
        """Return the mean time of a seed, without and with the time of all trials."""
        with suppress(OSError, ResultError, *UNEXPECTED):
            rows = pd.read_csv(self.run.file(f"{model}/finetune/{train}/costs.csv"))
            seconds = rows["processor_seconds"].astype(float)
            seed = float(seconds[rows["seed"].notna()].mean()) or nan
            return Spent(seed, seed + fsum(seconds[rows["seed"].isna()]))
        return Spent(nan, nan)
