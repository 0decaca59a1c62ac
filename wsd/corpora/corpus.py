"""Read and check the files of each word, and write one table per word.

A study can add another kind of corpus. The module that it names for this command
(``Study.extends``) has ``write_tables(source, out)``, which writes the tables and returns their
paths; for a corpus of another kind it returns None.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wsd.arguments import add_out_folder, add_path
from wsd.artifacts.corpus_table import write
from wsd.artifacts.dataset import ENGLISH, FORMS, LANGUAGE, MANIFEST, UNLABELLED_FILE, read_given
from wsd.artifacts.run_json import TABLES, write_listing
from wsd.corpora.copied_sentences import count_copied, describe_copied
from wsd.corpora.find_word import KnownForms
from wsd.corpora.focal_form_check import ANY_FORM, FormCheck
from wsd.corpora.text_format import make_corpus, read_rows, unlabelled_rows
from wsd.logs import log
from wsd.storage.checksums import noted_checksum
from wsd.storage.file_names import file_name


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_path(parser, "--source", "folder of <word>/ folders")
    text = "may be repeated; write --word=WORD for a word that begins with a hyphen"
    parser.add_argument("--word", action="append", required=True, help=text)
    parser.add_argument("--out-of-domain", type=Path, metavar="FILE", help="further test sentences")
    add_out_folder(parser, f"folder for <word>.parquet, and {TABLES}, which lists them")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    facts = _facts(args.source / MANIFEST)
    language = str(facts.get(LANGUAGE, ENGLISH))
    forms = FormCheck(KnownForms(language, read_given(facts.get(FORMS, {}))))
    for study in args.studies:
        if (paths := study.write_tables(args.source, args.out)) is not None:
            break
    else:
        copied: Counter[str] = Counter()
        paths = list(_words(args, forms, copied))
        for line in describe_copied(copied):
            log.warning(line)
    if facts.get(ANY_FORM) is not True:
        fix = "import the corpus again, with --any-form if the focal words are correct"
        forms.report(str(args.source), fix)
    write_listing(args.out / TABLES, {path: noted_checksum(path) for path in paths})


def _facts(manifest: Path) -> dict[str, Any]:
    """Return the manifest of a corpus; empty if it has none."""
    try:
        facts = json.loads(manifest.read_bytes())
    except (OSError, RecursionError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _words(args: argparse.Namespace, forms: FormCheck, copied: Counter[str]) -> Iterator[Path]:
    for word in args.word:
        name = file_name(word)
        folder = args.source / name
        if (folder / UNLABELLED_FILE).exists():
            senses, rows = unlabelled_rows(folder)
        else:
            senses, rows = read_rows(folder, word, args.out_of_domain)
        for row in rows:
            forms.add(word, row.position, row.tokens, row.where)
        copied.update(count_copied(rows))
        table = make_corpus(word, senses, rows)
        path = args.out / f"{name}.parquet"
        write(path, table)
        log.debug("%s: %d instances of %d senses", word, len(table), len(table.senses))
        yield path
