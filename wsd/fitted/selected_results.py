"""Read the selected configuration, tables and sentences of a dataset's results.

`wsd fit`, `wsd predict` and `wsd calibration` use it.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import pandas as pd

from wsd.artifacts import find_runs
from wsd.artifacts.column_names import ALL_WORDS
from wsd.artifacts.corpus_table import Corpus, read
from wsd.artifacts.dataset import DATASETS, MANIFEST, Dataset, read_manifest
from wsd.artifacts.encoder_record import read_record
from wsd.artifacts.feature_set import Features, parse_features
from wsd.artifacts.find_runs import SELECTION
from wsd.artifacts.run_json import RUN_MAP, SOURCE, TABLES, RunMap, Words
from wsd.artifacts.senses import SenseText, sense_texts
from wsd.artifacts.training_set import FULL, Folds, read_folds
from wsd.errors import ConfigError, ResultError, WsdError, unknown_choice
from wsd.logs import log
from wsd.storage.csv import read_csv
from wsd.storage.file_names import file_name

PREDICTIONS = re.compile(
    r"(?P<model>[^/]+)/predictions/(?P<train>[^/]+)/(?P<view>[^/]+)"
    r"/(?P<layers>[^/]+)\.(?P<classifier>[^./]+)\.parquet"
)
MOST = 20  # configurations that an error lists


@dataclass(frozen=True)
class Configuration:
    """The selected configuration, or another candidate that the user names."""

    model: str
    view: str
    layers: str
    classifier: str

    def __str__(self) -> str:
        return f"{self.model}, {self.view}, layers {self.layers}, {self.classifier}"

    def features(self, blocks: int) -> Features:
        """Return the views and layer choices, for an encoder of ``blocks`` blocks."""
        return parse_features(self.view, self.layers, blocks)


class Results:
    """The results of one run of a dataset.

    Parameters
    ----------
    folder : Path
        ``results/<dataset>``, the folder of a run's tables, or the map of a run.
    run : str, optional
        Its name. By default the run without a name, or else the only run.
    """

    def __init__(self, folder: Path, run: str | None = None) -> None:
        self.folder, self._run = folder, run
        # Fitting a word and quoting its sentences read the same table.
        self._read = lru_cache(maxsize=1)(read)

    @cached_property
    def map(self) -> RunMap:
        """Return the map of the run's files; warn if the run was started again.

        Raises
        ------
        ConfigError, ResultError
            If no run is finished, or there are several runs and none was named.
        """
        if self.folder.is_file():
            return RunMap(self.folder)
        run = find_runs.choose_run(self.folder, RUN_MAP, self._run)
        if run is None:
            near = (self.folder, self.folder.parent)
            known = dict.fromkeys(line for at in near for line in find_runs.described_runs(at))
            fix = f"name one of {'; '.join(known)}" if known else "run snakemake first"
            problem = f"no {RUN_MAP} here: no run of this version is finished"
            raise ResultError(problem, where=str(self.folder), fix=fix)
        tables = find_runs.tables_of(self.folder, run)
        started = find_runs.started_runs(self.folder).get(run)
        if started and find_runs.run_state(RunMap(started), tables) == find_runs.UNFINISHED:
            text = "%s of %s was started again and is not finished: these are its former results"
            log.warning(text, find_runs.run_label(run), self.folder)
        return RunMap(tables / RUN_MAP)

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Return the names of the run's models, first those of the config, in its order."""
        stored = [name.split("/")[0] for name in self.map.files if Path(name).name == "model.json"]
        order = [entry["name"] for entry in self.map.config.get("models", ())]
        return tuple(dict.fromkeys([*(name for name in order if name in stored), *stored]))

    def blocks(self, model: str) -> int:
        """Return the number of a model's blocks."""
        return int(read_record(self.map.file(f"{model}/model.json"))["blocks"])

    def layer_name(self, layers: str | int, view: str | None, model: str | None) -> str:
        """Return the standard name of a layer choice, such as ``6`` for ``-1``."""
        with suppress(WsdError, IndexError):  # the caller lists the names
            blocks = self.blocks(model or self.models[0])
            return parse_features(view or "focal", str(layers), blocks).layers
        return str(layers)

    def stored(self, pattern: re.Pattern[str]) -> pd.DataFrame:
        """Return the named groups of a pattern that matches paths of the run's files.

        Parameters
        ----------
        pattern : re.Pattern
            Such as :data:`PREDICTIONS`.

        Returns
        -------
        DataFrame
            A row per path that matches, a column per group.
        """
        found = map(pattern.fullmatch, self.map.files)
        rows = [match.groups() for match in found if match]
        return pd.DataFrame(rows, columns=list(pattern.groupindex), dtype=object)

    def choose(
        self,
        model: str | None = None,
        view: str | None = None,
        layers: str | int | None = None,
        classifier: str | None = None,
        *,
        train: str = FULL,
    ) -> Configuration:
        """Return the only configuration with these names, or the best of them.

        The best one has the highest score in cross-validation. Without names this is the selected
        configuration of the best model. The configurations of a control, such as a fine-tuned
        encoder, have no such score: one is named in full.

        Raises
        ------
        ConfigError
            If nothing has these names, or several configurations that cross-validation has not
            compared. It lists the possible names.
        """
        if layers is not None:
            layers = self.layer_name(layers, view, model)
        names = {"model": model, "view": view, "layers": layers, "classifier": classifier}
        rows = narrowed(self.stored(PREDICTIONS), {"train": train, **names}, "predictions")
        fitting = [Configuration(*row) for row in rows[list(names)].itertuples(index=False)]
        if len(fitting) == 1:
            return fitting[0]
        table = read_csv(self.map.file(SELECTION))
        table = table[(table["train"] == FULL) & (table["scope"] == ALL_WORDS)]
        # The selected configuration of a model comes first, before others with its objective.
        table = table.sort_values("objective", ascending=False, kind="stable")
        for row in table[list(names)].itertuples(index=False):
            if (best := Configuration(*map(str, row))) in fitting:
                return best
        problem = f"{len(fitting)} configurations have these names, and none was selected"
        fix = f"choose among {'; '.join(map(str, fitting[:MOST]))}"
        raise ConfigError(problem, where="configuration", fix=fix)

    def predictions(self, configuration: Configuration, train: str = FULL) -> Path:
        """Return the path of the predictions of a configuration, on a training set."""
        model, view, layers, classifier = vars(configuration).values()
        return self.map.file(f"{model}/predictions/{train}/{view}/{layers}.{classifier}.parquet")

    def vectors(self, configuration: Configuration) -> Words:
        """Return the vectors of a configuration's model."""
        return self.map.words(f"{configuration.model}/embeddings")

    @cached_property
    def folds(self) -> Folds:
        """Return the folds of the full training set."""
        return read_folds(self.map.file(f"folds/{FULL}.parquet"))

    def corpus(self, word: str) -> Corpus:
        """Return a word's corpus."""
        folder = self.map.file(f"corpus/{TABLES}").parent
        return self._read(folder / f"{file_name(word)}.parquet")

    @cached_property
    def dataset(self) -> Dataset | None:
        """Return the dataset of the results; None if it is unknown."""
        if self.map.has(SOURCE):
            manifest = self.map.file(SOURCE).with_suffix("") / MANIFEST
            if manifest.exists():
                return read_manifest(manifest)
        return DATASETS.get(self.map.folder.name)

    def sense_texts(self, corpus: Corpus) -> tuple[SenseText, ...]:
        """Return the names and glosses of a word's senses."""
        named = self.dataset.sense_texts if self.dataset else sense_texts
        return named(corpus.word, corpus.senses)


def narrowed(rows: pd.DataFrame, names: Mapping[str, str | None], what: str) -> pd.DataFrame:
    """Return the rows with these names; an unknown name is refused with a list of the known ones.

    Parameters
    ----------
    rows : DataFrame
    names : mapping of column to value
        None for any value.
    what : str
        The rows, as the error calls them.
    """
    for column, value in names.items():
        if value is not None:
            if value not in (known := rows[column].unique()):
                raise unknown_choice(f"no {what} with the {column} {value!r}", known, column)
            rows = rows[rows[column] == value]
    return rows
