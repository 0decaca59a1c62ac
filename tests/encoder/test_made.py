"""Which words `wsd embed` leaves as they are, by what went through the model."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from log_state import logs_as_before
from tiny import corpus_of, tiny_bert

from wsd.artifacts import corpus as corpora
from wsd.artifacts.corpus import Corpus
from wsd.artifacts.vectors import vectors_checksum
from wsd.cli import main
from wsd.encoder import model
from wsd.encoder.encoder import Encoder
from wsd.encoder.made import NOTE
from wsd.encoder.pass_of_word import PassOfWord
from wsd.errors import ModelError
from wsd.storage.json import write_json

# So many sentences tell which word went through the model.
WORDS = {"bat": 2, "crane": 3, "mole": 5}
VIEWS = ["focal", "cls", "static"]


def of_word(word: str, sentences: int) -> Corpus:
    made = corpus_of(*[(f"near {'the ' * i}crane", i + 1) for i in range(sentences)])
    return Corpus(word, made.senses, made.split, made.index, made.tokens, made.position, made.gold)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tiny_bert(tmp_path / "tiny")
    record = model.resolve("tiny", path="tiny", sha256={}, blocks=2, width=32)
    write_json(tmp_path / "tiny.json", record)
    (tmp_path / "modules").write_text("the code\n")
    for word, sentences in WORDS.items():
        corpora.write(tmp_path / f"corpus/{word}.parquet", of_word(word, sentences))
    return tmp_path


def embed(*words: str, views: list[str] = VIEWS, code: int = 0, more: tuple[str, ...] = ()) -> int:
    """How many sentences went through the model."""
    sentences = []
    forward = Encoder._forward

    def counted(self: Encoder, batch: Any, places: Any) -> Any:
        sentences.append(len(batch))
        return forward(self, batch, places)

    arguments = ["embed", "--model", "tiny.json", "--corpus", "corpus", "--words", *words]
    arguments += ["--views", *views, "--out", "e", "--threads", "2"]
    with pytest.MonkeyPatch.context() as patched, logs_as_before():
        patched.setattr(Encoder, "_forward", counted)
        patched.setenv("HF_HUB_OFFLINE", "1")
        assert main([*arguments, *(more or ("--modules", "modules"))]) == code
    # What tries the model goes another way.
    return sum(sentences)


def files() -> dict[str, tuple[int, bytes]]:
    found = [p for p in Path("e").rglob("*") if p.is_file()]
    return {str(p): (p.stat().st_ino, p.read_bytes()) for p in found}


def test_a_new_word_costs_that_word(here: Path) -> None:
    assert embed("bat", "mole") == 2 + 5
    before = files()
    assert embed("bat", "crane", "mole") == 3
    after = files()
    assert {k for k in before if after[k] != before[k]} == {
        f"e/{kind}" for view in [*VIEWS, "alignment"]
        for kind in (f"{view}.1.json", f".sums/{view}.1.json")
    }  # fmt: skip
    # Alone as beside others, bit for bit.
    shutil.rmtree("e")
    embed("crane")
    crane = {k: data for k, (_, data) in files().items() if "/crane/" in k}
    assert crane == {k: data for k, (_, data) in after.items() if "/crane/" in k}
    # And fewer words: nothing of the model is loaded.
    shutil.rmtree("tiny")
    assert embed("crane") == 0


def test_the_listings_name_what_is_there(here: Path) -> None:
    embed("bat", "crane")
    assert json.loads(Path("e/focal.1.json").read_text()) == {
        f"{word}/focal.safetensors": vectors_checksum(Path(f"e/{word}/focal.safetensors"))
        for word in ("bat", "crane")
    }
    said = json.loads(Path("e/alignment.1.json").read_text())
    assert said["bat/alignment.json"].startswith("crc32 ") and len(said) == 2
    embed("mole", more=("--modules", "modules", "--part", "2"))
    assert list(json.loads(Path("e/cls.2.json").read_text())) == ["mole/cls.safetensors"]


@pytest.mark.parametrize(
    "change",
    ["pooling", "seed", "code", "model", "corpus", "no note", "damaged note", "vectors",
     "alignment", "damaged alignment", "by hand"],
)  # fmt: skip
def test_what_is_no_longer_asked_for_is_made_again(here: Path, change: str) -> None:
    embed("bat", "crane")
    crane, more, expected = Path("e/crane"), (), 3
    if change == "pooling":
        more, expected = ("--modules", "modules", "--pooling", "first"), 5
    elif change == "seed":
        more, expected = ("--modules", "modules", "--seed", "2"), 5
    elif change == "code":
        Path("modules").write_text("other code\n")
        expected = 5
    elif change == "model":
        record = json.loads(Path("tiny.json").read_text())
        write_json(Path("tiny.json"), {**record, "random_weights": 1})
        expected = 5
    elif change == "corpus":
        corpora.write(Path("corpus/crane.parquet"), of_word("crane", 4))
        expected = 4
    elif change == "no note":  # as of a version of before there were any
        (crane / NOTE).unlink()
    elif change == "damaged note":
        (crane / NOTE).write_text("{")
    elif change == "vectors":  # of other settings, put there by hand
        shutil.copy("e/bat/cls.safetensors", crane)
    elif change == "alignment":
        (crane / "alignment.json").unlink()
    elif change == "damaged alignment":
        (crane / "alignment.json").write_text("{}")
    else:
        more, expected = ("--threads", "1"), 5
    assert embed("bat", "crane", more=more) == expected
    if change != "by hand":
        assert embed("bat", "crane", more=more) == 0


def test_one_more_view_is_made_alone(here: Path) -> None:
    embed("bat", views=["focal"])
    before = files()["e/bat/focal.safetensors"]
    assert embed("bat", views=["focal", "static"]) == 0  # a static view needs no pass
    assert embed("bat", views=VIEWS) == 2
    assert files()["e/bat/focal.safetensors"] == before
    Path("e/bat/cls.safetensors").unlink()
    assert embed("bat", views=VIEWS) == 2
    whole = files()
    shutil.rmtree("e")
    embed("bat", views=VIEWS)
    assert {k: data for k, (_, data) in files().items()} == {k: d for k, (_, d) in whole.items()}


def test_a_failure_keeps_the_words_before_it(here: Path) -> None:
    add = PassOfWord.add

    def fails(self: PassOfWord, rows: Any, of_views: Any) -> None:
        if self.corpus.word == "mole":
            raise ModelError("it fails")
        add(self, rows, of_views)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PassOfWord, "add", fails)
        embed("bat", "crane", "mole", code=5)
    assert not list(Path("e").glob("*.json")) and not list(Path("e/mole").iterdir())
    assert embed("bat", "crane", "mole") == 5
