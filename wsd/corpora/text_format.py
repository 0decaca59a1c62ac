"""Read and check the text files of a word, in CoarseWSD's format.

Each word has ``classes_map.txt`` (JSON, class number -> sense) and, for each split,
``<split>.data.txt`` with ``position<TAB>tokens separated by spaces`` and ``<split>.gold.txt`` with
one class number per line. Out-of-domain test sentences of all words may be in another file, with
``word<TAB>sense<TAB>position<TAB>tokens`` and no header. If the focal word has several tokens, its
position is ``3:5``: its first token, and the token after its last. Running text has the focal
word's characters instead, ``4-9``: from 0, the end excluded. A malformed line is an error that
names its file and line; nothing is repaired silently.

Two files are optional. ``<split>.documents.txt`` has the name of each sentence's document, or an
empty line if it is unknown. ``<split>.extra.tsv`` has the columns that the product does not use:
their names in its first line, and the cells of an instance in each further line, in the order of
the instances, separated by tabs and quoted.
"""

import csv
import io
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, SPLITS, UNLABELLED, Corpus, text_parts
from wsd.artifacts.dataset import EXTRA_UNLABELLED, UNLABELLED_FILE
from wsd.corpora.find_word import Sentence, from_span, join_tokens
from wsd.errors import CorpusError, visible
from wsd.storage.text_files import at_place, parse_json, read_lines, read_text_file, unique_keys

# The end of a line's format, in messages.
LINE = (
    "position<TAB>tokens separated by spaces`; positions start at 0; for a focal word of several "
    "tokens, write its first token and the token after its last, such as 3:5; for running text, "
    "write its characters, such as 4-9"
)
# The position of a focal word: its token, or its first token and the token after its last.
PLACE = re.compile(r"([0-9]{1,9})(?::([0-9]{1,9}))?")
CHARACTERS = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


class Instance(NamedTuple):
    """A sentence, as :class:`Sentence`, and the sense of its focal word as an index."""

    position: int
    tokens: tuple[str, ...]
    touching: tuple[int, ...]
    gold: int


class Row(NamedTuple):
    """An instance: its split, its line in the split's file from 0, and the sense as an index.

    ``where`` names its file and line, with lines from 1.
    """

    split: str
    line: int
    position: int
    tokens: tuple[str, ...]
    touching: tuple[int, ...]
    gold: int
    document: str = ""
    extra: Mapping[str, str] = {}
    where: str = ""


def read_text(folder: Path, word: str, out_of_domain: Path | None = None) -> Corpus:
    """Read and check one word's files, as :func:`read_rows` does."""
    return make_corpus(word, *read_rows(folder, word, out_of_domain))


def read_rows(
    folder: Path, word: str, out_of_domain: Path | None = None
) -> tuple[tuple[str, ...], list[Row]]:
    """Read and check one word's files; return its senses and instances.

    Parameters
    ----------
    folder : Path
        Holds ``classes_map.txt`` and ``{train,test}.{data,gold}.txt``.
    word : str
        The lemma; the folder's name may differ.
    out_of_domain : Path, optional
        A file with out-of-domain test sentences of any words.

    Raises
    ------
    CorpusError
        For a missing or empty file, bad UTF-8, CRLF line ends, a line without exactly the tabs
        of its format, a position that is not a number or out of range, an empty sentence, a gold
        file of another length, or a class or sense that is not in the map. Each names file and
        line. Also for a word that is empty, or has an invisible character.
    """
    if not word.strip() or visible(word) != word:
        problem = f"a word that is empty or has a control character: {word!r}"
        raise CorpusError(problem, where=str(folder))
    classes = read_classes(folder / "classes_map.txt")
    senses = tuple(classes.values())
    rows = [row for split in SPLITS for row in _read_rows(folder, split, list(classes))]
    if out_of_domain is not None:
        rows += _read_out_of_domain(out_of_domain, word, senses)
    return senses, rows


def _read_rows(folder: Path, split: str, classes: Sequence[str]) -> Iterator[Row]:
    instances = read_split(folder, split, classes)
    size, path = len(instances), folder / f"{split}.documents.txt"
    documents = _aligned(path, size, "documents") if path.exists() else [""] * size
    extra = read_extra(folder / extra_file(f"{split}.data.txt"), size)
    for i, instance in enumerate(instances):
        where = f"{folder / split}.data.txt:{i + 1}"
        yield Row(split, i, *instance, documents[i], extra[i], where)


