"""word-filters.js: the controls that filter instances, and the legend's boxes."""

from pathlib import Path

from browser import Browser
from report_builder import READERS, Run
from selenium.webdriver.support.ui import Select
from word_pages import STATE, assert_marks, by_id, listed, rows_of, wrong_rows


def test_classifier_and_errors_only(run: Run, built: Path, page: Browser) -> None:
    rows, corpus = rows_of(run, built), run.corpora["bank"]
    for choice in ("0", "mean-last-2"):
        Select(by_id(page, "layers")).select_by_value(choice)
        for reader in READERS:
            Select(by_id(page, "classifier")).select_by_value(reader)
            Select(by_id(page, "show")).select_by_value("all")
            wrong = wrong_rows(run, choice, (reader,))
            assert wrong
            assert_marks(run, built, page.js(STATE), wrong)
            assert by_id(page, "n-errors").text == str(len(wrong))
            Select(by_id(page, "show")).select_by_value("errors")
            state = page.js(STATE)
            assert {row for row, on in zip(rows, state["shown"], strict=True) if on} == wrong
            own = "" if reader == READERS[0] else f"&classifier={reader}"
            assert state["hash"] == f"#layers={choice}{own}&show=errors"
            table = listed(page)
            assert by_id(page, "listed").text == f"{len(wrong)} of {len(corpus)} instances"
            assert [line[0] for line in table] == sorted(
                (f"test {corpus.index[row]}" for row in wrong), key=lambda t: int(t.split()[1])
            )
            for line in table:
                row = 30 + int(line[0].split()[1])
                assert line[1] == " ".join(corpus.tokens[row])
                assert line[3].startswith("✗ ")


def test_legend_hides_and_shows(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    assert all(page.js(STATE)["shown"])
    page.driver.find_element("css selector", "[data-sense='1']").click()
    page.driver.find_element("css selector", "[data-split=train]").click()
    state = page.js(STATE)
    expected = [corpus.gold[row] != 1 and corpus.split[row] == "test" for row in rows]
    assert state["shown"] == expected
    assert [sense for sense, _, _ in state["centroids"]] == [0, 2]
    wrong = {row for row in wrong_rows(run, "2", READERS[:1]) if corpus.gold[row] != 1}
    assert_marks(run, built, state, wrong)
    by_id(page, "previous").click()
    assert page.js(STATE)["shown"] == expected
    page.driver.find_element("css selector", "[data-sense='1']").click()
    page.driver.find_element("css selector", "[data-split=train]").click()
    assert all(page.js(STATE)["shown"])
    by_id(page, "rings").click()
    assert page.js(STATE)["errors"]["row"] == []


def test_a_key_goes_to_the_next_projection_unless_something_is_typed(planes: Browser) -> None:
    body = planes.driver.find_element("css selector", "body")
    for method, typed in (("pca", "p"), ("discriminant", "P"), ("pca", "p")):
        planes.js(
            "document.body.dispatchEvent(new KeyboardEvent('keydown',"
            " { key: arguments[0], bubbles: true }))",
            typed,
        )
        assert by_id(planes, "method").get_attribute("value") == method
        assert ("method=pca" in planes.js("return location.hash")) == (method == "pca")
    assert "PCA. " in by_id(planes, "status").get_attribute("textContent")
    body.send_keys("p")
    assert by_id(planes, "method").get_attribute("value") == "discriminant"
    for control in ("search", "layers"):
        by_id(planes, control).send_keys("p")
        assert by_id(planes, "method").get_attribute("value") == "discriminant"
    by_id(planes, "keys").click()
    assert "off=keys" in planes.js("return location.hash")
    body.send_keys("p")
    assert by_id(planes, "method").get_attribute("value") == "discriminant"
    by_id(planes, "keys").click()
    body.send_keys("p")
    assert by_id(planes, "method").get_attribute("value") == "pca"
