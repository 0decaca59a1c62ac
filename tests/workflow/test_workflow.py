"""The real workflow, with a tiny encoder on words of the built-in corpus."""

import csv
import json
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from checkout import Checkout
from require import missing, needs

from wsd.studies.registry import STUDIES

pytestmark = pytest.mark.slow

KEYS = ["model", "train", "draw", "test", "view", "layers", "classifier"]
FIGURES = ["accuracy", "macro_f1", "balanced_accuracy"]
MEANS = ["mean_word_accuracy", "mean_macro_f1", "mean_balanced_accuracy"]
PUBLISHED = {"published": 4, "score": 4} if "systems" in STUDIES else {}
# These rules run after every change of the candidates.
LAST = "select classify_selected calibration evaluate compare layerwise figures report"
TO_THE_END = dict.fromkeys(LAST.split(), 1)
LAYERS = [1, "mean-all"]
CLASSIFIERS = [{"name": "nearest_centroid"}, {"name": "logistic", "C": [0.01, 1]}]
BASELINES = ("most_frequent_sense", "bag_of_words", "position_length")
# Offline settings, for tests without a network on machines that have one.
NO_NETWORK = {
    **dict.fromkeys(("HTTPS_PROXY", "https_proxy"), "http://127.0.0.1:9"),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), ""),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout.create(tmp_path_factory.mktemp("repository") / "wsd")


@pytest.fixture(scope="module")
def config(checkout: Checkout) -> dict:
    return {
        "dataset": "quickstart",
        "words": ["bank", "crane"],
        "models": [checkout.tiny_model()],
        "layers": LAYERS,
        "tuning": {"folds": 3, "repeats": 1},
        "classifiers": CLASSIFIERS,
        "projections": ["pca"],
        "controls": {"baselines": True},
    }


@pytest.fixture(scope="module")
def small(checkout: Checkout, config: dict) -> str:
    """Return the config file of a finished run."""
    path = checkout.configure("small", **config)
    first = checkout.run("--cores", "2", "--configfile", path)
    single = ("corpus", "folds", "model", "embed", "alignment")
    each = {"classify": 4, "project": 2, "neighbours": 2, "baseline": len(BASELINES)}
    assert first.jobs == {**dict.fromkeys(single, 1), **each, **TO_THE_END}
    assert_leaderboard(first.text, checkout)
    return path


def assert_leaderboard(text: str, checkout: Checkout) -> None:
    best = max(float(r["mean_macro_f1"]) for r in rows(checkout, "summary")
               if r["view"] != "per-word")  # fmt: skip
    lines = text[text.index("Best on the test set") :].splitlines()
    assert f"{100 * best:.2f}" in lines[2]
    selected = text[text.index("Selected by cross-validation") :].splitlines()
    assert sum("per-word" in line for line in selected[2:4]) == 1
    assert str(checkout.root / "results/quickstart/report/index.html") in text


