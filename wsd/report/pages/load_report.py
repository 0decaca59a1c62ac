"""Read the files of a report, and check that they belong together."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import NAMES
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpora, Corpus
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.layer_choice import LayerChoice, expand_layers
from wsd.artifacts.neighbour_table import Neighbours, read_neighbours
from wsd.artifacts.predictions import TEST, WordPredictions, lacking, read_predictions
from wsd.artifacts.projection import Projection, align_signs, read_projections
from wsd.artifacts.training_set import FULL
from wsd.errors import ConfigError, ResultError, wrong_file
from wsd.report.pages.report_data import (
    Extension,
    Report,
    WordResults,
    confidence_of,
    having,
    kind_of_scores,
)
from wsd.report.tables import TABLES
from wsd.storage.csv import read_csv
from wsd.storage.json import read_json

T = TypeVar("T")
Read = Callable[[Path], tuple[Mapping[str, T], dict[str, Any]]]
# Columns of a table without rows, such as the controls of a run that has none.
EMPTY = (*NAMES, "train", "metric", "reference", "reference_model", "test", "word", "scores")
WORD_METRICS = ["macro_f1", "accuracy", "balanced_accuracy"]
# By model, layer choice, classifier and word: the metrics.
Scores = dict[tuple[str, str, str, str], dict[str, float]]
# By model, layer choice, and method or classifier ("" for neighbours): the content by word.
Files = dict[tuple[str, str, str], dict[str, T]]


@dataclass(frozen=True)
class ReportInputs:
    """The files of a report, and the settings of its pages.

    Attributes
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
    """

    dataset: Dataset
    corpora: Corpora
    predictions: Sequence[Path]
    projections: Sequence[Path]
    neighbours: Sequence[Path]
    tables: Mapping[str, Sequence[Path]]
    provenance: Path
    view: str
    text: bool
    run: Mapping[str, Any] = field(default_factory=dict)
    extensions: Sequence[Extension] = ()


class Results(NamedTuple):
    """The files of the shown view."""

    projections: Files[Projection]
    neighbours: Files[Neighbours]
    predictions: Files[WordPredictions]


def load_report(inputs: ReportInputs) -> Report:
    """Read the tables that the pages show, and check that they belong together.

    Raises
    ------
    ResultError
        If a table is missing, or tables do not belong together.
    """
    results = Results(
        _read_files(inputs.projections, read_projections, inputs),
        _read_files(inputs.neighbours, read_neighbours, inputs),
        _read_files(inputs.predictions, _read_test_predictions, inputs),
    )
    if not results.projections:
        problem = f"there is no projection of the view {inputs.view!r}"
        raise ResultError(problem, fix="run `wsd project` for this view, or choose another view")
    if not results.predictions:
        raise ResultError("there are no predictions to show", fix="give --predictions")
    provenance = {**read_json(inputs.provenance), **inputs.run}
    # Models and layer choices have the order of the projections, which is that of the config.
    layers: dict[str, dict[str, None]] = {}
    for model, name, _ in results.projections:
        layers.setdefault(model, {})[name] = None
    choices = {
        model: expand_layers(list(names), provenance["models"][model]["model"]["blocks"])
        for model, names in layers.items()
    }
    predictions: dict[str, list[WordPredictions]] = {}
    for (_, _, classifier), words in results.predictions.items():
        predictions.setdefault(classifier, []).extend(words.values())
    classifiers = {name: kind_of_scores(predictions[name]) for name in sorted(predictions)}
    tables = read_all_tables(inputs.tables, [*choices])
    scores = _scores_by_word(having(tables["scores"], view=inputs.view))
    for extension in inputs.extensions:
        tables |= extension.tables
    return Report(
        dataset=inputs.dataset,
        view=inputs.view,
        choices=choices,
        classifiers=classifiers,
        words={
            model: {
                word: _word_results(results, scores, model, own, corpus, classifiers)
                for word, corpus in inputs.corpora.items()
            }
            for model, own in choices.items()
        },
        provenance=provenance,
        tables=tables,
        text=inputs.text,
        extensions=inputs.extensions,
    )


def _read_files(paths: Sequence[Path], read: Read[T], inputs: ReportInputs) -> Files[T]:
    """Read the files of the shown view and, if fitted, of the full training set."""
    files = {}
    for path in paths:
        words, provenance = read(path)
        if provenance["view"] != inputs.view or provenance.get("train", FULL) != FULL:
            continue
        for word, corpus in inputs.corpora.items():
            if word not in words:
                raise lacking(word, words, path)
            same = provenance["corpus"].get(word) == corpus.digest
            if not same or not _has_instances_of(words[word], corpus):
                raise wrong_file(f"the table has other instances of {word!r} than the corpus", path)
        kind = provenance.get("method") or provenance.get("classifier") or ""
        model = provenance["encoder"]["model"]["name"]
        files[model, provenance["layers"], kind] = {word: words[word] for word in inputs.corpora}
    return files


def _read_test_predictions(path: Path) -> tuple[dict[str, WordPredictions], dict[str, Any]]:
    predictions, provenance = read_predictions(path)
    return {word.word: word for word in predictions if word.split == TEST}, provenance


def _has_instances_of(content: Any, corpus: Corpus) -> bool:
    """Return whether predictions are for these instances, and other content for as many."""
    if isinstance(content, Projection):
        return len(content.points) == len(corpus)
    if isinstance(content, Neighbours):
        return len(content.rows) == len(corpus)
    test = corpus.split == TEST
    return (
        content.senses == corpus.senses
        and np.array_equal(content.index, corpus.index[test])
        and np.array_equal(content.gold, corpus.gold[test])
    )


def read_all_tables(
    paths: Mapping[str, Sequence[Path]], models: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Read every table; scores are for the test split and the full training set."""
    tables = {name: read_tables(paths.get(name, ())) for name in TABLES}
    for name in ("scores", "summary"):
        if tables[name].empty:
            raise ConfigError(f"no table {name}", where="--tables", fix="give all tables of a run")
        table = having(tables[name], train=FULL, test=TEST)
        tables[name] = table[table["model"].isin(models)].reset_index(drop=True)
    return tables


