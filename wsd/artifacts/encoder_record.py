"""The record of a model that `wsd model` writes: read, and checked before it is believed."""

import re
from pathlib import Path
from typing import Any

from wsd.errors import ConfigError
from wsd.storage.json import read_json
from wsd.storage.result_files import parsing, require

FULL_COMMIT = re.compile(r"[0-9a-f]{40}")
# How the names of a model's files end.
SUFFIXES = (".json", ".model", ".safetensors", ".txt")


def read_record(path: Path) -> dict[str, Any]:
    """Read a record of :func:`wsd.encoder.model.resolve` that was written as JSON.

    Raises
    ------
    ResultError
        If it is missing, or not such a record.
    """
    record: dict[str, Any] = read_json(path)
    with parsing(path):
        check_record(record)
    return record


def check_record(record: Any) -> None:
    """Refuse what :func:`wsd.encoder.model.resolve` would not give.

    Raises
    ------
    KeyError, TypeError, ValueError and the like
        To be turned into an error that names the file.
    """
    names = (record["name"], record["model_type"], *record["source"], *record["source"].values())
    names += (*record["files"], *record["files"].values())
    kinds = {"hub", "package", "path"} & set(record["source"])
    revised = ("hub" in kinds) == ("revision" in record["source"])
    require(len(kinds) == 1 and revised, "an invalid source, or several")
    require(all(isinstance(n, str) for n in names), "a name or a checksum that is no text")
    # A name with a path in it would lead out of the folder.
    inside = all(name == Path(name).name and "\0" not in name for name in record["files"])
    require(inside, "a file that is not in the model's folder")
    require(all(name.endswith(SUFFIXES) for name in record["files"]), "a file that no model has")
    whole = any(name.endswith(".safetensors") for name in record["files"])
    require(whole and "config.json" in record["files"], "no checksums of weights and config.json")
    # Other names could not be read on any machine.
    require(not any("\0" in name for name in record["source"].values()), "an invalid source")
    versioned = ("package" in kinds) == ("version" in record["source"])
    require(versioned, "a package without its version")
    if "hub" in kinds:
        named = re.fullmatch(r"[\w.-]+(/[\w.-]+)?", record["source"]["hub"])
        fixed = FULL_COMMIT.fullmatch(record["source"]["revision"])
        require(named and fixed, "a repository or a revision that is none")
    counts = [record[key] for key in ("blocks", "width")]
    require(all(type(n) is int and n > 0 for n in counts), "blocks and width that are no counts")
    check_seed(record["name"], record.get("random_weights"))


def config_entry(name: str, key: str | None = None) -> str:
    """What of a model is wrong, for errors: a key of its entry, or an argument of that name."""
    return f"model {name}" + (f", `{key}`" if key else "")


def check_seed(name: str, seed: int | None) -> None:
    """Refuse what is no seed of random weights; None is for the model's own.

    Raises
    ------
    ConfigError
    """
    if seed is not None and not (type(seed) is int and 0 <= seed < 2**63):
        what = f"not a seed: {seed!r}"
        fix = "give a whole number from 0 up, or leave the key out for the model's own weights"
        raise ConfigError(what, where=config_entry(name, "random_weights"), fix=fix)
