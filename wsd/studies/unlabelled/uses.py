"""Find the uses of every word without its senses: cluster its vectors at one layer choice.

Two methods divide the vectors of a word's instances, in all splits, into 1 to ``--clusters``
clusters. The mean silhouette selects a number for each method. Senses are not used for this. If
there are senses, every partition is then compared with them, and there is also a partition with as
many clusters as senses. The measures of this agreement are those of the shared tasks on sense
induction: V-measure and paired F (SemEval-2010 task 14, Manandhar et al.), B-cubed (SemEval-2013
task 13, Jurgens and Klapaftis; here with one sense per instance), and the adjusted Rand index
(Hubert and Arabie 1985). Only the last is 0 by chance: a single cluster has a high paired F, and a
cluster per instance a high V-measure.

The forms of the focal word (singular and plural) can dominate the clusters. Therefore, every
partition is compared with the forms, and ``--centre form`` removes the form first.
"""

import argparse
from collections.abc import Hashable, Sequence

import numpy as np
from sklearn import metrics

from wsd.analysis.neighbours import find_neighbours
from wsd.analysis.project import pca
from wsd.arguments import add_feature_set, add_out, add_seed, count
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.feature_set import StoredFeatures
from wsd.logs import log
from wsd.metrics import clusterings
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.single_thread import one_thread
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
    corpora = read_corpora(args.corpus, args.words)
    stored = StoredFeatures(args.embeddings, args.view, args.layers)
    settings = {"seed": args.seed, "centre": args.centre}
    sampled, uses = {}, {}
    for word, corpus in corpora.items():
        taken = shown(corpus, args.seed)
        sampled[word] = corpus.take(taken)
        vectors = stored.read(corpus)[taken]
        uses[word] = find_uses(sampled[word], vectors, args.clusters or CLUSTERS, **settings)
        log.debug("%s: highest silhouette %.3f", word, uses[word].score)
    write_uses(args.out, sampled, uses, {**stored.provenance(), **settings})


# The measures of :func:`agreement`, in this order.
MEASURES = (
    "ari", "v_measure", "homogeneity", "completeness",
    "bcubed_f", "bcubed_precision", "bcubed_recall",
    "paired_f", "paired_precision", "paired_recall",
)  # fmt: skip


def agreement(gold: np.ndarray, clusters: np.ndarray) -> dict[str, float]:
    """Return every measure of how well a partition agrees with the gold one.

    Parameters
    ----------
    gold, clusters : int arrays of shape (n,)
        The sense and the cluster of each instance, from 0.

    Returns
    -------
    dict of measure to float
        If there are no pairs, paired precision or recall is 0.
    """
    homogeneity, completeness, v_measure = metrics.homogeneity_completeness_v_measure(
        gold, clusters
    )
    bcubed = bcubed_scores(gold, clusters)
    paired = paired_scores(gold, clusters)
    values = (
        metrics.adjusted_rand_score(gold, clusters), v_measure, homogeneity, completeness,
        harmonic_mean(*bcubed), *bcubed, harmonic_mean(*paired), *paired,
    )  # fmt: skip
    return {name: float(value) for name, value in zip(MEASURES, values, strict=True)}


def normalised_information(groups: Sequence[Hashable], clusters: np.ndarray) -> float | None:
    """Return the normalised mutual information of two partitions of the same instances.

    It is normalised by the mean of the two entropies: 1 if each partition follows from the other.

    Parameters
    ----------
    groups : sequence of length n
        For example, the form of each instance.
    clusters : array of shape (n,)

    Returns
    -------
    float from 0 to 1, or None
        None if either partition has a single group.
    """
    if len(set(groups)) < 2 or len(set(clusters.tolist())) < 2:
        return None
    # Rounding can exceed 1 in the last digit.
    return min(1.0, float(metrics.normalized_mutual_info_score(groups, clusters)))


def bcubed_scores(gold: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """Return B-cubed precision and recall (Bagga and Baldwin 1998).

    For each instance, precision is the share of its cluster that has its sense, and recall is the
    share of its sense that is in its cluster, including itself. Both are means over instances.
    """
    table = metrics.cluster.contingency_matrix(gold, clusters).astype(float)
    precision = ((table**2).sum(axis=0) / table.sum(axis=0)).sum() / len(gold)
    recall = ((table**2).sum(axis=1) / table.sum(axis=1)).sum() / len(gold)
    return float(precision), float(recall)


def paired_scores(gold: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """Return precision and recall of the pairs of instances that are in the same cluster."""
    (_, in_cluster), (in_sense, in_both) = metrics.cluster.pair_confusion_matrix(
        gold, clusters
    ).tolist()
    return in_both / max(in_cluster + in_both, 1), in_both / max(in_sense + in_both, 1)


def harmonic_mean(precision: float, recall: float) -> float:
    """Return the F-score of precision and recall; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
