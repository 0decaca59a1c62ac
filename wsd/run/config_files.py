"""Read config files and merge them as Snakemake does."""

import json
import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wsd.arguments import CONFIG
from wsd.artifacts.dataset import INSTALLED, PROGRAM
from wsd.errors import ConfigError
from wsd.storage.text_files import unique_keys

# With this key, Snakemake runs Python expressions in a config before it reads the rules.
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
    """Return a config file, or the program's own if this folder has no such file in ``config/``."""
    own = PROGRAM / file
    return own if file.parent == CONFIG.parent and not file.exists() and own.exists() else file


def read_configs(files: Sequence[Path], run: str | None = None) -> dict[str, Any]:
    """Read config files in YAML, each overriding those before it, and set the name of the run.

    Raises
    ------
    ConfigError
        If a file cannot be read, is not a mapping, has a key twice, or is a template.
    """
    import yaml

    merged: dict[str, Any] = {}
    for file in files:
        try:
            loaded = _load(there_or_packaged(file).read_text(encoding="utf-8"))
        # A date that does not exist is a ValueError, and deep nesting a RecursionError.
        except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            problem, fix = f"the config cannot be read: {why}", "name a file in YAML and UTF-8"
            raise ConfigError(problem, where=str(file), fix=fix) from None
        if loaded is None:  # a file of comments alone
            continue
        if not isinstance(loaded, dict):
            problem, fix = "the config is not a mapping", "write a `key: value` per line"
            raise ConfigError(problem, where=str(file), fix=fix)
        if TEMPLATE in loaded:
            problem, fix = f"with {TEMPLATE} Snakemake runs code in the config", "remove the key"
            raise ConfigError(problem, where=str(file), fix=fix)
        merged = merge_configs(merged, loaded)
    return merged if run is None else {**merged, "run": run}


def over_defaults(config: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a config over the program's own `config.yaml`, which has every key."""
    return merge_configs(read_configs([PROGRAM / CONFIG]), config)


def command(files: Sequence[Path | str], keys: Mapping[str, Any]) -> str:
    """Return the command that computes the same tables again, on any number of cores.

    Parameters
    ----------
    files : sequence of Path or str
        The values of ``--configfile``.
    keys : mapping
        The values of ``--config``.
    """
    typed = [*(("wsd", "run") if INSTALLED else ("snakemake",)), "--cores", "all"]
    if files:
        typed += ["--configfile", *map(_as_typed, files)]
    if keys:
        typed += ["--config", *(f"{k}={json.dumps(value)}" for k, value in keys.items())]
    return shlex.join(typed)


def _as_typed(file: Path | str) -> str:
    """Return the path from this folder, or the path in the program of one of its own files."""
    is_own = Path(file).absolute().parent == (PROGRAM / CONFIG).parent
    return os.path.relpath(file, PROGRAM if is_own else None)


def _load(text: str) -> Any:
    """Load JSON or YAML as Snakemake does; refuse a key that a mapping has twice."""
    import yaml

    class UniqueKeys(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = Counter(str(key.value) for key, _ in node.value)
            if twice := [key for key, number in keys.items() if number > 1]:
                problem = f"the mapping has the key {twice[0]!r} twice"
                raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
            return super().construct_mapping(node, deep)

    # JSON first, as in Snakemake: 1e-4 is a number in JSON, and text in YAML.
    with suppress(ValueError):
        return json.loads(text, object_pairs_hook=unique_keys)
    return UniqueKeys(text).get_single_data()
