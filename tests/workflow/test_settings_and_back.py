"""Runs with other settings, in turn and at once: none changes the results of another."""

import contextlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from checkout import Checkout
from log_state import logs_as_before
from same_results import results
from tiny import tiny_bert

from wsd.cli import main
from wsd.storage.json import read_json

pytestmark = pytest.mark.slow

SENTENCE = "The crane flew over the lake."
MODEL = {"name": "tiny", "path": "tiny-bert", "blocks": 2, "width": 32}
CENTROID, LOGISTIC = {"name": "nearest_centroid"}, {"name": "logistic", "C": [0.01, 1]}
FIRST = {
    "dataset": "quickstart",
    "words": ["crane"],
    "models": [MODEL],
    "layers": [1],
    "tuning": {"folds": 3, "repeats": 1},
    "classifiers": [CENTROID, LOGISTIC],
    "controls": {"baselines": False},
}
# The settings of each run that differ from the first run's.
OTHERS: dict[str, dict[str, Any]] = {
    "first": {},
    "seed": {"seed": 7},
    "words": {
        "words": ["crane", "seal"],
        "tuning": {"folds": 2, "repeats": 1},
        "classifiers": [CENTROID, {"name": "logistic", "C": [1, 0.01]}],
    },
}
# The stored views: no vector depends on the seed.
VIEWS = ("context", "focal")


def create(root: Path) -> Checkout:
    checkout = Checkout.create(root)
    tiny_bert(root / "tiny-bert")
    for name, changes in OTHERS.items():
        checkout.configure(name, **{**FIRST, **changes})
    return checkout


def arguments(name: str, cores: int = 2) -> tuple[str, ...]:
    return ("--cores", str(cores), "--configfile", f"config/{name}.yaml")


def look(checkout: Checkout) -> dict[str, bytes]:
    """Return the files of the last run that people read, and its predictions."""
    answer = io.StringIO()
    with contextlib.chdir(checkout.root), contextlib.redirect_stdout(answer), logs_as_before():
        assert main(["predict", SENTENCE, "--format", "jsonl"]) == 0
    return {**results(checkout.root / "results"), "predicted": answer.getvalue().encode()}


def unlike(actual: Mapping[str, bytes], expected: Mapping[str, bytes]) -> list[str]:
    names = sorted({*actual, *expected})
    return [name for name in names if actual.get(name) != expected.get(name)]


def files(checkout: Checkout, *kinds: str) -> dict[str, tuple[int, int]]:
    """Return identity and dates of the words' files of some kinds, for the first model."""
    folder = checkout.root / "results/quickstart/store"
    paths = [path for kind in kinds for path in folder.glob(f"tiny@*/embeddings/*@*/{kind}[.@]*")]
    return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in paths}


@pytest.fixture(scope="module")
def seen() -> dict[str, dict[str, bytes]]:
    """Collect the files that people read of each run, as the first checkout made them."""
    return {}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, seen: dict[str, Any]) -> Checkout:
    """Return a checkout with the finished first run."""
    checkout = create(tmp_path_factory.mktemp("one") / "wsd")
    checkout.run(*arguments("first"))
    seen["first"] = look(checkout)
    return checkout


def back(checkout: Checkout, seen: dict[str, dict[str, bytes]], name: str = "first") -> None:
    """Run the first config again: no job runs, and everything is as before."""
    assert checkout.run(*arguments(name)).nothing
    assert unlike(look(checkout), seen[name]) == []


def test_another_seed_and_back(checkout: Checkout, seen: dict[str, Any]) -> None:
    """What does another seed compute again, and does going back cost anything?"""
    before = files(checkout, *VIEWS)
    assert len(before) == len(VIEWS)
    # `seed` on the command line, which is part of the command.
    run = checkout.run(*arguments("first"), "--config", "seed=7")
    assert not {"corpus", "model", "embed", "neighbours"} & {*run.jobs}
    again = ("folds", "classify", "project", "select", "calibration", "report")
    assert set(again) <= set(run.jobs)
    provenance = read_json(checkout.root / "results/quickstart/provenance.json")
    assert provenance["command"].endswith("--configfile config/first.yaml --config seed=7")
    assert provenance["config"]["seed"] == 7
    assert files(checkout, *VIEWS) == before
    assert checkout.run("-n", *arguments("first")).nothing
    back(checkout, seen)
    # `seed` in a file gives the same results, but pages name the command.
    run = checkout.run(*arguments("seed"))
    assert run.jobs == {"report": 1}
    seen["seed"] = look(checkout)
    assert unlike(seen["seed"], seen["first"])
    back(checkout, seen)


def test_other_words_folds_and_search_spaces_and_back(
    checkout: Checkout, seen: dict[str, Any]
) -> None:
    """What do other words and folds compute again, and does going back cost anything?"""
    before = files(checkout, *VIEWS)
    run = checkout.run(*arguments("words"))
    assert "tiny: 1 of 2 words were embedded before" in run.text
    assert {**files(checkout, *VIEWS), **before} == files(checkout, *VIEWS)
    seen["words"] = look(checkout)
    back(checkout, seen)
    # The order of a search space is part of the key.
    order = {"classifiers": [CENTROID, {"name": "logistic", "C": [1, 0.01]}]}
    path = checkout.configure("order", **{**FIRST, **order})
    assert checkout.run("-n", "--configfile", path).jobs["classify"] == 1
