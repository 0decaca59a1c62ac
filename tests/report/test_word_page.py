"""A word's page has every instance with all its predictions."""

import base64
import hashlib
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from report_builder import (
    CHOICES,
    DATASET,
    GIVEN,
    MODEL,
    READERS,
    SENSES,
    Page,
    Run,
    decode,
    make_run,
    neighbours_of,
    pictures_of,
    predictions_of,
    word_page,
)

from wsd.artifacts.predictions import WordPredictions
from wsd.artifacts.senses import SenseText
from wsd.report.pages import report_data
from wsd.report.pages import word as word_module
from wsd.report.pages.word import portable_page


@pytest.mark.parametrize("word", SENSES)
def test_page_has_every_instance_once_and_unchanged(run: Run, built: Path, word: str) -> None:
    corpus = run.corpora[word]
    data = word_page(built, word).packed()["data"]
    split = np.where(decode(data["train"], "u1") == 1, "train", "test")
    at = {(s, i): row for row, (s, i) in enumerate(zip(corpus.split, corpus.index, strict=True))}
    rows = [at[key] for key in zip(split, decode(data["index"], "<i4"), strict=True)]
    assert sorted(rows) == list(range(len(corpus)))
    assert decode(data["gold"], "<u2").tolist() == corpus.gold[rows].tolist()
    given = GIVEN if word == "bank" else SenseText("other")
    texts = [given if i == 1 else SenseText(s) for i, s in enumerate(corpus.senses)]
    assert (data["senses"], data["names"]) == ([*corpus.senses], [text.name for text in texts])
    assert data["glosses"] == [text.gloss for text in texts]
    shown = list(zip(data["left"], data["focal"], data["right"], strict=True))
    assert shown == [corpus.parts(row) for row in rows]
    assert ["".join(parts) for parts in shown] == [" ".join(corpus.tokens[row]) for row in rows]
    assert [entry["name"] for entry in data["choices"]] == list(CHOICES)
    assert data["classifiers"] == [{"name": r, "confidence": "probability"} for r in READERS]
    place = {row: shown for shown, row in enumerate(rows)}
    lines = corpus.index[[row for row in rows if corpus.split[row] == "test"]]
    for entry, points in zip(data["choices"], pictures_of(run, word), strict=True):
        picture = entry["projections"]["pca"]
        whole = decode(picture["points"], "<i2").reshape(2, -1).T
        np.testing.assert_allclose(whole * picture["step"], points[rows], atol=picture["step"])
        assert picture["step"] < 2e-4
        assert (entry["score"], picture["score"]) == (0.75, 0.75)
        assert entry["single"] == entry["name"].isdigit()
        near = neighbours_of(run, word, entry["name"])
        expected = [[place.get(other, 65535) for other in near.rows[row]] for row in rows]
        assert decode(entry["near"], "<u2").reshape(-1, 5).tolist() == expected
        similar, there = decode(entry["similar"], "u1") / 127 - 1, near.rows[rows].ravel() >= 0
        actual = near.similarity[rows].ravel()
        np.testing.assert_allclose(similar[there], actual[there], atol=0.5 / 127)
        for reader, codes, sure in zip(
            READERS, entry["predicted"], entry["confidence"], strict=True
        ):
            expected = predictions_of(run, word, entry["name"], reader)
            order = [expected.index.tolist().index(line) for line in lines]
            assert decode(codes, "<u2").tolist() == expected.predicted[order].tolist()
            actual = decode(sure["values"], "u1") * sure["step"]
            np.testing.assert_allclose(actual, expected.scores.max(axis=1)[order], atol=1 / 255)


def test_confidence_is_a_probability_or_a_lead() -> None:
    words = WordPredictions(
        word="w", senses=("a", "b", "c"), n_train=3, index=np.arange(3), gold=np.zeros(3, int),
        predicted=np.array([0, 2, 1]),
        scores=np.array([[0.7, 0.2, 0.1], [0.1, np.nan, 0.9], [np.nan, 1.0, np.nan]]),
    )  # fmt: skip
    assert report_data.confidence_of(words, report_data.PROBABILITY).tolist() == [0.7, 0.9, 1.0]
    lead = report_data.confidence_of(words, report_data.LEAD)
    assert lead.tolist() == pytest.approx([0.5, 0.8, 0.0])
    assert report_data.kind_of_scores([words]) == report_data.PROBABILITY
    for scores in (words.scores - 0.5, words.scores * 2):
        # One such file is enough, because confidence has one meaning on all layer choices.
        both = [words, replace(words, scores=scores)]
        assert report_data.kind_of_scores(both) == report_data.LEAD


