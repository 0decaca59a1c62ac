"""Read and check the text files of a word, in CoarseWSD's format.

Each word has ``classes_map.txt`` (JSON, class number -> sense) and, for each split,
``<split>.data.txt`` with ``position<TAB>tokens separated by spaces`` and ``<split>.gold.txt`` with
one class number per line. Out-of-domain test sentences of all words may be in another file, with
``word<TAB>sense<TAB>position<TAB>tokens`` and no header. If the focal word has several tokens, its
position is ``3:5``: its first token, and the token after its last. The optional file
``<split>.documents.txt`` has the name of each sentence's document, or an empty line if it is
unknown. The optional file ``<split>.extra.tsv`` has the columns that the product does not use
(:mod:`wsd.corpora.extra_columns`). A malformed line is an error that names its file and line;
nothing is repaired silently.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, SPLITS, UNLABELLED, Corpus
from wsd.artifacts.dataset import DOCUMENTS, EXTRA, EXTRA_UNLABELLED, UNLABELLED_FILE
from wsd.corpora.extra_columns import Columns, extra_file, joined, read_extra
from wsd.errors import CorpusError, visible
from wsd.storage.text_files import at_place, parse_json, read_lines

# The end of a line's format, in messages.
LINE = (
    "position<TAB>tokens separated by spaces`; positions start at 0; for a focal word of several "
    "tokens, write its first token and the token after its last, such as 3:5"
)
# The position of a focal word: its token, or its first token and the token after its last.
PLACE = re.compile(r"([0-9]{1,9})(?::([0-9]{1,9}))?")
# Split, line in the split's file from 0, position of the focal word, tokens, sense as an index.
Row = tuple[str, int, int, tuple[str, ...], int]


class Instance(NamedTuple):
    """A sentence, the position of its focal word, and the sense of this word as an index."""

    position: int
    tokens: tuple[str, ...]
    gold: int


def read_text(folder: Path, word: str, out_of_domain: Path | None = None) -> Corpus:
    """Read and check one word's files.

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
    rows = [
        (split, index, *instance)
        for split in SPLITS
        for index, instance in enumerate(read_split(folder, split, list(classes)))
    ]
    documents = _read_documents(folder, [row[0] for row in rows])
    if out_of_domain is not None:
        rows += _read_out_of_domain(out_of_domain, word, senses)
    documents += [""] * (len(rows) - len(documents))
    corpus = make_corpus(word, senses, rows)
    corpus = replace(corpus, extra=_read_extra(folder, corpus, out_of_domain))
    return replace(corpus, document=np.array(documents)) if any(documents) else corpus


def read_unlabelled(folder: Path, word: str) -> Corpus:
    """Read and check the sentences of a word without senses, ``position<TAB>tokens`` in each line.

    Raises
    ------
    CorpusError
        As :func:`read_text`.
    """
    sentences = _read_sentences(folder / UNLABELLED_FILE)
    rows = (("train", index, *sentence, 0) for index, sentence in enumerate(sentences))
    extra = read_extra(folder / EXTRA_UNLABELLED, len(sentences))
    return replace(make_corpus(word, UNLABELLED, rows), extra=extra)


def make_corpus(word: str, senses: tuple[str, ...], rows: Iterable[Row]) -> Corpus:
    """Return the table of a word whose instances are given row by row."""
    split, index, position, tokens, gold = zip(*rows, strict=True)
    return Corpus(
        word=word,
        senses=senses,
        split=np.array(split),
        index=np.array(index, dtype=np.int32),
        tokens=tokens,
        position=np.array(position, dtype=np.int32),
        gold=np.array(gold, dtype=np.int32),
    )


def _read_sentences(path: Path) -> list[tuple[int, tuple[str, ...]]]:
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
    data_file, gold_file = folder / f"{split}.data.txt", folder / f"{split}.gold.txt"
    sentences = _read_sentences(data_file)
    labels = read_lines(gold_file)
    if len(labels) != len(sentences):
        problem = f"{len(sentences)} sentences but {len(labels)} gold classes"
        where = f"{gold_file}:{min(len(labels), len(sentences)) + 1}"
        raise CorpusError(problem, where=where, fix="give one class per sentence, one per line")
    gold_of = {label: gold for gold, label in enumerate(classes)}
    for number, label in enumerate(labels, start=1):
        if label not in gold_of:
            problem = f"class {label!r} is not in the map, which has {', '.join(classes)}"
            raise CorpusError(problem, where=f"{gold_file}:{number}")
    return [Instance(*s, gold_of[label]) for s, label in zip(sentences, labels, strict=True)]


def _read_documents(folder: Path, splits: Sequence[str]) -> list[str]:
    """Return the document of each instance, of the training split and then of the test split."""
    documents: list[str] = []
    for file in DOCUMENTS:
        path, size = folder / file, splits.count(file.partition(".")[0])
        names = read_lines(path) if path.exists() else [""] * size
        if len(names) != size:
            where = f"{path}:{min(len(names), size) + 1}"
            fix = "give one document per sentence, one per line"
            raise CorpusError(f"{size} sentences but {len(names)} documents", where=where, fix=fix)
        documents += names
    return documents


