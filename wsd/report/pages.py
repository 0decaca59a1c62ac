"""The pages: what the templates are given, and the files that come out."""

import base64
import hashlib
import json
import logging
import zlib
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import bokeh
import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wsd.corpus import Corpus
from wsd.files import write_text
from wsd.layers import LayerChoice
from wsd.report import figures
from wsd.report.inputs import Report, WordRun

log = logging.getLogger("wsd")

ASSETS = ("app.js", "style.css")
SUMMARY_METRICS = {
    "mean_macro_f1": "Mean macro-F1",
    "mean_balanced_accuracy": "Mean balanced accuracy",
    "mean_word_accuracy": "Mean word accuracy",
    "micro_accuracy": "Micro accuracy",
}
HEAT_STEPS = 20
# Chromium opens no data: address above 2 MiB; base64 makes four bytes of three.
PORTABLE_BYTES = (2 * 1024 * 1024 - 256) // 4 * 3
FULL, COARSE = 32767, 2047


def write_assets(folder: Path) -> None:
    """Write Bokeh's script once, and the report's own script and style sheet.

    Parameters
    ----------
    folder : Path
    """
    write_text(folder / "bokeh.min.js", _bokeh())
    for name in ASSETS:
        write_text(folder / name, _asset(name))


def write_index(report: Report, folder: Path) -> None:
    """Write ``index.html``: the leaderboard, the words' tables, curves and provenance.

    Parameters
    ----------
    report : Report
    folder : Path
        The report's folder.
    """
    summary = report.summary.sort_values("mean_macro_f1", ascending=False, kind="stable")
    varying = [(key, heading) for key, heading in (("view", "View"),) if summary[key].nunique() > 1]
    lines = _lines(report)
    page = (
        _environment()
        .get_template("index.html")
        .render(
            report=report,
            dataset=report.dataset,
            best=_best(report),
            selected=[row for row in report.comparison if row["kind"] == "selected"],
            metrics=SUMMARY_METRICS,
            varying=varying,
            leaderboard=summary.to_dict("records"),
            labels={
                model: {choice.name: label(choice, _last(report, model)) for choice in choices}
                for model, choices in report.choices.items()
            },
            curves=_curves(lines),
            lines=[(name, *figures.curve_style(i)) for i, (name, _) in enumerate(lines)],
            markers=figures.MARKERS,
            tables=_tables(report),
            provenance=report.provenance,
            root="",
            portable=False,
            csp=_csp("'self'"),
        )
    )
    write_text(folder / "index.html", page)


def write_word(report: Report, model: str, word: str, *, folder: Path, portable: Path) -> None:
    """Write one word's page, as part of the report and as a file of its own.

    Parameters
    ----------
    report : Report
    model, word : str
    folder, portable : Path
        The two folders; see :func:`wsd.report.build_report`.
    """
    name = f"{model}/{word}.html"
    run, choices = report.words[model][word], report.choices[model]
    figure = figures.scatter(len(run.corpus.senses), len(run.corpus))
    context = _word_context(report, model, word)
    template = _environment().get_template("word.html")
    page = template.render(
        **context,
        data=_word_data(run, choices, FULL, training_text=True),
        figure=figure,
        root="../../",
        portable=False,
        csp=_csp("'self'"),
    )
    write_text(folder / "words" / name, page)
    bokeh_js, app, style = _bokeh(), _asset("app.js"), _asset("style.css")
    for training_text in (True, False):
        data = _word_data(run, choices, COARSE, training_text=training_text)
        single = template.render(
            **context,
            packed=_pack({"bokeh": bokeh_js, "data": data, "figure": figure}),
            training_text=training_text,
            app=Markup(app),  # noqa: S704 - the package's own file
            style=Markup(style),  # noqa: S704 - the package's own file
            root="",
            portable=True,
            csp=_csp(f"{_hash(app)} {_hash(bokeh_js)}"),
        )
        if len(single.encode()) <= PORTABLE_BYTES:
            break
    else:
        log.warning("%s: the page as one file is too large for Chromium's data: addresses", name)
    write_text(portable / name, single)


def label(choice: LayerChoice, last: int) -> str:
    """A layer choice's name with what a reader needs to place it.

    Parameters
    ----------
    choice : LayerChoice
    last : int
        Number of the encoder's last layer.
    """
    if choice.is_single:
        (layer,) = choice.layers
        return f"layer {layer}" + {0: " (embeddings)", last: " (last)"}.get(layer, "")
    low, high = choice.layers[0], choice.layers[-1]
    if choice.layers == tuple(range(low, high + 1)):
        return f"{choice.name} ({low}\N{EN DASH}{high})"
    return choice.name


