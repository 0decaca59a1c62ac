"""Tune and fit one classifier on one feature set, word by word, and predict the test instances.

One file holds all words: word, split, index (line of the test file), gold, predicted, and a map
from every sense of the word to its score. A sense without training instances scores NaN and is
never predicted.
"""

import dataclasses
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd import features
from wsd import folds as folding
from wsd.columns import rows_by
from wsd.corpus import Corpus
from wsd.errors import ConfigError, ResultError
from wsd.features import Features
from wsd.files import expecting, read_table, write_table

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger("wsd")

PACKAGES = ("numpy", "scikit-learn", "scipy", "wsd")
TEST = "test"
_LAST_LINE = np.iinfo(np.int32).max
PER_WORD = "per-word"  # the name of what differs from word to word


@dataclass(frozen=True, eq=False)
class WordPredictions:
    """The test instances of one word.

    Attributes
    ----------
    word : str
    senses : tuple of str
        The word's inventory.
    n_train : int
        Training instances that the classifier saw.
    index : int array of shape (n,)
        0-based line in the split's file.
    gold, predicted : int arrays of shape (n,)
        0-based index into ``senses``.
    scores : float array of shape (n, len(senses))
        NaN for a sense without training instances.
    split : str
        ``"test"``, or another split that is tested on.
    """

    word: str
    senses: tuple[str, ...]
    n_train: int
    index: np.ndarray
    gold: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray
    split: str = TEST


def predict_word(
    corpus: Corpus, vectors: np.ndarray, classifier: Any, rows: np.ndarray | None = None
) -> list[WordPredictions]:
    """Fit on training rows of a word and predict the rows of every other split.

    Parameters
    ----------
    corpus : Corpus
    vectors : array of shape (len(corpus), features)
        In the corpus's row order.
    classifier : scikit-learn classifier
        Unfitted; with ``predict_proba`` or ``decision_function`` over all classes.
    rows : int array, optional
        The rows to fit on; by default all of the training split.

    Returns
    -------
    list of WordPredictions
        The test split first; a split without rows is left out.
    """
    if len(vectors) != len(corpus):
        raise ValueError(f"{len(vectors)} vectors for {len(corpus)} instances of {corpus.word}")
    train = np.flatnonzero(corpus.split == "train") if rows is None else rows
    classifier.fit(vectors[train], corpus.gold[train])
    found = []
    for split in dict.fromkeys(corpus.split.tolist()):
        tested = np.flatnonzero(corpus.split == split)
        if split == "train":
            continue
        found.append(
            WordPredictions(
                word=corpus.word,
                senses=corpus.senses,
                n_train=len(train),
                index=corpus.index[tested],
                gold=corpus.gold[tested],
                predicted=classifier.predict(vectors[tested]).astype(np.int32),
                scores=scores_of(classifier, vectors[tested], len(corpus.senses)),
                split=split,
            )
        )
    return found


def scores_of(classifier: Any, vectors: np.ndarray, n_senses: int) -> np.ndarray:
    """Scores of every sense by a fitted classifier; NaN for one without training instances.

    Parameters
    ----------
    classifier : scikit-learn classifier
        Its classes are indices of senses.
    vectors : array of shape (n, features)
    n_senses : int

    Returns
    -------
    array of shape (n, n_senses)
    """
    score = getattr(classifier, "predict_proba", None) or classifier.decision_function
    scores = np.full((len(vectors), n_senses), np.nan)
    scores[:, classifier.classes_] = score(vectors)
    return scores


