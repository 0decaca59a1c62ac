"""Check every value of a config, and turn pydantic's errors into one error for the user."""

from collections.abc import Mapping
from reprlib import Repr
from typing import Any

from pydantic import ValidationError

from wsd.artifacts.config_section import REFUSED
from wsd.errors import ConfigError
from wsd.run.schema import ConfigFile

README = "config/README.md explains it"
# Show only part of a value: YAML's aliases can expand to more than fits into memory.
SHOWN = Repr()
SHOWN.maxlevel, SHOWN.maxstring = 3, 500


def validate(config: Mapping[str, Any]) -> ConfigFile:
    """Check every value of a config by itself.

    Raises
    ------
    ConfigError
        Naming the key, the value and the possible values.
    """
    try:
        return ConfigFile.model_validate(dict(config))
    except ValidationError as refused:
        # The first error at the top level, or the nearest to it: others may follow from it.
        error = min(refused.errors(include_url=False), key=lambda error: len(error["loc"]))
    shown = "" if error["type"] == REFUSED else f"{SHOWN.repr(error['input'])}: "
    key = ".".join(str(part) for part in error["loc"] if part not in ("value", "collection"))
    raise ConfigError(f"{shown}{error['msg']}", where=f"config key {key}", fix=README)