def _aligned(path: Path, size: int, kind: str) -> list[str]:
    """Return the lines of a file that has one for each sentence."""
    lines = read_lines(path)
    if len(lines) != size:
        where = f"{path}:{min(len(lines), size) + 1}"
        problem = f"{size} sentences but {len(lines)} {kind}"
        raise CorpusError(problem, where=where, fix="give one line per sentence, in their order")
    return lines


def read_unlabelled(folder: Path, word: str) -> Corpus:
    """Read and check the sentences of a word without senses, ``position<TAB>tokens`` in each line.

    Raises
    ------
    CorpusError
        As :func:`read_text`.
    """
    return make_corpus(word, *unlabelled_rows(folder))


def unlabelled_rows(folder: Path) -> tuple[tuple[str, ...], list[Row]]:
    """Return the sentences of a word without senses, as :func:`read_rows` does."""
    sentences = _read_sentences(folder / UNLABELLED_FILE)
    extra = read_extra(folder / EXTRA_UNLABELLED, len(sentences))
    return UNLABELLED, [
        Row("train", i, *sentence, 0, "", extra[i], f"{folder / UNLABELLED_FILE}:{i + 1}")
        for i, sentence in enumerate(sentences)
    ]


def make_corpus(word: str, senses: tuple[str, ...], rows: Iterable[Row]) -> Corpus:
    """Return the table of a word whose instances are given row by row."""
    split, index, position, tokens, touching, gold, document, extra, _ = zip(*rows, strict=True)
    names = dict.fromkeys(chain.from_iterable(extra))
    return Corpus(
        word=word,
        senses=senses,
        split=np.array(split),
        index=np.array(index, dtype=np.int32),
        tokens=tokens,
        position=np.array(position, dtype=np.int32),
        touching=touching,
        gold=np.array(gold, dtype=np.int32),
        document=np.array(document) if any(document) else None,
        extra={name: tuple(cells.get(name, "") for cells in extra) for name in names},
    )


def _read_sentences(path: Path) -> list[Sentence]:
    sentences = []
    for number, line in enumerate(read_lines(path), start=1):
        with at_place(f"{path}:{number}", f"write `{LINE}"):
            sentences.append(_parse_sentence(line))
    return sentences


def read_split(folder: Path, split: str, classes: Sequence[str]) -> list[Instance]:
    """Return the instances of ``<split>.data.txt`` and ``<split>.gold.txt``, in their order.

    Parameters
    ----------
    folder : Path
    split : str
    classes : sequence of str
        The class numbers as in the gold file, in the order of the senses.

    Raises
    ------
    CorpusError
        As :func:`read_text`.
    """
    sentences, gold_file = _read_sentences(folder / f"{split}.data.txt"), f"{split}.gold.txt"
    labels = _aligned(folder / gold_file, len(sentences), "gold classes")
    gold_of = {label: gold for gold, label in enumerate(classes)}
    for number, label in enumerate(labels, start=1):
        if label not in gold_of:
            problem = f"class {label!r} is not in the map, which has {', '.join(classes)}"
            raise CorpusError(problem, where=f"{folder / gold_file}:{number}")
    return [Instance(*s, gold_of[label]) for s, label in zip(sentences, labels, strict=True)]


def _read_out_of_domain(path: Path, word: str, senses: tuple[str, ...]) -> Iterator[Row]:
    lines = read_lines(path)
    # All words share this file, and the file of its extra columns.
    extra = read_extra(path.parent / extra_file(path.name), len(lines))
    for index, line in enumerate(lines):
        where = f"{path}:{index + 1}"
        with at_place(where, f"write `word<TAB>sense<TAB>{LINE}"):
            if line.count("\t") != 3:
                raise ValueError(f"{line.count(chr(9))} tabs in the line, not 3")
            line_word, sense, sentence = line.split("\t", maxsplit=2)
            if line_word != word:
                continue
            if sense not in senses:
                known = ", ".join(senses)
                raise ValueError(f"{sense!r} is no sense of {word!r}, which has {known}")
            place = _parse_sentence(sentence)
        yield Row(OUT_OF_DOMAIN, index, *place, senses.index(sense), "", extra[index], where)


def sentence_line(position: int, tokens: Sequence[str], touching: Sequence[int] = ()) -> str:
    """Return a sentence as a line that :func:`read_split` reads."""
    if touching:
        before, focal, after = text_parts(position, tokens, touching)
        return f"{len(before)}-{len(before + focal)}\t{before}{focal}{after}"
    length = len(tokens[position].split())
    place = str(position) if length == 1 else f"{position}:{position + length}"
    return f"{place}\t{' '.join(tokens)}"


