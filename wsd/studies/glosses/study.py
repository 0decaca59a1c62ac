"""How far does a gloss go without a labelled sentence?"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wsd.studies import base
from wsd.studies.base import Config, Files, Kind, Outputs, Study
from wsd.studies.glosses.gloss_names import KINDS, NO_GLOSSES, OF_CORPUS, VIEW

FIX = f"give a table with word, sense and gloss, {OF_CORPUS} or {NO_GLOSSES}"
NO_STUDY = f"say `glosses: {NO_GLOSSES}`"


class Glosses(Study):
    """Declare the study to the run and to the command line."""

    name = section = "glosses"
    commands = {
        "glosses": "Read and check a gloss for each sense.",
        "zero-shot": "Predict every word from glosses, without a label.",
    }
    kinds = {
        "glosses": Kind("glosses"),
        "gloss-vectors": Kind("embed"),
        "zero-shot": Kind("zero-shot"),
    }

    def configure(self, file: Any, config: Config) -> Config:
        """Check that there are senses, glosses, and the view that they are compared with."""
        dataset = config.dataset
        if file.glosses == NO_GLOSSES:
            return config
        if dataset.of_pairs or not dataset.labelled:
            raise base.refused(f"{dataset.title} has no senses", "glosses", NO_STUDY)
        if VIEW not in config.store:
            problem = f"glosses are compared with the view {VIEW!r}, which is not stored"
            raise base.refused(problem, "views.store", f"add {VIEW}, or {NO_STUDY}")
        source = self.source(config)
        if file.glosses != OF_CORPUS:
            base.check_file(source, "glosses", FIX)
        elif source and not Path(source).is_file():
            raise base.refused(f"{dataset.title} comes with no glosses", "glosses", FIX)
        return config

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

    def outputs(self, files: Files) -> Outputs:
        """Return the glosses, their vectors, and the zero-shot predictions from both.

        There are predictions of every layer choice and kind of gloss vector.
        """
        keys, store = files.keys, files.store
        source = self.source(files.config)
        key = keys.key("glosses", keys.digest(source) if source else "", keys.corpus)
        vectors = keys.key("gloss-vectors", key)
        zero_shot = keys.key("zero-shot", (vectors, keys.view(VIEW)))
        patterns: dict[str, Any] = {
            "glosses": f"{store}/glosses@{key}/words.json",
            "vectors": [
                f"{store}/{{model}}/gloss-vectors/{view}@{vectors}.1.json"
                for view in (*KINDS.values(), "alignment")
            ],
            "zero_shot": f"{store}/{{model}}/zero-shot@{zero_shot}/{{layers}}.{{gloss}}.parquet",
        }

        pattern = patterns["zero_shot"]
        predictions = [
            path
            for name, model in files.config.models.items()
            for path in files.paths(pattern, model=[name], layers=model.unmixed, gloss=KINDS)
        ]
        made = [patterns["glosses"], *files.of_models(*patterns["vectors"])]
        rows = {"zero_shot": predictions}
        return Outputs(made, compared=rows, scored=rows, patterns=patterns)


STUDY = Glosses()
