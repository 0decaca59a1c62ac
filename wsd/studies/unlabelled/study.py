"""Which uses does a word have, where no sense is labelled?"""

from wsd.studies.base import Study


class Unlabelled(Study):
    """Declare the study to the run and to the command line."""

    name = "unlabelled"
    group = "find the uses of words without senses"
    commands = {
        "uses": "Cluster every word's sentences at one layer choice.",
        "substitute-uses": "Cluster every word's sentences by the substitutes of an encoder.",
        "uses-page": "Write the pages of the clusters.",
    }


STUDY = Unlabelled()
