"""The small plots of the first page."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_builder import CHOSEN, MODEL, SENSES, Run, predictions_of

from wsd.report.pages import gallery


def test_the_film_strip_has_the_word_with_the_largest_gain(run: Run) -> None:
    report = run.load()
    scores = {word: words.scores["logistic"] for word, words in report.words[MODEL].items()}

    def strip(**values: tuple[float, float, float]) -> dict[str, Any]:
        for word, own in zip(SENSES, values.values(), strict=True):
            for layer, value in enumerate(own):
                scores[word][layer]["macro_f1"] = value
        return gallery.film_strip(report) or {}

    shown = strip(bank=(0.5, 0.75, 0.625), other=(0.75, 0.875, 0.5))
    assert (shown["word"], shown["best"]["layer"]) == ("bank", 1)
    assert [frame["macro_f1"] for frame in shown["frames"]] == [0.5, 0.75, 0.625]
    corpus = run.corpora["bank"]
    for frame in shown["frames"]:
        counts = [len(places.split()) for places in frame["senses"]]
        assert counts == np.bincount(corpus.gold[corpus.split == "test"], minlength=3).tolist()
    shown = strip(bank=(0.5, 0.55, 0.5), other=(0.75, 0.875, 0.5))
    assert shown["word"] == "a&b #1 <i>%"


def test_frames_share_their_axes(run: Run) -> None:
    """PCA's unit is the layer's total standard deviation; the largest coordinate is 100."""
    report = run.load()
    results = report.words[MODEL]["bank"]
    placed = gallery.on_same_axes(results, [0, 1], "pca")
    train = results.corpus.split == "train"
    spreads = []
    for projection in results.projections["pca"][:2]:
        total = projection.points[train, 0].std() / np.sqrt(projection.explained[0])
        spreads.append(np.ptp(projection.points[~train] / total, axis=0))
    ratio = [np.ptp(points, axis=0) / reach for points, reach in zip(placed, spreads, strict=True)]
    np.testing.assert_allclose(ratio, np.full((2, 2), np.mean(ratio)), rtol=0.02)
    assert np.abs(np.concatenate(placed)).max() == gallery.LARGEST
    # The second axis of an LDA with two senses has a scale of its own.
    two = replace(results, corpus=replace(results.corpus, senses=("a", "b")))
    two = replace(two, projections={"discriminant": results.projections["pca"]})
    apart = np.concatenate(gallery.on_same_axes(two, [0, 1], "discriminant"))
    assert np.abs(apart).max(axis=0).tolist() == [100, 100]


def test_the_first_words_have_a_plot_without_a_script(
    run: Run, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, report = (built / "report/index.html").read_text(encoding="utf-8"), run.load()
    for (word, corpus), plot in zip(run.corpora.items(), gallery.still_plots(report), strict=True):
        words = predictions_of(run, word, CHOSEN[word], "logistic")
        assert len(plot["errors"].split()) == (words.predicted != words.gold).sum()
        counts = [len(places.split()) for places in plot["senses"]]
        assert counts == np.bincount(corpus.gold[corpus.split == "test"]).tolist()
        assert all(places in index for places in plot["senses"])
    monkeypatch.setattr(gallery, "STILL", 1)
    assert len(gallery.still_plots(report)) == 1
