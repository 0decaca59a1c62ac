"""What decides each kind of file: every config key changed, one at a time, beside the table."""

import copy
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rich_config
from rich_config import said

from wsd.artifacts.run_map import bare
from wsd.cli import main
from wsd.run.config import check
from wsd.run.digests import Digests, Seen
from wsd.run.file_kinds import EVERY, KINDS
from wsd.run.keys import Keys
from wsd.run.run_files import Files
from wsd.run.schema import ConfigFile
from wsd.studies.registry import STUDIES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rich_config.make(tmp_path_factory.mktemp("keys"))


def paths(config: dict[str, Any], folder: Path) -> dict[str, dict[str, str]]:
    """The files of each kind of the table, by the paths that people read."""
    checked = check(config)
    keys = Keys(checked, config, Digests(Seen(folder / "seen.json")), folder)
    files = Files(checked, keys, "snakemake")
    kinds = {
        "source": [files.source],
        "corpus": [files.corpus],
        "record": files.paths(files.record, record=checked.models),
        "vectors": [files.keyed["model"][name] for name in checked.models],
        "views": [files.view(view) for view in checked.store if view != "other"],
        "alignment": files.of_models(files.alignment),
    }
    if checked.dataset.of_pairs:
        return by_name(kinds | from_pairs(files))
    trained = files.keyed["model"].get("trained", "-")
    scored = [*files.scored(files.predictions), *files.scored(files.searches)]
    kinds |= {
        "trains": files.rows,
        "published": files.published_systems,
        "systems": files.paths(files.systems, system=checked.systems),
        "folds": files.paths(files.folds, train=checked.trains),
        "views": [*kinds["views"], files.view("alignment")],
        "other": [files.view(view) for view in checked.store if view == "other"],
        "finetuned": [path for path in scored if f"/{trained}/" in path],
        "predictions": [path for path in scored if f"/{trained}/" not in path],
        "control": files.judged["control"],
        "zero-shot": files.judged["zero_shot"],
        "baselines": [path for path in files.judged["baselines"] if "substitutes" not in path],
        "bags": [path for path in files.judged["baselines"] if "substitutes" in path],
        "projections": files.shown(files.projections),
        "neighbours": files.shown(files.neighbours),
        "selection": [files.selection],
        "per-word": files.judged["per_word"],
        "calibration": files.confidence,
        "scores": [*files.scores.values()],
        "comparison": [files.comparison],
        "layers": [*files.layerwise.values()],
        "figures": [files.figures],
        "selected": [files.selected],
        "report": [files.report],
    }
    of_studies = {study: get(files) for study, get in BY_STUDY.items() if study in STUDIES}
    return by_name(
        kinds | {kind: got for more in of_studies.values() for kind, got in more.items()}
    )


def from_pairs(files: Files) -> dict[str, list[str]]:
    patterns = files.study["pairs"]
    return {
        "pairs": files.of_models(patterns["tables"][0]),
        "pairs-page": files.of_models(patterns["page"]),
    }


def from_glosses(files: Files) -> dict[str, list[str]]:
    patterns = files.study["glosses"]
    if not patterns:
        return {"glosses": [], "gloss-vectors": [], "gloss-worth": []}
    return {
        "glosses": [patterns["glosses"]],
        "gloss-vectors": [
            path for pattern in patterns["vectors"] for path in files.paths(pattern, model=["a"])
        ],
        "gloss-worth": files.of_models(patterns["gloss_worth"]),
    }


def from_substitutes(files: Files) -> dict[str, list[str]]:
    patterns = files.study["substitutes"]
    return {
        "asked": files.paths(patterns["substitutes"], asked=patterns["models"]),
        "sense-substitutes": files.paths(patterns["sense_substitutes"], asked=patterns["models"]),
    }


def from_unlabelled(files: Files) -> dict[str, list[str]]:
    patterns = files.study["unlabelled"]
    return {
        "uses": patterns["by_vectors"],
        "substitute-uses": patterns["by_substitutes"],
        "uses-page": [patterns["page"]],
    }


def from_finetuning(files: Files) -> dict[str, list[str]]:
    trains = STUDIES["finetuning"].trains(files.config)
    folder = files.study["finetuning"]["finetune"]
    return {"finetune": files.paths(f"{folder}/trials.csv", base=files.config.models, train=trains)}


