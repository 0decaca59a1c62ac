"""A word's page in a browser: plot, controls, scores, film strip, address."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from browser import Browser
from report_builder import CHOICES, GIVEN, READERS, Run, explained_at, pictures_of, predictions_of
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from word_pages import (
    DARK,
    LIGHT,
    STATE,
    assert_marks,
    assert_shows,
    by_id,
    dark,
    hover,
    listed,
    middle,
    rows_of,
    wrong_rows,
    zoom,
)


def test_search_takes_text_literally(run: Run, built: Path, page: Browser) -> None:
    rows, corpus = rows_of(run, built), run.corpora["bank"]
    for query in ("N7", "<SCRIPT>", "שלום", "$$x^2$$", "👩‍🔬", "nothing of that kind"):
        # Chromium's driver cannot type characters beyond the basic plane.
        page.js(
            """const field = document.getElementById("search");
            field.value = arguments[0];
            field.dispatchEvent(new Event("input", { bubbles: true }));""",
            query,
        )
        expected = {row for row in rows if query.lower() in " ".join(corpus.tokens[row]).lower()}
        page.until("location.hash.includes(encodeURIComponent(arguments[0]))", query)
        assert by_id(page, "listed").text == f"{len(expected)} of {len(corpus)} instances"
        shown = page.js(STATE)["shown"]
        assert {row for row, on in zip(rows, shown, strict=True) if on} == expected
        page.open(page.js("return location.href"))
        assert by_id(page, "search").get_attribute("value") == query
        assert page.js(STATE)["shown"] == shown


# Per frame: the curve's height there in percent, score, title.
FRAMES = """
return [...document.querySelectorAll("#strip a")].map((frame) => [
  parseFloat(frame.querySelector(".dot").style.bottom), frame.querySelector("b").textContent,
  frame.title]);
