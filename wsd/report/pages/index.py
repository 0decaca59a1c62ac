"""The report's first page: the answer, the words, the rows that it stands beside."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import BEST, CANDIDATE, PUBLISHED, SYSTEM
from wsd.artifacts.layer_choice import LayerChoice
from wsd.artifacts.parts_of_speech import parts_of_speech
from wsd.metrics.scores import confusion, word_scores
from wsd.report.pages import gallery, model_notes
from wsd.report.pages.index_curve import opening_curve
from wsd.report.pages.render import render
from wsd.report.pages.report_data import Report, WordRun, having, records
from wsd.storage.atomic import write_text

SPARK = (96, 24)  # width and height of a sparkline


def write_index(report: Report, folder: Path) -> None:
    """Write ``index.html``.

    Parameters
    ----------
    report : Report
    folder : Path
        The report's folder.
    """
    compared = report.tables["comparison"].drop_duplicates(
        ["kind", "model", "view", "layers", "classifier"]
    )
    best_first = compared.sort_values("mean_macro_f1", ascending=False, kind="stable")
    own = compared[~compared["kind"].isin([CANDIDATE, PUBLISHED, SYSTEM])]
    # What is of one kind stands together, whichever model it is of.
    own = own.sort_values("kind", key=lambda kind: pd.factorize(kind)[0], kind="stable")
    # The models in their order, then the random-initialisation controls.
    encoders = {name: report.provenance["models"][name] for name in report.choices}
    encoders |= report.provenance["models"]
    most = gallery.most(report)
    methods = gallery.methods(report)
    page = render(
        "index.html",
        report,
        # Of several models, the one that the folds rate highest, and the highest on the test set.
        selected=records(model_notes.selected(report).head(1)),
        best=records(having(best_first, kind=BEST).head(1)),
        beside=model_notes.beside(report),
        notes=[note for model in report.choices for note in model_notes.notes(encoders[model])],
        encoders=encoders,
        facts={name: model_notes.facts(encoder) for name, encoder in encoders.items()},
        pieces={name: model_notes.pieces(report, name) for name in encoders},
        rows=records(own),
        published=records(compared[compared["kind"].isin([PUBLISHED, SYSTEM])]),
        candidates=records(having(best_first, kind=CANDIDATE)),
        models=[
            {
                "name": model,
                "folder": model_notes.folder_of(report, model),
                "words": words(report, model),
            }
            for model in report.choices
        ],
        reader=model_notes.opening_reader(report),
        objective=model_notes.objective(report),
        curve=opening_curve(report),
        parts=dict(Counter(parts_of_speech(report.provenance["corpus"]).values()).most_common()),
        packed=gallery.pictures(report),
        most=most,
        methods=methods,
        # Without an LDA there is nothing to compare PCA with.
        has_switch="LDA" in methods and gallery.is_everywhere(report, gallery.PCA),
        sampled=any(run.n_test > most for of in report.words.values() for run in of.values()),
    )
    write_text(folder / "index.html", page)


def words(report: Report, model: str) -> list[dict[str, Any]]:
    """A row per word: its counts, and what each classifier makes of it.

    A classifier's figures are those of the layer choice that the word's own folds chose for it.
    """
    table = report.rows("word-layers", view=report.view)
    # Of all models: their lines have one scale.
    lowest = float(table["macro_f1"].quantile(0.05))
    found = []
    parts = parts_of_speech(report.words[model])
    for word, run in report.words[model].items():
        readers = {}
        for reader in report.readers:
            rows = report.word_layers(model, word, reader)
            of = _of_reader(report, model, rows, lowest)
            readers[reader] = {**of, "method": gallery.method_of(report, model, word, reader)}
        baseline = most_frequent_sense(run)
        said = {"word": word, "part": parts.get(word), "baseline": baseline}
        found.append({**said, "run": run, "readers": readers})
    return found


def most_frequent_sense(run: WordRun) -> float:
    """Macro-F1 of always answering the sense with the most training instances."""
    corpus = run.corpus
    train, k = corpus.split == "train", len(corpus.senses)
    gold = corpus.gold[~train]
    guess = np.bincount(corpus.gold[train], minlength=k).argmax()
    return float(word_scores(confusion(gold, np.full_like(gold, guess), k))["macro_f1"])


def _of_reader(report: Report, model: str, rows: pd.DataFrame, lowest: float) -> dict[str, Any]:
    """What one classifier makes of a word, from its rows of all layer choices."""
    choices = report.choices[model]
    shown = model_notes.labels(report, model)
    by_name = {row["layers"]: row for row in records(rows)}
    within = [name for name, row in by_name.items() if row["in_confidence_set"]]
    # A learned mix can be chosen too, and has no picture.
    chosen = by_name[rows.loc[rows["selected_by_cv"], "layers"].iloc[0]]
    singles = [(c.layers[0], by_name[c.name]["macro_f1"]) for c in choices if c.is_single]
    return {
        **chosen,
        "label": shown.get(chosen["layers"], chosen["layers"]),
        "shown": chosen["layers"] in shown,
        "within": brief([choice for choice in choices if choice.name in within]),
        "names": within,
        "n_choices": len(by_name),
        "spark": _spark(singles, chosen["layers"], lowest),
    }


def brief(choices: Sequence[LayerChoice]) -> str:
    """Layer choices in few characters: neighbouring layers as ranges, and how many combinations."""
    layers = np.array(sorted(choice.layers[0] for choice in choices if choice.is_single), dtype=int)
    runs = [run for run in np.split(layers, np.flatnonzero(np.diff(layers) > 1) + 1) if len(run)]
    parts = [f"{run[0]}\N{EN DASH}{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    if combined := len(choices) - len(layers):
        parts.append(f"{combined} combined")
    return ", ".join(parts)


def _spark(
    points: Sequence[tuple[int, float]], chosen: str, lowest: float
) -> dict[str, Any] | None:
    """A line over the single layers, from ``lowest`` at the foot to 1 at the top."""
    if len(points) < 2:
        return None
    width, height = SPARK
    first, last = points[0][0], points[-1][0]

    def place(layer: int, value: float) -> tuple[float, float]:
        share = (max(value, lowest) - lowest) / (1 - lowest) if lowest < 1 else 1.0
        across = (layer - first) / (last - first)
        return round(3 + across * (width - 6), 1), round(height - 3 - share * (height - 6), 1)

    places = [place(*point) for point in points]
    dots = {str(layer): at for (layer, _), at in zip(points, places, strict=True)}
    return {
        "points": " ".join(f"{x},{y}" for x, y in places),
        "dot": dots.get(chosen),
        "text": ", ".join(f"layer {layer} {value * 100:.1f}" for layer, value in points),
    }
