"""Read sentences and their focal words, as a user gives them to `FocalEmbedder` and the commands.

A user gives the position of the focal word as characters, ``start`` to ``end``, or by a mark, or
names a word that occurs once. The text is split at white space, and punctuation is split from the
focal word as in :mod:`wsd.corpora.word_forms`. The tokenizer cuts the tokens into word pieces.

The columns of tables, and the keys of JSON lines, are recognised by their names, in the same way as
in a file for ``wsd import``: a sentence with a place (``start`` and ``end``, ``position``, …) or
with a word. The index of a frame does not matter: rows count by their order.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from wsd.artifacts.corpus_table import UNLABELLED, Corpus
from wsd.artifacts.dataset import DATA
from wsd.corpora.find_word import (
    FIX_MARK,
    FIX_SPAN,
    Finder,
    Occurrence,
    Sentence,
    bare_span,
    check_span,
    find_mark,
)
from wsd.corpora.focal_form_check import is_form
from wsd.corpora.importer import labelled_tables, table_files
from wsd.corpora.importer.labelled_tables import NAMES, Cells, Options, find_columns
from wsd.corpora.text_format import read_text
from wsd.errors import ConfigError, CorpusError, unknown_choice
from wsd.storage.text_files import parse_json, unique_keys

OPTIONS = Options(one_span=True, quiet=True)
# A text with one of these suffixes is the path of a table.
SUFFIXES = table_files.SUFFIXES
FIX = (
    f"name the columns: {' or '.join(NAMES['sentence'])}, with start and end, or with "
    f"{' or '.join(NAMES['word'])}; or give pairs of a sentence and a span"
)
LONGEST = 2**20  # bytes of a line of a stream


@dataclass(frozen=True)
class Line:
    """A sentence that the user gives.

    Attributes
    ----------
    number : int
        That of its line, from 1.
    text : str
    word : str or None
        The word to find; None for every word of the model.
    span : (start, end) or None
        The characters of the focal word, if the line gives them.
    wrong : str or None
        Why the line cannot be read.
    extra : mapping of str to str
        Further columns, which go into the answers.
    """

    number: int
    text: str
    word: str | None = None
    span: tuple[int, int] | None = None
    wrong: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


def rows(X: Any) -> Iterable[Any]:
    """Return instances in which each row of a table is a :class:`Line`.

    Parameters
    ----------
    X : iterable, DataFrame, datasets.Dataset, or the path of a table
        Items that are mappings are rows. Other items stay unchanged.

    Raises
    ------
    ConfigError
        For columns of one name, a missing column, and a row without its sentence, place or word.
    CorpusError
        If a file cannot be read.
    """
    if isinstance(X, os.PathLike) or (isinstance(X, str) and Path(X).suffix.lower() in SUFFIXES):
        return map(_row, labelled_tables.read_cells(Path(X), OPTIONS, needed=("sentence",)))
    if hasattr(X, "itertuples"):
        if twice := X.columns[X.columns.duplicated()].tolist():
            raise ConfigError(f"two columns are called {twice[0]!r}", where="X", fix="rename one")
        X = X.to_dict("records")
    return (_of_mapping(x, i) if isinstance(x, Mapping) else x for i, x in enumerate(X))


def _of_mapping(item: Mapping[Any, Any], i: int) -> Line:
    values = {str(name): _plain(value) for name, value in item.items()}
    try:
        return _row(_cells(values, f"row {i} of X", OPTIONS))
    except CorpusError as error:
        # The advice of the command names its options.
        fix = FIX if "--" in str(error.fix) else error.fix
        raise ConfigError(error.problem, where=error.where, fix=fix) from None


def _cells(values: Mapping[str, Any], where: str, options: Options) -> Cells:
    column_of = find_columns(values, options, where, ("sentence",))
    return Cells(where, values, column_of, where, options)


def _row(cells: Cells) -> Line:
    (line,) = _lines(0, cells)
    if not line.span and not line.word:
        names = ", ".join(cells.values)
        problem = f"no column for the focal word's place, or for the word, among {names}"
        raise ConfigError(problem, where=cells.header, fix=FIX)
    return line


def _plain(value: Any) -> Any:
    """Return a value of NumPy as Python's own number or list."""
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value


def _lines(number: int, cells: Cells, word: str | None = None) -> list[Line]:
    """Return the sentence of a row, once for each place of its focal word."""
    text, spans = cells.located()
    if cells.has("word"):
        word = cells.text("word")
    places: list[tuple[int, int] | None] = [*spans] or [None]
    return [Line(number, text, word, span, extra=cells.extra) for span in places]


