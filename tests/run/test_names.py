"""Names that a user gives: refused by key, or every file has a path of its own.

The paths are those of the rules, read off the rules' files: a rule with a new kind of path is
tested too, and one with an unknown wildcard fails the test until it is named here.
"""

import copy
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from wsd.artifacts import gloss_vectors, predictions, tables
from wsd.artifacts.dataset import ABOUT, COUNTS, DATASETS, FILES, FORMAT, MANIFEST
from wsd.artifacts.pairs import PAGE
from wsd.artifacts.reserved_names import RESERVED, check_case, check_reserved
from wsd.cli import main
from wsd.corpora.systems import SYSTEMS
from wsd.errors import ConfigError
from wsd.run.config import check
from wsd.run.config_files import read_configs
from wsd.run.listings import is_listed, is_listing
from wsd.run.settings import Config
from wsd.storage.file_names import file_name

ROOT = Path(__file__).parents[2]
RULES = "".join(path.read_text() for path in sorted(ROOT.glob("workflow/rules/*.smk")))
PATH = re.compile(
    r'"((?:\{(?:RESULTS|TABLES|LOGS|TABLE_LOGS|results)\}|results/(?:logs/)?models)/[^"]+)"'
)
# What the wildcards of a path can be, beside what the config says.
VALUES = {
    "train": ["full"], "view": ["focal"], "layers": ["1"], "part": ["1"],
    "kind": ["focal", "alignment", "md", "tex"], "gloss": [*gloss_vectors.KINDS][:1], "seed": ["1"],
    "method": ["pca"], "baseline": ["bag_of_words"],
    "table": ["words", "calibration"],
}  # fmt: skip
TEXTS = {
    "CHOICE": "{train}/{view}/{layers}.{classifier}",
    "wsd.artifacts.pairs.PAGE": PAGE,
    "dataset.MANIFEST": MANIFEST,
    **{f"only({of})": "" for of in ("OF_TWINS", "OF_VIEWS", "OF_TASK")},
}
# Paths that are put together from others, or of no name that a user gives.
APART = ("path", "wildcards.model", "wildcards.train", "REPRODUCED")
OF_TABLES = ("{results}/audit", "{results}/comparison", "{results}/{model}/{table}")
# What no rule names: the files of listings, and of folders.
LISTED = (
    "{RESULTS}/corpus/{word}.parquet",
    "{RESULTS}/source/{word}/train.data.txt",
    "{RESULTS}/{model}/embeddings/{word}/focal.safetensors",
    "{RESULTS}/{model}/embeddings/{word}/alignment.json",
    "{RESULTS}/{model}/substitutes/{word}.parquet",
)
LISTINGS = (
    "{RESULTS}/corpus/words.json",
    "{RESULTS}/source/dataset.json",
    "{RESULTS}/{model}/substitutes/words.json",
    "{RESULTS}/{model}/embeddings/{kind}.{part}.json",
)
OTHERS = (
    "{RESULTS}/glosses/{word}.parquet",
    "{RESULTS}/{model}/gloss-vectors/{word}/gloss.safetensors",
    "{TABLES}/report/words/{word}.html",
    "{TABLES}/report/words/{model}/{word}.html",
    "{TABLES}/portable/{model}/{word}.html",
    "{TABLES}/uses/{model}/{word}.html",
    "results/index.html",
    "results/README.md",
)


def spelled(path: str) -> Iterator[str]:
    """A path from the folder of results on; of tables the one of a run with and without a name."""
    path = path.replace("/predictions/full/", "/predictions/{train}/")
    for of_run, shared in (("{TABLES}", "{RESULTS}"), ("{TABLE_LOGS}", "{LOGS}")):
        if path.startswith(of_run):
            yield from spelled(path.replace(of_run, shared))
            yield from spelled(path.replace(of_run, f"{shared}/runs/{{run}}"))
            return
    path = path.replace("{RESULTS}", "results/{dataset}")
    yield path.replace("{LOGS}", "results/logs/{dataset}")


def templates() -> set[str]:
    """Every path of the rules."""
    found = set()
    for path in PATH.findall(RULES):
        path = path.replace("{{", "{").replace("}}", "}")
        if any(f"{{{of}}}" in path for of in APART):
            continue
        for name, text in TEXTS.items():
            path = path.replace(f"{{{name}}}", text)
        root = "{TABLES}" if path.startswith(OF_TABLES) else "{RESULTS}"
        found |= {*spelled(path.replace("{results}", root))}
    return found


