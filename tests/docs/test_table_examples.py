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
# By page and section: the words with their numbers of instances, and what the import says.
EXAMPLES = {
    ("own-corpus.md", "Concordances"): (
        {"bank": 4},
        "concordance.csv: semicolon-separated, not quoted, UTF-8, 4 sentences; "
        "place: Left, KWIC, Right\n",
    ),
    ("own-corpus.md", "Sentences without a mark"): (
        {"bank": 4},
        "place: a mark in the sentence, or the word where it is found",
    ),
    ("change.md", "Uses in a table"): ({"cell": 4}, "extra columns: period, identifier"),
    ("other-languages.md", "Example"): (
        {"avocat": 4},
        "left out: 1 sentence without avocat (looked for: avocat, avocate, avocates)",
    ),
}


# The studies that the examples need.
STUDIES = {
    ("change.md", "Uses in a table"): ("change", "unlabelled"),
    ("other-languages.md", "Example"): ("unlabelled",),
}


@pytest.mark.parametrize(
    ("page", "section"),
    [pytest.param(*at, marks=needs(*STUDIES.get(at, ()))) for at in EXAMPLES],
)
def test_the_example_is_imported(
    page: str,
    section: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words, says = EXAMPLES[page, section]
    assert follow(FENCE.findall(sections(HOW_TO / page)[section]), tmp_path, monkeypatch) == [0]
    (folder,) = (tmp_path / "data").iterdir()
    assert read_manifest(folder / MANIFEST).sizes == words
    assert says in "".join(capsys.readouterr())


def test_every_example_file_is_tested() -> None:
    titled = {
        (page, section)
        for page in {page for page, _ in EXAMPLES}
        if (HOW_TO / page).exists()  # the page of a study is deleted with it
        for section, text in sections(HOW_TO / page).items()
        if 'title="' in text
    }
    assert titled == {(page, section) for page, section in EXAMPLES if (HOW_TO / page).exists()}


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
    assert len(code.splitlines()) <= 15
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    assert follow(commands, tmp_path, monkeypatch) == [0]
    manifest = read_manifest(tmp_path / "data/mine" / MANIFEST)
    assert manifest.sizes == {"bank": 8} and manifest.counts["bank"]["n_test"] == 4
