"""Write the glosses of the words' senses as tables of sentences, for ``wsd embed``."""

import argparse

from wsd.arguments import add_corpora, add_out_folder, add_path
from wsd.artifacts.corpus_table import read_corpora, write
from wsd.artifacts.dataset import MANIFEST
from wsd.artifacts.run_json import TABLES, write_listing
from wsd.corpora.glosses import COLUMNS, gloss_table, read_glosses
from wsd.storage.checksums import noted_checksum
from wsd.storage.file_names import file_name


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_corpora(parser)
    add_path(parser, "--glosses", f"table with {', '.join(COLUMNS)}, or a {MANIFEST}")
    add_out_folder(parser, f"folder for <word>.parquet, and {TABLES}, which lists them")


def run(args: argparse.Namespace) -> None:
    """Read the glosses, and write a table per word and their listing."""
    corpora = read_corpora(args.corpus, args.words)
    glosses = read_glosses(args.glosses, {word: corpus.senses for word, corpus in corpora.items()})
    tables = {
        args.out / f"{file_name(word)}.parquet": gloss_table(
            word, corpus.senses, glosses[word], corpus.forms
        )
        for word, corpus in corpora.items()
    }
    for path, corpus in tables.items():
        write(path, corpus)
    write_listing(args.out / TABLES, {path: noted_checksum(path) for path in tables})
