"""Read the files of a report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import NAMES
from wsd.artifacts.corpus_table import Corpora, Corpus
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.neighbour_table import Neighbours, read_neighbours
from wsd.artifacts.predictions import TEST, WordPredictions, lacking, read_predictions
from wsd.artifacts.projection import Projection, read_projections
from wsd.artifacts.training_set import FULL
from wsd.errors import ResultError, wrong_file
from wsd.report.pages.report_data import having, kind_of_scores
from wsd.report.pages.study_sections import Extension
from wsd.report.tables import TABLES
from wsd.storage.csv import read_csv
from wsd.storage.json import read_json

T = TypeVar("T")
Read = Callable[[Path], tuple[Mapping[str, T], dict[str, Any]]]
# By model, layer choice, and method or classifier ("" for neighbours): the content by word.
Files = dict[tuple[str, str, str], dict[str, T]]


@dataclass(frozen=True)
class ReportInputs:
    """The files of a report, and the settings of its pages.

    Attributes
    ----------
    dataset : Dataset
        Named, licensed and cited on the pages.
    corpora : mapping of word to Corpus
    predictions, projections, neighbours : sequences of Path
        For any models; files of other views than ``view`` are ignored. The order of the projections
        is the order of the models.
    tables : mapping of name to sequence of Path
        The CSV files of ``TABLES``: one file for all models, or one per model.
    provenance : Path
        Written by `wsd evaluate`.
    view : str
        The pages show curves, tables and plots of this view.
    text : bool
        Whether the pages may contain the corpus's sentences.
    run : mapping
        ``config`` and ``command`` of the run, if the provenance lacks them.
    extensions : sequence of Extension
        The additions of studies.
    """

    dataset: Dataset
    corpora: Corpora
    predictions: Sequence[Path]
    projections: Sequence[Path]
    neighbours: Sequence[Path]
    tables: Mapping[str, Sequence[Path]]
    provenance: Path
    view: str
    text: bool
    run: Mapping[str, Any] = field(default_factory=dict)
    extensions: Sequence[Extension] = ()


@dataclass(frozen=True, eq=False)
class Results:
    """The files of the shown view."""

    projections: Files[Projection]
    neighbours: Files[Neighbours]
    predictions: Files[WordPredictions]

    @cached_property
    def grid(self) -> list[tuple[str, str]]:
        """Every model and layer choice, in the order of the projections."""
        return list(dict.fromkeys((model, layers) for model, layers, _ in self.projections))

    @property
    def models(self) -> list[str]:
        """The models in the order of the projections, which is the order of the config."""
        return list(dict.fromkeys(model for model, _ in self.grid))

    @property
    def methods(self) -> list[str]:
        """The projection methods."""
        return list(dict.fromkeys(method for _, _, method in self.projections))

    def choices(self, model: str) -> list[str]:
        """Return the names of the layer choices of a model."""
        return [layers for name, layers in self.grid if name == model]

    @cached_property
    def classifiers(self) -> dict[str, str]:
        """The kind of confidence of each classifier."""
        predictions: dict[str, list[WordPredictions]] = {}
        for (_, _, classifier), words in self.predictions.items():
            predictions.setdefault(classifier, []).extend(words.values())
        return {name: kind_of_scores(predictions[name]) for name in sorted(predictions)}


def read_results(inputs: ReportInputs) -> Results:
    """Read the files of the shown view, and check that they are for the corpus."""
    results = Results(
        _read_files(inputs.projections, read_projections, inputs),
        _read_files(inputs.neighbours, read_neighbours, inputs),
        _read_files(inputs.predictions, _read_test_predictions, inputs),
    )
    if not results.projections:
        problem = f"there is no projection of the view {inputs.view!r}"
        raise ResultError(problem, fix="run `wsd project` for this view, or choose another view")
    if not results.predictions:
        raise ResultError("there are no predictions to show", fix="give --predictions")
    return results


def _read_files(paths: Sequence[Path], read: Read[T], inputs: ReportInputs) -> Files[T]:
    """Read the files of the shown view and, if fitted, of the full training set."""
    files = {}
    for path in paths:
        words, provenance = read(path)
        if provenance["view"] != inputs.view or provenance.get("train", FULL) != FULL:
            continue
        for word, corpus in inputs.corpora.items():
            if word not in words:
                raise lacking(word, words, path)
            same = provenance["corpus"].get(word) == corpus.digest
            if not same or not _has_instances_of(words[word], corpus):
                raise wrong_file(f"the table has other instances of {word!r} than the corpus", path)
        kind = provenance.get("method") or provenance.get("classifier") or ""
        model = provenance["encoder"]["model"]["name"]
        files[model, provenance["layers"], kind] = {word: words[word] for word in inputs.corpora}
    return files


def _read_test_predictions(path: Path) -> tuple[dict[str, WordPredictions], dict[str, Any]]:
    predictions, provenance = read_predictions(path)
    return {word.word: word for word in predictions if word.split == TEST}, provenance


def _has_instances_of(content: Any, corpus: Corpus) -> bool:
    """Return whether predictions are for these instances, and other content for as many."""
    if isinstance(content, Projection):
        return len(content.points) == len(corpus)
    if isinstance(content, Neighbours):
        return len(content.rows) == len(corpus)
    test = corpus.split == TEST
    return (
        content.senses == corpus.senses
        and np.array_equal(content.index, corpus.index[test])
        and np.array_equal(content.gold, corpus.gold[test])
    )


def read_provenance(path: Path) -> dict[str, Any]:
    """Read the provenance of `wsd evaluate`."""
    return read_json(path)


# Columns of a table without rows, such as the controls of a run that has none.
EMPTY = (*NAMES, "train", "metric", "reference", "reference_model", "test", "word", "scores")


def read_all_tables(
    paths: Mapping[str, Sequence[Path]], models: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Read every table; scores are for the test split and the full training set."""
    tables = {name: read_tables(paths.get(name, ())) for name in TABLES}
    for name in ("scores", "summary"):
        table = having(tables[name], train=FULL, test=TEST)
        tables[name] = table[table["model"].isin(models)].reset_index(drop=True)
    return tables


def read_tables(paths: Sequence[Path]) -> pd.DataFrame:
    """Read a table that is one file, or a file per model."""
    tables = [table for table in map(read_csv, paths) if len(table)]
    return pd.concat(tables or [pd.DataFrame(columns=EMPTY)]).reset_index(drop=True)
