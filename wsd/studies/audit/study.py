"""Which instances are near-duplicates, suspected label errors or hard cases?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wsd.studies.base import Kind, Outputs, Paths, Study

if TYPE_CHECKING:
    from wsd.run.run_files import Files

TABLES = ("duplicates", "instances", "confusions")


class Audit(Study):
    """Declare the study to the run and to the command line."""

    name = analysis = "audit"
    commands = {
        "audit": "List near-duplicates, suspected label errors and confusions.",
    }
    kinds = {
        "audit": Kind("audit", {}, ("classifiers", "views.classify"), ("predictions",)),
    }

    def predictions(self, files: Files, model: str) -> Paths:
        """Return the predictions that the audit of a model reads."""
        from wsd.artifacts.training_set import FULL

        return files.single_layers(model, files.config.classifiers, [FULL])

    def outputs(self, files: Files) -> Outputs:
        """Return the tables of every model."""
        config = files.config
        if not self.applies(config):
            return Outputs()
        # The classifier whose scores are probabilities judges the labels.
        classifiers = config.classifiers.values()
        judges = [c.name for c in classifiers if c.estimator == "logistic"][:1]
        read = [self.predictions(files, name) for name in config.models]
        folder = f"{files.store}/audit@{files.keys.key('audit', read, judges)}/{{model}}"
        tables = [f"{folder}/{table}.csv" for table in TABLES]
        files.study[self.name] |= {"folder": folder, "tables": tables, "judges": judges}
        return Outputs([path for table in tables for path in files.of_models(table)])


STUDY = Audit()
