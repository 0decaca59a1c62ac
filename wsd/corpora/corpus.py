"""Read and check the files of words, and write a table per word."""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from wsd.arguments import add_out_folder, add_path
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpus, write
from wsd.artifacts.dataset import ABOUT, MANIFEST, OF_PAIRS, UNLABELLED_FILE
from wsd.artifacts.manifest import read_manifest
from wsd.artifacts.pair_table import PAIRS_FILE, read_pairs, write_pairs
from wsd.artifacts.run_map import TABLES, write_listing
from wsd.corpora.focal_form_check import ANY_FORM, FormCheck
from wsd.corpora.text_format import read_text, read_unlabelled
from wsd.logs import log
from wsd.storage.checksums import noted_checksum
from wsd.storage.file_names import file_name


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_path(parser, "--source", "folder of <word>/ folders")
    text = "any number of them; as --word=WORD if it begins with a hyphen"
    parser.add_argument("--word", action="append", required=True, help=text)
    parser.add_argument("--out-of-domain", type=Path, metavar="FILE", help="further test sentences")
    add_out_folder(parser, f"folder for <word>.parquet, and {TABLES}, which lists them")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    of_pairs = (args.source / PAIRS_FILE).exists()
    forms = FormCheck()
    paths = _pairs(args.source, args.out, forms) if of_pairs else list(_words(args, forms))
    if not _allows_any_form(args.source / MANIFEST):
        fix = "import the corpus again, with --any-form if the focal words are meant as they are"
        forms.report(str(args.source), fix)
    write_listing(args.out / TABLES, {path: noted_checksum(path) for path in paths})


def _allows_any_form(manifest: Path) -> bool:
    """Return whether a corpus was imported with ``--any-form``."""
    try:
        facts = json.loads(manifest.read_bytes())
    except (OSError, RecursionError, ValueError):
        return False
    return isinstance(facts, dict) and facts.get(ANY_FORM) is True


def _pairs(source: Path, out: Path, forms: FormCheck) -> list[Path]:
    dataset, pairs = read_manifest(source / MANIFEST), read_pairs(source)
    for i, word in enumerate(pairs.word.tolist()):
        where = f"the {pairs.split[i]} pair {pairs.line[i]}"
        for row in pairs.rows[i].tolist():
            position = int(pairs.sentences.position[row])
            forms.add(word, position, pairs.sentences.tokens[row], where)
    about = {key: getattr(dataset, key) for key in ("name", *ABOUT)}
    write_pairs(out, replace(pairs, about=about))
    return [out / file for file in OF_PAIRS]


def _words(args: argparse.Namespace, forms: FormCheck) -> Iterator[Path]:
    for word in args.word:
        name = file_name(word)
        folder = args.source / name
        if (folder / UNLABELLED_FILE).exists():
            table = read_unlabelled(folder, word)
        else:
            table = read_text(folder, word, args.out_of_domain)
        for i, tokens in enumerate(table.tokens):
            where = _file_and_line(args, folder, table, i)
            forms.add(word, int(table.position[i]), tokens, where)
        path = args.out / f"{name}.parquet"
        write(path, table)
        log.debug("%s: %d instances of %d senses", word, len(table), len(table.senses))
        yield path


def _file_and_line(args: argparse.Namespace, folder: Path, table: Corpus, row: int) -> str:
    split, line = table.split[row], table.index[row] + 1
    if split == OUT_OF_DOMAIN:
        return f"{args.out_of_domain}:{line}"
    return f"{folder / (f'{split}.data.txt' if table.is_labelled else UNLABELLED_FILE)}:{line}"
