"""Declare the study of change: which words differ between two groups of uses, in which layers?"""

from wsd.studies.base import Config, Files, Kind, Outputs, Study

SETTINGS = ("group", "groups", "centre", "clusters", "identifier")


class Change(Study):
    """Declare the study to the run and to the command line."""

    name = section = "change"
    group = "compare two groups of uses"
    commands = {
        "change": "Measure in every layer how much the uses of each word differ between two groups."
    }
    kinds = {
        "change": Kind(
            "change",
            {"view": "page_view", "seed": "seed", **{key: f"change.{key}" for key in SETTINGS}},
        ),
    }

    def applies(self, config: Config) -> bool:
        """Return whether the config names the groups."""
        return config.sections["change"] is not None and not config.dataset.of_pairs

    def outputs(self, files: Files) -> Outputs:
        """Return the tables of every model."""
        config, keys = files.config, files.keys
        choices = [model.unmixed(config.page_view) for model in config.models.values()]
        key = keys.key("change", keys.view(config.page_view), keys.source, choices)
        folder = f"{files.store}/{{model}}/@{key}"
        names = ("change.csv", "change-words.csv", "change-gold.csv")
        tables = [f"{folder}/{name}" for name in names]
        files.study[self.name] = {"folder": folder, "tables": tables}
        return Outputs(files.of_models(*tables))


STUDY = Change()
