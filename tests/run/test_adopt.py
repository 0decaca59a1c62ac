"""Vectors of an earlier version without a store: adopted, or left alone."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file
from small_results import run
from tiny import tiny_bert

from wsd.artifacts.dataset import DATA
from wsd.artifacts.run_json import bare
from wsd.artifacts.vectors import check_vectors
from wsd.run.adopt_old_vectors import adopt, copy_vectors, provenance_of
from wsd.run.config import check
from wsd.run.config_files import read_configs
from wsd.run.digests import Digests, Seen
from wsd.run.keys import Keys
from wsd.run.run_files import Files

ROOT = Path(__file__).parents[2]
HERE = Path("results/quickstart-hard")
SEED = 7


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write vectors like an earlier version, which put the seed into all files."""
    root = tmp_path_factory.mktemp("adopt")
    tiny_bert(root / "tiny")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(root)
        source = str(DATA / "quickstart-hard")
        run("corpus", "--source", source, "--word=crane", "--out", "corpus")
        shape = ["--blocks", "2", "--width", "32"]
        run("model", "--name", "tiny", "--path", "tiny", *shape, "--out", "tiny.json")
        views = ["--views", "focal", "other"]
        run("embed", "--model", "tiny.json", "--corpus", "corpus", "--words", "crane", *views,
            "--seed", str(SEED), "--out", "made")  # fmt: skip
        for view in ("focal", "other"):
            path = Path(f"made/crane/{view}.safetensors")
            content = {**provenance_of(path), "seed": SEED}
            copy_vectors(path, HERE / f"tiny/embeddings/crane/{view}.safetensors", content)
        shutil.copy("made/crane/alignment.json", HERE / "tiny/embeddings/crane")
    return root


@pytest.fixture
def here(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(shutil.copytree(built, tmp_path / "here"))
    return HERE / "tiny/embeddings/crane"


def files(**model: Any) -> Files:
    config = read_configs([ROOT / "config/config.yaml"])
    config |= {"dataset": "quickstart-hard", "words": ["crane"], "layers": ["all"], "seed": SEED}
    config["models"] = [{"name": "tiny", "path": "tiny", "blocks": 2, "width": 32, **model}]
    config["views"] = {"store": ["focal", "other"], "classify": ["focal"]}
    checked = check(config)
    return Files(checked, Keys(checked, config, Digests(Seen(Path("seen.json")))), "snakemake")


def kept() -> dict[str, Path]:
    """Return the files in the store by their published paths."""
    store = HERE / "store"
    paths = store.rglob("crane@*/*.safetensors")
    return {bare(str(path.relative_to(store))): path for path in paths}


def test_matching_vectors_are_adopted(here: Path) -> None:
    before = {path.stem: load_file(path)["vectors"] for path in here.glob("*.safetensors")}
    assert adopt(files(), HERE) == (2, 2)
    actual = kept()
    assert {*actual} == {f"tiny/embeddings/crane/{view}.safetensors" for view in ("focal", "other")}
    for name, path in actual.items():
        check_vectors(path)
        assert np.array_equal(load_file(path)["vectors"], before[Path(name).stem])
        assert (path.parent / "alignment.json").is_file()
    # The seed decides only the random view, and is part of its name.
    focal, other = (actual[name] for name in sorted(actual))
    assert provenance_of(focal).get("seed") is None and provenance_of(other)["seed"] == SEED
    assert other.name == "other@0000000007.safetensors"
    # No file exists twice.
    assert not list(here.glob("*.safetensors"))


def test_the_step_does_not_change_adopted_vectors(here: Path) -> None:
    run_files = files()
    adopt(run_files, HERE)
    before = {path: path.stat().st_mtime_ns for path in kept().values()}
    listings = run_files.listings("tiny", ["focal", "other", "alignment"])
    run("embed", "--model", "tiny.json", "--corpus", "corpus", "--words", "crane", "--views",
        "focal", "other", "--seed", str(SEED), "--listings", *listings, "--out",
        str(Path(listings[0]).parent))  # fmt: skip
    assert {path: path.stat().st_mtime_ns for path in kept().values()} == before
    assert {*map(bare, json.loads(Path(listings[0]).read_text()))} == {"crane/focal.safetensors"}


@pytest.mark.parametrize(
    "differing",
    [{"pooling": "last"}, {"input": "masked"}, {"random_weights": 3}, {"path": "other"}],
    ids=lambda given: next(iter(given)),
)
def test_other_vectors_are_left_alone(here: Path, differing: dict[str, Any]) -> None:
    tiny_bert(Path("other"), head=True, max_length=32)
    assert adopt(files(**differing), HERE) == (0, 2)
    assert not kept() and len(list(here.glob("*.safetensors"))) == 2


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [cut, flip, lambda path: path.write_bytes(b"")])
def test_damaged_vectors_are_not_adopted(here: Path, damage: Callable[[Path], None]) -> None:
    damage(here / "focal.safetensors")
    assert adopt(files(), HERE) == (1, 2)
    assert [*kept()] == ["tiny/embeddings/crane/other.safetensors"]


def test_links_and_other_words_are_not_adopted(here: Path) -> None:
    (here / "focal.safetensors").rename("elsewhere.safetensors")
    (here / "focal.safetensors").symlink_to(Path("elsewhere.safetensors").absolute())
    shutil.copytree(here, here.with_name("seal"))
    assert adopt(files(), HERE) == (1, 1)
