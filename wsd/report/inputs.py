"""What the pages are made from: tables read, checked to belong together, put in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd import files, layers
from wsd import neighbours as neighbour_files
from wsd import predictions as predictions_files
from wsd import projection as projection_files
from wsd.corpus import OUT_OF_DOMAIN, Corpus
from wsd.datasets import Dataset
from wsd.errors import ResultError
from wsd.evaluation import KEYS, SCORES, SUMMARY
from wsd.figures import MEANS
from wsd.layers import LayerChoice
from wsd.neighbours import Neighbours
from wsd.predictions import TEST, WordPredictions
from wsd.projection import Projection, align_signs
from wsd.sheets import unguarded
from wsd.trains import FULL

METRICS = ("macro_f1", "accuracy", "balanced_accuracy")
# What a classifier's confidence is: the probability of the sense that it predicts, or, where its
# scores are none, their lead over the next sense's.
PROBABILITY, LEAD = "probability", "lead"
PER_INSTANCE = ("index", "gold", "predicted", "scores")


@dataclass(frozen=True, eq=False)
class Picture:
    """One word in the plane, by one method and layer choice.

    Attributes
    ----------
    points : float32 array of shape (n, 2)
        In the corpus's row order.
    explained : tuple of 2 floats, or None
        Share of the training instances' variance along each axis; t-SNE has none.
    score : float
        Macro-F1 of a vote of nearest training instances in this plane.
    """

    points: np.ndarray
    explained: tuple[float, float] | None
    score: float


@dataclass(frozen=True, eq=False)
class WordRun:
    """One word in one model; lists are over layer choices, in their order.

    Attributes
    ----------
    corpus : Corpus
        Without instances from out of domain.
    pictures : mapping of method to list of Picture
        Signs of principal components are aligned between neighbouring layer choices.
    neighbours : list of Neighbours
        Rows are those of ``corpus``.
    predicted : mapping of reader to list of int arrays of shape (n_test,)
        In the order of the corpus's test rows; indices into its senses.
    confidence : mapping of reader to list of float arrays of shape (n_test,)
    figures : mapping of reader to list of mappings of metric to fraction
    """

    corpus: Corpus
    pictures: dict[str, list[Picture]]
    neighbours: list[Neighbours]
    predicted: dict[str, list[np.ndarray]]
    confidence: dict[str, list[np.ndarray]]
    figures: dict[str, list[dict[str, float]]]

    @property
    def n_train(self) -> int:
        """Number of training instances."""
        return int((self.corpus.split == "train").sum())

    @property
    def n_test(self) -> int:
        """Number of test instances."""
        return len(self.corpus) - self.n_train

    def only(self, kept: np.ndarray) -> "WordRun":
        """Some of the instances; scores and figures stay those of all.

        Parameters
        ----------
        kept : bool array of shape (len(corpus),)
            A neighbour that is not kept is none.
        """
        tests = kept[self.corpus.split == TEST]
        return replace(
            self,
            corpus=self.corpus.take(kept),
            pictures={
                method: [replace(of, points=of.points[kept]) for of in pictures]
                for method, pictures in self.pictures.items()
            },
            neighbours=[_of_kept(of, kept) for of in self.neighbours],
            predicted={name: [of[tests] for of in all_] for name, all_ in self.predicted.items()},
            confidence={name: [of[tests] for of in all_] for name, all_ in self.confidence.items()},
        )

    def wrong(self, reader: str, choice: int) -> int:
        """Number of test instances that a reader gets wrong at one layer choice."""
        gold = self.corpus.gold[self.corpus.split == TEST]
        return int((self.predicted[reader][choice] != gold).sum())


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that the pages show.

    A *reader* is a classifier. What is shown was trained on the full training set and tested on
    the test split; further training sets and test sentences are in the tables.

    Attributes
    ----------
    dataset : Dataset
    view : str
    choices : mapping of model to list of LayerChoice
        Single layers first.
    readers : mapping of reader to kind of confidence
    methods : list of str
        Of the pictures; a word's page opens with the first.
    words : mapping of model to mapping of word to WordRun
    provenance : dict
    tables : mapping of name to DataFrame
        Scores and comparisons; see ``TABLES``. Those that a run has nothing for have no rows.
    text : bool
        Whether the corpus's sentences may stand on the pages.
    """

    dataset: Dataset
    view: str
    choices: dict[str, list[LayerChoice]]
    readers: dict[str, str]
    methods: list[str]
    words: dict[str, dict[str, WordRun]]
    provenance: dict[str, Any]
    tables: dict[str, pd.DataFrame]
    text: bool

    def rows(self, table: str, **equal: Any) -> pd.DataFrame:
        """The rows of a table that have these values in these columns."""
        found = self.tables[table]
        for column, value in equal.items():
            found = found[found[column] == value]
        return found


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, as templates take them."""
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


@dataclass(frozen=True)
class Table:
    """A table that an earlier step wrote.

    Attributes
    ----------
    text, numbers : tuples of str
        Columns that must be there; a number may be missing in a row.
    """

    text: tuple[str, ...]
    numbers: tuple[str, ...]


_NAMES = ("model", "view", "layers", "classifier")
_BOUNDS = ("", "_low", "_high")
_MEANS = tuple(f"{mean}{bound}" for mean in MEANS for bound in _BOUNDS)
TABLES = {
    "scores": Table((*KEYS, "word"), tuple(c for c in SCORES if c not in (*KEYS, "word"))),
    "summary": Table(tuple(KEYS), tuple(c for c in SUMMARY if c not in KEYS)),
    "comparison": Table(("kind", *_NAMES, "about"), ("n_words", "objective_on_folds", *_MEANS)),
    "controls": Table(("kind", *_NAMES), _MEANS),
    "differences": Table(
        ("reference_model", "kind", *_NAMES, "figure"), ("difference", "low", "high", "p_holm")
    ),
    "best-set": Table((*_NAMES, "figure", "not_told_from_best"), ("estimate", "p")),
    "errors": Table(
        ("reference_model", "kind", "model", "word", "gold", "selected", "predicted"), ("index",)
    ),
    "learning": Table((*_NAMES, "train"), ("n_train", "mean_macro_f1_in_common")),
    "layers": Table(
        (*_NAMES, "figure", "reference", "chosen_on_folds", "not_told_from_best"),
        (
            *("relative_depth", "value", "low", "high"),
            *("difference", "difference_low", "difference_high", "p_holm"),
        ),
    ),
    "model-layers": Table(
        (*_NAMES, "figure", "reference_model"),
        (
            *("relative_depth", "value", "reference_value"),
            *("difference", "difference_low", "difference_high", "p_holm"),
        ),
    ),
    "word-layers": Table(
        (*_NAMES, "word", "chosen_on_folds", "chosen_by", "not_told_from_best"),
        ("errors", "macro_f1", "macro_f1_low", "macro_f1_high", "macro_f1_on_folds"),
    ),
    "geometry": Table(
        ("model", "view", "layers", "centring", "word"),
        ("anisotropy", "self_similarity", "silhouette", "pair_auc", "kmeans_ari", "kmeans_v"),
    ),
    "alignment": Table(
        ("model", "word", "form", "pieces"),
        ("instances", "mean_pieces", "max_pieces", "unknown", "windowed"),
    ),
    "calibration": Table(
        (*_NAMES, "test", "word", "scores"),
        ("n", "accuracy", "confidence", "ece", "ece_low", "ece_high"),
    ),
    "reliability": Table(
        (*_NAMES, "test", "scores"),
        ("n", "confidence", "accuracy", "accuracy_low", "accuracy_high"),
    ),
    "novelty": Table((*_NAMES, "sentences", "word"), ("n", "far", "accuracy_far", "accuracy_near")),
}
# What is measured of the selected configuration's probabilities, one file each per model.
CONFIDENCE = ("calibration", "reliability", "novelty")
# A run without controls, further training sets or a second model has no such rows.
MAY_BE_EMPTY = (
    *("controls", "differences", "errors", "learning", "geometry", "model-layers"),
    *CONFIDENCE,
)
_FLAGS = ("chosen_on_folds", "not_told_from_best")


def load(
    *,
    dataset: Dataset,
    corpora: Mapping[str, Corpus],
    predictions: Sequence[Path],
    projections: Sequence[Path],
    neighbours: Sequence[Path],
    tables: Mapping[str, Sequence[Path]],
    provenance: Path,
    view: str,
    text: bool,
) -> Report:
    """Read what :func:`wsd.report.build_report` is given."""
    read = {name: _read_tables(name, tables.get(name, ())) for name in TABLES}
    pictures, methods = _read_projections(projections, corpora, view)
    near = _read_neighbours(neighbours, corpora, view)
    predicted = _read_predictions(predictions, corpora, view)
    # In the order of the projections, and so of the config: the first model's pages stand first.
    choices = {model: _ordered(found) for model, found in pictures.items()}
    for name in ("scores", "summary"):
        table = read[name]
        kept = (table["train"] == FULL) & (table["test"] == TEST)
        read[name] = table[kept & table["model"].isin(list(choices))].reset_index(drop=True)
    readers = _readers(predicted)
    of_view = read["scores"][read["scores"]["view"] == view]
    figures = {
        (row["model"], row["word"], row["layers"], row["classifier"]): {m: row[m] for m in METRICS}
        for row in of_view.to_dict("records")
    }
    _check_grid(choices, readers, predicted, near, figures, read, corpora, view)
    made_from = files.read_json(provenance)
    for model in choices:
        if model not in made_from.get("models", {}):
            raise ResultError(
                f"the provenance does not name the model {model!r}",
                where=str(provenance),
                fix="run `wsd evaluate` on the same prediction files",
            )
        if model not in set(read["alignment"]["model"]):
            raise ResultError(
                f"the tables of alignment have no row of {model}",
                fix="give `wsd report` the table that `wsd alignment` writes for every model",
            )
    words: dict[str, dict[str, WordRun]] = {}
    for model, ordered in choices.items():
        names = [choice.name for choice in ordered]
        words[model] = {}
        for word, corpus in corpora.items():
            kept = corpus.split != OUT_OF_DOMAIN
            of_readers = {
                reader: [predicted[model, name, reader][word] for name in names]
                for reader in readers
            }
            words[model][word] = WordRun(
                corpus=corpus.take(kept),
                pictures={
                    method: _pictures(
                        [pictures[model][name][0][method][word] for name in names], kept
                    )
                    for method in methods
                },
                neighbours=[_of_kept(near[model, name][word], kept) for name in names],
                predicted={
                    reader: [found.predicted for found in of] for reader, of in of_readers.items()
                },
                confidence={
                    reader: [confidence(found, readers[reader]) for found in of]
                    for reader, of in of_readers.items()
                },
                figures={
                    reader: [figures[model, word, name, reader] for name in names]
                    for reader in readers
                },
            )
    return Report(
        dataset=dataset,
        view=view,
        choices=choices,
        readers=readers,
        methods=methods,
        words=words,
        provenance=made_from,
        tables=read,
        text=text,
    )


def confidence(of: WordPredictions, kind: str) -> np.ndarray:
    """How sure a classifier is of each prediction.

    Parameters
    ----------
    of : WordPredictions
    kind : str
        ``"probability"``, of the predicted sense; or ``"lead"``, the predicted sense's score less
        the highest of the others (0 where there is no other).

    Returns
    -------
    float array of shape (n,)
    """
    rows = np.arange(len(of.predicted))
    own = of.scores[rows, of.predicted]
    if kind == PROBABILITY:
        return np.asarray(own, dtype=float)
    others = of.scores.copy()
    others[rows, of.predicted] = np.nan
    found = np.where(np.isnan(others), -np.inf, others).max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(found), own - found, 0.0)


def _readers(
    predicted: Mapping[tuple[str, str, str], Mapping[str, WordPredictions]],
) -> dict[str, str]:
    """The classifiers, and what their scores are: a reader's are of one kind everywhere."""
    found: dict[str, str] = {}
    for _, _, reader in sorted(predicted):
        found[reader] = PROBABILITY
    for (_, _, reader), words in predicted.items():
        for of in words.values():
            sums = np.nansum(of.scores, axis=1)
            if len(sums) and (np.nanmin(of.scores) < 0 or np.abs(sums - 1).max() > 1e-6):
                found[reader] = LEAD
    return found