def read_tables(paths: Sequence[Path], columns: Collection[str] = ()) -> pd.DataFrame:
    """Read a table that is one file, or a file per model; refuse a file without the columns."""
    tables = [read_csv(path) for path in paths]
    for path, table in zip(paths, tables, strict=True):
        if missing := set(columns) - set(table):
            raise wrong_file(f"there is no column {min(missing)}", path)
    filled = [table for table in tables if len(table)] or [pd.DataFrame(columns=EMPTY)]
    return pd.concat(filled).reset_index(drop=True)


def _scores_by_word(table: pd.DataFrame) -> Scores:
    keys = ["model", "layers", "classifier", "word"]
    rows = table.drop_duplicates(keys, keep="last").set_index(keys)
    scores: Any = rows[WORD_METRICS].to_dict("index")
    return dict(scores)


def _word_results(
    results: Results,
    scores: Scores,
    model: str,
    choices: Sequence[LayerChoice],
    corpus: Corpus,
    kinds: Mapping[str, str],
) -> WordResults:
    word, names = corpus.word, [choice.name for choice in choices]

    def over_choices(files: Files[T], kind: str) -> list[T]:
        return [files[model, name, kind][word] for name in names]

    predictions = {name: over_choices(results.predictions, name) for name in kinds}
    methods = dict.fromkeys(method for _, _, method in results.projections)
    projections = {method: over_choices(results.projections, method) for method in methods}
    reasons = {method: max(p.missing for p in plots) for method, plots in projections.items()}
    missing = {method: reason for method, reason in reasons.items() if reason}
    if len(missing) == len(projections):
        problem = f"there is no projection of the word {word!r}: {next(iter(missing.values()))}"
        raise ResultError(problem, fix="run `wsd project --method pca` too")
    all_instances = WordResults(
        corpus=corpus,
        projections={m: plots for m, plots in projections.items() if m not in missing},
        missing=missing,
        neighbours=over_choices(results.neighbours, ""),
        predicted={c: np.stack([p.predicted for p in predictions[c]]) for c in kinds},
        confidence={
            c: np.stack([confidence_of(p, kind) for p in predictions[c]])
            for c, kind in kinds.items()
        },
        scores={c: [scores[model, name, c, word] for name in names] for c in kinds},
    )
    shown = all_instances.take(corpus.split != OUT_OF_DOMAIN)
    return replace(shown, projections={m: _aligned(m, p) for m, p in shown.projections.items()})


def _aligned(method: str, projections: list[Projection]) -> list[Projection]:
    """Align the arbitrary signs of axes; plots of t-SNE differ by more than signs."""
    if method == "tsne":
        return projections
    points = align_signs([projection.points for projection in projections])
    return [replace(p, points=aligned) for p, aligned in zip(projections, points, strict=True)]
