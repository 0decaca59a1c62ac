"""Config keys for large models: what is stored, and which layer choices are then possible."""

import copy
from pathlib import Path
from typing import Any

import pytest
from changed_config import MINILM, check_changed, controls, model, shipped, top

from wsd.errors import ConfigError
from wsd.run.config import check
from wsd.run.digests import Digests, Seen
from wsd.run.keys import Keys
from wsd.run.schema import Config

SUBSET = {"store_layers": [6, 0, 3]}
LAYERS = {"layers": ["all", "mean-3-6"]}


def test_all_stands_for_the_stored_layers() -> None:
    config = check_changed(model(**SUBSET), top(**LAYERS), controls(random_weights=[1]))
    for entry in config.encoders.values():
        assert entry.store_layers == (0, 3, 6)
        assert entry.layers == ("0", "3", "6", "mean-3-6")
        assert entry.single == ("0", "3", "6")
    whole = check_changed(model(store_layers=[*range(7)]))
    assert whole == check_changed()


@pytest.mark.parametrize(
    ("changes", "key", "missing"),
    [
        ({"layers": ["all", "mean-last-2"]}, "layers[1]", "add 5 to its store_layers"),
        ({"layers": ["all", "mean-all"]}, "layers[1]", "add 1, 2, 4, 5 to its store_layers"),
        ({"layers": [-2]}, "layers[0]", "add 5 to its store_layers"),
        (
            {"layers": ["all"], "features": [{"focal": 2, "context": 3}]},
            "features[0].focal",
            "add 2 to its store_layers",
        ),
        ({"layers": ["all"]}, "store_layers", "with 6 blocks, use 0 to 6"),
    ],
)
def test_a_choice_that_needs_another_layer_is_refused(
    changes: dict[str, Any], key: str, missing: str
) -> None:
    stored = [0, 7] if key == "store_layers" else SUBSET["store_layers"]
    with pytest.raises(ConfigError) as caught:
        check_changed(model(store_layers=stored), top(**changes))
    assert key in str(caught.value)
    assert missing in str(caught.value)


@pytest.mark.parametrize(
    "wrong", [{"store_layers": []}, {"store_layers": [-1]}, {"store_dtype": "int8"}]
)
def test_wrong_values_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        check_changed(model(**wrong))


def vectors_key(config: Config, folder: Path) -> str:
    keys = Keys(config, {}, Digests(Seen(folder / "seen.json")), folder)
    return keys.vectors[MINILM]


def test_only_other_values_than_the_default_change_the_key(tmp_path: Path, minilm: str) -> None:
    settings = copy.deepcopy(shipped("quickstart.yaml"))
    default = check(settings)
    settings["models"][0] |= {"store_dtype": "float32"}
    assert vectors_key(check(settings), tmp_path) == vectors_key(default, tmp_path)
    changes: list[dict[str, Any]] = [
        {"store_dtype": "bfloat16"}, {"store_layers": (0, 6)}
    ]  # fmt: skip
    keys = {
        vectors_key(default.model_copy(update={"models": {MINILM: changed}}), tmp_path)
        for entry in default.models.values()
        for changed in [entry, *(entry.model_copy(update=change) for change in changes)]
    }
    assert len(keys) == 3
