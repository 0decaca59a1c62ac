"""Where an encoder comes from: to a local folder, verified, with a record of what it is.

A model is named by one of three sources: a repository of the model hub at a full commit, an
installed Python package that carries the files, or a local folder. Whatever the source, the
encoder is then loaded from the folder; nothing here imports torch. Pickled weights and models
that bring their own code are refused, because loading either runs code of others.
"""

import importlib.metadata
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from wsd.errors import ConfigError, ModelError
from wsd.files import expecting, read_json
from wsd.files import sha256 as sha256_of

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
WEIGHTS_INDEX = "model.safetensors.index.json"
SHARDS = "model-*-of-*.safetensors"
TOKENIZER_CONFIG = "tokenizer_config.json"
# Vocabularies that take further packages to read; most models have a tokenizer.json beside them.
SENTENCEPIECE = ("spiece.model", "sentencepiece.bpe.model", "tokenizer.model", "spm.model")
TOKENIZER = (
    "tokenizer.json",
    TOKENIZER_CONFIG,
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    *SENTENCEPIECE,
)
# Any one of these sets is a vocabulary; the other files of TOKENIZER only add to one.
VOCABULARIES = (
    {"tokenizer.json"},
    {"vocab.txt"},
    {"vocab.json", "merges.txt"},
    *({file} for file in SENTENCEPIECE),
)
PICKLED = re.compile(r"(pytorch_)?model.*\.(bin|pt|pth|ckpt)")
# The encoder's own key first: an encoder-decoder may use the general one for both together.
BLOCK_KEYS = (
    "encoder_layers",
    "num_encoder_layers",
    "num_hidden_layers",
    "n_layers",
    "n_layer",
    "num_layers",
)
WIDTH_KEYS = ("hidden_size", "dim", "d_model", "n_embd")
FULL_COMMIT = re.compile(r"[0-9a-f]{40}")
ANSWER_SECONDS = 10.0

WAYS_ON = (
    "use the model that a package carries: --configfile config/minilm.yaml; "
    "or name a local folder with `path:` in the config"
)
CONVERT = (
    "load the model where its source is trusted, write it with `save_pretrained(FOLDER)`, "
    "which gives safetensors, and name that folder with `path:` in the config"
)


def resolve(
    name: str,
    *,
    hub: str | None = None,
    revision: str | None = None,
    package: str | None = None,
    path: str | None = None,
    sha256: Mapping[str, str],
    blocks: int | None,
    width: int | None,
    random_weights: int | None = None,
) -> dict[str, Any]:
    """Find a model's files, fetch them if need be, verify them, and record what they are.

    Parameters
    ----------
    name : str
        The config entry's short name.
    hub, revision : str, optional
        A repository of the model hub and a full commit hash. The files go to the hub client's
        own cache; if it holds them all, nothing is requested.
    package : str, optional
        Import name of an installed package with one folder of model files. It is not imported.
    path : str, optional
        A local folder.
    sha256 : mapping
        File name -> expected checksum, for as many of the files as the config gives.
    blocks, width : int or None
        What the config says of the encoder: number of blocks and size of a hidden state. With
        None the model's own ``config.json`` is believed.
    random_weights : int, optional
        Seed of random weights: an encoder with this model's config and tokenizer, whose
        weights are drawn anew when it is loaded. The model's own weights are verified, so that
        the encoder is of the model that the config names, and then not read.

    Returns
    -------
    dict
        ``name``; ``source`` (``hub`` and ``revision``, ``package`` and ``version``, or
        ``path``); ``folder``; ``files``, the checksum of every file of the model;
        ``blocks``; ``width``; ``model_type``; with random weights also ``random_weights``.

    Raises
    ------
    ConfigError
        If the entry has not exactly one source, the revision is not a full commit,
        ``blocks`` or ``width`` differ from the model's, or ``random_weights`` is no seed.
    ModelError
        If the model cannot be had, is incomplete or changed, has only pickled weights, or asks
        for code of its own. A changed file from the hub is removed from the cache, so that the
        next run fetches it again.
    """
    given = {"hub": hub, "package": package, "path": path}
    chosen = [key for key, value in given.items() if value]
    if len(chosen) != 1:
        raise ConfigError(
            f"a model has one source, this one has {' and '.join(chosen) or 'none'}",
            where=_entry(name),
            fix="give exactly one of `hub` (with `revision`), `package` and `path`",
        )
    _check_seed(name, random_weights)
    reject = _leave
    source: dict[str, str]
    if hub:
        commit = _full_commit(name, revision)
        folder, source, reject = _from_hub(name, hub, commit), {"hub": hub}, _forget
        source["revision"] = commit
    elif package:
        folder = _from_package(name, package)
        source = {"package": package, "version": _version(package)}
    else:
        folder = _from_path(str(path))
        source = {"path": str(path)}
    files = _checked_files(name, folder, sha256, reject)
    config = _checked_config(name, folder, blocks, width, reject)
    return {
        "name": name,
        "source": source,
        "folder": str(folder),
        "files": files,
        "blocks": _stated(config, BLOCK_KEYS),
        "width": _stated(config, WIDTH_KEYS),
        "model_type": config["model_type"],
        # Not there at all otherwise: the record of a model as it is must not change.
        **({} if random_weights is None else {"random_weights": random_weights}),
    }


