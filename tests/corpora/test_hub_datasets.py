"""Datasets of the hub, from a local server that speaks its protocol."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from frames import bank
from hub_server import HubServer
from importing import import_corpus

from wsd.corpora.importer.hub_datasets import choose, fetch
from wsd.errors import ConfigError, DownloadError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ADDRESS = f"hf://datasets/owner/bank@{COMMIT}"
Import = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write the files of a dataset."""
    folder = tmp_path / "files"
    (folder / "data").mkdir(parents=True)
    bank().to_parquet(folder / "data/train-00000-of-00001.parquet")
    test = bank(sentence=[f"A {text[0].lower()}{text[1:]}" for text in bank()["sentence"]])
    test[["start", "end"]] += 2
    test.to_parquet(folder / "data/test-00000-of-00001.parquet")
    bank().to_parquet(folder / "data/validation-00000-of-00001.parquet")
    (folder / "bank.py").write_text("raise SystemExit('a script of the dataset ran')")
    (folder / "train.csv").write_text("not asked for")
    return folder


@pytest.fixture
def hub(files: Path) -> Iterator[HubServer]:
    repositories = {"datasets/owner/bank": {COMMIT: files}}
    with HubServer(repositories, branches={"main": COMMIT, "refs/pr/1": COMMIT}) as server:
        yield server


@pytest.fixture
def imports(hub: HubServer, tmp_path: Path) -> Import:
    """Run `wsd import` in another process, because the client reads HF_ENDPOINT only once."""

    def call(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "wsd.cli", "import", *arguments]
        command += ["--out", str(tmp_path / "out"), "--name", "bank"]
        environment = {**hub.environment(tmp_path / "home"), **variables}
        return subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True
        )

    return call


@pytest.mark.slow
def test_a_dataset_is_imported_with_its_commit_and_checksums(
    imports: Import, hub: HubServer, files: Path, tmp_path: Path
) -> None:
    hub.card = {"license": "cc-by-4.0"}
    done = imports("hf://datasets/owner/bank")
    assert done.returncode == 0, done.stderr
    assert "bank: bank_money 2 + 2, bank_river 2 + 2" in done.stdout
    assert "left out: validation (`--test hf://datasets/owner/bank/validation`)" in done.stderr
    manifest = json.loads((tmp_path / "out/dataset.json").read_text())
    names = [f"data/{split}-00000-of-00001.parquet" for split in ("train", "test")]
    digests = [hashlib.sha256((files / name).read_bytes()).hexdigest() for name in names]
    assert manifest["imported"] == [
        {"file": f"{ADDRESS}/{name}", "sha256": digest}
        for name, digest in zip(names, digests, strict=True)
    ]
    assert manifest["source"] == "https://huggingface.co/datasets/owner/bank"
    assert manifest["licence"] == "cc-by-4.0"
    got = {request.rpartition("/")[2] for request in hub.requests if "/resolve/" in request}
    assert got == {name.rpartition("/")[2] for name in names}


@pytest.mark.slow
def test_revision_split_and_file_are_in_the_address(imports: Import, tmp_path: Path) -> None:
    parts = "--train", f"{ADDRESS}/train", "--test", "hf://owner/bank@refs/pr/1/validation"
    done = imports(*parts, "--any-form")
    assert done.returncode == 0, done.stderr
    files = json.loads((tmp_path / "out/dataset.json").read_text())["imported"]
    assert [entry["file"].rpartition("/")[2][:5] for entry in files] == ["train", "valid"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "code", "problem"),
    [
        ("hf://datasets/owner/none", 4, "there is no such repository, or it is private"),
        (f"hf://datasets/owner/bank@{'f' * 40}", 4, "the repository has no revision ffff"),
        ("hf://datasets/owner/bank/dev2", 2, "the dataset has no 'dev2'"),
    ],
)
def test_what_the_hub_lacks_is_one_error(
    imports: Import, address: str, code: int, problem: str
) -> None:
    done = imports(address)
    assert done.returncode == code, done.stderr
    assert problem in done.stderr and "what to do: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_damaged_file_is_refused_and_fetched_again(
    imports: Import, hub: HubServer, tmp_path: Path
) -> None:
    name = "train-00000-of-00001.parquet"
    hub.tamper[name] = lambda content: content[:-1] + bytes([content[-1] ^ 1])
    done = imports("hf://datasets/owner/bank")
    assert done.returncode == DownloadError.exit_code, done.stderr
    assert "the downloaded file has the SHA-256" in done.stderr
    assert not (tmp_path / "out").exists()
    hub.tamper.clear()
    assert imports("hf://datasets/owner/bank").returncode == 0
    shutil.rmtree(tmp_path / "out")
    done = imports("hf://datasets/owner/bank", HF_HUB_OFFLINE="1")
    assert "HF_HUB_OFFLINE forbids requests" in done.stderr


def test_a_name_without_the_beginning_of_an_address(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown kind") as caught:
        import_corpus([Path("owner/bank")], out=tmp_path / "out", name="bank")
    assert str(caught.value.fix).endswith("a dataset of the hub is hf://datasets/owner/bank")


@pytest.mark.parametrize("address", ["hf://bank", "hf://datasets/own..er/bank", "hf://a/b@/c"])
def test_a_malformed_address_is_one_error(address: str) -> None:
    with pytest.raises(ConfigError, match=f"not the address of a dataset: '{address}'"):
        fetch(Path(address), lambda _, splits: splits)


def test_splits_and_subsets() -> None:
    where = f"hf://datasets/a/b@{COMMIT}"
    plain = ["train.csv", "dev.csv", "readme.csv", "contest.csv"]
    assert choose(plain, "", where) == {"train": ["train.csv"], "validation": ["dev.csv"]}
    assert choose(plain, "dev.csv", where) == {"validation": ["dev.csv"]}
    assert choose(["a.csv", "b.csv"], "", where) == {"": ["a.csv", "b.csv"]}
    converted = ["wic/train/0000.parquet", "wic/test/0000.parquet", "boolq/train/0000.parquet"]
    with pytest.raises(ConfigError, match="several subsets: boolq, wic") as caught:
        choose(converted, "", where)
    assert "hf://datasets/a/b/boolq" in str(caught.value.fix)
    assert choose(converted, "wic", where) == {"train": converted[:1], "test": converted[1:2]}
    assert choose(converted, "wic/train", where) == {"train": converted[:1]}
    assert choose(["wic/train-0.csv", "b/train-0.csv"], "wic/training", where) == {
        "train": ["wic/train-0.csv"]
    }
    with pytest.raises(ConfigError, match="no 'wic/validation'") as caught:
        choose(converted, "wic/validation", where)
    assert "choose among boolq/train, wic/test, wic/train" in str(caught.value.fix)
