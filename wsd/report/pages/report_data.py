"""What the pages show: every word of every model over its layer choices, beside the tables."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import PUBLISHED, SYSTEM
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.layer_choice import LayerChoice
from wsd.artifacts.neighbour_table import Neighbours
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.artifacts.projection import Projection
from wsd.artifacts.substitute_table import Substitutes
from wsd.report.series import classifier_numbers

# What a classifier's confidence is: the probability of the sense that it predicts, or, where its
# scores are none, their lead over the next sense's.
PROBABILITY, LEAD = "probability", "lead"


@dataclass(frozen=True, eq=False)
class WordRun:
    """One word in one model; lists are over layer choices, in their order.

    Attributes
    ----------
    corpus : Corpus
        Without instances from out of domain.
    pictures : mapping of method to list of Projection
        Signs of axes are aligned between neighbouring layer choices, but for t-SNE.
    missing : mapping of method to str
        The methods that the word has no picture by, and why.
    neighbours : list of Neighbours
        Rows are those of ``corpus``.
    predicted : mapping of reader to list of int arrays of shape (n_test,)
        In the order of the corpus's test rows; indices into its senses.
    confidence : mapping of reader to list of float arrays of shape (n_test,)
    scores : mapping of reader to list of mappings of metric to fraction
    substitutes : Substitutes or None
        What the model would say in the word's place; of a model that was not asked, None.
    """

    corpus: Corpus
    pictures: dict[str, list[Projection]]
    missing: dict[str, str]
    neighbours: list[Neighbours]
    predicted: dict[str, list[np.ndarray]]
    confidence: dict[str, list[np.ndarray]]
    scores: dict[str, list[dict[str, float]]]
    substitutes: Substitutes | None = None

    @property
    def n_train(self) -> int:
        """Number of training instances."""
        return int((self.corpus.split == "train").sum())

    @property
    def n_test(self) -> int:
        """Number of test instances."""
        return len(self.corpus) - self.n_train

    def only(self, kept: np.ndarray) -> "WordRun":
        """Some of the instances; scores stay those of all.

        Parameters
        ----------
        kept : bool array of shape (len(corpus),)
            A neighbour that is not kept is none.
        """
        tests = kept[self.corpus.split == TEST]
        return replace(
            self,
            corpus=self.corpus.take(kept),
            pictures={
                method: [replace(of, points=of.points[kept]) for of in pictures]
                for method, pictures in self.pictures.items()
            },
            neighbours=[_of_kept(of, kept) for of in self.neighbours],
            predicted={name: [of[tests] for of in all_] for name, all_ in self.predicted.items()},
            confidence={name: [of[tests] for of in all_] for name, all_ in self.confidence.items()},
            substitutes=self.substitutes and self.substitutes.take(np.flatnonzero(kept)),
        )

    def wrong(self, reader: str, choice: int) -> int:
        """Number of test instances that a reader gets wrong at one layer choice."""
        gold = self.corpus.gold[self.corpus.split == TEST]
        return int((self.predicted[reader][choice] != gold).sum())


def _of_kept(found: Neighbours, kept: np.ndarray) -> Neighbours:
    """Neighbours with the row numbers that are left when other rows are taken out."""
    numbers = np.where(kept, np.cumsum(kept) - 1, -1)
    rows = np.where(found.rows >= 0, numbers[found.rows], -1)[kept]
    return Neighbours(rows.astype(np.int32), found.similarity[kept], found.score)


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that the pages show.

    A *reader* is a classifier. What is shown was trained on the full training set and tested on
    the test split; further training sets and test sentences are in the tables.

    Attributes
    ----------
    dataset : Dataset
    view : str
    choices : mapping of model to list of LayerChoice
        Single layers first.
    readers : mapping of reader to kind of confidence
    words : mapping of model to mapping of word to WordRun
    provenance : dict
    tables : mapping of name to DataFrame
        Scores and comparisons; see ``TABLES``. Those that a run has nothing for have no rows.
    text : bool
        Whether the corpus's sentences may stand on the pages.
    """

    dataset: Dataset
    view: str
    choices: dict[str, list[LayerChoice]]
    readers: dict[str, str]
    words: dict[str, dict[str, WordRun]]
    provenance: dict[str, Any]
    tables: dict[str, pd.DataFrame]
    text: bool

    def rows(self, table: str, **equal: Any) -> pd.DataFrame:
        """The rows of a table that have these values in these columns."""
        return having(self.tables[table], **equal)

    def word_layers(self, model: str, word: str, reader: str) -> pd.DataFrame:
        """What a classifier makes of a word, a row per layer choice of the view."""
        return self._word_layers[model, word, reader]

    @cached_property
    def _word_layers(self) -> dict[Any, pd.DataFrame]:
        table = self.rows("word-layers", view=self.view)
        return dict(iter(table.groupby(["model", "word", "classifier"], sort=False)))

    @cached_property
    def styles(self) -> dict[str, int]:
        """The number of each classifier's series, the same in every plot."""
        return classifier_numbers([*self.tables["layers"]["classifier"].unique(), *self.readers])

    @property
    def title(self) -> str:
        """The title of the dataset, and the run if it has a name."""
        run = self.provenance.get("config", {}).get("run")
        return f"{self.dataset.title}, run {run}" if run else self.dataset.title

    @property
    def others(self) -> pd.DataFrame:
        """A row of the comparison for each system from elsewhere, published or the user's."""
        compared = self.tables["comparison"]
        found = compared[compared["kind"].isin([PUBLISHED, SYSTEM])]
        return found.drop_duplicates(["kind", "model"])


def having(table: pd.DataFrame, **equal: Any) -> pd.DataFrame:
    """The rows that have these values in these columns."""
    for column, value in equal.items():
        table = table[table[column] == value]
    return table


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, as templates take them; a missing number is NaN."""
    return [
        {str(key): np.nan if value is pd.NA else value for key, value in row.items()}
        for row in table.to_dict("records")
    ]


def confidence_of(of: WordPredictions, kind: str) -> np.ndarray:
    """How sure a classifier is of each prediction.

    Parameters
    ----------
    of : WordPredictions
    kind : str
        ``"probability"``, of the predicted sense; or ``"lead"``, the predicted sense's score less
        the highest of the others (0 where there is no other).

    Returns
    -------
    float array of shape (n,)
    """
    rows = np.arange(len(of.predicted))
    own = of.scores[rows, of.predicted]
    if kind == PROBABILITY:
        return np.asarray(own, dtype=float)
    others = of.scores.copy()
    others[rows, of.predicted] = np.nan
    found = np.where(np.isnan(others), -np.inf, others).max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(found), own - found, 0.0)


def kind_of_scores(words: Iterable[WordPredictions]) -> str:
    """What one classifier's scores are, on all layer choices: one that is no probability tells."""
    for of in words:
        sums = np.nansum(of.scores, axis=1)
        if len(sums) and (np.nanmin(of.scores) < 0 or np.abs(sums - 1).max() > 1e-6):
            return LEAD
    return PROBABILITY


def sentence(corpus: Corpus, row: int) -> dict[str, str]:
    """The focal word, and what stands ``left`` and ``right`` of it."""
    tokens, at = corpus.tokens[row], int(corpus.position[row])
    left, right = " ".join(tokens[:at]), " ".join(tokens[at + 1 :])
    return {"left": left, "focal": tokens[at], "right": right}
