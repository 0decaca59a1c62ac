"""word-plot.js: the plot of a word page."""

import time
from pathlib import Path

import pytest
from browser import Browser
from report_builder import CHOICES, DATASET, READERS, Run, pictures_of, predictions_of
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


def opacities(page: Browser) -> list[float]:
    return page.js(
        """const [view] = [...Bokeh.index];
        const { fill, edge } = view.model.document.get_model_by_name("points").data;
        return Array.from(fill, (value, row) => value + edge[row]);"""
    )


def test_filtered_instances_are_grey_and_keep_the_axes(
    run: Run, built: Path, page: Browser
) -> None:
    before, full = page.js(STATE), opacities(page)
    Select(by_id(page, "show")).select_by_value("errors")
    after, grey = page.js(STATE), opacities(page)
    assert [after[key] for key in ("x", "y", "ranges")] == [
        before[key] for key in ("x", "y", "ranges")
    ]
    for shown, tone, old, new in zip(after["shown"], after["tone"], full, grey, strict=True):
        assert (tone, new) == (("off", pytest.approx(0.35 * old)) if not shown else (tone, old))
    Select(by_id(page, "show")).select_by_value("all")
    page.driver.find_element("css selector", "[data-split=train]").click()
    hidden, corpus, rows = page.js(STATE), run.corpora["bank"], rows_of(run, built)
    assert hidden["ranges"] == before["ranges"]
    trained = [corpus.split[row] == "train" for row in rows]
    assert [opacity == 0 for opacity in opacities(page)] == trained


def test_selected_instances_keep_their_colour(page: Browser) -> None:
    page.js(
        """const [view] = [...Bokeh.index];
        view.model.document.get_model_by_name("points").selected.indices = [4, 20];"""
    )
    page.until("document.getElementById('listed').textContent.startsWith('2 of 48')")
    tones = page.js(STATE)["tone"]
    assert [row for row, tone in enumerate(tones) if tone != "off"] == [4, 20]
    by_id(page, "unselect").click()
    assert "off" not in page.js(STATE)["tone"]


def test_rings_have_the_colour_of_the_predicted_sense(run: Run, built: Path, page: Browser) -> None:
    errors = page.js(
        """const [view] = [...Bokeh.index];
        return view.model.document.get_model_by_name("errors").data;"""
    )
    words, corpus = predictions_of(run, "bank", "2", READERS[0]), run.corpora["bank"]
    rows = rows_of(run, built)
    predicted = dict(zip(words.index.tolist(), words.predicted.tolist(), strict=True))
    assert errors["row"]
    assert errors["tone"] == [str(predicted[int(corpus.index[rows[row]])]) for row in errors["row"]]


LABELS = """
const [view] = [...Bokeh.index];
const { name, offset } = view.model.document.get_model_by_name("centroids").data;
return [Array.from(name), Array.from(offset)];
"""


def test_senses_are_named_at_their_centroids(run: Run, page: Browser) -> None:
    names = [text.name for text in DATASET.sense_texts("bank", run.corpora["bank"].senses)]
    shown, offsets = page.js(LABELS)
    short = [name if len(name) <= 24 else f"{name[:23]}…" for name in names]
    assert any(shown) and all(name in ("", short[i]) for i, name in enumerate(shown))
    assert [offset != 0 for offset in offsets] == [name != "" for name in shown]
    # Centroids at one place: one label above, one below, and none for the rarest sense.
    page.js(
        """const [view] = [...Bokeh.index], { document: doc } = view.model;
        const points = doc.get_model_by_name("points");
        const [x, y] = ["x", "y"].map((axis) => points.data[axis].map(() => 1));
        points.data = { ...points.data, x, y };
        const box = document.getElementById("centroids");
        box.click();
        box.click();"""
    )
    shown, offsets = page.js(LABELS)
    assert sorted(map(bool, shown)) == [False, True, True] and sorted(offsets) == [-22, 0, 22]
    by_id(page, "centroids").click()
    assert page.js(LABELS) == [[], []]


def test_two_senses_use_the_height_of_the_plot(planes: Browser) -> None:
    planes.driver.find_element("css selector", "a[rel=next]").click()
    planes.until("document.documentElement.dataset.ready && document.title.startsWith('a&b')")
    aspect = "return [...Bokeh.index][0].model.match_aspect"
    assert planes.js(aspect) is False
    state = planes.js(STATE)
    low, high = state["ranges"][2:]
    assert (max(state["y"]) - min(state["y"])) / (high - low) > 0.8
    Select(by_id(planes, "method")).select_by_value("pca")
    assert planes.js(aspect) is True


def test_points_move_unless_less_motion_is_preferred(page: Browser) -> None:
    """A third of the way has been gone at some time, and the end is exact."""

    def media(value: str) -> None:
        features = [{"name": "prefers-reduced-motion", "value": value}]
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    steps = """const done = arguments[0], xs = [], start = performance.now();
        const [view] = [...Bokeh.index], points = view.model.document.get_model_by_name("points");
        document.getElementById("previous").click();
        const look = () => {
          xs.push(points.data.x[0]);
          if (performance.now() - start < 600) requestAnimationFrame(look);
          else done([...new Set(xs)]);
        };
        look();"""
    start = page.js(STATE)["x"][0]
    still = page.driver.execute_async_script(steps)
    assert len(still) == 1
    by_id(page, "next").click()
    try:
        media("no-preference")
        moving = page.driver.execute_async_script(steps)
    finally:
        media("reduce")
    assert len(moving) > 3 and moving[-1] == still[0]
    between = sorted((start, still[0]))
    assert all(between[0] <= x <= between[1] for x in moving)
