"""page.js: functions that all pages share."""

from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from word_pages import by_id, evaluate


def test_page_reports_that_the_plot_cannot_be_drawn(
    chromium: Browser, portable: Path, tmp_path: Path
) -> None:
    text = portable.read_text(encoding="utf-8")
    page = tmp_path / "damaged.html"
    page.write_text(text.replace('id="packed">', 'id="packed">AAAA'), encoding="utf-8")
    chromium.open(page, wait="!document.getElementById('problem').hidden")
    assert "could not be drawn" in by_id(chromium, "problem").text
    console, _ = chromium.drain()
    assert len(console) == 1


def of_page(browser: Browser, expression: str, *arguments: Any) -> Any:
    return evaluate(browser, ("page.js",), f"return {expression};", *arguments)


def test_address_round_trip(chromium: Browser) -> None:
    parts = [["layers", "mean-last-2"], ["search", "a+b&c=d #%שלום 👩‍🔬"], ["off", "x,y"]]
    text = of_page(chromium, "wsd.fragment.encode(arguments[0])", parts)
    assert "#" not in text and text.count("&") == 2
    decode = "[...wsd.fragment.decode(arguments[0])]"
    assert of_page(chromium, decode, text) == of_page(chromium, decode, f"#{text}") == parts
    # A plus that the user types is a plus, not the space of a form.
    assert of_page(chromium, decode, "#search=a+b") == [["search", "a+b"]]
    assert of_page(chromium, decode, "") == []


def test_numbers_as_text(chromium: Browser) -> None:
    assert of_page(chromium, "wsd.count(1234567)") == "1,234,567"
    shares = [0.12345, 1, 0, None]
    text = of_page(chromium, "arguments[0].map((share) => wsd.percent(share))", shares)
    assert text == ["12.35", "100.00", "0.00", "\N{EN DASH}"]
    assert of_page(chromium, "wsd.percent(0.126, 1)") == "12.6"


def test_text_of_an_element_stays_text(chromium: Browser) -> None:
    text = "<img src=x onerror=window.pwned=1>"
    for made in ("make('td', arguments[0], 'n')", "heading('row', arguments[0])",
                 "button(arguments[0], () => {}, arguments[0])"):  # fmt: skip
        assert of_page(chromium, f"wsd.{made}.textContent", text) == text
        assert of_page(chromium, f"wsd.{made}.childElementCount", text) == 0
    assert of_page(chromium, "wsd.make('b').outerHTML") == "<b></b>"
    assert of_page(chromium, "wsd.make('b', '', 'n').outerHTML") == '<b class="n"></b>'
    styled = of_page(chromium, "wsd.make('b', 'x', { color: 'red' }).outerHTML")
    assert styled == '<b style="color: red;">x</b>'


@pytest.mark.parametrize(
    ("name", "saved"), [("bank-2.svg", "bank-2.svg"), ("a/b: <c>.csv", "a_b_c_.csv"),
                        ("Bänke-שלום.csv", "Bänke-שלום.csv")],
)  # fmt: skip
def test_saved_file_has_a_valid_name(chromium: Browser, name: str, saved: str) -> None:
    body = """const names = [];
        HTMLAnchorElement.prototype.click = function () { names.push(this.download); };
        wsd.download(new Blob(["x"]), arguments[0]);
        return names;"""
    assert evaluate(chromium, ("page.js",), body, name) == [saved]


@pytest.mark.parametrize("modifier", ["altKey", "ctrlKey", "metaKey", "shiftKey"])
def test_key_with_a_modifier_is_the_browsers(chromium: Browser, modifier: str) -> None:
    body = """const pressed = [];
        wsd.onKey(({ key }) => pressed.push(key));
        dispatchEvent(new KeyboardEvent("keydown", { key: "a", [arguments[0]]: true }));
        dispatchEvent(new KeyboardEvent("keydown", { key: "b" }));
        return pressed;"""
    assert evaluate(chromium, ("page.js",), body, modifier) == ["b"]
