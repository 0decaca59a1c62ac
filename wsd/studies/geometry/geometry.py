"""Measure the geometry of each layer's vectors, word by word.

:mod:`wsd.studies.geometry.vector_measures` has the measures. Each is computed on unchanged vectors
and under each transform (:mod:`wsd.metrics.transforms`), which is fitted in two ways.

A transform fitted on ``corpus``, the training instances of all words, removes the common part of
all vectors. Each word has the same weight; otherwise `pitcher` alone would have a quarter of the
weight. After this centring, anisotropy is about -1 / (number of words - 1) by construction.

A transform fitted on ``word``, the word's own training instances, equals the classifiers'
``transform``. The table has it as a warning, too: if senses are imbalanced, the word's mean is
nearly the centroid of the majority sense, so that centring leaves this centroid an arbitrary
direction. Two columns show this:
``majority_norm``, the length of the majority sense's centroid divided by the mean length of a
vector, and ``centroid_macro_f1``, the score of a nearest centroid by cosine on the test rows.
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
# About the number of rows that a transform of all words is fitted on.
ROWS = 20_000
MEAN = "(mean)"  # instead of a word; with brackets, since `mean` is a word with several senses


def measure(words: Mapping[str, WordVectors], name: str, on: str, seed: int) -> pd.DataFrame:
    """Return all measures of all words in one layer choice, under one transform.

    Parameters
    ----------
    words : mapping of word to WordVectors
    name : str
        The name of the transform.
    on : {"corpus", "word"}
        The instances that it is fitted on.
    seed : int

    Returns
    -------
    DataFrame with the columns word, n and ``MEASURES``
        One row per word; then :data:`MEAN`, with the sum of n and the means over words, without
        missing values.
    """
    transforms = _fit_each(words, name) if on == WORD else _fit_together(words, name)
    directions = [
        unit_vectors(transforms[word].apply(data.vectors)) for word, data in words.items()
    ]
    table = pd.DataFrame({"word": list(words), "n": [len(data.gold) for data in words.values()]})
    table["anisotropy"] = vector_measures.anisotropy(directions)
    rows = []
    for (word, data), directed in zip(words.items(), directions, strict=True):
        within = vector_measures.within_word(directed, data.gold, seed)
        rows.append({**within, **vector_measures.centroid_measures(data, transforms[word])})
    table = table.join(pd.DataFrame(rows))
    table.loc[len(table)] = {"word": MEAN, "n": table["n"].sum(), **table[MEASURES].mean()}
    return table


def _fit_each(words: Mapping[str, WordVectors], name: str) -> dict[str, Transform]:
    return {word: fitted(name, data.vectors, mean=data.mean) for word, data in words.items()}


def _fit_together(words: Mapping[str, WordVectors], name: str) -> dict[str, Transform]:
    """Fit one transform for all words, with equal weights of the words."""
    most = max(1, ROWS // len(words))
    rows = [data.vectors[:: -(-len(data.vectors) // most)] for data in words.values()]
    weights = np.concatenate([np.full(len(own), 1 / len(own) / len(words)) for own in rows])
    mean = np.mean([data.mean for data in words.values()], axis=0)
    return dict.fromkeys(words, fitted(name, np.concatenate(rows), weights, mean))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_embeddings(parser)
    parser.add_argument("--view", default="focal")
    parser.add_argument("--layers", nargs="+", required=True, help="layer choices")
    add_transforms(parser)
    add_seed(parser)
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Measure one view of one model, and write a table in the order of the layer choices."""
    corpora = read_corpora(args.corpus, args.words)
    opened = {
        word: Embeddings(vectors_file(args.embeddings, corpus, args.view), corpus)
        for word, corpus in corpora.items()
    }
    sources = {word: embeddings.provenance for word, embeddings in opened.items()}
    model = shared_provenance(sources, args.out)["encoder"]["model"]["name"]
    first = next(iter(opened.values()))
    choices = expand_layers(args.layers, first.blocks, where="--layers", stored=first.stored)
    tables = []
    measured = [
        (name, on)
        for name in args.transforms
        for on in ((NOTHING,) if name == NONE else (CORPUS, WORD))
    ]
    # On one thread, the scores do not depend on the number of cores.
    with one_thread():
        for choice in choices:
            words = {}
            for word, embeddings in opened.items():
                layers = {layer: embeddings.layer(layer) for layer in choice.layers}
                vectors = choice.combine(layers)
                words[word] = vector_measures.gather(corpora[word], vectors, args.seed)
            for name, on in measured:
                table = measure(words, name, on, args.seed)
                tables.append(table.assign(layers=choice.name, transform=name, fitted_on=on))
            log.debug("geometry of %s %s", model, choice.name)
    table = pd.concat(tables, ignore_index=True).assign(model=model, view=args.view)
    write_csv(args.out, table[COLUMNS])
