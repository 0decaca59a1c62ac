"""Which config keys decide the files of a corpus of pairs."""

import re
from pathlib import Path

import full_config
import pytest
from config_variants import OTHER, changed, changes, decided, paths

from wsd.cli import main

# The other keys say nothing about a corpus of pairs.
KEYS = (
    *("seed", "device", "transforms", "sentences", "run", "layers", "views.store"),
    *("views.classify", "models.0.pooling", "models.0.input", "models.0.path", "projections"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return full_config.make(tmp_path_factory.mktemp("keys"))


@pytest.mark.parametrize("key", KEYS)
def test_a_config_key_decides_the_kinds_of_the_table_and_no_other(
    folder: Path, tmp_path: Path, key: str
) -> None:
    data, gold = tmp_path / "train.data.txt", tmp_path / "train.gold.txt"
    data.write_text("mint\tN\t1-1\tthe mint grew\ta mint paid\n")
    gold.write_text("F\n")
    assert main(["import", str(data), "--name", "mine", "--out", str(tmp_path / "mine")]) == 0
    config = {
        **full_config.build_config(folder),
        "dataset": {"name": "mine", "path": str(tmp_path / "mine")},
    }
    config |= {"words": "all", "trains": ["full"], "systems": [], "analyses": [], "features": []}
    config["models"] = config["models"][:2]
    for of_study in ("finetune", "clusters", "glosses"):
        config.pop(of_study, None)
    config["controls"] = {**config["controls"], "classifiers": ["nearest_centroid"]}
    actual = changes(paths(config, folder), paths(changed(config, key, OTHER[key], folder), folder))
    assert actual == decided(re.sub(r"\.\d+", "", key)) & {*paths(config, folder)}
