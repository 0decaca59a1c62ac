"""Declare the study of pairs: which layer knows whether two uses of a word have the same sense?"""

from wsd.studies.base import Config, Files, Kind, Outputs, Study


class Pairs(Study):
    """Declare the study to the run and to the command line."""

    name = "pairs"
    group = "compare pairs of sentences"
    commands = {
        "pairs": "Score every layer: same sense in both sentences, or not?",
        "pairs-page": "Write the page of the pairs.",
    }
    front_page = "pairs.html"
    extends = {"corpus": "pair_tables", "import": "import_pairs", "overview": "pairs_page"}
    kinds = {
        "pairs": Kind("pairs", {"view": "page_view", "transforms": "transforms", "seed": "seed"}),
        "pairs-page": Kind("pairs-page"),
    }

    def applies(self, config: Config) -> bool:
        """Return whether the corpus consists of pairs."""
        return config.dataset.of_pairs

    def outputs(self, files: Files) -> Outputs:
        """Return the tables and the page of every model."""
        config, keys = files.config, files.keys
        choices = [model.unmixed for model in config.models.values()]
        key = keys.key("pairs", keys.view(config.page_view), choices)
        folder = f"{files.store}/{{model}}/@{key}"
        tables = [f"{folder}/pairs.csv", f"{folder}/cosines.parquet"]
        key = keys.key("pairs-page", folder, config.sentences, keys.pages)
        page = f"{files.store}/{{model}}/pairs@{key}.html"
        patterns = {"folder": folder, "tables": tables, "page": page}
        return Outputs(files.of_models(*tables, page), patterns=patterns)


STUDY = Pairs()
