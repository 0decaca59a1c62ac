"""The step that reads glosses, one or more for each sense, and writes them as tables of sentences.

So the encoder reads a gloss as it reads any sentence of the word. The focal word is its first form
in the gloss; a gloss without one is read after the word and a colon, as GlossBERT does it.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from wsd.arguments import add_corpora, add_out_folder, add_path
from wsd.artifacts.corpus_table import Corpus, read_corpora, write
from wsd.artifacts.dataset import MANIFEST
from wsd.artifacts.manifest import read_manifest
from wsd.artifacts.parts_of_speech import lemma_and_part
from wsd.artifacts.run_map import TABLES, write_listing
from wsd.artifacts.senses import SenseText, check_text
from wsd.corpora.importer.delimited_text import read_table
from wsd.corpora.importer.labelled_sentence import plain
from wsd.corpora.word_forms import Finder, Occurrence
from wsd.errors import CorpusError
from wsd.storage.checksums import noted_checksum
from wsd.storage.file_names import file_name
from wsd.storage.text_files import at_place
from wsd.studies.glosses.names import GLOSS

COLUMNS = ("word", "sense", "gloss")
FIX = "give each sense of the run's words a gloss of its own"
# Place, sense and gloss.
Line = tuple[str, str, str]


def read_glosses(path: Path, senses: Mapping[str, Sequence[str]]) -> dict[str, list[Line]]:
    """The glosses of some words' senses, from a table or from the manifest of a corpus.

    Parameters
    ----------
    path : Path
        A ``dataset.json``, or a table with the columns ``word``, ``sense`` and ``gloss``, as
        :func:`wsd.corpora.importer.delimited_text.read_table` takes it. A sense may have several
        lines. Lines about other words are skipped.
    senses : mapping of word to sequence of str

    Raises
    ------
    CorpusError
        For a column that is missing, a sense that its word does not have, a gloss that is empty,
        cannot be shown or stands twice, and a sense without one. Each names the file, and the line
        if there is one.
    """
    found: dict[str, list[Line]] = {word: [] for word in senses}
    lines = _of_manifest(path) if path.name == MANIFEST else _of_table(path)
    places: dict[tuple[str, str], str] = {}
    for where, word, sense, gloss in lines:
        if word not in senses:
            continue
        with at_place(where, FIX):
            if sense not in senses[word]:
                known = ", ".join(senses[word])
                raise ValueError(f"{word!r} has no sense {sense!r}: there are {known}")
            if not gloss:
                raise ValueError(f"the gloss of {sense!r} is empty")
            check_text(SenseText("", gloss))
            if (first := places.setdefault((word, gloss), where)) != where:
                raise ValueError(f"a gloss of {word!r} that stands in {first} too")
        found[word].append((where, sense, gloss))
    for word, of in found.items():
        if lacking := [sense for sense in senses[word] if sense not in {line[1] for line in of}]:
            what = f"no gloss of the sense {lacking[0]!r} of {word!r}"
            more = f", nor of {len(lacking) - 1} more of its senses" if lacking[1:] else ""
            raise CorpusError(what + more, where=str(path), fix=FIX)
    return found


def _of_table(path: Path) -> Iterator[tuple[str, str, str, str]]:
    for where, cells, _ in read_table(path, COLUMNS):
        word, sense, gloss = (plain(cells[name]) for name in COLUMNS)
        yield where, word, sense, gloss


def _of_manifest(path: Path) -> Iterator[tuple[str, str, str, str]]:
    for word, given in read_manifest(path).given.items():
        for sense, text in given.items():
            if text.gloss:
                yield f"{path}, {sense}", word, sense, text.gloss


def gloss_table(corpus: Corpus, lines: Sequence[Line]) -> Corpus:
    """The glosses of a word as a table, in the order of the word's senses.

    Parameters
    ----------
    corpus : Corpus
        The word's own: its forms are looked for in the glosses.
    lines : sequence of Line
    """
    finder = Finder([corpus.word], lambda _: corpus.forms)
    lemma = lemma_and_part(corpus.word)[0].replace("_", " ")
    gold = [corpus.senses.index(sense) for _, sense, _ in lines]
    order = np.argsort(gold, kind="stable")
    found = []
    for row in order:
        gloss = lines[row][2]
        first = Occurrence((corpus.word,), f"{lemma} : {gloss}", 0, len(lemma))
        found.append((*finder.find(gloss), first)[0])
    return Corpus(
        word=corpus.word,
        senses=corpus.senses,
        split=np.repeat(GLOSS, len(lines)),
        index=np.arange(len(lines), dtype=np.int32),
        tokens=tuple(one.tokens for one in found),
        position=np.array([one.position for one in found], dtype=np.int32),
        gold=np.array(gold, dtype=np.int32)[order],
    )


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_corpora(parser)
    add_path(parser, "--glosses", f"table with {', '.join(COLUMNS)}, or a {MANIFEST}")
    add_out_folder(parser, f"folder for <word>.parquet, and {TABLES}, which lists them")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    corpora = read_corpora(args.corpus, args.words)
    glosses = read_glosses(args.glosses, {word: of.senses for word, of in corpora.items()})
    tables = {
        args.out / f"{file_name(word)}.parquet": gloss_table(corpora[word], lines)
        for word, lines in glosses.items()
    }
    for path, found in tables.items():
        write(path, found)
    write_listing(args.out / TABLES, {path: noted_checksum(path) for path in tables})