def read_table(path: Path, options: Options, word: str | None = None) -> list[Line]:
    """Return the lines of a table; a line that cannot be read has the reason in ``wrong``.

    The number of each is that of its line in the file.

    Parameters
    ----------
    path : Path
    options : Options
    word : str, optional
        The word to find, unless a column names it.

    Raises
    ------
    CorpusError
        If the file is no table, or has no column for the sentence.
    """
    lines: list[Line] = []
    for cells in labelled_tables.read_cells(path, options, needed=("sentence",)):
        try:
            lines += _lines(_number(cells.where), cells, word)
        except CorpusError as error:
            lines.append(Line(_number(error.where), "", wrong=error.problem, extra=cells.extra))
    for bad in options.bad_lines.errors:
        lines.append(Line(_number(bad.where), "", wrong=bad.problem))
    return with_all_columns(sorted(lines, key=lambda line: line.number))


def with_all_columns(lines: Iterable[Line]) -> list[Line]:
    """Return lines that all have the further columns of any line, so that a table can show them."""
    lines = list(lines)
    empty = dict.fromkeys(chain.from_iterable(line.extra for line in lines), "")
    return [replace(line, extra={**empty, **line.extra}) for line in lines]


def _number(where: str | None) -> int:
    """Return the number of a line, from ``file:line`` or ``file:line, column name``."""
    return int(str(where).partition(", column ")[0].rpartition(":")[2])


def read_stream(
    stream: BinaryIO, options: Options, word: str | None, *, as_json: bool
) -> Iterator[Line]:
    """Yield the lines of a stream; a line that cannot be read has the reason in ``wrong``.

    Only the current line is in memory, so that the input may have any length.

    Parameters
    ----------
    stream : binary file
    options : Options
    word : str or None
        The word to find, unless a line names its own.
    as_json : bool
        Whether each line is a JSON object, whose keys are read as the columns of a table.
    """
    for number, raw in enumerate(iter(lambda: stream.readline(LONGEST + 1), b""), start=1):
        rest = raw
        while len(rest) > LONGEST and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST + 1)
        try:
            if len(raw) > LONGEST:
                raise ValueError(f"a line of more than {LONGEST} bytes")
            # Only the first line can have a byte order mark.
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            if as_json and text.strip():
                yield from _of_object(number, text, options, word)
            else:
                yield Line(number, text, word)
        except (CorpusError, ValueError) as error:
            yield Line(number, "", wrong=getattr(error, "problem", str(error)))


def _of_object(number: int, text: str, options: Options, word: str | None) -> list[Line]:
    values = parse_json(text, unique_keys)
    if not isinstance(values, dict):
        raise ValueError("not a JSON object")
    known = {name: value for name, value in values.items() if value is not None}
    cells = _cells(known, f"line {number}", options)
    try:
        return _lines(number, cells, word)
    except CorpusError as error:
        return [Line(number, "", wrong=error.problem, extra=cells.extra)]


# Characters (start, end) of a text, or the word itself.
Span = tuple[int, int] | str


def cut(sentence: str, span: tuple[int, int], word: str = "") -> Sentence:
    """Return the tokens of a sentence whose focal word is ``sentence[start:end]``.

    The span may hold several words (``New York``), which are then one focal word.

    Parameters
    ----------
    sentence : str
    span : (start, end)
        Characters, as in a slice.
    word : str
        The word, if it is known: a form of it may have punctuation at its ends.

    Raises
    ------
    ConfigError
        If the span is not within the sentence, is part of a word, or has white space or punctuation
        at its ends, as :func:`wsd.corpora.find_word.check_span` decides.

    >>> cut("The crane's driver", (4, 9))
    Sentence(position=1, tokens=('The', 'crane', "'s", 'driver'), touching=(2,))
    """
    with _checked(sentence, FIX_SPAN):
        check_span(sentence, *span, word)
    return Occurrence((), sentence, *span).sentence


def find(sentence: str, word: str) -> Sentence:
    """Return the tokens of a sentence whose focal word is marked, or is a form of ``word``.

    Parameters
    ----------
    sentence : str
        The focal word may be marked, ``[[crane]]`` or ``*crane*``.
    word : str

    Raises
    ------
    ConfigError
        If the word does not occur, occurs several times without a mark, or a mark is malformed.

    >>> find("The cranes left.", "crane").word
    'cranes'
    >>> find("A crane by a [[crane]].", "crane")
    Sentence(position=4, tokens=('A', 'crane', 'by', 'a', 'crane', '.'), touching=(5,))
    """
    with _checked(sentence, FIX_MARK):
        finder = Finder([word] if word.strip() else [])
        if mark := find_mark(sentence, finder.words_of):
            check_span(mark.text, mark.start, mark.end, word)
            if not is_form(word, focal := mark.text[mark.start : mark.end]):
                raise ValueError(f"{focal!r} is marked, which is not a form of {word!r}")
            return cut(mark.text, (mark.start, mark.end), word)
        occurrences = finder.find(sentence)
        if len(occurrences) != 1:
            number = f"{len(occurrences)} forms" if occurrences else "no form"
            raise ValueError(f"{number} of {word!r} in the sentence")
    return occurrences[0].sentence


