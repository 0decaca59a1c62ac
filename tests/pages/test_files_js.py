"""files.js: saves plots as light SVG and PNG files, with title, legend and source line."""

import io
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from browser import Browser
from matplotlib.image import imread
from report_builder import DATASET, GIVEN, MODEL, READERS, SENSES
from selenium.webdriver.support.ui import Select
from word_pages import DARK, LIGHT, by_id, dark, saved

import wsd

SOURCE = f"Corpus: {DATASET.title}, licence {DATASET.licence}; made with wsd {wsd.__version__}"


def button(browser: Browser, kind: str, plot: str = "plot") -> Callable[[], None]:
    element = f"document.querySelector('[data-save={kind}][data-plot=\"{plot}\"]')"
    return lambda: browser.js(f"{element}.click()")


def texts(svg: bytes) -> list[str]:
    root = ElementTree.fromstring(svg)
    return ["".join(e.itertext()) for e in root.iter("{http://www.w3.org/2000/svg}text")]


def test_a_word_is_saved_with_title_legend_and_source(chromium: Browser, built: Path) -> None:
    with dark(chromium):
        chromium.open(built / "report" / "words" / "bank.html")
        name, kind, svg = saved(chromium, button(chromium, "svg"))
        assert (name, kind) == ("bank-2.svg", "image/svg+xml")
        title, details, *rest = texts(svg)
        assert title == "bank: layer 2"
        assert details.startswith(f"{READERS[0]}, macro\N{NON-BREAKING HYPHEN}F1 ")
        assert details.endswith(f"colour: gold sense · {MODEL} · {DATASET.title}")
        assert "PC 1 (30.0% of variance)" in rest and rest[-1] == SOURCE
        assert {SENSES["bank"][0], GIVEN.name, "test, filled", "training, hollow"} <= set(rest)
        assert LIGHT in svg.decode() and DARK not in svg.decode()
        name, kind, png = saved(chromium, button(chromium, "png"))
        assert (name, kind) == ("bank-2.png", "image/png")
    pixels = imread(io.BytesIO(png))
    size = ElementTree.fromstring(svg).attrib
    assert pixels.shape[:2] == (2 * int(size["height"]), 2 * int(size["width"]))
    assert (pixels[[0, -1]] == 1).all(), "the margin is not white"
    assert len(np.unique(pixels.reshape(-1, 4), axis=0)) > 50
    chromium.assert_quiet()


def test_the_legend_follows_the_page(page: Browser) -> None:
    page.js("document.querySelector('[data-sense=\"0\"]').click()")
    Select(by_id(page, "colour")).select_by_value("error")
    _, _, svg = saved(page, button(page, "svg"))
    written = texts(svg)
    assert SENSES["bank"][0] not in written and {"correct", "wrong"} <= set(written)


def test_curves_are_saved_with_the_lines_that_are_shown(chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "layers.html")
    chromium.js("document.querySelector('[data-line=logistic]').click()")
    _, _, svg = saved(chromium, button(chromium, "svg", f"curves.{MODEL}.mean_macro_f1"))
    title, corpus, *rest = texts(svg)
    assert (title, corpus) == (f"Macro-F1 over the layers of {MODEL}", DATASET.title)
    assert READERS[1] in rest and READERS[0] not in rest and rest[-1] == SOURCE
    chromium.assert_quiet()