"""


LINKS = "return [...document.querySelectorAll('#strip a')]"


def test_curve_has_the_score_and_interval_of_each_layer_choice(
    run: Run, built: Path, page: Browser
) -> None:
    table = pd.read_csv(run.tables["word-layers"][0], dtype={"layers": str})
    for reader in READERS:
        Select(by_id(page, "classifier")).select_by_value(reader)
        rows = table[(table["word"] == "bank") & (table["classifier"] == reader)]
        rows = rows.set_index("layers").loc[list(CHOICES)]
        heights, scores, titles = zip(*page.js(FRAMES), strict=True)
        expected = [cell.text for cell in page.driver.find_elements("css selector", "#choices td")]
        own = expected[3 * READERS.index(reader) :: 3 * len(READERS)]
        values = [float(score) for score in own]
        assert [float(score) for score in scores] == pytest.approx(values, abs=0.051)
        low, high = (float(by_id(page, f"strip-{end}").text) for end in ("low", "high"))
        assert list(heights) == pytest.approx(
            [(v - low) / (high - low) * 100 for v in values], abs=0.1
        )
        for title, low, high in zip(
            titles, rows["macro_f1_low"], rows["macro_f1_high"], strict=True
        ):
            assert f"95% CI {low * 100:.2f} to {high * 100:.2f}" in title


def test_fragment_reopens_the_state(run: Run, built: Path, chromium: Browser) -> None:
    address = (built / "report" / "words" / "bank.html").as_uri()
    chromium.open(
        f"{address}#layers=1&classifier=nearest_centroid&colour=error&show=errors&method=tsne"
        "&without=1&hide=train&off=centroids&pin=test-5&box=-1,2,-3,4"
    )
    state = chromium.js(STATE)
    assert state["labels"] == ["t-SNE 1", "t-SNE 2"]
    assert by_id(chromium, "layers").get_attribute("value") == "1"
    assert by_id(chromium, "classifier").get_attribute("value") == "nearest_centroid"
    assert set(state["tone"]) == {"off", "wrong"}
    rows, gold = rows_of(run, built), run.corpora["bank"].gold
    wrong = {r for r in wrong_rows(run, "1", ("nearest_centroid",)) if gold[r] != 1}
    assert {row for row, on in zip(rows, state["shown"], strict=True) if on} == wrong
    assert_marks(run, built, state, wrong)
    assert state["centroids"] == []
    at = rows.index(35)
    assert state["pinned"] == [[state["x"][at], state["y"][at]]]
    assert by_id(chromium, "card").is_displayed()
    assert state["ranges"] == [-1, 2, -3, 4]
    checked = chromium.js(
        "return [...document.querySelectorAll('.senses input')]"
        ".filter((e) => !e.checked).map((e) => Object.values(e.dataset)[0] ?? e.id)"
    )
    assert checked == ["1", "train", "centroids"]
    # Changing something and changing it back gives the same address.
    before = chromium.js("return location.hash")
    by_id(chromium, "rings").click()
    assert chromium.js("return location.hash") != before
    by_id(chromium, "rings").click()
    assert sorted(chromium.js("return location.hash.slice(1).split('&')")) == sorted(
        before[1:].replace(",", "%2C").split("&")
    )
    chromium.assert_quiet()


def test_cell_of_the_heat_map_opens_the_word_at_that_layer(
    run: Run, chromium: Browser, built: Path
) -> None:
    chromium.open(built / "report" / "layers.html")
    Select(by_id(chromium, "classifier")).select_by_value("nearest_centroid")
    link = chromium.driver.find_element(
        "css selector", "a[href*='bank'][href$='layers=1&classifier=nearest_centroid']"
    )
    link.click()
    chromium.until("document.documentElement.dataset.ready && document.getElementById('plot')")
    state = assert_shows(run, built, chromium, "1")
    assert_marks(run, built, state, wrong_rows(run, "1", ("nearest_centroid",)))
    chromium.assert_quiet()


def test_every_layer_control(run: Run, built: Path, page: Browser) -> None:
    assert_shows(run, built, page, "2")  # what the word's folds chose
    by_id(page, "next").click()
    state = assert_shows(run, built, page, "mean-last-2")
    assert state["hash"] == "#layers=mean-last-2"
    assert not by_id(page, "next").is_enabled()
    for _ in range(3):
        by_id(page, "previous").click()
    state = assert_shows(run, built, page, "0")
    assert state["hash"] == "#layers=0"
    assert not by_id(page, "previous").is_enabled()
    zoom(page, 0)
    page.driver.find_element("css selector", "#strip a[data-layers='1']").click()
    assert_shows(run, built, page, "1")
    Select(by_id(page, "layers")).select_by_value("mean-last-2")
    assert_shows(run, built, page, "mean-last-2")
    page.driver.find_element("css selector", "a[data-layers='2']").click()
    state = assert_shows(run, built, page, "2")
    assert_marks(run, built, state, wrong_rows(run, "2", READERS[:1]))
    # The user edits the address to another choice while the page is open.
    page.js("location.hash = '#layers=1&off=rings'")
    page.until("document.getElementById('layers').value === '1'")
    assert assert_shows(run, built, page, "1")["errors"]["row"] == []


def test_arrow_keys_step_unless_they_have_a_meaning_of_their_own(
    run: Run, built: Path, page: Browser
) -> None:
    body = page.driver.find_element("tag name", "body")
    body.send_keys(Keys.ARROW_LEFT)
    assert_shows(run, built, page, "1")
    body.send_keys(Keys.ARROW_RIGHT)
    assert_shows(run, built, page, "2")
    by_id(page, "search").send_keys(Keys.ARROW_LEFT)
    page.driver.find_element("css selector", "[role=region]:not(.strip)").send_keys(Keys.ARROW_LEFT)
    body.send_keys(Keys.CONTROL, Keys.ARROW_LEFT)
    assert_shows(run, built, page, "2")


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


def test_projection_can_be_changed(run: Run, page: Browser) -> None:
    before = page.js(STATE)
    Select(by_id(page, "method")).select_by_value("tsne")
    after = page.js(STATE)
    assert after["x"] != before["x"] and after["labels"] == ["t-SNE 1", "t-SNE 2"]
    assert after["hash"] == "#layers=2&method=tsne"
    assert "mean little" in by_id(page, "projection-note").text


def test_the_page_opens_with_the_projection_selected_by_cv(planes: Browser) -> None:
    opened = planes.js(STATE)
    assert opened["labels"] == ["LDA axis 1 (30.0%)", "LDA axis 2 (12.5%)"]
    assert "by a fit without it" in by_id(planes, "projection-note").text
    assert "50.0 in this plot" in by_id(planes, "projection-note").text
    assert "opens with LDA" in by_id(planes, "opening").text
    Select(by_id(planes, "method")).select_by_value("pca")
    after = planes.js(STATE)
    assert after["x"] != opened["x"] and after["labels"][0].startswith("PC 1")
    # The address names a projection unless the page opens with it.
    assert after["hash"] == "#layers=2&method=pca"


def test_centroids_are_means_of_training_instances(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    for choice in ("0", "2"):
        Select(by_id(page, "layers")).select_by_value(choice)
        points = pictures_of(run, "bank")[CHOICES.index(choice)]
        for sense, x, y in page.js(STATE)["centroids"]:
            training = (corpus.gold == sense) & (corpus.split == "train")
            assert [x, y] == pytest.approx(points[training].mean(axis=0).tolist(), abs=2e-4)
    assert len(rows) == 48


def test_click_on_a_point_pins_it(run: Run, built: Path, page: Browser) -> None:
    corpus, rows = run.corpora["bank"], rows_of(run, built)
    hover(page, 5)
    left, top = middle(page)
    actions = ActionChains(page.driver, duration=0)
    actions.w3c_actions.pointer_action.move_to_location(left, top)
    actions.w3c_actions.pointer_action.click()
    actions.perform()
    page.until("!document.getElementById('card').hidden")
    assert " ".join(corpus.tokens[rows[5]]) in by_id(page, "card").get_attribute("textContent")
    by_id(page, "unpin").click()
    assert not by_id(page, "card").is_displayed()


def test_rings_have_the_colour_of_the_predicted_sense(run: Run, built: Path, page: Browser) -> None:
    errors = page.js(
        """const [view] = [...Bokeh.index];
        return view.model.document.get_model_by_name("errors").data;"""
    )
    words, corpus = predictions_of(run, "bank", "2", READERS[0]), run.corpora["bank"]
    rows = rows_of(run, built)
    predicted = dict(zip(words.index.tolist(), words.predicted.tolist(), strict=True))
    assert errors["row"]
    assert errors["tone"] == [str(predicted[int(corpus.index[rows[row]])]) for row in errors["row"]]


def test_scores_follow_the_layer_choice(run: Run, page: Browser) -> None:
    for choice in CHOICES:
        Select(by_id(page, "layers")).select_by_value(choice)
        for row, reader in enumerate(READERS):
            words = predictions_of(run, "bank", choice, reader)
            right = words.predicted == words.gold
            cells = page.js(
                "return [...document.querySelectorAll('#scores tbody tr')[arguments[0]].cells]"
                ".map((cell) => cell.textContent)",
                row,
            )
            assert cells[0] == reader
            assert cells[2:] == [f"{right.mean() * 100:.2f}", str(int((~right).sum()))]
            errors = f"{cells[3]} error{'' if cells[3] == '1' else 's'}"
            assert f"{errors} of {len(right)}" in by_id(page, "status").get_attribute("textContent")
        share = sum(explained_at(choice)) * 100
        honest = by_id(page, "projection-note").text
        assert f"explain {share:.1f}% of their variance" in honest
        assert "75.0 in the full space (8 dimensions a layer) and 75.0 in this plot" in honest


def test_confusion_matrix_is_of_the_layer_and_classifier_shown(run: Run, page: Browser) -> None:
    for choice, reader in (("1", READERS[1]), ("mean-last-2", READERS[0])):
        Select(by_id(page, "layers")).select_by_value(choice)
        Select(by_id(page, "classifier")).select_by_value(reader)
        words = predictions_of(run, "bank", choice, reader)
        expected = np.zeros((3, 3), dtype=int)
        np.add.at(expected, (words.gold, words.predicted), 1)
        shown = page.js(
            "return [...document.querySelectorAll('#confusion tbody tr')]"
            ".map((row) => [...row.cells].slice(1).map((cell) => Number(cell.textContent)))"
        )
        assert shown == expected.tolist()
        sides = page.js(
            "return ['thead th', 'tbody th'].map((side) => [...document.querySelectorAll"
            "(`#confusion ${side}`)].map((cell) => [cell.textContent, cell.title]))"
        )
        first, second, third = run.corpora["bank"].senses
        named = [[first, first], [GIVEN.name, f"{second}: {GIVEN.gloss}"], [third, third]]
        assert sides == [named, named]
        heading = page.js("return document.querySelector('#confusion td').textContent")
        assert heading.startswith(reader)


def test_link_to_this_view_is_copied(page: Browser) -> None:
    page.js(
        """window.copied = [];
        Object.defineProperty(navigator, "clipboard", { value: {
          writeText: async (text) => { copied.push(text); } } });"""
    )
    by_id(page, "previous").click()
    by_id(page, "link").click()
    page.until("copied.length")
    assert page.js("return copied[0]").endswith("bank.html#layers=1")
    page.until("document.getElementById('link').textContent === 'Copied'")


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
