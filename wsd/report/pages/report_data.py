"""The data of the pages: every word of every model over its layer choices, and the tables.

A study that extends the command ``report`` names a module with two functions:
``add_options(parser)`` adds its options, and ``load(args, corpora)`` returns an :class:`Extension`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from markupsafe import Markup

from wsd.artifacts.column_names import PUBLISHED, SYSTEM
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.feature_set import LayerChoice
from wsd.artifacts.instance_tables import Neighbours, Projection
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.report.pages.curves import classifier_numbers
from wsd.storage.file_names import file_name

# The confidence of a classifier: the probability of the predicted sense, or, if its scores are not
# probabilities, their margin over the next sense's.
PROBABILITY, LEAD = "probability", "lead"
# The split of sentences that the user adds to a page; they have no gold sense.
NEW = "new"


@dataclass(frozen=True, eq=False)
class WordResults:
    """One word in one model; lists and first axes are over layer choices, in their order.

    Attributes
    ----------
    corpus : Corpus
        Without out-of-domain instances. A page of new sentences has them in a last split, ``NEW``,
        with the gold sense -1.
    projections : mapping of method to list of Projection
        Signs of axes are aligned between neighbouring layer choices, except for t-SNE.
    missing : mapping of method to str
        The methods that gave no projection of the word, and why.
    neighbours : list of Neighbours
        Their rows are rows of ``corpus``.
    predicted : mapping of classifier to int array of shape (choices, n_test)
        In the order of the corpus's test and new rows; indices into its senses.
    confidence : mapping of classifier to float array of shape (choices, n_test)
    scores : mapping of classifier to list of mappings of metric to fraction
    """

    corpus: Corpus
    projections: dict[str, list[Projection]]
    missing: dict[str, str]
    neighbours: list[Neighbours]
    predicted: dict[str, np.ndarray]
    confidence: dict[str, np.ndarray]
    scores: dict[str, list[dict[str, float]]]

    @property
    def n_train(self) -> int:
        """Number of training instances."""
        return int((self.corpus.split == "train").sum())

    @property
    def n_test(self) -> int:
        """Number of test instances."""
        return int((self.corpus.split == TEST).sum())

    def take(self, kept: np.ndarray) -> WordResults:
        """Return some of the instances; the scores still describe all instances.

        Parameters
        ----------
        kept : bool array of shape (len(corpus),)
            A neighbour that is not kept is missing.
        """
        tests = kept[np.isin(self.corpus.split, (TEST, NEW))]
        projections = self.projections.items()
        return replace(
            self,
            corpus=self.corpus.take(kept),
            projections={
                m: [replace(p, points=p.points[kept]) for p in own] for m, own in projections
            },
            neighbours=[_renumbered(neighbours, kept) for neighbours in self.neighbours],
            predicted={name: senses[:, tests] for name, senses in self.predicted.items()},
            confidence={name: values[:, tests] for name, values in self.confidence.items()},
        )


def _renumbered(neighbours: Neighbours, kept: np.ndarray) -> Neighbours:
    numbers = np.where(kept, np.cumsum(kept) - 1, -1)
    rows = np.where(neighbours.rows >= 0, numbers[neighbours.rows], -1)[kept]
    return Neighbours(rows.astype(np.int32), neighbours.similarity[kept], neighbours.score)


class Section(NamedTuple):
    """A section of the layers page: its anchor, its entry in the contents, its HTML."""

    anchor: str
    title: str
    html: Markup


class Extension:
    """The addition of one study; every method adds nothing by default.

    Attributes
    ----------
    name : str
        The name of the study.
    tables : mapping of name to DataFrame
        Tables that the report offers for download next to its own.
    word_scripts : sequence of str
        Scripts of the word pages, as paths below ``wsd/studies``. A script may define
        ``wsd.wordExtensions[name]``, which ``word-data.js`` calls with :meth:`word_values`.
    """

    name: str = ""
    tables: Mapping[str, pd.DataFrame] = {}
    word_scripts: Sequence[str] = ()

    def layer_sections(self, report: Report) -> Iterable[Section]:
        """Return sections for the layers page."""
        return ()

    def sense_note(self, report: Report, model: str, word: str, sense: str) -> str | Markup:
        """Return a note for a sense in the legend of a word page."""
        return ""

    def word_values(self, model: str, corpus: Corpus, order: np.ndarray) -> Any:
        """Return values for the script of a word page, as JSON; None if there are none.

        Parameters
        ----------
        model : str
        corpus : Corpus
            The instances on the page.
        order : int array of shape (len(corpus),)
            The corpus's rows in the order of the page.
        """
        return None


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that the pages show.

    Classifiers were trained on the full training set and tested on the test split; other training
    sets and test sentences are in the tables.

    Attributes
    ----------
    dataset : Dataset
    view : str
    choices : mapping of model to list of LayerChoice
        Single layers first.
    classifiers : mapping of classifier to kind of confidence
    words : mapping of model to mapping of word to WordResults
    provenance : dict
    tables : mapping of name to DataFrame
        Scores and comparisons; see ``TABLES``. A table that does not apply to the run is empty.
    text : bool
        Whether the pages may contain the corpus's sentences.
    extensions : sequence of Extension
        The additions of studies.
    """

    dataset: Dataset
    view: str
    choices: dict[str, list[LayerChoice]]
    classifiers: dict[str, str]
    words: dict[str, dict[str, WordResults]]
    provenance: dict[str, Any]
    tables: dict[str, pd.DataFrame]
    text: bool
    extensions: Sequence[Extension] = ()

    def rows(self, table: str, **equal: Any) -> pd.DataFrame:
        """Return the rows of a table that have these values in these columns."""
        return having(self.tables[table], **equal)

    @property
    def pages(self) -> list[tuple[str, str]]:
        """The model and word of every word page."""
        return [(model, word) for model, words in self.words.items() for word in words]

    def page(self, model: str, word: str) -> str:
        """Return the path of a word's page; the first model's pages are in ``words/`` itself."""
        folder = "" if model == next(iter(self.choices)) else f"{model}/"
        return f"words/{folder}{file_name(word)}.html"

    def word_layers(self, model: str, word: str, classifier: str) -> pd.DataFrame:
        """Return a word's scores with a classifier, a row per layer choice of the view."""
        return self._word_layers[model, word, classifier]

    @cached_property
    def _word_layers(self) -> dict[Any, pd.DataFrame]:
        table = self.rows("word-layers", view=self.view)
        return dict(iter(table.groupby(["model", "word", "classifier"], sort=False)))

    @cached_property
    def styles(self) -> dict[str, int]:
        """The number of each classifier's series, the same in every plot."""
        return classifier_numbers([*self.tables["layers"]["classifier"], *self.classifiers])

    @property
    def title(self) -> str:
        """The title of the dataset, and the run if it has a name."""
        run = self.provenance.get("config", {}).get("run")
        return f"{self.dataset.title}, run {run}" if run else self.dataset.title

    @property
    def sampled(self) -> str:
        """What varies in intervals and tests: whole documents, if the corpus names them."""
        words = [self.words[model][word] for model, word in self.pages]
        return "documents" if any(w.corpus.document is not None for w in words) else "sentences"

    @property
    def other_systems(self) -> pd.DataFrame:
        """A row of the comparison per published system and per system of the user."""
        compared = self.tables["comparison"]
        systems = compared[compared["kind"].isin([PUBLISHED, SYSTEM])]
        return systems.drop_duplicates(["kind", "model"])


