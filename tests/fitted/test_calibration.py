"""The tables of calibration, from small results."""

import csv
from pathlib import Path

import numpy as np
import pytest

from wsd.artifacts.predictions import read_predictions
from wsd.fitted.calibration import sample_size
from wsd.fitted.selected_results import Results
from wsd.fitted.word_classifier import Fitting, Learner, stored_temperatures
from wsd.metrics import reliability

FOLDER = Path("results/quickstart")


@pytest.fixture
def results(small_once: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    monkeypatch.chdir(small_once)
    return Results(FOLDER)


def rows(table: str, **equal: str) -> list[dict[str, str]]:
    with (FOLDER / "tiny" / f"{table}.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if all(row[k] == v for k, v in equal.items())]


def test_the_scores_of_probabilities_are_those_of_the_stored_predictions(results: Results) -> None:
    chosen = results.choose("tiny")
    words, source = read_predictions(results.predictions(chosen))
    assert source["estimator"] != "nearest_centroid"
    confidence = np.concatenate([np.nanmax(w.scores, axis=1) for w in words])
    correct = np.concatenate([w.predicted == w.gold for w in words])
    losses = [-np.log(w.scores[np.arange(len(w.gold)), w.gold]) for w in words]
    squares = [np.square(w.scores - np.eye(w.scores.shape[1])[w.gold]).sum(axis=1) for w in words]
    (row,) = rows("calibration", word="(all)", scores="raw")
    expected = {
        "n": 50,
        "accuracy": correct.mean(),
        "confidence": confidence.mean(),
        "gap": confidence.mean() - correct.mean(),
        "nll": np.concatenate(losses).mean(),
        "brier": np.concatenate(squares).mean(),
        "ece": reliability.calibration_error(confidence, correct),
    }
    assert {name: float(row[name]) for name in expected} == pytest.approx(expected, abs=1e-5)
    assert (row["layers"], row["classifier"]) == (chosen.layers, chosen.classifier)
    assert 0 < float(row["ece_floor"]) < float(row["ece_floor_95"]) < 1
    bins = rows("reliability", scores="raw")
    assert sum(int(row["n"]) for row in bins) == 50
    for row in bins:
        low, accuracy, high = (float(row[f"accuracy{end}"]) for end in ("_low", "", "_high"))
        assert 0 <= low <= accuracy <= high <= 1 and low < high


def test_calibration_changes_probabilities_but_no_label(results: Results) -> None:
    raw, calibrated = (
        rows("calibration", word="(all)", scores=kind)[0] for kind in ("raw", "calibrated")
    )
    assert raw["accuracy"] == calibrated["accuracy"] and raw["nll"] != calibrated["nll"]
    temperatures = stored_temperatures(results.predictions(results.choose("tiny")))
    for word, temperature in temperatures.items():
        (row,) = rows("calibration", word=word, scores="calibrated")
        assert float(row["temperature"]) == pytest.approx(temperature, abs=1e-12)


def test_flags_are_counted_in_the_test_split_and_in_other_words(results: Results) -> None:
    fitting = Fitting(results, results.choose("tiny"))
    assert {row["sentences"] for row in rows("ood")} == {"test", "other words"}
    for word, other in (("crane", "apple"), ("apple", "crane")):
        fitted, stored = fitting.word(word), fitting.stored["test", word]
        for source, kind in ((word, "test"), (other, "other words")):
            learner = Learner(fitting, source)
            of_test = learner.vectors[learner.corpus.split == "test"]
            flags = fitted.is_ood(fitted.answer(of_test).distance)
            (row,) = rows("ood", sentences=kind, word=word)
            assert int(row["n"]) == len(of_test) == 25
            assert float(row["ood"]) == pytest.approx(flags.mean(), abs=1e-6)
            assert int(row["n_train"]) == len(Learner(fitting, word).directions()[0])
            assert float(row["threshold"]) == pytest.approx(fitted.threshold, abs=1e-6)
            if kind == "other words":
                assert row["accuracy_ood"] == row["accuracy_in_distribution"] == ""
            else:
                right = (stored.predicted == stored.gold)[~flags].mean()
                assert float(row["accuracy_in_distribution"]) == pytest.approx(right, abs=1e-6)


def test_the_time_for_many_words_is_linear() -> None:
    sizes = [sample_size(words) for words in (1, 20, 21, 101, 642, 5000)]
    assert sizes == [50, 50, 50, 10, 1, 1]
