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
PICKLED = re.compile(r"(pytorch_)?model.*\.(bin|pt|pth|ckpt)")
# The encoder's own key first: an encoder-decoder may use the general one for both together.
BLOCK_KEYS = (
    *("encoder_layers", "num_encoder_layers", "num_hidden_layers"),
    *("n_layers", "n_layer", "num_layers"),
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
            where=config_entry(name),
            fix="give exactly one of `hub` (with `revision`), `package` and `path`",
        )
    check_seed(name, random_weights)
    reject, source = leave, {key: str(value) for key, value in given.items() if value}
    if hub:
        source["revision"] = full_commit(name, revision)
        folder, reject = from_hub(name, hub, source["revision"]), forget
    elif package:
        folder = from_package(name, package)
        source["version"] = version_of(package)
    else:
        folder = from_path(source["path"])
    return {
        "name": name,
        "source": source,
        "folder": str(folder),
        "files": checked_files(name, folder, sha256, reject),
        **checked_config(name, folder, blocks, width, reject),
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
        and FULL_COMMIT.fullmatch(record["source"]["revision"])
    ):
        raise ValueError("a repository or a revision that is none")
    if not all(type(record[key]) is int and record[key] > 0 for key in ("blocks", "width")):
        raise ValueError("blocks and width that are no counts")
    check_seed(record["name"], record.get("random_weights"))


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
    wrong = CacheError if "hub" in source else ModelError
    if "hub" in source:
        found = cached(source["hub"], source["revision"])
        if found is None:
            raise CacheError(
                f"model {name} is no longer in the hub client's cache",
                where=f"{source['hub']} at {source['revision']}",
                fix=again,
            )
        folder = found
    elif "package" in source:
        folder = from_package(name, source["package"])
    else:
        folder = from_path(source["path"])
    for file, expected in record["files"].items():
        if not (folder / file).is_file():
            raise wrong(f"{file} of model {name} is gone", where=str(folder), fix=again)
        came = sha256_of(folder / file)
        if came != expected:
            if "hub" in source and mend:
                forget(folder / file)
            raise wrong(
                f"{file} of model {name} has changed: SHA-256 was {expected}, is {came}",
                where=str(folder),
                fix=again,
            )
    return folder


def config_entry(name: str, key: str | None = None) -> str:
    """Where in the config a model is, for errors."""
    return f"config, models, entry {name}" + (f", key `{key}`" if key else "")


