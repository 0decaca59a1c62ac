"""How much of a probe's score is memory of the neighbouring word?"""

from wsd.studies.base import Study


class ControlTask(Study):
    """Declare the study to the run and to the command line."""

    name = "control_task"
    commands = {
        "control-task": "Classify labels fixed by the neighbouring word (a control task).",
    }


STUDY = ControlTask()