def read_record(path: Path) -> dict[str, Any]:
    """Read a record of :func:`resolve` that was written as JSON.

    Raises
    ------
    ResultError
        If it is missing, or not such a record.
    """
    record: dict[str, Any] = read_json(path)
    with expecting(path):
        check_record(record)
    return record


def check_record(record: Any) -> None:
    """Refuse what :func:`resolve` would not give.

    Raises
    ------
    KeyError, TypeError, ValueError and the like
        To be turned into an error that names the file.
    """
    names = (record["name"], record["model_type"], *record["source"], *record["source"].values())
    names += (*record["files"], *record["files"].values())
    kinds = {"hub", "package", "path"} & set(record["source"])
    if len(kinds) != 1 or ("hub" in kinds) != ("revision" in record["source"]):
        raise ValueError("a source that is none, or several")
    if not all(isinstance(name, str) for name in names):
        raise TypeError("a name or a checksum that is no text")
    # A name with a path in it would lead out of the folder.
    if any(name != Path(name).name or "\0" in name for name in record["files"]):
        raise ValueError("a file that is not in the model's folder")
    if "hub" in kinds and not (
        re.fullmatch(r"[\w.-]+(/[\w.-]+)?", record["source"]["hub"])
        and re.fullmatch(r"[0-9a-f]{40}", record["source"]["revision"])
    ):
        raise ValueError("a repository or a revision that is none")
    if not all(type(record[key]) is int and record[key] > 0 for key in ("blocks", "width")):
        raise ValueError("blocks and width that are no counts")
    _check_seed(record["name"], record.get("random_weights"))


class CacheError(ModelError):
    """A file of the hub client's cache is not the one that a record has: to be had anew, both."""


def verify(record: Mapping[str, Any], *, mend: bool = True) -> Path:
    """Find the files of a record from :func:`resolve` again, and check that they are the same.

    The source is asked, not the folder where the files were then: an environment that was made
    anew, or a cache that moved, has the same model elsewhere. No network is used.

    Parameters
    ----------
    record : mapping
    mend : bool
        Whether a file of the hub client's cache that is not the record's is removed, so that the
        record's step fetches it again. Not for a record from elsewhere: it may be the wrong one.

    Returns
    -------
    Path
        The model's folder.

    Raises
    ------
    ModelError
        Naming the first file that is gone or has changed. A :class:`CacheError` if it came from
        the hub.
    """
    name, source = record["name"], record["source"]
    again = f"delete results/models/{name}.json and run again"
    if "hub" in source:
        found = _cached(source["hub"], source["revision"])
        if found is None:
            raise CacheError(
                f"model {name} is no longer in the hub client's cache",
                where=f"{source['hub']} at {source['revision']}",
                fix=again,
            )
        folder = found
    elif "package" in source:
        folder = _from_package(name, source["package"])
    else:
        folder = _from_path(source["path"])
    for file, expected in record["files"].items():
        kind = CacheError if "hub" in source else ModelError
        if not (folder / file).is_file():
            raise kind(f"{file} of model {name} is gone", where=str(folder), fix=again)
        came = sha256_of(folder / file)
        if came != expected:
            if "hub" in source and mend:
                _forget(folder / file)
            raise kind(
                f"{file} of model {name} has changed: SHA-256 was {expected}, is {came}",
                where=str(folder),
                fix=again,
            )
    return folder