BY_STUDY: dict[str, Callable[[Files], dict[str, list[str]]]] = {
    "glosses": from_glosses,
    "substitutes": from_substitutes,
    "unlabelled": from_unlabelled,
    "finetuning": from_finetuning,
    "geometry": lambda files: {
        "geometry": files.of_models(files.study["geometry"]["geometry"])
        if "geometry" in files.config.analyses
        else []
    },
    "audit": lambda files: {
        "audit": [
            path
            for table in files.study["audit"].get("tables", [])
            for path in files.of_models(table)
        ]
    },
    "code_length": lambda files: {
        "code-length": files.of_models(files.study["code_length"]["table"])
        if "table" in files.study["code_length"]
        else []
    },
    "strategies": lambda files: {"strategies": [files.study["strategies"]["table"]]},
}


def by_name(kinds: dict[str, list[str]]) -> dict[str, dict[str, str]]:
    return {kind: {bare(path): path for path in of} for kind, of in kinds.items()}


def changes(before: dict[str, dict[str, str]], after: dict[str, dict[str, str]]) -> set[str]:
    """The kinds that differ. Files that only one has say nothing of what decides them."""
    return {
        kind
        for kind, of in before.items()
        if any(after[kind].get(name, path) != path for name, path in of.items())
    }


def decided(key: str) -> set[str]:
    """The kinds that a config key decides by the table: itself, or by what they read."""
    found = {
        name
        for name, kind in KINDS.items()
        for of in (*kind.flags.values(), *kind.items)
        if of in (key, EVERY) or key.startswith(f"{of}.")
    }
    while further := {name for name, of in KINDS.items() if found & {*of.upstream}} - found:
        found |= further
    return found


# Another value of every key that decides something. What stands in a list of entries is that of
# the first; of the classifiers, of the second, in another order.
OTHER: dict[str, Any] = {
    "words": ["apple", "crane"],
    "seed": 2,
    "device": "cpu",
    "tuning.folds": 4,
    "tuning.repeats": 2,
    "tuning.objective": "mean_word_accuracy",
    "transforms": ["none"],
    "projections": ["tsne", "pca"],
    "sentences": False,
    "run": "mine",
    "clusters.most": 4,
    "clusters.centre": None,
    "views.store": ["focal", "context", "other"],
    "views.classify": ["context"],
    "layers": ["all"],
    "features": [],
    "trains": ["1pct", "5pct", "10pct", "25pct", "50pct", "balanced"],
    "glosses": "glosses.tsv",
    "analyses": ["geometry"],
    "systems.0.file": "more.jsonl",
    "controls.baselines": False,
    "controls.views": [],
    "controls.random_weights": [2],
    "controls.task": False,
    "controls.classifiers": ["nearest_centroid", "lda"],
    "finetune.rate": [1e-3],
    "finetune.epochs": [2],
    "finetune.blocks": [1],
    "finetune.steps": 200,
    "finetune.seeds": [4],
    "finetune.folds": 2,
    "finetune.trains": ["full", "1pct"],
    "models.0.pooling": "last",
    "models.0.input": "masked",
    "models.0.path": "other",
    "classifiers.1.C": [0.3, 0.1, 0.03, 0.01, 0.003],
}
APART = {"dataset", "at_least"}  # below


def changed(config: dict[str, Any], key: str, value: Any, folder: Path) -> dict[str, Any]:
    """The config with another value at a key; None leaves the key out."""
    new = copy.deepcopy(config)
    *above, last = key.split(".")
    place: Any = new
    for name in above:
        place = place[int(name) if name.isdigit() else name]
    if isinstance(value, str) and (folder / value).exists():
        value = str(folder / value)
    if value is None:
        del place[last]
    else:
        place[last] = value
    return new


@pytest.mark.parametrize("key", OTHER)
def test_a_config_key_decides_the_kinds_of_the_table_and_no_other(folder: Path, key: str) -> None:
    config = said(folder)
    found = changes(paths(config, folder), paths(changed(config, key, OTHER[key], folder), folder))
    assert found == decided(re.sub(r"\.\d+", "", key)) & {*paths(config, folder)}


# Of a corpus of pairs; the other keys say nothing of it.
OF_PAIRS = (
    *("seed", "device", "transforms", "sentences", "run", "layers", "views.store"),
    *("views.classify", "models.0.pooling", "models.0.input", "models.0.path", "projections"),
)


