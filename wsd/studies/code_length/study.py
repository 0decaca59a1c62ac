"""How many bits do the labels take, given the vectors of a layer?"""

from typing import Any

from wsd.studies.base import Config, Files, Kind, Outputs, Paths, Study, refused

# The labels are coded in the steps of these nested training sets.
NESTED = ("1pct", "5pct", "10pct", "25pct", "50pct")
PROBABILISTIC = ("logistic", "lda")


class CodeLength(Study):
    """Declare the study to the run and to the command line."""

    name = analysis = "code_length"
    commands = {"code-length": "Measure how many bits the labels take, given the vectors (MDL)."}
    kinds = {"code-length": Kind("code-length")}

    def configure(self, file: Any, config: Config) -> Config:
        """Check for the nested training sets, and for a classifier with probabilities."""
        if not self.applies(config):
            return config
        if lacking := [train for train in NESTED if train not in config.trains]:
            problem = f"the code length needs the nested training sets, {', '.join(lacking)} too"
            fix = "add them, or leave code_length out of analyses"
            raise refused(problem, "trains", fix)
        if not self._classifiers(config):
            problem = "the code length needs a classifier that gives probabilities"
            fix = "add one of logistic and lda, or leave code_length out of analyses"
            raise refused(problem, "controls.classifiers", fix)
        return config

    def _classifiers(self, config: Config) -> list[str]:
        names = config.controls.classifiers
        return [n for n in names if config.classifiers[n].estimator in PROBABILISTIC]

    def predictions(self, files: Files, model: str) -> Paths:
        """Return the predictions that the code length of a model reads."""
        return files.single_layers(model, self._classifiers(files.config), NESTED)

    def outputs(self, files: Files) -> Outputs:
        """Return a table per model."""
        config = files.config
        read = [self.predictions(files, name) for name in config.models]
        key = files.keys.key("code-length", files.view(config.page_view), read)
        table = f"{files.store}/{{model}}/code-length@{key}.csv"
        return Outputs(files.of_models(table), patterns={"table": table, "trains": NESTED})


STUDY = CodeLength()