def _entry(name: str, key: str | None = None) -> str:
    return f"config, models, entry {name}" + (f", key `{key}`" if key else "")


def _check_seed(name: str, seed: int | None) -> None:
    whole = isinstance(seed, int) and not isinstance(seed, bool)
    if seed is not None and not (whole and 0 <= seed < 2**63):
        raise ConfigError(
            f"not a seed: {seed!r}",
            where=_entry(name, "random_weights"),
            fix="give a whole number from 0 up, or leave the key out for the model's own weights",
        )


# The files of a model


def _weights(folder: Path) -> list[str]:
    """The weight files that loading reads; empty if they are not all there."""
    if (folder / WEIGHTS).is_file():
        return [WEIGHTS]
    if not (folder / WEIGHTS_INDEX).is_file():
        return []
    index = _read_json(folder / WEIGHTS_INDEX)
    shards = index.get("weight_map")
    if not isinstance(shards, dict) or not shards:
        raise ModelError("an index of weights without any", where=str(folder / WEIGHTS_INDEX))
    names = sorted({str(shard) for shard in shards.values()})
    # A name with a path in it would lead out of the folder; one may also be too long for a disk.
    present = {path.name for path in folder.iterdir() if path.is_file()}
    complete = present.issuperset(names)
    return [WEIGHTS_INDEX, *names] if complete else []


def _lacking(folder: Path) -> str | None:
    """The first thing without which the model cannot be loaded, if there is one."""
    if not (folder / CONFIG).is_file():
        return CONFIG
    if not _weights(folder):
        return f"{WEIGHTS}, or all parts of the weights"
    present = {file for file in TOKENIZER if (folder / file).is_file()}
    if not any(vocabulary <= present for vocabulary in VOCABULARIES):
        return "a tokenizer"
    return None


def _refuse_pickled(files: Collection[str], where: str) -> None:
    pickled = sorted(file for file in files if PICKLED.fullmatch(file))
    if pickled and not any(file.endswith(".safetensors") for file in files):
        raise ModelError(
            f"refused: the weights are only there as {pickled[0]}, a pickle, which can run "
            "any code when it is loaded",
            where=where,
            fix=CONVERT,
        )


def _checked_files(
    name: str, folder: Path, expected: Mapping[str, str], reject: Callable[[Path], str]
) -> dict[str, str]:
    _refuse_pickled([path.name for path in folder.iterdir()], str(folder))
    lacking = _lacking(folder)
    if lacking is not None:
        raise ModelError(f"model {name} lacks {lacking}", where=str(folder))
    _check_vocabulary(name, folder)
    used = [CONFIG, *_weights(folder), *(file for file in TOKENIZER if (folder / file).is_file())]
    files = {file: sha256_of(folder / file) for file in sorted(used)}

    unknown = sorted(set(expected) - set(files))
    if unknown:
        raise ModelError(
            f"a checksum is given for {unknown[0]}, which model {name} has not; "
            f"its files are {', '.join(files)}",
            where=_entry(name, "sha256"),
        )
    changed = [file for file in files if file in expected and files[file] != expected[file].lower()]
    if changed:
        told = [
            f"{file}: expected SHA-256 {expected[file]}, came {files[file]}" for file in changed
        ]
        done = {reject(folder / file) for file in changed}
        raise ModelError(
            f"model {name} is not the one that the config names: {'; '.join(told)}",
            where=str(folder),
            fix="; ".join(done),
        )
    return files


def _check_vocabulary(name: str, folder: Path) -> None:
    """Refuse a vocabulary that is only there as SentencePiece, where nothing can read that."""
    present = {file for file in TOKENIZER if (folder / file).is_file()}
    if any(vocabulary <= present - set(SENTENCEPIECE) for vocabulary in VOCABULARIES):
        return
    if _is_installed("sentencepiece") and _is_installed("google.protobuf"):
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


def _leave(path: Path) -> str:
    return (
        "nothing was removed: put the right file there (a packaged one: install the package "
        "again), or correct `sha256` in the config if the new file is meant"
    )


