"""The five instances of a word that lie nearest to each of its instances, in the full space.

Nearness is cosine. Training and test instances alike are neighbours; sentences from out of domain
have neighbours and are none themselves. One file per layer choice holds all words: word, split,
index, and two lists of five, the neighbours' row numbers in the word's corpus and their
similarities. Its metadata has, per word, how well the neighbours alone tell the senses apart: the
macro-F1 on the test split of a vote of the five nearest training instances.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from wsd.columns import rows_by
from wsd.corpus import Corpus
from wsd.features import StoredFeatures
from wsd.figures import confusion, word_figures
from wsd.files import expecting, read_table, write_table
from wsd.nearest import unit

K = 5
# Numbers of one block of similarities: 64 MB, whatever the size of a word.
BLOCK = 2**23


@dataclass(frozen=True, eq=False)
class Neighbours:
    """One word's instances and those most similar to each.

    Attributes
    ----------
    rows : int32 array of shape (n, 5)
        Row numbers in the corpus, the most similar first; -1 where there are fewer than five.
    similarity : float32 array of shape (n, 5)
        Cosines; NaN where there are fewer than five.
    score : float
        Macro-F1 on the test split of :func:`vote`; NaN if the word has no test instance.
    """

    rows: np.ndarray
    similarity: np.ndarray
    score: float


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Slices of the rows of a matrix that is too large to be held whole."""
    step = max(1, BLOCK // max(1, columns))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def highest(similarity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The five highest of each row, of equal ones the first.

    Parameters
    ----------
    similarity : float array of shape (n, columns)
        Minus infinity for what does not count. Overwritten.

    Returns
    -------
    int32 array of shape (n, 5), -1 where fewer than five count, and their values
    """
    n, columns = similarity.shape
    found = np.full((n, K), -1, dtype=np.int32)
    values = np.full((n, K), np.nan, dtype=similarity.dtype)
    each = np.arange(n)
    for k in range(min(K, columns)):
        # The first of equal ones, which a partition or a sort from behind would not promise.
        best = similarity.argmax(axis=1)
        value = similarity[each, best]
        counts = value > -np.inf
        found[counts, k], values[counts, k] = best[counts], value[counts]
        similarity[each, best] = -np.inf
    return found, values


def vote(senses: np.ndarray, n_senses: int) -> np.ndarray:
    """The sense that most neighbours have.

    Of several senses with equally many, the one whose nearest neighbour is nearest.

    Parameters
    ----------
    senses : int array of shape (n, k)
        Of the neighbours, the nearest first; -1 where there is none, never in the first place.
    n_senses : int

    Returns
    -------
    int array of shape (n,)
    """
    votes = (senses[:, :, None] == np.arange(n_senses)).sum(axis=1)
    most = votes == votes.max(axis=1, keepdims=True)
    # No neighbour's -1 picks the last sense: it comes after all neighbours.
    first = np.take_along_axis(most, senses, axis=1).argmax(axis=1)
    return senses[np.arange(len(senses)), first]


def vote_macro_f1(
    voters: np.ndarray, trained: np.ndarray, gold: np.ndarray, n_senses: int
) -> float:
    """Macro-F1 of the votes of training instances.

    Parameters
    ----------
    voters : int array of shape (n_test, k)
        Per test instance the nearest training instances, numbered among themselves; -1 for none.
    trained : int array of shape (n_train,)
        Senses of the training instances.
    gold : int array of shape (n_test,)
    n_senses : int

    Returns
    -------
    float, NaN if there is no test or no training instance
    """
    if not (len(gold) and len(trained)):
        return float("nan")
    predicted = vote(np.where(voters >= 0, trained[voters], -1), n_senses)
    return float(word_figures(confusion(gold, predicted, n_senses))["macro_f1"])


def find(corpus: Corpus, vectors: np.ndarray) -> Neighbours:
    """The neighbours of every instance of a word, and the score of the training instances' vote.

    Similarities are compared as they are kept, in float32 of a product in float64, so that equal
    vectors are equally near; of equally near ones the first row counts. A vector of zeros has no
    direction: its similarity with any other is 0.

    Parameters
    ----------
    corpus : Corpus
    vectors : array of shape (len(corpus), features)
    """
    train, test = corpus.split == "train", corpus.split == "test"
    directions = unit(vectors.astype(np.float64))
    n = len(directions)
    rows = np.empty((n, K), dtype=np.int32)
    similarity = np.empty((n, K), dtype=np.float32)
    voters = np.empty((n, K), dtype=np.int32)
    for block in blocks(n, n):
        # The last bits of a product depend on the number of threads.
        with threadpool_limits(1):
            alike = (directions[block] @ directions.T).astype(np.float32)
        tested = np.flatnonzero(test[block])
        voters[block][tested] = highest(alike[np.ix_(tested, train)])[0]
        alike[:, ~(train | test)] = -np.inf
        own = np.arange(len(alike))
        alike[own, block.start + own] = -np.inf
        rows[block], similarity[block] = highest(alike)
    gold = corpus.gold
    score = vote_macro_f1(voters[test], gold[train], gold[test], len(corpus.senses))
    return Neighbours(rows, similarity, score)


def neighbours(
    corpora: Mapping[str, Corpus], embeddings: Path, *, view: str, layers: str, out: Path
) -> None:
    """Find every word's neighbours at one layer choice and write one file.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    embeddings : Path
        Folder with ``<word>/<view>.safetensors``.
    view, layers : str
        As in :func:`wsd.features.features`.
    out : Path
    """
    stored = StoredFeatures(embeddings, view, layers)
    words = {word: find(corpus, stored.read(corpus)) for word, corpus in corpora.items()}
    write(out, corpora, words, stored.provenance(out))


def write(
    path: Path,
    corpora: Mapping[str, Corpus],
    words: Mapping[str, Neighbours],
    provenance: Mapping[str, Any],
) -> None:
    """Write the neighbours of all words, whole or not at all."""
    import pyarrow as pa

    def fives(name: str) -> pa.Array:
        values = np.concatenate([getattr(words[word], name) for word in corpora])
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), K)

    columns = {name: fives(name) for name in ("rows", "similarity")}
    table = pa.table({**instance_columns(corpora), **columns})
    scores = {word: to_json(words[word].score) for word in corpora}
    write_table(path, table, {**provenance, "scores": scores})


def instance_columns(corpora: Mapping[str, Corpus]) -> dict[str, Any]:
    """The columns word, split and index of all words' instances, one word after the other."""
    tables = corpora.values()
    return {
        "word": np.repeat(list(corpora), [len(corpus) for corpus in tables]),
        "split": np.concatenate([corpus.split for corpus in tables]),
        "index": np.concatenate([corpus.index for corpus in tables]),
    }


def to_json(score: float) -> float | None:
    """A score for the metadata: JSON has no NaN."""
    return None if np.isnan(score) else score


def from_json(score: float | None) -> float:
    """What :func:`to_json` wrote."""
    return float("nan") if score is None else float(score)


def read(path: Path) -> tuple[dict[str, Neighbours], dict[str, Any]]:
    """Read what :func:`write` wrote, by word, and its provenance."""
    table, provenance = read_table(path)
    with expecting(path):
        places = rows_by(table["word"])
        rows, similarity = (
            table[name].combine_chunks().flatten().to_numpy().reshape(-1, K)
            for name in ("rows", "similarity")
        )
        words = {
            word: Neighbours(rows[places[word]], similarity[places[word]], from_json(score))
            for word, score in provenance["scores"].items()
        }
        for of in words.values():
            # A similarity may round to a little above 1; it is missing where a neighbour is.
            if rows.dtype.kind != "i" or not ((of.rows >= -1) & (of.rows < len(of.rows))).all():
                raise ValueError("a neighbour that is no row of the word")
            if similarity.dtype.kind != "f" or (np.abs(of.similarity) > 1.001).any():
                raise ValueError("a similarity that is no cosine")
    return words, provenance
