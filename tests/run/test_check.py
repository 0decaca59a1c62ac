"""What `wsd check` does not pass: nothing at all, what nobody can check, what a config asks for."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made import MakeCorpus, WriteVectors
from small_results import build

from wsd.artifacts import corpus
from wsd.artifacts.dataset import DATA
from wsd.cli import main
from wsd.corpora.text_format import read_text
from wsd.run.check import damaged
from wsd.storage import atomic
from wsd.storage.checksums import SUMS


@pytest.mark.parametrize(("given", "code"), [("none", 2), ("file", 2), ("empty", 6)])
def test_what_are_no_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str, code: int
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    assert main(["check", str(tmp_path / given)]) == code
    assert "what to do" in capsys.readouterr().err


def test_a_broken_config_does_not_keep_results_from_being_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    atomic.write_text(tmp_path / "results/a.csv", "a")
    atomic.write_text(tmp_path / "config/config.yaml", "layer: [")
    assert main(["check"]) == 0
    assert "1 files read" in capsys.readouterr().out


def test_results_without_their_checksums(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    for name in ("a.csv", "b.json"):
        atomic.write_text(results / "q" / name, "{}")
    assert main(["check", str(results)]) == 0
    assert "2 files read" in capsys.readouterr().out
    shutil.rmtree(results / "q" / SUMS)
    assert main(["check", str(results)]) == 6
    out, err = capsys.readouterr()
    assert f"{results / 'q/a.csv'}: has no checksum beside it" in out
    assert "2 cannot be checked" in err and "move files of your own elsewhere" in err


@pytest.mark.slow
def test_what_a_config_asks_for_must_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = build(tmp_path)
    monkeypatch.chdir(tmp_path)
    model = {"name": "tiny", "path": "tiny", "blocks": 2, "width": 32}
    config = {"dataset": "quickstart", "words": ["apple", "crane"], "models": [model]}
    config |= {"layers": ["all"], "views": {"store": ["focal"], "classify": ["focal"]}}
    Path("my.json").write_text(json.dumps({**config, "controls": {"views": []}}))
    assert main(["check", "results", "--configfile", "my.json"]) == 6
    out = capsys.readouterr().out
    # As far as these results go.
    assert out.count("is not there") == 4 and "embeddings" not in out
    # Of a run, its own tables; what runs share is not asked for twice.
    assert main(["check", "results", "--configfile", "my.json", "--run", "a"]) == 6
    out = capsys.readouterr().out
    assert out.count("results/quickstart/runs/a/") == out.count("is not there") == 9
    assert main(["check", "results", "--run", "a"]) == 2
    assert "a run without its config" in capsys.readouterr().err
    (folder / "tiny/embeddings/crane/focal.safetensors").unlink()
    assert main(["check", "results", "--configfile", "my.json"]) == 6
    assert "tiny/embeddings/crane/focal.safetensors: is not there" in capsys.readouterr().out


def test_how_many_test_sentences_have_their_word_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = read_text(DATA / "quickstart" / "crane", "crane")
    is_test = one.split == "test"
    # Of the other word no test sentence has what the training sentences have.
    tokens = tuple(("no",) if test else ("it",) for test in is_test)
    other = replace(one, word="lift", tokens=tokens, position=one.position * 0)
    for made in (one, other):
        corpus.write(tmp_path / f"results/q/corpus/{made.word}.parquet", made)
    assert main(["check", str(tmp_path / "results")]) == 0
    found, both = is_test.sum(), 2 * is_test.sum()
    said = f"q: finds the focal word in {found} of {both} test sentences\n"
    assert said in capsys.readouterr().out
    # One dataset's folder, of whose checksums' folder nothing is said.
    atomic.write_text(tmp_path / "results/q/selection.csv", "a\n")
    assert main(["check", str(tmp_path / "results/q")]) == 0
    of_one = capsys.readouterr().out
    assert said in of_one and of_one.count("without a name") == 1
    assert "q: the run without a name" in of_one
    # Words that are called like the tables of pairs.
    for word in ("pairs", "model"):
        corpus.write(tmp_path / f"results/q/corpus/{word}.parquet", replace(one, word=word))
    assert main(["check", str(tmp_path / "results/q")]) == 0
    assert f"in {3 * found} of {4 * found} test sentences" in capsys.readouterr().out
    for word in ("pairs", "model"):
        (tmp_path / f"results/q/corpus/{word}.parquet").unlink()
    # A damaged table is said to be damaged, and is not counted.
    lift = tmp_path / "results/q/corpus/lift.parquet"
    lift.write_bytes(lift.read_bytes()[:-9])
    assert main(["check", str(tmp_path / "results")]) == 6
    assert f"q: finds the focal word in {found} of {found} test" in capsys.readouterr().out


@pytest.mark.parametrize("word", ["crane", "model", "finetune"])
def test_damaged_vectors_of_any_word_are_found(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors, word: str
) -> None:
    folder = tmp_path / "results/q/tiny"
    vectors = folder / "embeddings" / word / "focal.safetensors"
    table = make_corpus([("train", 0), ("test", 1)], word=word)
    write_vectors(vectors, table, np.ones((2, 2, 3), dtype=np.float32))
    # A model's weights are no vectors.
    weights = folder / "finetune/full/model/model.safetensors"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"weights")
    assert list(damaged(tmp_path / "results")) == []
    data = bytearray(vectors.read_bytes())
    data[-1] ^= 1
    vectors.write_bytes(data)
    assert [path for path, _ in damaged(tmp_path / "results")] == [vectors]


def test_results_that_are_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 2
    assert "change to the folder that it is in" in capsys.readouterr().err
