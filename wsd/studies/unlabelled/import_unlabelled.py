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
from pathlib import Path

from wsd.corpora.find_word import KnownForms
from wsd.corpora.focal_form_check import FormCheck
from wsd.corpora.focal_word import Sentence, from_span
from wsd.corpora.importer import arrow_tables, labelled_tables, write_corpus
from wsd.corpora.importer.import_summary import log_all, plural, shorten
from wsd.corpora.importer.input_formats import Request
from wsd.corpora.importer.labelled_sentence import LabelledSentence, labelled
from wsd.corpora.importer.table_cells import Options, marked_or_found
from wsd.corpora.word_forms import similar_names
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.storage.text_files import decode_file, lines_of

# The smallest number of uses of a word that can form two groups.
LEAST = 3
KINDS = (labelled_tables.TEXT, *labelled_tables.KINDS, *arrow_tables.KINDS)
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
    rows : dict of word to dict of Use to LabelledSentence
        The sense of each row is ``-``.
    not_found : dict of word to list of str
        File and line of the sentences without the word.
    repeated : int
        The number of uses that are left out because they equal an earlier one.
    forms : FormCheck
        Counts the focal words of all uses.
    """

    rows: dict[str, dict[Use, LabelledSentence]] = field(default_factory=dict)
    not_found: dict[str, list[str]] = field(default_factory=dict)
    repeated: int = 0
    forms: FormCheck = field(default_factory=FormCheck)
    pending: list[Entry] = field(default_factory=list)

    def find_again(self, known: KnownForms) -> None:
        """Look for words in the sentences without them, in the forms of the other sentences."""
        seen = {
            word: {row.tokens[row.position] for row in rows.values()}
            for word, rows in self.rows.items()
        }
        pending, self.pending = self.pending, []
        for entry in pending:
            _, word, text, _ = entry
            uses = known.finder(word, *seen.get(word, ())).find(text)
            self.add(entry, [from_span(text, use.start, use.end, use.form) for use in uses])
        for where, word, *_ in self.pending:
            self.not_found.setdefault(word, []).append(where)

    def add(self, entry: Entry, sentences: list[Sentence]) -> None:
        """Add the uses of a word in a sentence; remember a sentence without any.

        Raises
        ------
        CorpusError
            For an invisible character or invalid Unicode.
        """
        if not sentences:
            self.pending.append(entry)
        where, word, _, extra = entry
        for sentence in sentences:
            row = replace(labelled(where, word, "-", sentence), extra=extra)
            self.forms.add(row.word, row.position, row.tokens, where)
            # A use with an identifier of its own is another use.
            use = (row.position, row.tokens), tuple(sorted(row.extra.items()))
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
    for cells in labelled_tables.read_cells(
        path, replace(options, find=True), needed=("sentence",)
    ):
        if cells.has("sense"):
            problem = (
                f"--unlabelled is given, but {cells.column_of['sense']!r} is a column of senses"
            )
            fix = "leave out --unlabelled, or the column"
            raise CorpusError(problem, where=cells.header, fix=fix)
        with options.bad_lines.line():
            word, sentences = cells.uses()
            uses.add((cells.where, word, cells.located()[0], cells.extra), sentences)


def _read_lines(path: Path, options: Options, uses: Uses) -> None:
    text, encoding = decode_file(path, options.encoding)
    n_sentences = 0
    for where, line in lines_of(path, text):
        if not line.strip():
            continue
        n_sentences += 1
        with options.bad_lines.line():
            if "\t" in line.strip():
                problem = "a tab in a line of sentences"
                fix = "if the file is a table, name its columns in the first line; if not, write a "
                raise CorpusError(problem, where=where, fix=f"{fix}space")
            word, sentences = marked_or_found(where, line, options.word, options.forms)
            uses.add((where, word, line, {}), sentences)
    if not n_sentences:
        fix = "write a sentence in each line"
        raise CorpusError("the file has no sentence", where=str(path), fix=fix)
    log.info(f"{path}: a sentence per line, {encoding}, {n_sentences:,} sentences")


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
    uses = Uses(forms=FormCheck(known))
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
        "sentences in which the word is not found": sum(map(len, uses.not_found.values())),
        "uses that are there already, word for word": uses.repeated,
        f"words with fewer than {LEAST} uses": len(uses.rows) - len(words),
        **bad_lines,
    }
    left_out = {reason: number for reason, number in left_out.items() if number}
    manifest = write_corpus.start_manifest(
        request, request.files, labelled=False, left_out=left_out
    )
    write_corpus.lay_out_unlabelled(request.args.out, words, manifest)
    reasons = [*left_out.items()][bool(uses.not_found) :]
    return [
        f"{plural(len(words), 'word')} without senses",
        *shorten([f"{word}: {len(rows)} uses" for word, rows in words.items()], "words"),
        *_not_found(uses, known),
        *(f"left out: {reason}: {number}" for reason, number in reasons),
    ]


def _not_found(uses: Uses, known: KnownForms) -> list[str]:
    """Return a line per word with the sentences that lack it."""
    lines = [
        f"left out: {plural(len(places), 'sentence')} without {word} "
        f"(looked for: {', '.join(known.of(word))}): {', '.join(shorten(places, 'places'))}"
        for word, places in sorted(uses.not_found.items())
    ]
    return shorten(lines, "words")


def _no_word(uses: Uses, files: Sequence[Path], known: KnownForms) -> CorpusError:
    """Return the error if no word has enough uses."""
    where = ", ".join(map(str, files))
    if uses.rows:
        numbers = [f"{word} {len(rows)}" for word, rows in uses.rows.items()]
        problem = f"too few uses to cluster (uses: {', '.join(shorten(numbers, 'words'))})"
        return CorpusError(problem, where=where, fix=f"give {LEAST} or more sentences with a word")
    words = ", ".join(shorten([repr(word) for word in uses.not_found], "words"))
    forms = dict.fromkeys(form for word in uses.not_found for form in known.of(word))
    looked_for = ", ".join(forms)
    fix = "correct --word (a verb is called serve.v), or mark the word in each line, as [[cell]]"
    problem = f"no sentence has a form of {words} (looked for: {looked_for})"
    return CorpusError(problem, where=where, fix=fix)
