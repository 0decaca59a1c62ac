"""Measure how many bits the labels take, given the vectors: online code length.

After Voita and Titov (2020), "Information-Theoretic Probing with Minimum Description Length". The
training set is sent in blocks. The first block is coded uniformly over the word's senses. Each
further block is coded with a classifier fitted on all blocks before it, at -log2 of the probability
of the gold sense. A probe that learns from few instances needs fewer bits than one that needs many
instances for the same accuracy.

A probability of 0 would cost infinitely many bits, and a sense without training instances has no
probability yet. So every distribution is mixed with a small fixed share of the uniform distribution
over the word's senses. A label then costs at most log2(senses / share) bits, and close to 0 bits if
it is predicted with certainty.

Intervals are over words: the words vary, and their labels with them. They are for the mean over
words, because a few large words decide the compression of all labels together.

A code needs probabilities that follow the frequencies of the senses. So the code does not use a
prior shift that cross-validation selected to improve macro-F1; penalty and shrinkage stay as tuned.
"""

import argparse
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wsd.arguments import add_embeddings, add_files, add_out
from wsd.artifacts import training_set as folding
from wsd.artifacts.column_names import TOGETHER
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.feature_set import read_features
from wsd.artifacts.training_set import Folds
from wsd.classification.estimators.registry import make_estimator
from wsd.classification.fit_and_predict import scores_of, tuned_parameters
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.metrics.over_words import FEWEST, ByWord
from wsd.storage.csv import write_csv
from wsd.storage.parquet import read_table

ESCAPE = 0.001  # the share of the uniform distribution
# Parameters with which a classifier keeps the frequencies of the training set.
UNSHIFTED: dict[str, dict[str, float]] = {
    "logistic": {"prior_shift": 0.0},
    "lda": {"prior_exponent": 1.0},
}
FitPredict = Callable[[np.ndarray, np.ndarray], np.ndarray]
KEY = ("view", "layers", "classifier")
SCORES = ("word", "bits", "uniform_bits", "compression")
# See :func:`compare_layers`.
OVER_WORDS = (
    *("mean_share", "mean_share_low_over_words", "mean_share_high_over_words"),
    *("difference", "difference_low_over_words", "difference_high_over_words"),
    "in_confidence_set",
)
COLUMNS = ["model", *KEY, *SCORES, *OVER_WORDS]


class CodeLength(NamedTuple):
    """The bits for a set of labels.

    Attributes
    ----------
    bits : float
        The length of the online code.
    uniform_bits : float
        The length if all senses of the word were equally likely.
    """

    bits: float
    uniform_bits: float

    @property
    def compression(self) -> float:
        """Return uniform bits divided by bits; 1 if there is nothing to code."""
        return self.uniform_bits / self.bits if self.uniform_bits else 1.0


def label_bits(probabilities: np.ndarray, gold: np.ndarray, escape: float = ESCAPE) -> np.ndarray:
    """Return the bits of each label.

    Parameters
    ----------
    probabilities : array of shape (n, senses)
        Each row sums to 1; an unknown sense has NaN or 0.
    gold : int array of shape (n,)
    escape : float
        The share of the uniform distribution, above 0 and at most 1.

    Returns
    -------
    array of shape (n,)
    """
    gold_probabilities = np.nan_to_num(probabilities[np.arange(len(gold)), gold], nan=0.0)
    # Rounding may leave a probability a little above 1.
    mixed = (1 - escape) * gold_probabilities.clip(0, 1) + escape / probabilities.shape[1]
    bits: np.ndarray = -np.log2(mixed)
    return bits


def online_code_length(
    gold: np.ndarray,
    n_senses: int,
    sets: Sequence[np.ndarray],
    fit_predict: FitPredict,
    *,
    escape: float = ESCAPE,
) -> CodeLength:
    """Return the code length of one word's training labels.

    Parameters
    ----------
    gold : int array of shape (rows,)
        The gold sense of all rows of the word's corpus.
    n_senses : int
    sets : sequence of int arrays
        The rows of nested training sets, the smallest first.
    fit_predict : callable
        Fits on the rows of its first argument, and returns probabilities of shape (n, n_senses) for
        the rows of its second, as :func:`label_bits` takes them.
    escape : float
        See :func:`label_bits`.

    Raises
    ------
    CorpusError
        If the sets are not nested, or have a row twice.
    """
    blocks = _blocks(sets)
    bits = len(blocks[0]) * float(np.log2(n_senses)) if blocks else 0.0
    for known, block in zip(sets, blocks[1:], strict=False):
        if len(block):
            bits += float(label_bits(fit_predict(known, block), gold[block], escape).sum())
    total = sum(map(len, blocks))
    return CodeLength(bits=bits, uniform_bits=total * float(np.log2(n_senses)))


def over_words(words: Collection[CodeLength]) -> CodeLength:
    """Return the code length of all words' labels, one word after the other."""
    return CodeLength(sum(word.bits for word in words), sum(word.uniform_bits for word in words))


