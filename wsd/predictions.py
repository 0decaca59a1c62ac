"""Tune and fit one classifier on one feature set, word by word, and predict the test instances.

One file holds all words: word, split, index (line of the test file), gold, predicted, and a map
from every sense of the word to its score. A sense without training instances scores NaN and is
never predicted.
"""

import dataclasses
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from wsd import features, tuning
from wsd import folds as folding
from wsd.classifiers import build
from wsd.classifiers.base import class_scores
from wsd.columns import rows_by
from wsd.corpus import Corpus
from wsd.errors import ConfigError, ResultError
from wsd.features import Features, StoredFeatures
from wsd.files import expecting, read_table, write_table
from wsd.folds import Folds

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
    splits = [split for split in dict.fromkeys(corpus.split.tolist()) if split != "train"]
    return [
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
        for split in splits
        for tested in [np.flatnonzero(corpus.split == split)]
    ]


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
    scores = np.full((len(vectors), n_senses), np.nan)
    scores[:, classifier.classes_] = class_scores(classifier, vectors)
    return scores


def unfitted(estimator: str, parameters: Mapping[str, Any], found: Features) -> Any:
    """The estimator that is fitted on a feature set: of a learned mix, the one that learns it."""
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


def tuned_parameters(provenance: Mapping[str, Any], word: str) -> dict[str, Any]:
    """The parameters that a word was fitted with, as the provenance of its predictions says."""
    if word in provenance["untuned"]:
        return tuning.fixed(provenance["space"])
    return provenance["parameters"]


def provenance_on(train: Folds) -> dict[str, Any]:
    """What the provenance of any predictions has: training set, usual task, versions."""
    return {"train": train.train, "task": "sense", "versions": versions()}


def versions() -> dict[str, str]:
    """The versions of what predictions depend on."""
    return {package: version(package) for package in PACKAGES}


class LabelledWord(NamedTuple):
    """A word's vectors with what is to be learned from them.

    Attributes
    ----------
    corpus : Corpus
        As it is on disk: the digest of folds and vectors is its own.
    labelled : Corpus
        The same, with the labels to learn.
    features : Features
    vectors : array of shape (len(corpus), features)
    """

    corpus: Corpus
    labelled: Corpus
    features: Features
    vectors: np.ndarray


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
    grid = tuning.points(space)
    for point in grid:  # what the estimator does not take is refused before any work
        build(estimator, point)
    trains = [folding.of_words(path, corpora) for path in folds]
    stored = StoredFeatures(embeddings, view, layers)

    def words() -> Iterator[LabelledWord]:
        """Read anew each time: the vectors of one word at a time are in memory."""
        for corpus in corpora.values():
            vectors, labelled = stored.read(corpus), corpus
            if relabel is not None:
                labelled = dataclasses.replace(corpus, gold=relabel(corpus))
            yield LabelledWord(corpus, labelled, stored.features, vectors)

    # On several threads a product's last bits depend on their number, and with them a near tie.
    with threadpool_limits(1):
        searched = tune(words(), trains, estimator, grid)
        chosen = [
            {
                "estimator": estimator,
                "parameters": search.best(objective) or tuning.fixed(space),
                "space": dict(space),
                "untuned": list(search.untuned),
            }
            for search in searched
        ]
        made = fit_and_predict(words(), trains, chosen)
    for i, train in enumerate(trains):
        provenance = {
            **provenance_on(train),
            **stored.provenance(out[i]),
            **chosen[i],
            "task": task,
            "classifier": name,
            "objective": objective,
            "folds": {"k": train.k, "repeats": train.repeats, "seed": train.seed},
        }
        tuning.write(searches[i], searched[i], provenance)
        write(out[i], made[i], provenance)


def tune(
    words: Iterable[LabelledWord],
    trains: Sequence[Folds],
    estimator: str,
    grid: list[dict[str, Any]],
) -> list[tuning.Search]:
    """What the folds of each training set say about every point of a search space."""
    seen: list[str] = []
    figures: list[dict[str, np.ndarray]] = [{} for _ in trains]
    for word in words:
        name = word.corpus.word
        seen.append(name)
        for train, of_words in zip(trains, figures, strict=True):
            folds = train.words.get(name)
            if folds is not None and folds.held is not None:
                rows = train.rows(word.corpus)
                vectors, gold = word.vectors[rows], word.labelled.gold[rows]
                classifier = unfitted(estimator, {}, word.features)
                of_words[name] = tuning.score_word(classifier, grid, vectors, gold, folds)
        log.debug("%s on %s: tuned on %d words", estimator, word.features.layers, len(seen))
    return [
        tuning.Search(
            grid, of_words, tuple(w for w in seen if w in train.words and w not in of_words)
        )
        for train, of_words in zip(trains, figures, strict=True)
    ]