def _last(report: Report, model: str) -> int:
    return int(report.provenance["models"][model]["model"]["blocks"])


def _best(report: Report) -> dict[str, Any]:
    """The row of the shown view with the highest mean macro-F1; the first of equals."""
    shown = report.summary[report.summary["view"] == report.view]
    best = shown.iloc[int(np.argmax(shown["mean_macro_f1"]))]
    return {str(key): value for key, value in best.items()}


def _lines(report: Report) -> list[tuple[str, pd.DataFrame]]:
    """Per model and reader, a name and the summary's rows for single layers, ascending."""
    lines = []
    for model, choices in report.choices.items():
        order = {choice.name: choice.layers[0] for choice in choices if choice.is_single}
        for reader in report.readers:
            rows = report.summary[
                (report.summary["model"] == model)
                & (report.summary["classifier"] == reader)
                & (report.summary["view"] == report.view)
                & report.summary["layers"].isin(list(order))
            ]
            if len(rows):
                rows = rows.assign(layer=rows["layers"].map(order)).sort_values("layer")
                name = reader if len(report.choices) == 1 else f"{model}, {reader}"
                lines.append((name, rows))
    return lines


def _curves(lines: list[tuple[str, pd.DataFrame]]) -> list[dict[str, Any]]:
    if not lines:
        return []
    shown = np.concatenate([rows[list(SUMMARY_METRICS)].to_numpy() for _, rows in lines]) * 100
    low = max(0.0, float(np.floor(shown.min() / 5) * 5))
    high = min(100.0, float(np.ceil(shown.max() / 5) * 5))
    return [
        {
            "id": f"curve-{metric}",
            "title": title,
            "figure": figures.curves(
                [
                    figures.Curve(
                        name,
                        [int(layer) for layer in rows["layer"]],
                        [round(float(value) * 100, 4) for value in rows[metric]],
                    )
                    for name, rows in lines
                ],
                low,
                high if high > low else low + 5,
            ),
        }
        for metric, title in SUMMARY_METRICS.items()
    ]


def _tables(report: Report) -> dict[str, Any]:
    """Macro-F1 of every word and layer choice, one table per model and reader."""
    every = [
        figure["macro_f1"]
        for words in report.words.values()
        for run in words.values()
        for of_reader in run.figures.values()
        for figure in of_reader
    ]
    # From the lowest tenth up, or the embedding layer alone would use up half of the shades.
    low, high = float(np.quantile(every, 0.1)), max(every)

    def cell(value: float) -> dict[str, Any]:
        share = max(0.0, value - low) / (high - low) if high > low else 1.0
        return {"value": value, "heat": round(share * HEAT_STEPS)}

    tables = []
    for model, words in report.words.items():
        for reader in report.readers:
            rows = []
            values = []
            for word, run in words.items():
                of_word = [figure["macro_f1"] for figure in run.figures[reader]]
                n_train = int((run.corpus.split == "train").sum())
                rows.append(
                    {
                        "word": word,
                        "n_senses": len(run.corpus.senses),
                        "n_train": n_train,
                        "n_test": len(run.corpus) - n_train,
                        "cells": [cell(value) for value in of_word],
                        "best": max(of_word),
                    }
                )
                values.append(of_word)
            tables.append(
                {
                    "model": model,
                    "reader": reader,
                    "choices": report.choices[model],
                    "rows": rows,
                    "means": [cell(float(mean)) for mean in np.mean(values, axis=0)],
                }
            )
    return {"low": low, "high": high, "tables": tables}


