"""The examples of the pages on tables are imported as the pages say."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from checkout import REPOSITORY
from doc_examples import FENCE, follow, sections
from frames import bank
from require import missing, needs

from wsd.artifacts.dataset import MANIFEST, read_manifest

HOW_TO = REPOSITORY / "docs/how-to"


@pytest.mark.parametrize(
    ("page", "section", "word"),
    [
        ("own-corpus.md", "Concordances", "bank"),
        ("own-corpus.md", "Sentences without a mark", "bank"),
        pytest.param(
            *("change.md", "Uses in a table", "cell"), marks=needs("change", "unlabelled")
        ),
        pytest.param("other-languages.md", "Example", "avocat", marks=needs("unlabelled")),
    ],
)
def test_the_example_is_imported(
    page: str, section: str, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert follow(FENCE.findall(sections(HOW_TO / page)[section]), tmp_path, monkeypatch) == [0]
    (folder,) = (tmp_path / "data").iterdir()
    assert read_manifest(folder / MANIFEST).sizes == {word: 4}


def test_a_dataset_is_downloaded_and_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_spec("datasets") is None:
        missing("datasets", "the library datasets is not installed")
    # The library takes a folder of this name for the dataset.
    folder = tmp_path / "OWNER/NAME"
    folder.mkdir(parents=True)
    bank().to_csv(folder / "train.csv", index=False)
    test = bank(sentence=[f"Now {text}" for text in bank()["sentence"]])
    test[["start", "end"]] += len("Now ")
    test.to_csv(folder / "test.csv", index=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    page = sections(HOW_TO / "own-corpus.md")["Datasets of Hugging Face"]
    (_, _, code), *commands = FENCE.findall(page)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    assert follow(commands, tmp_path, monkeypatch) == [0]
    manifest = read_manifest(tmp_path / "data/mine" / MANIFEST)
    assert manifest.sizes == {"bank": 8} and manifest.counts["bank"]["n_test"] == 4
