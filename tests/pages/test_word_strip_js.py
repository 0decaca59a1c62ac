"""word-strip.js: the film strip, with the curve above it."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from browser import Browser
from report_builder import CHOICES, READERS, Run
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from word_pages import STATE, by_id, encoded, evaluate, made_data

# Per frame: the curve's height there in percent, score, title.
FRAMES = """
return [...document.querySelectorAll("#strip a")].map((frame) => [
  parseFloat(frame.querySelector(".dot").style.bottom), frame.querySelector("b").textContent,
  frame.title]);
"""
# Per frame, whether some pixel has more than a trace of colour.
COLOURED = """
return [...document.querySelectorAll("#strip canvas")].map((canvas) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < data.length; i += 4) {
    const colours = data.slice(i, i + 3);
    if (data[i + 3] > 128 && Math.max(...colours) - Math.min(...colours) > 60) return true;
  }
  return false;
});
"""
LINKS = "return [...document.querySelectorAll('#strip a')]"


def test_curve_has_the_score_and_interval_of_each_layer_choice(
    run: Run, built: Path, page: Browser
) -> None:
    table = pd.read_csv(run.tables["word-layers"][0], dtype={"layers": str})
    for reader in READERS:
        Select(by_id(page, "classifier")).select_by_value(reader)
        rows = table[(table["word"] == "bank") & (table["classifier"] == reader)]
        rows = rows.set_index("layers").loc[list(CHOICES)]
        heights, scores, titles = zip(*page.js(FRAMES), strict=True)
        expected = [cell.text for cell in page.driver.find_elements("css selector", "#choices td")]
        own = expected[3 * READERS.index(reader) :: 3 * len(READERS)]
        values = [float(score) for score in own]
        assert [float(score) for score in scores] == pytest.approx(values, abs=0.051)
        low, high = (float(by_id(page, f"strip-{end}").text) for end in ("low", "high"))
        assert list(heights) == pytest.approx(
            [(v - low) / (high - low) * 100 for v in values], abs=0.1
        )
        for title, low, high in zip(
            titles, rows["macro_f1_low"], rows["macro_f1_high"], strict=True
        ):
            assert f"95% CI {low * 100:.2f} to {high * 100:.2f}" in title


def test_frames_show_the_hits_in_colour(page: Browser) -> None:
    assert page.js(COLOURED) == [True] * len(CHOICES)
    by_id(page, "search").send_keys("nothing of that kind")
    page.until("location.hash.includes('search')")
    assert page.js(COLOURED) == [False] * len(CHOICES)


def test_strip_has_one_tab_stop_and_keeps_the_focus(page: Browser) -> None:
    stops = f"{LINKS}.map((frame) => frame.tabIndex)"
    assert page.js(stops) == [-1, -1, 0, -1]
    page.js("document.querySelector('#strip a[aria-current]').focus()")
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert page.js(STATE)["hash"] == "#layers=mean-last-2"
    assert page.js("return document.activeElement.dataset.layers") == "mean-last-2"
    assert page.js(stops) == [-1, -1, -1, 0]


def places(chromium: Browser, method: str, data: dict[str, Any]) -> list[dict[str, list[float]]]:
    body = "return wsd.wordFrames(wsd.wordData(arguments[0]))(arguments[1]);"
    scripts = ("page.js", "extra-columns.js", "word-data.js", "word-strip.js")
    return list(evaluate(chromium, scripts, body, data, method))


def test_frames_share_axes_in_standard_deviations(chromium: Browser) -> None:
    """A layer with ten times as long vectors looks the same; one that hides more is smaller."""
    data, points = made_data(), np.array([[-4, 2, 0, 6, 1], [1, -1, 0, 2, 3]])
    projections = [choice["projections"]["pca"] for choice in data["choices"]]
    for projection in projections:
        projection["points"] = encoded(points.ravel().tolist(), "<i2")
    projections[1]["step"] = 5.0
    projections[2]["explained"] = [0.125, 0.0625]
    train = [0, 2]
    unit = points[0, train].std() / np.sqrt([0.5, 0.5, 0.125])
    scaled = points[:, [1, 3, 4], None] / unit
    # The axes end at the 99th percentile of all coordinates, here below the largest.
    ends = [np.sort(np.abs(scaled[axis]).ravel())[int(0.99 * 8)] for axis in (0, 1)]
    expected = np.clip(scaled / max(ends), -1, 1)
    for choice, plane in enumerate(places(chromium, "pca", data)):
        assert plane["x"] == pytest.approx(expected[0, :, choice].tolist())
        assert plane["y"] == pytest.approx(expected[1, :, choice].tolist())


def test_lda_of_two_senses_has_a_scale_per_axis(chromium: Browser) -> None:
    points = [0, 10, 0, 20, -10, 0, 1, 0, -2, 2]
    for explained, height in ((None, 0.5), ([0.6, 0.4], 0.05)):
        data = made_data()
        for choice in data["choices"]:
            plane = {
                "explained": explained,
                "step": 1,
                "points": encoded(points, "<i2"),
                "score": 0,
            }
            choice["projections"] = {"discriminant": plane}
        first, *_ = places(chromium, "discriminant", data)
        assert first["x"] == pytest.approx([0.5, 1, -0.5])
        assert first["y"] == pytest.approx([height, -2 * height, 2 * height])
