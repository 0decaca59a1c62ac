"""Config files read and laid over one another as Snakemake does it; where no folder `config` is,
those of the package.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import DATA
from wsd.errors import ConfigError


def merge_configs(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge configs as Snakemake does: mappings key by key, everything else replaced."""
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        merged[key] = merge_configs(old, value) if both else value  # type: ignore[arg-type]
    return merged


def read_configs(files: Sequence[Path]) -> dict[str, Any]:
    """Read config files in YAML, each laid over those before it.

    Where there is no folder ``config``, a file of that folder is the one that the package holds.

    Raises
    ------
    ConfigError
        If one cannot be read, or is no mapping.
    """
    import yaml

    merged: dict[str, Any] = {}
    for file in files:
        if file.parent == Path("config") and not file.parent.exists():
            file = DATA / file
        try:
            loaded = yaml.safe_load(file.read_text(encoding="utf-8"))
        # A date that does not exist is a ValueError, and deep nesting a RecursionError.
        except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
            raise ConfigError(f"the config cannot be read: {error}", where=str(file)) from None
        if loaded is None:  # a file of comments alone
            continue
        if not isinstance(loaded, dict):
            raise ConfigError("the config is no mapping of keys to values", where=str(file))
        merged = merge_configs(merged, loaded)
    return merged
