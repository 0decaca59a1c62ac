"""The tables of calibration of the selected probabilities, from small results."""

import contextlib
import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import small_results
from log_state import logs_as_before

from wsd.artifacts.predictions import CV, WordPredictions, read_predictions, write_predictions
from wsd.cli import main
from wsd.fitted.calibration import sample_size
from wsd.fitted.selected_results import Results
from wsd.fitted.word_classifier import Fitting, stored_probabilities, stored_temperatures
from wsd.fitted.wsd_file import WsdFile
from wsd.metrics import reliability

RESULTS = "results/quickstart"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("small")
    with logs_as_before(), contextlib.chdir(root):
        small_results.build(root)
        call = ["calibration", "--results", RESULTS, "--model", "tiny", "--out", f"{RESULTS}/tiny"]
        assert main(call) == 0
        small_results.map_files(Path(RESULTS))
        assert main(["fit", "--results", RESULTS, "--out", "model.wsd"]) == 0
    return root


def rows(root: Path, table: str, **equal: str) -> list[dict[str, str]]:
    with (root / RESULTS / "tiny" / f"{table}.csv").open(newline="") as file:
        results = list(csv.DictReader(file))
    return [row for row in results if all(row[k] == v for k, v in equal.items())]


@pytest.mark.slow
def test_the_error_of_the_scores_is_that_of_the_stored_predictions(root: Path) -> None:
    results = Results(root / RESULTS)
    chosen = results.choose("tiny")
    words, source = read_predictions(results.predictions(chosen))
    assert source["estimator"] != "nearest_centroid"
    confidence = np.concatenate([np.nanmax(w.scores, axis=1) for w in words])
    correct = np.concatenate([w.predicted == w.gold for w in words])
    (row,) = rows(root, "calibration", word="(all)", scores="raw")
    assert float(row["ece"]) == pytest.approx(
        reliability.calibration_error(confidence, correct), abs=1e-5
    )
    assert int(row["n"]) == len(correct) == 50
    assert float(row["accuracy"]) == pytest.approx(correct.mean(), abs=1e-5)
    assert row["layers"] == chosen.layers
    bins = rows(root, "reliability", scores="raw")
    assert sum(int(row["n"]) for row in bins) == 50
    assert all(
        float(b["accuracy_low"]) <= float(b["accuracy"]) <= float(b["accuracy_high"]) for b in bins
    )


@pytest.mark.slow
def test_the_temperature_is_that_of_the_training_set_alone(root: Path, tmp_path: Path) -> None:
    """Scores and labels of test rows do not change the temperatures; out-of-fold rows do."""
    results = Results(root / RESULTS)
    path = results.predictions(results.choose("tiny"))
    (row,) = rows(root, "calibration", word="crane", scores="calibrated")
    temperatures = stored_temperatures(path)
    assert float(row["temperature"]) == temperatures["crane"]
    (test, source), (held_out, _) = (read_predictions(path, split) for split in ("test", CV))
    out = tmp_path / "changed.parquet"

    def spoilt(words: list[WordPredictions]) -> list[WordPredictions]:
        return [replace(word, gold=1 - word.gold) for word in words]

    write_predictions(out, [*spoilt(test), *held_out], source)
    assert stored_temperatures(out) == temperatures
    write_predictions(out, [*test, *spoilt(held_out)], source)
    assert stored_temperatures(out) != temperatures
    (untuned,) = (word for word in held_out if word.word != "crane")
    write_predictions(out, [*test, untuned], source)
    assert stored_temperatures(out).keys() == temperatures.keys()
    write_predictions(out, test, source)
    assert stored_temperatures(out) == {}


@pytest.mark.slow
def test_cosines_without_a_temperature_are_no_probabilities(root: Path) -> None:
    results = Results(root / RESULTS)
    near = replace(results.choose("tiny"), view="focal", layers="1", classifier="nearest_centroid")
    words, source = read_predictions(results.predictions(near))
    for word in words:
        assert np.isnan(stored_probabilities(word, source, None)).all()
        np.testing.assert_allclose(stored_probabilities(word, source, 0.1).sum(axis=1), 1)


@pytest.mark.slow
def test_an_encoder_that_has_seen_labels_has_no_temperature(root: Path, tmp_path: Path) -> None:
    results = Results(root / RESULTS)
    words, source = read_predictions(results.predictions(results.choose("tiny")), CV)
    model = {**source["encoder"]["model"], "finetuned_from": "tiny"}
    out = tmp_path / "finetuned.parquet"
    write_predictions(out, words, {**source, "encoder": {"model": model}})
    assert stored_temperatures(out) == {}


@pytest.mark.slow
def test_the_model_file_has_the_temperatures_of_the_table(root: Path) -> None:
    results = Results(root / RESULTS)
    file = WsdFile(root / "model.wsd")
    fitted = Fitting(results, results.choose("tiny"))
    for word in file.words:
        (row,) = rows(root, "calibration", word=word, scores="calibrated")
        temperature = file.word(word).temperature
        assert temperature == fitted.word(word).temperature
        assert float(row["temperature"]) == pytest.approx(temperature, abs=1e-12)


@pytest.mark.slow
def test_the_scores_of_probabilities_are_those_of_the_stored_predictions(root: Path) -> None:
    results = Results(root / RESULTS)
    words, _ = read_predictions(results.predictions(results.choose("tiny")))
    losses = [-np.log(w.scores[np.arange(len(w.gold)), w.gold]) for w in words]
    (row,) = rows(root, "calibration", word="(all)", scores="raw")
    assert float(row["nll"]) == pytest.approx(np.concatenate(losses).mean(), abs=1e-5)
    difference = float(row["confidence"]) - float(row["accuracy"])
    assert float(row["gap"]) == pytest.approx(difference, abs=2e-6)
    squares = [np.square(w.scores - np.eye(w.scores.shape[1])[w.gold]).sum(axis=1) for w in words]
    assert float(row["brier"]) == pytest.approx(np.concatenate(squares).mean(), abs=1e-5)
    assert 0 < float(row["ece_floor"]) < float(row["ece_floor_95"]) < 1


@pytest.mark.slow
def test_labels_stay_and_other_words_are_counted(root: Path) -> None:
    raw, calibrated = (
        rows(root, "calibration", word="(all)", scores=kind)[0] for kind in ("raw", "calibrated")
    )
    assert raw["accuracy"] == calibrated["accuracy"]
    assert {row["sentences"] for row in rows(root, "ood")} == {"test", "other words"}
    (of_others,) = rows(root, "ood", sentences="other words", word="crane")
    assert int(of_others["n"]) == 25
    assert of_others["accuracy_ood"] == ""


def test_the_time_for_many_words_is_linear() -> None:
    assert [sample_size(words) for words in (1, 2, 20, 21, 101, 642, 5000)] == [
        *(50, 50, 50, 50, 10, 1, 1)
    ]


@pytest.mark.slow
def test_the_card_quotes_the_tables(root: Path) -> None:
    import zipfile

    with zipfile.ZipFile(root / "model.wsd") as file:
        card = file.read("README.md").decode()
    (row,) = rows(root, "calibration", word="(all)", scores="calibrated")
    cells = [f"{100 * float(row[name]):.1f}" for name in ("accuracy", "confidence", "gap")]
    beginning = ["calibrated", "50", f"{float(row['nll']):.4f}", *cells]
    assert f"| {' | '.join(beginning)} |" in card
    (ood,) = rows(root, "ood", word="(all)", sentences="other words")
    assert f"| other words | 50 | {100 * float(ood['ood']):.1f} |" in card
