"""How far does a gloss go without a labelled sentence?"""

from wsd.studies.base import Study


class Glosses(Study):
    """Declare the study to the run and to the command line."""

    name = "glosses"
    commands = {
        "glosses": "Read and check a gloss for each sense.",
        "zero-shot": "Predict every word from glosses, without a label.",
        "gloss-worth": "Measure how many labelled sentences a gloss is worth.",
    }


STUDY = Glosses()
