"""Divide a training set into folds for cross-validation.

The folds are stratified by sense, and they are drawn several times. Near-duplicates are always in
the same fold.
"""

import argparse
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from wsd.arguments import add_corpora, add_out, add_seed, count
from wsd.artifacts import training_set
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.training_set import Folds, K, TrainingSet, WordFolds, write_folds
from wsd.errors import ConfigError, ResultError
from wsd.logs import log
from wsd.metrics import near_duplicates

# Near-duplicates are searched in at most so many sentences.
FEW = 1000


def most_folds(gold: np.ndarray, component: np.ndarray) -> int:
    """Return the largest number of folds for a word; 1 if it has a single sense.

    Every fold needs an instance of each sense, and near-duplicates stay together.

    Parameters
    ----------
    gold, component : int arrays of shape (n,)
        The sense of each instance, and its group of near-duplicates.
    """
    senses, counts = np.unique(gold, return_counts=True)
    return min(int(counts.min()), len(np.unique(component))) if len(senses) > 1 else 1


def most_folds_of(senses: Sequence[str | int], sentences: Sequence[Sequence[str]]) -> int:
    """Return :func:`most_folds` of a word's full training set.

    Near-duplicates are ignored if there are many sentences, since enough groups remain.

    Parameters
    ----------
    senses : sequence of str or int
        Of each training instance.
    sentences : sequence of tokens
    """
    component = np.arange(len(sentences))
    if len(sentences) <= FEW:
        component = near_duplicates.components(sentences)
    return most_folds(np.array(senses), component)


def fold_word(
    gold: np.ndarray, component: np.ndarray, *, k: int, repeats: int, seed: int
) -> np.ndarray | None:
    """Return the fold numbers of one word's training instances.

    scikit-learn's ``StratifiedGroupKFold`` draws them once per repeat; the seed of a repeat is
    ``seed`` plus its number.

    Parameters
    ----------
    gold, component : int arrays of shape (n,)

    Returns
    -------
    int8 array of shape (repeats, n), or None
        None if the word cannot have k folds (:func:`most_folds`).
    """
    from sklearn.model_selection import StratifiedGroupKFold

    if most_folds(gold, component) < k:
        return None
    held = np.zeros((repeats, len(gold)), dtype=np.int8)
    for repeat in range(repeats):
        splitter = StratifiedGroupKFold(k, shuffle=True, random_state=seed + repeat)
        with warnings.catch_warnings():
            # With near-duplicates, a sense may have fewer groups than folds: a fold then lacks it.
            warnings.simplefilter("ignore", UserWarning)
            for fold, (_, rows) in enumerate(splitter.split(gold, gold, component)):
                held[repeat, rows] = fold
    return held


def draw_folds(
    corpora: Mapping[str, Corpus], train: TrainingSet | None, *, k: int, repeats: int, seed: int
) -> Folds:
    """Group near-duplicates and draw the folds of every word.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    train : TrainingSet or None
        None for the full one.
    k, repeats, seed : int
    """
    if train is not None and not set(corpora) & set(train.lines):
        problem = f"the training set {train.name!r} has none of {', '.join(corpora)}"
        raise ResultError(problem, fix="choose other words, or another training set")
    words: dict[str, WordFolds] = {}
    for word, corpus in corpora.items():
        if train is not None and word not in train.lines:
            continue
        rows = training_set.training_rows(corpus, train)
        gold = corpus.gold[rows]
        component = near_duplicates.components([corpus.tokens[row] for row in rows])
        held = fold_word(gold, component, k=k, repeats=repeats, seed=seed)
        words[word] = WordFolds(corpus.index[rows], component.astype(np.int32), held)
        groups = len(np.unique(component))
        how = f"{repeats} times {k} folds" if held is not None else "too few to fold"
        log.debug("%s: %d instances in %d groups, %s", word, len(rows), groups, how)
    name = train.name if train else training_set.FULL
    return Folds(name, k, repeats, seed, words, {word: corpora[word].digest for word in words})


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_corpora(parser)
    text = "training set of `wsd trains` (default: the full one)"
    parser.add_argument("--train", type=Path, metavar="FILE", help=text)
    parser.add_argument("--k", type=count, default=K, help=f"number of folds (default: {K})")
    text = "how often the folds are drawn (default: 3)"
    parser.add_argument("--repeats", type=count, default=3, help=text)
    add_seed(parser)
    add_out(parser, "the folds", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if args.k < 2:
        raise ConfigError("a single fold leaves nothing out", where="--k", fix="give 2 or more")
    corpora = read_corpora(args.corpus, args.words)
    train = training_set.read(args.train) if args.train else None
    write_folds(
        args.out, draw_folds(corpora, train, k=args.k, repeats=args.repeats, seed=args.seed)
    )
