"""Decide whether a word has the same sense in two sentences, by the cosine of its two vectors.

For each layer choice and transformation, a threshold is set on the training pairs, and every split
is scored with it. The layer choice and transformation with the highest accuracy on the development
pairs are selected; without development pairs, the training pairs are used. The test pairs take no
part in the selection. This is the method of Pilehvar and Camacho-Collados (NAACL 2019), layer by
layer.

Only the test pairs have p-values: the other pairs set the thresholds and select the configuration.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wsd.arguments import add_out_folder, add_path, add_seed, add_transforms, add_word_files
from wsd.artifacts.dataset import SENTENCES
from wsd.artifacts.layer_choice import LayerChoice, expand_layers
from wsd.artifacts.run_json import word_file
from wsd.artifacts.vectors import VECTORS, Embeddings
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.metrics.counts import count_kinds
from wsd.metrics.graded import FEWEST_WORDS
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.over_words import detectable
from wsd.metrics.pair_scores import (
    accuracy,
    auc,
    best_threshold,
    percentiles,
    resampled,
)
from wsd.metrics.permutation import compare_systems, holm
from wsd.metrics.single_thread import one_thread
from wsd.metrics.transforms import fitted
from wsd.storage.csv import write_csv
from wsd.studies.pairs.cosines import COSINES, NAMES, NUMBERS, TABLE, TESTS, Cosines, write_cosines
from wsd.studies.pairs.pair_table import SAME, SPLITS, TEST, Pairs, read_pairs

NONE = (np.nan, np.nan)
DEFAULT = ("all", "mean-last-2", "mean-last-3", "mean-last-4", "concat-last-4", "mean-all")


def measure(pairs: Pairs, vectors: np.ndarray, transforms: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the cosines of all pairs, by transformation.

    Parameters
    ----------
    pairs : Pairs
    vectors : array of shape (sentences, features)
    transforms : sequence of str
        Names of :mod:`wsd.metrics.transforms`; they are fitted on the sentences of training pairs.
    """
    train = vectors[pairs.sentences.split == "train"]
    cosines = {}
    for name in transforms:
        directions = unit_vectors(fitted(name, train).apply(vectors))
        first, second = (directions[rows] for rows in pairs.rows.T)
        cosines[name] = np.einsum("ij,ij->i", first, second)
    return cosines


def score(pairs: Pairs, cosines: Cosines, seed: int = 1) -> pd.DataFrame:
    """Return thresholds, scores with intervals, and tests against the chosen row, by split.

    With at least ``FEWEST_WORDS`` words, the tests exchange the decisions on whole words.

    Parameters
    ----------
    pairs : Pairs
    cosines : Cosines
        The simplest choice first, since the first wins a tie.
    seed : int
        The seed of the resampling.

    Returns
    -------
    DataFrame
        With the columns of :mod:`wsd.studies.pairs.cosines` except model and view.

    Raises
    ------
    CorpusError
        If no training pair has a label.
    """
    same = pairs.same == SAME
    train = pairs.labelled("train")
    if not len(train):
        fix = "import them with their labels"
        raise CorpusError("no training pair has a label", where=str(pairs.about["name"]), fix=fix)
    thresholds = {n: best_threshold(values[train], same[train]) for n, values in cosines.items()}
    called = {name: values >= thresholds[name] for name, values in cosines.items()}
    dev = pairs.labelled("dev")
    selected_on = dev if len(dev) else train
    chosen = max(cosines, key=lambda name: (called[name] == same)[selected_on].sum())
    tables = []
    for split in SPLITS:
        if not len(rows := pairs.labelled(split)):
            continue
        answers = {name: (values[rows], called[name][rows]) for name, values in cosines.items()}
        table = _score_split(pairs.word[rows], same[rows], answers, chosen, seed)
        if split == TEST:
            right = [called[n][rows] == same[rows] for n in cosines]
            _add_tests(table, pairs.word[rows], right, seed)
        tables.append(table.assign(split=split, threshold=[thresholds[n] for n in cosines]))
    return pd.concat(tables, ignore_index=True)


def _score_split(
    words: np.ndarray,
    gold: np.ndarray,
    answers: Mapping[tuple[str, str], tuple[np.ndarray, np.ndarray]],
    chosen: tuple[str, str],
    seed: int,
) -> pd.DataFrame:
    """Score the cosines and the decisions of each choice on one split."""
    by_pair, by_word = resampled(np.arange(len(gold)), seed), resampled(words, seed)
    draws = {"": by_pair, "_by_word": by_word}
    once = np.ones((1, len(gold)))
    n_words = len(set(words))
    clusters = {"": len(gold), "_by_word": n_words}
    rows: list[dict[str, Any]] = []
    for name, (values, called) in answers.items():
        row: dict[str, Any] = dict(zip(("transform", "layers"), name, strict=True))
        row |= {"chosen": name == chosen, "called_same": called.mean()}
        estimates = {m: score.item() for m, score in _scores(values, called, gold, once).items()}
        row |= estimates
        for by, weights in draws.items():
            for metric, drawn in _scores(values, called, gold, weights).items():
                known = by == "" or n_words >= FEWEST_WORDS
                bounds = percentiles(drawn, estimates[metric], clusters[by]) if known else NONE
                row[f"{metric}_low{by}"], row[f"{metric}_high{by}"] = bounds
        rows.append(row)
    table = pd.DataFrame(rows).assign(n=len(gold), words=n_words, **dict.fromkeys(TESTS, np.nan))
    table["difference"] = table["accuracy"] - table.loc[table["chosen"], "accuracy"].item()
    return table


def _add_tests(
    table: pd.DataFrame, words: np.ndarray, right: Sequence[np.ndarray], seed: int
) -> None:
    """Test each row against the chosen one, unless both decide the same on every pair."""
    names, word = np.unique(words, return_inverse=True)
    # All pairs of a word are exchanged together, like the instances of a document.
    documents = word if len(names) >= FEWEST_WORDS else None
    reference = right[int(table["chosen"].argmax())]
    tested = [i for i, answers in enumerate(right) if (answers != reference).any()]
    for i in tested:
        joint = count_kinds([np.ones_like(word), right[i], reference], 2, documents)
        tests = compare_systems([joint], family=len(tested), rng=seed)
        _, low, high, p, error = tests["micro_accuracy"]
        differences = detectable(error), detectable(error, family=len(tested))
        table.loc[i, TESTS[:5]] = low, high, p, *differences
    table.loc[tested, "p_holm"] = holm(table.loc[tested, "p"].tolist())


def _scores(
    values: np.ndarray, called: np.ndarray, gold: np.ndarray, weights: np.ndarray
) -> dict[str, np.ndarray]:
    return {"accuracy": accuracy(called == gold, weights), "auc": auc(values, gold, weights)}


def _choices(layers: list[str], blocks: int) -> list[LayerChoice]:
    choices = expand_layers(layers, blocks, where="--layers")
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
    choices = _choices(args.layers, vectors.blocks)
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
    write_csv(args.out / TABLE, table[[*NAMES, "chosen", *NUMBERS]])
