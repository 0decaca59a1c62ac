"""`wsd embed`: exact vectors with their provenance, and only the files that are missing."""

import json
import logging
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers
from builders import plain
from encoding import marked
from log_state import logs_as_before
from safetensors.numpy import load_file
from three_words import contents, files, of_word, path_of, prepare
from tiny import tiny_bert

from wsd.artifacts import corpus_table as corpora
from wsd.artifacts.vectors import Embeddings, VectorsWriter, vectors_checksum
from wsd.cli import main
from wsd.encoder import embed as embed_module
from wsd.encoder.model import resolve
from wsd.encoder.word_extraction import WordExtraction
from wsd.errors import ConfigError, DamageError, ModelError, ResultError

CORPUS = marked("the |crane| flew", "a |crane| lifted", "near the |xyz|")


# Files of vectors


def store(path: Path, vectors: np.ndarray) -> Path:
    writer = VectorsWriter(path, vectors.shape, {"wsd": json.dumps({"corpus": CORPUS.digest})})
    for row in (2, 0, 1):  # in any order
        writer.add(vectors[:, [row]], [row])
    writer.close()
    return path


def test_each_layer_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pwrite = os.pwrite  # partial writes are continued
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: pwrite(file, data[:7], at))
    vectors = np.random.default_rng(0).normal(size=(4, 3, 5)).astype(np.float32)
    path = store(tmp_path / "v.safetensors", vectors)
    assert np.array_equal(load_file(path)["vectors"], vectors)
    opened = Embeddings(path, CORPUS)
    assert (opened.layers, opened.blocks, opened.width) == (4, 3, 5)
    for number in (2, 0, 3, 1, 2):
        assert np.array_equal(opened.layer(number), vectors[number])
    for wrong in (-1, 4):
        with pytest.raises(ResultError, match="is not stored"):
            opened.layer(wrong)
    with pytest.raises(ResultError, match="another table"):
        Embeddings(path, CORPUS.take(np.array([True, True, False])))
    with pytest.raises(ValueError, match="0 rows of"):
        VectorsWriter(path, vectors.shape, {}).close()


@pytest.mark.parametrize("damage", [b"", b"no tensor", (b'"wsd"', b'"dsw"'), (b'"vec', b'"vic')])
def test_a_damaged_file_is_refused(tmp_path: Path, damage: Any) -> None:
    path = store(tmp_path / "v.safetensors", np.zeros((2, 3, 5), dtype=np.float32))
    raw = path.read_bytes()
    path.write_bytes(raw.replace(*damage) if isinstance(damage, tuple) else damage or raw[:-4])
    with pytest.raises(ResultError) as error:
        Embeddings(path, CORPUS)
    assert str(path) in str(error.value)


def test_a_flipped_bit_is_found_in_the_layer_that_is_read(tmp_path: Path) -> None:
    path = store(tmp_path / "v.safetensors", np.ones((3, 3, 5), dtype=np.float32))
    data = bytearray(path.read_bytes())
    data[-3 * 5 * 4 - 1] ^= 1  # the last byte of layer 1
    path.write_bytes(data)
    opened = Embeddings(path, CORPUS)
    assert (opened.layer(0) == 1).all() and (opened.layer(2) == 1).all()
    with pytest.raises(DamageError, match="layer 1 has changed"):
        opened.layer(1)


# One word


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return resolve("tiny", path=str(tiny_bert(tmp_path_factory.mktemp("model"))), sha256={})


def embed(
    corpus: corpora.Corpus, record: dict[str, Any], out: Path, *views: str, **options: Any
) -> dict[str, Embeddings]:
    word = embed_module.Word(corpus, out, plain(*views or ("focal",)))
    embed_module.embed([word], record, embed_module.Options(device="cpu", **options))
    return {view: Embeddings(out / name, corpus) for view, name in word.views.items()}


