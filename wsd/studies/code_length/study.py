"""How many bits do the labels take, given the vectors of a layer?"""

from wsd.studies.base import Study


class CodeLength(Study):
    """Declare the study to the run and to the command line."""

    name = "code_length"
    commands = {
        "code-length": "Measure how many bits the labels take, given the vectors (MDL).",
    }


STUDY = CodeLength()
