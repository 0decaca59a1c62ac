"""word-text.js: describes an instance in words."""

from pathlib import Path

import pytest
from browser import Browser
from report_builder import DATASET, GIVEN, HOSTILE, Run, predictions_of
from word_pages import evaluate, hover, made_data, rows_of

from wsd.artifacts.corpus_table import Corpus


def test_tooltips_show_hostile_text_as_text(run: Run, built: Path, page: Browser) -> None:
    corpus: Corpus = run.corpora["bank"]
    rows = rows_of(run, built)
    by_sentence = {rows.index(30 + i): 30 + i for i in range(len(HOSTILE))}
    by_sentence[rows.index(4)] = 4  # and one of the training instances
    for shown, row in by_sentence.items():
        tip = hover(page, shown)
        tokens, at = corpus.tokens[row], corpus.position[row]
        split, line = corpus.split[row], corpus.index[row]
        assert " ".join(tokens) in tip["text"]
        assert tip["bold"] == [tokens[at]]
        names = [text.name for text in DATASET.sense_texts("bank", corpus.senses)]
        gold = names[corpus.gold[row]]
        assert gold in tip["text"]
        assert f"{split} {line}" in tip["text"]
        tags = ["B", "BDI", "DIV", *(["SPAN"] if split == "test" else []), "STYLE"]
        assert tip["tags"] == tags
        assert tip["width"] <= 400
        if split == "train":
            assert "logistic" not in tip["text"]
            continue
        words = predictions_of(run, "bank", "2", "logistic")
        rows_of_line = words.index == line
        code = int(words.predicted[rows_of_line][0])
        word = "✓ correct" if code == corpus.gold[row] else "✗ wrong"
        assert f"{gold} → {names[code]} {word}" in tip["text"]
        has_gloss = 1 in (code, corpus.gold[row])
        assert (f"{GIVEN.name}: {GIVEN.gloss}" in tip["text"]) == has_gloss
        confidence = float(tip["text"].split("logistic, confidence ")[1][:4])
        assert confidence == pytest.approx(words.scores[rows_of_line].max(), abs=0.01)


@pytest.mark.parametrize(
    ("row", "text", "expected"),
    [
        (0, True, ["the bank", "money", "train 1"]),
        (1, True, ["A Bank of Sand", "shore → shore ✓ correct",
                    "test 0 · logistic, confidence 1.00"]),
        (4, True, ["x bank y", "shore → money ✗ wrong",
                    "test 1 · logistic, confidence 0.20"]),
        (0, False, ["(train 1: this report omits sentences)", "money", "train 1"]),
    ],
)  # fmt: skip
def test_instance_in_words(chromium: Browser, row: int, text: bool, expected: list[str]) -> None:
    body = """const [packed, row] = arguments, data = wsd.wordData(packed);
        const state = wsd.wordState(data, { choice: 1, classifier: 0, query: "" });
        const text = wsd.wordText(data, state);
        return [text.sentence(row), text.verdict(row), text.numbers(row)]
          .map((element) => element.textContent);"""
    scripts = ("page.js", "extra-columns.js", "word-data.js", "word-state.js", "word-text.js")
    assert evaluate(chromium, scripts, body, made_data(text=text), row) == expected


def test_a_long_sentence_is_cut_around_the_word(chromium: Browser) -> None:
    """The card has the whole sentence; a script without spaces is cut between characters."""
    body = """const [packed, side] = arguments, data = wsd.wordData(packed);
        data.sentence = () => [side, "bank", side];
        const state = wsd.wordState(data, { choice: 1, classifier: 0, query: "" });
        const text = wsd.wordText(data, state);
        return [text.sentence(0), text.sentence(0, true)].map((element) => element.textContent);"""
    scripts = ("page.js", "extra-columns.js", "word-data.js", "word-state.js", "word-text.js")
    for side, left, right in (
        ("words " * 60, "words " * 26, "words " * 26),
        ("\N{CJK UNIFIED IDEOGRAPH-6CB3}" * 200, "\N{CJK UNIFIED IDEOGRAPH-6CB3}" * 160, ""),
        ("x" * 160, "", ""),
    ):
        side = side.strip()
        shown, whole = evaluate(chromium, scripts, body, made_data(text=True), side)
        assert whole == f"{side} bank {side}"
        dots = "\N{HORIZONTAL ELLIPSIS}"
        left, right = left.strip(), (right or left).strip()
        assert shown == (f"{dots} {left} bank {right} {dots}" if left else whole)


@pytest.mark.parametrize(
    ("row", "glosses", "expected"),
    [
        (0, ["where <money> is kept", "a strip"], "money: where <money> is kept"),
        (1, ["where <money> is kept", "a strip"], "shore: a strip"),
        (4, ["where <money> is kept", "a strip"], "shore: a stripmoney: where <money> is kept"),
        (4, ["where <money> is kept", ""], "money: where <money> is kept"),
        (1, ["where <money> is kept", ""], None),
        (0, ["", ""], None),
    ],
)
def test_glosses_of_the_senses(
    chromium: Browser, row: int, glosses: list[str], expected: str | None
) -> None:
    body = """const [packed, row] = arguments, data = wsd.wordData(packed);
        const state = wsd.wordState(data, { choice: 1, classifier: 0, query: "" });
        const text = wsd.wordText(data, state);
        const box = text.glosses(row);
        return box.hidden ? null : box.textContent;"""
    scripts = ("page.js", "extra-columns.js", "word-data.js", "word-state.js", "word-text.js")
    assert evaluate(chromium, scripts, body, made_data(glosses=glosses), row) == expected


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("", []),
        ("bank", ["Bank"]),
        (" A ", ["A", "a", "a"]),
        ("of s", ["of S"]),
        ("İ", []),
        ("x", []),
    ],
)
def test_hits_of_the_search_are_marked(chromium: Browser, query: str, hits: list[str]) -> None:
    body = """const [packed, query] = arguments, data = wsd.wordData(packed);
        const state = wsd.wordState(data, { choice: 1, classifier: 0, query });
        const sentence = wsd.wordText(data, state).sentence(1);
        const marks = [...sentence.querySelectorAll("mark")].map((mark) => mark.textContent);
        return [sentence.textContent, marks];"""
    scripts = ("page.js", "extra-columns.js", "word-data.js", "word-state.js", "word-text.js")
    assert evaluate(chromium, scripts, body, made_data(), query) == ["A Bank of Sand", hits]
