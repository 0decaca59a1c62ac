"""Which words would the encoder put in the focal word's place?"""

from wsd.studies.base import Study


class Substitutes(Study):
    """Declare the study to the run and to the command line."""

    name = "substitutes"
    commands = {
        "substitutes": "Let an encoder fill the focal word's place.",
        "sense-substitutes": "List the substitutes that distinguish each sense.",
    }


STUDY = Substitutes()
