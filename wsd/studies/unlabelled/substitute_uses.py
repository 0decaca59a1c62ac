"""The uses of every word by what an encoder would say in its place: clusters of bags of those.

A check on the clusters of vectors (:mod:`wsd.studies.unlabelled.uses`): found, numbered and scored
in the same way, of the pieces that come likeliest where the focal word is masked, weighed by
TF-IDF. No label takes part.
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
from wsd.studies.unlabelled.uses import add_clusters, check_clusters, of_words


def bags(pieces: Sequence[Sequence[str]]) -> np.ndarray:
    """A vector per instance, of length 1; zero where nothing is listed: array (n, pieces)."""
    if not any(pieces):
        return np.zeros((len(pieces), 1))
    return np.asarray(TfidfVectorizer(analyzer=tuple).fit_transform(pieces).toarray())


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_corpora(parser)
    add_word_files(parser, "--substitutes", "folder of `wsd substitutes`")
    add_clusters(parser)
    add_seed(parser, "of k-means, and of what is drawn of a word with very many sentences")
    add_out(parser, "the uses", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Find every word's uses by its substitutes and write one file."""
    corpora = read_corpora(args.corpus, args.words)
    most = check_clusters(args.clusters, corpora)
    found, source = read_substitutes(args.substitutes, corpora)

    def vectors(corpus: Corpus, taken: np.ndarray) -> np.ndarray:
        rows = np.flatnonzero(taken).tolist()
        return bags(found[corpus.word].take(rows).fillers[MASKED].pieces)

    names = {"view": SUBSTITUTES, "layers": MASKED, "encoder": {"model": source["model"]}}
    # A masked word has no form that could be taken out.
    drawn = {"seed": args.seed, "centre": None}
    write_uses(args.out, *of_words(corpora, vectors, most, args.seed), {**names, **drawn})
