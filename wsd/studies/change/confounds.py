"""Measure what can differ between two groups of uses although the meaning does not.

Two of these become baselines, as if they were layers: vectors of the other words of the sentence
(``bag-of-words``: vocabulary that is typical of a period), and of the form of the focal word
(``word-forms``). The third is the length of the sentences.
"""

from collections.abc import Iterator

import numpy as np
from scipy.stats import mannwhitneyu
from sklearn.feature_extraction.text import TfidfVectorizer

from wsd.artifacts.corpus_table import Corpus
from wsd.metrics.nearest import unit_vectors
from wsd.studies.change.measures import cluster

BAG_OF_WORDS, WORD_FORMS, LENGTH = "bag-of-words", "word-forms", "sentence-length"
BASELINES = (BAG_OF_WORDS, WORD_FORMS)
# The most frequent words that a bag of words counts, which bounds its memory.
VOCABULARY = 1000


def forms(corpus: Corpus) -> list[str]:
    """Return the form of the focal word in every use, in small letters."""
    places = zip(corpus.tokens, corpus.position.tolist(), strict=True)
    return [tokens[position].lower() for tokens, position in places]


def baselines(corpus: Corpus, seed: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the name, the vectors and the clusters of each baseline.

    The clusters of ``word-forms`` are the forms.
    """
    bags = bag_of_words(corpus)
    yield BAG_OF_WORDS, bags, cluster(unit_vectors(bags), seed)
    _, codes = np.unique(forms(corpus), return_inverse=True)
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