def check_seed(name: str, seed: int | None) -> None:
    """Refuse what is no seed of random weights; None is for the model's own.

    Raises
    ------
    ConfigError
    """
    if seed is not None and not (type(seed) is int and 0 <= seed < 2**63):
        raise ConfigError(
            f"not a seed: {seed!r}",
            where=config_entry(name, "random_weights"),
            fix="give a whole number from 0 up, or leave the key out for the model's own weights",
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
    index = _read_json(folder / WEIGHTS_INDEX)
    shards = index.get("weight_map")
    if not isinstance(shards, dict) or not shards:
        raise ModelError("an index of weights without any", where=str(folder / WEIGHTS_INDEX))
    # A name with a path in it would lead out of the folder: no file here has one.
    names = sorted({str(shard) for shard in shards.values()})
    return [WEIGHTS_INDEX, *names] if present.issuperset(names) else []


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
    if pickled and not any(file.endswith(".safetensors") for file in files):
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
        As in :func:`resolve`.
    """
    refuse_pickled([path.name for path in folder.iterdir()], str(folder))
    lacks = lacking(folder)
    if lacks is not None:
        raise ModelError(f"model {name} lacks {lacks}", where=str(folder))
    present = files_in(folder)
    _check_vocabulary(name, folder, present)
    used = {CONFIG, *weights_in(folder), *present.intersection(TOKENIZER)}
    files = {file: sha256_of(folder / file) for file in sorted(used)}
    unknown = sorted(set(expected) - set(files))
    if unknown:
        raise ModelError(
            f"a checksum is given for {unknown[0]}, which model {name} has not; "
            f"its files are {', '.join(files)}",
            where=config_entry(name, "sha256"),
        )
    changed = [file for file in files if file in expected and files[file] != expected[file].lower()]
    if changed:
        told = "; ".join(
            f"{file}: expected SHA-256 {expected[file]}, came {files[file]}" for file in changed
        )
        raise ModelError(
            f"model {name} is not the one that the config names: {told}",
            where=str(folder),
            fix="; ".join({reject(folder / file) for file in changed}),
        )
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
        "again), or correct `sha256` in the config if the new file is meant"
    )


def forget(path: Path) -> str:
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
        As in :func:`resolve`.
    """
    config: dict[str, Any] = {}
    for file in (TOKENIZER_CONFIG, CONFIG):
        if not (folder / file).is_file():
            continue
        try:
            config = _read_json(folder / file)
        except ModelError as error:
            raise ModelError(error.what, where=error.where, fix=reject(folder / file)) from error
        if "auto_map" in config:
            raise ModelError(
                f"refused: model {name} wants to run code of its own (`auto_map` in {file})",
                where=str(folder),
                fix="choose a model whose architecture the transformers library has itself",
            )
    shape = {
        "blocks": _stated(name, "blocks", blocks, config, BLOCK_KEYS),
        "width": _stated(name, "width", width, config, WIDTH_KEYS),
    }
    if not isinstance(config.get("model_type"), str):
        raise ModelError("config.json names no model type", where=str(folder / CONFIG))
    return {**shape, "model_type": config["model_type"]}


def _stated(
    name: str, key: str, wanted: int | None, config: Mapping[str, Any], names: Collection[str]
) -> int:
    """What a config.json says under the first of some keys that it has."""
    found = next((own for own in names if own in config), None)
    if found is None:
        raise ModelError(
            f"config.json of model {name} does not tell its {key}: it has none of "
            f"{', '.join(names)}",
            where=config_entry(name, key),
        )
    value = config[found]
    if type(value) is not int:  # true is 1, and 6.0 is 6
        raise ModelError(
            f"`{found}` in config.json of model {name} is no whole number: {value!r}",
            where=config_entry(name, key),
        )
    if wanted is not None and value != wanted:
        raise ConfigError(
            f"`{key}` is {wanted}, but model {name} has {value} (`{found}` in config.json)",
            where=config_entry(name, key),
            fix=f"write `{key}: {value}`, or name another model",
        )
    return value


# A local folder and an installed package


def from_path(path: str) -> Path:
    """A local folder."""
    folder = Path(path).expanduser().resolve()
    if not folder.is_dir():
        raise ModelError(
            f"there is no folder {path}",
            where=str(folder),
            fix="correct `path:` in the config; a relative one starts at the working directory",
        )
    return folder


def from_package(name: str, package: str) -> Path:
    """The folder of an installed package that has a model's files; it is not imported."""
    # A dotted name would import the parent package to find the child.
    if not package.isidentifier():
        raise ConfigError(
            f"not the import name of a package: {package!r}", where=config_entry(name, "package")
        )
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise ModelError(
            f"the package {package}, which carries model {name}, is not installed",
            where=config_entry(name, "package"),
            fix=f"pip install {package.replace('_', '-')}",
        )
    places = [Path(place).resolve() for place in spec.submodule_search_locations or ()]
    configs = [config for place in places for config in sorted(place.rglob(CONFIG))]
    folders = [config.parent for config in configs if weights_in(config.parent)]
    if len(folders) != 1:
        found = ", ".join(map(str, folders)) or "none"
        raise ModelError(
            f"the package {package} must have one folder with {CONFIG} and safetensors; "
            f"found: {found}",
            where=", ".join(map(str, places)) or str(spec.origin),
            fix="name the right folder with `path:` in the config",
        )
    return folders[0]


def version_of(package: str) -> str:
    """The version of the distribution that an installed package is from."""
    distributions = importlib.metadata.packages_distributions().get(package)
    return importlib.metadata.version(distributions[0]) if distributions else "unknown"


# The model hub


def full_commit(name: str, revision: str | None) -> str:
    """A revision that cannot change its meaning."""
    if revision is None or not FULL_COMMIT.fullmatch(revision):
        raise ConfigError(
            f"not a full commit: {revision!r}; a branch or a short hash can change its meaning",
            where=config_entry(name, "revision"),
            fix="give the 40 hexadecimal digits of the commit",
        )
    return revision


def from_hub(name: str, hub: str, revision: str) -> Path:
    """A repository of the hub, from the client's cache or fetched into it."""
    from huggingface_hub.errors import HFValidationError

    try:
        return cached(hub, revision) or _fetched(hub, revision)
    except HFValidationError as error:
        raise ConfigError(
            f"not the name of a repository: {hub!r}",
            where=config_entry(name, "hub"),
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


def cached(hub: str, revision: str) -> Path | None:
    """A repository's folder in the hub client's cache, if all of the model is there."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = _snapshot(hub, revision, local_files_only=True)
    except LocalEntryNotFoundError:
        return None
    try:
        # The client returns a folder that an interrupted download left, if it has no listing.
        return folder if lacking(folder) is None else None
    except ModelError:
        # The index is damaged, and as long as it is there the client would not fetch it again.
        forget(folder / WEIGHTS_INDEX)
        return None


def is_cached(hub: str, revision: str) -> bool:
    """Whether the hub client's cache has a model; nothing is asked or verified."""
    return cached(hub, revision) is not None


def hub_cache() -> Path:
    """Where the hub client keeps what it fetched."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def _fetched(hub: str, revision: str) -> Path:
    from huggingface_hub import HfApi, errors
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if not sys.stderr.isatty():
        disable_progress_bars()
    try:
        try:
            # Asked without retries: where there is no network, a download takes 23 s to say so.
            info = HfApi().model_info(hub, revision=revision, timeout=ANSWER_SECONDS)
            refuse_pickled([file.rfilename for file in info.siblings or []], hub)
        except errors.HfHubHTTPError as error:
            if error.response.status_code < 500 and error.response.status_code != 429:
                raise
        return _snapshot(hub, revision, local_files_only=False)
    # The client raises OSError, RuntimeError and ValueError too for an answer it cannot use.
    except (errors.HTTPError, OSError, RuntimeError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk's own words: full, or not writable
        raise _explained(error, hub, revision) from error


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
    elif isinstance(error, errors.HTTPError):
        reason = f"the hub cannot be reached: {str(error) or type(error).__name__}"
    else:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        fix = f"run again; or {WAYS_ON}"
    return ModelError(
        f"model {hub} could not be had: {reason}",
        where=f"{constants.ENDPOINT}/{hub} at {revision}",
        fix=fix,
    )
