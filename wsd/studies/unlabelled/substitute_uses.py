"""Cluster the sentences of every word by the substitutes that an encoder predicts for it.

This is a check on the clusters of an encoder's vectors (:mod:`wsd.studies.unlabelled.uses`). Here,
the vectors are bags of the likeliest pieces for the masked focal word, weighted by TF-IDF. The
method, the number of clusters and the scores are the same. Senses are not used for clustering.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from wsd.arguments import add_corpora, add_out, add_seed, add_word_files
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.substitute_table import read_substitutes
from wsd.artifacts.view_names import MASKED
from wsd.studies.unlabelled.use_table import SUBSTITUTES, write_uses
from wsd.studies.unlabelled.uses import add_clusters, check_clusters, find_all_uses


def bags(pieces: Sequence[Sequence[str]]) -> np.ndarray:
    """Return a vector of length 1 per instance, or 0 without pieces: array of shape (n, pieces)."""
    if not any(pieces):
        return np.zeros((len(pieces), 1))
    return np.asarray(TfidfVectorizer(analyzer=tuple).fit_transform(pieces).toarray())


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_corpora(parser)
    add_word_files(parser, "--substitutes", "folder of `wsd substitutes`")
    add_clusters(parser)
    add_seed(parser, "of k-means, and of the sample from a word with very many sentences")
    add_out(parser, "the uses", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    corpora = read_corpora(args.corpus, args.words)
    most = check_clusters(args.clusters, corpora)
    substitutes, source = read_substitutes(args.substitutes, corpora)

    def vectors(corpus: Corpus, taken: np.ndarray) -> np.ndarray:
        rows = np.flatnonzero(taken).tolist()
        return bags(substitutes[corpus.word][MASKED].take(rows).pieces)

    provenance = {
        "view": SUBSTITUTES,
        "layers": MASKED,
        "encoder": {"model": source["model"]},
        "seed": args.seed,
        "centre": None,  # a masked word has no form that could be removed
    }
    write_uses(args.out, *find_all_uses(corpora, vectors, most, args.seed), provenance)
