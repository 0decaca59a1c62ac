"""The five instances of a word that lie nearest to each of its instances, in the full space.

Nearness is cosine. Training and test instances alike are neighbours; sentences from out of domain
have neighbours and are none themselves. One file per layer choice holds all words: word, split,
index, and two lists of five, the neighbours' row numbers in the word's corpus and their
similarities. Its metadata has, per word, how well the neighbours alone tell the senses apart: the
macro-F1 on the test split of a vote of the five nearest training instances.
"""

import argparse

import numpy as np

from wsd.arguments import add_feature_set, add_out
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.feature_set import StoredFeatures
from wsd.artifacts.neighbour_table import Neighbours, write_neighbours
from wsd.metrics.nearest import K, blocks, highest, unit_vectors, vote_macro_f1
from wsd.metrics.single_thread import one_thread


def find_neighbours(corpus: Corpus, vectors: np.ndarray) -> Neighbours:
    """The neighbours of every instance of a word, and the score of the training instances' vote.

    Similarities are compared as they are kept, in float32 of a product in float64, so that equal
    vectors are equally near; of equally near ones the first row counts. A vector of zeros has no
    direction: its similarity with any other is 0.

    Parameters
    ----------
    corpus : Corpus
    vectors : array of shape (len(corpus), features)
    """
    train, test = corpus.split == "train", corpus.split == "test"
    directions = unit_vectors(vectors.astype(np.float64))
    n = len(directions)
    rows = np.empty((n, K), dtype=np.int32)
    similarity = np.empty((n, K), dtype=np.float32)
    voters = np.empty((n, K), dtype=np.int32)
    for block in blocks(n, n):
        # The last bits of a product depend on the number of threads.
        with one_thread():
            alike = (directions[block] @ directions.T).astype(np.float32)
        tested = np.flatnonzero(test[block])
        voters[block][tested] = highest(alike[np.ix_(tested, train)])[0]
        alike[:, ~(train | test)] = -np.inf
        own = np.arange(len(alike))
        alike[own, block.start + own] = -np.inf
        rows[block], similarity[block] = highest(alike)
    gold = corpus.gold
    score = vote_macro_f1(voters[test], gold[train], gold[test], len(corpus.senses))
    return Neighbours(rows, similarity, score)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_feature_set(parser)
    add_out(parser, "the neighbours", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Find every word's neighbours at one layer choice and write one file."""
    corpora = read_corpora(args.corpus, args.words)
    stored = StoredFeatures(args.embeddings, args.view, args.layers)
    words = {word: find_neighbours(corpus, stored.read(corpus)) for word, corpus in corpora.items()}
    write_neighbours(args.out, corpora, words, stored.provenance(args.out))
