"""Sentences name the folders of vectors; `wsd embed` computes only missing files."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from log_state import logs_as_before
from small_results import run
from three_words import contents, files, of_word, path_of, prepare

from wsd.artifacts import corpus_table as corpora
from wsd.artifacts.vectors import vectors_checksum
from wsd.cli import main
from wsd.encoder.encoder import Encoder
from wsd.encoder.word_extraction import WordExtraction
from wsd.errors import ModelError

VIEWS = ["focal", "cls", "context"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    return tmp_path


def embed(
    *words: str, views: list[str] = VIEWS, code: int = 0, part: int = 1, more: tuple[str, ...] = ()
) -> int:
    """Count the sentences that go through the model."""
    sentences = []
    forward = Encoder._forward

    def counted(self: Encoder, batch: Any, places: Any) -> Any:
        sentences.append(len(batch))
        return forward(self, batch, places)

    arguments = ["embed", "--model", "tiny.json", "--corpus", "corpus", "--words", *words]
    arguments += ["--views", *views, "--out", "e", "--threads", "2", *more]
    if "--listings" not in more:
        arguments += ["--listings", *(f"e/{entry}.{part}.json" for entry in (*views, "alignment"))]
    with pytest.MonkeyPatch.context() as patched, logs_as_before():
        patched.setattr(Encoder, "_forward", counted)
        patched.setenv("HF_HUB_OFFLINE", "1")
        assert main(arguments) == code
    # The trial of the model takes another path.
    return sum(sentences)


def listings(*views: str) -> set[str]:
    return {f"e/{place}{view}.1.json" for view in views for place in ("", ".sums/")}


def test_a_new_word_computes_only_that_word(here: Path) -> None:
    assert embed("bat", "mole") == 4 + 7
    before = files()
    assert embed("bat", "crane", "mole") == 5
    after = files()
    assert {k for k in before if after[k] != before[k]} == listings(*VIEWS, "alignment")
    # The vectors equal those of a run with this word alone, bit for bit.
    shutil.rmtree("e")
    embed("crane")
    crane = {k: data for k, data in contents().items() if "/crane@" in k}
    assert crane == {k: data for k, (_, data) in after.items() if "/crane@" in k}
    # With fewer words, nothing of the model is loaded.
    shutil.rmtree("tiny")
    assert embed("crane") == 0


def test_the_listings_name_the_files(here: Path) -> None:
    embed("bat", "crane")
    assert json.loads(Path("e/focal.1.json").read_text()) == {
        path_of(word, "focal.safetensors").removeprefix("e/"): vectors_checksum(
            Path(path_of(word, "focal.safetensors"))
        )
        for word in ("bat", "crane")
    }
    content = json.loads(Path("e/alignment.1.json").read_text())
    name = path_of("bat", "alignment.json").removeprefix("e/")
    assert content[name].startswith("crc32 ") and len(content) == 2
    embed("mole", part=2)
    (name,) = json.loads(Path("e/cls.2.json").read_text())
    assert name == path_of("mole", "cls.safetensors").removeprefix("e/")


@pytest.mark.parametrize(
    ("change", "expected"),
    [("corpus", 6), ("vectors", 5), ("cut", 5), ("alignment", 5), ("by hand", 9)],
)
def test_missing_files_are_computed(here: Path, change: str, expected: int) -> None:
    embed("bat", "crane")
    crane, more, whole = Path(path_of("crane")), (), contents()
    if change == "corpus":
        corpora.write(Path("corpus/crane.parquet"), of_word("crane", 6))
    elif change == "vectors":
        (crane / "cls.safetensors").unlink()
    elif change == "cut":
        (crane / "cls.safetensors").write_bytes(b"cut")
    elif change == "alignment":
        (crane / "alignment.json").unlink()
    else:
        more = ("--listings",)
    assert embed("bat", "crane", more=more) == expected
    if change != "by hand":
        assert embed("bat", "crane") == 0
    if change not in ("by hand", "corpus"):
        assert contents() == whole
    assert (crane / "focal.safetensors").exists(), "the former sentences' vectors stay"


def test_a_further_view_is_computed_alone(here: Path) -> None:
    embed("bat", views=["focal"])
    focal = path_of("bat", "focal.safetensors")
    before = files()[focal]
    assert embed("bat", views=VIEWS) == 4
    assert files()[focal] == before
    whole = contents()
    shutil.rmtree("e")
    embed("bat", views=VIEWS)
    assert contents() == whole


def test_a_failure_keeps_the_words_before_it(here: Path) -> None:
    add = WordExtraction.add

    def fails(self: WordExtraction, rows: Any, vectors: Any) -> None:
        if self.corpus.word == "mole":
            raise ModelError("it fails")
        add(self, rows, vectors)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(WordExtraction, "add", fails)
        embed("bat", "crane", "mole", code=5)
    assert not list(Path("e").glob("*.json")) and not list(Path(path_of("mole")).iterdir())
    assert embed("bat", "crane", "mole") == 7


def test_files_by_hand_have_plain_names(here: Path) -> None:
    embed("bat", "crane", views=["focal", "cls"])
    keyed = {Path(k).name: data for k, data in contents().items() if "/crane@" in k}
    shutil.move("e", "listed")
    embed("bat", "crane", views=["focal", "cls"], more=("--listings",))
    crane = {Path(k).name: data for k, data in contents().items() if "/crane/" in k}
    names = {"alignment.json", "focal.safetensors", "cls.safetensors"}
    assert {*crane} == names and crane == keyed
    data = ["--corpus", "corpus", "--words", "bat", "crane"]
    with logs_as_before():
        run("folds", *data, "--repeats", "1", "--k", "2", "--out", "full.parquet")
        for out, given in {
            "folder": ["e"],
            "listings": ["listed/cls.1.json", "listed/focal.1.json"],
        }.items():
            for view, layers in (("focal", "2"), ("cls", "2"), ("focal+cls", "2+1")):
                run("classify", *data, "--embeddings", *given, "--view", view, "--layers", layers,
                    "--estimator", "nearest_centroid", "--folds", "full.parquet", "--searches",
                    f"{out}/{view}.search.parquet", "--out", f"{out}/{view}.parquet")  # fmt: skip
            run("alignment", "--model", "tiny", "--words", "bat", "crane", "--out",
                f"{out}/alignment.csv", "--long", f"{out}/long.csv", "--embeddings",
                *(["e"] if out == "folder" else ["listed/alignment.1.json"]))  # fmt: skip
        # Predictions from several views belong to one encoder.
        made = ["folder/cls.parquet", "folder/focal+cls.parquet"]
        run("evaluate", "--predictions", "folder/focal.parquet", *made, "--dataset", "x",
            "--scores", "scores.csv", "--summary", "summary.csv", "--provenance",
            "provenance.json")  # fmt: skip
    of_folder, of_listings = contents("folder"), contents("listings")
    assert [*of_folder.values()] and of_listings == {
        k.replace("folder", "listings"): data for k, data in of_folder.items()
    }
