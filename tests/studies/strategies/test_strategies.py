"""Comparison of strategies: the content of the table, from files by hand with known scores."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from call_step import call_step
from same_results import differences
from two_words import (
    FAIR,
    FEW,
    GOOD,
    GRID,
    MANY,
    POOR,
    SOME,
    Pair,
    Wrong,
    confusions,
    corpora,
    joints,
    pair,
    words,
)
from wsd.artifacts.job_logs import processor_seconds
from wsd.metrics.intervals_over_runs import differences_over_runs, scores_over_runs
from wsd.studies.strategies import strategies
from wsd.studies.strategies.costs import Costs, Spent
from wsd.studies.strategies.gather import Run, Strategy
from wsd.studies.strategies.strategies import COLUMNS

from wsd.artifacts import predictions
from wsd.artifacts.run_json import RunMap, write_map
from wsd.errors import ResultError
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.metrics import permutation
from wsd.metrics.confidence_intervals import mean_intervals
from wsd.metrics.counts import Counts, count_kinds
from wsd.metrics.over_words import detectable
from wsd.metrics.scores import mean_scores
from wsd.storage.json import write_json

F1 = "mean_macro_f1"
OF_M = "m/predictions/full"
# By the file that each step makes.
SECONDS = {
    "m/embeddings/alignment.1.json": 60.0,
    "m/embeddings/alignment.2.json": 30.0,
    "m/gloss-vectors/alignment.1.json": 3.0,
    "m/zero-shot/10.gloss.parquet": 3.0,
    f"{OF_M}/focal/1.lda.parquet": 6.0,
    f"{OF_M}/focal/2.lda.parquet": 12.0,
    f"{OF_M}/focal/mean-all.lda.parquet": 24.0,
    f"{OF_M}/per-word/per-word.per-word.parquet": 9.0,
    "baselines/most_frequent_sense.parquet": 1.5,
}
COSTS = "m/finetune/full/costs.csv"


TRAINED = {"parameters": {"rate": 1e-4, "epochs": 2, "blocks": "all"}, "tried": 2}


def f1(wrong: Wrong) -> float:
    return float(mean_scores(confusions(wrong))[F1])


def counts(*wrong: Wrong) -> list[Counts]:
    """Return the counts of each word, with a system for each set of errors."""
    return [
        count_kinds([runs[0].gold, *(run.predicted for run in runs)], len(runs[0].senses))
        for runs in zip(*map(words, wrong), strict=True)
    ]


def near(value: Any) -> Any:
    """Round as in a file with six decimals."""
    return pytest.approx(value, abs=6e-7, nan_ok=True)


def file(folder: Path, wrong: Wrong, n_train: int = 10, **over: Any) -> Path:
    """Predictions with known errors."""
    source = {
        "train": "full", "view": "focal", "layers": "-", "task": "sense", "classifier": "x",
        "estimator": "x", "encoder": {"model": {"name": "m", "blocks": 12}},
        "corpus": {word: corpus.digest for word, corpus in corpora().items()}, **over,
    }  # fmt: skip
    path = folder / f"file-{len(list(folder.glob('*.parquet')))}.parquet"
    made = [replace(prediction, n_train=n_train) for prediction in words(wrong)]
    predictions.write_predictions(path, made, source)
    return path


def keyed(name: str) -> str:
    """Where a run has a file in its store."""
    stem, dot, suffix = name.rpartition(".")
    return f"store/{stem}@0123456789{dot}{suffix}".replace("m/", "m@abcdefabcd/", 1)


def log_of(folder: Path, name: str, seconds: float | str) -> None:
    path = (folder / Path(keyed(name)).relative_to("store")).with_suffix(".log")
    path.parent.mkdir(parents=True, exist_ok=True)
    last = {"message": "done", "processor_seconds": seconds, "peak_mb": 99}
    path.write_text('{"message": "1 of 2 words"}\n' + json.dumps(last) + "\n")


def map_of(folder: Path, *names: str) -> Path:
    """The map of a run that has files of these names."""
    (folder / "store").mkdir(exist_ok=True)
    paths = [f"results/x/{keyed(name)}" for name in names]
    about = {"config": {}, "command": "", "digests": {}}
    write_map(folder / "run.json", paths, "results/x", about)
    return folder / "run.json"


def three(folder: Path, test: tuple[Wrong, ...] = (FEW, SOME, MANY), **other: Any) -> list[Pair]:
    """Layer 2 is best by cross-validation; by default layer 1 is best on the test set."""
    names, folds = ("1", "2", "mean-all"), (FAIR, GOOD, POOR)
    return [pair(folder, *entry, **other) for entry in zip(names, test, folds, strict=True)]


def table(
    folder: Path,
    *pairs: Pair,
    selected: str = "2",
    seconds: Mapping[str, float | str] = SECONDS,
    **files: list[Path],
) -> pd.DataFrame:
    names = {"view": "focal", "layers": selected, "classifier": "lda"}
    chosen = {"m": {"full": {"all": names}}}
    write_json(folder / "selection.json", {"objective": F1, "chosen": chosen})
    for name, taken in seconds.items():
        log_of(folder / "b", name, taken)
    call_step(
        strategies,
        corpora(),
        candidates=[entry for entry, _ in pairs],
        searches=[other for _, other in pairs],
        selection=folder / "selection.json",
        map=map_of(folder, *SECONDS, *seconds, COSTS),
        logs=folder / "b",
        out=folder / "out/strategies.csv",
        **files,
    )
    return pd.read_csv(
        folder / "out/strategies.csv", dtype={"layers": str, f"{F1}_of_runs": str}
    ).set_index("strategy", drop=False)


def everything(folder: Path, **other: Any) -> pd.DataFrame:
    """Return every strategy except the bag of substitutes; three seeds of a fine-tuned encoder."""
    none = {"encoder": {"model": {"name": "no encoder", "blocks": 0}}}
    glosses = {"train": "none", "classifier": "gloss", "n_train": 0}
    costs = folder / keyed(COSTS)
    costs.parent.mkdir(parents=True)
    costs.write_text(
        "trial,seed,processor_seconds,wall_seconds\n1,,30,9\n2,,30,9\n,1,60,9\n,2,120,9\n,3,180,9\n"
    )
    return table(
        folder,
        *three(folder),
        baselines=[file(folder, MANY, classifier="most_frequent_sense", **none)],
        zero_shot=[
            file(folder, FEW, layers="9", **glosses),
            file(folder, MANY, layers="10", **glosses),
        ],
        per_word=[file(folder, SOME, layers="per-word", view="per-word")],
        finetuned=[
            file(folder, wrong, layers="finetuned", classifier=f"finetuned-{i}", **TRAINED)
            for i, wrong in enumerate((FEW, SOME, MANY), 1)
        ],
        **other,
    )


def test_every_strategy_with_its_labels_and_minutes(tmp_path: Path) -> None:
    actual = everything(tmp_path)
    assert list(actual.columns) == COLUMNS
    shown = actual[["train", "layers", "labels", "processor_minutes"]].fillna("?").T.to_dict("list")
    # Embedding takes 90 s; glosses take 6 s more.
    assert shown == {
        "most frequent sense": ["full", "-", 20, near(1.5 / 60)],
        "zero-shot (gloss)": ["none", "10", 0, near(96 / 60)],
        "best frozen layer": ["full", "2", 20, near(102 / 60)],
        "frozen features": ["full", "2", 20, near(102 / 60)],
        "frozen per word": ["full", "per-word", 20, near((90 + 42 + 9) / 60)],
        "fine-tuned": ["full", "finetuned", 20, near(2.0)],
    }
    searched = actual["processor_minutes_with_search"]
    assert searched["best frozen layer"] == near(108 / 60)
    assert searched["frozen features"] == near(132 / 60)
    assert searched["fine-tuned"] == near((30 + 30 + 120) / 60)


@pytest.mark.parametrize(("tried", "selected_by"), [(2, "cross-validation"), (0, "as given")])
def test_how_an_encoder_was_trained_and_who_chose_it(
    tmp_path: Path, tried: int, selected_by: str
) -> None:
    files = [
        file(tmp_path, FEW, layers="finetuned", **{**TRAINED, "tried": tried, "train": train})
        for train in ("full", "nshot-3.set1", "nshot-3.set2", "nshot-3.set1")
    ]
    more = [pair(tmp_path, "2", FEW, FAIR, train=f"nshot-3.set{i}") for i in (1, 2)]
    actual = table(tmp_path, *three(tmp_path), *more, finetuned=files).loc["fine-tuned"]
    assert actual["setting"].tolist() == ["rate 0.0001, 2 epochs, blocks all"] * 2
    assert actual["selected_by"].tolist() == [selected_by] * 2
    assert actual["runs"].tolist() == [1, 3] and actual["draws"].tolist() == [1, 2]


def test_seeds_have_a_mean_and_single_rows(tmp_path: Path) -> None:
    row = everything(tmp_path).loc["fine-tuned"]
    each = [f1(wrong) for wrong in (FEW, SOME, MANY)]
    assert row["runs"] == 3 and row[F1] == near(np.mean(each)) and row[F1] < max(each)
    assert list(map(float, row[f"{F1}_of_runs"].split())) == near(each)
    score = scores_over_runs(counts(FEW, SOME, MANY), ["full"] * 3, rng=1)[F1]
    names = [f"{F1}{end}" for end in ("_low", "_high", "_sd")]
    assert row[names].tolist() == near([score.low, score.high, np.std(each, ddof=1)])
    pairs = counts(FEW, SOME, SOME, SOME, MANY, SOME)
    difference = differences_over_runs(pairs, ["full"] * 3, rng=1)[F1]
    assert row[f"{F1}_difference"] == near(np.mean(each) - f1(SOME))
    assert list(map(float, row[f"{F1}_difference_of_runs"].split())) == near(difference.values)
    ends = [f"{F1}_{end}" for end in ("difference_low", "difference_high", "difference_sd", "p")]
    assert row[ends].tolist() == near(
        [difference.low, difference.high, difference.spread, difference.p]
    )
    names = [f"{F1}_detectable", f"{F1}_detectable_in_family"]
    assert row[names].tolist() == near(
        [detectable(difference.error, family=n, freedom=difference.freedom) for n in (1, 3)]
    )


def test_a_single_run_is_compared_as_everywhere_else(tmp_path: Path) -> None:
    actual = everything(tmp_path)
    row, between = actual.loc["most frequent sense"], joints(MANY, SOME)
    test = permutation.paired_permutations(between, rng=1)[F1]
    assert (row[f"{F1}_difference"], row[f"{F1}_p"]) == near((test.difference, test.p))
    assert row[f"{F1}_difference_high"] == near(test.difference + test.reach)
    assert (row[f"{F1}_low"], row[f"{F1}_high"]) == near(
        mean_intervals(confusions(MANY), rng=1)[F1]
    )
    family = actual[f"{F1}_p"].dropna()
    # Frozen features, and each word's own, have the predictions of the best layer here.
    assert set(family.index) == {"most frequent sense", "zero-shot (gloss)", "fine-tuned"}
    holm = permutation.holm(family.tolist()).tolist()
    assert actual.loc[family.index, f"{F1}_p_holm"].tolist() == pytest.approx(holm, abs=5e-6)


def test_the_same_predictions_have_no_interval_and_no_test(tmp_path: Path) -> None:
    # The selection among all features is the best single layer.
    actual = table(tmp_path, *three(tmp_path))
    same = actual.loc["frozen features"]
    assert same[f"{F1}_difference"] == same["micro_accuracy_difference"] == 0
    ends = [f"{F1}_{end}" for end in ("difference_low", "difference_high", "p", "detectable")]
    assert same[ends].isna().all()
    assert same["labels"] == 20 and actual["labels"].dtype == int


@pytest.mark.parametrize("test", [(FEW, SOME, MANY), (MANY, SOME, FEW), (SOME, MANY, FEW)])
def test_the_test_set_chooses_nothing(tmp_path: Path, test: tuple[Wrong, ...]) -> None:
    actual = table(tmp_path, *three(tmp_path, test))
    assert actual.loc["best frozen layer", "layers"] == "2"
    assert actual.loc["best frozen layer", F1] == near(f1(test[1]))


def test_the_selection_equals_that_of_select(tmp_path: Path) -> None:
    actual = table(tmp_path, *three(tmp_path), selected="mean-all")
    assert actual.loc["frozen features", "layers"] == "mean-all"
    with pytest.raises(ResultError, match="not among the candidates: focal, 7, lda"):
        table(tmp_path, *three(tmp_path), selected="7")


def test_draws_of_a_setting_are_one_row_with_separate_selections(tmp_path: Path) -> None:
    first = three(tmp_path, train="nshot-3.set1")
    second = [
        pair(tmp_path, "1", FEW, GOOD, train="nshot-3.set2"),
        pair(tmp_path, "2", MANY, FAIR, train="nshot-3.set2"),
    ]
    # A job of several training sets has its log where the first one of the config lies.
    job = "m/predictions/nshot-3.set2/focal"
    seconds = {**SECONDS, f"{job}/1.lda.parquet": 8, f"{job}/2.lda.parquet": 4}
    actual = table(tmp_path, *three(tmp_path), *first, *second, seconds=seconds)
    assert actual["train"].tolist() == ["full", "full", "nshot-3", "nshot-3"]
    row = actual[actual["train"] == "nshot-3"].loc["best frozen layer"]
    assert (row["layers"], row["runs"]) == ("2, 1", 2)
    assert row[F1] == near((f1(SOME) + f1(FEW)) / 2)
    # One job made both draws in 4 s and 8 s; each gets half.
    assert row["processor_minutes"] == near((90 + (2 + 4) / 2) / 60)


def test_other_settings_share_a_job_so_that_their_time_is_not_known(tmp_path: Path) -> None:
    trains = ("10pct", "nshot-3.set1")
    more = [files for train in trains for files in three(tmp_path, train=train)]
    seconds = {**SECONDS, "m/predictions/10pct/focal/2.lda.parquet": 4.0}
    actual = table(tmp_path, *three(tmp_path), *more, seconds=seconds)
    assert actual[actual["train"] != "full"]["processor_minutes"].isna().all()


def test_without_folds_only_the_last_layer_is_shown(tmp_path: Path) -> None:
    """With what has nothing to tune, in whatever order they come."""
    untuned: dict[str, Any] = {"untuned": ("bat", "seal"), "train": "nshot-3.set1"}
    few = [
        pair(tmp_path, layers, FEW, {}, **untuned, classifier=name, grid=grid)
        for layers in ("10", "9", "mean-all")
        for name, grid in (("lda", GRID), ("nearest_centroid", [{}]), ("knn", GRID))
    ]
    actual = table(tmp_path, *three(tmp_path), *few)
    (row,) = actual[actual["train"] == "nshot-3"].to_dict("records")
    assert (row["strategy"], row["layers"]) == ("best frozen layer", "10")
    assert row["classifier"] == "nearest_centroid"
    assert row["selected_by"] == "last layer"


def test_missing_words_of_a_training_set_are_in_no_row(tmp_path: Path) -> None:
    bat = [
        pair(tmp_path, layers, FEW, {"bat": GOOD["bat"]}, train="nshot-30.set1")
        for layers in ("1", "2")
    ]
    for path, _ in bat:
        # The corpora are those of every word that was asked for.
        made, source = predictions.read_predictions(path)
        assert len(source["corpus"]) == 2
        predictions.write_predictions(
            path, [prediction for prediction in made if prediction.word == "bat"], source
        )
    actual = table(tmp_path, *three(tmp_path), *bat)
    assert actual[actual["train"] == "nshot-30"]["n_words"].tolist() == [1, 1]


def test_times_alone_differ_from_run_to_run(tmp_path: Path) -> None:
    """And what compares two runs leaves just them out."""
    for folder, factor in (("one", 1.0), ("other", 7.0)):
        (tmp_path / folder).mkdir()
        changed = {name: seconds * factor for name, seconds in SECONDS.items()}
        everything(tmp_path / folder, seconds=changed)
    first, second = (
        pd.read_csv(tmp_path / folder / "out/strategies.csv") for folder in ("one", "other")
    )
    minutes = ["processor_minutes", "processor_minutes_with_search"]
    assert (first[minutes] != second[minutes]).any(axis=None)
    pd.testing.assert_frame_equal(first.drop(columns=minutes), second.drop(columns=minutes))
    first, second = (tmp_path / folder / "out" for folder in ("one", "other"))
    assert differences(first, second) == []
    text = (second / "strategies.csv").read_text()
    (second / "strategies.csv").write_text(text.replace("frozen", "thawed"))
    assert differences(first, second) == ["strategies.csv: differs"]


def test_runs_are_paired_by_their_training_sentences() -> None:
    def strategy(*trains: str) -> Strategy:
        spent = Spent(1.0, 1.0)
        runs = [Run(train, ComparisonRow("", train, "", "", "", []), spent) for train in trains]
        return Strategy("one", "", runs)

    def names(first: Strategy, second: Strategy) -> list[tuple[str, str]]:
        return [(a.train, b.train) for a, b in first.pairs(second)]

    draws = strategy("nshot-3.set1", "nshot-3.set2")
    assert names(draws, draws) == [("nshot-3.set1",) * 2, ("nshot-3.set2",) * 2]
    assert names(strategy("full", "full"), strategy("full")) == [("full", "full")] * 2
    assert names(strategy("none"), strategy("full")) == [("none", "full")]


# Times


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "\n",
            "{",
            "[]",
            '{"message": "killed"}',
            '{"processor_seconds": 3}\n{"message": ""}',
            '{"message": "1 of 2 words", "done_before": 1}\n{"processor_seconds": 3}',
        ),
        *(
            f'{{"processor_seconds": {entry}}}'
            for entry in ("", "null", '"-"', "0.0", "Infinity", '"\xff')
        ),
    ],
)
def test_missing_costs_are_never_zero(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.log").write_bytes(text.encode("latin-1"))
    assert np.isnan(processor_seconds(tmp_path / "a.log"))
    assert np.isnan(processor_seconds(tmp_path / "none.log"))


def test_one_part_without_a_record_leaves_the_sum_open(tmp_path: Path) -> None:
    without = {name: value for name, value in SECONDS.items() if "alignment.2" not in name}
    actual = table(tmp_path, *three(tmp_path), seconds=without)
    assert actual["processor_minutes"].isna().all()
    costs = Costs(RunMap(map_of(tmp_path)), tmp_path / "b", ())
    assert np.isnan(costs.embedding("m")) and np.isnan(costs.finetuning("m", "full").chosen)
