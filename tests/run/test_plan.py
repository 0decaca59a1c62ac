"""The cost of a run: configs are merged as by Snakemake, and disk sizes are exact."""

import copy
import os
import re
from pathlib import Path
from typing import Any

import pytest
from changed_config import MINILM, check_shipped, shipped
from checkout import REPOSITORY
from snakemake.utils import update_config

from wsd import arguments
from wsd.cli import parser
from wsd.run import plan
from wsd.run.config import load
from wsd.run.config_files import merge_configs, read_configs
from wsd.run.digests import Digests, Seen
from wsd.run.files import Files
from wsd.run.keys import Keys
from wsd.run.plan import describe
from wsd.run.schema import Config
from wsd.storage.atomic import write_text

FIVE = ["apple", "bank", "crane", "java", "spring"]


def test_the_shipped_configs_are_read_where_no_checkout_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [Path("config") / name for name in ("config.yaml", "quickstart.yaml")]
    expected = read_configs([REPOSITORY / name for name in names])
    monkeypatch.chdir(tmp_path)
    assert read_configs(names) == expected
    # A file in the folder's own `config` comes first.
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text("seed: 7\n")
    assert read_configs(names[:1]) == {"seed": 7}
    # It may state only what differs.
    assert load(names).seed == 7


MERGES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"a": 1}, {"b": 2}), ({"a": 1}, {"a": 2}), ({"a": [1, 2]}, {"a": [3]}),
    ({"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"c": 3}}}), ({"a": {"b": 1}}, {"a": [2]}),
    ({"a": {"b": 1}}, {"a": None}), ({}, {"a": {"b": {"c": 1}}}),
]  # fmt: skip


@pytest.mark.parametrize(("base", "over"), MERGES)
def test_merge_is_the_merge_of_snakemake(base: dict[str, Any], over: dict[str, Any]) -> None:
    before, theirs = copy.deepcopy((base, over)), copy.deepcopy(base)
    update_config(theirs, copy.deepcopy(over))
    assert merge_configs(base, over) == theirs
    assert (base, over) == before


def places_of(config: Config, results: Path) -> Files:
    return Files(config, Keys(config, {}, Digests(Seen(results / ".seen.json")), results))


def test_describe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minilm: str) -> None:
    monkeypatch.setattr(plan, "operations_per_second", lambda: 1e10)
    places = places_of(check_shipped("quickstart.yaml", words=FIVE), tmp_path / "results")
    # 24 * 384 * 634 * 6 * 39 * 744 operations at 1.25e10 per second and core. On disk: 7 states *
    # 744 * 384 numbers * 4 bytes * the number of views.
    views = len(places.config.store)
    size = 7 * 744 * 384 * 4 * views / 1e9
    first, disk = describe(places, 1)
    assert first == (
        f"{MINILM}: 744 sentences of 5 words to embed, {size:.2f} GB, roughly 1 min on 1 cores "
        "without GPU; 0.1 GB of weights; 22 combinations of features and classifier"
    )
    assert re.fullmatch(rf"disk: {size:.2f} GB needed, [\d.]+ GB free", disk)
    # It writes nothing, so that it works in read-only folders.
    assert [*tmp_path.iterdir()] == []


def test_existing_embeddings_are_not_counted(tmp_path: Path, minilm: str) -> None:
    places = places_of(check_shipped("quickstart.yaml", words=FIVE), tmp_path)
    for name, model in places.config.encoders.items():
        for listing in places.listings(name, places.config.stored_views(model)):
            write_text(Path(listing), "")
    lines = [*describe(places, 1)]
    assert lines[0].startswith(f"{MINILM}: every sentence is embedded already")
    assert lines[1].startswith("disk: 0.00 GB needed")
    # Other settings of the same model have other vectors.
    [entry] = shipped("quickstart.yaml")["models"]
    other = check_shipped("quickstart.yaml", words=FIVE, models=[{**entry, "pooling": "last"}])
    assert "744 sentences of 5 words to embed" in next(describe(places_of(other, tmp_path), 1))


def test_processors_are_those_that_the_process_may_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda commands: {0, 2, 5}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    limit = tmp_path / "cpu.max"
    monkeypatch.setattr(arguments, "CPU_MAX", limit)
    assert arguments.processors() == 3
    for text, expected in (("max 100000", 3), ("5000 100000", 1), ("", 3), ("150000 100000", 2)):
        limit.write_text(f"{text}\n")
        assert arguments.processors() == expected
    assert parser()[0].parse_args(["plan"]).cores == 2
