"""A configuration of the results, fitted again word by word for use on new text.

Everything comes from what the evaluation left behind: the vectors, the rows and folds of the
training set, the tuned parameters. A fitted word is only handed out if it gives the stored
predictions on the test split again, so that the scores that were reported are those of what is
used.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd import calibration, corpus, features, folds, novelty, predictions, tuning
from wsd.classifiers import ESTIMATORS
from wsd.corpus import Corpus
from wsd.errors import ConfigError, DamageError, ResultError
from wsd.features import JOIN, Features
from wsd.files import expecting
from wsd.folds import WordFolds
from wsd.names import file_name
from wsd.predictions import PER_WORD, TEST, WordPredictions
from wsd.selection import ALL_WORDS
from wsd.sheets import read_csv
from wsd.trains import FULL

DRAWN = "other"  # the view of a random word: one that has no meaning on new text
# How far scores may lie from the stored ones: rounding, never another fit.
RTOL, ATOL = 1e-6, 1e-9


@dataclass(frozen=True)
class Configuration:
    """What was selected, or what somebody asks for instead."""

    model: str
    view: str
    layers: str
    classifier: str

    def __str__(self) -> str:
        return f"{self.model}, {self.view}, layers {self.layers}, {self.classifier}"

    def features(self, blocks: int) -> Features:
        """The views and layer choices, of an encoder of ``blocks`` blocks."""
        return features.features(self.view, self.layers, blocks)


def is_usable(configuration: Configuration) -> bool:
    """Whether it can be used on new text: a random word of the sentence cannot be drawn again."""
    return DRAWN not in configuration.view.split(JOIN)


@dataclass(frozen=True, eq=False)
class VectorAnswers:
    """What a fitted word says of some vectors.

    Attributes
    ----------
    predicted : int array of shape (n,)
        Indices into the word's senses.
    scores : array of shape (n, senses)
        As the evaluation has them: probabilities, shares of votes, or cosines; NaN for a sense
        without training instances.
    probabilities : array of shape (n, senses)
        After the temperature; NaN everywhere if there are none: cosines that were not calibrated.
    distance : array of shape (n,)
        Cosine distance to the nearest training instance.
    neighbours : int array of shape (n, 5)
        The nearest training instances, numbered as in the fitted word; -1 where there are fewer.
    similarity : array of shape (n, 5)
    """

    predicted: np.ndarray
    scores: np.ndarray
    probabilities: np.ndarray
    distance: np.ndarray
    neighbours: np.ndarray
    similarity: np.ndarray


@dataclass(frozen=True, eq=False)
class FittedWord:
    """One word, ready to predict.

    Attributes
    ----------
    word : str
    senses : tuple of str
    estimator : str
        In the registry of :mod:`wsd.classifiers`.
    parameters : mapping
        Those that were tuned.
    classifier : the fitted estimator
    temperature : float or None
        Fitted on folds of the training set; None where the word has no folds.
    threshold : float or None
        The cosine distance beyond which a sentence is far from all training instances.
    train : float32 array of shape (n_train, features)
        Directions of the training vectors, of half precision.
    gold, lines : int arrays of shape (n_train,)
        Their senses, and their lines in the training file, counted from 0.
    corpus : str
        The digest of the table that they are rows of.
    """

    word: str
    senses: tuple[str, ...]
    estimator: str
    parameters: Mapping[str, Any]
    classifier: Any
    temperature: float | None
    threshold: float | None
    train: np.ndarray
    gold: np.ndarray
    lines: np.ndarray
    corpus: str

    def scores(self, vectors: np.ndarray) -> np.ndarray:
        """The scores of every sense: array of shape (n, senses)."""
        return predictions.scores_of(self.classifier, vectors, len(self.senses))

    def answer(self, vectors: np.ndarray) -> VectorAnswers:
        """Senses, scores, probabilities and nearest training instances of some vectors.

        Parameters
        ----------
        vectors : array of shape (n, features)
        """
        scores = self.scores(vectors)
        logits = calibration.logits(scores, self.estimator, self.parameters)
        if self.temperature is None and self.estimator == "nearest_centroid":
            shown = np.full_like(scores, np.nan)
        else:
            shown = calibration.probabilities(logits, self.temperature or 1.0)
        neighbours, similarity = novelty.nearest(vectors, self.train)
        return VectorAnswers(
            predicted=self.classifier.predict(vectors).astype(np.int32),
            scores=scores,
            probabilities=shown,
            distance=np.clip(1 - similarity[:, 0], 0, None),
            neighbours=neighbours,
            similarity=similarity,
        )

    def is_far(self, distance: np.ndarray) -> np.ndarray:
        """Which distances lie beyond the threshold: bool array of the same shape."""
        return distance > (np.inf if self.threshold is None else self.threshold)


class Results:
    """The folder of one dataset's results.

    Parameters
    ----------
    folder : Path
        ``results/<dataset>``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def choose(
        self,
        model: str | None = None,
        view: str | None = None,
        layers: str | None = None,
        classifier: str | None = None,
    ) -> Configuration:
        """The candidate that the folds say is best, among those that are as asked for.

        With nothing asked for, what was selected; of several models, that of the best of them.

        Raises
        ------
        ConfigError
            If no candidate is as asked for; it names what there is.
        """
        path = self.folder / "selection.csv"
        if not path.exists():
            raise ResultError(
                "nothing was selected here yet", where=str(path), fix="run snakemake first"
            )
        with expecting(path):
            table = read_csv(path)
            table = table[(table["train"] == FULL) & (table["scope"] == ALL_WORDS)]
            asked = {"model": model, "view": view, "layers": layers, "classifier": classifier}
            for column, value in asked.items():
                if value is None:
                    continue
                there = table[column].unique()
                if value not in there:
                    raise ConfigError(
                        f"no candidate has the {column} {value!r}",
                        where=f"--{column}",
                        fix=f"choose among {', '.join(there)}, or add it to the config and run "
                        "snakemake",
                    )
                table = table[table[column] == value]
            # Within a model what was selected comes first, though another may be as good.
            best = table.sort_values("objective", ascending=False, kind="stable").iloc[0]
            return Configuration(*(str(best[name]) for name in asked))

    def predictions(self, of: Configuration) -> Path:
        """Where the predictions of a configuration lie."""
        folder = self.folder / of.model / "predictions" / FULL / of.view
        return folder / f"{of.layers}.{of.classifier}.parquet"

    def corpus(self, word: str) -> Corpus:
        """A word's table."""
        return corpus.read(self.folder / "corpus" / f"{file_name(word)}.parquet")


