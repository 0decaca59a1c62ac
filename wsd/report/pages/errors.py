"""The errors page: test instances that other systems or selected configurations get wrong."""

from collections import Counter
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

# The most instances on the page.
MOST = 2_000


def test_instances(report: Report) -> dict[tuple[str, int], tuple[Corpus, int]]:
    """Return the corpus and row of every test instance, by word and line of its test file."""
    return {
        (word, int(results.corpus.index[row])): (results.corpus, int(row))
        for word, results in next(iter(report.words.values())).items()
        for row in np.flatnonzero(results.corpus.split == TEST)
    }


def errors_by_instance(report: Report, tests: Collection[tuple[str, int]]) -> list[dict[str, Any]]:
    """Return every instance that a system or a selected configuration gets wrong.

    The instances with the most errors come first. Among ties, words take turns: first the first
    instance of each word in the order of ``tests``, then the second of each, and so on.

    Parameters
    ----------
    report : Report
    tests : collection of pairs of word and line
        The test instances in order.

    Returns
    -------
    list of dict
        Per instance ``word``, ``index`` (its line in the word's test file) and ``gold``; ``ours``
        and ``theirs``, the wrong answers by model and by system; ``wrong``, their number; and
        ``turn``, its place among the ties of its word.
    """
    instances: dict[tuple[str, int], dict[str, Any]] = {}
    for row in records(report.tables["errors"]):
        word, index, gold = row["word"], int(row["index"]), row["gold"]
        new = {"word": word, "index": index, "gold": gold, "ours": {}, "theirs": {}}
        instance = instances.setdefault((word, index), new)
        if row["selected"] != gold:
            instance["ours"][row["reference_model"]] = row["selected"]
        if row["predicted"] != gold:
            instance["theirs"][row["model"]] = row["predicted"]
    if foreign := sorted(set(instances) - set(tests)):
        word, index = foreign[0]
        raise ResultError(
            f"the table of errors has a test instance {index} of {word!r}, and the report has none",
            fix="run `wsd compare` on the same prediction files",
        )
    for instance in instances.values():
        instance["wrong"] = len(instance["ours"]) + len(instance["theirs"])
    in_order = [instances[test] for test in tests if test in instances]
    turns: Counter[tuple[int, str]] = Counter()
    for instance in in_order:
        tie = instance["wrong"], instance["word"]
        instance["turn"] = turns[tie]
        turns[tie] += 1
    return sorted(in_order, key=lambda instance: (-instance["wrong"], instance["turn"]))


def overlap(errors: Sequence[Mapping[str, Any]], model: str, system: str) -> dict[str, int]:
    """Return how a system's errors overlap with the errors of a model's selected configuration.

    Returns
    -------
    dict
        ``both``, and ``alike`` for the part of these with the same answer; ``only_theirs``,
        ``only_ours``.
    """
    pairs = [(row["ours"].get(model), row["theirs"].get(system)) for row in errors]
    both = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
    return {
        "both": len(both),
        "alike": sum(ours == theirs for ours, theirs in both),
        "only_ours": sum(ours is not None for ours, _ in pairs) - len(both),
        "only_theirs": sum(theirs is not None for _, theirs in pairs) - len(both),
    }


def write_errors(report: Report, folder: Path) -> None:
    """Write ``errors.html`` into the report's folder, if the run has other systems."""
    if report.other_systems.empty:
        return
    tests = test_instances(report)
    errors = errors_by_instance(report, tests)
    configurations = {row["model"]: row for row in records(selected(report))}
    models = [model for model in report.choices if model in configurations]
    systems = [
        {
            "name": system,
            "sign": str(i),
            "errors": sum(system in row["theirs"] for row in errors),
            "overlaps": [overlap(errors, model, system) for model in models],
        }
        for i, system in enumerate(report.other_systems["model"], 1)
    ]
    corpora = {word: corpus for (word, _), (corpus, _) in tests.items()}
    names = {word: _sense_names(report.dataset, corpus) for word, corpus in corpora.items()}
    page = render(
        "errors.html",
        report,
        models=models,
        selected=configurations,
        systems=systems,
        errors={model: sum(model in row["ours"] for row in errors) for model in models},
        n_test=len(tests),
        n_errors=len(errors),
        rows=[
            _shown(row, names[row["word"]], *tests[row["word"], row["index"]])
            for row in errors[:MOST]
        ],
    )
    write_text(folder / "errors.html", page)


def _sense_names(dataset: Dataset, corpus: Corpus) -> dict[str, str]:
    texts = dataset.sense_texts(corpus.word, corpus.senses)
    return {label: text.name for label, text in zip(corpus.senses, texts, strict=True)}


def _shown(
    error: Mapping[str, Any], names: Mapping[str, str], corpus: Corpus, row: int
) -> dict[str, Any]:
    """Return an entry of :func:`errors_by_instance` with its sentence and the names of senses."""

    def named(answers: Mapping[str, str]) -> dict[str, str]:
        return {source: names.get(label, label) for source, label in answers.items()}

    answers = {side: named(error[side]) for side in ("ours", "theirs")}
    senses = Counter([*answers["ours"].values(), *answers["theirs"].values()]).most_common()
    shown = {**answers, "senses": senses, **named({"gold": error["gold"]})}
    return {**error, **shown, **sentence(corpus, row)}
