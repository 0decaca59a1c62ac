"""What the pages are made from: tables read, checked to belong together, put in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd import files, layers
from wsd import predictions as predictions_files
from wsd import projection as projection_files
from wsd.corpus import OUT_OF_DOMAIN, Corpus
from wsd.datasets import Dataset
from wsd.errors import ResultError
from wsd.evaluation import KEYS, SCORES, SUMMARY
from wsd.figures import FIGURES, MEANS
from wsd.layers import LayerChoice
from wsd.predictions import TEST
from wsd.projection import Projection, align_signs
from wsd.trains import FULL

CANDIDATE = "candidate"
METRICS = ("macro_f1", "accuracy", "balanced_accuracy")


@dataclass(frozen=True, eq=False)
class WordRun:
    """One word in one model.

    Attributes
    ----------
    corpus : Corpus
    points : list of float32 arrays of shape (n, 2)
        Per layer choice, in the corpus's row order, signs aligned between neighbours.
    explained : list of tuples of 2 floats
        Per layer choice, the share of the training instances' variance along each axis.
    predicted : mapping of reader to list of int arrays of shape (n_test,)
        Per layer choice, in the order of the corpus's test rows; indices into its senses.
    figures : mapping of reader to list of mappings of metric to fraction
        Per layer choice.
    """

    corpus: Corpus
    points: list[np.ndarray]
    explained: list[tuple[float, float]]
    predicted: dict[str, list[np.ndarray]]
    figures: dict[str, list[dict[str, float]]]

    def wrong(self, reader: str, choice: int) -> int:
        """Number of test instances that a reader gets wrong at one layer choice."""
        gold = self.corpus.gold[self.corpus.split == "test"]
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
    readers : list of str
    words : mapping of model to mapping of word to WordRun
    scores, summary : DataFrame
        Of all views.
    provenance : dict
    comparison : list of dict
        The comparison's rows but for the candidates; empty if there is none.
    """

    dataset: Dataset
    view: str
    choices: dict[str, list[LayerChoice]]
    readers: list[str]
    words: dict[str, dict[str, WordRun]]
    scores: pd.DataFrame
    summary: pd.DataFrame
    provenance: dict[str, Any]
    comparison: list[dict[str, Any]]


def load(
    *,
    dataset: Dataset,
    corpora: Mapping[str, Corpus],
    predictions: Sequence[Path],
    projections: Sequence[Path],
    scores: Path,
    summary: Path,
    provenance: Path,
    view: str,
    comparison: Path | None = None,
) -> Report:
    """Read what :func:`wsd.report.build_report` is given."""
    score_table, summary_table = _read_csv(scores, SCORES), _read_csv(summary, SUMMARY)
    pictures = _read_projections(projections, corpora, view)
    score_table, summary_table = (
        table[
            (table["train"] == FULL) & (table["test"] == TEST) & table["model"].isin(list(pictures))
        ].reset_index(drop=True)
        for table in (score_table, summary_table)
    )
    predicted = _read_predictions(predictions, corpora, view)
    choices = {model: _ordered(found) for model, found in sorted(pictures.items())}
    readers = sorted({reader for _, _, reader in predicted})
    figures = {
        (row["model"], row["word"], row["layers"], row["classifier"]): {m: row[m] for m in METRICS}
        for row in score_table[score_table["view"] == view].to_dict("records")
    }
    _check_grid(choices, readers, predicted, figures, corpora, scores)
    made_from = files.read_json(provenance)
    for model in choices:
        if model not in made_from.get("models", {}):
            raise ResultError(
                f"the provenance does not name the model {model!r}",
                where=str(provenance),
                fix="run `wsd evaluate` on the same prediction files",
            )
    words: dict[str, dict[str, WordRun]] = {}
    for model, ordered in choices.items():
        words[model] = {}
        for word, corpus in corpora.items():
            shown = [pictures[model][choice.name][0][word] for choice in ordered]
            kept = corpus.split != OUT_OF_DOMAIN
            words[model][word] = WordRun(
                corpus=corpus.take(kept),
                points=align_signs([picture.points[kept] for picture in shown]),
                explained=[picture.explained for picture in shown],
                predicted={
                    reader: [predicted[model, choice.name, reader][word] for choice in ordered]
                    for reader in readers
                },
                figures={
                    reader: [figures[model, word, choice.name, reader] for choice in ordered]
                    for reader in readers
                },
            )
    return Report(
        dataset=dataset,
        view=view,
        choices=choices,
        readers=readers,
        words=words,
        scores=score_table,
        summary=summary_table,
        provenance=made_from,
        comparison=_read_comparison(comparison) if comparison else [],
    )


