"""What the pages are made from: tables read, checked to belong together, put in order."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpus
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.layer_choice import expand_layers
from wsd.artifacts.neighbour_table import read_neighbours
from wsd.artifacts.predictions import TEST, WordPredictions, lacking, read_predictions
from wsd.artifacts.projection import Projection, align_signs, read_projections
from wsd.artifacts.run_map import word_files_at
from wsd.artifacts.substitute_table import Substitutes, read_substitutes
from wsd.artifacts.training_set import FULL
from wsd.errors import ResultError, wrong_file
from wsd.report.pages.report_data import Report, WordRun, confidence_of, having, kind_of_scores
from wsd.report.tables import TABLES
from wsd.storage import json
from wsd.storage.csv import read_csv

T = TypeVar("T")
WORD_METRICS = ["macro_f1", "accuracy", "balanced_accuracy"]
# How rows come into a table that lacks them.
FIX = "run `wsd {}` on the same prediction files"
FIXES = {
    "alignment": "give `wsd report` the table that `wsd alignment` writes for every model",
    "scores": FIX.format("evaluate"),
}
# By model, layer choice, and method or classifier, if a file has one: what a file has, by word.
Files = dict[tuple[str, str, str], dict[str, T]]


def load_report(
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
    substitutes: Sequence[Path] = (),
    said: Mapping[str, Any] | None = None,
) -> Report:
    """Read what the pages show, and check that it belongs together.

    Parameters
    ----------
    dataset : Dataset
        Named, licensed and cited on the pages.
    corpora : mapping of word to Corpus
    predictions, projections, neighbours : sequences of Path
        Of any models; those of other views than ``view`` are ignored. The first model that has
        a projection is the one whose word pages stand first.
    tables : mapping of name to sequence of Path
        The CSV files of ``TABLES``, by name; of several models one file each, or one for all.
    provenance : Path
        Written by `wsd evaluate`.
    view : str
        The view whose curves, tables and pictures are shown.
    text : bool
        Whether the pages may hold the corpus's sentences.
    substitutes : sequence of Path
        Folders of `wsd substitutes`, or listings, of models that were asked.
    said : mapping, optional
        ``config`` and ``command`` of the run, where the provenance does not have them.

    Raises
    ------
    ResultError
        If a table is missing, or tables do not belong together.
    """
    read = {name: _read_tables(name, tables.get(name, ())) for name in TABLES}
    pictures = _read_files(projections, read_projections, corpora, view)
    near = _read_files(neighbours, read_neighbours, corpora, view)
    predicted = _read_files(predictions, _read_tests, corpora, view)
    if not pictures:
        what = f"there is no projection of the view {view!r}"
        raise ResultError(what, fix="run `wsd project` for this view, or name another view")
    if not predicted:
        raise ResultError("there are no predictions to show", fix="give --predictions")
    # In the order of the projections, and so of the config: the first model's pages stand first.
    models = list(dict.fromkeys(model for model, _, _ in pictures))
    methods = list(dict.fromkeys(method for _, _, method in pictures))
    made_from = {**_read_provenance(provenance, models), **(said or {})}
    choices = {}
    for model in models:
        names = [name for of, name, _ in pictures if of == model]
        choices[model] = expand_layers(names, made_from["models"][model]["model"]["blocks"])
    by_reader: dict[str, list[WordPredictions]] = {}
    for (_, _, reader), words in predicted.items():
        by_reader.setdefault(reader, []).extend(words.values())
    readers = {reader: kind_of_scores(by_reader[reader]) for reader in sorted(by_reader)}
    for name in ("scores", "summary"):
        table = having(read[name], train=FULL, test=TEST)
        read[name] = table[table["model"].isin(models)].reset_index(drop=True)
    grid = [(model, choice.name) for model in models for choice in choices[model]]
    needed: list[tuple[str, Files[Any], Sequence[str]]] = [
        ("projection by", pictures, methods),
        ("predictions of", predicted, list(readers)),
        ("table of neighbours", near, [""]),
    ]
    _check_files(grid, needed)
    for model, name in sorted({key[:2] for key in predicted} - set(grid)):
        raise ResultError(
            f"layer choice {name!r} of {model} has predictions but no projection",
            fix="give one with --projections",
        )
    _check_tables(grid, list(readers), corpora, read, view)
    keys = ["model", "layers", "classifier", "word"]
    rows = having(read["scores"], view=view).drop_duplicates(keys, keep="last")
    scores: dict[Any, Any] = rows.set_index(keys)[WORD_METRICS].to_dict("index")

    asked: dict[str, Mapping[str, Substitutes]] = {}
    for path in substitutes:
        of_words, said = read_substitutes(word_files_at([path]), corpora)
        asked[said["model"]["name"]] = of_words

    def word_run(model: str, word: str) -> WordRun:
        names = [choice.name for choice in choices[model]]
        found = {r: [predicted[model, name, r][word] for name in names] for r in readers}
        drawn = {m: [pictures[model, name, m][word] for name in names] for m in methods}
        missing = {m: max(picture.missing for picture in of) for m, of in drawn.items()}
        if all(missing.values()):
            said = f"the word {word!r} has no picture: {next(iter(missing.values()))}"
            raise ResultError(said, fix="run `wsd project --method pca` too")
        run = WordRun(
            corpus=corpora[word],
            pictures={m: of for m, of in drawn.items() if not missing[m]},
            missing={m: why for m, why in missing.items() if why},
            neighbours=[near[model, name, ""][word] for name in names],
            predicted={r: [of.predicted for of in found[r]] for r in readers},
            confidence={r: [confidence_of(of, readers[r]) for of in found[r]] for r in readers},
            scores={r: [scores[model, name, r, word] for name in names] for r in readers},
            substitutes=asked.get(model, {}).get(word),
        ).only(corpora[word].split != OUT_OF_DOMAIN)
        return replace(run, pictures={m: _aligned(m, of) for m, of in run.pictures.items()})

    return Report(
        dataset=dataset,
        view=view,
        choices=choices,
        readers=readers,
        words={model: {word: word_run(model, word) for word in corpora} for model in models},
        provenance=made_from,
        tables=read,
        text=text,
    )


def _aligned(method: str, found: list[Projection]) -> list[Projection]:
    # The sign of an axis is arbitrary; t-SNE's pictures differ by more than that.
    if method == "tsne":
        return found
    points = align_signs([picture.points for picture in found])
    return [replace(picture, points=of) for picture, of in zip(found, points, strict=True)]


# Reading


def _read_tables(name: str, paths: Sequence[Path]) -> pd.DataFrame:
    """One table from the files of all models."""
    columns = TABLES[name]
    if not paths and not columns.may_be_empty:
        fix = "give one for each model; `wsd report --help` says with which option"
        raise ResultError(f"the report was given no table of {name}", fix=fix)
    found = [read_csv(path, columns) for path in paths]
    return pd.concat(found or [pd.DataFrame(columns=columns.names)]).reset_index(drop=True)


def _read_provenance(path: Path, models: Sequence[str]) -> dict[str, Any]:
    found = json.read_json(path)
    for model in models:
        if model not in found.get("models", {}):
            said = f"the provenance does not name the model {model!r}"
            raise ResultError(said, where=str(path), fix=FIXES["scores"])
    return found


def _read_files(
    paths: Sequence[Path],
    read: Callable[[Path], tuple[Mapping[str, T], dict[str, Any]]],
    corpora: Mapping[str, Corpus],
    view: str,
) -> Files[T]:
    """The files of one kind that are of the view and, if fitted, of the full training set.

    Parameters
    ----------
    paths : sequence of Path
    read : function
        Gives what a file has by word, and its provenance.
    corpora : mapping of word to Corpus
    view : str
    """
    found = {}
    for path in paths:
        words, provenance = read(path)
        if provenance["view"] != view or provenance.get("train", FULL) != FULL:
            continue
        for word, corpus in corpora.items():
            if word not in words:
                raise lacking(word, words, path)
            same = provenance["corpus"].get(word) == corpus.digest
            if not same or not _is_of(words[word], corpus):
                raise wrong_file(
                    f"the table was made from other instances of {word!r} than the corpus has", path
                )
        model, further = provenance["encoder"]["model"]["name"], ("method", "classifier")
        kind = next((provenance[name] for name in further if name in provenance), "")
        found[model, provenance["layers"], kind] = {word: words[word] for word in corpora}
    return found


def _read_tests(path: Path) -> tuple[dict[str, WordPredictions], dict[str, Any]]:
    words, provenance = read_predictions(path)
    return {of.word: of for of in words if of.split == TEST}, provenance


def _is_of(found: Any, corpus: Corpus) -> bool:
    """Whether what a file has of a word is of the corpus's instances, or of as many."""
    if not isinstance(found, WordPredictions):
        return len(found.points if isinstance(found, Projection) else found.rows) == len(corpus)
    test = corpus.split == TEST
    return (
        found.senses == corpus.senses
        and np.array_equal(found.index, corpus.index[test])
        and np.array_equal(found.gold, corpus.gold[test])
    )


