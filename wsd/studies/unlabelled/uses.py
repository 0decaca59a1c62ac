"""Find the uses of every word without its senses: cluster its vectors at one layer choice.

Two methods divide the vectors of a word's instances, in all splits, into 1 to ``--clusters``
clusters. The mean silhouette selects a number for each method. Senses are not used for this. If
there are senses, every partition is then compared with them, and there is also a partition with as
many clusters as senses (:mod:`wsd.studies.unlabelled.partitions`).

The forms of the focal word (singular and plural) can dominate the clusters. Therefore, every
partition is compared with the forms, and ``--centre form`` removes the form first.
"""

import argparse
from collections.abc import Callable

import numpy as np

from wsd.analysis.neighbours import find_neighbours
from wsd.analysis.project import pca
from wsd.arguments import add_feature_set, add_out, add_seed, count
from wsd.artifacts.corpus_table import Corpora, Corpus, read_corpora
from wsd.artifacts.feature_set import StoredFeatures
from wsd.corpora.importer.import_summary import plural
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.metrics import clusterings
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.single_thread import one_thread
from wsd.studies.unlabelled.partitions import agreement, normalised_information
from wsd.studies.unlabelled.use_table import FORM, Partition, WordUses, shown, write_uses

CLUSTERS = 10
# The number of typical instances of a cluster.
TYPICAL = 10


def find_uses(
    corpus: Corpus, vectors: np.ndarray, most: int, seed: int, centre: str | None = None
) -> WordUses:
    """Return the clusters of one word.

    Parameters
    ----------
    corpus : Corpus
        With senses or without.
    vectors : array of shape (len(corpus), features)
    most : int
        The most clusters.
    seed : int
    centre : str, optional
        ``FORM`` first moves the vectors of every form of the focal word to the same mean.
    """
    forms = [token.lower() for token in corpus.focal_tokens]
    if centre == FORM:
        vectors = clusterings.centred(vectors, forms)
    units = unit_vectors(vectors.astype(np.float64))
    known = len(corpus.senses) if corpus.is_labelled else 0
    # The number of threads decides the last bits of a sum, which can decide a cluster.
    with one_thread():
        numbers = clusterings.numbers_of_clusters(units, most, known)
        clusters = clusterings.clusterings(units, numbers, seed)
    best = [clusterings.best_by_silhouette(clusters, method) for method in clusterings.METHODS]
    partitions = [
        Partition(
            method=clustering.method,
            k=clustering.k,
            silhouette=clustering.silhouette if clustering.k > 1 else None,
            chosen=any(clustering is chosen for chosen in best),
            typical=clusterings.typical(units, clustering.labels, TYPICAL),
            form_nmi=normalised_information(forms, clustering.labels),
            agreement=agreement(corpus.gold, clustering.labels) if known else {},
        )
        for clustering in clusters
    ]
    points, _ = pca(vectors, np.ones(len(corpus), dtype=bool))
    labels = np.column_stack([clustering.labels for clustering in clusters]).astype(np.int16)
    return WordUses(points, find_neighbours(corpus, vectors), partitions, labels)


def find_all_uses(
    corpora: Corpora,
    read: Callable[[Corpus], np.ndarray],
    most: int,
    seed: int,
    centre: str | None = None,
) -> tuple[dict[str, Corpus], dict[str, WordUses]]:
    """Return the shown instances of every word, and their uses.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    read : function of a corpus
        Returns the vectors of its instances.
    most, seed, centre
        As :func:`find_uses` takes them.
    """
    sampled, words = {}, {}
    for word, corpus in corpora.items():
        taken = shown(corpus, seed)
        sampled[word] = corpus.take(taken)
        words[word] = find_uses(sampled[word], read(corpus)[taken], most, seed, centre)
        log.debug("%s: highest silhouette %.3f", word, words[word].score)
    return sampled, words


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_feature_set(parser)
    text = f"largest number of clusters to try (default: {CLUSTERS}, or as the sentences allow)"
    parser.add_argument("--clusters", type=count, metavar="N", help=text)
    text = "remove the form of the focal word (spring, springs) from its vectors first"
    parser.add_argument("--centre", choices=[FORM], help=text)
    add_seed(parser, "of k-means, and of the sample from a word with very many sentences")
    add_out(parser, "the uses", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    corpora, most = read_corpora(args.corpus, args.words), args.clusters
    longest = max(len(corpus) for corpus in corpora.values())
    if most is not None and most >= longest:
        problem = f"{most} clusters, but no word has more than {plural(longest, 'sentence')}"
        raise ConfigError(problem, where="--clusters", fix=f"give {longest - 1} or fewer")
    stored = StoredFeatures(args.embeddings, args.view, args.layers)
    settings = {"seed": args.seed, "centre": args.centre}
    uses = find_all_uses(corpora, stored.read, most or CLUSTERS, **settings)
    write_uses(args.out, *uses, {**stored.provenance(), **settings})
