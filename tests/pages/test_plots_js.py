"""plots.js: colours Bokeh's plots for light and dark pages, and saves them as files."""

from pathlib import Path

from browser import Browser
from report_builder import MODEL
from selenium.webdriver.common.action_chains import ActionChains
from word_pages import STATE, hover


def test_figures_are_saved_as_svg_and_png(page: Browser, built: Path) -> None:
    def saved(kind: str, plot: str) -> tuple[str, str, str]:
        return tuple(
            page.driver.execute_async_script(
                """const [kind, of, done] = arguments, made = URL.createObjectURL;
                let blob;
                URL.createObjectURL = (given) => { blob = given; return made(given); };
                HTMLAnchorElement.prototype.click = function () {
                  blob.text().then((text) => done([this.download, blob.type, text]));
                };
                document.querySelector(`[data-save=${kind}][data-plot="${of}"]`).click();""",
                kind,
                plot,
            )
        )

    name, _, text = saved("svg", "plot")
    assert name == "bank-2.svg" and text.lstrip().startswith("<svg") and "PC 1" in text
    name, kind, text = saved("png", "plot")
    assert name == "bank-2.png" and kind == "image/png" and "PNG" in text[:8]
    page.open(built / "report" / "layers.html")
    name, _, text = saved("svg", f"curves.{MODEL}.mean_macro_f1")
    assert name.endswith("mean_macro_f1.svg") and "combinations" in text


def test_save_gives_a_file_without_asking(page: Browser) -> None:
    left, top = page.js(
        """window.saved = [];
        HTMLAnchorElement.prototype.dispatchEvent = function () {
          saved.push([this.download, this.href.slice(0, 5)]); };
        HTMLAnchorElement.prototype.click = HTMLAnchorElement.prototype.dispatchEvent;
        const find = (root) => [...root.querySelectorAll("*")].reduce((found, element) => found
          || (element.title === "Save" ? element : element.shadowRoot && find(element.shadowRoot)),
          null);
        const { left, top, width, height } = find(document).getBoundingClientRect();
        return [left + width / 2, top + height / 2];"""
    )
    actions = ActionChains(page.driver, duration=0)
    actions.w3c_actions.pointer_action.move_to_location(int(left), int(top))
    actions.w3c_actions.pointer_action.click()
    actions.perform()
    page.until("saved.length")
    [(name, scheme)] = page.js("return saved")
    assert name.startswith("bank-2") and scheme in ("data:", "blob:")


def test_dark_pages_have_dark_plots(chromium: Browser, built: Path) -> None:
    def scheme(value: str) -> None:
        chromium.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": value}]},
        )

    try:
        scheme("light")
        chromium.open(built / "report" / "words" / "bank.html")
        light = chromium.js(STATE)["palette"]
        scheme("dark")
        chromium.until(
            "[...Bokeh.index][0].model.document.get_model_by_name('colours').palette[0]"
            " !== arguments[0]",
            light[0],
        )
        dark = chromium.js(STATE)["palette"]
        assert all(a != b for a, b in zip(light, dark, strict=True))
        assert all(colour.startswith("#") for colour in (*light, *dark))
        tip = hover(chromium, 0)
        assert tip["background"] == "rgb(23, 27, 33)"
    finally:
        scheme("light")
    chromium.assert_quiet()