def _parse_sentence(line: str) -> Sentence:
    number, tab, sentence = line.partition("\t")
    if not tab or "\t" in sentence:
        raise ValueError(f"{'no' if not tab else 'more than one'} tab in the line")
    # Any white space separates tokens, as in the authors' code. Three lines of CoarseWSD-20 have a
    # double space or a thin one, and their positions are right only if these separate tokens too.
    # Equal tokens are the same object, so that a large corpus fits into memory.
    tokens = tuple(map(sys.intern, sentence.split()))
    if not tokens:
        raise ValueError("the sentence is empty")
    if place := CHARACTERS.fullmatch(number):
        start, end = int(place[1]), int(place[2])
        position, tokens, touching = from_span(sentence, start, end, sentence[start:end])
        return Sentence(position, tuple(map(sys.intern, tokens)), touching)
    if not (place := PLACE.fullmatch(number)):
        raise ValueError(f"the position {number[:40]!r} is not a number from 0 up")
    position = int(place[1])
    if position >= len(tokens):
        length = f"{len(tokens)} tokens, so the last position is {len(tokens) - 1}"
        raise ValueError(f"position {position} is out of range: the sentence has {length}")
    return Sentence(position, join_tokens(tokens, position, int(place[2])) if place[2] else tokens)


def read_classes(path: Path) -> dict[str, str]:
    """Return the senses by class number, in the order of the numbers."""
    fix = 'write a JSON object such as {"0": "crane_bird", "1": "crane_machine"}'
    with at_place(str(path), fix):
        classes = parse_json("\n".join(read_lines(path)), unique_keys)
        if not (isinstance(classes, dict) and classes and all(map(_is_class, classes.items()))):
            raise ValueError("not a map from class numbers to sense names")
        senses = list(classes.values())
        if twice := [sense for sense in senses if senses.count(sense) > 1]:
            raise ValueError(f"the sense {twice[0]!r} is in the map twice")
    return dict(sorted(classes.items(), key=lambda pair: int(pair[0])))


def _is_class(pair: tuple[str, Any]) -> bool:
    """Return whether this is a class number and a sense, without lone surrogates."""
    number, sense = pair
    return (
        re.fullmatch(r"0|[1-9][0-9]{0,8}", number) is not None
        and isinstance(sense, str)
        and bool(sense.strip())
        and sense.encode(errors="replace").decode() == sense
    )


def extra_file(file: str) -> str:
    """Return the name of the file with the extra columns of a file's instances.

    >>> extra_file("train.data.txt"), extra_file("sentences.txt")
    ('train.extra.tsv', 'sentences.extra.tsv')
    """
    return f"{file.split('.')[0]}.extra.tsv"


def extra_text(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the content of the file; empty if no row has a column.

    Parameters
    ----------
    rows : sequence of mapping of column to text
        The cells of each instance. A row may lack a column: its cell is empty.
    """
    columns = dict.fromkeys(chain.from_iterable(rows))
    text = io.StringIO()
    # Otherwise a lone carriage return would stay unquoted, and end a line when it is read.
    writer = csv.writer(text, "excel-tab", lineterminator="\n", quoting=csv.QUOTE_ALL)
    if columns:
        writer.writerows([columns, *([row.get(name, "") for name in columns] for row in rows)])
    return text.getvalue()


def read_extra(path: Path, size: int) -> list[dict[str, str]]:
    """Return the extra columns of each of ``size`` instances; the file may be missing.

    Raises
    ------
    CorpusError
        For a file without columns, a name that is empty or occurs twice, a line with another number
        of cells, and another number of lines.
    """
    if not path.exists():
        return [{}] * size
    reader = csv.reader(io.StringIO(read_text_file(path), newline=""), "excel-tab")
    names, *rows = [*reader] or [[]]
    if not names or not all(names) or len(set(names)) < len(names):
        fix = "give each column a different name"
        raise CorpusError("a column without a name of its own", where=f"{path}:1", fix=fix)
    if len(rows) != size or any(len(row) != len(names) for row in rows):
        problem = f"not {size} lines of {len(names)} cells below the names of the columns"
        fix = "give one line per instance, in the order of the instances"
        raise CorpusError(problem, where=str(path), fix=fix)
    return [dict(zip(names, row, strict=True)) for row in rows]
