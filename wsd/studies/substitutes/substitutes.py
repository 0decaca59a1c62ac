"""Write the substitutes of words: the pieces that an encoder predicts in the focal word's place.

In the workflow the name of a word's table has a key of its sentences, so that a table that exists
is up to date.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wsd.arguments import add_choice, add_corpora, add_out_folder, add_path, count, writes
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.encoder_input import DEVICES
from wsd.artifacts.encoder_record import package_versions, read_record, without_folder
from wsd.artifacts.run_json import DIGITS, write_listing
from wsd.artifacts.substitute_table import K, write_substitutes
from wsd.encoder import model_files
from wsd.errors import ModelError
from wsd.logs import log
from wsd.storage.checksums import is_as_noted, noted_checksum
from wsd.storage.file_names import file_name


def substitutes(
    corpora: Mapping[Path, Corpus], record: Mapping[str, Any], *, device: str, threads: int
) -> None:
    """Write the tables of words.

    Parameters
    ----------
    corpora : mapping of Path to Corpus
        By the paths of the tables to write.
    record : mapping
        From :func:`wsd.encoder.model.resolve`. The model's files are verified again.
    device, threads
        As in :class:`wsd.studies.substitutes.predict_substitutes.FillMask`.

    Raises
    ------
    ModelError
        If the model has no head or random weights, or its tokenizer has no mask token.
    """
    if "random_weights" in record:
        problem = f"{record['name']} has random weights: its substitutes have no meaning"
        raise ModelError(problem, fix="leave substitutes out of analyses")
    folder = model_files.verify(record)
    from wsd.studies.substitutes.predict_substitutes import FillMask

    provenance = {"model": without_folder(record), "device": device, "pieces": K}
    provenance["versions"] = package_versions()
    tables = {corpus.word: path for path, corpus in corpora.items()}
    model = FillMask.load(str(folder), device=device)
    for corpus, fillers in model.fill(list(corpora.values()), threads=threads):
        about = {**provenance, "word": corpus.word, "corpus": corpus.digest}
        write_substitutes(tables[corpus.word], corpus, fillers, about)
        log.info("%s: %s, %d instances", record["name"], corpus.word, len(corpus))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_path(parser, "--model", "a record of `wsd model`")
    add_corpora(parser)
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--threads", type=count, default=1)
    text = "for the workflow: a listing of the words' tables; existing tables are kept"
    parser.add_argument("--listing", type=Path, metavar="FILE", help=text)
    writes(parser, "listing")
    add_out_folder(parser, "folder for <word>.parquet")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    record = read_record(args.model)
    tables = {}
    for corpus in read_corpora(args.corpus, args.words).values():
        key = f"@{corpus.digest[:DIGITS]}" if args.listing else ""
        tables[args.out / f"{file_name(corpus.word)}{key}.parquet"] = corpus
    missing = {p: corpus for p, corpus in tables.items() if not (args.listing and is_as_noted(p))}
    done = len(tables) - len(missing)
    log.info("%s: %d of %d words are done already", record["name"], done, len(tables))
    if missing:
        substitutes(missing, record, device=args.device, threads=args.threads)
    if args.listing:
        write_listing(args.listing, {path: noted_checksum(path) for path in tables})
