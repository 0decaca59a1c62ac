"""Audit scores: near-duplicates, suspected gold errors, hard cases and confusions.

Three tables. ``duplicates.csv`` counts, per word, the test sentences that have a near-duplicate
in training (:mod:`wsd.metrics.near_duplicates`). ``instances.csv`` has a row per test instance with
its sentence, the most similar training sentence, the number of correct predictions, and whether its
gold sense is suspected. ``confusions.csv`` counts pairs of gold and predicted senses.

A gold sense is *suspected* if one classifier with probabilities, the judge, gives at least 0.9 to
the same other sense at every audited single layer from 1 up. The label may still be right: a
sentence can mislead an encoder at every layer.

For spreadsheets, a sentence may get an apostrophe in front (see :mod:`wsd.storage.csv`); the
corpus's own table has the original.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from wsd.arguments import add_corpora, add_files, add_out_folder
from wsd.artifacts.column_names import CANDIDATE
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.errors import ConfigError
from wsd.evaluation.comparison_rows import ComparisonRow, read_rows
from wsd.evaluation.most_similar_sentences import MostSimilar, find_most_similar
from wsd.metrics.near_duplicates import THRESHOLD
from wsd.storage.csv import csv_names, write_csv

KEYS = ["model", "train", "view", "layers", "classifier"]
CONFIDENT = 0.9


class Verdict(NamedTuple):
    """The judge's verdict on each test instance of a word.

    Attributes
    ----------
    sense : int array of shape (n,)
        The sense other than gold that every layer predicts, or -1.
    confidence : float array of shape (n,)
        The mean probability of this sense over the layers, or NaN.
    suspected : bool array of shape (n,)
        Whether the probability of this sense is at least 0.9 at every layer.
    """

    sense: np.ndarray
    confidence: np.ndarray
    suspected: np.ndarray


def judge_word(layers: Sequence[WordPredictions]) -> Verdict:
    """Find instances where one classifier contradicts gold at every layer.

    Parameters
    ----------
    layers : sequence of WordPredictions
        The predictions of one word at each layer, with probabilities as scores.
    """
    first = layers[0]
    rows = np.arange(len(first.gold))
    agreed = (first.predicted != first.gold) & np.all(
        [layer.predicted == first.predicted for layer in layers], axis=0
    )
    given = np.stack([layer.scores[rows, layer.predicted] for layer in layers])
    return Verdict(
        sense=np.where(agreed, first.predicted, -1),
        confidence=np.where(agreed, given.mean(axis=0), np.nan),
        suspected=agreed & (given >= CONFIDENT).all(axis=0),
    )


def list_instances(
    corpora: Mapping[str, Corpus],
    similar: Mapping[str, MostSimilar],
    files: Sequence[ComparisonRow],
    judge: str | None,
) -> pd.DataFrame:
    """Return a row per test instance.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    similar : mapping of word to MostSimilar
    files : sequence of ComparisonRow
        The predictions to audit, of one training set and view.
    judge : str or None
        The name of the classifier that judges the gold labels; None for no verdict.

    Returns
    -------
    DataFrame
        index and most_similar are 0-based lines of the test and the training file. n_right counts
        the predictions of the gold sense, among n_predictions layer choices and classifiers;
        all_missed is true if n_right is 0. contradicting is the other sense that the judge
        predicts at every single layer from 1 up, and confidence its mean probability there. The
        module's docstring defines suspected_gold. The extra columns of the corpus follow.
    """
    judges = [] if judge is None else _judges(files, judge)
    tables = []
    for i, (word, corpus) in enumerate(corpora.items()):
        rows = np.flatnonzero(corpus.split == TEST)
        gold, most = corpus.gold[rows], similar[word]
        right = np.sum([file.words[i].predicted == gold for file in files], axis=0)
        if judges:
            verdict = judge_word([file.words[i] for file in judges])
        else:
            n = len(rows)
            verdict = Verdict(np.full(n, -1), np.full(n, np.nan), np.zeros(n, dtype=bool))
        table = {
            "word": word,
            "index": corpus.index[rows],
            "gold": _names(corpus, gold),
            "similarity": most.similarity,
            "most_similar": pd.Series(most.index, dtype="Int64").where(most.index >= 0),
            "most_similar_sense": _names(corpus, most.gold),
            "n_right": right,
            "n_predictions": len(files),
            "all_missed": right == 0,
            "contradicting": _names(corpus, verdict.sense),
            "confidence": verdict.confidence,
            "suspected_gold": verdict.suspected,
        }
        parts = [corpus.parts(row) for row in rows.tolist()]
        for i, name in enumerate(("left", "focal", "right")):
            table[name] = [part[i].strip() for part in parts]
        extra = corpus.take(corpus.split == TEST).extra
        names = csv_names(extra, table)
        tables.append(pd.DataFrame(table | {names[name]: cells for name, cells in extra.items()}))
    return pd.concat(tables, ignore_index=True)


def _names(corpus: Corpus, codes: np.ndarray) -> list[str]:
    return [corpus.senses[code] if code >= 0 else "" for code in codes.tolist()]


def _judges(files: Sequence[ComparisonRow], judge: str) -> list[ComparisonRow]:
    """Return the predictions of the judge at single layers from 1 up."""
    own = [file for file in files if file.classifier == judge]
    judges = [file for file in own if file.layers.isdigit() and file.layers != "0"]
    if not judges:
        raise ConfigError(
            f"no predictions of the classifier {judge!r} on a single layer from 1 up",
            fix="name a classifier and layers that the config has, or audit without a judge",
        )
    scores = (word.scores for file in judges for word in file.words)
    if not all(np.allclose(np.nansum(rows, axis=1), 1) for rows in scores):
        raise ConfigError(
            f"the scores of the classifier {judge!r} are not probabilities",
            fix="name a classifier that gives probabilities, such as logistic regression",
        )
    return judges


def count_duplicates(
    corpora: Mapping[str, Corpus], similar: Mapping[str, MostSimilar]
) -> pd.DataFrame:
    """Count, per word, test sentences with a near-duplicate in training, and those without.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    similar : mapping of word to MostSimilar
        As from :func:`find_most_similar`.

    Returns
    -------
    DataFrame: word, n_test, near_duplicates, same_sense and without
        same_sense counts the near_duplicates with the gold sense of their near-duplicate; without
        counts all other test sentences.
    """
    rows = []
    for word, corpus in corpora.items():
        most, gold = similar[word], corpus.gold[corpus.split == TEST]
        near = most.similarity >= THRESHOLD
        rows.append(
            {
                "word": word,
                "n_test": len(gold),
                "near_duplicates": int(near.sum()),
                "same_sense": int((most.gold == gold)[near].sum()),
                "without": int((~near).sum()),
            }
        )
    return pd.DataFrame(rows)


def count_confusions(files: Sequence[ComparisonRow]) -> pd.DataFrame:
    """Count the pairs of gold and predicted senses, per file and word.

    Returns
    -------
    DataFrame: ``KEYS``, word, gold, predicted and n
        A row per pair that occurs, with the senses in the order of the inventory.
    """
    rows = []
    for file in files:
        identity = {"model": file.model, **{key: file.source[key] for key in KEYS[1:]}}
        for word, counts in zip(file.words, file.confusions, strict=True):
            for gold, predicted in np.argwhere(counts).tolist():
                senses = {"gold": word.senses[gold], "predicted": word.senses[predicted]}
                line = {**identity, "word": word.word, **senses}
                rows.append({**line, "n": counts[gold, predicted]})
    return pd.DataFrame(rows)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_corpora(parser)
    add_files(parser, "--predictions")
    text = "the classifier that judges gold labels by its probabilities"
    parser.add_argument("--judge", metavar="NAME", help=text)
    add_out_folder(parser, "folder for the tables")


def run(args: argparse.Namespace) -> None:
    """Write the three tables into a folder."""
    corpora = read_corpora(args.corpus, args.words)
    files = read_rows(args.predictions, CANDIDATE, corpora)
    similar = find_most_similar(corpora)
    instances = list_instances(corpora, similar, files, args.judge)
    write_csv(args.out / "duplicates.csv", count_duplicates(corpora, similar))
    write_csv(args.out / "instances.csv", instances)
    write_csv(args.out / "confusions.csv", count_confusions(files))
