"""How much of a probe's score is memory of the neighbouring word?"""

from collections.abc import Mapping
from typing import Any

from wsd.studies.base import Config, Files, Kind, Outputs, Paths, Study

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

    def patterns(self, files: Files) -> dict[str, Any]:
        """Return the patterns of predictions and of the tables of cross-validation."""
        key, model = files.keys.key("control"), f"{files.store}/{{model}}"
        return {
            "predictions": f"{model}/control@{key}/{CHOICE}.parquet",
            "searches": f"{model}/control-search@{key}/{CHOICE}.parquet",
        }

    def compared(self, files: Files) -> Mapping[str, Paths]:
        """Return the predictions of every single layer of the first view."""
        return {"control": self._single_layers(files, "predictions")}

    def outputs(self, files: Files) -> Outputs:
        """Return the tables of cross-validation."""
        return Outputs(self._single_layers(files, "searches"))

    def _single_layers(self, files: Files, name: str) -> Paths:
        config = files.config
        return files.controls(
            files.study[self.name][name], config.models.values(), config.classify[:1]
        )


STUDY = ControlTask()
