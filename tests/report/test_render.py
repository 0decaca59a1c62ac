"""Every page: foreign text stays text, links resolve, colours contrast, columns are packed."""

import base64
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import numpy as np
import pytest
from report_builder import DATASET, GIVEN, HOSTILE_COLUMN, MODEL, Page, Run

from wsd.report.pages import curves, plots, render
from wsd.report.pages.render import packed_columns
from wsd.report.pages.word import word_data

HOSTILE_SENSE = "$$\\frac{1}{2}$$ @{gold}{safe}"


def test_every_link_resolves_and_nothing_is_remote(all_pages: dict[Path, Page]) -> None:
    for path, page in all_pages.items():
        for link in page.links():
            target, _ = urldefrag(link)
            if target and not target.startswith("data:image/") and link != DATASET.licence_url:
                assert (path.parent / unquote(target)).is_file(), link
        assert not [t for t, _ in page.elements if t in ("img", "iframe", "object", "embed")]
        # The policy allows only own files.
        assert "default-src 'none'; script-src 'self'; " in page.csp
        assert "connect-src 'none'" in page.csp and "unsafe-eval" not in page.csp
        for attributes, text in page.scripts:
            assert attributes.get("type") in ("application/json", "text/plain") or not text
        assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]


def test_hostile_text_stays_text(run: Run, built: Path, all_pages: dict[Path, Page]) -> None:
    for path in all_pages:
        source = path.read_text()
        assert "<script>window" not in source and "<img" not in source
        assert "</body>" in source.splitlines()[-2]
        assert "CustomJS" not in source and "{safe}" not in source.replace(HOSTILE_SENSE, "")
    page = all_pages[built / "report/words/bank.html"]
    first, second, third = run.corpora["bank"].senses
    assert all(text in page.text for text in (first, *GIVEN, third))
    # The tooltip shows the label of a sense that has a name.
    assert second not in page.text
    assert second in [a.get("title") for tag, a in page.elements if tag == "bdi"]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_contrast_with_their_background(scheme: str) -> None:
    css = render.asset("style.css")
    light, dark, _ = re.findall(r":root\S* \{(.*?)\}", css, re.DOTALL)
    colours = dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", light if scheme == "light" else dark))
    senses = [colours[f"--sense-{i}"] for i in range(len(curves.COLOURS))]
    assert len(set(senses)) == len(curves.COLOURS)
    if scheme == "light":
        assert tuple(senses) == curves.COLOURS  # the figures of a paper have the same
        assert tuple(colours[f"--ramp-{i}"] for i in range(plots.RAMP)) == curves.RAMP
    # Instances that the filters leave out are meant to be faint.
    tones = [colours[name] for tone, name in plots.TONES.items() if tone != "off"]
    # Ten values, unlike the senses; further values have the colours of senses.
    values = [colours[f"--value-{i}"] for i in range(10)]
    assert len({*values, *senses}) == 20
    for colour in (*senses, *values, *tones, colours["--error-mark"]):
        assert contrast(colour, colours["--surface"]) >= 3, colour
    for ground in ("--heat-low", "--heat-high"):  # axe finds other text
        assert contrast(colours["--ink"], colours[ground]) >= 4.5


def cells_of(column: dict[str, Any]) -> list[str]:
    width = "u1" if len(column["values"]) <= 256 else "<u4"
    codes = np.frombuffer(base64.b64decode(column["codes"]), width)
    return [column["values"][code] for code in codes]


def packed(cells: list[str], with_text: list[bool] | None = None) -> list[dict[str, Any]]:
    has_text = np.array(with_text or [True] * len(cells))
    return packed_columns({"c": tuple(cells)}, range(len(cells)), has_text)


def test_values_are_in_order() -> None:
    for text, values in (("10 9 -1 10", ["-1", "9", "10"]), ("10 9 x", ["10", "9", "x"]),
                         (" 2 1.5 ", ["1.5", "2", ""])):  # fmt: skip
        [column] = packed(text.split(" "))
        assert column["values"] == values and cells_of(column) == text.split(" ")


def test_a_long_column_has_text_with_the_sentences_alone() -> None:
    cells = [f"use {i}" for i in range(300)]
    [column] = packed(cells, [i < 3 for i in range(300)])
    assert cells_of(column) == cells[:3] + [""] * 297
    assert not column["group"]
    assert packed(cells, [False] * 300) == []


def test_pages_without_sentences_have_no_identifiers(run: Run) -> None:
    for text, identifiers in ((True, 48), (False, 0)):
        report = run.load(text=text)
        columns = word_data(report, MODEL, report.words[MODEL]["bank"])["extra"]
        by_name = {column["name"]: cells_of(column) for column in columns}
        assert sum(map(bool, by_name.pop("identifier", []))) == identifiers
        assert list(by_name) == ["period", HOSTILE_COLUMN, "gold"]
        assert all(len(cells) == 48 for cells in by_name.values())
