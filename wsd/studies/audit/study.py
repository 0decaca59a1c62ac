"""Which instances are near-duplicates, suspected label errors or hard cases?"""

from wsd.studies.base import Files, Kind, Outputs, Paths, Study

TABLES = ("duplicates", "instances", "confusions")


class Audit(Study):
    """Declare the study to the run and to the command line."""

    name = analysis = "audit"
    commands = {"audit": "List near-duplicates, suspected label errors and confusions."}
    kinds = {"audit": Kind("audit")}

    def predictions(self, files: Files, model: str) -> Paths:
        """Return the predictions that the audit of a model reads."""
        return files.single_layers(model, files.config.classifiers)

    def outputs(self, files: Files) -> Outputs:
        """Return the tables of every model."""
        config = files.config
        # The classifier whose scores are probabilities judges the labels.
        classifiers = config.classifiers.values()
        judges = [c.name for c in classifiers if c.estimator == "logistic"][:1]
        read = [self.predictions(files, name) for name in config.models]
        folder = f"{files.store}/audit@{files.keys.key('audit', read, judges)}/{{model}}"
        tables = [f"{folder}/{table}.csv" for table in TABLES]
        patterns = {"folder": folder, "tables": tables, "judges": judges}
        return Outputs(files.of_models(*tables), patterns=patterns)


STUDY = Audit()
