"""Substitutes on the page of a word."""

from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, chromium
from builders import make_corpus
from call_step import call_step
from report_builder import MODEL, build_report, decode, make_run, word_page
from selenium.webdriver.common.keys import Keys
from substitute_tables import write_made

from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.encoder_input import MASKED, PLAIN
from wsd.report.pages.report_data import Extension
from wsd.studies.substitutes import sense_substitutes, word_panel

__all__ = ["chromium"]


def panel(folder: Path, corpora: Corpora, model: str) -> Extension:
    """Write the files of a model that was asked, and return the addition to the pages."""
    write_made(folder / "said", corpora, model)
    table = folder / "substitutes.csv"
    call_step(sense_substitutes, corpora, substitutes=folder / "said", out=table)
    args = Namespace(substitutes=[folder / "said"], sense_substitutes=[table])
    return word_panel.load(args, corpora)


def test_every_instance_of_a_sample_has_its_own_substitutes(tmp_path: Path) -> None:
    corpus = make_corpus([("train", i % 2) for i in range(40)] + [("test", 0), ("test", 1)])
    added = panel(tmp_path, {"mint": corpus}, "tiny")
    sample = corpus.take(np.arange(42) % 3 == 2)
    order = np.arange(len(sample))[::-1]
    assert added.word_values("other", sample, order) is None
    output = added.word_values("tiny", sample, order)
    assert output[MASKED]["most"] == 3 and output[PLAIN]["most"] == 1
    pieces = decode(output[MASKED]["pieces"], "<u4").reshape(-1, 3)
    assert [[output["names"][piece] for piece in row] for row in pieces] == [
        ["thing", f"##s{sample.gold[i]}", f"{sample.split[i]}{sample.index[i]}"] for i in order
    ]
    plain = decode(output[PLAIN]["pieces"], "<u4")
    assert {output["names"][piece] for piece in plain} == {"<i>itself"}
    assert set(decode(output[MASKED]["probabilities"], "u1").reshape(-1, 3)[0]) == {125, 62, 0}


@pytest.mark.slow
def test_the_card_and_the_senses_have_them(chromium: Browser, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    build_report(**run.arguments(tmp_path), extensions=[panel(tmp_path, run.corpora, MODEL)])
    texts = word_page(tmp_path, "bank").text.split("in its place: ")[1:]
    assert [text.split()[0].strip(",") for text in texts] == ["##s0", "##s1", "##s2"]
    chromium.open(tmp_path / "report" / "words" / "bank.html")
    button = chromium.driver.find_elements("css selector", "#instances tbody th button")[0]
    button.send_keys(Keys.ENTER)
    lines = chromium.js(
        "return [...document.querySelectorAll('#card .substitutes')].map((e) => e.textContent)"
    )
    gold = run.corpora["bank"].gold[30]
    assert lines == [f"Masked: thing 50%, ##s{gold} 25%, test0 <1%", "Left in: <i>itself 98%"]
    chromium.assert_quiet()
