"""Find or fetch a model, verify its files, and write its record.

The source of a model is a repository of the hub at a full commit, an installed Python package with
the files, or a local folder. Nothing here imports torch.
"""

import argparse
from collections.abc import Mapping
from typing import Any

from wsd.arguments import add_out, add_source, count, seed
from wsd.artifacts.encoder_record import FULL_COMMIT, config_entry, without_folder
from wsd.encoder.model_files import (
    checked_config,
    checked_files,
    find_folder,
    from_path,
    vector_files,
    version_of,
)
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.storage.checksums import sha256 as sha256_of
from wsd.storage.json import write_json

SOURCES = ("hub", "package", "path", "vectors")
# The further arguments of the command that :func:`resolve` takes.
OPTIONS = ("revision", "blocks", "width", "random_weights", "finetuned_from")


def resolve(
    name: str,
    *,
    sha256: Mapping[str, str],
    blocks: int | None = None,
    width: int | None = None,
    random_weights: int | None = None,
    hub: str | None = None,
    revision: str | None = None,
    package: str | None = None,
    path: str | None = None,
    vectors: str | None = None,
    finetuned_from: str | None = None,
) -> dict[str, Any]:
    """Find a model's files, fetch them if need be, and verify them.

    Parameters
    ----------
    name : str
        The short name of the config entry.
    sha256 : mapping of file name to SHA-256
        The expected checksums that the config states, for any number of the files.
    blocks, width : int or None
        The number of blocks and the size of a hidden state that the config states. None: those of
        the model's ``config.json``.
    random_weights : int, optional
        The seed of random weights, which are drawn when the encoder is loaded. The model's own
        weights are verified, but not used.
    hub, package, path, vectors : str, optional
        Exactly one source. ``hub`` is a repository, whose files are fetched into the cache of the
        hub's client, unless they are all there. ``package`` is the import name of an installed
        package with one folder of model files; it is not imported. ``path`` is a local folder.
        ``vectors`` is a folder of hidden states (:mod:`wsd.encoder.own_vectors`).
    revision : str, optional
        The full commit hash of the hub's repository.
    finetuned_from : str, optional
        The name of the model that was trained further to become this one.

    Returns
    -------
    dict
        ``name``; ``source`` (``hub`` and ``revision``, ``package`` and ``version``, ``path``, or
        ``vectors``); ``folder``; ``files``, the SHA-256 of every file of the model by its name;
        ``blocks``; ``width``; ``model_type``; ``random_weights`` and ``finetuned_from``, if they
        are given.

    Raises
    ------
    ConfigError
        If the entry does not have exactly one source, the revision is not a full commit, or
        ``blocks`` or ``width`` differ from the model's.
    ModelError
        If the model cannot be found or fetched, is incomplete or changed, has only pickled
        weights, or would run its own code. A changed file from the hub is removed from the cache,
        so that the next run fetches it again.
    """
    sources = zip(SOURCES, (hub, package, path, vectors), strict=True)
    source = {kind: str(place) for kind, place in sources if place}
    if len(source) != 1:
        problem = f"a model has one source, this one has {' and '.join(source) or 'none'}"
        fix = "give exactly one of `hub` (with `revision`), `package`, `path` and `vectors`"
        raise ConfigError(problem, where=config_entry(name), fix=fix)
    if "hub" in source:
        if revision is None or not FULL_COMMIT.fullmatch(revision):
            problem = f"not a full commit: {revision!r}; a branch or short hash can change"
            fix = "give the 40 hexadecimal digits of the commit"
            raise ConfigError(problem, where=config_entry(name, "revision"), fix=fix)
        source["revision"] = revision
    if vectors is not None:
        folder = from_path(vectors, "vectors")
        files = {file: sha256_of(folder / file) for file in vector_files(folder)}
        shape = {"blocks": blocks, "width": width, "model_type": "vectors"}
        return {"name": name, "source": source, "folder": str(folder), "files": files, **shape}
    folder = find_folder(name, source)
    if "package" in source:
        source["version"] = version_of(source["package"])
    further = {"random_weights": random_weights, "finetuned_from": finetuned_from}
    return {
        "name": name,
        "source": source,
        "folder": str(folder),
        "files": checked_files(name, folder, sha256),
        **checked_config(name, folder, blocks, width),
        **{key: value for key, value in further.items() if value is not None},
    }


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--name", required=True, help="the short name of the config")
    add_source(parser, "a local folder", required=True)
    shown = "FILE=SHA256"
    parser.add_argument("--sha256", type=_checksum, nargs="*", default=[], metavar=shown)
    text = "draw random weights with this seed"
    parser.add_argument("--random-weights", type=seed, metavar="SEED", help=text)
    text = "the model that was trained further to become this one"
    parser.add_argument("--finetuned-from", metavar="NAME", help=text)
    parser.add_argument("--blocks", type=count, required=True, help="blocks the model must have")
    parser.add_argument("--width", type=count, required=True, help="width the model must have")
    add_out(parser, "the model's record", ".json")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    options = {key: getattr(args, key) for key in (*SOURCES, *OPTIONS)}
    record = resolve(args.name, sha256=dict(args.sha256), **options)
    write_json(args.out, without_folder(record))
    log.debug("%s: found in %s", args.name, record["folder"])


def _checksum(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if not (name and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not FILE=SHA256")
    return name, value