def compare_layers(shares: np.ndarray) -> pd.DataFrame:
    """Compare layers over words by their mean share of the uniform code.

    ``difference`` is a layer minus the best other layer, so that only the best layer is negative.
    A layer is compared with every other layer by t-intervals over words, which hold together by
    Bonferroni's method: the best layer need not be known. The interval lies above 0 if another
    layer is significantly better. Then the layer is not in the confidence set of the best (Hsu
    1996, Multiple Comparisons, chapter 4).

    Parameters
    ----------
    shares : array of shape (layers, words)
        The bits of each word's labels, divided by the bits of a uniform code.

    Returns
    -------
    DataFrame with a row per layer and the columns of ``OVER_WORDS``
    """
    layers = [ByWord(values, np.ones(len(values))) for values in shares]
    rows = []
    for layer in layers:
        gaps = [layer - other for other in layers if other is not layer]
        compared = [(gap.mean, *gap.interval(family=len(gaps))) for gap in gaps]
        # A single layer has no difference.
        difference, low, high = np.max(compared or [(np.nan, np.nan, np.nan)], axis=0)
        rows.append((layer.mean, *layer.interval(), difference, low, high, not low > 0))
    return pd.DataFrame(rows, columns=OVER_WORDS)


def _blocks(sets: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the rows that each set adds to the one before, in the set's own order."""
    blocks = []
    before = np.array([], dtype=np.intp)
    for i, rows in enumerate(sets, start=1):
        if len(np.unique(rows)) < len(rows):
            problem = f"training set {i} of {len(sets)} has a row twice"
            raise CorpusError(problem, fix="rebuild its folds with `wsd folds`")
        if not np.isin(before, rows).all():
            problem = f"training set {i} of {len(sets)} does not contain the one before"
            raise CorpusError(problem, fix="give nested training sets, the smallest first")
        blocks.append(rows[~np.isin(rows, before)])
        before = rows
    return blocks


def _word_length(
    corpus: Corpus,
    vectors: np.ndarray,
    sets: Sequence[Folds],
    sources: Mapping[str, Mapping[str, Any]],
) -> CodeLength:
    rows = [folds.rows(corpus) for folds in sets]
    names = {kept.tobytes(): folds.train for kept, folds in zip(rows, sets, strict=True)}

    def fit_predict(known: np.ndarray, block: np.ndarray) -> np.ndarray:
        source = sources[names[known.tobytes()]]
        estimator = source["estimator"]
        parameters = {**tuned_parameters(source, corpus.word), **UNSHIFTED[estimator]}
        fitted = make_estimator(estimator, parameters).fit(vectors[known], corpus.gold[known])
        return scores_of(fitted, vectors[block], len(corpus.senses))

    return online_code_length(corpus.gold, len(corpus.senses), rows, fit_predict)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_embeddings(parser)
    text = "of every configuration on every nested set but the largest, with the tuned parameters"
    add_files(parser, "--predictions", text)
    add_files(parser, "--folds", "nested sets, ascending")
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Write the code length of every word's labels for several configurations.

    Each fit has the parameters that were tuned on its own training set, never on a larger one. The
    table has a row per configuration and word, and a row ``(all)`` over the words.
    """
    corpora = read_corpora(args.corpus, args.words)
    sets = [folding.read_folds_for(path, corpora) for path in args.folds]
    tuned: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for path in args.predictions:
        _, source = read_table(path)
        key = tuple(source[name] for name in KEY)
        tuned.setdefault(key, {})[source["train"]] = source
        if source["estimator"] not in UNSHIFTED or "mix" in source["layers"]:
            problem = f"no code length with {source['estimator']} on {source['layers']}"
            fix = f"use {' or '.join(UNSHIFTED)} on layers without a mix"
            raise ConfigError(problem, where=str(path), fix=fix)
    lengths: dict[tuple[str, ...], dict[str, CodeLength]] = {}
    for key, sources in tuned.items():
        view, layers, _ = key
        if lacking := [folds.train for folds in sets[:-1] if folds.train not in sources]:
            problem = f"no predictions of {', '.join(key)} on the training set {lacking[0]}"
            fix = "give the predictions on every set of --folds but the largest"
            raise ConfigError(problem, where="--predictions", fix=fix)
        lengths[key] = {}
        for word, corpus in corpora.items():
            _, vectors, provenance = read_features(args.embeddings, corpus, view, layers)
            lengths[key][word] = _word_length(corpus, vectors, sets, sources)
        log.info("code length: %s %s, %s", *key)
    table = _table(lengths).assign(model=provenance["model"]["name"])
    write_csv(args.out, table.reindex(columns=COLUMNS))


def _table(lengths: Mapping[tuple[str, ...], Mapping[str, CodeLength]]) -> pd.DataFrame:
    """Return a row per configuration and word, and a row over all words, with its intervals."""
    table = pd.DataFrame(
        [
            (*key, word, *length, length.compression)
            for key, words in lengths.items()
            for word, length in {**words, TOGETHER: over_words(words.values())}.items()
        ],
        columns=[*KEY, *SCORES],
    )
    compared = []
    # A word with one sense has nothing to code.
    for _, rows in table[table["uniform_bits"] > 0].groupby(["view", "classifier"]):
        together = rows["word"] == TOGETHER
        shares = 1 / rows.loc[~together, "compression"].to_numpy().reshape(together.sum(), -1)
        if shares.shape[1] >= FEWEST:
            compared.append(compare_layers(shares).set_axis(rows.index[together]))
    return table.join(pd.concat(compared)) if compared else table
