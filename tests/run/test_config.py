"""Shipped configs are valid; errors of wrong configs have key, value and alternatives."""

import json
import runpy
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
    model,
    of_absent_studies,
    second_model,
    shipped,
    top,
    views,
)

from wsd.artifacts.config_section import Section
from wsd.artifacts.cv_table import PARAMETERS
from wsd.run.config import check
from wsd.run.schema import schema_text

SHIPPED = sorted(str(path.relative_to(CONFIG)) for path in CONFIG.rglob("*.yaml"))


def own(**values: str) -> Change:
    """Ask for a corpus of one's own."""
    return top(dataset={"name": "x", "path": "y", **values})


def change(*changes: Change) -> Change:
    return lambda config: [one(config) for one in changes] and None


# Shipped configs

# The corpus, the encoder and the number of layer choices.
ASKED = {
    "config.yaml": ("coarsewsd20", "bert-base-uncased", 18),
    "minilm.yaml": ("coarsewsd20", MINILM, 12),
    "noad.yaml": ("noad", MINILM, 11),
    "quickstart.yaml": ("quickstart", MINILM, 11),
    "dwug.yaml": ("dwug-en", MINILM, 7),
}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_config_is_valid(name: str) -> None:
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(shipped(name))
    config = check(shipped(name))
    assert config.models
    if name in ASKED:
        ((model, entry),) = config.models.items()
        assert (config.dataset.name, model, len(entry.layers)) == ASKED[name]
        assert "model.safetensors" in entry.sha256 and config.words == config.dataset.words


# The schema and its description


def test_the_schema_for_editors_is_up_to_date() -> None:
    """`python tools/config_files.py` writes the schema."""
    if absent := of_absent_studies():
        pytest.skip(f"the schema has keys and analyses of studies that are deleted: {absent}")
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()


def test_every_key_is_described_in_the_schema() -> None:
    schema = json.loads(schema_text())
    parts = [schema, *schema["$defs"].values()]
    described = [key["description"] for part in parts for key in part["properties"].values()]
    assert len(described) == sum(len(part.model_fields) for part in Section.__subclasses__())
    assert min(map(len, described)) >= 20


def test_the_tables_of_the_readme_are_up_to_date() -> None:
    """`python tools/config_files.py` writes the tables."""
    written = runpy.run_path(str(CONFIG.parent / "tools/config_files.py"))["readme"]()
    assert written == (CONFIG / "README.md").read_text(encoding="utf-8")
    assert "| `views.store` |" in written and "| `store_dtype` |" in written


# Valid values


def test_classifiers_with_names_and_search_spaces_in_the_order_they_are_written() -> None:
    config = check_changed(
        classifiers(
            {"name": "far", "estimator": "nearest_centroid", "metric": "euclidean"},
            {"name": "lda", "prior_exponent": [1, 0], "shrinkage": [0.9, 1]},
        ),
        controls(classifiers=["far"]),
    )
    assert [(c.name, c.estimator, [*c.space.items()]) for c in config.classifiers.values()] == [
        ("far", "nearest_centroid", [("metric", "euclidean")]),
        ("lda", "lda", [("prior_exponent", [1, 0]), ("shrinkage", [0.9, 1])]),
    ]


def test_all_stands_for_the_stored_layers() -> None:
    asked = top(layers=["all", "mean-3-6"])
    config = check_changed(model(store_layers=[6, 0, 3]), asked, controls(random_weights=[1]))
    for entry in config.encoders.values():
        assert entry.store_layers == (0, 3, 6)
        assert entry.layers == ("0", "3", "6", "mean-3-6")
        assert entry.single == ("0", "3", "6")
    assert check_changed(model(store_layers=[*range(7)])) == check_changed()


def test_words_are_sorted_and_layers_are_in_their_one_order() -> None:
    config = check_changed(
        top(words=["spring", "apple"], layers=["mean-2-1", 6, "mean-last-1", "0", "-7", -1]),
        second_model(name="small", blocks=8),
    )
    assert config.words == ("apple", "spring")
    assert config.models[MINILM].layers == ("0", "6", "mean-1-2")
    assert config.models["small"].layers == ("0", "2", "6", "8", "mean-1-2")


