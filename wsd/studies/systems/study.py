"""How do published and other systems do on the same instances?"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wsd.studies.base import Config, Files, Keys, Kind, Paths, Places, Study, check_file

# The corpus of the published systems.
PUBLISHED_FOR = "coarsewsd20"
FREE = "give the system a name that no model, published system or other system has"
JSON_LINES = "give a file of JSON lines, as `wsd score` takes it"


class Systems(Study):
    """Declare the study to the run and to the command line."""

    name = section = "systems"
    commands = {
        "published": "Read the predictions of a published system.",
        "score": "Check and score any system's predictions of the test instances.",
        "reproduce": "Compare with the published centroids and predictions.",
    }
    kinds = {
        "published": Kind("published"),
        "systems": Kind("score"),
        "reproduced": Kind("reproduce"),
    }

    def configure(self, file: Any, config: Config) -> Config:
        """Check the names and the files of the systems."""
        from wsd.artifacts.reserved_names import check_free

        taken = [*config.encoders, *_published(config.dataset.name)]
        check_free("systems", [entry.name for entry in file.systems], taken, FREE)
        for i, entry in enumerate(file.systems):
            check_file(entry.file, f"systems[{i}].file", JSON_LINES)
        files = {entry.name: entry.file for entry in file.systems}
        return replace(config, sections={**config.sections, "systems": files})

    def reserved_names(self, file: Any) -> Mapping[str, list[str]]:
        """Return the names of the published systems."""
        return {"models": _published(file.dataset)}

    def names(self, keys: Keys) -> Mapping[str, Mapping[str, str]]:
        """Return the key of each other system, for the wildcard ``system``."""
        files = keys.config.sections["systems"].items()
        corpus = keys.corpus
        return {"system": {n: keys.key("systems", n, keys.digest(f), corpus) for n, f in files}}

    def patterns(self, places: Places) -> dict[str, Any]:
        """Return the patterns of the predictions of published and other systems."""
        key, corpus = places.keys.key, places.keys.corpus
        return {
            "published": f"{places.store}/published@{key('published', corpus)}/{{system}}.parquet",
            "systems": f"{places.store}/systems/{{system}}.parquet",
            "reproduced": key("reproduced", corpus),
        }

    def compared(self, files: Files) -> Mapping[str, Paths]:
        """Return the predictions of published and of other systems."""
        patterns, config = files.study[self.name], files.config
        published = _published(config.dataset.name)
        return {
            "published": [patterns["published"].format(system=name) for name in published],
            "systems": files.paths(patterns["systems"], system=config.sections["systems"]),
        }

    def scored(self, files: Files) -> Mapping[str, Paths]:
        """Return the same predictions as systems, which are scored separately from our own."""
        return {"systems": [path for paths in self.compared(files).values() for path in paths]}


def _published(dataset: object) -> list[str]:
    from wsd.studies.systems.system_descriptions import SYSTEMS

    return list(SYSTEMS) if dataset == PUBLISHED_FOR else []


STUDY = Systems()
