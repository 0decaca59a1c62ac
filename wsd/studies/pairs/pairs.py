"""Compare the two vectors of a word in a pair of sentences, by their cosine.

For pairs with labels, the cosine decides whether the word has the same sense in both sentences. For
each layer choice and transformation, a threshold is set on the training pairs. The layer choice and
transformation with the highest accuracy on the development pairs are selected. This is the method
of Pilehvar and Camacho-Collados (NAACL 2019), layer by layer. For pairs with ratings, the cosine
predicts the rating, and the highest Spearman correlation is selected.
:mod:`wsd.studies.pairs.score_pairs` has the details.
"""

import argparse
from collections.abc import Sequence

import numpy as np

from wsd.arguments import add_out_folder, add_path, add_seed, add_transforms, add_word_files
from wsd.artifacts.dataset import SENTENCES
from wsd.artifacts.layer_choice import LayerChoice, expand_layers
from wsd.artifacts.run_json import word_file
from wsd.artifacts.vectors import VECTORS, Embeddings
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.single_thread import one_thread
from wsd.metrics.transforms import fitted
from wsd.storage.csv import write_csv
from wsd.studies.pairs.cosines import COSINES, TABLE, columns_of, write_cosines
from wsd.studies.pairs.pair_table import Pairs, read_pairs
from wsd.studies.pairs.score_pairs import score

DECIMALS = 6
DEFAULT = ("all", "mean-last-2", "mean-last-3", "mean-last-4", "concat-last-4", "mean-all")


def measure(pairs: Pairs, vectors: np.ndarray, transforms: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the cosines of all pairs, by transformation.

    Parameters
    ----------
    pairs : Pairs
    vectors : array of shape (sentences, features)
    transforms : sequence of str
        Names of :mod:`wsd.metrics.transforms`; they are fitted on the sentences of training pairs,
        or on all sentences if there are no splits.
    """
    train = vectors[pairs.sentences.split == pairs.fitted_on]
    cosines = {}
    for name in transforms:
        directions = unit_vectors(fitted(name, train).apply(vectors))
        first, second = (directions[rows] for rows in pairs.rows.T)
        # Rounding errors would rank pairs of equal vectors, of which layer 0 has many.
        cosines[name] = np.einsum("ij,ij->i", first, second).round(DECIMALS)
    return cosines


def _choices(layers: list[str], vectors: Embeddings) -> list[LayerChoice]:
    choices = expand_layers(layers, vectors.blocks, where="--layers", stored=vectors.stored)
    if mixed := [choice.name for choice in choices if choice.operation == "mix"]:
        problem = f"layers {mixed[0]!r}: a mix needs training, but pairs train no classifier"
        raise ConfigError(problem, where="--layers", fix="use mean, sum or concat")
    return choices


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_path(parser, "--pairs", "folder of pairs that `wsd import` wrote")
    add_word_files(parser, "--embeddings", f"folder of {SENTENCES}/<view>.safetensors")
    parser.add_argument("--view", default="focal", help="view to compare (default: focal)")
    text = f"layer choices (default: {' '.join(DEFAULT)})"
    parser.add_argument("--layers", nargs="+", default=list(DEFAULT), help=text)
    add_transforms(parser)
    add_seed(parser, "of the resampling")
    add_out_folder(parser, f"folder, for {TABLE} and {COSINES}")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    pairs = read_pairs(args.pairs)
    path = word_file(args.embeddings, f"{SENTENCES}/{args.view}{VECTORS}")
    vectors = Embeddings(path, pairs.sentences)
    cosines: dict[tuple[str, str], np.ndarray] = {}
    choices = _choices(args.layers, vectors)
    # With several threads, the scores would depend on their number.
    with one_thread():
        for choice in choices:
            combined = choice.combine({layer: vectors.layer(layer) for layer in choice.layers})
            for transform, values in measure(pairs, combined, args.transforms).items():
                cosines[transform, choice.name] = values
            log.info("cosines of %s", choice.name)
    ordered = {(t, c.name): cosines[t, c.name] for t in args.transforms for c in choices}
    model = vectors.provenance["model"]["name"]
    table = score(pairs, ordered, args.seed).assign(model=model, view=args.view)
    provenance = {"model": model, "view": args.view, "blocks": vectors.blocks, "seed": args.seed}
    write_cosines(args.out / COSINES, pairs, ordered, provenance)
    write_csv(args.out / TABLE, table[columns_of(is_graded=pairs.is_graded)])
