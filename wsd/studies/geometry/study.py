"""How do the vectors of each layer lie in space?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wsd.studies.base import Kind, Outputs, Study

if TYPE_CHECKING:
    from wsd.run.path_patterns import Places
    from wsd.run.run_files import Files


class Geometry(Study):
    """Declare the study to the run and to the command line."""

    name = analysis = "geometry"
    commands = {
        "geometry": "Measure the geometry of every layer's vectors.",
    }
    extends = {"report": "layers_section"}
    kinds = {
        "geometry": Kind(
            "geometry",
            {"view": "page_view", "transforms": "transforms", "seed": "seed"},
            ("views.classify",),
            ("vectors", "views"),
        ),
    }

    def patterns(self, places: Places) -> dict[str, Any]:
        """Return the pattern of the tables."""
        keys = places.keys
        key = keys.key("geometry", keys.view(places.config.page_view))
        return {"geometry": f"{places.store}/{{model}}/geometry@{key}.csv"}

    def outputs(self, files: Files) -> Outputs:
        """Return a table per model."""
        if not self.applies(files.config):
            return Outputs()
        tables = files.of_models(files.study[self.name]["geometry"])
        return Outputs(tables, shown={"geometry": tables})


STUDY = Geometry()