def fit_and_predict(
    words: Iterable[LabelledWord], trains: Sequence[Folds], chosen: Sequence[Mapping[str, Any]]
) -> list[list[WordPredictions]]:
    """Fit on the whole of each training set what was chosen on its folds, and predict.

    Parameters
    ----------
    words : iterable of LabelledWord
    trains : sequence of Folds
        A word that one of them lacks is left out there.
    chosen : sequence of mappings
        Per training set estimator, parameters, space and untuned words, as in the provenance.
    """
    made: list[list[WordPredictions]] = [[] for _ in trains]
    for word in words:
        name = word.corpus.word
        for train, of_train, into in zip(trains, chosen, made, strict=True):
            if name in train.words:
                parameters = tuned_parameters(of_train, name)
                classifier = unfitted(of_train["estimator"], parameters, word.features)
                rows = train.rows(word.corpus)
                into += predict_word(word.labelled, word.vectors, classifier, rows)
    return made


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
        **provenance_on(train),
        **dict.fromkeys(("view", "layers", "classifier", "estimator"), PER_WORD),
        "parameters": {},
        "space": {},
        "chosen": {word: dict(row) for word, row in chosen.items()},
        **features.shared(sources, out),
    }
    write(out, made, provenance)


def write(path: Path, words: Sequence[WordPredictions], provenance: Mapping[str, Any]) -> None:
    """Write the predictions of all words, whole or not at all."""
    import pyarrow as pa

    def table(of: WordPredictions) -> pa.Table:
        senses = pa.array(of.senses, pa.string())
        n, k = of.scores.shape
        # A map, so that a reader in any language sees which score is which sense's.
        every = senses.take(np.tile(np.arange(k), n))
        starts = np.arange(0, n * k + 1, k, dtype=np.int32)
        return pa.table(
            {
                "word": np.repeat(of.word, n),
                "split": np.repeat(of.split, n),
                "index": of.index,
                "gold": senses.take(of.gold),
                "predicted": senses.take(of.predicted),
                "scores": pa.MapArray.from_arrays(starts, every, of.scores.astype(float).ravel()),
            }
        )

    per_word = {of.word: {"senses": list(of.senses), "n_train": of.n_train} for of in words}
    whole = pa.concat_tables(map(table, words)).combine_chunks()
    write_table(path, whole, {**provenance, "words": per_word})


def read(path: Path) -> tuple[list[WordPredictions], dict[str, Any]]:
    """Read what :func:`write` wrote: the predictions of each word and split, and their provenance.

    All words of the test split come first.
    """
    table, provenance = read_table(path)
    with expecting(path):
        words = []
        for split, rows in rows_by(table["split"]).items():
            of_split = table.take(rows)
            of_words = rows_by(of_split["word"])
            words += [
                _of_word(word, split, described, of_split.take(of_words[word]))
                for word, described in provenance["words"].items()
                if word in of_words
            ]
        if sum(len(word.index) for word in words) != len(table):
            raise ValueError("rows of a word that the provenance does not name")
    return words, provenance


def _of_word(
    word: str, split: str, described: Mapping[str, Any], rows: "pa.Table"
) -> WordPredictions:
    import pyarrow as pa
    import pyarrow.compute as pc

    senses, n_train = tuple(described["senses"]), described["n_train"]
    if type(n_train) is not int or n_train < 0:
        raise ValueError(f"no number of training instances of {word!r}")

    def codes(names: "pa.Array | pa.ChunkedArray") -> np.ndarray:
        found = pc.index_in(names, value_set=pa.array(senses, pa.string()))
        if found.null_count:
            raise ValueError(f"a sense that {word!r} does not have")
        return found.to_numpy().astype(np.int32)

    index = rows["index"].to_numpy()
    if index.dtype.kind != "i" or not ((index >= 0) & (index <= _LAST_LINE)).all():
        raise ValueError(f"an index of {word!r} that is no line")
    # Every row's map has all senses, in their order.
    maps = rows["scores"].combine_chunks()
    expected = np.tile(np.arange(len(senses)), len(rows))
    if len(set(senses)) != len(senses) or not np.array_equal(codes(maps.keys), expected):
        raise ValueError(f"scores of other senses than those of {word!r}")
    # A copy: what Arrow lends is read-only.
    scores = np.array(maps.items.to_numpy(zero_copy_only=False)).reshape(-1, len(senses))
    if scores.dtype.kind != "f" or np.isinf(scores).any():
        raise ValueError(f"a score of {word!r} that is no number")
    return WordPredictions(
        word=word,
        split=split,
        senses=senses,
        n_train=n_train,
        index=index.astype(np.int32),
        gold=codes(rows["gold"]),
        predicted=codes(rows["predicted"]),
        scores=scores,
    )