def _read_comparison(path: Path) -> list[dict[str, Any]]:
    text = dict.fromkeys(["kind", *KEYS], str)
    try:
        table = pd.read_csv(path, dtype=text, keep_default_na=False)
    except (FileNotFoundError, ValueError) as error:
        raise ResultError(
            f"not a table of comparisons: {error}",
            where=str(path),
            fix="delete the file and run again",
        ) from None
    shown = table[table["kind"] != CANDIDATE].to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in shown]


def _read_csv(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    """A table of scores; a word called ``nan`` or a layer called ``0`` stays text."""
    text = dict.fromkeys([*KEYS, "word"], str)
    try:
        # Text stays text; an empty figure, as macro-F1 is out of domain, is no number.
        figures = {figure: [""] for figure in (*FIGURES, *MEANS)}
        table = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=figures)
    except FileNotFoundError:
        raise ResultError("a file of an earlier step is missing", where=str(path)) from None
    except ValueError as error:
        raise ResultError(
            f"not a table of scores: {error}", where=str(path), fix="delete the file and run again"
        ) from None
    if missing := [column for column in columns if column not in table]:
        raise ResultError(
            f"not a table of scores: no column {missing[0]!r}",
            where=str(path),
            fix="delete the file and run again",
        )
    return table


def _read_projections(
    paths: Sequence[Path], corpora: Mapping[str, Corpus], view: str
) -> dict[str, dict[str, tuple[dict[str, Projection], int]]]:
    """By model and layer choice: the words' projections, and the encoder's number of blocks."""
    found: dict[str, dict[str, tuple[dict[str, Projection], int]]] = {}
    for path in paths:
        pictures, provenance = projection_files.read(path)
        if provenance["view"] != view:
            continue
        for word, corpus in corpora.items():
            _check_corpus(provenance, corpus, path)
            if word not in pictures or len(pictures[word].points) != len(corpus):
                raise _foreign(path, word)
        model = provenance["encoder"]["model"]
        found.setdefault(model["name"], {})[provenance["layers"]] = (pictures, model["blocks"])
    if not found:
        raise ResultError(
            f"there is no projection of the view {view!r}",
            fix="run `wsd project` for this view, or name another view",
        )
    return found


def _read_predictions(
    paths: Sequence[Path], corpora: Mapping[str, Corpus], view: str
) -> dict[tuple[str, str, str], dict[str, np.ndarray]]:
    """By model, layer choice and reader: per word, the predictions of the test rows in order."""
    found: dict[tuple[str, str, str], dict[str, np.ndarray]] = {}
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
            test = corpus.split == "test"
            order = np.argsort(of_word.index, kind="stable")
            if (
                of_word.senses != corpus.senses
                or not np.array_equal(of_word.index[order], corpus.index[test])
                or not np.array_equal(of_word.gold[order], corpus.gold[test])
            ):
                raise _foreign(path, of_word.word)
            by_word[of_word.word] = of_word.predicted[order]
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
    readers: Sequence[str],
    predicted: Mapping[tuple[str, str, str], object],
    figures: Mapping[tuple[str, str, str, str], object],
    corpora: Mapping[str, Corpus],
    scores: Path,
) -> None:
    """Every layer choice has a picture, every classifier's predictions and their scores."""
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
    for model, name, reader in sorted(wanted):
        for word in corpora:
            if (model, word, name, reader) not in figures:
                raise ResultError(
                    f"no scores of {reader} for {word!r} and layer choice {name!r} of {model}",
                    where=str(scores),
                    fix="run `wsd evaluate` on the same prediction files",
                )
