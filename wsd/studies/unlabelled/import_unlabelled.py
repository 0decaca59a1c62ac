"""Import sentences without senses with ``wsd import --unlabelled``.

The place of the focal word may be given as in a table of labelled sentences. Otherwise, every form
of the word that :mod:`wsd.corpora.find_word` finds is a use. The import lists the sentences in
which it finds no form.

Each word has one file, ``sentences.txt``. Each line is a use, in the format of the data files of a
labelled corpus. The folder is written as a whole or not at all, after everything has been read.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from wsd.corpora.find_word import KnownForms, Sentence, from_span
from wsd.corpora.focal_form_check import FormCheck
from wsd.corpora.importer import labelled_tables, table_files, write_corpus
from wsd.corpora.importer.gathered import (
    LabelledSentence,
    extra_columns,
    labelled,
    log_all,
    plural,
    shorten,
)
from wsd.corpora.importer.input_formats import Request
from wsd.corpora.importer.labelled_tables import Options, marked_or_found
from wsd.corpora.word_forms import similar_names
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.storage.text_files import decode_file, lines_of

# The smallest number of uses of a word that can form two groups.
LEAST = 3
KINDS = (labelled_tables.TEXT, *table_files.SUFFIXES)
# Options that are about senses.
OF_SENSES = ("gold", "senses", "at_least", "train", "test")
# A sentence: its place, the word, the text, the extra columns.
Entry = tuple[str, str, str, Mapping[str, str]]
# A sentence, and its extra columns.
Use = tuple[Sentence, tuple[tuple[str, str], ...]]


@dataclass
class Uses:
    """The uses in some files.

    Attributes
    ----------
    forms : FormCheck
        Counts the focal words of all uses.
    rows : dict of word to dict of Use to LabelledSentence
        The sense of each row is ``-``.
    not_found : list of Entry
        The sentences without the word.
    repeated : int
        The number of uses that are left out because they equal an earlier one.
    """

    forms: FormCheck = field(default_factory=FormCheck)
    rows: dict[str, dict[Use, LabelledSentence]] = field(default_factory=dict)
    not_found: list[Entry] = field(default_factory=list)
    repeated: int = 0

    def find_again(self, known: KnownForms) -> None:
        """Look for words in the sentences without them, in the forms of the other sentences."""
        seen = {
            word: {row.tokens[row.position] for row in rows.values()}
            for word, rows in self.rows.items()
        }
        entries, self.not_found = self.not_found, []
        for entry in entries:
            _, word, text, _ = entry
            uses = known.finder(word, *seen.get(word, ())).find(text)
            self.add(entry, [from_span(text, use.start, use.end, use.form) for use in uses])

    def add(self, entry: Entry, sentences: list[Sentence]) -> None:
        """Add the uses of a word in a sentence; remember a sentence without any.

        Raises
        ------
        CorpusError
            For an invisible character or invalid Unicode.
        """
        if not sentences:
            self.not_found.append(entry)
        where, word, _, extra = entry
        for sentence in sentences:
            row = replace(labelled(where, word, "-", sentence), extra=extra)
            self.forms.add(row.word, row.position, row.tokens, where)
            # A use with an identifier of its own is another use.
            use = Sentence(row.position, row.tokens), tuple(sorted(row.extra.items()))
            self.repeated += use in self.rows.get(row.word, {})
            self.rows.setdefault(row.word, {}).setdefault(use, row)


def read(path: Path, options: Options, uses: Uses) -> None:
    """Read a ``.txt`` with a sentence in each line, or a table, and add its uses.

    Raises
    ------
    CorpusError
        For a file without a sentence, and a table with a column for senses. Errors about single
        lines are collected in ``options.bad_lines``.
    """
    if path.suffix.lower() == labelled_tables.TEXT and not labelled_tables.is_table(path):
        _read_lines(path, options, uses)
        return
    options = replace(options, find=True)
    for cells in labelled_tables.read_cells(path, options, needed=("sentence",)):
        if cells.has("sense"):
            name, fix = cells.column_of["sense"], "leave out --unlabelled, or the column"
            problem = f"--unlabelled is given, but {name!r} is a column of senses"
            raise CorpusError(problem, where=cells.header, fix=fix)
        with options.bad_lines.line():
            word, sentences = cells.uses()
            uses.add((cells.where, word, cells.located()[0], cells.extra), sentences)


def _read_lines(path: Path, options: Options, uses: Uses) -> None:
    text, encoding = decode_file(path, options.encoding)
    lines = [(where, line) for where, line in lines_of(path, text) if line.strip()]
    for where, line in lines:
        with options.bad_lines.line():
            if "\t" in line.strip():
                problem, fix = "a tab in a line of sentences", "if not, write a space"
                fix = f"if the file is a table, name its columns in the first line; {fix}"
                raise CorpusError(problem, where=where, fix=fix)
            word, sentences = marked_or_found(where, line, options.word, options.forms)
            uses.add((where, word, line, {}), sentences)
    if not lines:
        fix = "write a sentence in each line"
        raise CorpusError("the file has no sentence", where=str(path), fix=fix)
    log.info(f"{path}: a sentence per line, {encoding}, {len(lines):,} sentences")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add an option to ``wsd import``."""
    text = "sentences without senses: a .txt with one in each line, or a table"
    parser.add_argument("--unlabelled", action="store_true", help=text)