class Fitting:
    """Fits the words of one configuration.

    Parameters
    ----------
    results : Results
    configuration : Configuration

    Raises
    ------
    ResultError
        If the results lack the configuration.
    ConfigError
        If it cannot be used on new text.
    """

    def __init__(self, results: Results, configuration: Configuration) -> None:
        self.results, self.configuration = results, configuration
        if not is_usable(configuration):
            raise ConfigError(
                "the view `other` is one random word of the sentence, a control",
                where="--view",
                fix="choose another view",
            )
        stored, self.source = predictions.read(results.predictions(configuration))
        if self.source["estimator"] == PER_WORD:
            raise ConfigError("configurations that differ from word to word cannot be used here")
        self.words: tuple[str, ...] = tuple(self.source["words"])
        # What made the vectors: model, pooling, input, precision, versions.
        self.encoder: dict[str, Any] = self.source["encoder"]
        self.features = configuration.features(self.encoder["model"]["blocks"])
        self._stored = {one.word: one for one in stored if one.split == TEST}
        self._folds = folds.read(results.folder / "folds" / f"{FULL}.parquet")

    def word(self, word: str) -> FittedWord:
        """Fit one word, and check it against the stored predictions.

        Raises
        ------
        ResultError
            If table, vectors or folds are not those of the predictions, or the fitted word does
            not give the stored predictions of the test split again.
        """
        return self.learner(word).fitted()

    def sentences(self, word: str) -> list[str]:
        """A word's training sentences in the order of its vectors."""
        table = self.results.corpus(word)
        return [" ".join(table.tokens[row]) for row in self._folds.rows(table)]

    def learner(self, word: str) -> "Learner":
        """A word with its vectors, before it is fitted."""
        table = self.results.corpus(word)
        made = self.results.folder / self.configuration.model
        if table.digest != self.source["corpus"][word]:
            raise _stale(f"the corpus of {word!r} is not the one that was predicted", made.parent)
        of = self.configuration
        found, vectors, made_by = features.read(made / "embeddings", table, of.view, of.layers)
        if made_by["model"] != self.encoder["model"]:
            raise _stale(
                f"the vectors of {word!r} are of another encoder than the predictions", made
            )
        parameters = self.source["parameters"]
        if word in self.source["untuned"]:
            parameters = tuning.fixed(self.source["space"])
        return Learner(
            corpus=table,
            vectors=vectors,
            features=found,
            rows=self._folds.rows(table),
            folds=self._folds.words[word],
            estimator=self.source["estimator"],
            parameters=parameters,
            stored=self._stored.get(word),
        )


