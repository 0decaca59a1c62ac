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
# The keys of a source, and the patterns of some.
SOURCES = ({"hub", "revision"}, {"package", "version"}, {"path"}, {"vectors"})
PATTERNS = {"hub": r"[\w.-]+(/[\w.-]+)?", "revision": FULL_COMMIT.pattern}
FILE = r"[^/\0]+\.(json|model|npy|safetensors|txt)"


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
    require({*source} in SOURCES, "an invalid source, or several")
    for key, text in (("name", record["name"]), ("type", record["model_type"]), *source.items()):
        require(re.fullmatch(PATTERNS.get(key, r"[^\0]+"), text), f"an invalid {key}: {text!r}")
    # A name with a path could lead out of the folder.
    inside = all(re.fullmatch(FILE, name) for name in files)
    require(inside, "a file that is not in the model's folder, or that no model has")
    whole = "vectors" in source or (
        "config.json" in files and any(name.endswith(".safetensors") for name in files)
    )
    require(whole, "no checksums of weights and config.json")
    require(all(isinstance(digest, str) for digest in files.values()), "an invalid checksum")
    numbers = (record["blocks"], record["width"], record.get("random_weights", 0) + 1)
    require(all(type(n) is int and 0 < n <= 2**63 for n in numbers), "an invalid number")


def package_versions() -> dict[str, str]:
    """Return the versions of the packages that vectors depend on."""
    return {package: version(package) for package in PACKAGES}


def without_folder(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without the folder of its files on this machine."""
    return {key: value for key, value in record.items() if key != "folder"}


def config_entry(name: str, key: str | None = None) -> str:
    """Return the name of a model's config entry, or of a key of it, in an error."""
    return f"model {name}" + (f", `{key}`" if key else "")
