"""Config files, read and merged as Snakemake does it."""

import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import DATA
from wsd.errors import ConfigError

# With this key Snakemake runs the Python expressions of a config, before it reads a rule.
TEMPLATE = "__use_yte__"
# Values without quotes that can be read in one way only, by how YAML 1.1 reads them, as Snakemake
# does; what is wrong with others, and what to do.
PLAIN = "is not a plain decimal number: it is read as {}"
DECIMAL = "write a decimal number, such as 10, 0.5 or 1.0e-4; put text in quotes"
ALIKE = {
    "bool": (
        r"true|True|TRUE|false|False|FALSE",
        "is read as {}, and as text by newer versions of YAML",
        "write true or false; put text in quotes",
    ),
    "int": (r"[-+]?(0|[1-9][0-9]*)", PLAIN, DECIMAL),
    "float": (r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+][0-9]+)?", PLAIN, DECIMAL),
    "timestamp": (r"(?!)", "is read as a date, and not as text", "put it in quotes"),
    "str": (r"[\s\S]*", "is read as text, and as a number by newer versions of YAML", DECIMAL),
}
# A number of YAML 1.2 alone, such as 1e-4, 08 and 0o10. More digits are a revision.
NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]{1,20}(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?|0o[0-7]+")


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
        If one cannot be read, has a key twice, is a template, or is no mapping; or if a value
        could be read in two ways.
    """
    import yaml

    merged: dict[str, Any] = {}
    for file in files:
        try:
            loaded = _loaded(there_or_packaged(file).read_text(encoding="utf-8"), file)
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


def command(files: Sequence[Path | str], keys: Mapping[str, Any]) -> str:
    """What to type to get the same tables again, whatever the number of cores.

    Parameters
    ----------
    files : sequence of Path or str
        Of ``--configfile``.
    keys : mapping
        Of ``--config``.
    """
    typed = ["snakemake", "--cores", "all"]
    typed += ["--configfile", *map(os.path.relpath, files)] if files else []
    typed += ["--config", *(f"{k}={json.dumps(of)}" for k, of in keys.items())] if keys else []
    return shlex.join(typed)


def _check_scalar(tag: str, value: str, where: str) -> None:
    """Refuse a value without quotes that another version of YAML reads as something else.

    Raises
    ------
    ConfigError
    """
    import yaml

    kind = tag.rpartition(":")[2]
    alike, why, fix = ALIKE.get(kind, ALIKE["str"])
    if re.fullmatch(alike, value) and not (kind == "str" and NUMBER.fullmatch(value)):
        return
    what = f"`{value}` {why.format(yaml.safe_load(value))}"
    raise ConfigError(what, where=where, fix=fix)


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError
    return found


def _loaded(text: str, file: Path) -> Any:
    """Load a text in JSON or YAML; refuse a key that a mapping has twice: one would be lost."""
    import yaml

    # First, as Snakemake does: 1e-4 is a number in JSON, and text in YAML.
    with suppress(ValueError):
        return json.loads(text, object_pairs_hook=_unique)

    class Loader(yaml.SafeLoader):
        def compose_scalar_node(self, anchor: Any) -> Any:
            is_plain = self.peek_event().implicit[0]
            node = super().compose_scalar_node(anchor)
            if is_plain:
                _check_scalar(node.tag, node.value, f"{file}:{node.start_mark.line + 1}")
            return node

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
