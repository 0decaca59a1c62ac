"""Read the selected configuration, tables and sentences of a dataset's results.

`wsd fit`, `wsd predict` and `wsd calibration` use it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from wsd.artifacts.column_names import ALL_WORDS
from wsd.artifacts.corpus_table import Corpus, read
from wsd.artifacts.dataset import DATASETS, MANIFEST, Dataset
from wsd.artifacts.feature_set import Features, parse_features
from wsd.artifacts.find_runs import SELECTION, choose_run, runs_with, tables_of
from wsd.artifacts.fold_table import Folds
from wsd.artifacts.fold_table import read as read_folds
from wsd.artifacts.manifest import read_manifest
from wsd.artifacts.run_json import RUN_MAP, SOURCE, TABLES, RunMap, Words
from wsd.artifacts.senses import SenseText, sense_texts
from wsd.artifacts.training_set import FULL
from wsd.errors import ConfigError, DamageError, ModelError, ResultError
from wsd.fitted.word_classifier import FittedWord
from wsd.storage.csv import read_csv
from wsd.storage.file_names import file_name


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
        """Return the map of the run's files.

        Raises
        ------
        ConfigError, ResultError
            If the run has no selection, or there are several runs and none was named.
        """
        if self.folder.is_file():
            return RunMap(self.folder)
        run = choose_run(self.folder, SELECTION, self._run)
        if run is None:
            # Skip the hidden folder of checksums, which has the same file names.
            folders = self.folder.glob("[!.]*")
            below = sorted(str(folder) for folder in folders if runs_with(folder, SELECTION))
            fix = f"name one of {', '.join(below)}" if below else "run snakemake first"
            raise ResultError("nothing was selected here yet", where=str(self.folder), fix=fix)
        path = tables_of(self.folder, run) / RUN_MAP
        if not path.exists():
            problem = f"no {RUN_MAP} next to the tables: they are of an earlier version"
            raise ResultError(problem, where=str(path.parent), fix="run snakemake again")
        return RunMap(path)

    def choose(
        self,
        model: str | None = None,
        view: str | None = None,
        layers: str | None = None,
        classifier: str | None = None,
    ) -> Configuration:
        """Return the best candidate by cross-validation, among those with the given names.

        Without names this is the selected configuration of the best model. The configurations of a
        control, such as a fine-tuned encoder, are no candidates: one is named in full.

        Raises
        ------
        ConfigError
            If no candidate and no control has these names. It lists the possible names.
        """
        path = self.map.file(SELECTION)
        table = read_csv(path)
        table = table[(table["train"] == FULL) & (table["scope"] == ALL_WORDS)]
        names = {"model": model, "view": view, "layers": layers, "classifier": classifier}
        controls = self._configurations(model) if model else []
        if controls and model not in table["model"].tolist():
            return _control(controls, names)
        for column, value in names.items():
            known = table[column].unique().tolist()
            if value is not None and value not in known:
                problem = f"no candidate has the {column} {value!r}"
                fix = "or add it to the config and run snakemake"
                fix = f"choose among {', '.join(known)}, {fix}"
                raise ConfigError(problem, where=f"--{column}", fix=fix)
            if value is not None:
                table = table[table[column] == value]
        # The selected configuration of a model comes first, before others with its objective.
        best = table.sort_values("objective", ascending=False, kind="stable").iloc[0]
        return Configuration(*(str(best[name]) for name in names))

    def _configurations(self, model: str) -> list[Configuration]:
        """Return the configurations of which a model has predictions."""
        start = f"{model}/predictions/{FULL}/"
        names = [name.removeprefix(start) for name in self.map.files if name.startswith(start)]
        parts = (name.removesuffix(".parquet").split("/") for name in names)
        return [Configuration(model, view, *rest.rsplit(".", 1)) for view, rest in parts]

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
        if self.dataset:
            return self.dataset.sense_texts(corpus.word, corpus.senses)
        return sense_texts(corpus.word, corpus.senses)


def _control(known: Sequence[Configuration], names: Mapping[str, str | None]) -> Configuration:
    """Return the only configuration with these names."""
    named = {column: value for column, value in names.items() if value is not None}
    fitting = [entry for entry in known if named.items() <= vars(entry).items()]
    if len(fitting) != 1:
        problem = f"{names['model']} is a control, and {len(fitting)} of its configurations fit"
        listed = ", ".join(f"{entry.layers} {entry.classifier}" for entry in known)
        fix = f"choose by --layers and --classifier among {listed}"
        raise ConfigError(problem, where="--model", fix=fix)
    return fitting[0]


def training_sentences(results: Results, word: FittedWord) -> list[str] | None:
    """Return the sentences that a word was fitted on; None if the results have another corpus."""
    try:
        table = results.corpus(word.word)
    except DamageError:
        raise
    except ResultError:  # there is no table
        return None
    if table.digest != word.corpus:
        return None
    if not np.isin(word.lines, table.index[table.split == "train"]).all():
        problem = f"the classifier of {word.word!r} was fitted on lines that its corpus lacks"
        fix = "make the model file again with `wsd fit`, or download it again"
        raise ModelError(problem, fix=fix)
    return [" ".join(table.tokens[row]) for row in table.training_rows(word.lines)]
