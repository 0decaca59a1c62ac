"""What `wsd fit` and `wsd predict` read of a dataset's results: the selected configuration, tables,
sentences.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from wsd.artifacts.column_names import ALL_WORDS
from wsd.artifacts.corpus_table import Corpus, read
from wsd.artifacts.dataset import DATASETS, MANIFEST, Dataset
from wsd.artifacts.feature_set import JOIN, Features, parse_features
from wsd.artifacts.fold_table import Folds
from wsd.artifacts.fold_table import read as read_folds
from wsd.artifacts.manifest import read_manifest
from wsd.artifacts.named_runs import SELECTION, choose_run, runs_with, tables_of
from wsd.artifacts.run_map import RUN_MAP, SOURCE, TABLES, RunMap, Words
from wsd.artifacts.senses import SenseText, sense_texts
from wsd.artifacts.training_set import FULL
from wsd.artifacts.view_names import DRAWN
from wsd.errors import ConfigError, DamageError, ModelError, ResultError
from wsd.fitted.word_classifier import FittedWord
from wsd.storage.csv import read_csv
from wsd.storage.file_names import file_name
from wsd.storage.result_files import parsing


@dataclass(frozen=True)
class Configuration:
    """What was selected, or what somebody asks for instead."""

    model: str
    view: str
    layers: str
    classifier: str

    def __str__(self) -> str:
        return f"{self.model}, {self.view}, layers {self.layers}, {self.classifier}"

    def features(self, blocks: int) -> Features:
        """The views and layer choices, of an encoder of ``blocks`` blocks."""
        return parse_features(self.view, self.layers, blocks)

    @property
    def is_usable(self) -> bool:
        """Whether it is of use on new text: a random word of the sentence cannot be drawn again."""
        return DRAWN not in self.view.split(JOIN)


class Results:
    """What one run of a dataset has made.

    Parameters
    ----------
    folder : Path
        ``results/<dataset>``, the folder of a run's tables, or the map of a run.
    run : str, optional
        Its name. By default the run without a name; where there is none, the only one.
    """

    def __init__(self, folder: Path, run: str | None = None) -> None:
        self.folder, self._asked = folder, run
        # Fitting a word, finding it and quoting its sentences follow each other.
        self._read = lru_cache(maxsize=1)(read)

    @cached_property
    def map(self) -> RunMap:
        """Where the files of the run are.

        Raises
        ------
        ConfigError, ResultError
            If the run has no selection, or none was named and there are several.
        """
        if self.folder.is_file():
            return RunMap(self.folder)
        run = choose_run(self.folder, SELECTION, self._asked)
        if run is None:
            # Not the folder of checksums, which has a file of each name.
            folders = self.folder.glob("[!.]*")
            below = sorted(str(folder) for folder in folders if runs_with(folder, SELECTION))
            fix = f"name one of {', '.join(below)}" if below else "run snakemake first"
            raise ResultError("nothing was selected here yet", where=str(self.folder), fix=fix)
        path = tables_of(self.folder, run) / RUN_MAP
        if not path.exists():
            what = f"no {RUN_MAP} beside the tables: they are of an earlier version"
            raise ResultError(what, where=str(path.parent), fix="run snakemake again")
        return RunMap(path)

    def choose(
        self,
        model: str | None = None,
        view: str | None = None,
        layers: str | None = None,
        classifier: str | None = None,
    ) -> Configuration:
        """The candidate that the folds say is best, among those that are as asked for.

        With nothing asked for, what was selected; of several models, that of the best of them.

        Raises
        ------
        ConfigError
            If no candidate is as asked for; it names what there is.
        """
        path = self.map.file(SELECTION)
        with parsing(path):
            table = read_csv(path)
            table = table[(table["train"] == FULL) & (table["scope"] == ALL_WORDS)]
            asked = {"model": model, "view": view, "layers": layers, "classifier": classifier}
            for column, value in asked.items():
                if value is None:
                    continue
                there = table[column].unique()
                if value not in there:
                    raise ConfigError(
                        f"no candidate has the {column} {value!r}",
                        where=f"--{column}",
                        fix=f"choose among {', '.join(there)}, or add it to the config and run "
                        "snakemake",
                    )
                table = table[table[column] == value]
            # Within a model what was selected comes first, though another may be as good.
            best = table.sort_values("objective", ascending=False, kind="stable").iloc[0]
            return Configuration(*(str(best[name]) for name in asked))

    def predictions(self, of: Configuration) -> Path:
        """Where the predictions of a configuration lie."""
        folder = f"{of.model}/predictions/{FULL}/{of.view}"
        return self.map.file(f"{folder}/{of.layers}.{of.classifier}.parquet")

    def vectors(self, of: Configuration) -> Words:
        """Where the vectors of its model lie."""
        return self.map.words(f"{of.model}/embeddings")

    @cached_property
    def folds(self) -> Folds:
        """The folds of the full training set."""
        return read_folds(self.map.file(f"folds/{FULL}.parquet"))

    def corpus(self, word: str) -> Corpus:
        """A word's table."""
        folder = self.map.file(f"corpus/{TABLES}").parent
        return self._read(folder / f"{file_name(word)}.parquet")

    @cached_property
    def dataset(self) -> Dataset | None:
        """What the results are of; None, if nothing says what."""
        if self.map.has(SOURCE):
            manifest = self.map.file(SOURCE).with_suffix("") / MANIFEST
            if manifest.exists():
                return read_manifest(manifest)
        return DATASETS.get(self.map.folder.name)

    def sense_texts(self, corpus: Corpus) -> tuple[SenseText, ...]:
        """What people read in place of a word's senses; without a manifest nothing is given."""
        if self.dataset:
            return self.dataset.sense_texts(corpus.word, corpus.senses)
        return sense_texts(corpus.word, corpus.senses)


def training_sentences(results: Results, word: FittedWord) -> list[str] | None:
    """The sentences that a word was fitted on; None if the results are of another table."""
    try:
        table = results.corpus(word.word)
    except DamageError:
        raise
    except ResultError:  # it is not there
        return None
    if table.digest != word.corpus:
        return None
    if not np.isin(word.lines, table.index[table.split == "train"]).all():
        what = f"the classifier of {word.word!r} was fitted on lines that its corpus has not"
        fix = "make the model file again with `wsd fit`, or get it again from where it came"
        raise ModelError(what, fix=fix)
    return [" ".join(table.tokens[row]) for row in table.training_rows(word.lines)]
