"""The five instances of a word that lie nearest to each of its instances, in the full space.

Nearness is cosine. Training and test instances alike are neighbours; sentences from out of domain
have neighbours and are none themselves. One file per layer choice holds all words: word, split,
index, and two lists of five, the neighbours' row numbers in the word's corpus and their
similarities. Its metadata has, per word, how well the neighbours alone tell the senses apart: the
macro-F1 on the test split of a vote of the five nearest training instances.
"""

import argparse

import numpy as np
from threadpoolctl import threadpool_limits

from wsd.arguments import add_feature_set, add_out
from wsd.artifacts.corpus import Corpus, read_corpora
from wsd.artifacts.features import StoredFeatures
from wsd.artifacts.neighbours import Neighbours, write_neighbours
from wsd.metrics.nearest import K, blocks, most_alike, unit_vectors, vote_macro_f1


def find_neighbours(corpus: Corpus, vectors: np.ndarray) -> Neighbours:
    """The neighbours of every instance of a word, and the score of the training instances' vote.

    Of equally near ones the first row counts. A vector of zeros has no direction: its similarity
    with any other is 0.

    Parameters
    ----------
    corpus : Corpus
    vectors : array of shape (len(corpus), features)
    """
    train, test = corpus.split == "train", corpus.split == "test"
    directions = unit_vectors(vectors.astype(np.float64))
    # Equal vectors have the same neighbours: in layer 0 a word has few that differ.
    first, alike_to = np.unique(directions, axis=0, return_index=True, return_inverse=True)[1:]
    kept, trained = np.flatnonzero(train | test), np.flatnonzero(train[train | test])
    asked = np.isin(np.arange(len(first)), alike_to[test])
    among, of_train = directions[kept], directions[train]
    single, of_kept = directions[first].astype(np.float32), among.astype(np.float32)
    nearest = np.empty((len(first), K + 1), dtype=np.int32)
    cosines = np.empty((len(first), K + 1), dtype=np.float32)
    voters = np.empty((len(first), K), dtype=np.int32)
    for block in blocks(len(first), len(kept)):
        rows, tested = directions[first[block]], np.flatnonzero(asked[block])
        # The last bits of a product depend on the number of threads.
        with threadpool_limits(1):
            roughly = single[block] @ of_kept.T
            nearest[block], cosines[block] = most_alike(roughly, rows, among, K + 1)
            of_tests = roughly[np.ix_(tested, trained)]
            voters[block][tested] = most_alike(of_tests, rows[tested], of_train)[0]
    found, similarity = np.append(kept, -1)[nearest][alike_to], cosines[alike_to]
    others = found != np.arange(len(found))[:, None]
    others[others.all(axis=1), K] = False
    n_senses = len(corpus.senses)
    score = vote_macro_f1(voters[alike_to[test]], corpus.gold[train], corpus.gold[test], n_senses)
    shape = len(found), K
    return Neighbours(
        found[others].reshape(shape).astype(np.int32), similarity[others].reshape(shape), score
    )


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_feature_set(parser)
    add_out(parser, "the neighbours, .parquet")


def run(args: argparse.Namespace) -> None:
    """Find every word's neighbours at one layer choice and write one file."""
    corpora = read_corpora(args.corpus, args.words)
    stored = StoredFeatures(args.embeddings, args.view, args.layers)
    words = {word: find_neighbours(corpus, stored.read(corpus)) for word, corpus in corpora.items()}
    write_neighbours(args.out, corpora, words, stored.provenance(args.out))
