"""How much of a probe's score is memory of the neighbouring word?"""

from wsd.studies.base import Config, Files, Kind, Outputs, Study

CHOICE = "{train}/{view}/{layers}.{classifier}"


class ControlTask(Study):
    """Declare the study to the run and to the command line."""

    name = "control_task"
    commands = {"control-task": "Classify labels fixed by the neighbouring word (a control task)."}
    kinds = {
        "control": Kind("control-task", {"objective": "tuning.objective", "seed": "seed"}),
    }

    def applies(self, config: Config) -> bool:
        """Return whether the config asks for the control task."""
        return super().applies(config) and config.controls.task

    def outputs(self, files: Files) -> Outputs:
        """Return predictions and cross-validation of every single layer of the first view."""
        config, key, model = files.config, files.keys.key("control"), f"{files.store}/{{model}}"
        patterns = {
            "predictions": f"{model}/control@{key}/{CHOICE}.parquet",
            "searches": f"{model}/control-search@{key}/{CHOICE}.parquet",
        }
        predictions, searches = (
            files.controls(pattern, config.models.values(), config.classify[:1])
            for pattern in patterns.values()
        )
        return Outputs(searches, compared={"control": predictions}, patterns=patterns)


STUDY = ControlTask()