def rows(checkout: Checkout, table: str = "scores", dataset: str = "quickstart") -> list[dict]:
    with (checkout.root / f"results/{dataset}/{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_tables_have_all_configurations(checkout: Checkout, small: str) -> None:
    """Do the tables have a row for everything that I asked for?"""
    scores = rows(checkout)
    assert list(scores[0]) == [*KEYS, "word", "n_senses", "n_train", "n_test", *FIGURES]
    actual = [(r["model"], r["layers"], r["classifier"], r["word"]) for r in scores]
    assert actual == [
        ("tiny", layers, classifier, word)
        for layers in ("1", "mean-all")
        for classifier in ("logistic", "nearest_centroid")
        for word in ("bank", "crane")
    ] + [("tiny", "per-word", "per-word", word) for word in ("bank", "crane")]
    assert list(rows(checkout, "summary")[0]) == [*KEYS, "micro_accuracy", *MEANS]
    results = checkout.root / "results"
    provenance = json.loads((results / "quickstart/provenance.json").read_text())
    assert provenance["command"].endswith("--configfile config/small.yaml")
    assert provenance["models"]["tiny"]["model"]["files"]["model.safetensors"]
    assert set(provenance["corpus"]) == {"bank", "crane"} and provenance["versions"]["scikit-learn"]
    logs = [path.read_text().splitlines()[-1] for path in (results / "logs").rglob("*.log")]
    assert len(logs) > 15 and {json.loads(last)["message"] for last in logs} == {"done"}
    chosen = json.loads((results / "quickstart/selection.json").read_text())
    assert chosen["candidates"] == {"tiny, full": 4}
    assert chosen["folds"] == {"full": {"k": 3, "repeats": 1, "seed": 1}}
    comparison = rows(checkout, "comparison")
    assert {row["classifier"] for row in comparison} >= {*BASELINES, "per-word", "logistic"}
    assert [row["kind"] for row in comparison].count("selected") == 1


def test_a_second_run_has_nothing_to_do(checkout: Checkout, small: str) -> None:
    """Does a second run compute anything, even if every source has a new date?"""
    sources = [
        *checkout.root.glob("wsd/**/*.py"),
        *checkout.root.glob("wsd/data/quickstart/**/*.txt"),
        *checkout.root.glob("results/quickstart/store/**/*"),
        checkout.root / "config/small.yaml",
    ]
    for source in sources:
        source.touch()
    assert checkout.run("--cores", "2", "--configfile", small).nothing


def test_fewer_words_leave_no_page_behind(checkout: Checkout, config: dict, small: str) -> None:
    """I left a word out: is its page gone, and does going back cost anything?"""
    before = (checkout.root / "results/quickstart/scores.csv").read_text()
    stored = (checkout.root / "results/quickstart/store").rglob("*.safetensors")
    vectors = {path: path.stat().st_ino for path in stored}
    fewer = checkout.configure("fewer", **{**config, "words": ["crane"], "layers": [1]})
    run = checkout.run("--cores", "2", "--configfile", fewer)
    each = {"classify": 2, "project": 1, "neighbours": 1}
    # Results of the removed words stay in the store.
    named = {"corpus": 1, "embed": 1}
    assert run.jobs == {**named, "folds": 1, "baseline": 3, "alignment": 1, **each, **TO_THE_END}
    report = checkout.root / "results/quickstart"
    assert [p.name for p in report.glob("report/words/**/*.html")] == ["crane.html"]
    assert {r["word"] for r in rows(checkout)} == {"crane"}
    assert checkout.run("--cores", "1", "--configfile", small).nothing
    assert (checkout.root / "results/quickstart/scores.csv").read_text() == before
    assert len(vectors) == 2 * 2 and {p: p.stat().st_ino for p in vectors} == vectors


@pytest.mark.parametrize(
    ("changes", "jobs"),
    [
        # concat-last-2 of two blocks is stored as concat-all; -1 is layer 2.
        ({"layers": [*LAYERS, "concat-last-2", "-1", 2]},
         {"classify": 4, "project": 2, "neighbours": 2}),
        ({"tuning": {"folds": 4, "repeats": 1}},
         {"folds": 1, "baseline": 3, "classify": 4, "project": 2}),
        pytest.param(
            {"features": [{"focal": 2, "context": 1}], "projections": ["tsne", "pca"],
             "finetune": {"rate": [1e-3], "epochs": [1]},
             "controls": {"baselines": True, "views": ["context"], "task": True,
                          "random_weights": [1, 2]}},
            {"classify": 2, "project": 2, "finetune": 1, "classify_views": 1, "control_task": 1,
             "model": 2, "embed_control": 2, "classify_random_controls": 2},
            marks=needs("control_task", "finetuning"),
        ),
    ],
    ids=lambda value: "-".join(value),
)  # fmt: skip
def test_a_new_key_adds_only_its_jobs(
    checkout: Checkout, config: dict, small: str, changes: dict, jobs: dict
) -> None:
    """What does one more key in my config cost?"""
    path = checkout.configure("added", **{**config, **changes})
    jobs_by_rule = checkout.run("-n", "--configfile", path).jobs
    jobs_by_rule = {rule: n for rule, n in jobs_by_rule.items() if rule not in TO_THE_END}
    assert jobs_by_rule == jobs


@needs("control_task", "geometry", "audit", "code_length")
def test_a_dry_run_of_the_study(checkout: Checkout, tmp_path: Path) -> None:
    """What does the whole study compute, without a network or a model?

    The numbers are counted by hand, for six blocks.
    """
    files = ["config/minilm.yaml", "config/study.yaml"]
    nowhere = {"HF_HOME": str(tmp_path), "WSD_CACHE": str(tmp_path), **NO_NETWORK}
    run = checkout.run("-n", "--configfile", *files, **nowhere)
    # Layers 0 to 6 and five combinations for each of four classifiers; the mix for one of them;
    # four feature sets of two views for all four.
    candidates = 12 * 4 + 1 + 4 * 4
    # On the other training sets, the two classifiers of the controls (which learn no mix): one job
    # for all sets. Two control views, three random controls and the task have only the single
    # layers, one job for all layers and both classifiers.
    further = (12 + 4) * 2
    single = ("download", "corpus", "training_sets", "control_task", "geometry", "audit")
    assert run.jobs == {
        **dict.fromkeys((*single, "code_length", "alignment", *TO_THE_END), 1),
        "folds": 1 + 6 + 4 * 3,
        **PUBLISHED,
        "model": 1 + 3,
        "embed": 2,
        "embed_control": 3 * 2,
        "classify": candidates,
        "classify_views": 2,
        "classify_random_controls": 3,
        "classify_trains": further,
        "baseline": 3,
        "project": 24,
        "neighbours": 12,
    }
    assert list(tmp_path.iterdir()) == []


@needs("finetuning", "glosses", "geometry", "audit", "code_length")
def test_the_groups_of_slurm_fit_every_step(checkout: Checkout) -> None:
    """Do the groups of the SLURM profile fit every step? Snakemake refuses gaps."""
    if find_spec("snakemake_executor_plugin_slurm") is None:
        missing("slurm", "Snakemake's executor for it is not installed")
    files = [f"config/{name}.yaml" for name in ("minilm", "study", "finetune")]
    queue = ("--profile", "profiles/slurm", "--cores", "4")
    run = checkout.run("-n", *queue, "--configfile", *files, "--config", "glosses=corpus")
    assert {"finetune", "zero_shot", "audit", "code_length"} <= set(run.jobs)


def test_a_real_word_end_to_end(tmp_path: Path, archive: Path, minilm: str) -> None:
    """Does a real word of CoarseWSD-20 work from the archive to the pages?"""
    checkout = Checkout.create(tmp_path / "wsd")
    asked = {"words": ["digit"], "trains": ["1pct"], "layers": [0, 6], "tuning": {"repeats": 1}}
    controls = {"baselines": False, "classifiers": ["nearest_centroid"]}
    centroid = [{"name": "nearest_centroid"}]
    checkout.configure(
        "digit", **asked, classifiers=centroid, controls=controls, projections=["pca"]
    )
    files = ["config/minilm.yaml", "config/digit.yaml"]
    run = checkout.run("--cores", "2", "--configfile", *files, WSD_COARSEWSD20_ARCHIVE=str(archive))
    assert "CC BY-NC 4.0" in run.text
    scores = rows(checkout, dataset="coarsewsd20")
    # Two layers on both sets, and each word's choice. Published results cover the full set.
    by_set = Counter((r["train"], r["test"]) for r in scores)
    published = PUBLISHED.get("published", 0)
    assert (by_set["full", "test"], by_set["1pct", "test"]) == (2 + 1 + published, 2)
    tested = [r for r in scores if (r["train"], r["test"]) == ("full", "test")]
    assert {(r["word"], r["n_train"], r["n_test"]) for r in tested} == {("digit", "68", "42")}
    best = {(r["layers"], r["classifier"]): float(r["macro_f1"]) for r in tested}
    # Any sound extraction separates numerals from fingers; layer 0, the word type, does not.
    assert best["6", "nearest_centroid"] > 0.9 > best["0", "nearest_centroid"]
    index = (checkout.root / "results/coarsewsd20/report/index.html").read_text()
    assert "CC BY-NC 4.0" in index
    assert "Computational Linguistics 47(2), 2021" in index


def test_a_corpus_too_small_to_fold(tmp_path: Path) -> None:
    """My corpus is tiny: is a choice among candidates refused, and a single one run?"""
    checkout = Checkout.create(tmp_path / "wsd")
    lines = [
        f"{word}\t{sense}\t{split}\t{split} {x} *{word}* {sense} {x}\n"
        for word, n in (("ash", 3), ("elm", 2))
        for sense in ("tree", "name")
        for split, number in (("train", n), ("test", 2))
        for x in "abc"[:number]
    ]
    (checkout.root / "rows.tsv").write_text("word\tsense\tsplit\tsentence\n" + "".join(lines))
    checkout.wsd("import", "rows.tsv", "--out", "mine", "--name", "mine")
    common = {
        **{"dataset": {"name": "mine", "path": "mine"}, "layers": [1], "words": "all"},
        **{"models": [checkout.tiny_model()], "projections": ["pca"]},
    }
    refused = checkout.run("-n", "--configfile", checkout.configure("several", **common), code=1)
    assert "5 folds (at most 3)" in refused.text and "Traceback" not in refused.text
    assert not (checkout.root / "results/mine").exists()
    fewer = checkout.configure("fewer", **common, tuning={"folds": 2})
    assert checkout.run("-n", "--configfile", fewer).jobs["select"] == 1
    single = {"classifiers": [{"name": "nearest_centroid"}], "controls": {"baselines": False}}
    one = checkout.configure("one", **common, **single)
    checkout.run("--cores", "2", "--no-hooks", "--configfile", one)
    (row,) = rows(checkout, "selection", "mine")
    assert row["selected"] == "True" and not (row["objective"] or row["share_first"])
    index = checkout.root / "results/mine/report/index.html"
    assert "Nothing was selected" in index.read_text()
