"""Read and check the record of an encoder, which ``wsd model`` writes."""

import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wsd.storage.json import read_json
from wsd.storage.result_files import parsing, require

# The packages that vectors depend on.
PACKAGES = ("numpy", "safetensors", "tokenizers", "torch", "transformers", "wsd")
FULL_COMMIT = re.compile(r"[0-9a-f]{40}")
# The suffixes of a model's files.
SUFFIXES = (".json", ".model", ".safetensors", ".txt")


def read_record(path: Path) -> dict[str, Any]:
    """Read the record that ``wsd model`` wrote."""
    record: dict[str, Any] = read_json(path)
    with parsing(path):
        check_record(record)
    return record


def check_record(record: Any) -> None:
    """Refuse a record in a foreign file that :func:`wsd.encoder.model.resolve` cannot return.

    Raises
    ------
    KeyError, TypeError, ValueError and similar errors
        The caller turns them into an error that names the file.
    """
    source, files = record["source"], record["files"]
    texts = (record["name"], record["model_type"], *source, *source.values())
    texts += (*files, *files.values())
    require(all(isinstance(text, str) for text in texts), "a name or a checksum is not a text")
    kinds = {"hub", "package", "path"} & set(source)
    revised = ("hub" in kinds) == ("revision" in source)
    readable = not any("\0" in text for text in source.values())
    require(len(kinds) == 1 and revised and readable, "an invalid source, or several")
    require(("package" in kinds) == ("version" in source), "a package without its version")
    # A name with a path could lead out of the folder.
    inside = all(name == Path(name).name and "\0" not in name for name in files)
    require(inside, "a file that is not in the model's folder")
    require(all(name.endswith(SUFFIXES) for name in files), "a file that no model has")
    whole = any(name.endswith(".safetensors") for name in files)
    require(whole and "config.json" in files, "no checksums of weights and config.json")
    if "hub" in kinds:
        valid = re.fullmatch(r"[\w.-]+(/[\w.-]+)?", source["hub"])
        full = FULL_COMMIT.fullmatch(source["revision"])
        require(valid and full, "an invalid repository or revision")
    counts = (record["blocks"], record["width"])
    require(all(type(n) is int and n > 0 for n in counts), "invalid numbers of blocks or width")
    seed = record.get("random_weights", 0)
    require(type(seed) is int and 0 <= seed < 2**63, f"not a seed: {seed!r}")


def package_versions() -> dict[str, str]:
    """Return the versions of the packages that vectors depend on."""
    return {package: version(package) for package in PACKAGES}


def without_folder(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without the folder of its files on this machine."""
    return {key: value for key, value in record.items() if key != "folder"}


def config_entry(name: str, key: str | None = None) -> str:
    """Return the name of a model's config entry, or of a key of it, in an error."""
    return f"model {name}" + (f", `{key}`" if key else "")
