"""How far does a gloss go without a labelled sentence?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wsd.studies.base import Costs, Kind, Outputs, Paths, Study, refused
from wsd.studies.glosses.names import KINDS, NO_GLOSSES, OF_CORPUS, VIEW

if TYPE_CHECKING:
    from wsd.artifacts.config_section import Section
    from wsd.run.path_patterns import Places
    from wsd.run.run_files import Files
    from wsd.run.settings import Config, Model

FIX = f"give a table with word, sense and gloss, {OF_CORPUS} or {NO_GLOSSES}"
NO_STUDY = f"say `glosses: {NO_GLOSSES}`"


class Glosses(Study):
    """Declare the study to the run and to the command line."""

    name = "glosses"
    commands = {
        "glosses": "Read and check a gloss for each sense.",
        "zero-shot": "Predict every word from glosses, without a label.",
        "gloss-worth": "Measure how many labelled sentences a gloss is worth.",
    }
    extends = {"report": "layers_section"}
    kinds = {
        "glosses": Kind("glosses", {}, ("glosses",), ("corpus",)),
        "gloss-vectors": Kind("embed", {}, (), ("glosses", "vectors")),
        "zero-shot": Kind("zero-shot", {}, (), ("gloss-vectors", "views")),
        "gloss-worth": Kind("gloss-worth", {"seed": "seed"}, (), ("gloss-vectors", "views")),
    }
    feeds = {
        "scores": Kind("", {}, ("glosses",), ("zero-shot",)),
        "comparison": Kind("", {}, (), ("zero-shot",)),
        "strategies": Kind("", {}, ("glosses",), ("zero-shot",)),
    }

    def keys(self) -> type[Section]:
        """Return the config key ``glosses``."""
        from wsd.studies.glosses.config import GlossesKeys

        return GlossesKeys

    def configure(self, file: Any, config: Config) -> Config:
        """Check that there are senses, glosses, and the view that they are compared with."""
        if file.glosses != NO_GLOSSES:
            _check(file, config)
        return replace(config, sections={**config.sections, "glosses": file.glosses})

    def reserved_names(self, file: Any) -> Mapping[str, list[str]]:
        """Return the names of the kinds of gloss vectors."""
        return {"classifiers": list(KINDS)} if file.glosses != NO_GLOSSES else {}

    def applies(self, config: Config) -> bool:
        """Return whether the config asks for glosses."""
        return super().applies(config) and config.sections["glosses"] != NO_GLOSSES

    def source(self, config: Config) -> str:
        """Return the path of the glosses; empty where they are part of the corpus's folder."""
        from wsd.artifacts.dataset import DATA

        if config.sections["glosses"] != OF_CORPUS:
            return str(config.sections["glosses"])
        return "" if config.dataset.folder else str(DATA / f"glosses/{config.dataset.name}.tsv")

    def patterns(self, places: Places) -> dict[str, Any]:
        """Return the patterns of glosses, their vectors, and the files computed from both."""
        keys, store = places.keys, places.store
        if not self.applies(places.config):
            return {}
        source = self.source(places.config)
        key = keys.key("glosses", keys.digest(source) if source else "", keys.corpus)
        vectors = keys.key("gloss-vectors", key)
        compared = (vectors, keys.view(VIEW))
        zero_shot = f"zero-shot@{keys.key('zero-shot', compared)}/{{layers}}.{{gloss}}.parquet"
        worth = f"gloss-worth@{keys.key('gloss-worth', compared)}.csv"
        return {
            "glosses": f"{store}/glosses@{key}/words.json",
            "vectors": [
                f"{store}/{{model}}/gloss-vectors/{view}@{vectors}.1.json"
                for view in (*KINDS.values(), "alignment")
            ],
            "zero_shot": f"{store}/{{model}}/{zero_shot}",
            "gloss_worth": f"{store}/{{model}}/{worth}",
        }

    def compared(self, files: Files) -> Mapping[str, Paths]:
        """Return the zero-shot predictions of every layer choice and kind of gloss vector."""
        if not self.applies(files.config):
            return {}
        pattern = files.study[self.name]["zero_shot"]
        return {
            "zero_shot": [
                files.path(pattern, model=name, layers=layers, gloss=kind)
                for name, model in files.config.models.items()
                for layers in model.unmixed(VIEW)
                for kind in KINDS
            ]
        }

    scored = compared

    def outputs(self, files: Files) -> Outputs:
        """Return glosses, their vectors, and what a gloss is worth."""
        if not self.applies(files.config):
            return Outputs()
        patterns = files.study[self.name]
        worth = files.of_models(patterns["gloss_worth"])
        vectors = [path for pattern in patterns["vectors"] for path in files.of_models(pattern)]
        return Outputs([patterns["glosses"], *worth, *vectors], shown={"gloss_worth": worth})

    def seconds(self, config: Config, model: Model, costs: Costs) -> float:
        """Return the time of the zero-shot rows, a job per layer choice."""
        if model.name not in config.models or not self.applies(config):
            return 0.0
        instances = sum(config.dataset.sizes[word] for word in config.words)
        return len(model.unmixed(VIEW)) * (costs.job + costs.instance * instances)


def _check(file: Any, config: Config) -> None:
    dataset = config.dataset
    if dataset.of_pairs or not dataset.labelled:
        raise refused(f"{dataset.title} has no senses", "glosses", NO_STUDY)
    if VIEW not in config.store:
        problem = f"glosses are compared with the view {VIEW!r}, which is not stored"
        raise refused(problem, "views.store", f"add {VIEW}, or {NO_STUDY}")
    if file.glosses == OF_CORPUS:
        from wsd.artifacts.dataset import DATA

        if not (dataset.folder or (DATA / f"glosses/{dataset.name}.tsv").is_file()):
            raise refused(f"{dataset.title} comes with no glosses", "glosses", FIX)
        return
    if any(brace in file.glosses for brace in "{}"):
        problem = f"the path {file.glosses!r} has braces, which Snakemake takes for wildcards"
        raise refused(problem, "glosses", "rename the folder, or use a link to it")
    if not os.path.isfile(file.glosses):  # noqa: PTH113 - a name may be too long for a file
        raise refused(f"there is no file {file.glosses!r}", "glosses", FIX)


STUDY = Glosses()
