"""Config files, read and merged as Snakemake does it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import DATA
from wsd.errors import ConfigError

# With this key Snakemake runs the Python expressions of a config, before it reads a rule.
TEMPLATE = "__use_yte__"


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
        If one cannot be read, has a key twice, is a template, or is no mapping.
    """
    import yaml

    merged: dict[str, Any] = {}
    for file in files:
        try:
            loaded = _loaded(there_or_packaged(file).read_text(encoding="utf-8"))
        # A date that does not exist is a ValueError, and deep nesting a RecursionError.
        except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            what, fix = f"the config cannot be read: {why}", "name a file in YAML and UTF-8"
            raise ConfigError(what, where=str(file), fix=fix) from None
        if loaded is None:  # a file of comments alone
            continue
        if not isinstance(loaded, dict):
            what, fix = (
                "the config is no mapping of keys to values",
                "write a `key: value` per line",
            )
            raise ConfigError(what, where=str(file), fix=fix)
        if TEMPLATE in loaded:
            what, fix = f"with {TEMPLATE} Snakemake runs code of the config", "take the key out"
            raise ConfigError(what, where=str(file), fix=fix)
        merged = merge_configs(merged, loaded)
    return merged if run is None else {**merged, "run": run}


def _loaded(text: str) -> Any:
    """What a text in YAML says; of a key twice in one mapping one would be lost: refused."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            for i, (key, _) in enumerate(node.value):
                if isinstance(key, yaml.ScalarNode) and key.value in keys[:i]:
                    what = f"the key {key.value!r} stands there twice"
                    raise yaml.constructor.ConstructorError(None, None, what, key.start_mark)
            return super().construct_mapping(node, deep)

    loader = Loader(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()
