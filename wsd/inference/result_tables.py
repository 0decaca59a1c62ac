"""Build tables of predictions, vectors and scores from a run, for pandas and other programs.

A table of a word is an Arrow table, so that one word at a time is in memory. All tables of a call
have the same columns: ``docs/reference/tables.md`` describes them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.artifacts.column_names import KEY_COLUMNS
from wsd.artifacts.corpus_table import Corpora, Corpus
from wsd.artifacts.feature_set import read_features
from wsd.artifacts.predictions import WordPredictions, read_predictions
from wsd.artifacts.training_set import FULL
from wsd.errors import unknown_choice, wrong_file
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.stored_probabilities import stored_probabilities, stored_temperatures
from wsd.inference.find_focal_word import located
from wsd.storage.csv import csv_names, read_csv

if TYPE_CHECKING:
    import pyarrow as pa

# The columns that each row of an instance has; further ones are in between.
INSTANCE = ("word", "split", "index", "sentence", "start", "end", "document")
PREDICTION = ("gold", "predicted", "correct", "probability", "score", "scores")
VECTOR = ("gold", "vector")
NAMES = ("model", "view", "layers", "classifier")


def predictions(
    results: Results,
    configuration: Configuration,
    words: Sequence[str] = (),
    *,
    train: str = FULL,
    test: str | None = None,
) -> Iterator["pa.Table"]:
    """Yield a table for each word and test split: a row per instance.

    Parameters
    ----------
    results : Results
    configuration : Configuration
    words : sequence of str
        By default all words.
    train : str
        The training set.
    test : str, optional
        The test split; by default each that has predictions.

    Raises
    ------
    ConfigError
        If the run lacks a word or the split.
    ResultError
        If a file is missing or damaged, or predictions and corpus do not belong together.
    """
    import pyarrow as pa

    path = results.predictions(configuration, train)
    predicted, source = read_predictions(path)
    splits = dict.fromkeys(p.split for p in predicted)
    if test not in (None, *splits):
        raise unknown_choice(f"no predictions for the test {test!r}", splits, "test")
    known = _known(words, source["words"])
    predicted = [p for p in predicted if p.word in known and test in (None, p.split)]
    temperatures = stored_temperatures(path)
    corpora = {p.word: results.corpus(p.word) for p in predicted}
    extra = _extra_columns(corpora, PREDICTION)
    one = pa.struct([("sense", pa.string()), ("score", pa.float64())])
    for part in predicted:
        corpus = corpora[part.word]
        if source["corpus"].get(part.word) != corpus.digest:
            problem = f"the predictions of {part.word!r} are of another corpus"
            raise wrong_file(problem, path)
        own = np.flatnonzero(corpus.split == part.split).tolist()
        row_of = {int(corpus.index[row]): row for row in own}
        rows = np.array([row_of[line] for line in part.index.tolist()], dtype=np.intp)
        best = (np.arange(len(rows)), part.predicted)
        likely = stored_probabilities(part, source, temperatures.get(part.word))
        columns = {
            "gold": _senses(part.senses, part.gold),
            "predicted": _senses(part.senses, part.predicted),
            "correct": pa.array(part.gold == part.predicted),
            "probability": pa.array(likely[best], pa.float64(), from_pandas=True),
            "score": pa.array(part.scores[best], pa.float64(), from_pandas=True),
            "scores": pa.array(_scores(part), pa.list_(one)),
        }
        yield _table(corpus, rows, columns, vars(configuration), extra)


def vectors(
    results: Results, model: str, view: str, layers: str, words: Sequence[str] = ()
) -> Iterator["pa.Table"]:
    """Yield a table for each word: a row per instance of every split, with its vector.

    Parameters
    ----------
    results : Results
    model : str
    view, layers : str
        As in :func:`wsd.artifacts.feature_set.parse_features`.
    words : sequence of str
        By default all words.

    Raises
    ------
    ConfigError
        If the run lacks a word, or a layer choice does not exist.
    ResultError
        If a file is missing or damaged, or a layer is not stored.
    """
    import pyarrow as pa

    folder = results.vectors(Configuration(model, view, layers, ""))
    corpora = {word: results.corpus(word) for word in _known(words, results.folds.words)}
    extra = _extra_columns(corpora, VECTOR)
    for corpus in corpora.values():
        features, array, _ = read_features(folder, corpus, view, layers)
        values = pa.array(array.ravel(), pa.float32())
        columns = {
            "gold": _senses(corpus.senses, corpus.gold),
            "vector": pa.FixedSizeListArray.from_arrays(values, array.shape[1]),
        }
        names = {"model": model, "view": features.view, "layers": features.layers}
        yield _table(corpus, np.arange(len(corpus)), columns, names, extra)


def scores(
    results: Results, names: Mapping[str, str | None], words: Sequence[str] = ()
) -> Iterator["pa.Table"]:
    """Yield the table of ``scores.csv``: the metrics of every configuration on every word.

    Parameters
    ----------
    results : Results
    names : mapping
        Values of columns that a row must have; None for any value.
    words : sequence of str
        By default all words.

    Raises
    ------
    ConfigError
        If no row has a value.
    """
    import pyarrow as pa

    table = read_csv(results.map.file("scores.csv"))
    table = table[table["word"].isin(_known(words, dict.fromkeys(table["word"])))]
    for column, value in names.items():
        if value is not None:
            if value not in (known := table[column].unique()):
                raise unknown_choice(f"no row with the {column} {value!r}", known, f"--{column}")
            table = table[table[column] == value]
    types = {name: pa.string() for name in (*KEY_COLUMNS, "word")}
    arrays = {
        name: pa.array(table[name], types.get(name), from_pandas=True) for name in map(str, table)
    }
    yield pa.table(arrays)


def _known(words: Sequence[str], known: Mapping[str, Any]) -> list[str]:
    """Return the words that the user names, or all words."""
    for word in words:
        if word not in known:
            raise unknown_choice(f"the run has no word {word!r}", known, "--words")
    return list(words or known)


def _extra_columns(corpora: Corpora, own: Sequence[str]) -> dict[str, str]:
    """Return the name in the table of each extra column that a word has."""
    names = dict.fromkeys(name for corpus in corpora.values() for name in corpus.extra)
    return csv_names(names, (*INSTANCE, *own, *NAMES))


def _senses(senses: Sequence[str], codes: np.ndarray) -> "pa.Array":
    import pyarrow as pa

    return pa.array(senses, pa.string()).take(pa.array(codes))


def _scores(part: WordPredictions) -> list[list[dict[str, Any]]]:
    """Return the score of each sense; None for a sense without training instances."""
    return [
        [
            {"sense": sense, "score": None if np.isnan(score) else score}
            for sense, score in zip(part.senses, row, strict=True)
        ]
        for row in part.scores.tolist()
    ]


def _table(
    corpus: Corpus,
    rows: np.ndarray,
    columns: Mapping[str, Any],
    names: Mapping[str, str],
    extra: Mapping[str, str],
) -> "pa.Table":
    """Return a table of the rows of a corpus, with further columns."""
    import pyarrow as pa

    def text(values: Sequence[str | None]) -> "pa.Array":
        return pa.array(values, pa.string())

    n = len(rows)
    places = [located(corpus, row) for row in rows.tolist()]
    documents = [None] * n if corpus.document is None else corpus.document[rows].tolist()
    empty = ("",) * len(corpus)
    return pa.table(
        {
            "word": text([corpus.word] * n),
            "split": text(corpus.split[rows].tolist()),
            "index": pa.array(corpus.index[rows], pa.int32()),
            "sentence": text([sentence for sentence, _ in places]),
            "start": pa.array([span[0] for _, span in places], pa.int32()),
            "end": pa.array([span[1] for _, span in places], pa.int32()),
            "document": text(documents),
            **columns,
            **{name: text([value] * n) for name, value in names.items()},
            **{
                shown: text([corpus.extra.get(name, empty)[row] for row in rows])
                for name, shown in extra.items()
            },
        }
    )
