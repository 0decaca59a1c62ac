"""List the substitutes that distinguish each sense of a word from its other senses.

A piece counts for a training instance if it is among the instance's most probable pieces. Pieces
are ranked by their log-odds ratio (:func:`log_odds`), not by their counts:
by counts, pieces that fit every sense would come first.
"""

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from wsd.arguments import add_corpora, add_out, add_word_files
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.substitute_table import SEEN, Fillers, K, Substitutes, read_substitutes
from wsd.storage.csv import write_csv

# The most substitutes of a sense.
MOST = 10
# The prior counts as much as ten instances, with the distribution of all instances of the word.
PRIOR = 10.0 * K
COLUMNS = ("model", "word", "sense", "input", "rank", "piece", "log_odds", "z", "instances", "n")


def log_odds(counts: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each feature's log-odds ratio in every group against all other groups together.

    The method is from Monroe, Colaresi and Quinn (2008). Prior counts are added on both sides, so
    that a rare feature has a small ratio. The ratio is also divided by its standard deviation, so
    that features of different frequencies can be compared.

    Parameters
    ----------
    counts : array of shape (groups, features)
        The count of each feature in each group.
    prior : array of shape (features,)
        Pseudo-counts above 0, such as a share of the counts in a larger text.

    Returns
    -------
    ratios : float array of shape (groups, features)
        0 if there is only one group.
    z : float array of the same shape
        The ratios divided by their standard deviations.
    """
    own = np.asarray(counts, dtype=float)
    whole, total = np.asarray(prior, dtype=float), float(np.sum(prior))
    rest = own.sum(axis=0) - own
    n, m = own.sum(axis=1, keepdims=True), rest.sum(axis=1, keepdims=True)
    here, there = own + whole, rest + whole
    # With a single feature the odds are infinite on both sides, and the ratio is set to 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(here / (n + total - here)) - np.log(there / (m + total - there))
    ratios = np.where(np.isfinite(ratios) & (m > 0), ratios, 0.0)
    return ratios, ratios / np.sqrt(1 / here + 1 / there)


def sense_rows(corpus: Corpus, fillers: Fillers) -> list[dict[str, Any]]:
    """Return a row per sense and piece with a positive log-odds ratio, in descending order.

    Returns
    -------
    list of dict
        ``sense``, ``rank`` from 1, ``piece``, ``log_odds``, ``z``, ``instances``, the number of
        training instances with the piece, and ``n``, the number of the sense's training instances.
    """
    train = np.flatnonzero(corpus.split == "train")
    if not len(train):
        return []
    pieces, numbers = np.unique(fillers.pieces[train], return_inverse=True)
    has_piece = np.zeros((len(train), len(pieces)))
    np.put_along_axis(has_piece, numbers.reshape(len(train), -1), 1, axis=1)
    has_sense = np.eye(len(corpus.senses))[corpus.gold[train]]
    counts, n = has_sense.T @ has_piece, has_sense.sum(axis=0)
    ratios, z = log_odds(counts, PRIOR * counts.sum(axis=0) / counts.sum())
    rows = []
    for i, sense in enumerate(corpus.senses):
        # Equal pieces are in alphabetical order.
        best = [j for j in np.lexsort((np.arange(len(pieces)), -z[i])) if z[i, j] > 0][:MOST]
        for rank, j in enumerate(best, 1):
            names = {"sense": sense, "rank": rank, "piece": pieces[j]}
            scores = {"log_odds": ratios[i, j], "z": z[i, j]}
            sizes = {"instances": int(counts[i, j]), "n": int(n[i])}
            rows += [{**names, **scores, **sizes}] if counts[i, j] else []
    return rows


def sense_table(
    model: str, corpora: Mapping[str, Corpus], words: Mapping[str, Substitutes]
) -> pd.DataFrame:
    """Return the rows of all words and both inputs."""
    rows = [
        {"model": model, "word": word, "input": seen, **row}
        for word, corpus in corpora.items()
        for seen in SEEN
        for row in sense_rows(corpus, words[word][seen])
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_corpora(parser)
    add_word_files(parser, "--substitutes", "folder of `wsd substitutes`")
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    corpora = read_corpora(args.corpus, args.words)
    words, provenance = read_substitutes(args.substitutes, corpora)
    write_csv(args.out, sense_table(provenance["model"]["name"], corpora, words))