def _stale(what: str, where: Path) -> ResultError:
    return ResultError(what, where=str(where), fix="run snakemake again")


def training_sentences(results: Results, word: FittedWord) -> list[str] | None:
    """The sentences that a word was fitted on; None if the results are of another table."""
    try:
        table = results.corpus(word.word)
    except DamageError:
        raise
    except ResultError:  # it is not there
        return None
    if table.digest != word.corpus:
        return None
    rows = np.flatnonzero(table.split == "train")
    rows = rows[np.searchsorted(table.index[rows], word.lines)]
    return [" ".join(table.tokens[row]) for row in rows]


@dataclass(frozen=True, eq=False)
class Learner:
    """A word's vectors and all that its classifier was tuned to.

    Attributes
    ----------
    corpus : Corpus
    vectors : float32 array of shape (len(corpus), features)
    features : Features
    rows : int array of shape (n_train,)
        The training set.
    folds : WordFolds
        Of the training set.
    estimator : str
    parameters : mapping
    stored : WordPredictions or None
        Of the test split.
    """

    corpus: Corpus
    vectors: np.ndarray
    features: Features
    rows: np.ndarray
    folds: WordFolds
    estimator: str
    parameters: Mapping[str, Any]
    stored: WordPredictions | None

    def unfitted(self) -> Any:
        """The estimator with the tuned parameters."""
        return predictions.unfitted(self.estimator, self.parameters, self.features)

    def temperature(self) -> float | None:
        """Fitted on each training instance while its fold is held out, in the first drawing.

        None if the word has no folds.
        """
        if self.folds.held is None:
            return None
        vectors, gold = self.vectors[self.rows], self.corpus.gold[self.rows]
        held_out = np.empty((len(gold), len(self.corpus.senses)))
        for fit, held in self.folds.splits(0):
            fitted = self.unfitted().fit(vectors[fit], gold[fit])
            held_out[held] = predictions.scores_of(fitted, vectors[held], held_out.shape[1])
        logits = calibration.logits(held_out, self.estimator, self.parameters)
        return calibration.temperature(logits, gold)

    def fitted(self) -> FittedWord:
        """The word, fitted on its whole training set, as :meth:`Fitting.word` says."""
        vectors, gold = self.vectors[self.rows], self.corpus.gold[self.rows]
        classifier = self.unfitted().fit(vectors, gold)
        train = novelty.unit(vectors).astype(np.float32)
        made = FittedWord(
            word=self.corpus.word,
            senses=self.corpus.senses,
            estimator=_registered(classifier),
            parameters=classifier.get_params(),
            classifier=classifier,
            temperature=self.temperature(),
            threshold=novelty.threshold(train, self.folds.component),
            train=train,
            gold=gold.astype(np.int32),
            lines=self.corpus.index[self.rows],
            corpus=self.corpus.digest,
        )
        self.check(made)
        return made

    def check(self, made: FittedWord) -> None:
        """Refuse a word that does not give the stored predictions of the test split again."""
        if self.stored is None:
            return
        tested = self.vectors[self.corpus.split == TEST]
        again = made.scores(tested)
        alike = np.allclose(again, self.stored.scores, rtol=RTOL, atol=ATOL, equal_nan=True)
        if not alike or (made.classifier.predict(tested) != self.stored.predicted).any():
            worst = float(np.nanmax(np.abs(again - self.stored.scores), initial=0))
            raise ResultError(
                f"fitted again, the classifier of {made.word!r} does not give the stored "
                f"predictions: a score differs by {worst:.2g}",
                fix="run snakemake again: the predictions are of other versions or another "
                "machine, and the scores with them",
            )


def _registered(classifier: Any) -> str:
    return next(name for name, kind in ESTIMATORS.items() if type(classifier) is kind)
