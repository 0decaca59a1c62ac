"""The tables of calibration of the selected probabilities, from small results."""

import contextlib
import csv
from pathlib import Path

import numpy as np
import pytest
import small_results
from log_state import logs_as_before

from wsd.artifacts import predictions
from wsd.cli import main
from wsd.fitted.calibration import sample_size
from wsd.fitted.selected_results import Results
from wsd.fitted.train_selected import Fitting, Learner
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
    words, source = predictions.read_predictions(results.predictions(chosen))
    assert source["estimator"] != "nearest_centroid"
    confidence = np.concatenate([np.nanmax(w.scores, axis=1) for w in words])
    correct = np.concatenate([w.predicted == w.gold for w in words])
    (row,) = rows(root, "calibration", word="(all)", scores="as they are")
    assert float(row["ece"]) == pytest.approx(
        reliability.calibration_error(confidence, correct), abs=1e-5
    )
    assert int(row["n"]) == len(correct) == 50
    assert float(row["accuracy"]) == pytest.approx(correct.mean(), abs=1e-5)
    assert row["layers"] == chosen.layers
    bins = rows(root, "reliability", scores="as they are")
    assert sum(int(row["n"]) for row in bins) == 50
    assert all(
        float(b["accuracy_low"]) <= float(b["accuracy"]) <= float(b["accuracy_high"]) for b in bins
    )


@pytest.mark.slow
def test_the_temperature_is_that_of_the_training_set_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors and labels of test rows do not change the temperature."""
    results = Results(root / RESULTS)
    learner = Learner(Fitting(results, results.choose("tiny")), "crane")
    before = learner.temperature()
    (row,) = rows(root, "calibration", word="crane", scores="calibrated")
    assert float(row["temperature"]) == pytest.approx(before, abs=1e-5)
    test = learner.corpus.split == "test"
    learner.vectors[test] = 7.0
    learner.corpus.gold[test] = 0
    assert learner.temperature() == before


@pytest.mark.slow
def test_labels_stay_and_other_words_are_counted(root: Path) -> None:
    raw, calibrated = (
        rows(root, "calibration", word="(all)", scores=kind)[0]
        for kind in ("as they are", "calibrated")
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
    assert f"| calibrated | 50 | {100 * float(row['accuracy']):.1f} |" in card
    (ood,) = rows(root, "ood", word="(all)", sentences="other words")
    assert f"| other words | 50 | {100 * float(ood['ood']):.1f} |" in card