def test_a_file_per_view_with_provenance_and_the_alignment(
    tmp_path: Path, record: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    corpus = marked("the |crane| flew", "a [SEP] |xyz|", "near |\U0001f9a9|")
    made = embed(corpus, record, tmp_path, "focal", "cls")
    written = [".sums", "alignment.json", "cls.safetensors", "focal.safetensors"]
    assert sorted(p.name for p in tmp_path.iterdir()) == written
    about = made["focal"].provenance
    # The provenance does not contain the path of the model on this machine.
    assert about["model"] == {k: v for k, v in record.items() if k != "folder"}
    expected = {"max_length": 64, "causal": False, "name": "BertModel", "first_token": "[CLS]"}
    assert expected.items() <= about["architecture"].items()
    assert (about["view"], about["input"], about["word"]) == ("focal", "plain", "crane")
    assert (about["instances"], about["split_focal_words"]) == (3, 1)
    # The focal word is not at [CLS], and no layer equals another.
    states = [opened.layer(i) for opened in made.values() for i in range(3)]
    assert len({state.tobytes() for state in states}) == 6 and states[0].shape == (3, 32)
    report = json.loads((tmp_path / "alignment.json").read_text())
    assert (report["word"], report["corpus"]) == ("crane", corpus.digest)
    unknown, special = (r.getMessage() for r in caplog.records if r.levelno == logging.WARNING)
    assert unknown.startswith("tiny crane: 1 ") and special.startswith("tiny crane: 1 ")


def test_other_inputs_are_recorded(tmp_path: Path, record: dict[str, Any]) -> None:
    prompt = {"template": "{sentence} of {word}", "read": "last"}
    corpus = marked("near the |crane|", "near the |bird|", "near the |xyz|")
    states = []
    for input in ("plain", "masked", prompt):
        opened = embed(corpus, record, tmp_path / str(input), input=input)["focal"]
        assert (opened.provenance["input"], opened.provenance["split_focal_words"]) == (input, 1)
        states.append(opened.layer(2))
    # Equal contexts give equal vectors, whatever the masked word and its number of pieces.
    assert (states[1] == states[1][0]).all() and len({state.tobytes() for state in states}) == 3
    reports = [(tmp_path / name / "alignment.json").read_text() for name in ("plain", "masked")]
    assert reports[0] == reports[1]


def test_a_random_control_is_recorded(tmp_path: Path, record: dict[str, Any]) -> None:
    made = []
    for i, seed in enumerate((1, 1, 2)):
        opened = embed(CORPUS, {**record, "random_weights": seed}, tmp_path / str(i))["focal"]
        about = opened.provenance["model"]
        made.append((about["random_weights_sha256"], opened.layer(0).tobytes()))
    assert about["random_weights"] == 2
    assert made[0] == made[1] and made[0][0] != made[2][0] and made[0][1] != made[2][1]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    model = transformers.AutoModel.from_pretrained(tiny_bert(tmp_path / "large"))
    model.encoder.layer[1].output.LayerNorm.weight.data *= 1e6
    model.save_pretrained(tmp_path / "large")
    record, out = resolve("tiny", path=str(tmp_path / "large"), sha256={}), tmp_path / "out"
    changed = {**record, "files": {**record["files"], "model.safetensors": "0" * 64}}
    with pytest.raises(ModelError, match="expected SHA-256"):
        embed(CORPUS, changed, out)
    with pytest.raises(ModelError, match="nothing of the focal word"):
        embed(marked("a |\u0300|"), record, out)
    with pytest.raises(ConfigError, match=r"a vector of crane \w+ \d does not fit") as caught:
        embed(CORPUS, record, out, store_dtype="float16")
    assert "store_dtype" in str(caught.value)
    assert list(out.iterdir()) == []


# The command: sentences name the folders, and only missing files are computed

VIEWS = ("focal", "cls", "context")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    return tmp_path


def command(*words: str, views: tuple[str, ...] = VIEWS, code: int = 0, part: int = 1) -> int:
    """Run `wsd embed`; return how many sentences go through the model. Part 0: no listings."""
    sentences, add = [], WordExtraction.add

    def counted(self: WordExtraction, rows: list[int], vectors: np.ndarray) -> None:
        sentences.extend(rows)
        add(self, rows, vectors)

    arguments = ["embed", "--model", "tiny.json", "--corpus", "corpus", "--words", *words]
    arguments += ["--views", *views, "--out", "e", "--threads", "2"]
    if part:
        arguments += ["--listings", *(f"e/{entry}.{part}.json" for entry in (*views, "alignment"))]
    with pytest.MonkeyPatch.context() as patched, logs_as_before():
        patched.setattr(WordExtraction, "add", counted)
        patched.setenv("HF_HUB_OFFLINE", "1")
        assert main(arguments) == code
    return len(sentences)


def test_a_new_word_computes_only_that_word(here: Path) -> None:
    assert command("bat", "mole") == 4 + 7
    before = files()
    assert command("bat", "crane", "mole") == 5
    after = files()
    listings = {f"e/{at}{view}.1.json" for view in (*VIEWS, "alignment") for at in ("", ".sums/")}
    assert {name for name in before if after[name] != before[name]} == listings
    # The listings name the files and their checksums.
    listed = json.loads(Path("e/focal.1.json").read_text())
    paths = [path_of(word, "focal.safetensors") for word in ("bat", "crane", "mole")]
    assert listed == {path.removeprefix("e/"): vectors_checksum(Path(path)) for path in paths}
    # The vectors equal those of a run with this word alone, bit for bit.
    shutil.rmtree("e")
    command("crane")
    alone = {name: data for name, data in contents().items() if "/crane@" in name}
    assert alone == {name: data for name, (_, data) in after.items() if "/crane@" in name}
    # Where nothing is missing, nothing of the model is loaded.
    shutil.rmtree("tiny")
    assert command("crane") == 0


@pytest.mark.parametrize("change", ["vectors", "cut", "alignment"])
def test_missing_files_are_computed(here: Path, change: str) -> None:
    command("bat", "crane")
    crane, whole = Path(path_of("crane")), contents()
    if change == "cut":
        (crane / "cls.safetensors").write_bytes(b"cut")
    else:
        (crane / {"vectors": "cls.safetensors", "alignment": "alignment.json"}[change]).unlink()
    assert command("bat", "crane") == 5 and contents() == whole
    # Other sentences have a folder of their own.
    corpora.write(Path("corpus/crane.parquet"), of_word("crane", 6))
    assert command("bat", "crane") == 6 and command("bat", "crane") == 0
    assert (crane / "focal.safetensors").exists()


def test_files_by_hand_have_plain_names_and_are_used_alike(here: Path) -> None:
    command("bat", "crane", views=("focal", "cls"))
    keyed = {Path(name).name: data for name, data in contents().items() if "/crane@" in name}
    shutil.rmtree("e")
    assert command("bat", "crane", views=("focal", "cls"), part=0) == 9
    crane = {Path(name).name: data for name, data in contents().items() if "/crane/" in name}
    assert {*crane} == {"alignment.json", "focal.safetensors", "cls.safetensors"}
    assert crane == keyed