def test_a_mix_is_left_out_of_all_classifiers_but_logistic() -> None:
    every = [*({"name": name} for name in PARAMETERS), {"name": "own", "estimator": "logistic"}]
    asked = top(layers=["mix-all", "mix-last-1", "mean-all"])
    config = check_changed(asked, classifiers(*every))
    # A mix of one layer equals that layer.
    assert config.models[MINILM].layers == ("6", "mean-all", "mix-all")
    fits = {layers: [name for name, classifier in config.classifiers.items()
                     if classifier.fits(layers)] for layers in ("6", "mix-all")}  # fmt: skip
    assert fits == {"6": [*PARAMETERS, "own"], "mix-all": ["logistic", "own"]}


def test_feature_sets_have_one_name_each() -> None:
    sets = [{"focal": "mean-6-5", "context": -1}, {"focal": "mean-last-2", "context": 6}]
    sets.append({"context": 0, "cls": "concat-all"})
    config = check_changed(views(["focal", "context", "cls"], ["focal"]), top(features=sets))
    assert config.models[MINILM].features == (
        ("focal+context", "mean-last-2+6"), ("context+cls", "0+concat-all"),
    )  # fmt: skip


def test_training_sets() -> None:
    def trains(*names: str, **more: Any) -> tuple[str, ...]:
        return check_changed(coarsewsd20(trains=list(names), **more)).trains

    assert trains() == trains("100pct") == ("full",)
    assert trains("nshot-3", "balanced", "full") == (
        "full", "nshot-3.set1", "nshot-3.set2", "nshot-3.set3", "balanced",
    )  # fmt: skip
    assert trains("nshot-30", words=["apple"])[1:] == tuple(f"nshot-30.set{i}" for i in (1, 2, 3))


def test_random_controls_differ_from_their_model_in_name_and_weights() -> None:
    config = check_changed(
        controls(random_weights=[3, 0]),
        second_model(name="small", blocks=4),
        second_model(name=f"{MINILM}-random-1", random_weights=0),  # has no control
    )
    assert [config.models[name].random_weights for name in config.models] == [None, None, 0]
    assert list(config.random_controls) == [
        f"{MINILM}-random-3", f"{MINILM}-random-0", "small-random-3", "small-random-0",
    ]  # fmt: skip
    for name, control in config.random_controls.items():
        own = config.models[name.partition("-random-")[0]]
        assert control.random_weights == int(name[-1])
        assert (control.source, control.layers) == (own.source, own.layers)


def test_a_gpu_is_required_only_if_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    configs = {name: check_changed(top(device=name)) for name in ("cuda", "auto", "cpu")}
    for there in ([], [Path("/dev/nvidia0")]):
        monkeypatch.setattr(Path, "exists", lambda path, there=there: path in there)
        used = {name: config.uses_gpu for name, config in configs.items()}
        assert used == {"cuda": True, "auto": bool(there), "cpu": False}


# Invalid values

LAYERS = "with 6 blocks, use 0 to 6"
LOGISTIC = {"name": "logistic"}