def _forget(path: Path) -> str:
    """Remove a file from the hub client's cache, with every link on the way to its bytes.

    The client trusts whatever it finds at any of these places, and would link it again.
    """
    listing = path.parent.parent.parent / "trees" / f"{path.parent.name}.json"
    while path.is_symlink():
        target = path.parent / path.readlink()
        path.unlink()
        path = target
    path.unlink(missing_ok=True)
    listing.unlink(missing_ok=True)
    return (
        "it was removed from the hub client's cache: run again to fetch it anew; if the same "
        "checksum comes again, the `sha256` in the config is not that of this revision"
    )


# What config.json says


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (RecursionError, ValueError) as error:
        raise ModelError(f"not valid JSON: {error}", where=str(path)) from error
    if not isinstance(value, dict):
        raise ModelError("not a JSON object", where=str(path))
    return value


def _checked_config(
    name: str, folder: Path, blocks: int | None, width: int | None, reject: Callable[[Path], str]
) -> dict[str, Any]:
    described = [file for file in (CONFIG, TOKENIZER_CONFIG) if (folder / file).is_file()]
    read: dict[str, dict[str, Any]] = {}
    for file in described:
        try:
            read[file] = _read_json(folder / file)
        except ModelError as error:
            raise ModelError(error.what, where=error.where, fix=reject(folder / file)) from error
        if "auto_map" in read[file]:
            raise ModelError(
                f"refused: model {name} wants to run code of its own (`auto_map` in {file})",
                where=str(folder),
                fix="choose a model whose architecture the transformers library has itself",
            )
    config = read[CONFIG]
    _check_shape(name, "blocks", blocks, config, BLOCK_KEYS)
    _check_shape(name, "width", width, config, WIDTH_KEYS)
    if not isinstance(config.get("model_type"), str):
        raise ModelError("config.json names no model type", where=str(folder / CONFIG))
    return config


def _check_shape(
    name: str, key: str, wanted: int | None, config: Mapping[str, Any], names: Collection[str]
) -> None:
    found = next((own for own in names if own in config), None)
    if found is None:
        raise ModelError(
            f"config.json of model {name} does not tell its {key}: it has none of "
            f"{', '.join(names)}",
            where=_entry(name, key),
        )
    if type(config[found]) is not int:  # true is 1, and 6.0 is 6
        raise ModelError(
            f"`{found}` in config.json of model {name} is no whole number: {config[found]!r}",
            where=_entry(name, key),
        )
    if wanted is not None and config[found] != wanted:
        raise ConfigError(
            f"`{key}` is {wanted}, but model {name} has {config[found]} (`{found}` in config.json)",
            where=_entry(name, key),
            fix=f"write `{key}: {config[found]}`, or name another model",
        )


def _stated(config: Mapping[str, Any], names: Collection[str]) -> int:
    """What a checked config.json says under the first of some keys that it has."""
    return next(config[own] for own in names if own in config)


# A local folder and an installed package


def _from_path(path: str) -> Path:
    folder = Path(path).expanduser().resolve()
    if not folder.is_dir():
        raise ModelError(
            f"there is no folder {path}",
            where=str(folder),
            fix="correct `path:` in the config; a relative one starts at the working directory",
        )
    return folder


def _from_package(name: str, package: str) -> Path:
    # A dotted name would import the parent package to find the child.
    if not package.isidentifier():
        raise ConfigError(
            f"not the import name of a package: {package!r}", where=_entry(name, "package")
        )
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise ModelError(
            f"the package {package}, which carries model {name}, is not installed",
            where=_entry(name, "package"),
            fix=f"pip install {package.replace('_', '-')}",
        )
    places = [Path(place).resolve() for place in spec.submodule_search_locations or ()]
    configs = [config for place in places for config in sorted(place.rglob(CONFIG))]
    folders = [config.parent for config in configs if _weights(config.parent)]
    if len(folders) != 1:
        found = ", ".join(map(str, folders)) or "none"
        raise ModelError(
            f"the package {package} must have one folder with {CONFIG} and safetensors; "
            f"found: {found}",
            where=", ".join(map(str, places)) or str(spec.origin),
            fix="name the right folder with `path:` in the config",
        )
    return folders[0]


def _version(package: str) -> str:
    distributions = importlib.metadata.packages_distributions().get(package)
    return importlib.metadata.version(distributions[0]) if distributions else "unknown"


# The model hub


