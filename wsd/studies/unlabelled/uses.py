"""The uses of every word, found without its senses: clusters at one layer choice.

Every word's vectors are put into 1 to so many clusters, by two methods, and the mean silhouette
says which number each method would choose. No label takes part in any of it. Where there are
senses, every partition is then held against them: as many clusters as there are senses too. All
instances take part, of whatever split.

The vectors can separate the forms of the focal word best, singular from plural. Every
partition is held against the forms, and ``--centre form`` takes the form out beforehand.
"""

import argparse
from collections.abc import Callable

import numpy as np

from wsd.analysis.neighbours import find_neighbours
from wsd.analysis.project import pca
from wsd.arguments import add_feature_set, add_out, add_seed, count
from wsd.artifacts.corpus_table import Corpora, Corpus, read_corpora
from wsd.artifacts.feature_set import StoredFeatures
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.single_thread import one_thread
from wsd.studies.unlabelled.clusterings import (
    centred,
    chosen,
    clusterings,
    numbers_of_clusters,
    typical,
)
from wsd.studies.unlabelled.partitions import agreement, normalised_information
from wsd.studies.unlabelled.use_table import FORM, Partition, WordUses, forms, shown, write_uses

CLUSTERS = 10
# Typical instances of a cluster.
TYPICAL = 10


def find_uses(
    corpus: Corpus, vectors: np.ndarray, most: int, seed: int, centre: str | None = None
) -> WordUses:
    """The clusters of one word.

    Parameters
    ----------
    corpus : Corpus
        With senses or without.
    vectors : array of shape (len(corpus), features)
    most : int
        Clusters.
    seed : int
    centre : str, optional
        ``FORM`` moves the vectors of every form of the focal word to one mean beforehand.
    """
    of_rows = forms(corpus)
    if centre == FORM:
        vectors = centred(vectors, of_rows)
    units = unit_vectors(vectors.astype(np.float64))
    known = len(corpus.senses) if corpus.is_labelled else 0
    # The last bits of a sum depend on the number of threads, and a cluster can hang on them.
    with one_thread():
        found = clusterings(units, numbers_of_clusters(units, most, known), seed)
    best = {method: chosen(found, method) for method in {of.method for of in found}}
    partitions = [
        Partition(
            method=of.method,
            k=of.k,
            silhouette=of.silhouette if of.k > 1 else None,
            chosen=of is best[of.method],
            typical=typical(units, of.labels, TYPICAL),
            form_nmi=normalised_information(of_rows, of.labels),
            agreement=agreement(corpus.gold, of.labels) if known else {},
        )
        for of in found
    ]
    points, _ = pca(vectors, np.ones(len(corpus), dtype=bool))
    labels = np.column_stack([of.labels for of in found]).astype(np.int16)
    return WordUses(points, find_neighbours(corpus, vectors), partitions, labels)


def of_words(
    corpora: Corpora,
    vectors: Callable[[Corpus, np.ndarray], np.ndarray],
    most: int,
    seed: int,
    centre: str | None = None,
) -> tuple[dict[str, Corpus], dict[str, WordUses]]:
    """The shown instances of every word and their uses.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    vectors : function of a corpus and a bool array of its rows
        The vectors of those rows.
    most, seed, centre
        As :func:`find_uses` takes them.
    """
    seen, words = {}, {}
    for word, corpus in corpora.items():
        taken = shown(corpus, seed)
        seen[word] = corpus.take(taken)
        words[word] = find_uses(seen[word], vectors(corpus, taken), most, seed, centre)
        log.debug("%s: highest silhouette %.3f", word, words[word].score)
    return seen, words


def add_clusters(parser: argparse.ArgumentParser) -> None:
    """How many clusters are tried."""
    text = f"the most clusters to try (default: {CLUSTERS}, or as a word has sentences for)"
    parser.add_argument("--clusters", type=count, metavar="N", help=text)


def check_clusters(asked: int | None, corpora: Corpora) -> int:
    """The most clusters to try; refuses more than any word has sentences for."""
    longest = max(len(corpus) for corpus in corpora.values())
    if asked is not None and asked >= longest:
        number = f"{longest} sentence{'s' if longest > 1 else ''}"
        what = f"{asked} clusters, and no word has more than {number}"
        raise ConfigError(what, where="--clusters", fix=f"ask for {longest - 1} at most")
    return asked or CLUSTERS


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_feature_set(parser)
    add_clusters(parser)
    text = "take the form of the focal word (spring, springs) out of its vectors beforehand"
    parser.add_argument("--centre", choices=[FORM], help=text)
    add_seed(parser, "of k-means, and of what is drawn of a word with very many sentences")
    add_out(parser, "the uses", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Find every word's uses at one layer choice and write one file."""
    corpora = read_corpora(args.corpus, args.words)
    most = check_clusters(args.clusters, corpora)
    stored = StoredFeatures(args.embeddings, args.view, args.layers)
    found = of_words(
        corpora,
        lambda corpus, taken: stored.read(corpus)[taken],
        most,
        args.seed,
        args.centre,
    )
    drawn = {"seed": args.seed, "centre": args.centre}
    write_uses(args.out, *found, {**stored.provenance(args.out), **drawn})
