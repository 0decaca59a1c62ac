"""Divide the uses of each word into two groups, and measure what else differs between them.

A column of the imported file divides the uses. Three things can differ between the groups although
the meaning does not. Two of them become baselines, as if they were layers: vectors of the other
words of the sentence (``bag-of-words``: vocabulary that is typical of a period), and of the form of
the focal word (``word-forms``). The third is the length of the sentences.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import mannwhitneyu
from sklearn.feature_extraction.text import TfidfVectorizer

from wsd.artifacts.corpus_table import Corpora, Corpus
from wsd.corpora.importer.gathered import shorten
from wsd.errors import ConfigError
from wsd.metrics.nearest import unit_vectors
from wsd.studies.change.measures import cluster

# The fewest uses in a group: a single use has no variation to resample.
FEWEST = 2
BASELINES = BAG_OF_WORDS, WORD_FORMS = "bag-of-words", "word-forms"
# The most frequent words that a bag of words counts, which bounds its memory.
VOCABULARY = 1000
# A column of every word.
Columns = Mapping[str, tuple[str, ...]]


class Grouped(NamedTuple):
    """The uses of one word that are in one of the two groups.

    Attributes
    ----------
    corpus : Corpus
    rows : bool array
        Whether each use of the word is in a group.
    is_second : bool array of shape (len(corpus),)
    """

    corpus: Corpus
    rows: np.ndarray
    is_second: np.ndarray

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of uses in each group."""
        second = int(self.is_second.sum())
        return len(self.is_second) - second, second

    @property
    def left_out(self) -> str:
        """Why the word has no measures; empty if it has."""
        if not min(self.sizes):
            return "in one group only" if max(self.sizes) else "in neither group"
        return f"fewer than {FEWEST} uses in a group" if min(self.sizes) < FEWEST else ""


def column(corpora: Corpora, name: str, where: str) -> Columns:
    """Return a column of every word.

    Raises
    ------
    ConfigError
        If a word lacks the column.
    """
    for word, corpus in corpora.items():
        if name not in corpus.extra:
            known = ", ".join(shorten([*corpus.extra], "columns")) or "none"
            problem = f"the uses of {word!r} have no column {name!r} (extra columns: {known})"
            raise ConfigError(problem, where=where, fix="name a column of the imported file")
    return {word: corpus.extra[name] for word, corpus in corpora.items()}


def group_names(cells: Columns, given: Sequence[str], where: str) -> list[str]:
    """Return the names of the two groups: the given ones, or else the only two values.

    Raises
    ------
    ConfigError
        If a given group has no uses, or if none are given and there are not two values.
    """
    values = sorted({cell for of_word in cells.values() for cell in of_word} - {""})
    shown = ", ".join(shorten(values, "values")) or "none"
    if missing := [name for name in given if name not in values]:
        problem = f"no use is in the group {missing[0]!r} (values: {shown})"
        raise ConfigError(problem, where=where, fix="name two of the values")
    if not given and len(values) != 2:
        problem = f"{len(values)} values where two groups are needed ({shown})"
        raise ConfigError(problem, where=where, fix="name two groups, the earlier one first")
    return list(given) or values


def divide(corpora: Corpora, by: str, names: Sequence[str], where: str) -> dict[str, Grouped]:
    """Return the grouped uses of each word, also of words that are left out.

    Raises
    ------
    ConfigError
        If no word has two groups.
    """
    words = {}
    for word, corpus in corpora.items():
        values = np.array(corpus.extra[by])
        rows = np.isin(values, names)
        words[word] = Grouped(corpus.take(rows), rows, values[rows] == names[1])
    if all(grouped.left_out for grouped in words.values()):
        problem = f"no word has {FEWEST} or more uses in both {names[0]!r} and {names[1]!r}"
        raise ConfigError(problem, where=where, fix="name other groups, or import more uses")
    return words


def forms_of(corpus: Corpus) -> list[str]:
    """Return the form of the focal word in every use, in small letters."""
    return [token.lower() for token in corpus.focal_tokens]


def baselines(corpus: Corpus, seed: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the name, the vectors and the clusters of each baseline.

    The clusters of ``word-forms`` are the forms.
    """
    bags = bag_of_words(corpus)
    yield BAG_OF_WORDS, bags, cluster(unit_vectors(bags), seed)
    _, codes = np.unique(forms_of(corpus), return_inverse=True)
    yield WORD_FORMS, np.eye(codes.max() + 1, dtype=np.float32)[codes], codes


def bag_of_words(corpus: Corpus) -> np.ndarray:
    """Return tf-idf weights of the words around the focal word: shape (n, at most VOCABULARY)."""
    contexts = [
        [token.lower() for i, token in enumerate(tokens) if i != position and token.isalnum()]
        for tokens, position in zip(corpus.tokens, corpus.position.tolist(), strict=True)
    ]
    if not any(contexts):
        return np.zeros((len(corpus), 1), dtype=np.float32)
    vectorizer = TfidfVectorizer(analyzer=list, max_features=VOCABULARY, dtype=np.float32)
    weights: np.ndarray = vectorizer.fit_transform(contexts).toarray()
    return weights


def lengths(corpus: Corpus, is_second: np.ndarray) -> dict[str, float]:
    """Return the mean sentence length in tokens of each group, and a test of the difference.

    Returns
    -------
    dict
        ``length_first``, ``length_second``; ``length_difference``, the second minus the first in
        standard deviations; ``length_p``, from the Mann-Whitney test.
    """
    numbers = np.array([len(tokens) for tokens in corpus.tokens])
    first, second = numbers[~is_second], numbers[is_second]
    deviation = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    return {
        "length_first": float(first.mean()),
        "length_second": float(second.mean()),
        "length_difference": float((second.mean() - first.mean()) / (deviation or 1)),
        "length_p": float(mannwhitneyu(first, second).pvalue) if deviation else 1.0,
    }
