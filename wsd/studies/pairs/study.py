"""Which layer knows whether a word has the same sense in two sentences?"""

from wsd.studies.base import Study


class Pairs(Study):
    """Declare the study to the run and to the command line."""

    name = "pairs"
    group = "compare pairs of sentences"
    commands = {
        "pairs": "Score every layer: same sense in both sentences, or not?",
        "pairs-page": "Write the page of the pairs.",
    }


STUDY = Pairs()
