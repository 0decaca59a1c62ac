"""Read pairs of sentences with a word, from all formats in which they come.

- ``NAME.data.txt`` of WiC (Pilehvar and Camacho-Collados, NAACL 2019): a line is ``word<TAB>part of
  speech<TAB>1-3<TAB>sentence<TAB>sentence``, with the token of the word in both sentences;
- XL-WiC (Raganato et al., EMNLP 2020): a ``.txt`` with ``word<TAB>part of speech``, the characters
  ``start``, ``end``, ``start``, ``end``, both sentences and the label;
- ``NAME.data`` of MCL-WiC (Martelli et al., SemEval-2021 task 2): JSON;
- a table (CSV, TSV, JSON) with two sentences, whose columns are recognised by their names;
- ``judgments.csv`` of a word usage graph, next to its ``uses.csv``: the median of the annotators;
- a JSON object of stories with the plausibility of a sense and an example sentence of this sense
  (SemEval-2026 task 5): story and example sentence are a pair.

``NAME.gold.txt`` and ``NAME.gold`` have the labels of the first formats.

The place of the word is given in columns or by a mark; otherwise it is found, and must be there
once. A column may name the form to find. A given place is believed; a place in a part of a word is
widened to the word.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from wsd.corpora.find_word import RULES, Sentence
from wsd.corpora.importer.gathered import labelled
from wsd.corpora.importer.labelled_tables import Cells, Options, cells_of, fitting_columns
from wsd.corpora.importer.table_files import (
    FIX_JSON,
    JSON,
    TEXT_TABLES,
    Row,
    beginning,
    header_line,
    open_table,
    read_table,
)
from wsd.errors import CorpusError
from wsd.logs import log
from wsd.storage import text_files
from wsd.storage.text_files import at_place, json_objects

DATA, MCL, JUDGMENTS, USES = ".data.txt", ".data", "judgments.csv", "uses.csv"
# The columns of formats without a header.
WIC = ("word", "pos", "position1", "position2", "sentence1", "sentence2")
XL_WIC = ("word", "pos", "start1", "end1", "start2", "end2", "sentence1", "sentence2", "label")
FIX_WIC = "write `word<TAB>part of speech<TAB>position-position<TAB>sentence<TAB>sentence`"
FIX_XL_WIC = "write the nine columns of XL-WiC"
_XL_WIC = re.compile(r"[^\t\n]*\t[^\t\n]*(?:\t[0-9]+){4}(?:\t[^\t\n]*){2,3}(?:\r?\n|\Z)")
STORY = ("homonym", "sentence", "example_sentence", "average")
_OBJECT_OF_OBJECTS = re.compile(r'\s*\{\s*"[^"\\]*"\s*:\s*\{')
ALL = "all"
PLACES = ("start", "end", "span", "position")
# The columns of a table by their usual names; of several fitting columns, the first name counts.
NAMES = {
    "word": ("word", "lemma", "target", "target_word", "homonym"),
    "pos": ("pos",),
    "form": ("form", "string"),
    "sentence1": ("sentence1", "sentence_1", "context1", "context_1", "text1"),
    "sentence2": ("sentence2", "sentence_2", "context2", "context_2", "text2"),
    **{f"{key}{n}": (f"{key}{n}", f"{key}_{n}") for n in (1, 2) for key in PLACES},
    "rating": ("rating", "judgment", "judgement", "mean_relatedness", "average", "mean", "score"),
    "label": ("label", "tag", "gold", "same"),
    "split": ("split", "set"),
}
LABELS = dict.fromkeys(("t", "true", "1", "same"), 1.0) | dict.fromkeys(
    ("f", "false", "0", "different"), 0.0
)
# The names of the splits in files and columns.
SPLIT_OF = {"train": "train", "training": "train", "test": "test"} | dict.fromkeys(
    ("dev", "valid", "val", "validation", "development"), "dev"
)
# Parts of speech of WiC and MCL-WiC, as the names of words have them; others in lower case.
PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


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


# A format of pairs: its name, and a function that yields the lines of a file. The function takes
# the path, Options, and the path of the labels or None.
Format = tuple[str, Callable[[Path, Options, Path | None], Iterator[Row]]]


def is_pairs(path: Path) -> bool:
    """Return whether a file has pairs, by its name, or by the beginning of its content."""
    return _format_of(path) is not None


def _format_of(path: Path) -> Format | None:
    name, suffix = path.name.lower(), path.suffix.lower()
    if name.endswith(DATA):
        return ("lines of WiC", partial(_headerless, WIC, FIX_WIC))
    if name.endswith(MCL):
        return ("JSON of MCL-WiC", _mcl)
    if name == JUDGMENTS:
        is_graph = (path.parent / USES).is_file()
        return ("judgments of a word usage graph", _judgments) if is_graph else None
    text = beginning(path) if suffix in (".txt", *TEXT_TABLES) else ""
    if suffix == ".txt":
        lines = partial(_headerless, XL_WIC, FIX_XL_WIC)
        return ("lines of XL-WiC", lines) if _XL_WIC.match(text) else None
    is_json = suffix in JSON
    if is_json and _OBJECT_OF_OBJECTS.match(text) and all(f'"{key}"' in text for key in STORY):
        return ("JSON of stories", _stories)
    in_json = re.findall(r'"([^"\\]+)"\s*:', text)
    keys = in_json if is_json else re.split("[\t;,]", header_line(text))
    names = {key.strip(' "').strip().lower() for key in keys}
    has_both = all(names & {*NAMES[key]} for key in ("sentence1", "sentence2"))
    return ("a table", _table) if has_both else None


def gold_of(path: Path) -> Path:
    """Return the default path of the labels of a file of pairs."""
    stem = re.sub(r"data(\.txt)?$", "", path.name, flags=re.IGNORECASE)
    return path.with_name(stem + path.name[len(stem) :].lower().replace("data", "gold"))


def split_of(path: Path) -> str:
    """Return the split that a file's name contains, or ``"all"``.

    >>> split_of(Path("train.data.txt")), split_of(Path("dev.en-en.data")), split_of(Path("a.csv"))
    ('train', 'dev', 'all')
    """
    parts = re.split(r"[._-]", path.name.lower())
    return next((SPLIT_OF[part] for part in parts if part in SPLIT_OF), ALL)


def read(path: Path, options: Options, gold: Path | None = None) -> list[Pair]:
    """Return the pairs of a file, in its order.

    Parameters
    ----------
    path : Path
    options : Options
        Its ``columns`` have keys of ``NAMES``.
    gold : Path, optional
        The labels, if they are not next to the file. Test pairs may lack them.

    Raises
    ------
    CorpusError
        Naming file and line, for a file that cannot be read. Errors about single lines are
        collected in ``options.bad_lines``.
    """
    # If the user names the columns, any file is a table of pairs.
    name, lines = _format_of(path) or ("a table", _table)
    usual = gold_of(path)
    if gold is None and usual != path and (split_of(path) != "test" or usual.exists()):
        gold = usual
    pairs: list[Pair] = []
    find = partial(find_columns, options=options)
    for cells in cells_of(lines(path, options, gold), options, find):
        with options.bad_lines.line():
            pairs.append(_parse(cells, split_of(path)))
    if not pairs and not options.bad_lines.errors:
        fix = "write a pair in each line"
        raise CorpusError("the file has no pair", where=str(path), fix=fix)
    log.info(f"{path}: {name}, {len(pairs):,} pairs of sentences")
    return pairs


def find_columns(header: Iterable[str], options: Options, where: str) -> dict[str, str]:
    """Return the column of each key of ``NAMES`` that a table has.

    A table with ratings and labels is one of ratings, unless the user names the label alone.

    Parameters
    ----------
    header : iterable of str
        The names of the columns.
    options : Options
        With the columns that the user names.
    where : str
        File and line of the names.

    Raises
    ------
    CorpusError
        If the table lacks a sentence, the word, or a column that the user names.
    """
    fitting = fitting_columns(header, NAMES, options.columns, where)
    known = {key: names[0] for key, names in fitting.items() if names}
    if {"label", "rating"} <= known.keys():
        given = options.columns.keys() & {"label", "rating"}
        del known["rating" if given == {"label"} else "label"]
    needed = ("sentence1", "sentence2", *(() if options.word else ("word",)))
    if missing := [key for key in needed if key not in known]:
        problem = f"no column for the {' and the '.join(missing)} among {', '.join(header)}"
        fix = "; ".join(f"call it {NAMES[key][0]}, or add --columns {key}=NAME" for key in missing)
        raise CorpusError(problem, where=where, fix=fix)
    return known


def _parse(cells: Cells, split: str) -> Pair:
    word = (cells.text("word") if cells.has("word") else cells.options.word or "").strip()
    if part := cells.text("pos", "").strip().lower():
        word = f"{word}.{PARTS.get(part, part)}"
    sentences = _sentence(cells, word, 1), _sentence(cells, word, 2)
    is_graded, gold = cells.has("rating"), math.nan
    if cells.has("rating", "label"):
        value = cells.values[cells.column_of["rating" if is_graded else "label"]]
        text = "" if value is None else str(value).strip()
        if text and is_graded:
            with at_place(cells.where, "write a number"):
                gold = float(text)
                if math.isinf(gold):
                    raise ValueError(f"{text!r} is no rating")
        elif text:
            gold = LABELS[_checked(text, cells.where)]
    if named := cells.text("split", "").strip().lower():
        if named not in SPLIT_OF:
            fix = "write train, dev or test"
            raise CorpusError(f"unknown split {named!r}", where=cells.where, fix=fix)
        split = SPLIT_OF[named]
    return Pair(word, sentences, gold, is_graded, split, cells.where, cells.extra)


def _checked(label: str, where: str) -> str:
    """Return a label in lower case; refuse a text that is no label, but not an empty one."""
    if label and label.lower() not in LABELS:
        fix = "write T or F; for ratings, add --columns rating=NAME"
        raise CorpusError(f"{label!r} is no label", where=where, fix=fix)
    return label.lower()


def _sentence(cells: Cells, word: str, number: int) -> Sentence:
    """Return a sentence of the pair: its word is given, marked, or found once."""
    columns = {
        key: cells.column_of[f"{key}{number}"]
        for key in ("sentence", *PLACES)
        if cells.has(f"{key}{number}")
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


def _headerless(
    names: tuple[str, ...], fix: str, path: Path, options: Options, gold: Path | None
) -> Iterator[Row]:
    """Yield the lines of a table without a header, with the labels of another file."""
    lines = [*text_files.numbered_lines(path, options.encoding)]
    lines = lines if lines[-1][1] else lines[:-1]
    labels = [text.removeprefix("\ufeff") for text in text_files.read_lines(gold)] if gold else []
    if gold and len(lines) != len(labels):
        problem = f"{len(lines)} pairs but {len(labels)} labels"
        where = f"{gold}:{min(len(lines), len(labels)) + 1}"
        raise CorpusError(problem, where=where, fix="give one label per pair, T or F")
    for number, (where, text) in enumerate(lines):
        with options.bad_lines.line():
            cells = text.split("\t")
            if names == WIC:
                cells[2:3] = cells[2].split("-") if len(cells) > 2 else []
            if len(cells) not in (len(names), len(names) - (names == XL_WIC)):
                problem = "the columns are not those of the format"
                raise CorpusError(problem, where=where, fix=fix)
            values = dict(zip(names, cells, strict=False))
            if gold:
                values["label"] = _checked(labels[number] or "nothing", f"{gold}:{number + 1}")
            yield where, values, where


def _mcl(path: Path, options: Options, gold: Path | None) -> Iterator[Row]:
    """Yield the pairs of MCL-WiC; labels belong to pairs by identifier."""

    def identifier(values: Mapping[str, Any]) -> str:
        # Some identifiers of MCL-WiC begin with a byte order mark.
        return str(values.get("id", "")).removeprefix("\ufeff")

    tags = json_objects(gold, FIX_JSON) if gold else ()
    tag_of = {identifier(values): (at, str(values.get("tag", ""))) for at, values in tags}
    guard = options.bad_lines.line
    for where, values in json_objects(path, FIX_JSON, options.encoding, guard):
        with guard():
            values |= {"id": identifier(values)}
            if gold:
                if values["id"] not in tag_of:
                    problem = f"no label for the identifier {values['id']!r}"
                    raise CorpusError(problem, where=where, fix="add it to the file of labels")
                at, tag = tag_of[values["id"]]
                values["tag"] = _checked(tag, at)
            yield where, values, where


def _judgments(path: Path, options: Options, _gold: Path | None) -> Iterator[Row]:
    """Yield a line per judged pair of uses; a pair without a decision has no rating."""
    needed = ("lemma", "identifier", "context", "indexes_target_token")
    rows = read_table(path.parent / USES, needed, options.encoding)
    uses = {cells["identifier"]: cells for _, cells in rows}
    judged: dict[tuple[str, str], tuple[str, list[float]]] = {}
    columns, guard = ("identifier1", "identifier2", "judgment"), options.bad_lines.line
    for where, cells in read_table(path, columns, options.encoding, guard):
        with guard(), at_place(where, "write a number"):
            first, second = sorted((cells["identifier1"], cells["identifier2"]))
            if unknown := {first, second} - uses.keys():
                problem = f"a judgment of {min(unknown)!r}, which is no use in {USES}"
                raise CorpusError(problem, where=where, fix="add the use, or delete the line")
            text = cells["judgment"].strip()
            judgment = 0.0 if text in ("", "-") else float(text)
            _, decided = judged.setdefault((first, second), (where, []))
            # An annotator who cannot decide judges 0.
            decided += [judgment] if judgment else []
    for pair, (where, decided) in judged.items():
        values: dict[str, Any] = {"word": uses[pair[0]]["lemma"]}
        for number, use in enumerate((uses[name] for name in pair), start=1):
            values[f"sentence{number}"] = use["context"]
            values[f"span{number}"] = use["indexes_target_token"]
            kept = ("identifier", "grouping", "date")
            values |= {f"{name}{number}": use[name] for name in kept if name in use}
        values |= {"rating": median(decided) if decided else "", "judgments": len(decided)}
        yield where, values, where


def _stories(path: Path, options: Options, _: Path | None) -> Iterator[Row]:
    """Yield a line per story, whose word is the only one in its ambiguous sentence."""
    fix = "give an object of stories, each with the keys of SemEval-2026 task 5"
    with at_place(str(path), fix):
        stories = text_files.parse_json(text_files.decode_file(path, options.encoding)[0])
    for key, story in stories.items():
        where = f"{path}, story {key}"
        with options.bad_lines.line(), at_place(where, fix):
            if missing := [name for name in STORY if name not in story]:
                raise ValueError(f"no {' and no '.join(missing)}")
            values = {"id": key, **story}
            parts = [str(values.pop(k, "") or "") for k in ("precontext", "sentence", "ending")]
            uses = RULES.finder(str(story["homonym"])).find(parts[1])
            if len(uses) != 1:
                raise ValueError(f"{len(uses)} forms of {story['homonym']!r} in the sentence")
            start = len(parts[0]) + bool(parts[0])
            values["sentence1"] = " ".join(filter(None, parts))
            values["start1"], values["end1"] = start + uses[0].start, start + uses[0].end
            values["sentence2"] = values.pop("example_sentence")
            yield where, values, where


def _table(path: Path, options: Options, _: Path | None) -> Iterator[Row]:
    """Yield the lines of a table, or the objects of JSON."""
    description, rows = open_table(path, options.encoding, options.bad_lines.line)
    if path.suffix.lower() not in JSON:
        log.info(f"{path}: {description}")
    yield from rows
