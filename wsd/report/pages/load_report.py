"""Read the tables that the pages show, and check that they belong together."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpus
from wsd.artifacts.layer_choice import LayerChoice, expand_layers
from wsd.artifacts.projection import Projection, align_signs
from wsd.errors import ResultError
from wsd.report.pages.read_tables import (
    Files,
    ReportInputs,
    Results,
    T,
    read_all_tables,
    read_provenance,
    read_results,
)
from wsd.report.pages.report_data import Report, WordResults, confidence_of, having

# By model, layer choice, classifier and word: the metrics.
Scores = dict[tuple[str, str, str, str], dict[str, float]]
WORD_METRICS = ["macro_f1", "accuracy", "balanced_accuracy"]


def load_report(inputs: ReportInputs) -> Report:
    """Read the tables that the pages show, and check that they belong together.

    Raises
    ------
    ResultError
        If a table is missing, or tables do not belong together.
    """
    results = read_results(inputs)
    provenance = {**read_provenance(inputs.provenance), **inputs.run}
    choices = {
        model: expand_layers(results.choices(model), provenance["models"][model]["model"]["blocks"])
        for model in results.models
    }
    tables = read_all_tables(inputs.tables, results.models)
    scores = _scores_by_word(having(tables["scores"], view=inputs.view))
    words = {
        model: {
            word: _word_results(results, scores, model, choices[model], corpus)
            for word, corpus in inputs.corpora.items()
        }
        for model in choices
    }
    for extension in inputs.extensions:
        tables |= extension.tables
    return Report(
        dataset=inputs.dataset,
        view=inputs.view,
        choices=choices,
        classifiers=results.classifiers,
        words=words,
        provenance=provenance,
        tables=tables,
        text=inputs.text,
        extensions=inputs.extensions,
    )


def _scores_by_word(table: pd.DataFrame) -> Scores:
    keys = ["model", "layers", "classifier", "word"]
    rows = table.drop_duplicates(keys, keep="last").set_index(keys)
    scores: Any = rows[WORD_METRICS].to_dict("index")
    return dict(scores)


def _word_results(
    results: Results, scores: Scores, model: str, choices: Sequence[LayerChoice], corpus: Corpus
) -> WordResults:
    word, kinds = corpus.word, results.classifiers
    names = [choice.name for choice in choices]

    def over_choices(files: Files[T], kind: str) -> list[T]:
        return [files[model, name, kind][word] for name in names]

    predictions = {name: over_choices(results.predictions, name) for name in kinds}
    projections = {method: over_choices(results.projections, method) for method in results.methods}
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