TEMPLATES = templates()
EVERY = TEMPLATES | {one for path in (*LISTED, *LISTINGS, *OTHERS) for one in spelled(path)}
# Every fixed part of a path, and parts that look like one.
FIXED = sorted(
    {part for path in EVERY for part in path.split("/") if "{" not in part}
    | {part.partition(".")[0] for path in EVERY for part in path.split("/") if "{" not in part}
    | {name for names in RESERVED.values() for name in names}
    | {"pairs", "sentences", "index", "aux", "con", "crane.html", "Corpus", "state", "steps"}
)  # fmt: skip
ORDINARY = ["crane", "Mine", "mine", "tiny", "tiny-random-1", "a.b", "node.js", "x_1"]


def places(config: Config, template: str) -> Iterator[tuple[str, str]]:
    """The paths of a config that a template stands for, and their folders, each with its own."""
    values: dict[str, Any] = {
        **VALUES,
        "dataset": [config.dataset.name],
        "run": [config.run or "another"],
        "model": config.encoders,
        "system": config.systems,
        "classifier": config.classifiers,
        "word": map(file_name, config.words),
    }
    names = sorted(set(re.findall(r"\{(\w+)\}", template)))
    parts = template.split("/")
    for of in itertools.product(*(list(values[name]) for name in names)):
        for depth in range(2, len(parts) + 1):
            part = "/".join(parts[:depth])
            yield part.format(**dict(zip(names, of, strict=True))), part


def kind(template: str) -> tuple[bool, bool]:
    """Whether a path is a listing, and whether it is listed."""
    listings, listed = ({*map(next, map(spelled, of))} for of in (LISTINGS, LISTED))
    # The files of a corpus are listed where its manifest is, and here it is not.
    return template in listings, template in listed and "/source/" not in template


def manifest(folder: Path, words: Mapping[str, list[str]]) -> None:
    """A corpus with these words and senses, as far as a config looks at it."""
    counts = {**dict.fromkeys(COUNTS, 20), "n_out_of_domain": 0, "most_folds": 9}
    said = {
        **{"format": FORMAT, "name": "any", **dict.fromkeys(ABOUT, "")},
        "words": {
            word: {**counts, "senses": {sense: {} for sense in senses}}
            for word, senses in words.items()
        },
        "files": {f"{file_name(word)}/{file}": "0" * 64 for word in words for file in FILES},
    }
    (folder / MANIFEST).write_text(json.dumps(said))


def config_of(folder: Path, **names: Any) -> dict[str, Any]:
    base = copy.deepcopy(read_configs([ROOT / "config/config.yaml"]))
    entry = {"path": "tiny", "blocks": 12, "width": 32}
    return {
        **base,
        **{"dataset": {"name": names["dataset"], "path": str(folder)}, "words": "all"},
        **({"run": names["run"]} if names["run"] else {}),
        "models": [{"name": name, **entry} for name in names["models"]],
        "classifiers": [{"name": names["classifier"], "estimator": "nearest_centroid"}],
        "controls": {
            **base["controls"],
            "random_weights": [1],
            "classifiers": [names["classifier"]],
        },
        "systems": [{"name": names["system"], "file": __file__}],
    }


name = st.sampled_from(FIXED) | st.sampled_from(ORDINARY)
KEY = re.compile(r"config key (dataset\.name|run|words|(models|classifiers|systems)\[\d\]\.name)$")


def refused_or_apart(folder: Path, words: Mapping[str, list[str]], **names: Any) -> bool:
    """Check what the module says; whether the names were refused."""
    manifest(folder, words)
    try:
        config = check(config_of(folder, **names))
    except ConfigError as error:
        assert KEY.match(error.where), error
        return True
    found: dict[str, tuple[str, str]] = {}
    for template in EVERY:
        for path, of in places(config, template):
            # On some disks two names that differ in case alone are one file or folder.
            assert found.setdefault(path.lower(), (path, of)) == (path, of)
            if of == template and not path.startswith("results/logs/"):
                said = (is_listing(Path(path)), is_listed(Path(path), folder))
                assert said == kind(template), path
    return False


