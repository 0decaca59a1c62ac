"""Declare the study of unlabelled uses: which uses does a word have if no senses are given?"""

from typing import Any

from wsd.studies.base import Config, Files, Kind, Outputs, Study


class Unlabelled(Study):
    """Declare the study to the run and to the command line."""

    name = "unlabelled"
    section = "clusters"
    group = "find the uses of words without senses"
    commands = {
        "uses": "Cluster every word's sentences at one layer choice.",
        "uses-page": "Write the pages of the clusters.",
    }
    extends = {"import": "import_unlabelled", "overview": "uses_page"}
    kinds = {
        "uses": Kind(
            "uses", {"centre": "clusters.centre", "clusters": "clusters.most", "seed": "seed"}
        ),
        "uses-page": Kind("uses-page"),
    }

    def configure(self, file: Any, config: Config) -> Config:
        """Read the largest number of clusters alone as a section."""
        from wsd.studies.unlabelled.config import Clusters

        clusters = file.clusters
        if not isinstance(clusters, Clusters):
            clusters = Clusters(most=clusters) if clusters else Clusters()
        return config.model_copy(update={"clusters": clusters})

    def applies(self, config: Config) -> bool:
        """Return whether the corpus has words to cluster, which a corpus of pairs has not."""
        return not config.dataset.of_pairs

    def outputs(self, files: Files) -> Outputs:
        """Return the clusters and their pages; with senses, a run writes them only on request."""
        config, key, store = files.config, files.keys.key, files.store
        uses = f"{store}/{{model}}/uses@{key('uses')}/{{view}}/{{layers}}.parquet"
        made = files.shown(uses, config.classify[:1])
        page = f"{store}/uses@{key('uses-page', made, config.sentences, files.keys.pages)}.json"
        patterns = {"uses": uses, "by_vectors": made, "page": page}
        made, named = ([], [*made, page]) if config.dataset.labelled else ([*made, page], [])
        return Outputs(made, named, patterns=patterns)


STUDY = Unlabelled()
