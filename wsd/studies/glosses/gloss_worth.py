"""How many labelled sentences a gloss is worth: nearest centroid from a gloss, sentences, or both.

A sense's vector is the mean of its gloss vectors and of up to n of its training sentences, drawn
anew for each of several draws; of a sense that has fewer, all of them. A draw's sentences for a
larger n hold those for a smaller one, and all three starts (none, and the two kinds of gloss
vector) and all layers get the same ones. Test instances are only predicted.
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
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.repeated_runs import intervals_over_draws
from wsd.metrics.scores import confusion, mean_scores
from wsd.metrics.single_thread import one_thread
from wsd.storage.csv import write_csv
from wsd.storage.file_names import file_name
from wsd.studies.glosses.gloss_vectors import SenseVectors, read_gloss_vectors
from wsd.studies.glosses.names import KINDS, VIEW

SHOTS = (0, 1, 2, 4, 8, 16, 32, 64)
DRAWS = 20
# The start without a gloss.
ALONE = "sentences"
METRIC = "mean_macro_f1"
# By start and n: confusion matrices of shape (draws, K, K).
OfWord = dict[tuple[str, int], np.ndarray]


def drawn_rows(corpus: Corpus, seed: int) -> list[list[np.ndarray]]:
    """The training rows of each sense, per draw in another order, as far as they are needed.

    They hang on the seed and the word alone.

    Returns
    -------
    list over draws of lists over senses of int arrays
    """
    rows = np.flatnonzero(corpus.split == "train")
    of_senses = [rows[corpus.gold[rows] == sense] for sense in range(len(corpus.senses))]
    name = int.from_bytes(file_name(corpus.word).encode(), "big")
    return [
        [np.random.default_rng((seed, draw, i, name)).permutation(of)[: SHOTS[-1]]
         for i, of in enumerate(of_senses)]
        for draw in range(DRAWS)
    ]  # fmt: skip


def of_word(
    corpus: Corpus,
    vectors: np.ndarray,
    glosses: Mapping[str, SenseVectors],
    drawn: Sequence[Sequence[np.ndarray]],
) -> OfWord:
    """The test instances of a word by every start, n and draw.

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
    found: OfWord = {}
    for start in (ALONE, *KINDS):
        given = np.zeros((0, vectors.shape[1])), np.zeros(0, dtype=int)
        by_gloss, of_gloss = glosses[start] if start in KINDS else given
        for n in SHOTS if start in KINDS else SHOTS[1:]:
            # Without a sentence there is nothing to draw.
            matrices = []
            for rows in drawn if n else drawn[:1]:
                parts = [(by_gloss[of_gloss == s], vectors[rows[s][:n]]) for s in senses]
                centroids = np.stack([np.concatenate(of).mean(axis=0) for of in parts])
                nearest = (directions @ unit_vectors(centroids).T).argmax(axis=1)
                matrices.append(confusion(gold, nearest, len(senses)))
            found[start, n] = np.stack(matrices)
    return found


def as_many_alone(value: float, alone: Sequence[float]) -> float:
    """How many sentences alone reach a metric: between two numbers of them on a log scale.

    Parameters
    ----------
    value : float
    alone : sequence of float
        The metric with 1, 2, 4, … sentences. Where it falls, by chance, the highest so far counts.

    Returns
    -------
    float, from 1, which also stands for fewer, to the most, which also stands for more
    """
    rising = np.maximum.accumulate(alone)
    return float(2 ** np.interp(value, rising, np.log2(SHOTS[1:])))


def table(
    layers: str, words: Sequence[OfWord], sentences: Mapping[int, int], seed: int
) -> list[Any]:
    """A row per start and n of one layer: scores over all words with their 95% intervals.

    ``as_many_alone`` is :func:`as_many_alone` of the mean curve; its interval is that of the
    curves of the single draws.
    """
    keys = list(words[0])
    runs = {key: list(zip(*(of[key] for of in words), strict=True)) for key in keys}
    of_draws = {key: [mean_scores(run) for run in of] for key, of in runs.items()}
    curves = np.array([[float(of[METRIC]) for of in of_draws[ALONE, n]] for n in SHOTS[1:]])
    lines = []
    for key in keys:
        start, n = key
        intervals = intervals_over_draws(runs[key], rng=seed)
        line: dict[str, Any] = {"layers": layers, "start": start, "n": n, "draws": len(runs[key])}
        line["n_train"] = sentences[n]
        for name, (low, high) in intervals.items():
            value = float(np.mean([of[name] for of in of_draws[key]]))
            line |= {name: value, f"{name}_low": low, f"{name}_high": high}
        if start != ALONE:
            mean = line[METRIC]
            each = [as_many_alone(mean, curve) for curve in curves.T]
            line["as_many_alone"] = as_many_alone(mean, curves.mean(axis=1))
            line["as_many_alone_low"], line["as_many_alone_high"] = np.quantile(
                each, [0.025, 0.975]
            )
        lines.append(line)
    return lines


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
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
    # The same in every draw.
    sizes = {n: sum(len(of[:n]) for rows in drawn.values() for of in rows[0]) for n in SHOTS}
    lines: list[dict[str, Any]] = []
    with one_thread():
        for layers in args.layers:
            words = []
            for word, corpus in corpora.items():
                found = read_features(args.embeddings, corpus, VIEW, layers)
                features, vectors, made = found
                folder = args.gloss_vectors
                of_kinds = read_gloss_vectors(folder, glosses[word], corpus, layers, made)
                words.append(of_word(corpus, vectors, of_kinds, drawn[word]))
            names = {"model": made["model"]["name"], "view": VIEW}
            lines += [{**names, **line} for line in table(features.layers, words, sizes, args.seed)]
            log.info("gloss worth: layers %s", features.layers)
    write_csv(args.out, pd.DataFrame(lines))