# Change, key, the value in the problem, and the alternatives in the fix.
WRONG: list[Wrong] = [
    (top(layer=[1]), "(top level)", "'layer'", "controls, dataset, device"),
    (lambda c: c.pop("seed"), "(top level)", "'seed'", "add the key"),
    *((top(seed=seed), "seed", repr(seed), "valid integer") for seed in ("1", True, 1.0)),
    (lambda c: c["tuning"].update(folds=101), "tuning.folds", "101", "less than"),
    (top(device="gpu"), "device", "'gpu'", "'auto', 'cpu' or 'cuda'"),
    # Corpora, runs and words
    (top(dataset="semcor"), "dataset", "'semcor'", "or a mapping"),
    (top(at_least=20), "at_least", "another corpus than NOAD", "leave it out"),
    (top(dataset="noad", at_least=10**6), "at_least", "1000000 instances", "10 or more"),
    (own(name="../x"), "dataset.name", "'../x'", "A file-safe name"),
    (own(name="Logs"), "dataset.name", "'Logs'", "choose another"),
    (own(path="nowhere"), "dataset.path, nowhere/dataset.json", "no manifest", "`wsd import FILE"),
    (own(path="my {v2}/x"), "dataset.path", "'my {v2}/x' has braces", "a link to it"),
    *((top(run=name), "run", "string should match", "A file-safe name")
      for name in ("../x", ".x", "a b", "a\n", "$(x)", "{x}", "", "x" * 101)),
    (top(words=["apple", False]), "words[1]", "False: input should be a valid", "put it in quotes"),
    (top(words=["bank", "bass"]), "words[1]", "'bass'", "apple, bank, bat, charge, crane"),
    (top(words=["bank", "bank"]), "words", "['bank', 'bank']", "occurs twice"),
    # Layers
    (top(layers=[7]), "layers[0]", "'7'", LAYERS),
    (second_model(name="small", blocks=2), "layers[3]", "'mean-last-4'", "with 2 blocks"),
    (top(layers=["mix-last-2", "mix-all"]), "layers", "mix-last-2, mix-all", "only logistic"),
    *((change(model(store_layers=[6, 0, 3]), top(**asked)), key, "does not store", f"add {missing}")
      for asked, key, missing in (
          ({"layers": ["all", "mean-all"]}, "layers[1]", "1, 2, 4, 5"),
          ({"layers": ["all"], "features": [{"focal": 2, "context": 3}]}, "features[0].focal", "2"),
      )),
    (model(store_layers=[0, 7]), "models[0].store_layers", "no layer 7", LAYERS),
    # Models
    (model(name="Runs"), "models[0].name", "'Runs'", "another name"),
    *((model(**source), "models[0]", "no source, or more than one", "finetuned_from")
      for source in ({"package": None}, {"package": None, "hub": "a/b"}, {"path": "somewhere"})),
    (model(package=None, hub="a/b", revision="main"), "models[0].revision", "'main'", "{40}"),
    (model(sha256={"vocab.txt": "abc"}), "models[0].sha256.vocab.txt", "'abc'", "{64}"),
    (second_model(name=MINILM.lower()), "models[1].name", f"'{MINILM.lower()}'", "taken"),
    (change(second_model(name=f"{MINILM.lower()}-random-12"), controls(random_weights=[1, 12])),
     "models[1].name", "random-12", "taken"),
    # Classifiers
    (classifiers({"name": "svm"}), "classifiers[0].estimator", "'svm'", "'lda' or 'knn'"),
    (classifiers(LOGISTIC, {"name": "nearest_centroid", "C": 1}), "classifiers[1]",
     "nearest_centroid has no parameter 'C'", "its parameters are metric"),
    *((classifiers({**LOGISTIC, "C": value}), "classifiers[0].C", repr(value), fix)
      for value, fix in ((0, "above 0"), (float("nan"), "number"), ("1e-3", "number"),
                         ([1, 1], "occurs twice"))),
    (classifiers(LOGISTIC, {"name": "Logistic", "estimator": "logistic"}),
     "classifiers[1].name", "'Logistic'", "taken"),
    # Training sets, features, controls, analyses, projections, views
    (top(trains=["full", "100pct"]), "trains[1]", "'100pct'", "use full"),
    (coarsewsd20(trains=["full", "nshot-3.set1"]), "trains[1]", "'nshot-3.set1'", "nshot-1 to 30"),
    (coarsewsd20(trains=["nshot-30"], words=["digit"]), "trains[0]", "'nshot-30'", "other words"),
    (top(features=[{"focal": 1, "context": 7}]), "features[0]", "'7'", LAYERS),
    (top(features=[{"focal": "mix-all", "context": 5}]), "features[0].focal", "'mix-all'",
     "use mean, sum or concat"),
    (top(features=[{"focal": 1, "cls": 2}]), "features[0]", "'cls'", "add cls to views.store"),
    (controls(classifiers=["lda"]), "controls.classifiers[0]", "'lda'", "nearest_centroid, logis"),
    (controls(views=["cls"]), "controls.views", "'cls'", "add cls to views.store"),
    (top(analyses=["probing"]), "analyses[0]", "'probing'", "such as geometry or audit"),
    (top(projections=["discriminant"]), "projections", "discriminant alone", "add pca"),
    (views(["focal"], ["context"]), "views.classify", "'context'", "add context to views.store"),
    # Inputs
    (model(input={}), "models[0].input", "{}", "`template`"),
    (model(input={"template": "{sentence} {sense}"}), "models[0].input", "{sense}' cannot be used",
     "with {sentence}, and {word}"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "key", "value", "fix"), WRONG, ids=ids(WRONG))
def test_a_wrong_config_is_refused(change: Change, key: str, value: str, fix: str) -> None:
    assert_refused(change, key, value, fix)
