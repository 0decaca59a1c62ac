"""What steps took in processor time, as far as it is on record.

Every step that ends well says so in the last line of its log, with the processor time that it took
over all cores. `wsd finetune` writes more, ``costs.csv``, with a row per trial and per seed. What
is not on record is NaN, and so is every sum that it is part of.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import fsum, isnan, nan
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from wsd.artifacts.run_map import RunMap
from wsd.artifacts.training_set import FULL, setting
from wsd.errors import ResultError
from wsd.logs import DONE_BEFORE
from wsd.storage.checksums import STORE
from wsd.storage.result_files import UNEXPECTED


class Spent(NamedTuple):
    """Processor seconds: of what was chosen, and with all that it was chosen among."""

    chosen: float
    searched: float


def processor_seconds(log: Path) -> float:
    """What a step took; NaN if its log is missing or none, or does not end well, or says that an
    earlier step has done a part.
    """
    with suppress(OSError, *UNEXPECTED):
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        seconds = float(lines[-1]["processor_seconds"])
        whole = not any(line.get(DONE_BEFORE) for line in lines)
        return seconds if whole and 0 < seconds < float("inf") else nan
    return nan


def _sum(seconds: Iterable[float]) -> float:
    """What several steps took together; NaN if one of them is not on record, or there is none."""
    found = list(seconds)
    return fsum(found) if found else nan


@dataclass(frozen=True)
class Costs:
    """The records of one run. The log of a step lies where its file does, below the logs.

    Attributes
    ----------
    run : RunMap
    logs : Path
        The folder of the logs of the dataset's steps.
    trains : tuple of str
        All its training sets, every draw.
    """

    run: RunMap
    logs: Path
    trains: tuple[str, ...]

    def _of(self, name: str) -> float:
        """What the step took that made a file."""
        if name not in self.run.files:
            return nan
        kept = Path(self.run.files[name].removeprefix(f"{STORE}/"))
        return processor_seconds(self.logs / kept.with_suffix(".log"))

    def embedding(self, model: str) -> float:
        """Every layer of every stored view of all words, in one job or several."""
        of = f"{model}/embeddings/alignment."
        return _sum(self._of(name) for name in self.run.files if name.startswith(of))

    def classifying(self, model: str, train: str, view: str, layers: str, classifier: str) -> float:
        """One feature set and classifier: tuned on folds, fitted and applied.

        All further training sets are done in one job: where they are draws of one setting, each
        has an equal share of it; of other ones it is not on record what each took.
        """

        def predictions(of: str) -> float:
            return self._of(f"{model}/predictions/{of}/{view}/{layers}.{classifier}.parquet")

        if train == FULL:
            return predictions(FULL)
        further = [of for of in self.trains if of != FULL]
        if len({setting(of)[0] for of in further}) > 1:
            return nan
        # The log lies where the files of one of them do.
        taken = (seconds for seconds in map(predictions, further) if not isnan(seconds))
        return next(taken, nan) / len(further)

    def baseline(self, name: str) -> float:
        """A baseline without an encoder."""
        return self._of(f"baselines/{name}.parquet")

    def substitutes(self, model: str) -> float:
        """Asking a model for substitutes, and learning from bags of them."""
        bags = self._of(f"{model}/baselines/bag_of_substitutes.parquet")
        return self._of(f"{model}/substitutes/words.json") + bags

    def zero_shot(self, model: str, layers: str) -> float:
        """Embedding sentences and glosses, and taking the nearest gloss."""
        of_glosses = self._of(f"{model}/gloss-vectors/alignment.1.json")
        nearest = self._of(f"{model}/zero-shot/{layers}.gloss.parquet")
        return self.embedding(model) + of_glosses + nearest

    def classifying_selected(self, model: str) -> float:
        """Fitting and applying what each word's folds chose."""
        return self._of(f"{model}/predictions/{FULL}/per-word/per-word.per-word.parquet")

    def finetuning(self, model: str, train: str) -> Spent:
        """One seed, on average; and with every trial. Seeds are no search: none is picked."""
        with suppress(OSError, ResultError, *UNEXPECTED):
            rows = pd.read_csv(self.run.file(f"{model}/finetune/{train}/costs.csv"))
            seconds = rows["processor_seconds"].astype(float)
            one = float(seconds[rows["seed"].notna()].mean()) or nan
            return Spent(one, one + fsum(seconds[rows["seed"].isna()]))
        return Spent(nan, nan)
