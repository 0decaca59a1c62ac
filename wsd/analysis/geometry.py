"""How the vectors of each layer lie: :mod:`wsd.analysis.vector_measures`, word by word.

Each measure is given under three centrings. ``none``: the vectors as they are. ``corpus``: less
one mean of the training instances of all words, which takes out the direction that all vectors
share; each word weighs the same in it, or a quarter of it would be `pitcher`'s, and `pitcher` half
centred on itself. Anisotropy is then about -1 / (number of words - 1) by construction.
``word``: less the mean of the word's own training instances. The last is here as a warning: under
imbalance that mean is nearly the centroid of the majority sense, whose centred direction is then
what the minority leaves over, and no longer the sense's. Two columns show it: ``majority_norm``,
the length of the majority sense's centroid over the mean length of a vector, and
``centroid_macro_f1``, what a nearest centroid by cosine then reaches on the test rows.
"""

import argparse
from collections.abc import Mapping

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from wsd.analysis import vector_measures
from wsd.analysis.vector_measures import MEASURES, WordVectors
from wsd.arguments import add_embeddings, add_out, add_seed
from wsd.artifacts.corpus import read_corpora
from wsd.artifacts.features import shared_provenance
from wsd.artifacts.layer_choice import expand_layers
from wsd.artifacts.vectors import Embeddings
from wsd.logs import log
from wsd.storage.csv import write_csv
from wsd.storage.file_names import file_name

CENTRINGS = ("none", "corpus", "word")
COLUMNS = ["model", "view", "layers", "centring", "word", "n", *MEASURES]
MEAN = "(mean)"  # in place of a word; the brackets, because `mean` is a word with several senses


def measure(words: Mapping[str, WordVectors], centring: str, seed: int) -> pd.DataFrame:
    """All measures of all words in one layer choice under one centring.

    Parameters
    ----------
    words : mapping of word to WordVectors
    centring : {"none", "corpus", "word"}
    seed : int

    Returns
    -------
    DataFrame with the columns word, n and ``MEASURES``
        One row per word; then :data:`MEAN`, the sum of n and the means over the words of what
        could be measured.
    """
    means = _means(words, centring)
    directions = [
        vector_measures.centred_unit(of.vectors, means[word]) for word, of in words.items()
    ]
    table = pd.DataFrame({"word": list(words), "n": [len(of.gold) for of in words.values()]})
    table["anisotropy"] = vector_measures.anisotropy(directions)
    rows = []
    for (word, of), directed in zip(words.items(), directions, strict=True):
        of_pairs = vector_measures.of_pairs(directed, of.gold, seed)
        rows.append({**of_pairs, **vector_measures.consequence(of, means[word])})
    table = table.join(pd.DataFrame(rows))
    table.loc[len(table)] = {"word": MEAN, "n": table["n"].sum(), **table[MEASURES].mean()}
    return table


def _means(words: Mapping[str, WordVectors], centring: str) -> dict[str, np.ndarray | float]:
    """Per word, what the centring subtracts."""
    if centring == "word":
        return {word: of.mean for word, of in words.items()}
    common = np.mean([of.mean for of in words.values()], axis=0) if centring == "corpus" else 0.0
    return dict.fromkeys(words, common)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_embeddings(parser)
    parser.add_argument("--view", default="focal")
    parser.add_argument("--layers", nargs="+", required=True, help="layer choices")
    add_seed(parser)
    add_out(parser, "the table, .csv")


def run(args: argparse.Namespace) -> None:
    """Measure one view of one model and write one table, in the order of the layer choices."""
    corpora = read_corpora(args.corpus, args.words)
    opened = {
        word: Embeddings(args.embeddings / file_name(word) / f"{args.view}.safetensors", corpus)
        for word, corpus in corpora.items()
    }
    sources = {word: one.provenance for word, one in opened.items()}
    model = shared_provenance(sources, args.out)["encoder"]["model"]["name"]
    blocks = next(iter(opened.values())).blocks
    tables = []
    # As in wsd.classification.classify: figures that do not depend on the number of cores.
    with threadpool_limits(1):
        for choice in expand_layers(args.layers, blocks, where="--layers"):
            words = {}
            for word, one in opened.items():
                vectors = choice.combine({layer: one.layer(layer) for layer in choice.layers})
                words[word] = vector_measures.gather(corpora[word], vectors, args.seed)
            for centring in CENTRINGS:
                table = measure(words, centring, args.seed)
                tables.append(table.assign(layers=choice.name, centring=centring))
            log.debug("geometry of %s %s", model, choice.name)
    table = pd.concat(tables, ignore_index=True).assign(model=model, view=args.view)
    write_csv(args.out, table[COLUMNS])
