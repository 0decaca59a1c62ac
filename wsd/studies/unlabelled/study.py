"""Declare the study of unlabelled uses: which uses does a word have if no senses are given?"""

from typing import Any

from wsd.studies.base import Config, Files, Kind, Outputs, Study, refused

CLUSTERED = {"clusters": "clusters.most", "seed": "seed"}


class Unlabelled(Study):
    """Declare the study to the run and to the command line."""

    name = "unlabelled"
    section = "clusters"
    group = "find the uses of words without senses"
    commands = {
        "uses": "Cluster every word's sentences at one layer choice.",
        "substitute-uses": "Cluster every word's sentences by the substitutes of an encoder.",
        "uses-page": "Write the pages of the clusters.",
    }
    extends = {"import": "import_unlabelled", "overview": "overview_links"}
    kinds = {
        "uses": Kind("uses", {"centre": "clusters.centre", **CLUSTERED}),
        "substitute-uses": Kind("substitute-uses", CLUSTERED),
        "uses-page": Kind("uses-page"),
    }

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
        return config.model_copy(update={"clusters": clusters})

    def applies(self, config: Config) -> bool:
        """Return whether the corpus has words to cluster, which a corpus of pairs has not."""
        return not config.dataset.of_pairs

    def outputs(self, files: Files) -> Outputs:
        """Return the clusters and their pages; with senses, a run writes them only on request."""
        config, key, store = files.config, files.keys.key, files.store
        models = files.study.get("substitutes", {}).get("models", [])
        uses = f"{store}/{{model}}/uses@{key('uses')}/{{view}}/{{layers}}.parquet"
        substitute_key = key("substitute-uses", files.keys.corpus)
        substitute_uses = f"{store}/{{asked}}/uses@{substitute_key}/substitutes.parquet"
        by_vectors = files.shown(uses, config.classify[:1])
        by_substitutes = files.paths(substitute_uses, asked=models)
        made = [*by_vectors, *by_substitutes]
        page = f"{store}/uses@{key('uses-page', made, config.sentences, files.keys.pages)}.json"
        files.study[self.name] = {
            "uses": uses,
            "substitute_uses": substitute_uses,
            "by_vectors": by_vectors,
            "by_substitutes": by_substitutes,
            "page": page,
        }
        made.append(page)
        return Outputs(by_name=made) if config.dataset.labelled else Outputs(made)


STUDY = Unlabelled()
