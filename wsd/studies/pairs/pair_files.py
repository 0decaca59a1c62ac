"""Read pairs of sentences with a word: parse the lines of :mod:`wsd.studies.pairs.pair_formats`.

The place of the word is given in columns or by a mark; otherwise it is found, and must be there
once. A column may name the form to find. A given place is believed; a place in a part of a word is
widened to the word.
"""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from wsd.corpora.importer.focal_word import Sentence
from wsd.corpora.importer.labelled_sentence import labelled
from wsd.corpora.importer.table_cells import Cells, Options
from wsd.errors import CorpusError
from wsd.logs import log
from wsd.storage.text_files import at_place
from wsd.studies.pairs.pair_columns import (
    NAMES,
    PLACES,
    SPLIT_OF,
    find_columns,
    name_of,
    parse_label,
)
from wsd.studies.pairs.pair_formats import Line, read_lines, split_of


class Pair(NamedTuple):
    """Two sentences with the same word.

    Attributes
    ----------
    word : str
        With its part of speech, if it is known: ``carry.v``.
    sentences : (Sentence, Sentence)
    gold : float
        1 if the word has the same sense in both, 0 if not; or a rating. NaN if it is unknown.
    is_graded : bool
        Whether ``gold`` is a rating.
    split : str
        ``"train"``, ``"dev"``, ``"test"``, or ``"all"`` if neither file nor line names one.
    where : str
        File and line.
    extra : mapping of str to str
        The columns that the import does not use.
    """

    word: str
    sentences: tuple[Sentence, Sentence]
    gold: float
    is_graded: bool
    split: str
    where: str
    extra: Mapping[str, str]


def read(path: Path, options: Options, gold: Path | None = None) -> list[Pair]:
    """Return the pairs of a file, in its order.

    Parameters
    ----------
    path : Path
    options : Options
        Its ``columns`` have keys of :data:`wsd.studies.pairs.pair_columns.NAMES`.
    gold : Path, optional
        The labels, if they are not next to the file. Test pairs may lack them.

    Raises
    ------
    CorpusError
        Naming file and line, for a file that cannot be read. Errors about single lines are
        collected in ``options.bad_lines``.
    """
    lines, description = read_lines(path, options, gold)
    pairs: list[Pair] = []
    columns: dict[tuple[str, ...], dict[str, str]] = {}
    for line in lines:
        # The objects of one file may have different keys.
        if tuple(line.values) not in columns:
            with options.bad_lines.line() if columns else nullcontext():
                columns[tuple(line.values)] = _columns(line, options)
        if column_of := columns.get(tuple(line.values)):
            cells = Cells(line.where, line.values, column_of, line.header, options)
            with options.bad_lines.line():
                pairs.append(_parse(cells, line.label_at, split_of(path)))
    if not pairs and options.bad_lines.is_empty:
        fix = "write a pair in each line"
        raise CorpusError("the file has no pair", where=str(path), fix=fix)
    log.info(f"{path}: {description}, {len(pairs):,} pairs of sentences")
    return pairs


def _columns(line: Line, options: Options) -> dict[str, str]:
    """Return the column of each key; refuse a table that lacks a sentence or the word."""
    column_of = find_columns(line.values, options.columns, line.header)
    missing = [key for key in ("sentence1", "sentence2") if key not in column_of]
    if "word" not in column_of and options.word is None:
        missing.append("word")
    if missing:
        problem = f"no column for the {' and the '.join(missing)} among {', '.join(line.values)}"
        fix = "; ".join(f"call it {NAMES[key][0]}, or add --columns {key}=NAME" for key in missing)
        raise CorpusError(problem, where=line.header, fix=fix)
    return column_of


def _parse(cells: Cells, label_at: str, split: str) -> Pair:
    lemma = cells.text("word") if cells.has("word") else cells.options.word or ""
    word = name_of(lemma.strip(), cells.text("pos", ""))
    first, second = (_sentence(cells, word, number) for number in (1, 2))
    key = "rating" if cells.has("rating") else "label"
    gold = float("nan")
    if cells.has(key):
        fix = "write T or F; for ratings, add --columns rating=NAME"
        with at_place(label_at or cells.where, "write a number" if key == "rating" else fix):
            gold = parse_label(cells.values[cells.column_of[key]], key)
    if named := cells.text("split", "").strip().lower():
        if named not in SPLIT_OF:
            fix = "write train, dev or test"
            raise CorpusError(f"unknown split {named!r}", where=cells.where, fix=fix)
        split = SPLIT_OF[named]
    return Pair(word, (first, second), gold, key == "rating", split, cells.where, cells.extra)


def _sentence(cells: Cells, word: str, number: int) -> Sentence:
    """Return a sentence of the pair: its word is given, marked, or found once."""
    columns = {"sentence": cells.column_of[f"sentence{number}"]} | {
        key: cells.column_of[f"{key}{number}"] for key in PLACES if cells.has(f"{key}{number}")
    }
    if ("start" in columns) != ("end" in columns):
        problem = f"the place in sentence {number} is incomplete"
        raise CorpusError(problem, where=cells.header, fix="give start and end")
    form = cells.text("form", word)
    options = replace(cells.options, word=form, find=True, one_span=True, widen=True)
    _, sentences = replace(cells, column_of=columns, options=options).uses()
    if len(sentences) != 1:
        problem = f"{len(sentences) or 'no'} forms of {form!r} in sentence {number}"
        fix = f"mark the word, as [[{word}]], or give start{number} and end{number}"
        raise CorpusError(problem, where=cells.where, fix=fix)
    # Refuses invisible characters and invalid Unicode.
    labelled(cells.where, word, word, sentences[0])
    return sentences[0]