def import_instead(request: Request) -> list[str] | None:
    """Import sentences if ``--unlabelled`` is given, and return the lines of the summary.

    Raises
    ------
    ConfigError
        For a file of another kind, or an option that is about senses.
    CorpusError
        Naming file and line; also if no word has enough uses.
    """
    if not request.args.unlabelled:
        return None
    for name in OF_SENSES:
        if getattr(request.args, name, None):
            where, fix = f"--{name.replace('_', '-')}", "leave out one of the two"
            problem = "an option about senses cannot be combined with --unlabelled"
            raise ConfigError(problem, where=where, fix=fix)
    known = request.known_forms()
    uses = Uses(FormCheck(known))
    for path in request.files:
        if path.suffix.lower() not in KINDS:
            problem = f"{path.name!r} is of an unknown kind"
            fix = f"--unlabelled takes {', '.join(KINDS)}: a sentence in each line, or a table"
            raise ConfigError(problem, where=str(path), fix=fix)
        read(path, request.options, uses)
    uses.find_again(known)
    bad_lines = request.settle(sum(map(len, uses.rows.values())))
    write_corpus.check_forms(uses.forms, request)
    log_all(similar_names(uses.rows), "such words")
    words = {w: [*rows.values()] for w, rows in sorted(uses.rows.items()) if len(rows) >= LEAST}
    if not words:
        raise _no_word(uses, request.files, known)
    left_out = {
        "sentences in which the word is not found": len(uses.not_found),
        "uses that equal an earlier one, in all columns": uses.repeated,
        f"words with fewer than {LEAST} uses": len(uses.rows) - len(words),
        **bad_lines,
    }
    left_out = {reason: number for reason, number in left_out.items() if number}
    manifest = write_corpus.start_manifest(
        request, request.files, labelled=False, left_out=left_out
    )
    write_corpus.lay_out(request.args.out, words, manifest)
    places: dict[str, list[str]] = {}
    for where, word, *_ in uses.not_found:
        places.setdefault(word, []).append(where)
    without = [
        f"left out: {plural(len(of_word), 'sentence')} without {word} "
        f"(looked for: {_forms([word], known)}): {', '.join(shorten(of_word, 'places'))}"
        for word, of_word in sorted(places.items())
    ]
    reasons = [*left_out.items()][bool(without) :]
    return [
        f"{plural(len(words), 'word')} without senses",
        *shorten([f"{word}: {len(rows)} uses" for word, rows in words.items()], "words"),
        *extra_columns(chain(*words.values())),
        *shorten(without, "words"),
        *(f"left out: {reason}: {number}" for reason, number in reasons),
    ]


def _no_word(uses: Uses, files: Sequence[Path], known: KnownForms) -> CorpusError:
    """Return the error if no word has enough uses."""
    where = ", ".join(map(str, files))
    if uses.rows:
        numbers = [f"{word} {len(rows)}" for word, rows in uses.rows.items()]
        problem = f"too few uses to cluster (uses: {', '.join(shorten(numbers, 'words'))})"
        return CorpusError(problem, where=where, fix=f"give {LEAST} or more sentences with a word")
    words = [*dict.fromkeys(word for _, word, *_ in uses.not_found)]
    names = ", ".join(shorten([*map(repr, words)], "words"))
    fix = "correct --word (a verb is called serve.v), or mark the word in each line, as [[cell]]"
    problem = f"no sentence has a form of {names} (looked for: {_forms(words, known)})"
    return CorpusError(problem, where=where, fix=fix)


def _forms(words: Sequence[str], known: KnownForms) -> str:
    return ", ".join(dict.fromkeys(form for word in words for form in known.of(word)))
