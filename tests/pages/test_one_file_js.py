"""one-file.js: a report in one file opens on its index; links and addresses lead to its pages."""

from pathlib import Path

from browser import Browser
from report_builder import MODEL, SENSES, Run
from test_files_js import saved
from word_pages import STATE, dark
from wsd.report.one_file import write_one_file

from wsd.storage.file_names import file_name


def opened(chromium: Browser, built: Path, page: str = "") -> Path:
    file = built / "one file #1.html"
    if not file.exists():
        write_one_file(built / "report", file)
    chromium.open(file.as_uri() + page)
    return file


def test_it_opens_on_the_index_and_links_lead_to_pages(
    run: Run, chromium: Browser, built: Path
) -> None:
    file = opened(chromium, built)
    assert "which layer knows the sense?" in chromium.js("return document.title")
    chromium.js("document.querySelector('.gallery a[href*=bank]').click()")
    chromium.until("document.documentElement.dataset.ready && window.Bokeh")
    assert len(chromium.js(STATE)["x"]) == len(run.corpora["bank"])
    before = chromium.js("return location.href")
    assert before.startswith(f"{file.as_uri()}?words/bank.html#layers=")
    chromium.js("document.getElementById('next').click()")
    after = chromium.js("return location.href")
    assert after != before and after.startswith(f"{file.as_uri()}?words/bank.html")
    chromium.js("document.querySelector('.trail a[href*=layers]').click()")
    chromium.until("document.documentElement.dataset.ready && document.title.startsWith('Layers')")
    assert chromium.js("return [...Bokeh.index].length") > 0
    chromium.js("document.querySelector('.trail a').click()")
    chromium.until("document.documentElement.dataset.ready && document.querySelector('.gallery')")
    assert chromium.js("return window.pwned") is None
    chromium.assert_quiet()


def test_an_address_names_a_page_and_a_place_in_it(chromium: Browser, built: Path) -> None:
    opened(chromium, built, "?words/bank.html#layers=0&pin=test-5")
    assert chromium.js("return document.getElementById('layers').value") == "0"
    assert not chromium.js("return document.getElementById('card').hidden")
    word = next(word for word in SENSES if word != "bank")
    opened(chromium, built, f"?words/{file_name(word).replace('%', '%25')}.html")
    assert word in chromium.js("return document.title")
    opened(chromium, built, "?layers.html#heat-title")
    assert chromium.js("return scrollY") > 0
    opened(chromium, built, "?no-such-page.html")
    assert "which layer knows the sense?" in chromium.js("return document.title")
    assert not chromium.js("return document.documentElement.hidden")
    chromium.assert_quiet()


def test_tables_are_saved(chromium: Browser, built: Path) -> None:
    opened(chromium, built)
    table = "document.querySelector('a[href$=\"comparison.csv\"]')"
    name, _, content = saved(
        chromium,
        lambda: chromium.js(
            f"{table}.dispatchEvent(new MouseEvent('click', {{ cancelable: true }}))"
        ),
    )
    assert name == "comparison.csv"
    assert content == (built / "report" / "data" / "comparison.csv").read_bytes()


def test_its_policy_is_enforced(chromium: Browser, built: Path) -> None:
    opened(chromium, built, "?words/bank.html")
    chromium.js(
        """const script = document.createElement("script");
        script.textContent = "window.injected = 1";
        document.body.append(script);"""
    )
    assert chromium.js("return window.injected") is None
    console, _ = chromium.drain()
    assert len(console) == 1 and "Content Security Policy" in console[0]


def test_pages_are_dark_too(chromium: Browser, built: Path) -> None:
    with dark(chromium):
        opened(chromium, built, "?words/bank.html")
        assert chromium.js("return getComputedStyle(document.body).backgroundColor") == (
            "rgb(17, 20, 24)"
        )
    assert MODEL in chromium.js("return document.title")
