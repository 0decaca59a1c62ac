"""word-text.js: an instance in words."""

from pathlib import Path

import pytest
from browser import Browser
from made_report import HOSTILE, Run, predictions_of
from word_pages import hover, rows_of

from wsd.corpus import Corpus


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
        assert corpus.senses[corpus.gold[row]] in tip["text"]
        assert f"{split} {line}" in tip["text"]
        tags = ["B", "BDI", "DIV", *(["SPAN"] if split == "test" else []), "STYLE"]
        assert tip["tags"] == tags
        assert tip["width"] <= 400
        if split == "train":
            assert "logistic" not in tip["text"]
            continue
        words = predictions_of(run, "bank", "2", "logistic")
        of = words.index == line
        code = int(words.predicted[of][0])
        word = "✓ ok" if code == corpus.gold[row] else "✗ wrong"
        gold = corpus.senses[corpus.gold[row]]
        assert f"{gold} → {corpus.senses[code]} {word}" in tip["text"]
        told = float(tip["text"].split("logistic, confidence ")[1][:4])
        assert told == pytest.approx(words.scores[of].max(), abs=0.01)
