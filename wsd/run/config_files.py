"""Config files, read and merged as Snakemake does it."""

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


def there_or_packaged(file: Path) -> Path:
    """A config file; of a folder ``config`` that is not there, the one that the package holds."""
    return DATA / file if file.parent == Path("config") and not file.parent.exists() else file


def read_configs(files: Sequence[Path], run: str | None = None) -> dict[str, Any]:
    """Read config files in YAML, each laid over those before it, and over them a run's name.

    Raises
    ------
    ConfigError
        If one cannot be read, or is no mapping.
    """
    import yaml

    merged: dict[str, Any] = {}
    for file in files:
        try:
            loaded = yaml.safe_load(there_or_packaged(file).read_text(encoding="utf-8"))
        # A date that does not exist is a ValueError, and deep nesting a RecursionError.
        except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise ConfigError(f"the config cannot be read: {why}", where=str(file)) from None
        if loaded is None:  # a file of comments alone
            continue
        if not isinstance(loaded, dict):
            raise ConfigError("the config is no mapping of keys to values", where=str(file))
        merged = merge_configs(merged, loaded)
    return merged if run is None else {**merged, "run": run}
