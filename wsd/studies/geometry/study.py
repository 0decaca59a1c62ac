"""How do the vectors of each layer lie in space?"""

from wsd.studies.base import Files, Kind, Outputs, Study


class Geometry(Study):
    """Declare the study to the run and to the command line."""

    name = analysis = "geometry"
    commands = {"geometry": "Measure the geometry of every layer's vectors."}
    extends = {"report": "layers_section"}
    _flags = {"view": "page_view", "transforms": "transforms", "seed": "seed"}
    kinds = {"geometry": Kind("geometry", _flags)}

    def outputs(self, files: Files) -> Outputs:
        """Return a table per model."""
        key = files.keys.key("geometry", files.keys.view(files.config.page_view))
        table = f"{files.store}/{{model}}/geometry@{key}.csv"
        return Outputs(shown={"geometry": files.of_models(table)}, patterns={"table": table})


STUDY = Geometry()
