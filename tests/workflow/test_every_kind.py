"""A run with files of every kind: a test damages or deletes each, and one run repairs them all.

Dataset, word and model have the names of folders with results.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from checkout import Checkout
from full_config import without_deleted_studies
from require import needs
from same_results import results
from tiny import tiny_bert

from wsd.artifacts.run_json import RUN_MAP, RunMap
from wsd.run import check as checking
from wsd.run.digests import SEEN
from wsd.storage.checksums import SUMS
from wsd.studies.registry import STUDIES

pytestmark = pytest.mark.slow

CONFIG = Path("config/rich.yaml")
# The targets that only run on request are included.
ON_REQUEST = ("fit", *(("uses_page",) if "unlabelled" in STUDIES else ()))
ARGUMENTS = ("all", *ON_REQUEST, "--cores", "2", "--configfile", str(CONFIG))
TABLES = Path("results/corpus")
MODEL = {"name": "predictions", "blocks": 2, "width": 32}
RICH = {
    "dataset": {"name": "corpus", "path": "mine"},
    "words": "all",
    "models": [
        {**MODEL, "path": "tiny-bert"},
        {**MODEL, "name": "trained", "finetuned_from": MODEL["name"]},
    ],
    "layers": [1],
    "features": [{"focal": 1, "context": 1}],
    "tuning": {"folds": 2, "repeats": 1},
    "classifiers": [{"name": "nearest_centroid"}, {"name": "logistic", "C": [1]}],
    "controls": {"baselines": True, "views": ["context"], "random_weights": [1], "task": True},
    "glosses": "glosses.tsv",
    "finetune": {"rate": [1e-3], "epochs": [1], "steps": 1, "seeds": [1]},
    "analyses": ["geometry", "audit", "substitutes"],
    "projections": ["pca"],
    "systems": [{"name": "they", "file": "said.jsonl"}],
}


def put_inputs(checkout: Checkout) -> None:
    """Write the external inputs: a corpus, glosses, another system's outputs, an encoder."""
    lines = [
        f"{split}\tmodel\t{sense}\tthe [[model]] {text} {number}\n"
        for sense, text in (("a", "flew up on"), ("b", "came down by"))
        for split, numbers in (("train", "one two three four five six"), ("test", "seven eight"))
        for number in numbers.split()
    ]
    table = checkout.root / "sentences.tsv"
    table.write_text("split\tword\tsense\tsentence\n" + "".join(lines))
    checkout.wsd("import", table.name, "--out", "mine", "--name", "corpus")
    glosses = "word\tsense\tgloss\nmodel\ta\ta model flew up\nmodel\tb\ta model came down\n"
    (checkout.root / "glosses.tsv").write_text(glosses)
    content = [json.dumps({"word": "model", "id": i, "sense": "ab"[i % 2]}) for i in range(4)]
    (checkout.root / "said.jsonl").write_text("\n".join(content) + "\n")
    tiny_bert(checkout.root / "tiny-bert", head=True)


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Return a checkout with the finished run."""
    checkout = Checkout.create(tmp_path_factory.mktemp("rich") / "wsd")
    put_inputs(checkout)
    checkout.configure("rich", **without_deleted_studies(RICH))
    checkout.run(*ARGUMENTS)
    return checkout


@pytest.fixture(scope="module")
def expected(rich: Checkout) -> dict[str, bytes]:
    """Return the files that people read."""
    return results(rich.root / "results")


@pytest.fixture
def here(rich: Checkout, expected: object, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(rich.root)
    return rich.root


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x80
    path.write_bytes(data)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "emptied": lambda path: path.write_bytes(b""),
    "halved": lambda path: os.truncate(path, path.stat().st_size // 2),
    "flipped": flip,
    "deleted": Path.unlink,
}


def test_one_run_repairs_everything(rich: Checkout, here: Path, expected: dict[str, bytes]) -> None:
    """Some of my files are damaged or gone: does one run repair them all?"""
    run = RunMap(TABLES / RUN_MAP)
    stored = sorted(Path(os.path.relpath(run.file(name))) for name in run.files)
    copies = sorted(TABLES / name for name, source in run.published.items() if source is not None)
    # The vectors of the words, and a checksum next to a file.
    others = [*TABLES.glob("store/*/embeddings/*@*/*.safetensors")]
    table = run.file("scores.csv")
    others += [table.parent / SUMS / table.name, TABLES / RUN_MAP, Path("results", SEEN)]
    # tests/run/test_check.py damages a file of every kind.
    for i, path in enumerate([*stored[::7], *copies[::9], *others]):
        [*DAMAGES.values()][i % len(DAMAGES)](path)
    # Links that are files, that point elsewhere, and that point nowhere.
    folder = TABLES / "predictions/predictions/full/focal"
    link, other = sorted(folder.glob("1.*.parquet"))
    link.unlink()
    link.write_bytes(b"a file")
    other.unlink()
    other.symlink_to(TABLES / "nowhere")
    shutil.rmtree(TABLES / "corpus")
    run = rich.run(*ARGUMENTS)
    assert "Traceback" not in run.text
    assert results(rich.root / "results") == expected
    assert not dict(checking.damaged(TABLES))
    assert rich.run(*ARGUMENTS).nothing


# By rule: an input, and a text in it with another of the same length.
INPUTS = {
    "copy_corpus": ("mine/model/train.data.txt", b"flew up", b"flew by"),
    "glosses": ("glosses.tsv", b"model flew", b"model went"),
    "score": ("said.jsonl", b'"a"', b'"b"'),
    "model": ("tiny-bert/tokenizer.json", b"machine", b"machina"),
}


@needs("glosses", "systems")
def test_an_input_replaced_by_an_older_file_is_noticed(rich: Checkout, here: Path) -> None:
    """I replaced an input by an older file (`cp -p`, `mv`, `unzip`): is that noticed?"""
    # A corpus decides the jobs of all other inputs.
    for rules in (("copy_corpus",), ("glosses", "score", "model")):
        before = {rule: Path(INPUTS[rule][0]).read_bytes() for rule in rules}
        for rule in rules:
            name, old, new = INPUTS[rule]
            assert old in before[rule]
            Path(name).write_bytes(before[rule].replace(old, new))
            os.utime(name, (1e9, 1e9))
        jobs = rich.run("-n", *ARGUMENTS).jobs
        for rule in rules:
            Path(INPUTS[rule][0]).write_bytes(before[rule])
        assert all(jobs[rule] for rule in rules), jobs
    assert rich.run("-n", *ARGUMENTS).nothing


def test_a_copy_of_the_checkout_is_up_to_date(rich: Checkout, here: Path, tmp_path: Path) -> None:
    """I copied everything to another machine: is anything computed again?"""
    subprocess.run(["cp", "-r", here, tmp_path / "copy"], check=True)
    shutil.rmtree(tmp_path / "copy/.snakemake")
    copy = Checkout(tmp_path / "copy")
    assert copy.run(*ARGUMENTS).nothing
