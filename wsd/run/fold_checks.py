"""Whether there will be folds to select on: said before anything is embedded."""

from wsd.artifacts.cv_table import grid_points
from wsd.errors import ConfigError
from wsd.run.settings import Config, Model

SHOWN = 10


def check_folds(config: Config) -> None:
    """Refuse a config that has something to select where no word has enough sentences for folds.

    Where some words have, they decide for the others too. Where there is one candidate, nothing has
    to be selected. Of a corpus that does not say how many folds it can have, nothing is said.

    Raises
    ------
    ConfigError
        With the words, how many folds each can have, and what would do.
    """
    folds, known = config.tuning.folds, config.dataset.most_folds
    most = {word: known.get(word, folds) for word in config.words}
    if max(most.values()) >= folds:
        return
    for model in config.models.values():
        if (points := _points(config, model)) > 1:
            words = [f"{w} {n}" for w, n in sorted(most.items(), key=lambda of: (-of[1], of[0]))]
            more = [f"{len(words) - SHOWN} words less"] if len(words) > SHOWN else []
            raise ConfigError(
                f"no word has enough training sentences for {folds} folds (at most: "
                f"{', '.join(words[:SHOWN] + more)}), on which one of the {points} candidates of "
                f"{model.name} is to be selected",
                where="config key tuning.folds",
                fix=_what_would_do(config, max(most.values())),
            )


def _points(config: Config, model: Model) -> int:
    """How many candidates there are: feature sets, classifiers, points of search spaces."""
    return sum(len(grid_points(of.space)) for of in config.combinations(model))


def _what_would_do(config: Config, most: int) -> str:
    """Fewer folds, where that can be, or one candidate, as keys of a config file."""
    one = {
        "layers": f"[{min(model.blocks for model in config.models.values())}]",
        "classifiers": "[{name: nearest_centroid}]",
    }
    if list(config.controls.classifiers) != ["nearest_centroid"]:
        one["controls"] = "{classifiers: [nearest_centroid]}"
    if any(model.features for model in config.models.values()):
        one["features"] = "[]"
    if len(config.classify) > 1:
        one["views"] = f"{{classify: [{config.classify[0]}]}}"
    single = ", ".join(f"`{key}: {value}`" for key, value in one.items())
    fewer = "fewer folds, `tuning: {folds: 2}`, or " if most > 1 else ""
    return (
        f"add training sentences; or put into a config file {fewer}one candidate, with which "
        f"nothing has to be selected: {single}"
    )
