"""Find the stored configuration of a run that a user's names stand for."""

import re
from collections.abc import Mapping
from contextlib import suppress

from wsd.artifacts.encoder_record import read_record
from wsd.artifacts.feature_set import parse_features
from wsd.artifacts.run_json import RunMap
from wsd.artifacts.training_set import FULL
from wsd.errors import ConfigError, unknown_choice
from wsd.fitted.selected_results import Configuration, Results

# Model, training set, view, layers and classifier.
PREDICTIONS = re.compile(r"([^/]+)/predictions/([^/]+)/([^/]+)/([^/]+)\.([^./]+)\.parquet")
RECORD = re.compile(r"([^/]+)/model\.json")
# The most configurations that an error lists.
MOST = 20


def models_of(files: RunMap) -> tuple[str, ...]:
    """Return the names of a run's models; first the models of the config, in its order."""
    names = [match[1] for match in map(RECORD.fullmatch, files.files) if match]
    order = [entry["name"] for entry in files.config.get("models", ()) if entry["name"] in names]
    return tuple(dict.fromkeys([*order, *names]))


def blocks_of_model(files: RunMap, model: str) -> int:
    """Return the number of a model's blocks.

    Raises
    ------
    ConfigError
        If the run has no such model.
    """
    if model not in (models := models_of(files)):
        raise unknown_choice(f"this run has no model {model!r}", models, "model")
    return int(read_record(files.file(f"{model}/model.json"))["blocks"])


def stored_configurations(files: RunMap) -> dict[str, list[Configuration]]:
    """Return the configurations with predictions, by training set."""
    stored: dict[str, list[Configuration]] = {}
    for match in filter(None, map(PREDICTIONS.fullmatch, files.files)):
        model, train, *names = match.groups()
        stored.setdefault(train, []).append(Configuration(model, *names))
    return stored


def choose_stored(
    results: Results, names: Mapping[str, str | int | None], train: str = FULL
) -> Configuration:
    """Return the stored configuration with these names.

    Parameters
    ----------
    results : Results
    names : mapping
        Any of ``model``, ``view``, ``layers`` and ``classifier``; None for any.
    train : str
        The training set.

    Returns
    -------
    Configuration
        Among several, the one with the best score in cross-validation. Without names this is the
        selected configuration.

    Raises
    ------
    ConfigError
        If nothing has these names, or several configurations that cross-validation has not
        compared. It lists the possible names.
    """
    stored = stored_configurations(results.map)
    if train not in stored:
        raise unknown_choice(f"no predictions with the train {train!r}", stored, "train")
    fitting = stored[train]
    given = {name: str(value) for name, value in names.items() if value is not None}
    if "layers" in given:
        given["layers"] = _standard_layers(results.map, fitting, given)
    for column in ("model", "view", "layers", "classifier"):
        if (value := given.get(column)) is None:
            continue
        known = dict.fromkeys(getattr(configuration, column) for configuration in fitting)
        if value not in known:
            problem = f"no predictions with the {column} {value!r}"
            raise unknown_choice(problem, known, column)
        fitting = [entry for entry in fitting if getattr(entry, column) == value]
    if len(fitting) == 1:
        return fitting[0]
    with suppress(ConfigError):
        best = results.choose(**given)
        if best in fitting:
            return best
    listed = "; ".join(map(str, fitting[:MOST])) + ("; …" if fitting[MOST:] else "")
    problem = f"{len(fitting)} configurations have these names"
    fix = f"name model, view, layers and classifier of one of them: {listed}"
    raise ConfigError(problem, fix=fix)


def _standard_layers(files: RunMap, stored: list[Configuration], given: Mapping[str, str]) -> str:
    """Return the standard name of a layer choice, such as ``6`` for ``-1``."""
    layers = given["layers"]
    if layers in {configuration.layers for configuration in stored}:
        return layers
    # The caller refuses an unknown name, and lists the stored ones.
    with suppress(ConfigError):
        blocks = blocks_of_model(files, given.get("model", stored[0].model))
        return parse_features(given.get("view", "focal"), layers, blocks).layers
    return layers
