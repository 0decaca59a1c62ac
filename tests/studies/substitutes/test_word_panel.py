"""Substitutes on the page of a word."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, chromium
from call_step import call_step
from report_builder import MODEL, Run, build_report, decode, make_run, word_page
from selenium.webdriver.common.keys import Keys
from substitute_tables import write_made

from wsd.artifacts.encoder_input import MASKED, PLAIN
from wsd.report.pages import word
from wsd.report.pages.report_data import Extension
from wsd.studies.substitutes import sense_substitutes, word_panel

__all__ = ["chromium"]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path, Extension]:
    """A run of a model that was asked, the report of a part of its instances, and the addition."""
    folder = tmp_path_factory.mktemp("asked")
    run = make_run(folder / "run", n_ood=3)
    write_made(folder / "said", run.corpora, MODEL)
    table = folder / "substitutes.csv"
    call_step(sense_substitutes, run.corpora, substitutes=folder / "said", out=table)
    args = Namespace(substitutes=[folder / "said"], sense_substitutes=[table])
    panel = word_panel.load(args, run.corpora)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word, "MOST", 20)
        patch.setattr(word, "RARE", 1)
        build_report(**run.arguments(folder), extensions=[panel])
    return run, folder, panel


def test_every_instance_has_its_own_substitutes(asked: tuple[Run, Path, Extension]) -> None:
    """Of a large word, of which a page shows a sample."""
    run, built, _ = asked
    page = word_page(built, "bank")
    data: dict[str, Any] = page.packed()["data"]
    output = data["extensions"]["substitutes"]
    index = decode(data["index"], "<i4")
    gold, train = decode(data["gold"], "<u2"), decode(data["train"], "u1")
    assert 0 < len(index) < (run.corpora["bank"].split != "outofdomain").sum()
    assert output[MASKED]["most"] == 3 and output[PLAIN]["most"] == 1
    masked = decode(output[MASKED]["pieces"], "<u4").reshape(-1, 3)
    for row, pieces in enumerate(masked):
        split = "train" if train[row] else "test"
        names = [output["names"][piece] for piece in pieces]
        assert names == ["thing", f"##s{gold[row]}", f"{split}{index[row]}"]
    plain = decode(output[PLAIN]["pieces"], "<u4")
    assert {output["names"][piece] for piece in plain} == {"<i>itself"}
    assert set(decode(output[MASKED]["probabilities"], "u1").reshape(-1, 3)[0]) == {125, 62, 0}
    # A sense has its distinctive substitutes.
    texts = page.text.split("in its place: ")[1:]
    assert [text.split()[0].strip(",") for text in texts] == ["##s0", "##s1", "##s2"]


@pytest.mark.slow
def test_the_card_has_them_and_without_a_model_that_was_asked_there_is_nothing(
    asked: tuple[Run, Path, Extension], chromium: Browser, tmp_path: Path
) -> None:
    run, _, panel = asked
    build_report(**run.arguments(tmp_path))
    page = word_page(tmp_path, "bank")
    assert "substitutes" not in page.packed()["data"]["extensions"]
    assert "in its place" not in page.text
    build_report(**run.arguments(tmp_path), extensions=[panel])
    chromium.open(tmp_path / "report" / "words" / "bank.html")
    button = chromium.driver.find_elements("css selector", "#instances tbody th button")[0]
    button.send_keys(Keys.ENTER)
    lines = chromium.js(
        "return [...document.querySelectorAll('#card .substitutes')].map((e) => e.textContent)"
    )
    gold = run.corpora["bank"].gold[run.corpora["bank"].split == "test"][0]
    assert lines == [f"Masked: thing 50%, ##s{gold} 25%, test0 <1%", "Left in: <i>itself 98%"]
    chromium.assert_quiet()
