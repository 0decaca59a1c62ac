"""Which words would the encoder predict for the focal word?"""

from collections.abc import Mapping
from typing import Any

from wsd.studies.base import Config, Files, Keys, Kind, Outputs, Study


class Substitutes(Study):
    """Declare the study to the run and to the command line."""

    name = analysis = "substitutes"
    commands = {
        "substitutes": "Let an encoder fill the focal word's place.",
        "sense-substitutes": "List the substitutes that distinguish each sense.",
    }
    extends = {"report": "word_panel"}
    kinds = {
        "asked": Kind("substitutes", {"device": "device"}),
        "bags": Kind("classify", {"objective": "tuning.objective"}),
        "sense-substitutes": Kind("sense-substitutes"),
    }

    def applies(self, config: Config) -> bool:
        """Return whether the config asks for substitutes; the corpus needs no senses."""
        return self.analysis in config.analyses and not config.dataset.of_pairs

    def names(self, keys: Keys) -> Mapping[str, Mapping[str, str]]:
        """Return each model that predicts substitutes, as the wildcard ``asked``."""
        models = keys.config.models.values()
        return {"asked": {model.name: keys.key("asked", keys.identity(model)) for model in models}}

    def models(self, config: Config) -> list[str]:
        """Return the models that read the sentence alone. Their step checks their heads."""
        from wsd.artifacts.substitute_table import SEEN

        return [name for name, model in config.models.items() if model.input in SEEN]

    def outputs(self, files: Files) -> Outputs:
        """Return the substitutes of every model, and those that distinguish each sense.

        A baseline, a bag of substitutes, is compared.
        """
        from wsd.artifacts.training_set import FULL

        key, corpus, folder = files.keys.key, files.keys.corpus, f"{files.store}/{{asked}}"
        models = self.models(files.config)
        bags = key("bags", files.keys.folds[FULL])
        patterns: dict[str, Any] = {
            "substitutes": f"{folder}/substitutes/words@{corpus}.json",
            "bags": f"{folder}/baselines@{bags}/bag_of_substitutes.parquet",
            "sense_substitutes": f"{folder}/substitutes@{key('sense-substitutes', corpus)}.csv",
        }
        paths = {name: files.paths(pattern, asked=models) for name, pattern in patterns.items()}
        patterns |= {"models": models}
        if not files.config.dataset.labelled:
            return Outputs(paths["substitutes"], patterns=patterns)
        compared = {"baselines": paths.pop("bags")}
        return Outputs(shown=paths, compared=compared, patterns=patterns)


STUDY = Substitutes()
