"""plots.js: colours Bokeh's plots for light and dark pages, and prints them."""

from pathlib import Path

from browser import Browser
from word_pages import DARK, LIGHT, STATE, dark, hover


def test_dark_pages_have_dark_plots(chromium: Browser, built: Path) -> None:
    chromium.open(built / "report" / "words" / "bank.html")
    light = chromium.js(STATE)["palette"]
    with dark(chromium):
        chromium.until(
            "[...Bokeh.index][0].model.document.get_model_by_name('colours').palette[0]"
            " !== arguments[0]",
            light[0],
        )
        palette = chromium.js(STATE)["palette"]
        assert all(a != b for a, b in zip(light, palette, strict=True))
        assert all(colour.startswith("#") for colour in (*light, *palette))
        tip = hover(chromium, 0)
        assert tip["background"] == "rgb(23, 27, 33)"
    chromium.assert_quiet()


def test_a_plot_is_printed_light_and_as_wide_as_the_paper(chromium: Browser, built: Path) -> None:
    with dark(chromium):
        chromium.open(built / "report" / "words" / "bank.html")
        shown = chromium.js(STATE)["palette"]
        chromium.js(
            """window.prints = [];
            const print = () => document.querySelector(".print svg");
            matchMedia("print").addEventListener("change", ({ matches }) => {
              if (matches) prints.push(print()?.outerHTML);
            });
            addEventListener("afterprint", () => prints.push(print()));"""
        )
        pdf = chromium.driver.execute_cdp_cmd("Page.printToPDF", {})
        chromium.until("prints.length > 1")
        svg, left = chromium.js("return prints")
        assert pdf["data"] and left is None
        assert LIGHT in svg and DARK not in svg and "PC 1" in svg
        assert chromium.js(STATE)["palette"] == shown
    chromium.assert_quiet()
