"""Declare the study of pairs: which layer knows whether two uses of a word have the same sense?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wsd.studies.base import Kind, Outputs, Study

if TYPE_CHECKING:
    from wsd.run.path_patterns import Places
    from wsd.run.run_files import Files
    from wsd.run.settings import Config


class Pairs(Study):
    """Declare the study to the run and to the command line."""

    name = "pairs"
    group = "compare pairs of sentences"
    commands = {
        "pairs": "Score every layer: same sense in both sentences, or not?",
        "pairs-page": "Write the page of the pairs.",
    }
    front_page = "pairs.html"
    extends = {"corpus": "corpus_of_pairs", "import": "import_pairs", "overview": "overview_rows"}
    kinds = {
        "pairs": Kind(
            "pairs",
            {"view": "page_view", "transforms": "transforms", "seed": "seed"},
            ("layers", "models", "views.classify"),
            ("vectors", "views"),
        ),
        "pairs-page": Kind("pairs-page", {}, ("sentences", "dataset"), ("pairs",)),
    }

    def applies(self, config: Config) -> bool:
        """Return whether the corpus is one of pairs."""
        return config.dataset.of_pairs

    def patterns(self, places: Places) -> dict[str, Any]:
        """Return the folder of the tables and the page."""
        config, keys = places.config, places.keys
        choices = [model.unmixed(config.page_view) for model in config.models.values()]
        key = keys.key("pairs", keys.view(config.page_view), choices)
        folder = f"{places.store}/{{model}}/@{key}"
        name, suffix = self.front_page.split(".")
        page = keys.key("pairs-page", folder, config.sentences, keys.pages)
        return {
            "folder": folder,
            "tables": [f"{folder}/pairs.csv", f"{folder}/cosines.parquet"],
            "page": f"{places.store}/{{model}}/{name}@{page}.{suffix}",
        }

    def outputs(self, files: Files) -> Outputs:
        """Return the tables and the page of every model."""
        if not self.applies(files.config):
            return Outputs()
        patterns = files.study[self.name]
        paths = (*patterns["tables"], patterns["page"])
        return Outputs([path for pattern in paths for path in files.of_models(pattern)])


STUDY = Pairs()
