"""Change the quickstart config in a test, and check what is accepted and what is refused."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from checkout import REPOSITORY

from wsd.errors import ConfigError
from wsd.run.config import check
from wsd.run.config_files import merge_configs
from wsd.run.schema import ANALYSES, Config, ConfigFile

CONFIG = REPOSITORY / "config"
SCHEMA = REPOSITORY / "workflow/schemas/config.schema.json"
MINILM = "all-MiniLM-L6-v2"

Change = Callable[[dict[str, Any]], None]


def load(name: str) -> Any:
    return yaml.safe_load((CONFIG / name).read_text(encoding="utf-8"))


def of_absent_studies() -> set[str]:
    """Return the config keys and analyses of studies that were deleted.

    The schema in workflow/schemas still has them, until ``python tools/config_files.py`` is run.
    """
    properties = json.loads(SCHEMA.read_text())["properties"]
    analyses = {*properties["analyses"]["items"]["enum"]}
    return {*properties} - {*ConfigFile.model_fields} | analyses - {*ANALYSES}


def shipped(*names: str) -> dict[str, Any]:
    """Return shipped configs as the workflow merges them, over config.yaml.

    The test is skipped if a study that they ask for was deleted.
    """
    merged = load("config.yaml")
    for name in names:
        merged = merge_configs(merged, load(name))
    if absent := of_absent_studies() & {*merged, *merged["analyses"]}:
        pytest.skip(f"{' over '.join(names)} asks for studies that are deleted: {absent}")
    return merged


def check_shipped(*names: str, **values: Any) -> Config:
    """Check shipped configs with some keys replaced."""
    return check({**shipped(*names), **values})


def check_changed(*changes: Change) -> Config:
    """Check the quickstart config after some changes."""
    config = shipped("quickstart.yaml")
    for change in changes:
        change(config)
    return check(config)


def top(**values: Any) -> Change:
    return lambda config: config.update(values)


def model(**values: Any) -> Change:
    """Set keys of the first model; None removes a key."""

    def change(config: dict[str, Any]) -> None:
        entry = {**config["models"][0], **values}
        config["models"][0] = {key: value for key, value in entry.items() if value is not None}

    return change


def second_model(**values: Any) -> Change:
    return lambda config: config["models"].append({**config["models"][0], **values})


def classifiers(*entries: Any) -> Change:
    return top(classifiers=list(entries))


def controls(**values: Any) -> Change:
    return lambda config: config["controls"].update(values)


def coarsewsd20(**values: Any) -> Change:
    return top(dataset="coarsewsd20", **values)


def views(store: list[str], classify: list[str], **more: Any) -> Change:
    return top(views={"store": store, "classify": classify, **more})


# A change, the key that the error names, and parts of its problem and of its fix.
Wrong = tuple[Change, str, str, str]


def ids(wrong: list[Wrong]) -> list[str]:
    """Return names for the cases of a parametrized test."""
    return [f"{i}-{key}-{value[:20]}" for i, (_, key, value, _) in enumerate(wrong)]


def assert_refused(change: Change, key: str, value: str, fix: str) -> None:
    """Check that the changed config is refused with its key, the value and a fix."""
    with pytest.raises(ConfigError) as caught:
        check_changed(change)
    error = caught.value
    assert error.where == f"config key {key}"
    assert value in error.problem
    assert fix in str(error)
    assert error.exit_code == 2
