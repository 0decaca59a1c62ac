"""Which words would the encoder put in the focal word's place?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from wsd.studies.base import Costs, Kind, Outputs, Paths, Study

if TYPE_CHECKING:
    from wsd.run.keys import Keys
    from wsd.run.path_patterns import Places
    from wsd.run.run_files import Files
    from wsd.run.settings import Config, Model

IDENTITY = tuple(
    f"models.{key}"
    for key in ("path", "package", "hub", "revision", "sha256", "blocks", "width", "random_weights")
)


class Substitutes(Study):
    """Declare the study to the run and to the command line."""

    name = analysis = "substitutes"
    commands = {
        "substitutes": "Let an encoder fill the focal word's place.",
        "sense-substitutes": "List the substitutes that distinguish each sense.",
    }
    extends = {"report": "word_panel"}
    kinds = {
        "asked": Kind("substitutes", {"device": "device"}, IDENTITY, ("corpus",)),
        "bags": Kind("baseline", {"objective": "tuning.objective"}, (), ("asked", "folds")),
        "sense-substitutes": Kind("sense-substitutes", {}, (), ("asked",)),
    }
    feeds = {
        "comparison": Kind("", {}, (), ("bags",)),
        "strategies": Kind("", {}, (), ("bags",)),
    }

    def applies(self, config: Config) -> bool:
        """Return whether the config asks for substitutes, of a corpus with or without senses."""
        return self.analysis in config.analyses and not config.dataset.of_pairs

    def names(self, keys: Keys) -> Mapping[str, Mapping[str, str]]:
        """Return each model that fills places, as the wildcard ``asked``."""
        models = keys.config.models.values()
        return {"asked": {model.name: keys.key("asked", keys.identity(model)) for model in models}}

    def models(self, config: Config) -> list[str]:
        """Return the models with a head; those whose files are missing count too."""
        if not self.applies(config):
            return []
        lacking = self._lacking(config)
        return [name for name in config.models if name not in lacking]

    def _lacking(self, config: Config) -> dict[str, str]:
        from wsd.studies.substitutes.masked_lm_head import known_without_head

        if not self.applies(config):
            return {}
        reasons = {
            model.name: known_without_head(
                model.name, model.source, model.random_weights is not None
            )
            for model in config.models.values()
        }
        return {name: reason for name, reason in reasons.items() if reason is not None}

    def patterns(self, places: Places) -> dict[str, Any]:
        """Return the patterns of the tables of substitutes and of the files that depend on them."""
        from wsd.artifacts.training_set import FULL

        key, corpus, asked = places.keys.key, places.keys.corpus, f"{places.store}/{{asked}}"
        bags = key("bags", places.keys.folds[FULL])
        return {
            "models": self.models(places.config),
            "substitutes": f"{asked}/substitutes/words@{corpus}.json",
            "bags": f"{asked}/baselines@{bags}/bag_of_substitutes.parquet",
            "sense_substitutes": f"{asked}/substitutes@{key('sense-substitutes', corpus)}.csv",
        }

    def compared(self, files: Files) -> Mapping[str, Paths]:
        """Return the predictions of the bags of substitutes, a baseline."""
        return {"baselines": self._paths(files, "bags")}

    def outputs(self, files: Files) -> Outputs:
        """Return the substitutes of every model, and those that distinguish each sense."""
        substitutes = self._paths(files, "substitutes")
        if not files.config.dataset.labelled:
            return Outputs(substitutes)
        senses = self._paths(files, "sense_substitutes")
        shown = {"substitutes": substitutes, "sense_substitutes": senses}
        return Outputs([*substitutes, *senses], shown=shown)

    def _paths(self, files: Files, name: str) -> Paths:
        patterns = files.study[self.name]
        return files.paths(patterns[name], asked=patterns["models"])

    def seconds(self, config: Config, model: Model, costs: Costs) -> float:
        """Return the time of two passes: the focal word masked, and left in."""
        if model.name not in self.models(config) or not config.dataset.labelled:
            return 0.0
        instances = sum(config.dataset.sizes[word] for word in config.words)
        return 2 * costs.passes(model, instances)

    def left_out(self, config: Config) -> Iterator[str]:
        """Yield why a model is left out."""
        yield from self._lacking(config).values()


STUDY = Substitutes()
