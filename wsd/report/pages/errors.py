"""The errors page: what systems from elsewhere and the selected configuration get wrong."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.predictions import TEST
from wsd.errors import ResultError
from wsd.report.pages.model_notes import selected
from wsd.report.pages.render import render
from wsd.report.pages.report_data import Report, records, sentence
from wsd.storage.atomic import write_text

# Instances that the page lists: those that the most get wrong.
MOST = 2_000


def test_instances(report: Report) -> dict[tuple[str, int], tuple[Corpus, int]]:
    """The corpus and the row in it of every test instance, by word and line of its test file."""
    return {
        (word, int(run.corpus.index[row])): (run.corpus, int(row))
        for word, run in next(iter(report.words.values())).items()
        for row in np.flatnonzero(run.corpus.split == TEST)
    }


def mistaken(report: Report, tests: Collection[tuple[str, int]]) -> list[dict[str, Any]]:
    """Every instance that a system or a selected configuration gets wrong, the hardest first.

    Instances that as many get wrong stand in the order of words and lines.

    Parameters
    ----------
    report : Report
    tests : collection of pairs of word and line
        Those that there are, words in their order.

    Returns
    -------
    list of dict
        Per instance ``word``, ``index`` (its line in the word's test file) and ``gold``; ``ours``
        and ``theirs``, what those models and systems say that get it wrong; and ``wrong``, how
        many they are.
    """
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for row in records(report.tables["errors"]):
        word, index, gold = row["word"], int(row["index"]), row["gold"]
        new = {"word": word, "index": index, "gold": gold, "ours": {}, "theirs": {}}
        one = found.setdefault((word, index), new)
        if row["selected"] != gold:
            one["ours"][row["reference_model"]] = row["selected"]
        if row["predicted"] != gold:
            one["theirs"][row["model"]] = row["predicted"]
    for one in found.values():
        one["wrong"] = len(one["ours"]) + len(one["theirs"])
    if foreign := sorted(set(found) - set(tests)):
        word, index = foreign[0]
        raise ResultError(
            f"the table of errors has a test instance {index} of {word!r}, and the report has none",
            fix="run `wsd compare` on the same prediction files",
        )
    place = {word: i for i, word in enumerate(dict.fromkeys(word for word, _ in tests))}
    return sorted(found.values(), key=lambda one: (-one["wrong"], place[one["word"]], one["index"]))


def together(found: Sequence[Mapping[str, Any]], model: str, system: str) -> dict[str, int]:
    """How a system's errors fall together with those of a model's selected configuration.

    Returns
    -------
    dict
        ``both``, and of these ``alike`` with the same answer; ``only_theirs``, ``only_ours``.
    """
    pairs = [(one["ours"].get(model), one["theirs"].get(system)) for one in found]
    both = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
    return {
        "both": len(both),
        "alike": sum(ours == theirs for ours, theirs in both),
        "only_ours": sum(ours is not None for ours, _ in pairs) - len(both),
        "only_theirs": sum(theirs is not None for _, theirs in pairs) - len(both),
    }


def write_errors(report: Report, folder: Path) -> None:
    """Write ``errors.html``, if the run has systems from elsewhere.

    Parameters
    ----------
    report : Report
    folder : Path
        The report's folder.
    """
    if report.others.empty:
        return
    tests = test_instances(report)
    found = mistaken(report, tests)
    chosen = {row["model"]: row for row in records(selected(report))}
    models = [model for model in report.choices if model in chosen]
    systems = []
    for system in report.others["model"]:
        wrong = sum(system in one["theirs"] for one in found)
        beside = [together(found, model, system) for model in models]
        systems.append({"name": system, "errors": wrong, "beside": beside})
    corpora = {word: corpus for (word, _), (corpus, _) in tests.items()}
    names = {word: _names(report.dataset, corpus) for word, corpus in corpora.items()}
    page = render(
        "errors.html",
        report,
        models=models,
        chosen=chosen,
        systems=systems,
        errors={model: sum(model in one["ours"] for one in found) for model in models},
        n_test=len(tests),
        n_mistaken=len(found),
        rows=[
            _shown(one, names[one["word"]], *tests[one["word"], one["index"]])
            for one in found[:MOST]
        ],
    )
    write_text(folder / "errors.html", page)


def _names(dataset: Dataset, corpus: Corpus) -> dict[str, str]:
    """What people read in place of the labels of a word's senses."""
    called = dataset.sense_texts(corpus.word, corpus.senses)
    return {label: text.name for label, text in zip(corpus.senses, called, strict=True)}


def _shown(
    one: Mapping[str, Any], names: Mapping[str, str], corpus: Corpus, row: int
) -> dict[str, Any]:
    """An instance of :func:`mistaken` with its sentence, senses called as people read them."""

    def shown(said: Mapping[str, str]) -> dict[str, str]:
        return {of: names.get(label, label) for of, label in said.items()}

    said = {side: shown(one[side]) for side in ("ours", "theirs")}
    return {"of": {**one, **said, **shown({"gold": one["gold"]})}, **sentence(corpus, row)}
