"""The step that asks an encoder what it would say in the focal word's place, for many words.

What is said is :mod:`wsd.encoder.fill_mask`; the tables, :mod:`wsd.artifacts.substitutes`. A word
whose table is there, made by the same code of the same model and instances, is left as it is.
"""

import argparse
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wsd.arguments import add_choice, add_corpora, add_out_folder, add_path, count
from wsd.artifacts.corpus import Corpus, read_corpora
from wsd.artifacts.encoder_record import read_record
from wsd.artifacts.listing import TABLES, write_listing
from wsd.artifacts.substitutes import K, table_of, write_substitutes
from wsd.artifacts.views import DEVICES
from wsd.encoder import sources
from wsd.encoder.head import check_head
from wsd.errors import DamageError, ModelError, ResultError
from wsd.logs import log
from wsd.storage.checksums import noted_checksum, sha256, verify
from wsd.storage.parquet import read_table

PACKAGES = ("numpy", "safetensors", "tokenizers", "torch", "transformers", "wsd")


def substitutes(
    corpora: Sequence[Corpus],
    record: Mapping[str, Any],
    out: Path,
    *,
    device: str,
    threads: int,
    modules: Path | None = None,
) -> None:
    """Write the tables of words that are not there as they would be written.

    Parameters
    ----------
    corpora : sequence of Corpus
    record : mapping
        Of :func:`wsd.encoder.model.resolve`; its files are checked again.
    out : Path
        Folder for ``<word>.parquet``.
    device, threads
        As in :class:`wsd.encoder.fill_mask.FillMask`.
    modules : Path, optional
        The file that stands for the modules of the step; without it every table is made anew.

    Raises
    ------
    ModelError
        If the model has no head, or its tokenizer no mask token.
    """
    if "random_weights" in record:
        what = f"{record['name']} has random weights: what it would say says nothing"
        raise ModelError(what, fix="leave substitutes out of analyses")
    folder = sources.verify(record)
    check_head(record["name"], folder)
    # Where its files are on this machine is no part of what a model is.
    of_all = {
        "model": {key: value for key, value in record.items() if key != "folder"},
        "modules": sha256(modules) if modules else None,
        "device": device,
        "pieces": K,
        "versions": {package: version(package) for package in PACKAGES},
    }
    said = {of.word: {**of_all, "word": of.word, "corpus": of.digest} for of in corpora}
    todo = [of for of in corpora if not (modules and _is_made(out, of.word, said[of.word]))]
    done = len(corpora) - len(todo)
    log.info("%s: %d of %d words were asked before", record["name"], done, len(corpora))
    if todo:
        from wsd.encoder.fill_mask import FillMask

        model = FillMask.load(str(folder), device=device)
        for corpus, found in model.fill(todo, threads=threads):
            write_substitutes(table_of(out, corpus.word), corpus, found, said[corpus.word])
            log.info("%s: %s, %d instances", record["name"], corpus.word, len(corpus))


def _is_made(out: Path, word: str, said: Mapping[str, Any]) -> bool:
    """Whether a word's table is there, whole, and of the same."""
    path = table_of(out, word)
    with suppress(DamageError, ResultError):
        if path.is_file():
            verify(path)
            return read_table(path)[1] == said
    return False


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_path(parser, "--model", "a record of `wsd model`")
    add_corpora(parser)
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--threads", type=count, default=1)
    text = "of the workflow: stands for the step's code; what the same has made is left as it is"
    parser.add_argument("--modules", type=Path, metavar="FILE", help=text)
    add_out_folder(parser, f"folder for <word>.parquet, and {TABLES}, which lists them")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    # Nothing below may ask the hub: models are fetched by `wsd model` alone.
    os.environ["HF_HUB_OFFLINE"] = "1"
    corpora = read_corpora(args.corpus, args.words)
    try:
        substitutes(
            list(corpora.values()),
            read_record(args.model),
            args.out,
            device=args.device,
            threads=args.threads,
            modules=args.modules,
        )
    except sources.CacheError as error:
        # This step asks no hub; the one that made the record does.
        raise DamageError(error.what, path=args.model) from error
    files = [table_of(args.out, word) for word in corpora]
    write_listing(args.out / TABLES, {path: noted_checksum(path) for path in files})