def _pictures(found: Sequence[Projection], kept: np.ndarray) -> list[Picture]:
    points = [picture.points[kept] for picture in found]
    # The sign of a principal component is arbitrary; t-SNE's pictures differ by more than that.
    if all(picture.explained is not None for picture in found):
        points = align_signs(points)
    return [Picture(p, of.explained, of.score) for p, of in zip(points, found, strict=True)]


def _of_kept(found: Neighbours, kept: np.ndarray) -> Neighbours:
    """Neighbours with the row numbers that are left when other rows are taken out."""
    numbers = np.where(kept, np.cumsum(kept) - 1, -1)
    rows = np.where(found.rows >= 0, numbers[found.rows], -1)[kept]
    return Neighbours(rows.astype(np.int32), found.similarity[kept], found.score)


def _read_tables(name: str, paths: Sequence[Path]) -> pd.DataFrame:
    """One table from the files of all models; a word called ``nan`` or a layer ``0`` stays text."""
    form = TABLES[name]
    found = [_read_csv(path, form, empty=name in MAY_BE_EMPTY) for path in paths]
    if not found and name not in MAY_BE_EMPTY:
        raise ResultError(f"the report was given no table of {name}")
    return pd.concat(found or [pd.DataFrame(columns=[*form.text, *form.numbers])]).reset_index(
        drop=True
    )


