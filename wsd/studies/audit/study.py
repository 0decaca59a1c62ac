"""Which instances are near-duplicates, suspected label errors or hard cases?"""

from wsd.studies.base import Study


class Audit(Study):
    """Declare the study to the run and to the command line."""

    name = "audit"
    commands = {
        "audit": "List near-duplicates, suspected label errors and confusions.",
    }


STUDY = Audit()
