"""Read sentences without senses: lines of text, or a table without a column for senses.

The place of the focal word may be given as in a table of labelled sentences. Otherwise, every form
of the word that :mod:`wsd.corpora.word_forms` finds is a use. The import lists the sentences in
which it finds no form.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from wsd.corpora.focal_form_check import FormCheck
from wsd.corpora.importer.focal_word import Sentence, from_span
from wsd.corpora.importer.labelled_sentence import LabelledSentence, labelled
from wsd.corpora.importer.labelled_tables import TEXT, is_table, read_cells
from wsd.corpora.importer.table_cells import Options, marked_or_found
from wsd.corpora.known_forms import KnownForms
from wsd.errors import CorpusError
from wsd.logs import log
from wsd.storage.text_files import decode_file, lines_of

# A sentence in which the word is not found: its place, the word, the text, the extra columns.
Pending = tuple[str, str, str, Mapping[str, str]]
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
    pending: list[Pending] = field(default_factory=list)

    def find_again(self, known: KnownForms) -> None:
        """Look for words in the sentences without them, in the forms of the other sentences."""
        seen = {
            word: {row.tokens[row.position] for row in rows.values()}
            for word, rows in self.rows.items()
        }
        pending, self.pending = self.pending, []
        for where, word, text, extra in pending:
            uses = known.finder_of([word], seen).find(text)
            sentences = [from_span(text, use.start, use.end, use.form) for use in uses]
            self.add(where, word, sentences, extra)
        for where, word, *_ in self.pending:
            self.not_found.setdefault(word, []).append(where)

    def add(
        self,
        where: str,
        word: str,
        sentences: list[Sentence],
        extra: Mapping[str, str],
        text: str = "",
    ) -> None:
        """Add the uses of a word in a sentence; remember a sentence without any.

        Raises
        ------
        CorpusError
            For an invisible character or invalid Unicode.
        """
        if not sentences:
            self.pending.append((where, word, text, extra))
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
    if path.suffix.lower() == TEXT and not is_table(path):
        _read_lines(path, options, uses)
        return
    for cells in read_cells(path, replace(options, find=True), needed=("sentence",)):
        if cells.has("sense"):
            problem = (
                f"--unlabelled is given, but {cells.column_of['sense']!r} is a column of senses"
            )
            fix = "leave out --unlabelled, or the column"
            raise CorpusError(problem, where=cells.header, fix=fix)
        with options.bad_lines.line():
            uses.add(cells.where, *cells.uses(), cells.extra, cells.located()[0])


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
            found = marked_or_found(where, line, options.word, options.forms)
            uses.add(where, *found, {}, line)
    if not n_sentences:
        fix = "write a sentence in each line"
        raise CorpusError("the file has no sentence", where=str(path), fix=fix)
    log.info(f"{path}: a sentence per line, {encoding}, {n_sentences:,} sentences")