def test_a_sample_of_a_large_word_has_every_sense_and_split(run: Run) -> None:
    """Scores and confusions are of all instances; a neighbour that is left out is missing."""
    report = run.load()
    results = report.words[MODEL]["bank"]
    kept = word_module.sample(results.corpus, most=24, rare=3)
    assert abs(kept.sum() - 24) <= 3
    assert kept.tolist() == word_module.sample(results.corpus, most=24, rare=3).tolist()
    for column in (results.corpus.gold, results.corpus.split):
        assert set(column[kept]) == set(column)
    data, whole = (word_module.word_data(report, MODEL, of) for of in (results.take(kept), results))
    rows, all_rows = (
        [*zip(decode(of["index"], "<i4"), decode(of["train"], "u1"), strict=True)]
        for of in (data, whole)
    )
    places = [all_rows.index(row) for row in rows]
    assert len(places) == kept.sum() and places == sorted(places)
    for entry, complete in zip(data["choices"], whole["choices"], strict=True):
        for key in ("score", "scores", "confusion"):
            assert entry[key] == complete[key]
        near, all_near = (decode(side["near"], "<u2").reshape(-1, 5) for side in (entry, complete))
        assert near.tolist() == [
            [places.index(i) if i in places else 65535 for i in all_near[p]] for p in places
        ]


def test_tables_of_the_word_page_count_the_errors(run: Run, built: Path) -> None:
    scores = run.table("scores")
    for word, choice, reader in product(run.corpora, CHOICES, READERS):
        words = predictions_of(run, word, choice, reader)
        where = f"word == {word!r} and layers == {choice!r} and classifier == {reader!r}"
        row = scores.query(where).iloc[0]
        wrong = int((words.predicted != words.gold).sum())
        cells = f"{row['macro_f1'] * 100:.2f}{row['accuracy'] * 100:.2f}{wrong}"
        assert wrong and cells in " ".join(word_page(built, word).text.split())


def test_portable_page_needs_no_other_file(run: Run, built: Path, tmp_path: Path) -> None:
    report = run.load()
    path = tmp_path / "page.html"
    path.write_text(portable_page(report, MODEL, report.words[MODEL]["bank"]), encoding="utf-8")
    page = Page(path)
    links = [link for link in page.links() if link != DATASET.licence_url]
    assert links and all(link.startswith(("#layers=", "data:image/svg")) for link in links)
    packed, whole = page.packed(), word_page(built, "bank").packed()
    assert packed["figure"] == whole["figure"] and packed["data"] == whole["data"]
    assert "bokeh" not in whole
    app = next(text for a, text in page.scripts if not a)
    for script in (app, packed["bokeh"]):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in page.csp
    assert re.search(r"script-src ('sha256-[^']*' ?){2};", page.csp)


def test_a_page_opens_with_the_projection_selected_by_cv(tmp_path: Path) -> None:
    """The page opens neither with the best projection on the test set nor with t-SNE."""
    run = make_run(tmp_path / "run", methods=("tsne", "pca", "discriminant"))
    assert word_module.best_method(run.load().words[MODEL]["bank"], [0]) == "discriminant"


def test_a_page_opens_with_the_layer_selected_by_cv(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", further=[("focal", "mix-all")])
    table = run.table("word-layers")

    def opened() -> str:
        report = run.load()
        index = word_module.initial_choice(report, MODEL, "bank", "logistic")
        return report.choices[MODEL][index].name

    assert opened() == "2"
    # A learned mix has no plot; the page opens with the best choice that has one.
    of_bank = (table["word"] == "bank") & (table["classifier"] == "logistic")
    table.loc[of_bank, "selected_by_cv"] = table["layers"] == "mix-all"
    table.loc[of_bank, "macro_f1_cv"] = 0.1
    table.loc[of_bank & (table["layers"] == "1"), "macro_f1_cv"] = 0.9
    table.to_csv(run.tables["word-layers"][0], index=False)
    assert opened() == "1"


def test_only_instances_and_choices_with_a_projection_are_on_the_pages(tmp_path: Path) -> None:
    """None out of domain; a mix, a feature set and a choice per word are only in the tables."""
    further = (("focal", "mix-all"), ("focal+context", "mean-last-2+2"), ("per-word", "per-word"))
    run = make_run(tmp_path / "run", n_ood=7, further=further)
    report = run.load()
    for name, corpus in run.corpora.items():
        data = word_module.word_data(report, MODEL, report.words[MODEL][name])
        assert len(decode(data["gold"], "<u2")) == (corpus.split != "outofdomain").sum() == 48
        assert len(decode(data["choices"][0]["predicted"][0], "<u2")) == 18
        near = decode(data["choices"][0]["near"], "<u2")
        assert near[near != 65535].max() < 48
        assert [entry["name"] for entry in data["choices"]] == list(CHOICES)
    assert {layers for _, layers in further} < {*report.tables["comparison"]["layers"]}