@pytest.mark.parametrize("key", OF_PAIRS)
def test_the_same_of_a_corpus_of_pairs(folder: Path, tmp_path: Path, key: str) -> None:
    files = [tmp_path / f"train.{of}.txt" for of in ("data", "gold")]
    for file, text in zip(
        files, ("mint\tN\t1-1\tthe mint grew\ta mint paid\n", "F\n"), strict=True
    ):
        file.write_text(text)
    assert main(["import", str(files[0]), "--name", "mine", "--out", str(tmp_path / "mine")]) == 0
    config = {**said(folder), "dataset": {"name": "mine", "path": str(tmp_path / "mine")}}
    config |= {"words": "all", "trains": ["full"], "systems": [], "analyses": [], "features": []}
    config |= {"models": config["models"][:2], "glosses": "none"}
    del config["finetune"], config["clusters"]
    config["controls"] = {**config["controls"], "classifiers": ["nearest_centroid"]}
    found = changes(paths(config, folder), paths(changed(config, key, OTHER[key], folder), folder))
    assert found == decided(re.sub(r"\.\d+", "", key)) & {*paths(config, folder)}


def test_every_key_of_a_config_is_changed() -> None:
    assert {key.split(".")[0] for key in OTHER} | APART == {*ConfigFile.model_fields}


def test_every_kind_of_the_table_is_looked_at(folder: Path) -> None:
    assert {*KINDS} - {*paths(said(folder), folder)} == {"pairs", "pairs-page", "reproduced"}


def test_the_same_config_has_the_same_keys_wherever_it_is_and_whatever_it_is_called(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "elsewhere")
    here, there = said(folder), said(tmp_path / "elsewhere")
    kinds = paths(here, folder), paths(there, tmp_path)
    for kind in kinds[0].keys() - {"report", "record"}:  # which say where the encoder was
        one, other = (
            [of[p].rpartition("/store/")[2] for p in of] for of in (k[kind] for k in kinds)
        )
        assert one == other, kind


def test_a_file_from_outside_counts_by_its_content_and_not_by_its_date(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "there")
    config = said(tmp_path / "there")
    config["glosses"] = str(tmp_path / "there/glosses.tsv")
    before = paths(config, tmp_path)
    for name in ("glosses.tsv", "said.jsonl", "tiny/tokenizer.json"):
        path = tmp_path / "there" / name
        times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
        path.touch()
        assert paths(config, tmp_path) == before
        # Another file, with the date and the size of the first.
        path.write_bytes(path.read_bytes().swapcase())
        os.utime(path, ns=times)
        after = paths(config, tmp_path)
        kind = {"glosses.tsv": "glosses", "said.jsonl": "systems"}.get(name, "vectors")
        assert after[kind] != before[kind]
        before = after


def test_another_code_of_a_step_changes_what_it_makes_and_what_comes_of_that(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = said(folder)
    before = paths(config, folder)
    code = Digests.code

    def edited(self: Digests, step: str) -> str:
        return code(self, step) + (" edited" if step == "folds" else "")

    monkeypatch.setattr(Digests, "code", edited)
    of_folds = paths(config, folder)
    monkeypatch.setattr(Digests, "code", code)
    same = {kind for kind in before if before[kind] == of_folds[kind]}
    assert {"corpus", "vectors", "views", "other", "neighbours", "zero-shot", "record"} <= same
    assert not same & {"folds", "predictions", "projections", "selection", "scores", "report"}


def test_senses_at_least_so_frequent_make_another_corpus(folder: Path) -> None:
    config = {**said(folder), "dataset": "noad", "words": "all", "trains": ["full"]}
    config |= {"glosses": "none", "analyses": [], "systems": []}
    config["controls"] = {**config["controls"], "classifiers": ["nearest_centroid"]}
    found = []
    for at_least in (10, 20):
        checked = check({**config, "at_least": at_least})
        found.append(Keys(checked, config, Digests(Seen(folder / "seen.json"))))
    assert found[0].source != found[1].source and found[0].corpus != found[1].corpus


def test_a_title_is_no_part_of_what_a_corpus_holds(folder: Path, tmp_path: Path) -> None:
    table = ROOT / "docs/own-corpus.tsv"
    assert main(["import", str(table), "--out", str(tmp_path / "mine"), "--name", "mine"]) == 0
    config = {**said(folder), "words": "all", "trains": ["full"], "systems": [], "analyses": []}
    config |= {"glosses": "none"}
    made = []
    for title in ("One", "Another"):
        config["dataset"] = {"name": "mine", "path": str(tmp_path / "mine"), "title": title}
        made.append(paths(config, folder))
    assert made[0]["source"] != made[1]["source"] and made[0]["report"] != made[1]["report"]
    assert made[0]["corpus"] == made[1]["corpus"]
    assert made[0]["predictions"] == made[1]["predictions"]