def _full_commit(name: str, revision: str | None) -> str:
    if revision is None or not FULL_COMMIT.fullmatch(revision):
        raise ConfigError(
            f"not a full commit: {revision!r}; a branch or a short hash can change its meaning",
            where=_entry(name, "revision"),
            fix="give the 40 hexadecimal digits of the commit",
        )
    return revision


def _from_hub(name: str, hub: str, revision: str) -> Path:
    from huggingface_hub.errors import HFValidationError

    try:
        return _cached(hub, revision) or _fetched(hub, revision)
    except HFValidationError as error:
        raise ConfigError(
            f"not the name of a repository: {hub!r}",
            where=_entry(name, "hub"),
            fix="write OWNER/NAME, or NAME for one of the oldest",
        ) from error


def _snapshot(hub: str, revision: str, *, local_files_only: bool) -> Path:
    from huggingface_hub import snapshot_download

    folder = snapshot_download(
        hub,
        revision=revision,
        allow_patterns=[CONFIG, WEIGHTS, WEIGHTS_INDEX, SHARDS, *TOKENIZER],
        local_files_only=local_files_only,
    )
    return Path(folder).absolute()


def _cached(hub: str, revision: str) -> Path | None:
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = _snapshot(hub, revision, local_files_only=True)
    except LocalEntryNotFoundError:
        return None
    try:
        # The client returns a folder that an interrupted download left, if it has no listing.
        return folder if _lacking(folder) is None else None
    except ModelError:
        # The index is damaged, and as long as it is there the client would not fetch it again.
        _forget(folder / WEIGHTS_INDEX)
        return None


def is_cached(hub: str, revision: str) -> bool:
    """Whether the hub client's cache has a model; nothing is asked or verified."""
    return _cached(hub, revision) is not None


def hub_cache() -> Path:
    """Where the hub client keeps what it fetched."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def _fetched(hub: str, revision: str) -> Path:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if not sys.stderr.isatty():
        disable_progress_bars()
    try:
        try:
            # Asked without retries: where there is no network, a download takes 23 s to say so.
            info = HfApi().model_info(hub, revision=revision, timeout=ANSWER_SECONDS)
            _refuse_pickled([file.rfilename for file in info.siblings or []], hub)
        except HfHubHTTPError as error:
            if error.response.status_code < 500 and error.response.status_code != 429:
                raise
        return _snapshot(hub, revision, local_files_only=False)
    # The client raises OSError, RuntimeError and ValueError too for an answer it cannot use.
    except (_transport_error(), OSError, RuntimeError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk's own words: full, or not writable
        raise _explained(error, hub, revision) from error


def _transport_error() -> type[Exception]:
    """What the client raises for the network: the HTTP library's, which varies by version."""
    from huggingface_hub import errors

    base: type[Exception] = errors.HTTPError  # type: ignore[attr-defined, unused-ignore]
    return base


def _explained(error: BaseException, hub: str, revision: str) -> ModelError:
    """One message for whatever the client raised."""
    from huggingface_hub import constants, errors

    # "Not in the cache either" hides what happened on the network.
    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
        error = error.__cause__
    fix = WAYS_ON
    if isinstance(error, errors.GatedRepoError):
        reason = "its owner grants access on request only"
        fix = f"ask for access on its page and log in with `hf auth login`; or {WAYS_ON}"
    elif isinstance(error, errors.RevisionNotFoundError):
        reason = f"the repository has no revision {revision}"
        fix = "correct `revision` in the config"
    elif isinstance(error, errors.RepositoryNotFoundError):
        reason = "there is no such repository, or it is private"
        fix = "correct `hub` in the config; for a private one, log in with `hf auth login`"
    elif isinstance(error, errors.OfflineModeIsEnabled):
        reason = "it is not in the cache, and HF_HUB_OFFLINE forbids to fetch it"
        fix = f"unset HF_HUB_OFFLINE; or {WAYS_ON}"
    elif isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        reason = f"the hub answered {status} {error.response.reason_phrase}"
        if status in (401, 403):
            fix = f"log in with `hf auth login`, or remove a token that is not valid; or {WAYS_ON}"
    elif isinstance(error, _transport_error()):
        reason = f"the hub cannot be reached: {str(error) or type(error).__name__}"
    else:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        fix = f"run again; or {WAYS_ON}"
    return ModelError(
        f"model {hub} could not be had: {reason}",
        where=f"{constants.ENDPOINT}/{hub} at {revision}",
        fix=fix,
    )