def _read_extra(folder: Path, corpus: Corpus, out_of_domain: Path | None) -> Columns:
    """Return the extra columns of a word's instances."""
    counts = [int((corpus.split == split).sum()) for split in SPLITS]
    parts = [(read_extra(folder / file, n), n) for file, n in zip(EXTRA, counts, strict=True)]
    if out_of_domain is not None:
        # All words share this file.
        path = out_of_domain.parent / extra_file(out_of_domain.name)
        lines = corpus.index[corpus.split == OUT_OF_DOMAIN].tolist()
        extra = read_extra(path, len(read_lines(out_of_domain))) if path.exists() else {}
        columns = {name: tuple(cells[i] for i in lines) for name, cells in extra.items()}
        parts.append((columns, len(lines)))
    return joined(parts)


def _read_out_of_domain(path: Path, word: str, senses: tuple[str, ...]) -> Iterator[Row]:
    for index, line in enumerate(read_lines(path)):
        with at_place(f"{path}:{index + 1}", f"write `word<TAB>sense<TAB>{LINE}"):
            if line.count("\t") != 3:
                raise ValueError(f"{line.count(chr(9))} tabs in the line, not 3")
            line_word, sense, sentence = line.split("\t", maxsplit=2)
            if line_word != word:
                continue
            if sense not in senses:
                known = ", ".join(senses)
                raise ValueError(f"{sense!r} is no sense of {word!r}, which has {known}")
            row = OUT_OF_DOMAIN, index, *_parse_sentence(sentence), senses.index(sense)
        yield row


def sentence_line(position: int, tokens: Sequence[str]) -> str:
    """Return a sentence as a line that :func:`read_split` reads."""
    length = len(tokens[position].split())
    place = str(position) if length == 1 else f"{position}:{position + length}"
    return f"{place}\t{' '.join(tokens)}"


def join_tokens(tokens: tuple[str, ...], start: int, end: int) -> tuple[str, ...]:
    """Join the tokens from ``start`` to before ``end`` into one token.

    Raises
    ------
    ValueError
        If there are no tokens between them, or the sentence is shorter.

    >>> join_tokens(("to", "New", "York"), 1, 3)
    ('to', 'New York')
    """
    problem = f"the focal word's tokens {start}:{end}"
    if end <= start:
        raise ValueError(f"{problem}: the end, the token after the last, is not after the start")
    if end > len(tokens):
        raise ValueError(
            f"{problem}: the sentence has {len(tokens)} tokens, so the end is too large"
        )
    if end == start + 1:
        return tokens
    return (*tokens[:start], sys.intern(" ".join(tokens[start:end])), *tokens[end:])


def _parse_sentence(line: str) -> tuple[int, tuple[str, ...]]:
    number, tab, sentence = line.partition("\t")
    if not tab or "\t" in sentence:
        raise ValueError(f"{'no' if not tab else 'more than one'} tab in the line")
    if not (place := PLACE.fullmatch(number)):
        raise ValueError(f"the position {number[:40]!r} is not a number from 0 up")
    # Any white space separates tokens, as in the authors' code. Three lines of CoarseWSD-20 have a
    # double space or a thin one, and their positions are right only if these separate tokens too.
    # Equal tokens are the same object, so that a large corpus fits into memory.
    tokens = tuple(map(sys.intern, sentence.split()))
    if not tokens:
        raise ValueError("the sentence is empty")
    position = int(place[1])
    if position >= len(tokens):
        length = f"{len(tokens)} tokens, so the last position is {len(tokens) - 1}"
        raise ValueError(f"position {position} is out of range: the sentence has {length}")
    return position, join_tokens(tokens, position, int(place[2])) if place[2] else tokens


def read_classes(path: Path) -> dict[str, str]:
    """Return the senses by class number, in the order of the numbers."""
    text = "\n".join(read_lines(path))
    fix = 'write a JSON object such as {"0": "crane_bird", "1": "crane_machine"}'
    with at_place(str(path), fix):
        pairs = parse_json(text, pairs=list)
        if not (isinstance(pairs, list) and pairs and all(map(_is_class, pairs))):
            raise ValueError("not a map from class numbers to sense names")
        for kind, values in zip(("class", "sense"), zip(*pairs, strict=True), strict=True):
            if twice := sorted(value for value in values if values.count(value) > 1):
                raise ValueError(f"the {kind} {twice[0]!r} is in the map twice")
    return dict(sorted(pairs, key=lambda pair: int(pair[0])))


def _is_class(pair: Any) -> bool:
    """Return whether this is a class number and a sense, without lone surrogates."""
    return (
        isinstance(pair, tuple)
        and re.fullmatch(r"0|[1-9][0-9]{0,8}", pair[0]) is not None
        and isinstance(pair[1], str)
        and bool(pair[1].strip())
        and pair[1].encode(errors="replace").decode() == pair[1]
    )