def _read_csv(path: Path, form: Table, *, empty: bool) -> pd.DataFrame:
    fix = "delete the file and run again"
    files.verify(path)
    try:
        # Text stays text; an empty figure, as macro-F1 is out of domain, is no number.
        table = pd.read_csv(
            path,
            dtype=dict.fromkeys(form.text, str),
            keep_default_na=False,
            na_values={column: [""] for column in form.numbers},
        )
    except FileNotFoundError:
        raise ResultError("a file of an earlier step is missing", where=str(path)) from None
    except pd.errors.EmptyDataError:
        table = pd.DataFrame()
    except ValueError as error:
        raise ResultError(f"not a table of this program: {error}", where=str(path), fix=fix) from (
            None
        )
    if empty and not len(table):
        return pd.DataFrame(columns=[*form.text, *form.numbers])
    if missing := [column for column in (*form.text, *form.numbers) if column not in table]:
        raise ResultError(
            f"not a table of this program: no column {missing[0]!r}", where=str(path), fix=fix
        )
    for column in set(_FLAGS) & set(form.text):
        table[column] = table[column] == "True"
    try:
        return unguarded(table).astype(dict.fromkeys(form.numbers, float))
    except ValueError as error:
        raise ResultError(f"not a table of this program: {error}", where=str(path), fix=fix) from (
            None
        )


