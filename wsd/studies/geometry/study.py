"""How do the vectors of each layer lie in space?"""

from wsd.studies.base import Study


class Geometry(Study):
    """Declare the study to the run and to the command line."""

    name = "geometry"
    commands = {
        "geometry": "Measure the geometry of every layer's vectors.",
    }


STUDY = Geometry()
