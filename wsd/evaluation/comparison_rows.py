"""Read predictions for the test split as rows of the comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.column_names import NAMES
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import TEST, WordPredictions, read_test_split
from wsd.errors import ResultError
from wsd.metrics.scores import Counts, confusion, count_kinds, mean_scores

CONTROL_TASK = "control"


@dataclass(frozen=True, eq=False)
class ComparisonRow:
    """One system's predictions for the test split.

    Attributes
    ----------
    kind : str
    model, view, layers, classifier : str
    words : list of WordPredictions
    about : str
        The source and the protocol of a published system; else empty.
    source : mapping
        The provenance of the predictions.
    documents : mapping of word to int array
        The document of each instance, from :func:`number_documents`; empty if they are unknown.
    """

    kind: str
    model: str
    view: str
    layers: str
    classifier: str
    words: Sequence[WordPredictions]
    about: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    documents: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """Return the columns that name the row."""
        return {name: getattr(self, name) for name in NAMES}

    @property
    def configuration(self) -> tuple[str, ...]:
        """Return model, view, layers and classifier."""
        return (self.model, self.view, self.layers, self.classifier)

    @property
    def confusions(self) -> list[np.ndarray]:
        """Return a confusion matrix per word."""
        return [confusion(w.gold, w.predicted, len(w.senses)) for w in self.words]

    @property
    def counts(self) -> list[Counts]:
        """Return, per word, the number of instances of each kind and their documents."""
        return count_rows([self])

    def mean(self, name: str) -> float:
        """Return a mean score over words."""
        return float(mean_scores(self.confusions)[name])

    def joints(self, other: "ComparisonRow") -> list[Counts]:
        """Return, per word, the joint confusion of this system and another."""
        return count_rows([self, other])


def count_rows(rows: Sequence[ComparisonRow]) -> list[Counts]:
    """Return, per word, the number of instances of each kind, with a system per row.

    The documents are the first row's.
    """
    documents = rows[0].documents
    return [
        count_kinds(
            [words[0].gold, *(own.predicted for own in words)],
            len(words[0].senses),
            documents.get(words[0].word),
        )
        for words in zip(*(row.words for row in rows), strict=True)
    ]


def nothing_selected(model: str) -> ResultError:
    """Return the error for a model without a selected configuration."""
    fix = (
        "no word has enough training sentences for the folds: draw fewer (config key tuning.folds)"
    )
    return ResultError(f"nothing was selected for {model!r}", fix=fix)


def identical(joints: Sequence[Counts]) -> bool:
    """Return whether both systems of each pair predict the same sense for every instance.

    Their difference is then exactly 0, and there is nothing to test.

    Parameters
    ----------
    joints : sequence over words of Counts
        From :meth:`ComparisonRow.joints`, or with further pairs of systems.
    """
    return all((joint.kinds[:, 1::2] == joint.kinds[:, 2::2]).all() for joint in joints)


def number_documents(corpora: Mapping[str, Corpus]) -> dict[str, np.ndarray]:
    """Return the number of each test instance's document, by word; empty if no word has documents.

    A document has the same number in all words. An instance without a document gets a number that
    no other instance has.
    """
    if all(corpus.document is None for corpus in corpora.values()):
        return {}
    names = {}
    for word, corpus in corpora.items():
        tested = corpus.split == TEST
        names[word] = (
            np.full(tested.sum(), "") if corpus.document is None else corpus.document[tested]
        )
    flat = np.concatenate(list(names.values()))
    _, numbers = np.unique(flat, return_inverse=True)
    alone = flat == ""
    numbers[alone] = len(flat) + np.arange(alone.sum())
    ends = np.cumsum([len(own) for own in names.values()])[:-1]
    return dict(zip(names, np.split(numbers, ends), strict=True))


def read_rows(
    paths: Sequence[Path], kind: str, corpora: Mapping[str, Corpus]
) -> list[ComparisonRow]:
    """Read prediction files as rows of one kind, and check them against the corpora.

    Raises
    ------
    ResultError
        If a file has other words or other instances than the corpora.
    """
    rows = []
    documents = number_documents(corpora)
    for path in paths:
        words, source = read_test_split(path, corpora, relabelled=kind == CONTROL_TASK)
        published = source["encoder"].get("published")
        about = f"{published['source']}: {published['protocol']}" if published else ""
        model = source["encoder"]["model"]["name"]
        names = {key: source[key] for key in NAMES[2:]}
        rows.append(
            ComparisonRow(
                kind, model, **names, words=words, about=about, source=source, documents=documents
            )
        )
    return rows
