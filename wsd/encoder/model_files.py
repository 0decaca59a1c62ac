"""Find the files of a model in a folder, check their checksums, and read its shape.

Pickled weights and models with their own code are refused, because loading them runs foreign code.
"""

import importlib.util
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from wsd.artifacts.encoder_record import config_entry
from wsd.artifacts.layer_choice import MOST_BLOCKS
from wsd.encoder.foreign_code import CONFIG, TOKENIZER_CONFIG, read_json, refuse_foreign_code
from wsd.errors import ConfigError, ModelError
from wsd.storage.checksums import sha256 as sha256_of

WEIGHTS = "model.safetensors"
WEIGHTS_INDEX = "model.safetensors.index.json"
# Vocabularies that only further packages can read. Most models also have a tokenizer.json.
SENTENCEPIECE = ("spiece.model", "sentencepiece.bpe.model", "tokenizer.model", "spm.model")
# Each of these sets of files is a vocabulary that needs no further packages.
VOCABULARIES = ({"tokenizer.json"}, {"vocab.txt"}, {"vocab.json", "merges.txt"})
TOKENIZER = (
    *set().union(*VOCABULARIES),
    *SENTENCEPIECE,
    # Additions to a vocabulary.
    TOKENIZER_CONFIG,
    "special_tokens_map.json",
    "added_tokens.json",
)
# The files of a repository to fetch.
PATTERNS = [CONFIG, WEIGHTS, WEIGHTS_INDEX, "model-*-of-*.safetensors", *TOKENIZER]
SAFETENSORS = ".safetensors"
PICKLED = re.compile(r"(pytorch_)?model.*\.(bin|pt|pth|ckpt)")
# The key of the encoder comes first. In an encoder-decoder, the general key may count both parts.
BLOCK_KEYS = (
    *("encoder_layers", "num_encoder_layers", "num_hidden_layers"),
    *("n_layers", "n_layer", "num_layers"),
)
WIDTH_KEYS = ("hidden_size", "dim", "d_model", "n_embd", "n_embed")
CONVERT = (
    "load the model where its source is trusted, write it with `save_pretrained(FOLDER)`, "
    "which gives safetensors, and name that folder as the model's `path`"
)
FETCH_AGAIN = "fetch or copy the model's files again"


def files_in(folder: Path) -> set[str]:
    """Return the names of the files in a folder, without subfolders."""
    return {path.name for path in folder.iterdir() if path.is_file()}


def weights_in(folder: Path) -> list[str]:
    """Return the names of the weight files; empty if some are missing."""
    present = files_in(folder)
    if WEIGHTS in present:
        return [WEIGHTS]
    if WEIGHTS_INDEX not in present:
        return []
    index = read_json(folder / WEIGHTS_INDEX)
    shards = index.get("weight_map")
    if not isinstance(shards, dict) or not shards:
        problem = "the index of weights names no files"
        raise ModelError(problem, where=str(folder / WEIGHTS_INDEX), fix=FETCH_AGAIN)
    # A name that is a path out of the folder counts as missing below.
    names = sorted({str(shard) for shard in shards.values()})
    if others := [name for name in names if not name.endswith(SAFETENSORS)]:
        problem = f"refused: the index of weights names {others[0]}, not a {SAFETENSORS} file"
        raise ModelError(problem, where=str(folder / WEIGHTS_INDEX), fix=CONVERT)
    return [WEIGHTS_INDEX, *names] if present.issuperset(names) else []


def used_files(folder: Path) -> list[str]:
    """Return the names of all files that are loaded."""
    return sorted({CONFIG, *weights_in(folder), *files_in(folder).intersection(TOKENIZER)})


def lacking(folder: Path) -> str | None:
    """Return the first missing thing that loading needs, or None."""
    present = files_in(folder)
    if CONFIG not in present:
        return CONFIG
    if not weights_in(folder):
        return f"{WEIGHTS}, or all parts of the weights"
    return None if _has_vocabulary(present) or present & set(SENTENCEPIECE) else "a tokenizer"


def _has_vocabulary(present: set[str]) -> bool:
    return any(vocabulary <= present for vocabulary in VOCABULARIES)


def refuse_pickled(files: Collection[str], where: str) -> None:
    """Refuse weights that exist only as a pickle."""
    pickled = sorted(file for file in files if PICKLED.fullmatch(file))
    if pickled and not any(file.endswith(SAFETENSORS) for file in files):
        problem = f"refused: the weights exist only as {pickled[0]}, a pickle, which can run any "
        raise ModelError(f"{problem}code when it is loaded", where=where, fix=CONVERT)


