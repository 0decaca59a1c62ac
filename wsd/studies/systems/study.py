"""How do published and other systems do on the same instances?"""

from collections.abc import Mapping
from typing import Any

from wsd.studies.base import Config, Files, Keys, Kind, Outputs, Study, check_file

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
        from wsd.artifacts.dataset import check_free

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

    def outputs(self, files: Files) -> Outputs:
        """Return the converted files of the published systems, and all systems' predictions."""
        keys, store = files.keys, files.store
        converted = keys.key("published", *keys.content)
        patterns = {
            "published": f"{store}/published@{converted}/{{name}}.jsonl",
            "systems": f"{store}/systems/{{system}}.parquet",
        }
        published = _published_in(files.config)
        names = {"published": published, "systems": files.config.sections["systems"]}
        compared = {row: files.paths(patterns["systems"], system=of) for row, of in names.items()}
        return Outputs(
            files.paths(patterns["published"], name=published),
            compared=compared,
            # Scored as systems, separately from our own predictions.
            scored={"systems": [path for paths in compared.values() for path in paths]},
            patterns=patterns,
        )


def _published() -> list[str]:
    from wsd.studies.systems.published import SYSTEMS

    return list(SYSTEMS)


def _published_in(config: Config) -> list[str]:
    """Return the published systems of a config's corpus."""
    return _published() if config.dataset.name == PUBLISHED_FOR else []


STUDY = Systems()
