"""Names from users: refused with their key, or every file has its own path.

The paths are those of `wsd.run.files`: with their keys in the store, and without keys where
people read the files.
"""

import copy
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import full_config
import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from wsd.artifacts.dataset import ABOUT, COUNTS, FILES, FORMAT, MANIFEST, RESERVED, check_reserved
from wsd.artifacts.run_json import bare
from wsd.errors import ConfigError
from wsd.run.config import check
from wsd.run.digests import Digests, Seen
from wsd.run.files import Files
from wsd.run.keys import Keys
from wsd.storage.file_names import file_name

# Beside the store's files, in the folder of the tables.
BESIDE = ("run.json", "provenance.json", "store")
ORDINARY = ["crane", "Mine", "mine", "tiny", "tiny-random-1", "a.b", "node.js", "x_1"]


def files_of(config: Mapping[str, Any], folder: Path) -> Files:
    keys = Keys(check(config), config, Digests(Seen(folder / "seen.json")), Path("results"))
    return Files(keys.config, keys, "snakemake")


def places(files: Files) -> tuple[list[str], list[str]]:
    """Return every file of a config: stored, logged and published."""
    kept = [*dict.fromkeys([*files.made(), *files.by_name()])]
    top = str(files.config.tables(Path("results")))
    readable = [bare(f"{top}/{path.removeprefix(f'{files.store}/')}") for path in kept]
    beside = [*(f"{top}/{name}" for name in BESIDE), "results/index.html", "results/README.md"]
    return [*kept, *dict.fromkeys(map(files.log, kept))], [*readable, *beside]


def apart(paths: Iterable[str]) -> None:
    """Check that no path is another path or its folder, even if case does not matter."""
    results: dict[str, str] = {}
    for path in paths:
        assert results.setdefault(path.lower(), path) is path, path
    for path in map(PurePosixPath, results):
        assert not [folder for folder in path.parents if str(folder) in results], path


def manifest(folder: Path, words: Mapping[str, list[str]]) -> None:
    """Write a corpus with these words and senses, as far as a config reads it."""
    counts = {**dict.fromkeys(COUNTS, 20), "n_out_of_domain": 0}
    content = {
        **{"format": FORMAT, "name": "any", **dict.fromkeys(ABOUT, "")},
        "words": {word: {**counts, "senses": {s: {} for s in own}} for word, own in words.items()},
        "files": {f"{file_name(word)}/{file}": "0" * 64 for word in words for file in FILES},
    }
    (folder / MANIFEST).write_text(json.dumps(content))


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return full_config.make(tmp_path_factory.mktemp("encoders"))


def config_of(folder: Path, encoders: Path, **names: Any) -> dict[str, Any]:
    """Return a config with everything, for your own corpus."""
    base = copy.deepcopy(full_config.build_config(encoders))
    size = {"blocks": 2, "width": 32}
    models = [{"name": name, "path": str(encoders / "tiny"), **size} for name in names["models"]]
    trained = {"name": names["trained"], "finetuned_from": names["models"][0], **size}
    first = {"name": names["classifier"], "estimator": "nearest_centroid"}
    config = {
        **base,
        **({"run": names["run"]} if names["run"] else {}),
        "dataset": {"name": names["dataset"], "path": str(folder)},
        "words": "all",
        "trains": ["full"],
        "analyses": ["geometry", "audit", "substitutes"],
        "models": [*models, trained],
        "classifiers": [first, {"name": "logistic", "C": [1]}],
        "controls": {**base["controls"], "classifiers": [names["classifier"]]},
        "systems": [{"name": names["system"], "file": __file__}],
    }
    return full_config.without_deleted_studies(config)


# Other parts of paths, and names that look like them.
FIXED = sorted(
    {
        *("audit", "baselines", "corpus", "embeddings", "finetune", "folds", "gloss-vectors"),
        *("neighbours", "predictions", "projections", "report", "search", "substitutes", "uses"),
        *("store", "runs", "source", "words", "model", "model.json", "run.json", "full", "focal"),
        *("scores", "scores.csv", "comparison", "sentences", "pairs", "index"),
        *("crane.html", "Corpus", "state", "steps", "alignment", "selection", "per-word"),
        *(name for names in RESERVED.values() for name in names),
    }
)
name = st.sampled_from(FIXED) | st.sampled_from(ORDINARY)
KEY = re.compile(r"config key (dataset\.name|run|words|(models|classifiers|systems)\[\d\]\.name)$")


def number_of_files(
    folder: Path, encoders: Path, words: Mapping[str, list[str]], **names: Any
) -> int:
    """Check the module's claims; return the number of files, 0 if the names are refused."""
    manifest(folder, words)
    try:
        files = files_of(config_of(folder, encoders, **names), folder)
    except ConfigError as error:
        assert KEY.match(error.where), error
        return 0
    kept, readable = places(files)
    apart(kept)
    apart(readable)
    return len(kept)


TWO = st.lists(name, min_size=2, max_size=2, unique=True)


@settings(
    max_examples=30,
    deadline=None,
    phases=set(Phase) - {Phase.explain},
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    dataset=name,
    run=st.just("") | name,
    models=st.lists(name, min_size=1, max_size=2),
    trained=name,
    classifier=name,
    system=name,
    words=st.dictionaries(name, TWO, min_size=1, max_size=3),
)
def test_any_names_are_refused_or_have_their_own_paths(
    tmp_path: Path, encoders: Path, **names: Any
) -> None:
    event("accepted" if number_of_files(tmp_path, encoders, **names) else "refused")


def test_ordinary_names_are_not_refused(tmp_path: Path, encoders: Path) -> None:
    names: dict[str, Any] = {"dataset": "data-1", "run": "run-1", "classifier": "classifier-1"}
    names |= {"models": ["model-1"], "trained": "model-2", "system": "system-1"}
    assert number_of_files(tmp_path, encoders, words={"word-1": ["a", "b"]}, **names) > 150


@pytest.mark.parametrize(
    ("kind", "name"),
    [("dataset", "Models"), ("run", "Store"), ("classifier", "per-word"), ("word", "(all)"),
     ("dataset", "x.html"), ("model", "x.csv")],
)  # fmt: skip
def test_reserved_names(kind: str, name: str) -> None:
    with pytest.raises(ConfigError, match=f"a {kind} cannot be called") as caught:
        check_reserved(kind, name, "config key x")
    assert caught.value.where == "config key x"