def classify(
    corpora: Mapping[str, Corpus],
    embeddings: Path,
    *,
    view: str,
    layers: str,
    name: str,
    estimator: str,
    space: Mapping[str, Any],
    objective: str,
    folds: Sequence[Path],
    searches: Sequence[Path],
    out: Sequence[Path],
    relabel: Callable[[Corpus], np.ndarray] | None = None,
    task: str = "sense",
) -> None:
    """Tune on the folds of each training set, fit on all of it, predict, and write the files.

    The point of the search space is one for all words: the one with the highest objective on the
    held-out training instances. Words that cannot be tuned get the estimator's defaults.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    embeddings : Path
        Folder with ``<word>/<view>.safetensors``.
    view, layers : str
        Which vectors are classified: see :mod:`wsd.features`.
    name, estimator : str
        The classifier's name in the config, and its estimator.
    space : mapping of parameter to a value, or to a list of values
    objective : str
        Among ``wsd.tuning.OBJECTIVES``.
    folds, searches, out : sequences of Path
        Per training set: its folds, and where to write what they say and the predictions.
    relabel : function of a corpus, optional
        Gives labels to learn in place of the senses, for all of its rows.
    task : str
        What is learned, for the provenance.
    """
    from threadpoolctl import threadpool_limits

    from wsd import tuning
    from wsd.classifiers import build

    grid = tuning.points(space)
    for values in grid:  # what the estimator does not take is refused before any work
        build(estimator, values)
    trains = [folding.of_words(path, corpora) for path in folds]
    figures: list[dict[str, np.ndarray]] = [{} for _ in trains]
    sources: dict[str, Any] = {}
    made: list[list[WordPredictions]] = [[] for _ in trains]

    def vectors_of(word: str) -> tuple[Corpus, Features, np.ndarray]:
        corpus = corpora[word]
        found, vectors, sources[word] = features.read(embeddings, corpus, view, layers)
        if relabel is not None:
            corpus = dataclasses.replace(corpus, gold=relabel(corpus))
        return corpus, found, vectors

    searched: list[tuning.Search] = []
    # On several threads a product's last bits depend on their number, and with them a near tie.
    with threadpool_limits(1):
        for done, word in enumerate(corpora, start=1):
            corpus, found, vectors = vectors_of(word)
            for train, into in zip(trains, figures, strict=True):
                of_word = train.words.get(word)
                if of_word is None or of_word.held is None:
                    continue
                rows = train.rows(corpora[word])
                classifier = unfitted(estimator, {}, found)
                into[word] = tuning.score_word(
                    classifier, grid, vectors[rows], corpus.gold[rows], of_word
                )
            log.debug("%s %s: tuned on %d of %d words", layers, name, done, len(corpora))
        for train, into in zip(trains, figures, strict=True):
            untuned = tuple(w for w in corpora if w in train.words and w not in into)
            searched.append(tuning.Search(grid, into, untuned))
        chosen = [search.best(objective) for search in searched]
        for word in corpora:
            corpus, found, vectors = vectors_of(word)
            for train, into, point, to in zip(trains, figures, chosen, made, strict=True):
                if word not in train.words:
                    continue
                parameters = (point or {}) if word in into else tuning.fixed(space)
                classifier = unfitted(estimator, parameters, found)
                to += predict_word(corpus, vectors, classifier, train.rows(corpora[word]))
    for i, train in enumerate(trains):
        provenance = {
            "train": train.train,
            "view": found.view,
            "layers": found.layers,
            "task": task,
            "classifier": name,
            "estimator": estimator,
            "parameters": chosen[i] or tuning.fixed(space),
            "space": dict(space),
            "objective": objective,
            "folds": {"k": train.k, "repeats": train.repeats, "seed": train.seed},
            "untuned": list(searched[i].untuned),
            **features.shared(sources, out[i]),
            "versions": {package: version(package) for package in PACKAGES},
        }
        tuning.write(searches[i], searched[i], provenance)
        write(out[i], made[i], provenance)


def classify_per_word(
    corpora: Mapping[str, Corpus],
    embeddings: Path,
    *,
    chosen: Mapping[str, Mapping[str, Any]],
    folds: Path,
    out: Path,
) -> None:
    """Fit and predict each word with the configuration that its own folds chose.

    Parameters
    ----------
    corpora, embeddings
        As in :func:`classify`.
    chosen : mapping of word to the view, layers, estimator and parameters selected for it
    folds : Path
        The training set.
    out : Path
    """
    from threadpoolctl import threadpool_limits

    train = folding.of_words(folds, corpora)
    sources: dict[str, Any] = {}
    made: list[WordPredictions] = []
    with threadpool_limits(1):
        for word in (word for word in corpora if word in train.words):
            if word not in chosen:
                raise ResultError(
                    f"nothing was selected for {word!r}",
                    fix="run `wsd select` on the search files of this model and training set",
                )
            row, corpus = chosen[word], corpora[word]
            found, vectors, sources[word] = features.read(
                embeddings, corpus, row["view"], row["layers"]
            )
            classifier = unfitted(row["estimator"], row["parameters"], found)
            made += predict_word(corpus, vectors, classifier, train.rows(corpus))
    provenance = {
        "train": train.train,
        "view": PER_WORD,
        "layers": PER_WORD,
        "task": "sense",
        "classifier": PER_WORD,
        "estimator": PER_WORD,
        "parameters": {},
        "space": {},
        "chosen": {word: dict(row) for word, row in chosen.items()},
        **features.shared(sources, out),
        "versions": {package: version(package) for package in PACKAGES},
    }
    write(out, made, provenance)


