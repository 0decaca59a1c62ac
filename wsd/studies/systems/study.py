"""How do published and other systems do on the same instances?"""

from collections.abc import Mapping
from typing import Any

from wsd.studies.base import Config, Files, Keys, Kind, Outputs, Paths, Study, check_file

# The corpus of the published systems.
PUBLISHED_FOR = "coarsewsd20"
FREE = "give the system a name that no model, published system or other system has"
JSON_LINES = "give a file of JSON lines, as `wsd score` takes it"


class Systems(Study):
    """Declare the study to the run and to the command line."""

    name = section = "systems"
    commands = {
        "published": "Convert the predictions of a published system for `wsd score`.",
        "score": "Check and score any system's predictions of the test instances.",
    }
    kinds = {"published": Kind("published"), "systems": Kind("score")}

    def configure(self, file: Any, config: Config) -> Config:
        """Check the names and the files of the systems."""
        from wsd.artifacts.reserved_names import check_free

        taken = [*config.encoders, *_published()]
        check_free("systems", [entry.name for entry in file.systems], taken, FREE)
        for i, entry in enumerate(file.systems):
            check_file(entry.file, f"systems[{i}].file", JSON_LINES)
        files = {entry.name: entry.file for entry in file.systems}
        return config.model_copy(update={"systems": files})

    def reserved_names(self, file: Any) -> Mapping[str, list[str]]:
        """Return the names of the published systems."""
        return {"models": _published()}

    def names(self, keys: Keys) -> Mapping[str, Mapping[str, str]]:
        """Return the key of each published and each other system, for the wildcard ``system``."""
        files = keys.config.sections["systems"]
        read = dict.fromkeys(_published_in(keys.config), keys.key("published", *keys.content))
        read |= {name: keys.digest(file) for name, file in files.items()}
        return {"system": {n: keys.key("systems", n, of, keys.corpus) for n, of in read.items()}}

    def patterns(self, files: Files) -> dict[str, Any]:
        """Return the patterns of the files of published systems and of all predictions."""
        keys, store = files.keys, files.store
        converted = keys.key("published", *keys.content)
        return {
            "published": f"{store}/published@{converted}/{{name}}.jsonl",
            "systems": f"{store}/systems/{{system}}.parquet",
        }

    def compared(self, files: Files) -> Mapping[str, Paths]:
        """Return the predictions of published and of other systems."""
        pattern, config = files.study[self.name]["systems"], files.config
        return {
            "published": files.paths(pattern, system=_published_in(config)),
            "systems": files.paths(pattern, system=config.sections["systems"]),
        }

    def scored(self, files: Files) -> Mapping[str, Paths]:
        """Return the same predictions as systems, which are scored separately from our own."""
        return {"systems": [path for paths in self.compared(files).values() for path in paths]}

    def outputs(self, files: Files) -> Outputs:
        """Return the converted files of the published systems."""
        pattern = files.study[self.name]["published"]
        return Outputs(files.paths(pattern, name=_published_in(files.config)))


def _published() -> list[str]:
    from wsd.studies.systems.published import SYSTEMS

    return list(SYSTEMS)


def _published_in(config: Config) -> list[str]:
    """Return the published systems of a config's corpus."""
    return _published() if config.dataset.name == PUBLISHED_FOR else []


STUDY = Systems()
