"""How many bits do the labels take, given the vectors of a layer?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wsd.studies.base import Kind, Outputs, Paths, Study, refused

if TYPE_CHECKING:
    from wsd.run.run_files import Files
    from wsd.run.settings import Config

# The nested training sets that the labels are sent in.
NESTED = ("1pct", "5pct", "10pct", "25pct", "50pct")
PROBABILISTIC = ("logistic", "lda")


class CodeLength(Study):
    """Declare the study to the run and to the command line."""

    name = analysis = "code_length"
    commands = {
        "code-length": "Measure how many bits the labels take, given the vectors (MDL).",
    }
    kinds = {
        "code-length": Kind(
            "code-length", {}, ("controls.classifiers", "views.classify"), ("predictions",)
        ),
    }

    def configure(self, file: Any, config: Config) -> Config:
        """Check that the nested training sets are there, and a classifier with probabilities."""
        if not self.applies(config):
            return config
        lacking = [train for train in NESTED if train not in config.trains]
        if lacking:
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
        from wsd.artifacts.training_set import FULL

        config = files.config
        if not self.applies(config):
            return Outputs()
        read = [self.predictions(files, name) for name in config.models]
        key = files.keys.key("code-length", files.view(config.page_view), read)
        pattern = f"{files.store}/{{model}}/code-length@{key}.csv"
        files.study[self.name] |= {"table": pattern, "trains": [*NESTED, FULL]}
        return Outputs(files.of_models(pattern))


STUDY = CodeLength()
