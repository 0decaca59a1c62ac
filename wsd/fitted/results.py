"""What `wsd fit` and `wsd predict` read of a dataset's results: the selected configuration, tables,
sentences.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus import Corpus, read
from wsd.artifacts.dataset import DATASETS, MANIFEST, Dataset
from wsd.artifacts.features import JOIN, Features, parse_features
from wsd.artifacts.folds import RUN_AGAIN, Folds, check_settings, check_words, described
from wsd.artifacts.folds import read as read_folds
from wsd.artifacts.manifest import of_results
from wsd.artifacts.runs import PROVENANCE, RUNS, SELECTION, choose_run, runs_with, tables_of
from wsd.artifacts.senses import SenseText, called
from wsd.artifacts.tables import ALL_WORDS
from wsd.artifacts.training_set import FULL
from wsd.errors import ConfigError, DamageError, ModelError, ResultError, WsdError
from wsd.fitted.fitted_word import FittedWord
from wsd.storage.csv import read_csv
from wsd.storage.expecting import expecting
from wsd.storage.file_names import file_name
from wsd.storage.json import read_json

DRAWN = "other"  # the view of a random word: one that has no meaning on new text


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
    """The folder of one dataset's results, and in it the tables of one run.

    Parameters
    ----------
    folder : Path
        ``results/<dataset>``.
    run : str, optional
        Its name. By default the run without a name; where there is none, the only one.
    """

    def __init__(self, folder: Path, run: str | None = None) -> None:
        self.folder, self._asked = folder, run
        # Fitting a word, finding it and quoting its sentences follow each other.
        self._read = lru_cache(maxsize=1)(read)

    @cached_property
    def tables(self) -> Path:
        """Where the tables of the run lie; all else is in ``folder``.

        Raises
        ------
        ConfigError, ResultError
            If the run has no selection, or none was named and there are several.
        """
        if self.folder.parent.name == RUNS and not (self.folder / "corpus").is_dir():
            fix = f"give --results {self.folder.parents[1]} --run {self.folder.name}"
            raise ConfigError(f"{self.folder} is one run's", where="--results", fix=fix)
        run = choose_run(self.folder, SELECTION, self._asked)
        if run is None:
            # Not the folder of checksums, which has a file of each name.
            folders = self.folder.glob("[!.]*")
            below = sorted(str(folder) for folder in folders if runs_with(folder, SELECTION))
            fix = f"name one of {', '.join(below)}" if below else "run snakemake first"
            raise ResultError("nothing was selected here yet", where=str(self.folder), fix=fix)
        return tables_of(self.folder, run)

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
        path = self.tables / SELECTION
        with expecting(path):
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
        folder = self.folder / of.model / "predictions" / FULL / of.view
        return folder / f"{of.layers}.{of.classifier}.parquet"

    def check_settings(self, of: Configuration, source: Mapping[str, Any]) -> None:
        """Refuse predictions that are of other settings than the run's selection.

        Runs share them, and one with other words, folds or search space makes them again.

        Parameters
        ----------
        of : Configuration
        source : mapping
            The provenance of its predictions.
        """
        path = self.tables / "selection.json"
        said = read_json(path)
        with expecting(path):
            words = said["chosen"][of.model][FULL]["words"]
            selected = {
                "objective": said["objective"],
                "folds": said["folds"][FULL],
                "space": said["space"][of.classifier],
                "words": sorted(words),
            }
        made = {key: source[key] for key in selected} | {"words": sorted(source["words"])}
        if others := [key for key, value in selected.items() if made[key] != value]:
            what = f"predictions of another run, with other {', '.join(others)}"
            if "folds" in others:
                what += f": {described(made['folds'])}; this run has {described(selected['folds'])}"
            elif "words" in others:
                what += f": of {len(made['words'])} words; this run has {len(words)}"
            raise ResultError(what, where=str(self.predictions(of)), fix=self.again)

    def folds(self, source: Mapping[str, Any]) -> Folds:
        """The folds of the full training set, if predictions were tuned on them.

        Parameters
        ----------
        source : mapping
            The provenance of the predictions.

        Raises
        ------
        ResultError
            If another run has drawn them since.
        """
        path = self.folder / "folds" / f"{FULL}.parquet"
        found = read_folds(path)
        check_settings(path, found, source["folds"], self.again)
        check_words(path, found, source["words"], self.again)
        return found

    @property
    def again(self) -> str:
        """What makes the files of this run again, to be told where they are another run's."""
        with suppress(WsdError, KeyError, TypeError):
            if command := read_json(self.tables / PROVENANCE)["command"]:
                return f"run `{command}` again, which computes this run's"
        return RUN_AGAIN

    def corpus(self, word: str) -> Corpus:
        """A word's table."""
        return self._read(self.folder / "corpus" / f"{file_name(word)}.parquet")

    @cached_property
    def dataset(self) -> Dataset:
        """What the results are of."""
        return of_results(self.folder)

    def called(self, corpus: Corpus) -> tuple[SenseText, ...]:
        """What people read in place of a word's senses; without a manifest nothing is given."""
        if self.folder.name in DATASETS or (self.folder / "source" / MANIFEST).exists():
            return self.dataset.called(corpus.word, corpus.senses)
        return called(corpus.word, corpus.senses)


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
