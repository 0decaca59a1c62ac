"""Declare the study of boards: which encoder is best, over the results of several machines?"""

from wsd.studies.base import Study


class Board(Study):
    """Declare the study to the run and to the command line."""

    name = "board"
    group = "compare encoders of several machines"
    commands = {
        "export": "Export the results of a run, without sentences.",
        "board": "Merge exports to one page and tables.",
    }


STUDY = Board()
