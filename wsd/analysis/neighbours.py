"""Find the five nearest neighbours of each instance of a word, by cosine, in the full space.

Training and test instances are neighbours; out-of-domain sentences have neighbours but are not
neighbours themselves. A file per layer choice holds all words: word, split, index, and two lists of
five, the neighbours' rows in the word's corpus and their similarities. Its metadata has, per word,
the macro-F1 on the test split of a vote of the five nearest training instances.
"""

import argparse

import numpy as np

from wsd.arguments import add_feature_set, add_out
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.feature_set import StoredFeatures
from wsd.artifacts.instance_tables import Neighbours, write_neighbours
from wsd.metrics.nearest import K, blocks, highest, unit_vectors, vote_macro_f1
from wsd.metrics.single_thread import one_thread


def find_neighbours(corpus: Corpus, vectors: np.ndarray) -> Neighbours:
    """Return the neighbours of every instance of a word, and the score of the vote.

    Similarities are computed in float64 and compared in float32, so that equal vectors are equally
    near; the first row wins a tie. A zero vector has similarity 0 to any other.

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
            cosines = (directions[block] @ directions.T).astype(np.float32)
        tested = np.flatnonzero(test[block])
        voters[block][tested] = highest(cosines[np.ix_(tested, train)])[0]
        cosines[:, ~(train | test)] = -np.inf
        own = np.arange(len(cosines))
        cosines[own, block.start + own] = -np.inf
        rows[block], similarity[block] = highest(cosines)
    gold = corpus.gold
    score = vote_macro_f1(voters[test], gold[train], gold[test], len(corpus.senses))
    return Neighbours(rows, similarity, score)


def find_neighbours_of_new(known: np.ndarray, new: np.ndarray) -> Neighbours:
    """Return the neighbours of new instances among all training and test instances of a word.

    Parameters
    ----------
    known : array of shape (n, features)
    new : array of shape (n_new, features)
    """
    directions, new_directions = (unit_vectors(v.astype(np.float64)) for v in (known, new))
    with one_thread():
        cosines = (new_directions @ directions.T).astype(np.float32)
    return Neighbours(*highest(cosines), float("nan"))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_feature_set(parser)
    add_out(parser, "the neighbours", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Find every word's neighbours at one layer choice and write one file."""
    corpora = read_corpora(args.corpus, args.words)
    stored = StoredFeatures(args.embeddings, args.view, args.layers)
    words = {word: find_neighbours(corpus, stored.read(corpus)) for word, corpus in corpora.items()}
    write_neighbours(args.out, corpora, words, stored.provenance())
