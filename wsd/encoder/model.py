"""The record of a model: where it comes from, the checksums of its files, its shape.

A model is named by one of three sources: a repository of the model hub at a full commit, an
installed Python package that carries the files, or a local folder. Nothing here imports torch.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from wsd.arguments import add_out, add_source, count, seed
from wsd.artifacts.encoder_record import check_seed, config_entry
from wsd.encoder.hub import forget, from_hub, full_commit
from wsd.encoder.model_files import checked_config, checked_files, leave
from wsd.encoder.sources import from_package, from_path, version_of
from wsd.encoder.unsupported_folders import check_layout
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.storage.json import write_json

SOURCES = ("hub", "package", "path")
# What the command hands on as it is, beside the source.
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
    finetuned_from: str | None = None,
) -> dict[str, Any]:
    """Find a model's files, fetch them if need be, verify them, and record what they are.

    Parameters
    ----------
    name : str
        The config entry's short name.
    sha256 : mapping
        File name -> expected checksum, for as many of the files as the config gives.
    blocks, width : int or None
        What the config says of the encoder: number of blocks and size of a hidden state. With
        None the model's own ``config.json`` is believed.
    random_weights : int, optional
        Seed of random weights: an encoder with this model's config and tokenizer, whose
        weights are drawn anew when it is loaded. The model's own weights are verified, so that
        the encoder is of the model that the config names, and then not read.
    hub, package, path : str, optional
        One of them: a repository of the model hub, whose files go to the hub client's own cache,
        and if it holds them all, nothing is requested; the import name of an installed package with
        one folder of model files, which is not imported; or a local folder.
    revision : str, optional
        The full commit hash of the repository.
    finetuned_from : str, optional
        The name of the model that was trained further to become this one.

    Returns
    -------
    dict
        ``name``; ``source`` (``hub`` and ``revision``, ``package`` and ``version``, or
        ``path``); ``folder``; ``files``, the checksum of every file of the model;
        ``blocks``; ``width``; ``model_type``; with random weights also ``random_weights``, and
        ``finetuned_from`` if it is given.

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
    sources = zip(SOURCES, (hub, package, path), strict=True)
    found = {kind: str(source) for kind, source in sources if source}
    if len(found) != 1:
        problem = f"a model has one source, this one has {' and '.join(found) or 'none'}"
        fix = "give exactly one of `hub` (with `revision`), `package` and `path`"
        raise ConfigError(problem, where=config_entry(name), fix=fix)
    check_seed(name, random_weights)
    reject = leave
    if "hub" in found:
        found["revision"] = full_commit(name, revision)
        folder, reject = from_hub(name, found["hub"], found["revision"]), forget
    elif "package" in found:
        folder = from_package(name, found["package"])
        found["version"] = version_of(found["package"])
    else:
        folder = from_path(found["path"])
    check_layout(folder)
    return {
        "name": name,
        "source": found,
        "folder": str(folder),
        "files": checked_files(name, folder, sha256, reject),
        **checked_config(name, folder, blocks, width, reject),
        # Not there at all otherwise: the record of a model as it is must not change.
        **({} if random_weights is None else {"random_weights": random_weights}),
        **({} if finetuned_from is None else {"finetuned_from": finetuned_from}),
    }


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("--name", required=True, help="the short name of the config")
    add_source(parser, "a local folder", required=True)
    parser.add_argument("--sha256", nargs="*", default=[], metavar="FILE=SHA256")
    text = "weights drawn, not read"
    parser.add_argument("--random-weights", type=seed, metavar="SEED", help=text)
    text = "the model that was trained further to become this one"
    parser.add_argument("--finetuned-from", metavar="NAME", help=text)
    parser.add_argument("--blocks", type=count, required=True, help="blocks the model must have")
    parser.add_argument("--width", type=count, required=True, help="width the model must have")
    add_out(parser, "the model's record", ".json")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    said = {key: getattr(args, key) for key in (*SOURCES, *OPTIONS)}
    record = resolve(args.name, sha256=_checksums(args.sha256), **said)
    # Where the files are on this machine is no part of what the model is.
    folder = record.pop("folder")
    write_json(args.out, record)
    log.debug("%s: found in %s", args.name, folder)


def _checksums(items: Sequence[str]) -> dict[str, str]:
    pairs = [item.partition("=") for item in items]
    for name, equals, value in pairs:
        if not (name and equals and value):
            raise ConfigError(
                f"{name}{equals}{value!r} is not FILE=SHA256",
                where="--sha256",
                fix="write it so: --sha256 model.safetensors=CHECKSUM",
            )
    return {name: value for name, _, value in pairs}
