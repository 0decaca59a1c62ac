"""word-plot.js: the plot of a word page."""

import time
from pathlib import Path

import pytest
from browser import Browser
from report_builder import CHOICES, Run, pictures_of
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import Select
from word_pages import STATE, by_id, hover, middle, rows_of, zoom


def test_projection_can_be_changed(run: Run, page: Browser) -> None:
    before = page.js(STATE)
    Select(by_id(page, "method")).select_by_value("tsne")
    after = page.js(STATE)
    assert after["x"] != before["x"] and after["labels"] == ["t-SNE 1", "t-SNE 2"]
    assert after["hash"] == "#layers=2&method=tsne"
    assert "mean little" in by_id(page, "projection-note").text


def test_the_page_opens_with_the_projection_selected_by_cv(planes: Browser) -> None:
    opened = planes.js(STATE)
    assert opened["labels"] == ["LDA axis 1 (30.0%)", "LDA axis 2 (12.5%)"]
    assert "by a fit without it" in by_id(planes, "projection-note").text
    assert "50.0 in this plot" in by_id(planes, "projection-note").text
    assert "opens with LDA" in by_id(planes, "opening").text
    Select(by_id(planes, "method")).select_by_value("pca")
    after = planes.js(STATE)
    assert after["x"] != opened["x"] and after["labels"][0].startswith("PC 1")
    # The address names a projection unless the page opens with it.
    assert after["hash"] == "#layers=2&method=pca"


def test_two_senses_have_one_lda_axis_and_no_share(planes: Browser) -> None:
    planes.driver.find_element("css selector", "a[rel=next]").click()
    planes.until("document.documentElement.dataset.ready && document.title.startsWith('a&b')")
    assert planes.js(STATE)["labels"] == ["LDA axis", "PC 1 of the residuals"]
    assert "has one axis for two senses" in by_id(planes, "projection-note").text
    assert "%" not in by_id(planes, "projection-note").text


def test_centroids_are_means_of_training_instances(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    for choice in ("0", "2"):
        Select(by_id(page, "layers")).select_by_value(choice)
        points = pictures_of(run, "bank")[CHOICES.index(choice)]
        for sense, x, y in page.js(STATE)["centroids"]:
            training = (corpus.gold == sense) & (corpus.split == "train")
            assert [x, y] == pytest.approx(points[training].mean(axis=0).tolist(), abs=2e-4)
    assert len(rows) == 48


def test_click_on_a_point_pins_it(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    hover(page, 5)
    left, top = middle(page)
    actions = ActionChains(page.driver, duration=0)
    actions.w3c_actions.pointer_action.move_to_location(left, top)
    actions.w3c_actions.pointer_action.click()
    actions.perform()
    page.until("!document.getElementById('card').hidden")
    assert " ".join(corpus.tokens[rows[5]]) in by_id(page, "card").get_attribute("textContent")
    by_id(page, "unpin").click()
    assert not by_id(page, "card").is_displayed()


def test_the_address_has_the_zoom_until_the_layer_changes(page: Browser) -> None:
    zoom(page, 3)
    page.until("location.hash.includes('box=')")
    ranges = page.js(STATE)["ranges"]
    page.open(page.js("return location.href"))
    assert page.js(STATE)["ranges"] == pytest.approx(ranges, abs=1e-3)
    by_id(page, "previous").click()
    time.sleep(0.4)
    assert "box=" not in page.js("return location.hash")
