"""Which way to tell senses apart is worth its labels and its processor time?"""

from wsd.studies.base import Study


class Strategies(Study):
    """Declare the study to the run and to the command line."""

    name = "strategies"
    commands = {
        "strategies": "Compare strategies: scores, labels, processor time.",
    }


STUDY = Strategies()