def checked_files(
    name: str, folder: Path, expected: Mapping[str, str], reject: Callable[[Path], str]
) -> dict[str, str]:
    """Return the checksum of each of a model's files, and compare it with the expected one.

    Parameters
    ----------
    name : str
    folder : Path
    expected : mapping of file name to SHA-256
    reject : callable
        Handles a file with another checksum, and returns the advice for the user.

    Raises
    ------
    ConfigError, ModelError
        As in :func:`wsd.encoder.model.resolve`.
    """
    if (lacks := lacking(folder)) is not None:
        raise ModelError(f"model {name} lacks {lacks}", where=str(folder), fix=FETCH_AGAIN)
    _check_vocabulary(name, folder)
    used = used_files(folder)
    if empty := [file for file in used if not (folder / file).stat().st_size]:
        problem = f"{empty[0]} of model {name} is empty"
        raise ModelError(problem, where=str(folder), fix=FETCH_AGAIN)
    files = {file: sha256_of(folder / file) for file in used}
    if unknown := sorted(set(expected) - set(files)):
        raise ModelError(
            f"a checksum is given for {unknown[0]}, which model {name} does not have; "
            f"its files are {', '.join(files)}",
            where=config_entry(name, "sha256"),
            fix="correct the file's name, or leave the checksum out",
        )
    changed = [file for file in files if file in expected and files[file] != expected[file].lower()]
    if changed:
        differences = "; ".join(
            f"{file}: expected SHA-256 {expected[file]}, found {files[file]}" for file in changed
        )
        problem = f"model {name} is not the one in the config: {differences}"
        fix = "; ".join({reject(folder / file) for file in changed})
        raise ModelError(problem, where=str(folder), fix=fix)
    return files


def _check_vocabulary(name: str, folder: Path) -> None:
    """Refuse a vocabulary that exists only as SentencePiece, if nothing can read it."""
    present = files_in(folder)
    readable = all(map(_is_installed, ("sentencepiece", "google.protobuf")))
    if readable or _has_vocabulary(present):
        return
    file = next(file for file in SENTENCEPIECE if file in present)
    raise ModelError(
        f"model {name} has its vocabulary only as {file}, which needs the packages sentencepiece "
        "and protobuf",
        where=str(folder),
        fix="pip install sentencepiece protobuf; or write a tokenizer.json elsewhere, with "
        "AutoTokenizer.from_pretrained(...).save_pretrained(FOLDER), and use that folder",
    )


def _is_installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # of the parent package
        return False


def keep(path: Path) -> str:
    """Return the advice for a changed file of a folder or a package, which is not removed."""
    return (
        "nothing was removed: restore the file (for a package, install it again), or correct the "
        "model's `sha256` if the new file is right"
    )


def checked_config(
    name: str, folder: Path, blocks: int | None, width: int | None, reject: Callable[[Path], str]
) -> dict[str, Any]:
    """Return ``blocks``, ``width`` and ``model_type`` from a model's ``config.json``.

    Parameters
    ----------
    name : str
    folder : Path
    blocks, width : int or None
        The expected values, if known.
    reject : callable
        As in :func:`checked_files`, for a file that is not JSON.

    Raises
    ------
    ConfigError, ModelError
        As in :func:`wsd.encoder.model.resolve`.
    """
    refuse_foreign_code(folder, reject)
    config = read_json(folder / CONFIG, reject)
    shape = {
        "blocks": _stated(name, "blocks", blocks, config, BLOCK_KEYS),
        "width": _stated(name, "width", width, config, WIDTH_KEYS),
    }
    if not isinstance(config.get("model_type"), str):
        raise ModelError(
            "config.json names no model type",
            where=str(folder / CONFIG),
            fix="take a model that transformers can load: its config.json has a `model_type`",
        )
    return {**shape, "model_type": config["model_type"]}


def _stated(
    name: str, key: str, wanted: int | None, config: Mapping[str, Any], names: Collection[str]
) -> int:
    """Return the value of the first key that ``config.json`` has."""
    where = config_entry(name, key)
    found_key = next((own_key for own_key in names if own_key in config), None)
    if found_key is None:
        tried = f"it has none of {', '.join(names)}"
        fix = None
        if "text_config" in config:
            tried = "it describes a model of text and images, with the text part in `text_config`"
            fix = "use a model that reads text alone"
        raise ModelError(f"config.json of model {name} has no {key}: {tried}", where=where, fix=fix)
    value = config[found_key]
    place = f"`{found_key}` in config.json of model {name}"
    if type(value) is not int:  # not isinstance: true is not 1
        raise ModelError(f"{place} is not a whole number: {value!r}", where=where)
    if key == "blocks" and value > MOST_BLOCKS:
        fix = "use the config.json that belongs to the weights"
        raise ModelError(f"{place} is {value}, more than {MOST_BLOCKS}", where=where, fix=fix)
    if wanted is not None and value != wanted:
        problem = (
            f"`{key}` is {wanted}, but model {name} has {value} (`{found_key}` in config.json)"
        )
        fix = f"write `{key}: {value}`, or name another model"
        raise ConfigError(problem, where=where, fix=fix)
    return value
