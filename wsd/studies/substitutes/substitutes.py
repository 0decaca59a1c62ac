"""The step that asks an encoder what it would say in the focal word's place, for many words.

What is said is :mod:`wsd.studies.substitutes.fill_mask`; the tables,
:mod:`wsd.artifacts.substitute_table`. In the workflow a word's table has a key of its sentences in
its name, as with :mod:`wsd.encoder.embed`: one that is there is right.
"""

import argparse
import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wsd.arguments import add_choice, add_corpora, add_out_folder, add_path, count, writes
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.encoder_record import read_record
from wsd.artifacts.run_map import DIGITS, write_listing
from wsd.artifacts.substitute_table import K, write_substitutes
from wsd.artifacts.view_names import DEVICES
from wsd.encoder import sources
from wsd.errors import DamageError, ModelError
from wsd.logs import done_before, log
from wsd.storage.checksums import is_as_noted, noted_checksum
from wsd.storage.file_names import file_name
from wsd.studies.substitutes.masked_lm_head import check_head

PACKAGES = ("numpy", "safetensors", "tokenizers", "torch", "transformers", "wsd")


def substitutes(
    corpora: Mapping[Path, Corpus],
    record: Mapping[str, Any],
    *,
    device: str,
    threads: int,
) -> None:
    """Write the tables of words.

    Parameters
    ----------
    corpora : mapping of Path to Corpus
        By the tables that are written.
    record : mapping
        Of :func:`wsd.encoder.model.resolve`; its files are checked again.
    device, threads
        As in :class:`wsd.studies.substitutes.fill_mask.FillMask`.

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
        "device": device,
        "pieces": K,
        "versions": {package: version(package) for package in PACKAGES},
    }
    from wsd.studies.substitutes.fill_mask import FillMask

    tables = {corpus.word: path for path, corpus in corpora.items()}
    model = FillMask.load(str(folder), device=device)
    for corpus, found in model.fill(list(corpora.values()), threads=threads):
        said = {**of_all, "word": corpus.word, "corpus": corpus.digest}
        write_substitutes(tables[corpus.word], corpus, found, said)
        log.info("%s: %s, %d instances", record["name"], corpus.word, len(corpus))


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_path(parser, "--model", "a record of `wsd model`")
    add_corpora(parser)
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--threads", type=count, default=1)
    text = "of the workflow: a file that lists the words' tables; those that are there stay"
    parser.add_argument("--listing", type=Path, metavar="FILE", help=text)
    writes(parser, "listing")
    add_out_folder(parser, "folder for <word>.parquet")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    # Nothing below may ask the hub: models are fetched by `wsd model` alone.
    os.environ["HF_HUB_OFFLINE"] = "1"
    record = read_record(args.model)
    tables = {}
    for corpus in read_corpora(args.corpus, args.words).values():
        key = f"@{corpus.digest[:DIGITS]}" if args.listing else ""
        tables[args.out / f"{file_name(corpus.word)}{key}.parquet"] = corpus
    todo = {path: of for path, of in tables.items() if not (args.listing and is_as_noted(path))}
    done = len(tables) - len(todo)
    what = f"{record['name']}: {done} of {len(tables)} words were asked before"
    log.info(what, extra=done_before(done))
    try:
        if todo:
            substitutes(todo, record, device=args.device, threads=args.threads)
    except sources.CacheError as error:
        # This step asks no hub; the one that made the record does.
        raise DamageError(error.what, path=args.model) from error
    if args.listing:
        write_listing(args.listing, {path: noted_checksum(path) for path in tables})
