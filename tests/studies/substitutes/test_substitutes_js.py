"""word-substitutes.js: the substitutes of the pinned instance."""

from argparse import Namespace

import pytest
from browser import Browser, chromium
from call_step import call_step
from report_builder import build_report, make_run
from selenium.webdriver.common.keys import Keys
from substitute_tables import write_made

from wsd.studies.substitutes import sense_substitutes, word_panel

__all__ = ["chromium"]


@pytest.mark.slow
def test_card_has_the_substitutes(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("asked")
    run = make_run(folder / "run")
    write_made(folder / "said", run.corpora)
    table = folder / "substitutes.csv"
    call_step(sense_substitutes, run.corpora, substitutes=folder / "said", out=table)
    args = Namespace(substitutes=[folder / "said"], sense_substitutes=[table])
    panel = word_panel.load(args, run.corpora)
    build_report(**run.arguments(folder), extensions=[panel])
    chromium.open(folder / "report" / "words" / "bank.html")
    button = chromium.driver.find_elements("css selector", "#instances tbody th button")[0]
    button.send_keys(Keys.ENTER)
    gold = run.corpora["bank"].gold[30]
    lines = chromium.js(
        "return [...document.querySelectorAll('#card .substitutes')].map((e) => e.textContent)"
    )
    assert lines == [f"Masked: thing 50%, ##s{gold} 25%, test0 <1%", "Left in: <i>itself 98%"]
    chromium.assert_quiet()
