"""The errors page: what systems from elsewhere and the selected configuration get wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wsd.files import write_text
from wsd.predictions import TEST
from wsd.report.index import PUBLISHED, SYSTEM
from wsd.report.inputs import Report, records
from wsd.report.models import selected
from wsd.report.render import render
from wsd.report.word import sentence

PAGE = "errors.html"
# Instances that the page lists: those that the most get wrong.
MOST = 2_000


@dataclass
class Mistaken:
    """A test instance that anyone gets wrong.

    Attributes
    ----------
    word, gold : str
    index : int
        Its line in the word's test file.
    ours, theirs : mapping of model or system to sense
        What those that get it wrong say.
    """

    word: str
    index: int
    gold: str
    ours: dict[str, str] = field(default_factory=dict)
    theirs: dict[str, str] = field(default_factory=dict)

    @property
    def wrong(self) -> int:
        """How many get it wrong."""
        return len(self.ours) + len(self.theirs)


def systems(report: Report) -> list[dict[str, Any]]:
    """The rows of the comparison that are systems from elsewhere, each once."""
    compared = report.tables["comparison"]
    found = compared[compared["kind"].isin([PUBLISHED, SYSTEM])]
    return records(found.drop_duplicates(["kind", "model"]))


def mistaken(report: Report) -> list[Mistaken]:
    """Every instance that a system or a selected configuration gets wrong, the hardest first.

    Instances that as many get wrong stand in the order of words and lines.
    """
    found: dict[tuple[str, int], Mistaken] = {}
    for row in records(report.tables["errors"]):
        key = (row["word"], int(row["index"]))
        one = found.setdefault(key, Mistaken(*key, gold=row["gold"]))
        if row["selected"] != row["gold"]:
            one.ours[row["reference_model"]] = row["selected"]
        if row["predicted"] != row["gold"]:
            one.theirs[row["model"]] = row["predicted"]
    place = {word: i for i, word in enumerate(next(iter(report.words.values())))}
    return sorted(
        found.values(),
        key=lambda one: (-one.wrong, place[one.word], one.index),
    )


def counted(found: Sequence[Mistaken], models: Sequence[str], system: str) -> list[dict[str, int]]:
    """How a system's errors fall together with those of each model's selected configuration.

    Returns
    -------
    list of dict
        Per model ``both``, and of these ``alike`` with the same answer; ``only_theirs``,
        ``only_ours``.
    """
    rows = []
    for model in models:
        pairs = [(one.ours.get(model), one.theirs.get(system)) for one in found]
        rows.append(
            {
                "both": sum(ours is not None and theirs is not None for ours, theirs in pairs),
                "alike": sum(ours is not None and ours == theirs for ours, theirs in pairs),
                "only_ours": sum(ours is not None and theirs is None for ours, theirs in pairs),
                "only_theirs": sum(ours is None and theirs is not None for ours, theirs in pairs),
            }
        )
    return rows


def write_errors(report: Report, folder: Path) -> None:
    """Write ``errors.html``, if the run has systems from elsewhere.

    Parameters
    ----------
    report : Report
    folder : Path
        The report's folder.
    """
    others = systems(report)
    if not others:
        return
    found = mistaken(report)
    chosen = {row["model"]: row for row in records(selected(report))}
    models = [model for model in report.choices if model in chosen]
    first = next(iter(report.words.values()))
    page = render(
        "errors.html",
        dataset=report.dataset,
        models=models,
        chosen=chosen,
        systems=[
            {
                "name": row["model"],
                "errors": sum(row["model"] in one.theirs for one in found),
                "beside": counted(found, models, row["model"]),
            }
            for row in others
        ],
        errors={model: sum(model in one.ours for one in found) for model in models},
        n_test=sum(run.n_test for run in first.values()),
        n_mistaken=len(found),
        rows=_rows(report, found[:MOST]),
        text=report.text,
        root="",
    )
    write_text(folder / PAGE, page)


def _rows(report: Report, found: Sequence[Mistaken]) -> list[dict[str, Any]]:
    """The instances with their sentences, cut around the focal word."""
    corpora = {word: run.corpus for word, run in next(iter(report.words.values())).items()}
    rows_of = {
        word: {
            int(index): row
            for row, (split, index) in enumerate(zip(corpus.split, corpus.index, strict=True))
            if split == TEST
        }
        for word, corpus in corpora.items()
    }
    rows = []
    for one in found:
        corpus = corpora[one.word]
        left, focal, right = sentence(corpus, rows_of[one.word][one.index])
        rows.append({"of": one, "left": left, "focal": focal, "right": right})
    return rows
