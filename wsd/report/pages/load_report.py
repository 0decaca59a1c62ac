"""Read the files of a report, and check that they belong together."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import NAMES
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpora, Corpus
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.feature_set import expand_layers
from wsd.artifacts.instance_tables import Projection, align_signs, read_neighbours, read_projections
from wsd.artifacts.predictions import TEST, WordPredictions, lacking, read_predictions
from wsd.artifacts.training_set import FULL
from wsd.errors import ConfigError, ResultError, wrong_file
from wsd.report.pages import report_data
from wsd.report.pages.report_data import Extension, Report, WordResults, having
from wsd.report.tables import TABLES
from wsd.storage.csv import read_csv
from wsd.storage.json import read_json

T = TypeVar("T")
Read = Callable[[Path], tuple[Mapping[str, T], dict[str, Any]]]
# Columns of a table without rows, such as the controls of a run that has none.
EMPTY = (
    *(*NAMES, "train", "metric", "reference", "reference_model", "test", "word", "scores"),
    *("n_test", "n_test_without_duplicates"),
)
WORD_METRICS = ["macro_f1", "accuracy", "balanced_accuracy"]
# By model, layer choice, and method or classifier ("" for neighbours): the content by word.
Files = dict[tuple[str, str, str], dict[str, T]]


def load_report(
    *,
    dataset: Dataset,
    corpora: Corpora,
    predictions: Sequence[Path],
    projections: Sequence[Path],
    neighbours: Sequence[Path],
    tables: Mapping[str, Sequence[Path]],
    provenance: Path,
    view: str,
    text: bool,
    run: Mapping[str, Any] = MappingProxyType({}),
    extensions: Sequence[Extension] = (),
) -> Report:
    """Read the tables that the pages show, and check that they belong together.

    Parameters
    ----------
    dataset : Dataset
        Named, licensed and cited on the pages.
    corpora : mapping of word to Corpus
    predictions, projections, neighbours : sequences of Path
        For any models; files of other views than ``view`` are ignored. The order of the projections
        is the order of the models.
    tables : mapping of name to sequence of Path
        The CSV files of ``TABLES``: one file for all models, or one per model.
    provenance : Path
        Written by `wsd evaluate`.
    view : str
        The pages show curves, tables and plots of this view.
    text : bool
        Whether the pages may contain the corpus's sentences.
    run : mapping
        ``config`` and ``command`` of the run, if the provenance lacks them.
    extensions : sequence of Extension
        The additions of studies.

    Raises
    ------
    ResultError
        If a table is missing, or tables do not belong together.
    """
    projected = _read_files(projections, read_projections, view, corpora)
    near = _read_files(neighbours, read_neighbours, view, corpora)
    predicted = _read_files(predictions, _read_test_predictions, view, corpora)
    if not projected:
        problem = f"there is no projection of the view {view!r}"
        raise ResultError(problem, fix="run `wsd project` for this view, or choose another view")
    if not predicted:
        raise ResultError("there are no predictions to show", fix="give --predictions")
    sources = {**read_json(provenance), **run}
    # Models and layer choices have the order of the projections, which is that of the config.
    names: dict[str, list[str]] = {}
    for model, layers, _ in projected:
        names.setdefault(model, []).append(layers)
    choices = {
        model: expand_layers([*dict.fromkeys(own)], sources["models"][model]["model"]["blocks"])
        for model, own in names.items()
    }
    by_classifier: dict[str, list[WordPredictions]] = {}
    for (_, _, classifier), by_word in predicted.items():
        by_classifier.setdefault(classifier, []).extend(by_word.values())
    classifiers = {c: report_data.kind_of_scores(by_classifier[c]) for c in sorted(by_classifier)}
    read = {name: read_tables(tables.get(name, ())) for name in TABLES}
    for name in ("scores", "summary"):
        if read[name].empty:
            raise ConfigError(f"no table {name}", where="--tables", fix="give all tables of a run")
        table = having(read[name], train=FULL, test=TEST)
        read[name] = table[table["model"].isin([*choices])].reset_index(drop=True)
    keys = ["model", "layers", "classifier", "word"]
    table = having(read["scores"], view=view).drop_duplicates(keys, keep="last")
    scores: Any = table.set_index(keys)[WORD_METRICS].to_dict("index")
    for extension in extensions:
        read |= extension.tables

    def word_results(model: str, corpus: Corpus) -> WordResults:
        word, layers = corpus.word, [choice.name for choice in choices[model]]
        own = {c: [predicted[model, name, c][word] for name in layers] for c in classifiers}
        results = WordResults(
            corpus=corpus,
            **_shown_projections(projected, model, layers, word),
            neighbours=[near[model, name, ""][word] for name in layers],
            predicted={c: np.stack([p.predicted for p in own[c]]) for c in own},
            confidence={
                c: np.stack([report_data.confidence_of(p, kind) for p in own[c]])
                for c, kind in classifiers.items()
            },
            scores={c: [scores[model, name, c, word] for name in layers] for c in own},
        ).take(corpus.split != OUT_OF_DOMAIN)
        aligned = {m: _aligned(m, own) for m, own in results.projections.items()}
        return replace(results, projections=aligned)

    words = {model: {w: word_results(model, c) for w, c in corpora.items()} for model in choices}
    return Report(dataset, view, choices, classifiers, words, sources, read, text, extensions)


def _read_files(paths: Sequence[Path], read: Read[T], view: str, corpora: Corpora) -> Files[T]:
    """Read the files of the shown view and, if fitted, of the full training set."""
    files = {}
    for path in paths:
        words, provenance = read(path)
        if provenance["view"] != view or provenance.get("train", FULL) != FULL:
            continue
        for word, corpus in corpora.items():
            if word not in words:
                raise lacking(word, words, path)
            if provenance["corpus"].get(word) != corpus.digest:
                raise wrong_file(f"the table has other instances of {word!r} than the corpus", path)
        kind = provenance.get("method") or provenance.get("classifier") or ""
        model = provenance["encoder"]["model"]["name"]
        files[model, provenance["layers"], kind] = {word: words[word] for word in corpora}
    return files


def _read_test_predictions(path: Path) -> tuple[dict[str, WordPredictions], dict[str, Any]]:
    predictions, provenance = read_predictions(path)
    return {word.word: word for word in predictions if word.split == TEST}, provenance


def read_tables(paths: Sequence[Path], columns: Collection[str] = ()) -> pd.DataFrame:
    """Read a table that is one file, or a file per model; refuse a file without the columns."""
    tables = [read_csv(path) for path in paths]
    for path, table in zip(paths, tables, strict=True):
        if missing := set(columns) - set(table):
            raise wrong_file(f"there is no column {min(missing)}", path)
    filled = [table for table in tables if len(table)] or [pd.DataFrame(columns=EMPTY)]
    return pd.concat(filled, ignore_index=True)


def _shown_projections(
    files: Files[Projection], model: str, layers: Sequence[str], word: str
) -> dict[str, Any]:
    """Return a word's projections by method, and why methods are missing."""
    shown, missing = {}, {}
    for method in dict.fromkeys(method for _, _, method in files):
        own = [files[model, name, method][word] for name in layers]
        if reason := max(projection.missing for projection in own):
            missing[method] = reason
        else:
            shown[method] = own
    if not shown:
        problem = f"there is no projection of the word {word!r}: {next(iter(missing.values()))}"
        raise ResultError(problem, fix="run `wsd project --method pca` too")
    return {"projections": shown, "missing": missing}


def _aligned(method: str, projections: list[Projection]) -> list[Projection]:
    """Align the arbitrary signs of axes; plots of t-SNE differ by more than signs."""
    if method == "tsne":
        return projections
    points = align_signs([projection.points for projection in projections])
    return [replace(p, points=aligned) for p, aligned in zip(projections, points, strict=True)]
