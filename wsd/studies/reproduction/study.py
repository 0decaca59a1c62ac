"""Do our vectors give the published centroids and predictions?"""

from wsd.studies.base import Study


class Reproduction(Study):
    """Declare the study to the run and to the command line."""

    name = "reproduction"
    commands = {
        "reproduce": "Compare with the published centroids and predictions.",
    }


STUDY = Reproduction()