@contextmanager
def _checked(sentence: str, fix: str) -> Iterator[None]:
    """Turn a ValueError about a sentence into a ConfigError that shows the sentence."""
    try:
        if not is_whole(sentence):
            raise ValueError("half a character in the text")
        yield
    except ValueError as error:
        raise ConfigError(str(error), where=repr(sentence), fix=fix) from None


def read_instances(X: Iterable[Any]) -> list[Sentence]:
    """Read instances: pairs of a sentence and its focal word, or the rows of a table.

    Parameters
    ----------
    X : iterable of (sentence, span), or a table
        A span is ``(start, end)`` or the word itself. Tables are read by
        :func:`wsd.inference.sentences.rows`.

    Raises
    ------
    ConfigError
        For the first instance that is no such pair, or does not contain its focal word.
    """
    return [_instance(row, i) for i, row in enumerate(rows(X))]


def _instance(row: Any, i: int) -> Sentence:
    try:
        if isinstance(row, Line):
            word = row.word or ""
            return cut(row.text, row.span, word) if row.span else find(row.text, word)
        sentence, span = row
        if not isinstance(sentence, str):
            raise TypeError
        if isinstance(span, str):
            return find(sentence, span)
        start, end = map(int, span)
        if (start, end) != tuple(span):  # a table with missing values has 2.0 for 2, but not 2.5
            raise ValueError(span)
        return cut(sentence, (start, end))
    except ConfigError as error:
        problem = f"instance {i}: {error.problem}"
        raise ConfigError(problem, where=error.where, fix=error.fix) from None
    except (OverflowError, TypeError, ValueError):
        problem = f"instance {i} is not a sentence with a span: {row!r:.80}"
        fix = 'give pairs such as ("a crane flew", (2, 7)) or ("a crane flew", "crane")'
        raise ConfigError(problem, fix=fix) from None


def as_corpus(
    sentences: Sequence[Sentence], *, word: str = "instance", index: Sequence[int] | None = None
) -> Corpus:
    """Return instances of any words as a corpus without gold senses.

    Parameters
    ----------
    sentences : sequence of Sentence
    word : str
        The name of an instance in messages.
    index : sequence of int, optional
        Their numbers; by default from 0.
    """
    return Corpus(
        word=word,
        senses=UNLABELLED,
        split=np.array(["new"] * len(sentences)),
        index=np.array(range(len(sentences)) if index is None else index, dtype=np.int64),
        tokens=tuple(sentence.tokens for sentence in sentences),
        position=np.array([sentence.position for sentence in sentences], dtype=np.int32),
        touching=tuple(sentence.touching for sentence in sentences),
        gold=np.zeros(len(sentences), dtype=np.int32),
    )


def labelled(corpus: Corpus, split: str = "train") -> tuple[list[tuple[str, Span]], np.ndarray]:
    """Return a split of a corpus in the form that scikit-learn expects.

    Parameters
    ----------
    corpus : Corpus
    split : str

    Returns
    -------
    X : list of (sentence, (start, end))
    y : array of str of shape (len(X),)
        The senses.

    Raises
    ------
    ConfigError
        If the corpus has no such split.
    """
    rows = np.flatnonzero(corpus.split == split)
    if not len(rows):
        splits = dict.fromkeys(corpus.split.tolist())
        raise unknown_choice(f"{corpus.word!r} has no split {split!r}", splits)
    return [located(corpus, row) for row in rows.tolist()], np.array(corpus.senses)[
        corpus.gold[rows]
    ]


def located(corpus: Corpus, row: int) -> tuple[str, Span]:
    """Return the text of an instance, and the characters (start, end) of its focal word.

    The span leaves out punctuation: `Mr` of `Mr.`.
    """
    left, focal, right = corpus.parts(row)
    text = left + focal + right
    return text, bare_span(text, len(left), len(left + focal))


def quickstart(word: str) -> Corpus:
    """Return a word of the built-in corpus, such as apple, bank, charge, crane or light.

    Raises
    ------
    ConfigError
        For another word.
    """
    words = sorted(path.parent.name for path in Path(DATA / "quickstart").glob("*/classes_map.txt"))
    if word not in words:
        raise unknown_choice(f"the built-in corpus has no word {word!r}", words)
    return read_text(DATA / "quickstart" / word, word)


def is_whole(text: str) -> bool:
    """Return whether a text has no lone surrogates, which later steps could not encode.

    They come from JSON, or from an argument that is not UTF-8.
    """
    return text.encode(errors="replace").decode() == text
