"""Declare the study of unlabelled uses: which uses does a word have if no senses are given?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wsd.studies.base import Kind, Outputs, Study, refused

if TYPE_CHECKING:
    from wsd.artifacts.config_section import Section
    from wsd.run.path_patterns import Places
    from wsd.run.run_files import Files
    from wsd.run.settings import Config

CLUSTERED = {"clusters": "clusters.most", "seed": "seed"}


class Unlabelled(Study):
    """Declare the study to the run and to the command line."""

    name = "unlabelled"
    group = "find the uses of words without senses"
    commands = {
        "uses": "Cluster every word's sentences at one layer choice.",
        "substitute-uses": "Cluster every word's sentences by the substitutes of an encoder.",
        "uses-page": "Write the pages of the clusters.",
    }
    extends = {"import": "import_unlabelled", "overview": "overview_links"}
    kinds = {
        "uses": Kind("uses", {"centre": "clusters.centre", **CLUSTERED}, (), ("vectors", "views")),
        "substitute-uses": Kind("substitute-uses", CLUSTERED, (), ("asked",)),
        "uses-page": Kind(
            "uses-page",
            {},
            ("sentences", "dataset", "analyses", "models", "layers", "views.classify"),
            ("uses", "substitute-uses"),
        ),
    }

    def keys(self) -> type[Section]:
        """Return the config key ``clusters``."""
        from wsd.studies.unlabelled.config import UnlabelledKeys

        return UnlabelledKeys

    def configure(self, file: Any, config: Config) -> Config:
        """Check that some word has enough sentences for the clusters."""
        from wsd.studies.unlabelled.config import Clusters

        clusters = file.clusters
        if not isinstance(clusters, Clusters):
            clusters = Clusters(most=clusters) if clusters else Clusters()
        longest = max(config.dataset.sizes[word] for word in config.words)
        if clusters.most is not None and clusters.most >= longest:
            number = f"{longest} sentence{'s' if longest > 1 else ''}"
            problem = f"{clusters.most} clusters, but no word has more than {number}"
            raise refused(problem, "clusters", "set fewer, or leave the number out")
        return replace(config, sections={**config.sections, "clusters": clusters})

    def applies(self, config: Config) -> bool:
        """Return whether the corpus has words to cluster, which a corpus of pairs has not."""
        return not config.dataset.of_pairs

    def patterns(self, places: Places) -> dict[str, Any]:
        """Return the patterns of the clusters' paths."""
        key, store = places.keys.key, places.store
        substitutes_key = key("substitute-uses", places.keys.corpus)
        return {
            "uses": f"{store}/{{model}}/uses@{key('uses')}/{{view}}/{{layers}}.parquet",
            "substitute_uses": f"{store}/{{asked}}/uses@{substitutes_key}/substitutes.parquet",
        }

    def outputs(self, files: Files) -> Outputs:
        """Return the clusters and their pages; with senses, a run writes them only on request."""
        if not self.applies(files.config):
            return Outputs()
        patterns, config = files.study[self.name], files.config
        models = files.study.get("substitutes", {}).get("models", [])
        by_vectors = files.shown(patterns["uses"], config.classify[:1])
        by_substitutes = files.paths(patterns["substitute_uses"], asked=models)
        tables = [*by_vectors, *by_substitutes]
        key = files.keys.key("uses-page", tables, config.sentences, files.keys.pages)
        page = f"{files.store}/uses@{key}.json"
        patterns |= {"by_vectors": by_vectors, "by_substitutes": by_substitutes, "page": page}
        paths = [*tables, page]
        return Outputs([], paths) if config.dataset.labelled else Outputs(paths)


STUDY = Unlabelled()