def _read_projections(
    paths: Sequence[Path], corpora: Mapping[str, Corpus], view: str
) -> tuple[dict[str, dict[str, tuple[dict[str, dict[str, Projection]], int]]], list[str]]:
    """By model and layer choice: projections by method and word, and the number of blocks."""
    found: dict[str, dict[str, tuple[dict[str, dict[str, Projection]], int]]] = {}
    methods: dict[str, None] = {}
    for path in paths:
        pictures, provenance = projection_files.read(path)
        if provenance["view"] != view:
            continue
        for word, corpus in corpora.items():
            _check_corpus(provenance, corpus, path)
            if word not in pictures or len(pictures[word].points) != len(corpus):
                raise _foreign(path, word)
        model, method = provenance["encoder"]["model"], provenance["method"]
        methods[method] = None
        of_model = found.setdefault(model["name"], {})
        of_model.setdefault(provenance["layers"], ({}, model["blocks"]))[0][method] = pictures
    if not found:
        raise ResultError(
            f"there is no projection of the view {view!r}",
            fix="run `wsd project` for this view, or name another view",
        )
    for model_name, choices in found.items():
        for name, (of_methods, _) in choices.items():
            if missing := [method for method in methods if method not in of_methods]:
                raise ResultError(
                    f"layer choice {name!r} of {model_name} has no projection by {missing[0]}"
                )
    return found, list(methods)


def _read_neighbours(
    paths: Sequence[Path], corpora: Mapping[str, Corpus], view: str
) -> dict[tuple[str, str], dict[str, Neighbours]]:
    """By model and layer choice: the neighbours of each word's instances."""
    found = {}
    for path in paths:
        words, provenance = neighbour_files.read(path)
        if provenance["view"] != view:
            continue
        for word, corpus in corpora.items():
            _check_corpus(provenance, corpus, path)
            if word not in words or len(words[word].rows) != len(corpus):
                raise _foreign(path, word)
        found[provenance["encoder"]["model"]["name"], provenance["layers"]] = words
    return found


