"""A model file holds the fitted words, and every value that it is read from is checked."""

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from safetensors.numpy import load, save
from small_results import manifest_of, rewritten

from wsd.errors import ModelError
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.word_classifier import Fitting, Learner
from wsd.fitted.wsd_file import WsdFile

MODEL = Path("model.wsd")
FOLDER = Path("results/quickstart")


@pytest.fixture(autouse=True)
def here(small_once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(small_once)


def test_a_word_of_the_file_is_the_fitted_word() -> None:
    fitting = Fitting(Results(FOLDER), Configuration("tiny", "focal", "2", "logistic"))
    file = WsdFile(MODEL)
    assert (file.words, file.language) == (fitting.words, "en")
    assert file.features == fitting.features
    for name in file.words:
        read, fitted, vectors = file.word(name), fitting.word(name), Learner(fitting, name).vectors
        first, second = read.answer(vectors), fitted.answer(vectors)
        for key, values in vars(first).items():
            assert_array_equal(values, getattr(second, key), err_msg=key)
        about = ("senses", "called", "estimator", "temperature", "threshold", "corpus", "forms")
        assert [getattr(read, key) for key in about] == [getattr(fitted, key) for key in about]
        assert_array_equal(read.lines, fitted.lines)
        table = fitting.results.corpus(name)
        forms = {table.focal_tokens[row].lower() for row in fitting.folds.rows(table)}
        assert {*file.forms(name)} == {*read.forms} == forms
        # Sentences come from the results, if they have the same corpus.
        assert file.sentences(name) is None
        assert WsdFile(MODEL, fitting.results).sentences(name) == fitting.sentences(name)


def changed(**changes: Any) -> dict[str, Any]:
    return {"manifest.json": {**manifest_of(MODEL), **changes}}


def crane(**changes: Any) -> dict[str, Any]:
    words = manifest_of(MODEL)["words"]
    return changed(words={**words, "crane": {**words["crane"], **changes}})


def model(**changes: Any) -> dict[str, Any]:
    encoder = manifest_of(MODEL)["encoder"]
    return changed(encoder={**encoder, "model": {**encoder["model"], **changes}})


def reads(value: Any) -> dict[str, Any]:
    return changed(encoder={**manifest_of(MODEL)["encoder"], "input": value})


def uses(**changes: Any) -> dict[str, Any]:
    return changed(configuration={**manifest_of(MODEL)["configuration"], **changes})


def arrays(**changes: Any) -> dict[str, Any]:
    """Fill arrays of a word with a number."""
    with zipfile.ZipFile(MODEL) as file:
        known = dict(load(file.read("words/1.safetensors")))
    known |= {name: np.full_like(known[name], value) for name, value in changes.items()}
    return {"words/1.safetensors": save(known)}


CASES: list[tuple[Callable[[], dict[str, Any]], str]] = [
    (lambda: {"manifest.json": None}, "manifest"),
    (lambda: {"README.md": None}, "README"),
    (lambda: {"manifest.json": []}, "not a whole"),
    (lambda: {"manifest.json": b"{"}, "not a whole"),
    (lambda: changed(format=1), "format 1; this wsd reads 2"),
    (lambda: changed(words=[{"crane": 1}]), "words"),
    (lambda: changed(configuration={"model": "tiny"}), "not a whole"),
    (lambda: uses(view="+".join(["focal"] * 100)), "255 characters"),
    (lambda: uses(view="static"), "the view 'static'"),
    (lambda: uses(layers="9"), "layer choice '9'"),
    (lambda: model(source={"hub": "../../x", "revision": "0" * 40}), "an invalid hub"),
    (lambda: model(source={"hub": "a/b", "revision": "main"}), "an invalid revision"),
    (lambda: model(source={"package": "tiny"}), "an invalid source"),
    (lambda: model(files={}), "no checksums of weights"),
    (lambda: model(files={"config.json": "0", "../model.safetensors": "0"}), "a file that is not"),
    (lambda: reads("twice"), "no input 'twice'"),
    (lambda: reads({"template": "{word}"}), "'{word}' cannot be used"),
    (lambda: {"words/1.safetensors": None}, "not a whole"),
    (lambda: {"words/1.safetensors": b"\x80\x04\x95pickle."}, "not a whole"),
    (lambda: crane(file="../../etc/passwd"), "not a whole"),
    (lambda: crane(estimator="os.system"), "there is no classifier"),
    (lambda: crane(estimator="knn"), "not a whole"),
    (lambda: crane(parameters={"x": 1}), "logistic"),
    # Any other metric would be read as Euclidean distance.
    (lambda: crane(estimator="nearest_centroid", parameters={"metric": 3}), "metric 3"),
    (lambda: crane(senses=["one"]), "the names do not match"),
    (lambda: crane(senses=["one", "\ud800"]), "surrogates"),
    *((lambda bad=bad: crane(forms=bad), "forms") for bad in (["crane", 3], "crane", [""], None)),
    *((lambda bad=bad: crane(called=bad), "not a whole")
      for bad in ([["a", ""]], [["a", ""], ["a", ""]], [["", ""], ["b", ""]], [["a", 3], ["b", ""]],
                  [["a", "", ""], ["b", ""]], ["ab", "cd"], 7)),
    (lambda: arrays(gold=5), "do not belong together"),
    (lambda: arrays(train=9), "do not belong together"),
    (lambda: {"words/1.safetensors": arrays()["words/1.safetensors"] + b" "}, "not a whole"),
]  # fmt: skip


@pytest.mark.parametrize(("members", "problem"), CASES, ids=[str(i) for i in range(len(CASES))])
def test_files_that_are_no_model_are_refused(
    tmp_path: Path, members: Callable[[], dict[str, Any]], problem: str
) -> None:
    bad = rewritten(MODEL, tmp_path / "bad.wsd", members())
    with pytest.raises(ModelError, match=problem) as error:
        WsdFile(bad).word("crane")
    assert str(bad) in str(error.value)


def test_bytes_that_are_no_whole_archive_are_refused(tmp_path: Path) -> None:
    whole, bad = MODEL.read_bytes(), tmp_path / "bad.wsd"
    flipped = bytearray(whole)
    with zipfile.ZipFile(MODEL) as file:
        flipped[file.getinfo("words/1.safetensors").header_offset + 3000] ^= 1
    for content in (b"", b"not a zip", whole[: len(whole) // 2], flipped):
        bad.write_bytes(content)
        with pytest.raises(ModelError, match="not a whole model file"):
            WsdFile(bad).word("crane")
    # A stored member cannot be larger than the file, so it cannot be a bomb.
    with zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("manifest.json", b" " * 10_000)
    with pytest.raises(ModelError, match="compressed"):
        WsdFile(bad)
    os.mkfifo(tmp_path / "pipe.wsd")
    for name, problem in (("pipe.wsd", "not a model file"), ("none.wsd", "no such model file")):
        with pytest.raises(ModelError, match=problem):
            WsdFile(tmp_path / name)


def test_sentences_in_the_file_are_checked(tmp_path: Path) -> None:
    file = WsdFile(MODEL)
    texts = [f"sentence {i}" for i in range(len(file.word("crane").gold))]
    good = tmp_path / "good.wsd"
    with zipfile.ZipFile(rewritten(MODEL, good, {}), "a") as archive:
        archive.writestr("sentences.json", json.dumps({"crane": texts}))
    assert WsdFile(good).sentences("crane") == texts
    for bad, problem in (([], "dictionary"), ({"crane": [1]}, "crane.0"), ({"crane": ["one"]}, "")):
        with pytest.raises(ModelError, match=problem or "do not belong together"):
            WsdFile(rewritten(good, tmp_path / "bad.wsd", {"sentences.json": bad})).word("crane")


@pytest.mark.parametrize("line", [-1, 10**6])
def test_lines_missing_in_the_corpus_are_refused(tmp_path: Path, line: int) -> None:
    bad = rewritten(MODEL, tmp_path / "bad.wsd", arrays(lines=line))
    with pytest.raises(ModelError, match="lines that its corpus lacks"):
        WsdFile(bad, Results(FOLDER)).sentences("crane")
