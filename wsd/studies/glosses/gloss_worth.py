"""Measure how many labelled sentences a gloss is worth, with nearest centroid.

The vector of a sense is the mean of its gloss vectors and of n of its training sentences, or of all
if it has fewer. The sentences are drawn several times. Within a draw, the sentences for a smaller n
are among those for a larger n. All layers and all three starts (no gloss, and the two kinds of
gloss vector) get the same sentences. Test instances are only predicted.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wsd.arguments import add_embeddings, add_out, add_path, add_seed, add_word_files
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.feature_set import read_features
from wsd.artifacts.predictions import TEST
from wsd.logs import log
from wsd.metrics.counts import Counts, count_kinds
from wsd.metrics.intervals_over_runs import scores_over_runs
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.single_thread import one_thread
from wsd.storage.csv import write_csv
from wsd.storage.file_names import file_name
from wsd.studies.glosses.gloss_names import KINDS, VIEW
from wsd.studies.glosses.gloss_vectors import SenseVectors, read_gloss_vectors

SHOTS = (0, 1, 2, 4, 8, 16, 32, 64)
DRAWS = 20
# The start without a gloss.
ALONE = "sentences"
METRIC = "mean_macro_f1"
# The counts of a word, with a system per draw, by start and n.
Predicted = dict[tuple[str, int], Counts]


def drawn_rows(corpus: Corpus, seed: int) -> list[list[np.ndarray]]:
    """Draw the training rows of each sense, several times, from the seed and the word alone.

    Returns
    -------
    list over draws of lists over senses of int arrays
    """
    rows = np.flatnonzero(corpus.split == "train")
    name = int.from_bytes(file_name(corpus.word).encode(), "big")

    def draw_rows(draw: int, sense: int) -> np.ndarray:
        generator = np.random.default_rng((seed, draw, sense, name))
        return generator.permutation(rows[corpus.gold[rows] == sense])[: SHOTS[-1]]

    senses = range(len(corpus.senses))
    return [[draw_rows(draw, sense) for sense in senses] for draw in range(DRAWS)]


def predict(
    corpus: Corpus,
    vectors: np.ndarray,
    glosses: Mapping[str, SenseVectors],
    drawn: Sequence[Sequence[np.ndarray]],
) -> Predicted:
    """Predict the test instances of a word for every start, n and draw.

    Parameters
    ----------
    corpus : Corpus
    vectors : array of shape (len(corpus), features)
    glosses : mapping of kind to SenseVectors
    drawn : sequence over draws of sequences over senses of int arrays
        From :func:`drawn_rows`.
    """
    senses, tests = range(len(corpus.senses)), corpus.split == TEST
    directions, gold = unit_vectors(vectors[tests]), corpus.gold[tests]
    predicted: Predicted = {}
    no_gloss = np.zeros((0, vectors.shape[1])), np.zeros(0, dtype=int)
    for start in (ALONE, *KINDS):
        gloss_vectors, gloss_senses = glosses.get(start, no_gloss)
        for n in SHOTS[1:] if start == ALONE else SHOTS:
            # Without sentences all draws are the same.
            draws = []
            for rows in drawn if n else drawn[:1]:
                parts = [(gloss_vectors[gloss_senses == s], vectors[rows[s][:n]]) for s in senses]
                centroids = np.stack([np.concatenate(part).mean(axis=0) for part in parts])
                nearest = (directions @ unit_vectors(centroids).T).argmax(axis=1)
                draws.append(nearest)
            predicted[start, n] = count_kinds([gold, *draws], len(senses))
    return predicted


def as_many_alone(value: float, alone: Sequence[float]) -> float:
    """Return how many sentences alone reach the same metric, interpolated on a log scale.

    Parameters
    ----------
    value : float
    alone : sequence of float
        The metric with 1, 2, 4, … sentences. Where it falls, the highest value so far counts.

    Returns
    -------
    float
        From 1 (1 or fewer) to 64 (64 or more).
    """
    rising = np.maximum.accumulate(alone)
    return float(2 ** np.interp(value, rising, np.log2(SHOTS[1:])))


def table(
    layers: str, words: Sequence[Predicted], sentences: Mapping[int, int], seed: int
) -> list[Any]:
    """Return a row per start and n of one layer: scores over all words with 95% intervals.

    With several draws, the intervals are for the score of a new draw.
    ``as_many_alone`` is :func:`as_many_alone` of the mean curve. Its interval comes from the curves
    of the single draws.
    """
    scores = {}
    for start, n in words[0]:
        draws = range(DRAWS if n else 1)
        scores[start, n] = scores_over_runs([word[start, n] for word in words], draws, rng=seed)
    curves = np.array([scores[ALONE, n][METRIC].values for n in SHOTS[1:]])
    lines = []
    for (start, n), means in scores.items():
        line: dict[str, Any] = {"layers": layers, "start": start, "n": n}
        line |= {"draws": len(means[METRIC].values), "n_train": sentences[n]}
        for name, score in means.items():
            line |= {name: score.mean, f"{name}_low": score.low, f"{name}_high": score.high}
        if start != ALONE:
            line["as_many_alone"] = as_many_alone(line[METRIC], curves.mean(axis=1))
            each = [as_many_alone(line[METRIC], curve) for curve in curves.T]
            low, high = np.quantile(each, [0.025, 0.975])
            line |= {"as_many_alone_low": low, "as_many_alone_high": high}
        lines.append(line)
    return lines


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_embeddings(parser)
    add_path(parser, "--glosses", "folder of `wsd glosses`")
    add_word_files(parser, "--gloss-vectors", "of `wsd embed` for them")
    parser.add_argument("--layers", nargs="+", required=True, help="layer choices")
    add_seed(parser)
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Write the table of all layers."""
    corpora = read_corpora(args.corpus, args.words)
    glosses = read_corpora(args.glosses, args.words)
    drawn = {word: drawn_rows(corpus, args.seed) for word, corpus in corpora.items()}
    # Every draw has the same numbers of sentences.
    first = [rows for draws in drawn.values() for rows in draws[0]]
    sizes = {n: sum(len(rows[:n]) for rows in first) for n in SHOTS}
    lines: list[dict[str, Any]] = []
    with one_thread():
        for layers in args.layers:
            words = []
            for word, corpus in corpora.items():
                features, vectors, source = read_features(args.embeddings, corpus, VIEW, layers)
                folder = args.gloss_vectors
                kinds = read_gloss_vectors(folder, glosses[word], corpus, layers, source)
                words.append(predict(corpus, vectors, kinds, drawn[word]))
            names = {"model": source["model"]["name"], "view": VIEW}
            lines += [{**names, **line} for line in table(features.layers, words, sizes, args.seed)]
            log.info("gloss worth: layers %s", features.layers)
    write_csv(args.out, pd.DataFrame(lines))
