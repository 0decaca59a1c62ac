"""The config keys that decide each kind of file: change each key and compare with the table."""

import os
import re
import shutil
from pathlib import Path

import full_config
import pytest
from config_variants import ELSEWHERE, OTHER, changed, changes, decided, paths
from full_config import build_config, without_deleted_studies

from wsd.run.config import check
from wsd.run.digests import KINDS, Digests, Seen
from wsd.run.keys import Keys
from wsd.run.schema import ANALYSES, ConfigFile

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return full_config.make(tmp_path_factory.mktemp("keys"))


# Tested below, or possible only if all studies are there.
APART = {"dataset", "at_least"} | (set() if ANALYSES else {"analyses"})
APART |= {"change"} & {*ConfigFile.model_fields}


# What must change with a key, whatever the table of kinds says.
CHANGED = {
    "seed": {"folds", "projections", "selection", "calibration", "comparison", "layers"},
    "tuning.folds": {"folds", "predictions", "projections"},
    "tuning.objective": {"predictions", "baselines"},
    "device": {"vectors"},
    "classifiers.1.C": {"predictions", "selection", "scores"},
    "projections": {"report"},
}


@pytest.mark.parametrize("key", OTHER)
def test_a_config_key_decides_the_kinds_of_the_table_and_no_other(folder: Path, key: str) -> None:
    config = build_config(folder)
    actual = changes(paths(config, folder), paths(changed(config, key, OTHER[key], folder), folder))
    assert actual == decided(re.sub(r"\.\d+", "", key)) & {*paths(config, folder)}
    assert CHANGED.get(key, set()) <= actual


def test_every_key_of_a_config_is_changed() -> None:
    assert {key.split(".")[0] for key in OTHER} | APART == {*ConfigFile.model_fields}
    assert {*CHANGED} <= {*OTHER}


def test_every_kind_of_the_table_is_tested(folder: Path) -> None:
    assert {*KINDS} - {*paths(build_config(folder), folder)} == {*ELSEWHERE} & {*KINDS}


def test_keys_do_not_depend_on_the_path_of_the_config(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "elsewhere")
    here, there = build_config(folder), build_config(tmp_path / "elsewhere")
    kinds = paths(here, folder), paths(there, tmp_path)
    for kind in kinds[0].keys() - {"report", "record"}:  # which say where the encoder was
        first, second = (
            [entry[p].rpartition("/store/")[2] for p in entry] for entry in (k[kind] for k in kinds)
        )
        assert first == second, kind


def test_external_files_count_by_content_not_by_date(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "there")
    config = build_config(tmp_path / "there")
    if "glosses" in config:
        config["glosses"] = str(tmp_path / "there/glosses.tsv")
    before = paths(config, tmp_path)
    inputs = {"glosses.tsv": "glosses", "said.jsonl": "systems", "tiny/tokenizer.json": "vectors"}
    for name in (name for name, kind in inputs.items() if kind in before):  # studies may be deleted
        path = tmp_path / "there" / name
        times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
        path.touch()
        assert paths(config, tmp_path) == before
        # Another file with the date and the size of the first.
        path.write_bytes(path.read_bytes().swapcase())
        os.utime(path, ns=times)
        after = paths(config, tmp_path)
        assert after[inputs[name]] != before[inputs[name]]
        before = after


def test_new_code_of_a_step_changes_its_outputs_and_their_descendants(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = build_config(folder)
    before = paths(config, folder)
    code, edited = Digests.code, {"folds": " edited"}
    monkeypatch.setattr(Digests, "code", lambda self, step: code(self, step) + edited.get(step, ""))
    of_folds = paths(config, folder)
    same = {kind for kind in before if before[kind] == of_folds[kind]}
    others = {"corpus", "vectors", "views", "neighbours", "zero-shot", "record"}
    assert others & {*before} <= same
    assert not same & {"folds", "predictions", "projections", "selection", "scores", "report"}


def test_another_minimum_frequency_makes_another_corpus(folder: Path) -> None:
    config = {**build_config(folder), "dataset": "noad", "words": "all", "trains": ["full"]}
    config |= {"glosses": "none", "analyses": [], "systems": []}
    config["controls"] = {**config["controls"], "classifiers": ["nearest_centroid"]}
    config, digests = without_deleted_studies(config), Digests(Seen(folder / "seen.json"))
    first, second = (Keys(check({**config, "at_least": n}), config, digests) for n in (10, 20))
    assert first.source != second.source and first.corpus != second.corpus
