"""Sentences name the files of substitutes; `wsd substitutes` computes only missing files."""

import json
from pathlib import Path
from typing import Any

import pytest
from log_state import logs_as_before
from small_results import run
from three_words import WORDS, files, of_word, path_of, prepare

from wsd.artifacts import corpus_table as corpora
from wsd.artifacts.corpus_table import Corpus
from wsd.studies.substitutes.predict_substitutes import FillMask


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    return tmp_path


def ask(*words: str, listing: str | None = "s/words.json", out: str = "s") -> int:
    """Count the words that the model was asked for."""
    asked: list[str] = []
    fill = FillMask.fill

    def counted(self: FillMask, corpora: list[Corpus], **options: Any) -> Any:
        asked.extend(corpus.word for corpus in corpora)
        return fill(self, corpora, **options)

    more = ["--listing", listing] if listing else []
    with pytest.MonkeyPatch.context() as patched, logs_as_before():
        patched.setattr(FillMask, "fill", counted)
        patched.setenv("HF_HUB_OFFLINE", "1")
        run("substitutes", "--model", "tiny.json", "--corpus", "corpus", "--words", *words, *more,
            "--out", out)  # fmt: skip
    return len(asked)


def test_of_substitutes_too_a_new_word_costs_that_word(here: Path) -> None:
    assert ask("bat", "mole") == 2
    before = files("s")
    assert ask("bat", "crane", "mole") == 1
    after = files("s")
    changed = {"s/words.json", "s/.sums/words.json"}
    assert {k for k in before if after[k] != before[k]} == changed
    assert {*json.loads(Path("s/words.json").read_text())} == {
        f"{path_of(word).removeprefix('e/').removesuffix('/')}.parquet" for word in WORDS
    }
    corpora.write(Path("corpus/crane.parquet"), of_word("crane", 6))
    assert ask(*WORDS) == 1
    assert {k: value for k, value in files("s").items() if k in after and k not in changed} == {
        k: value for k, value in after.items() if k not in changed
    }


def test_substitutes_by_hand_have_plain_names_and_steps_read_either(here: Path) -> None:
    assert ask("bat", "crane") == 2
    assert ask("bat", "crane", listing=None, out="plain") == 2
    assert {path.name for path in Path("plain").iterdir()} == {
        ".sums", "bat.parquet", "crane.parquet",
    }  # fmt: skip
    # Missing files are computed.
    assert ask("bat", listing=None, out="plain") == 1
    data = ["--corpus", "corpus", "--words", "bat", "crane"]
    with logs_as_before():
        for name, given in {"one": "plain", "other": "s/words.json"}.items():
            run("sense-substitutes", *data, "--substitutes", given, "--out", f"{name}.csv")
    assert Path("one.csv").read_bytes() == Path("other.csv").read_bytes()
