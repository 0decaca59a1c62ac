"""Declare the study of change: which words differ between two groups of uses, in which layers?"""

from wsd.studies.base import Config, Files, Kind, Outputs, Study

SETTINGS = ("group", "groups", "centre", "clusters", "identifier")


class Change(Study):
    """Declare the study to the run and to the command line."""

    name = section = "change"
    group = "compare two groups of uses"
    commands = {
        "change": "Measure in every layer how much each word's uses differ between groups.",
        "change-page": "Write the pages of change.",
    }
    extends = {"overview": "change_page"}
    kinds = {
        "change": Kind(
            "change",
            {"view": "page_view", "seed": "seed", **{key: f"change.{key}" for key in SETTINGS}},
        ),
        "change-page": Kind("change-page", {"group": "change.group", "centre": "change.centre"}),
    }

    def applies(self, config: Config) -> bool:
        """Return whether the config names the groups."""
        return config.sections["change"] is not None and not config.dataset.of_pairs

    def outputs(self, files: Files) -> Outputs:
        """Return the tables and the pages of every model."""
        config, keys = files.config, files.keys
        choices = [model.unmixed for model in config.models.values()]
        key = keys.key("change", keys.view(config.page_view), keys.source, choices)
        folder = f"{files.store}/{{model}}/@{key}"
        names = ("change.csv", "change-words.csv", "change-gold.csv")
        tables = [f"{folder}/{name}" for name in names]
        key = keys.key("change-page", folder, config.sentences, keys.pages)
        page = f"{files.store}/{{model}}/change@{key}.json"
        patterns = {"folder": folder, "tables": tables, "page": page}
        return Outputs(files.of_models(*tables, page), patterns=patterns)


STUDY = Change()