# Checking


def _check_files(
    grid: Sequence[tuple[str, str]], needed: Sequence[tuple[str, Files[Any], Sequence[str]]]
) -> None:
    """Every layer choice has its pictures, every classifier's predictions, and neighbours."""
    for (what, found, kinds), (model, name) in product(needed, grid):
        for kind in kinds:
            if (model, name, kind) not in found:
                said = f"no {what} {kind}".rstrip()
                raise ResultError(f"layer choice {name!r} of {model} has {said}")


def _check_tables(
    grid: Sequence[tuple[str, str]],
    readers: Sequence[str],
    words: Collection[str],
    tables: Mapping[str, pd.DataFrame],
    view: str,
) -> None:
    """Every layer choice and classifier has its rows, of each word too; every model's pieces."""
    of_all = [
        {"model": model, "layers": name, "classifier": reader}
        for (model, name), reader in product(grid, readers)
    ]
    of_words = [{**of, "word": word} for of, word in product(of_all, words)]
    choice = "and layer choice {layers!r} of {model}"
    chosen = "what folds chose for {word!r} of {model}, {classifier}"
    shown = {"view": view}
    for name, only, needed, what in (
        ("alignment", {}, [{"model": model} for model, _ in grid], "{model}"),
        ("layers", shown, of_all, "{classifier} " + choice),
        ("scores", shown, of_words, "{classifier} for {word!r} " + choice),
        ("word-layers", shown, of_words, "{classifier} for {word!r} " + choice),
        ("word-layers", {**shown, "selected_by_cv": True}, _less(of_words, "layers"), chosen),
    ):
        columns = having(tables[name], **only)[list(needed[0])]
        there = set(columns.itertuples(index=False, name=None))
        for of in needed:
            if tuple(of.values()) not in there:
                said = f"the table of {name} has no row of {what.format(**of)}"
                raise ResultError(said, fix=FIXES.get(name, FIX.format("layerwise")))


def _less(needed: Sequence[Mapping[str, str]], column: str) -> list[dict[str, str]]:
    return [{name: of for name, of in row.items() if name != column} for row in needed]
