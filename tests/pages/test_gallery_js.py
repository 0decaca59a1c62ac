"""gallery.js: the small plots of the words on the first page."""

from pathlib import Path

import numpy as np
import pytest
from browser import Browser
from report_builder import CHOSEN, DATASET, READERS, SENSES, Run, build_report, make_run
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import Select
from word_pages import by_id

from wsd.artifacts.predictions import read_predictions
from wsd.report.pages import gallery

SHOWN = (
    "[...document.querySelectorAll('.gallery svg.picture')].filter((of) => of.checkVisibility())"
)
DRAWN = f"{SHOWN}.every((of) => of.querySelector('[data-point]'))"


def draw(chromium: Browser) -> None:
    """Bring the gallery into view, where its plots are drawn."""
    chromium.js("document.querySelector('.gallery').scrollIntoView()")
    chromium.until(DRAWN)


def points_of(chromium: Browser, word: str) -> list[dict]:
    return chromium.js(
        f"""const picture = {SHOWN}.find((of) => of.closest("li").dataset.word === arguments[0]);
        return [...picture.querySelectorAll("[data-point]")].map((point) => ({{
          colour: Number(point.getAttribute("class").slice(1)),
          wrong: Boolean(point.querySelector("circle")),
          place: point.getAttribute("transform").match(/-?[0-9.]+/g).map(Number),
        }}));""",
        word,
    )


def test_a_plot_has_the_test_instances_and_rings_the_errors(
    run: Run, chromium: Browser, built: Path
) -> None:
    chromium.open(built / "report" / "index.html")
    for reader in READERS:
        Select(by_id(chromium, "classifier")).select_by_value(reader)
        draw(chromium)
        for word, corpus in run.corpora.items():
            points = points_of(chromium, word)
            tests = corpus.split == "test"
            assert (
                np.bincount([p["colour"] for p in points], minlength=len(corpus.senses)).tolist()
                == np.bincount(corpus.gold[tests], minlength=len(corpus.senses)).tolist()
            )
            name = f"{CHOSEN[word]}.{reader}.parquet"
            (path,) = (path for path in run.predictions if path.name == name)
            words, _ = read_predictions(path)
            (predictions,) = (
                predictions
                for predictions in words
                if predictions.word == word and predictions.split == "test"
            )
            assert (
                sum(p["wrong"] for p in points) == (predictions.predicted != predictions.gold).sum()
            )
            places = np.array([p["place"] for p in points])
            assert np.abs(places).max(axis=0).round(1).tolist() == [100, 74]
    chromium.assert_quiet()


def test_a_plot_names_its_projection_and_all_words_have_pca(
    chromium: Browser, tmp_path: Path
) -> None:
    run = make_run(tmp_path / "run", methods=("pca", "discriminant"), too_small="bank")
    build_report(**run.arguments(tmp_path))
    chromium.open(tmp_path / "report" / "index.html")
    draw(chromium)
    named = """return Object.fromEntries([...document.querySelectorAll(".gallery > li")].map((of) =>
        [of.dataset.word, [...of.querySelectorAll("small")]
          .filter((one) => one.checkVisibility() && one.closest("p.quiet"))
          .map((one) => one.textContent).join()]))"""
    small, other = SENSES
    before = {word: points_of(chromium, word) for word in SENSES}
    assert chromium.js(named) == {small: "PCA", other: "LDA"}
    Select(by_id(chromium, "projection")).select_by_value("pca")
    assert chromium.js(named) == {small: "PCA", other: "PCA"}
    after = {word: points_of(chromium, word) for word in SENSES}
    assert after[small] == before[small] and after[other] != before[other]
    for points in (before[other], after[other]):
        assert sum(point["wrong"] for point in points) == sum(p["wrong"] for p in before[other])
    assert "uses the labels of the training instances" in chromium.js(
        "return document.querySelector('.note[data-as=plots]').textContent"
    )
    Select(by_id(chromium, "projection")).select_by_value("folds")
    assert {word: points_of(chromium, word) for word in SENSES} == before
    chromium.assert_quiet()


def test_a_tooltip_has_the_beginning_of_the_sentence(
    run: Run, chromium: Browser, built: Path
) -> None:
    chromium.open(built / "report" / "index.html")
    draw(chromium)
    point = chromium.js(
        f"""const picture = {SHOWN}.find((of) => of.closest("li").dataset.word === "bank");
        return picture.querySelector("[data-point] path");"""
    )
    ActionChains(chromium.driver).move_to_element(point).perform()
    chromium.until("!document.querySelector('body > .tip').hidden")
    sense, text = chromium.js(
        "return [...document.querySelector('body > .tip').children].map((of) => of.textContent)"
    )
    bank = run.corpora["bank"]
    assert sense.removesuffix(", taken for another") in [
        text.name for text in DATASET.sense_texts("bank", bank.senses)
    ]
    beginnings = [" ".join(tokens) for tokens in bank.tokens]
    assert any(beginning.startswith(text.removesuffix(" …")) for beginning in beginnings)
    ActionChains(chromium.driver).move_to_element(by_id(chromium, "filter")).perform()
    chromium.until("document.querySelector('body > .tip').hidden")
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


def test_plots_are_drawn_when_they_come_into_view(chromium: Browser, built: Path) -> None:
    size = {"width": 390, "height": 300, "deviceScaleFactor": 1, "mobile": True}
    chromium.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        chromium.open(built / "report" / "index.html")
        assert not chromium.js(f"return {SHOWN}.some((of) => of.querySelector('[data-point]'))")
        draw(chromium)
    finally:
        chromium.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_packed_words_are_listed_as_all_others(
    run: Run, chromium: Browser, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = """return [document.querySelector("ul.gallery").textContent.replace(/\\s+/g, " "),
        document.querySelector("table.words tbody").textContent.replace(/\\s+/g, " "),
        [...document.querySelectorAll("section[aria-labelledby=words-title] a")]
          .map((link) => link.getAttribute("href")),
        document.getElementById("filter-count").textContent]"""
    chromium.open(built / "report" / "index.html")
    expected = chromium.js(look)
    monkeypatch.setattr(gallery, "STILL", 1)
    build_report(**run.arguments(tmp_path))
    page = tmp_path / "report" / "index.html"
    assert "data-rest" in page.read_text(encoding="utf-8")
    chromium.open(page)
    assert chromium.js(look) == expected
    draw(chromium)
    assert len(points_of(chromium, "a&b #1 <i>%")) == 18
    chromium.assert_quiet()