def _read_predictions(
    paths: Sequence[Path], corpora: Mapping[str, Corpus], view: str
) -> dict[tuple[str, str, str], dict[str, WordPredictions]]:
    """By model, layer choice and reader: per word, the predictions of the test rows in order."""
    found: dict[tuple[str, str, str], dict[str, WordPredictions]] = {}
    for path in paths:
        words, provenance = predictions_files.read(path)
        if provenance["view"] != view or provenance["train"] != FULL:
            continue
        by_word = {}
        for of_word in words:
            if of_word.word not in corpora or of_word.split != TEST:
                continue
            corpus = corpora[of_word.word]
            _check_corpus(provenance, corpus, path)
            test = corpus.split == TEST
            order = np.argsort(of_word.index, kind="stable")
            if (
                of_word.senses != corpus.senses
                or not np.array_equal(of_word.index[order], corpus.index[test])
                or not np.array_equal(of_word.gold[order], corpus.gold[test])
            ):
                raise _foreign(path, of_word.word)
            by_word[of_word.word] = replace(
                of_word,
                **{name: getattr(of_word, name)[order] for name in PER_INSTANCE},
            )
        if missing := [word for word in corpora if word not in by_word]:
            raise _foreign(path, missing[0])
        name = provenance["encoder"]["model"]["name"]
        found[name, provenance["layers"], provenance["classifier"]] = by_word
    return found


def _check_corpus(provenance: Mapping[str, Any], corpus: Corpus, path: Path) -> None:
    if provenance["corpus"].get(corpus.word) != corpus.digest:
        raise _foreign(path, corpus.word)


def _foreign(path: Path, word: str) -> ResultError:
    return ResultError(
        f"the table was made from other instances of {word!r} than the corpus has",
        where=str(path),
        fix="delete the file and run again",
    )


def _ordered(found: Mapping[str, tuple[object, int]]) -> list[LayerChoice]:
    """The layer choices of one model in their fixed order."""
    blocks = {count for _, count in found.values()}
    return layers.expand(found, max(blocks))


def _check_grid(
    choices: Mapping[str, Sequence[LayerChoice]],
    readers: Mapping[str, str],
    predicted: Mapping[tuple[str, str, str], object],
    near: Mapping[tuple[str, str], object],
    figures: Mapping[tuple[str, str, str, str], object],
    tables: Mapping[str, pd.DataFrame],
    corpora: Mapping[str, Corpus],
    view: str,
) -> None:
    """Every layer choice has a picture, neighbours, every classifier's predictions and scores."""
    if not readers:
        raise ResultError("there are no predictions to show")
    wanted = {
        (model, choice.name, reader)
        for model, ordered in choices.items()
        for choice in ordered
        for reader in readers
    }
    for model, name, reader in sorted(wanted - set(predicted)):
        raise ResultError(f"layer choice {name!r} of {model} has no predictions of {reader}")
    for model, name, _ in sorted(set(predicted) - wanted):
        raise ResultError(f"layer choice {name!r} of {model} has predictions but no projection")
    for model, name in sorted({(model, name) for model, name, _ in wanted} - set(near)):
        raise ResultError(f"layer choice {name!r} of {model} has no table of neighbours")
    layered = {}
    for table, names in (
        ("layers", ["model", "layers", "classifier"]),
        ("word-layers", ["model", "word", "layers", "classifier"]),
    ):
        rows = tables[table][tables[table]["view"] == view]
        layered[table] = set(rows[names].itertuples(index=False, name=None))
    for model, name, reader in sorted(wanted):
        if (model, name, reader) not in layered["layers"]:
            raise _incomplete("layers", "wsd layerwise", reader, name, model)
        for word in corpora:
            of_word = f"{reader} for {word!r}"
            if (model, word, name, reader) not in figures:
                raise _incomplete("scores", "wsd evaluate", of_word, name, model)
            if (model, word, name, reader) not in layered["word-layers"]:
                raise _incomplete("word-layers", "wsd layerwise", of_word, name, model)


def _incomplete(table: str, command: str, what: str, choice: str, model: str) -> ResultError:
    return ResultError(
        f"the table of {table} has no row of {what} and layer choice {choice!r} of {model}",
        fix=f"run `{command}` on the same prediction files",
    )