def _word_context(report: Report, model: str, word: str) -> dict[str, Any]:
    """What both forms of a word's page show besides the instances."""
    run, choices = report.words[model][word], report.choices[model]
    corpus = run.corpus
    train = corpus.split == "train"
    words = list(report.words[model])
    at = words.index(word)
    last = _last(report, model)
    return {
        "dataset": report.dataset,
        "model": model,
        "word": word,
        "width": report.provenance["models"][model]["model"]["width"],
        "pooling": report.provenance["models"][model]["pooling"],
        "view": report.view,
        "previous": words[at - 1] if at else None,
        "next": words[at + 1] if at + 1 < len(words) else None,
        "readers": report.readers,
        "choices": [
            {
                "name": choice.name,
                "label": label(choice, last),
                "cells": [
                    {**run.figures[reader][i], "wrong": run.wrong(reader, i)}
                    for reader in report.readers
                ],
            }
            for i, choice in enumerate(choices)
        ],
        "start": max(i for i, choice in enumerate(choices) if choice.is_single)
        if any(choice.is_single for choice in choices)
        else 0,
        "senses": [
            {
                "name": sense,
                "n_train": int((train & (corpus.gold == i)).sum()),
                "n_test": int((~train & (corpus.gold == i)).sum()),
                "colour": figures.sense_style(i)[0],
                "path": figures.MARKERS[figures.sense_style(i)[1]],
            }
            for i, sense in enumerate(corpus.senses)
        ],
        "n_train": int(train.sum()),
        "n_test": int((~train).sum()),
    }


def _word_data(
    run: WordRun, choices: list[LayerChoice], levels: int, *, training_text: bool
) -> dict[str, Any]:
    """What the page's script switches through; every instance stands here once.

    Coordinates are whole numbers of ``step``, which is the largest of a choice over ``levels``.
    """
    corpus = run.corpus
    train = corpus.split == "train"
    # Later rows are drawn on top: test over training instances, and rare senses over all.
    order = np.lexsort((corpus.index, ~train, -np.bincount(corpus.gold)[corpus.gold]))
    drawn_tests = (np.cumsum(~train) - 1)[order][~train[order]]
    blank = ("", "", "")
    texts = [
        _sentence(corpus, row) if training_text or not train[row] else blank
        for row in order.tolist()
    ]
    entries = []
    for i, choice in enumerate(choices):
        step = float(np.abs(run.points[i]).max()) / levels or 1.0
        entries.append(
            {
                "name": choice.name,
                "explained": run.explained[i],
                "step": step,
                # All x before all y: neighbours in the file are alike, and pack better.
                "points": _encode(np.round(run.points[i][order].T / step), "<i2"),
                "predicted": [
                    _encode(predicted[i][drawn_tests], "<u2")
                    for predicted in run.predicted.values()
                ],
                "figures": [figure[i] for figure in run.figures.values()],
            }
        )
    return {
        "word": corpus.word,
        "senses": list(corpus.senses),
        "readers": list(run.predicted),
        "pixels": figures.point_size(len(corpus)),
        "training_text": training_text,
        "train": _encode(train[order], "u1"),
        "index": _encode(corpus.index[order], "<i4"),
        "gold": _encode(corpus.gold[order], "<u2"),
        "left": [left for left, _, _ in texts],
        "focal": [focal for _, focal, _ in texts],
        "right": [right for _, _, right in texts],
        "choices": entries,
    }


def _sentence(corpus: Corpus, row: int) -> tuple[str, str, str]:
    tokens, at = corpus.tokens[row], int(corpus.position[row])
    return " ".join(tokens[:at]), tokens[at], " ".join(tokens[at + 1 :])


def _encode(values: np.ndarray, dtype: str) -> str:
    return base64.b64encode(values.astype(dtype).tobytes()).decode()


def _pack(value: Any) -> str:
    """JSON, deflated, in base64: what the page's script unpacks."""
    return base64.b64encode(zlib.compress(_dump(value).encode(), 9)).decode()


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _script_json(value: Any) -> Markup:
    """JSON that cannot end the script element it stands in, nor start a comment there."""
    text = _dump(value)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - nothing is left that HTML would interpret


def _csp(scripts: str) -> str:
    # Bokeh styles its shadow trees with <style> elements, and its icons are data: images.
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _bokeh() -> str:
    folder = Path(bokeh.__file__).parent
    return (folder / "server" / "static" / "js" / "bokeh.min.js").read_text(encoding="utf-8")


@cache
def _asset(name: str) -> str:
    return (package_files("wsd.report") / "assets" / name).read_text(encoding="utf-8")


def _percent(value: float, digits: int = 2) -> str:
    return f"{value * 100:.{digits}f}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("wsd.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        percent=_percent,
        script_json=_script_json,
        # A word's name is a path segment and a fragment's value, so `/` is escaped too.
        part=lambda text: quote(text, safe=""),
        count=lambda number: f"{number:,}",
        # A place to break a long name at, which copying and searching do not see.
        breakable=lambda text: Markup("_<wbr>").join(text.split("_")),
        pretty=lambda value: json.dumps(value, indent=2, ensure_ascii=False),
    )
    return environment