@settings(
    max_examples=40,
    deadline=None,
    phases=set(Phase) - {Phase.explain},
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    dataset=name,
    run=st.just("") | name,
    models=st.lists(name, min_size=1, max_size=2),
    classifier=name,
    system=name,
    words=st.dictionaries(
        name, st.lists(name, min_size=2, max_size=2, unique=True), min_size=1, max_size=3
    ),
)
def test_any_names_are_refused_by_their_keys_or_have_paths_of_their_own(
    tmp_path: Path, words: Mapping[str, list[str]], **names: Any
) -> None:
    event("refused" if refused_or_apart(tmp_path, words, **names) else "accepted")


@pytest.mark.slow
@pytest.mark.parametrize("of", ["dataset", "run", "models"])
def test_every_fixed_name_as_that_of_anything(tmp_path: Path, of: str) -> None:
    ordinary = {"dataset": "d", "run": "r", "models": ["m"], "classifier": "c", "system": "s"}
    for fixed in FIXED:
        one: Any = {"models": [fixed], "words": {fixed: ["a", "b"]}}.get(of, fixed)
        names: dict[str, Any] = {**ordinary, "words": {"crane": ["a", "b"]}, of: one}
        refused_or_apart(tmp_path, **names)


def test_the_paths_of_the_rules_are_all_known() -> None:
    assert len(TEMPLATES) > 80
    known = {*VALUES, "dataset", "run", "model", "system", "classifier"}
    for template in TEMPLATES:
        assert set(re.findall(r"\{([^}]+)\}", template)) <= known, template


def test_the_names_of_tables_are_reserved() -> None:
    assert RESERVED["word"] == {tables.ALL_WORDS, tables.TOGETHER}
    assert predictions.PER_WORD in RESERVED["classifier"]
    assert set(DATASETS) <= RESERVED["dataset"]


@pytest.mark.parametrize(
    ("kind", "name", "why"),
    [
        ("dataset", "Models", "wsd needs the name itself"),
        ("dataset", "logs", "wsd needs the name itself"),
        ("dataset", "index.html", "look like a .html file"),
        ("run", "nul", "Windows"),
        ("run", "COM1.x", "Windows"),
        ("run", "x.", "Windows"),
        ("run", "mine.log", "look like a .log file"),
        ("model", "corpus", "wsd needs the name itself"),
        ("model", "summary.csv", "look like a .csv file"),
        ("classifier", "per-word", "wsd needs the name itself"),
        ("system", "aux", "Windows"),
        ("word", "(all)", "the tables have a row of that name"),
    ],
)
def test_what_is_reserved(kind: str, name: str, why: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"a {kind} cannot be called {name!r}")) as of:
        check_reserved(kind, name, "config key x")
    assert why in of.value.what and of.value.where == "config key x"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("run", name) for name in ("corpus", "embeddings", "source", "substitutes", "models")),
        *(("dataset", name) for name in ("corpus", "embeddings", "runs", "console", "v1.0")),
        *(("model", name) for name in ("embeddings", "substitutes", "model", "bert-base.v2")),
        *(("word", name) for name in ("model", "con", "words", "index", "all")),
        ("system", "theirs.csv"),
    ],
)
def test_what_is_not_reserved(kind: str, name: str) -> None:
    check_reserved(kind, name, "config key x")


def test_a_corpus_is_not_imported_under_a_name_that_no_run_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.txt").write_text("a cell\n")
    given = ["--unlabelled", "--word", "cell", "--out", str(tmp_path / "mine")]
    assert main(["import", str(tmp_path / "s.txt"), *given, "--name", "Logs"]) == 2
    assert "a dataset cannot be called 'Logs'" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()


def test_a_name_that_the_disk_takes_for_another_one(tmp_path: Path) -> None:
    (tmp_path / "Mine").mkdir()
    check_case(tmp_path, "mine", "config key run")  # two folders, where case matters
    (tmp_path / "mine").symlink_to("Mine")  # as one, where it does not
    with pytest.raises(ConfigError, match="'mine' and 'Mine' are one folder") as caught:
        check_case(tmp_path, "mine", "config key run")
    assert caught.value.where == "config key run"
    check_case(tmp_path / "none", "mine", "config key run")


def test_a_model_called_like_a_published_system_is_refused() -> None:
    """In the tables it would be that system."""
    config = read_configs([ROOT / "config/config.yaml"])
    config["models"][0]["name"] = next(iter(SYSTEMS))
    with pytest.raises(ConfigError, match="is taken") as caught:
        check(config)
    assert caught.value.where == "config key models[0].name"