def unfitted(estimator: str, parameters: Mapping[str, Any], found: Features) -> Any:
    """The estimator that is fitted on a feature set: of a learned mix, the one that learns it."""
    from wsd.classifiers import build

    mixed = [choice for _, choice in found.parts if choice.operation == "mix"]
    if not mixed:
        return build(estimator, parameters)
    if estimator != "logistic" or len(found.parts) > 1:
        raise ConfigError(
            f"{estimator} on {found.view} cannot learn the mix {found.layers!r}",
            where="layers",
            fix="use logistic on one view",
        )
    return build("mixed_logistic", {**parameters, "layers": len(mixed[0].layers)})


def write(path: Path, words: Sequence[WordPredictions], provenance: Mapping[str, Any]) -> None:
    """Write the predictions of all words, whole or not at all."""
    import pyarrow as pa

    sizes = [len(w.index) for w in words]
    names = [pa.array(w.senses, pa.string()) for w in words]

    def senses(codes: Callable[[WordPredictions], np.ndarray]) -> pa.Array:
        return pa.concat_arrays(n.take(codes(w)) for n, w in zip(names, words, strict=True))

    # A map, so that a reader in any language sees which score is which sense's.
    entries = np.repeat([len(w.senses) for w in words], sizes)
    scores = pa.MapArray.from_arrays(
        np.concatenate([[0], np.cumsum(entries)]).astype(np.int32),
        senses(lambda w: np.tile(np.arange(len(w.senses)), len(w.index))),
        pa.array(np.concatenate([w.scores.ravel() for w in words]).astype(np.float64)),
    )
    table = pa.table(
        {
            "word": np.repeat([w.word for w in words], sizes),
            "split": np.repeat([w.split for w in words], sizes),
            "index": pa.array(np.concatenate([w.index for w in words])),
            "gold": senses(lambda w: w.gold),
            "predicted": senses(lambda w: w.predicted),
            "scores": scores,
        }
    )
    per_word = {w.word: {"senses": list(w.senses), "n_train": w.n_train} for w in words}
    write_table(path, table, {**provenance, "words": per_word})


def read(path: Path) -> tuple[list[WordPredictions], dict[str, Any]]:
    """Read what :func:`write` wrote: the predictions of each word and split, and their provenance.

    All words of the test split come first.
    """
    table, provenance = read_table(path)
    with expecting(path):
        rows_of, splits = rows_by(table["word"]), table["split"].to_numpy()
        words = [
            _of_word(word, split, of_word, table.take(rows))
            for split in dict.fromkeys(splits.tolist())
            for word, of_word in provenance["words"].items()
            for rows in [rows_of.get(word, np.zeros(0, dtype=np.int64))]
            for rows in [rows[splits[rows] == split]]
            if len(rows)
        ]
        if sum(len(word.index) for word in words) != len(table):
            raise ValueError("rows of a word that the provenance does not name")
    return words, provenance


def _of_word(
    word: str, split: str, of_word: Mapping[str, Any], rows: "pa.Table"
) -> WordPredictions:
    import pyarrow as pa
    import pyarrow.compute as pc

    senses = tuple(of_word["senses"])
    if type(of_word["n_train"]) is not int or of_word["n_train"] < 0:
        raise ValueError(f"no number of training instances of {word!r}")
    codes = {}
    for name in ("gold", "predicted"):
        found = pc.index_in(rows[name], value_set=pa.array(senses, pa.string()))
        if found.null_count:
            raise ValueError(f"a sense that {word!r} does not have")
        codes[name] = found.to_numpy().astype(np.int32)
    index = rows["index"].to_numpy()
    if index.dtype.kind != "i" or not ((index >= 0) & (index <= _LAST_LINE)).all():
        raise ValueError(f"an index of {word!r} that is no line")
    # Every row's map has all senses, in their order.
    maps = rows["scores"].combine_chunks()
    expected = np.tile(np.arange(len(senses)), len(rows))
    keys = pc.index_in(maps.keys, value_set=pa.array(senses, pa.string()))
    if len(set(senses)) != len(senses) or not np.array_equal(keys, expected):
        raise ValueError(f"scores of other senses than those of {word!r}")
    # A copy: what Arrow lends is read-only.
    scores = np.array(maps.items.to_numpy(zero_copy_only=False)).reshape(-1, len(senses))
    if scores.dtype.kind != "f" or np.isinf(scores).any():
        raise ValueError(f"a score of {word!r} that is no number")
    return WordPredictions(
        word=word,
        split=split,
        senses=senses,
        n_train=of_word["n_train"],
        index=index.astype(np.int32),
        gold=codes["gold"],
        predicted=codes["predicted"],
        scores=scores,
    )
