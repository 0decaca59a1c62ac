"""Check, before anything is embedded, that words have enough sentences for the folds."""

from wsd.artifacts.cv_table import grid_points
from wsd.errors import ConfigError
from wsd.run.checked_config import Config, Model

SHOWN = 10


def check_folds(config: Config) -> None:
    """Refuse a config with several candidates if no word has enough sentences for the folds.

    The selection on words with folds holds for the other words too. A single candidate needs no
    selection. The check accepts a corpus without numbers of folds.

    Raises
    ------
    ConfigError
        With the words, how many folds each can have, and what to change.
    """
    folds, known = config.tuning.folds, config.dataset.most_folds
    most = {word: known.get(word, folds) for word in config.words}
    if max(most.values()) >= folds:
        return
    for model in config.models.values():
        if (points := _points(config, model)) > 1:
            words = [
                f"{w} {n}" for w, n in sorted(most.items(), key=lambda item: (-item[1], item[0]))
            ]
            more = [f"and {len(words) - SHOWN} more words"] if len(words) > SHOWN else []
            raise ConfigError(
                f"no word has enough training sentences for {folds} folds (at most: "
                f"{', '.join(words[:SHOWN] + more)}) to select one of the {points} candidates of "
                f"{model.name}",
                where="config key tuning.folds",
                fix=_changes(config, max(most.values())),
            )


def _points(config: Config, model: Model) -> int:
    """Count candidates: feature sets, classifiers, points of search spaces."""
    return sum(len(grid_points(classifier.space)) for classifier in config.combinations(model))


def _changes(config: Config, most: int) -> str:
    """Return config keys to try: fewer folds, if that is possible, or a single candidate."""
    keys = {
        "layers": f"[{min(model.blocks for model in config.models.values())}]",
        "classifiers": "[{name: nearest_centroid}]",
    }
    if list(config.controls.classifiers) != ["nearest_centroid"]:
        keys["controls"] = "{classifiers: [nearest_centroid]}"
    if any(model.features for model in config.models.values()):
        keys["features"] = "[]"
    if len(config.classify) > 1:
        keys["views"] = f"{{classify: [{config.classify[0]}]}}"
    single = ", ".join(f"`{key}: {value}`" for key, value in keys.items())
    fewer = "fewer folds, `tuning: {folds: 2}`, or " if most > 1 else ""
    return (
        f"add training sentences; or put into a config file {fewer}a single candidate, which needs "
        f"no selection: {single}"
    )
