"""word-side-by-side.js: plots of several layer choices next to each other."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser
from report_builder import CHOICES, Run, pictures_of, predictions_of
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import Select
from sklearn.metrics import f1_score
from word_pages import (
    DRAWN,
    STATE,
    VIEWS,
    assert_marks,
    by_id,
    evaluate,
    listed,
    rows_of,
    soon,
    wrong_rows,
)

# For each visible plot: its layer choice, its title and its width in pixels.
PICTURES = """return [...document.querySelectorAll("#side-by-side > div")]
  .filter((e) => e.offsetWidth)
  .map((e) => [e.querySelector("select").value, e.querySelector("span").textContent,
               Math.round(e.querySelector(".plot").getBoundingClientRect().width)]);"""
# The position of an instance on the screen, after scrolling to its plot.
PLACE = (
    f"""{VIEWS}
const view = views[arguments[0]];"""
    + """
const { x, y } = view.model.document
  .get_model_by_name("points").data, canvas = view.canvas_view.el;
canvas.scrollIntoView({ block: "center" });
const box = canvas.getBoundingClientRect(), { x_scale: xs, y_scale: ys } = view.frame;
return [box.left + xs.compute(x[arguments[1]]), box.top + ys.compute(y[arguments[1]])];
"""
)


@pytest.fixture
def four(built: Path, chromium: Browser) -> Browser:
    page = (built / "report" / "words" / "bank.html").as_uri()
    chromium.open(f"{page}#beside=2,mean-last-2,no-choice,0,1")
    yield chromium
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


NAMED = ("2", "mean-last-2", "0", "1")


def states(page: Browser, n: int = 4) -> list[dict[str, Any]]:
    return [page.js(STATE, i) for i in range(n)]


def marked(page: Browser, mark: str, n: int = 4) -> list[list[int]]:
    """Return the rows that have a mark, for each plot."""
    results = []
    for state in states(page, n):
        points = np.column_stack([state["x"], state["y"]])
        results.append([int(np.abs(points - at).sum(axis=1).argmin()) for at in state[mark]])
    return results


def point_at(page: Browser, picture: int, row: int, *, click: bool) -> None:
    time.sleep(0.15)  # Bokeh draws in a later frame, and hits what it has drawn
    left, top = page.js(PLACE, picture, row)
    actions = ActionChains(page.driver, duration=0)
    actions.w3c_actions.pointer_action.move_to_location(int(left) - 5, int(top) - 5)
    actions.w3c_actions.pointer_action.move_to_location(round(left), round(top))
    if click:
        actions.w3c_actions.pointer_action.click()
    actions.perform()


def lonely(page: Browser, picture: int) -> int:
    """Return the row whose point is farthest from all others, so that a click hits only it."""
    state = page.js(STATE, picture)
    points = np.column_stack([state["x"], state["y"]])
    gaps = np.abs(points[:, None] - points[None]).sum(axis=2) + np.eye(len(points)) * 9
    return int(gaps.min(axis=1).argmax())


def test_address_opens_four_plots(run: Run, built: Path, four: Browser) -> None:
    rows, shown = rows_of(run, built), four.js(PICTURES)
    assert [choice for choice, _, _ in shown] == list(NAMED)
    for name, state, (_, title, width) in zip(NAMED, states(four), shown, strict=True):
        points = pictures_of(run, "bank")[CHOICES.index(name)][rows]
        np.testing.assert_allclose(np.column_stack([state["x"], state["y"]]), points, atol=2e-4)
        assert_marks(run, built, state, wrong_rows(run, name, ("logistic",)))
        words = predictions_of(run, "bank", name, "logistic")
        score = f1_score(words.gold, words.predicted, average="macro")
        assert title == f"logistic: macro\u2011F1 {100 * score:.2f}"
        assert state["drawn"][0] > width / 2
    # Everything else, such as the number of errors, belongs to the first plot.
    assert by_id(four, "layers").get_attribute("value") == "2"
    assert by_id(four, "n-errors").text == str(len(wrong_rows(run, "2", ("logistic",))))


def test_marks_appear_in_all_plots(four: Browser) -> None:
    row = lonely(four, 2)
    point_at(four, 2, row, click=False)
    assert soon(lambda: all(state["hovered"] for state in states(four)))
    assert marked(four, "hovered") == [[row]] * 4
    # The ring moves with its point.
    four.js("document.getElementById('next').click()")
    assert marked(four, "hovered") == [[row]] * 4
    four.js("document.getElementById('previous').click()")
    point_at(four, 2, row, click=True)
    four.until("location.hash.includes('pin=')")
    assert marked(four, "pinned") == [[row]] * 4
    actions = ActionChains(four.driver, duration=0)
    actions.w3c_actions.pointer_action.move_to_location(2, 2)
    actions.perform()
    assert soon(lambda: not any(state["hovered"] for state in states(four)))
    by_id(four, "unpin").click()
    assert marked(four, "pinned") == [[]] * 4


@pytest.mark.parametrize("picture", [0, 3])
def test_the_selection_appears_in_all_plots(four: Browser, picture: int) -> None:
    select = (
        VIEWS
        + """views[arguments[0]].model.document.get_model_by_name("points")
        .selected.indices = [4, 7, 9];"""
    )
    four.js(select, picture)
    assert [state["selected"] for state in states(four)] == [[4, 7, 9]] * 4
    assert len(listed(four)) == 3
    by_id(four, "unselect").click()
    assert [state["selected"] for state in states(four)] == [[]] * 4


def test_all_show_the_same_instances_and_colours(run: Run, built: Path, four: Browser) -> None:
    rows, gold = rows_of(run, built), run.corpora["bank"].gold
    Select(by_id(four, "show")).select_by_value("errors")
    wrong = wrong_rows(run, "2", ("logistic",))
    for name, state in zip(NAMED, states(four), strict=True):
        assert {row for row, on in zip(rows, state["shown"], strict=True) if on} == wrong
        assert_marks(run, built, state, wrong & wrong_rows(run, name, ("logistic",)))
    Select(by_id(four, "show")).select_by_value("all")
    Select(by_id(four, "colour")).select_by_value("error")
    Select(by_id(four, "classifier")).select_by_value("nearest_centroid")
    for name, state in zip(NAMED, states(four), strict=True):
        red = {row for row, tone in zip(rows, state["tone"], strict=True) if tone == "wrong"}
        assert red == wrong_rows(run, name, ("nearest_centroid",))
    assert all(title.startswith("nearest_centroid: ") for _, title, _ in four.js(PICTURES))
    four.driver.find_element("css selector", "#senses input[data-sense='1']").click()
    for state in states(four):
        assert {gold[row] for row, on in zip(rows, state["shown"], strict=True) if on} == {0, 2}
        assert 1 not in [sense for sense, _, _ in state["centroids"]]
    Select(by_id(four, "method")).select_by_value("tsne")
    four.until("location.hash.includes('tsne')")
    assert all(state["labels"] == ["t-SNE 1", "t-SNE 2"] for state in states(four))


def test_each_plot_has_its_own_layer_choice(run: Run, built: Path, four: Browser) -> None:
    third = four.driver.find_element("css selector", "[aria-label='Layer choice of plot 3']")
    Select(third).select_by_value("mean-last-2")
    first = four.driver.find_element("css selector", "[aria-label='Layer choice of plot 1']")
    Select(first).select_by_value("0")
    assert four.js("return location.hash") == "#beside=0%2Cmean-last-2%2Cmean-last-2%2C1"
    by_id(four, "next").click()  # the page's own steps are the first picture's
    assert [choice for choice, _, _ in four.js(PICTURES)] == [
        "1",
        "mean-last-2",
        "mean-last-2",
        "1",
    ]
    actual = [state["x"] for state in states(four)]
    assert actual[0] == actual[3] != actual[1] == actual[2]


def test_control_opens_plots_and_returns_to_one(page: Browser) -> None:
    alone = page.js(STATE)["drawn"]
    pictures = Select(by_id(page, "plots"))
    assert [option.get_attribute("value") for option in pictures.options] == ["1", "2", "3", "4"]
    pictures.select_by_value("2")
    assert soon(lambda: page.js(DRAWN) == 2)
    assert page.js("return location.hash") == "#beside=2%2C1"
    pictures.select_by_value("4")  # those that are there stay
    assert soon(lambda: page.js(DRAWN) == 4)
    assert page.js("return location.hash") == "#beside=2%2C1%2Cmean-last-2%2C0"
    pictures.select_by_value("3")
    assert [choice for choice, _, _ in page.js(PICTURES)] == ["2", "1", "mean-last-2"]
    pictures.select_by_value("1")
    assert page.js("return location.hash") == "#layers=2"
    assert page.js("return document.querySelectorAll('.pick').length") == 4
    assert not page.driver.find_element("css selector", ".pick").is_displayed()
    assert not by_id(page, "side-by-side-note").is_displayed()
    page.until("Math.abs([...Bokeh.index][0].frame.bbox.width - arguments[0]) < 2", alone[0])


def choices(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "single": name.isdigit()} for name in names]


@pytest.mark.parametrize(
    ("names", "chosen", "at_first"),
    [
        (("0", "1", "2"), "1", ["1", "0", "2"]),
        (("0", "1", "2", "3", "mean-last-2", "mean-last-4"), "3", ["3", "2", "mean-last-2", "1"]),
        (("0", "1", "2", "mean-last-4", "mean-last-3", "mean-last-2"), "0",
         ["2", "mean-last-2", "mean-last-3", "mean-last-4"]),
        (("mean-last-2", "mean-last-3", "mean-last-4"), "mean-last-4",
         ["mean-last-4", "mean-last-3", "mean-last-2"]),
    ],
)  # fmt: skip
def test_choices_to_begin_with(
    chromium: Browser, names: tuple[str, ...], chosen: str, at_first: list[str]
) -> None:
    body = """const choices = arguments[0];
        const at = (name) => choices.findIndex((of) => of.name === name);
        const singleLayers = choices.flatMap((of, i) => (of.single ? [i] : []));
        const found = wsd.initialSideBySide({ choices, singleLayers }, at(arguments[1]));
        return [...new Set(found)].slice(0, 4).map((i) => choices[i].name);"""
    scripts = ("page.js", "word-side-by-side.js")
    assert evaluate(chromium, scripts, body, choices(*names), chosen) == at_first