def having(table: pd.DataFrame, **equal: Any) -> pd.DataFrame:
    """Return the rows that have these values in these columns."""
    for column, value in equal.items():
        table = table if table.empty else table[table[column] == value]
    return table


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, as templates take them; a missing number is NaN."""
    return [
        {str(key): np.nan if value is pd.NA else value for key, value in row.items()}
        for row in table.to_dict("records")
    ]


def confidence_of(predictions: WordPredictions, kind: str) -> np.ndarray:
    """Return how confident a classifier is of each prediction.

    Parameters
    ----------
    predictions : WordPredictions
    kind : str
        ``"probability"`` of the predicted sense; or ``"lead"``, the difference between the
        predicted sense's score and the highest other score (0 if there is no other sense).

    Returns
    -------
    float array of shape (n,)
    """
    rows = np.arange(len(predictions.predicted))
    own = predictions.scores[rows, predictions.predicted]
    if kind == PROBABILITY:
        return np.asarray(own, dtype=float)
    others = predictions.scores.copy()
    others[rows, predictions.predicted] = np.nan
    highest = np.where(np.isnan(others), -np.inf, others).max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(highest), own - highest, 0.0)


def kind_of_scores(words: Iterable[WordPredictions]) -> str:
    """Return ``PROBABILITY`` if all scores of a classifier are probabilities, else ``LEAD``."""
    for scores in (predictions.scores for predictions in words if len(predictions.scores)):
        if np.nanmin(scores) < 0 or np.abs(np.nansum(scores, axis=1) - 1).max() > 1e-6:
            return LEAD
    return PROBABILITY


def sentence(corpus: Corpus, row: int) -> dict[str, str]:
    """Return the focal word of an instance, and the text to its ``left`` and ``right``."""
    return dict(zip(("left", "focal", "right"), corpus.parts(row), strict=True))
