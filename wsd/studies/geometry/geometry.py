"""How the vectors of each layer lie: :mod:`wsd.studies.geometry.vector_measures`, word by word.

Each measure is given of the vectors as they are and under each transformation
(:mod:`wsd.metrics.transforms`), fitted in two ways. On ``corpus``: the training instances of all
words, which takes out what all vectors share; each word weighs the same in it, or a quarter of it
would be `pitcher`'s, and `pitcher` half centred on itself. Centred, anisotropy is then about
-1 / (number of words - 1) by construction. On ``word``: the word's own training instances, as the
classifiers' ``transform`` is. That is here as a warning too: under imbalance a word's mean is
nearly the centroid of the majority sense, whose centred direction is then what the minority leaves
over, and no longer the sense's. Two columns show it: ``majority_norm``, the length of the majority
sense's centroid over the mean length of a vector, and ``centroid_macro_f1``, what a nearest
centroid by cosine then reaches on the test rows.
"""

import argparse
from collections.abc import Mapping

import numpy as np
import pandas as pd

from wsd.arguments import add_embeddings, add_out, add_seed, add_transforms
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.feature_set import shared_provenance, vectors_file
from wsd.artifacts.layer_choice import expand_layers
from wsd.artifacts.transform_names import NONE
from wsd.artifacts.vectors import Embeddings
from wsd.logs import log
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.single_thread import one_thread
from wsd.metrics.transforms import Transform, fitted
from wsd.storage.csv import write_csv
from wsd.studies.geometry import vector_measures
from wsd.studies.geometry.vector_measures import MEASURES, WordVectors

CORPUS, WORD, NOTHING = "corpus", "word", "-"
COLUMNS = ["model", "view", "layers", "transform", "fitted_on", "word", "n", *MEASURES]
# Rows that a transformation is fitted on where it is of all words, about.
ROWS = 20_000
MEAN = "(mean)"  # in place of a word; the brackets, because `mean` is a word with several senses


def measure(words: Mapping[str, WordVectors], name: str, on: str, seed: int) -> pd.DataFrame:
    """All measures of all words in one layer choice under one transformation.

    Parameters
    ----------
    words : mapping of word to WordVectors
    name : str
        Of the transformation.
    on : {"corpus", "word"}
        What it is fitted on.
    seed : int

    Returns
    -------
    DataFrame with the columns word, n and ``MEASURES``
        One row per word; then :data:`MEAN`, the sum of n and the means over the words of what
        could be measured.
    """
    transforms = _of_words(words, name) if on == WORD else _of_corpus(words, name)
    directions = [unit_vectors(transforms[word].apply(of.vectors)) for word, of in words.items()]
    table = pd.DataFrame({"word": list(words), "n": [len(of.gold) for of in words.values()]})
    table["anisotropy"] = vector_measures.anisotropy(directions)
    rows = []
    for (word, of), directed in zip(words.items(), directions, strict=True):
        of_pairs = vector_measures.of_pairs(directed, of.gold, seed)
        rows.append({**of_pairs, **vector_measures.consequence(of, transforms[word])})
    table = table.join(pd.DataFrame(rows))
    table.loc[len(table)] = {"word": MEAN, "n": table["n"].sum(), **table[MEASURES].mean()}
    return table


def _of_words(words: Mapping[str, WordVectors], name: str) -> dict[str, Transform]:
    return {word: fitted(name, of.vectors, mean=of.mean) for word, of in words.items()}


def _of_corpus(words: Mapping[str, WordVectors], name: str) -> dict[str, Transform]:
    """One for all words, in which each weighs the same."""
    most = max(1, ROWS // len(words))
    taken = [of.vectors[:: -(-len(of.vectors) // most)] for of in words.values()]
    weights = np.concatenate([np.full(len(of), 1 / len(of) / len(words)) for of in taken])
    mean = np.mean([of.mean for of in words.values()], axis=0)
    return dict.fromkeys(words, fitted(name, np.concatenate(taken), weights, mean))


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_embeddings(parser)
    parser.add_argument("--view", default="focal")
    parser.add_argument("--layers", nargs="+", required=True, help="layer choices")
    add_transforms(parser)
    add_seed(parser)
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Measure one view of one model and write one table, in the order of the layer choices."""
    corpora = read_corpora(args.corpus, args.words)
    opened = {
        word: Embeddings(vectors_file(args.embeddings, corpus, args.view), corpus)
        for word, corpus in corpora.items()
    }
    sources = {word: one.provenance for word, one in opened.items()}
    model = shared_provenance(sources, args.out)["encoder"]["model"]["name"]
    blocks = next(iter(opened.values())).blocks
    tables = []
    measured = [
        (name, on)
        for name in args.transforms
        for on in ((NOTHING,) if name == NONE else (CORPUS, WORD))
    ]
    # As in wsd.classification.classify: scores that do not depend on the number of cores.
    with one_thread():
        for choice in expand_layers(args.layers, blocks, where="--layers"):
            words = {}
            for word, one in opened.items():
                vectors = choice.combine({layer: one.layer(layer) for layer in choice.layers})
                words[word] = vector_measures.gather(corpora[word], vectors, args.seed)
            for name, on in measured:
                table = measure(words, name, on, args.seed)
                tables.append(table.assign(layers=choice.name, transform=name, fitted_on=on))
            log.debug("geometry of %s %s", model, choice.name)
    table = pd.concat(tables, ignore_index=True).assign(model=model, view=args.view)
    write_csv(args.out, table[COLUMNS])
