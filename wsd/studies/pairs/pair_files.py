"""Read pairs of sentences with a word, from all formats in which they come.

- ``NAME.data.txt`` of WiC (Pilehvar and Camacho-Collados, NAACL 2019): a line is ``word<TAB>part of
  speech<TAB>1-3<TAB>sentence<TAB>sentence``, with the token of the word in both sentences;
- XL-WiC (Raganato et al., EMNLP 2020): a ``.txt`` with ``word<TAB>part of speech``, the characters
  ``start``, ``end``, ``start``, ``end``, both sentences and the label;
- ``NAME.data`` of MCL-WiC (Martelli et al., SemEval-2021 task 2): JSON;
- a table (CSV, TSV, JSON) with two sentences: :mod:`wsd.studies.pairs.pair_columns`. The place of
  the word is given in columns or by a mark; otherwise it is found, and must be there once. A
  column may name the form to find;
- ``judgments.csv`` of a word usage graph, next to its ``uses.csv``: the median of the annotators;
- a JSON object of stories with the plausibility of a sense and an example sentence of this sense
  (SemEval-2026 task 5): story and example sentence are a pair.

``NAME.gold.txt`` and ``NAME.gold`` have the labels of the first formats. The given place is
believed; a place in a part of a word is widened to the word.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from wsd.corpora.importer import labelled_tables
from wsd.corpora.importer.delimited_text import detect_table, header_line
from wsd.corpora.importer.focal_word import Sentence
from wsd.corpora.importer.labelled_sentence import labelled
from wsd.corpora.importer.table_cells import Cells, Options
from wsd.corpora.known_forms import RULES
from wsd.errors import CorpusError
from wsd.logs import log
from wsd.storage.text_files import (
    at_place,
    decode_file,
    is_array,
    json_objects,
    numbered_lines,
    parse_json,
    read_lines,
)
from wsd.studies.pairs.pair_columns import (
    NAMES,
    PLACES,
    SPLIT_OF,
    find_columns,
    has_pairs,
    name_of,
    parse_label,
)

DATA, MCL, JUDGMENTS, USES = ".data.txt", ".data", "judgments.csv", "uses.csv"
WIC = ("word", "pos", "positions", "sentence1", "sentence2")
XL_WIC = ("word", "pos", "start1", "end1", "start2", "end2", "sentence1", "sentence2", "label")
FIX = "write `word<TAB>part of speech<TAB>position-position<TAB>sentence<TAB>sentence`"
FIX_JSON = "write an array of objects, or one object per line"
ALL = "all"
# An annotator who cannot decide judges 0.
UNDECIDED, UNDECIDED_TEXTS = 0.0, ("", "-")


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


class _Line(NamedTuple):
    where: str
    values: dict[str, Any]
    header: str
    # File and line of the label, if another file has it.
    label_at: str = ""


def is_pairs(path: Path) -> bool:
    """Return whether a file has pairs, by its name, or by the beginning of its content."""
    name, suffix = path.name.lower(), path.suffix.lower()
    if name.endswith((DATA, MCL)):
        return True
    if not path.is_file() or suffix not in (".txt", *labelled_tables.KINDS):
        return False
    if name == JUDGMENTS:
        return (path.parent / USES).is_file()
    with path.open("rb") as file:
        raw = file.read(2**14)
    text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "ignore")
    if suffix == ".txt":
        cells = text.partition("\n")[0].split("\t")
        return len(cells) in (8, 9) and all(map(str.isdecimal, cells[2:6]))
    if suffix in labelled_tables.JSON:
        keys = set(re.findall(r'"([^"\\]+)"\s*:', text))
        return has_pairs(keys) or keys >= {"sentence", "example_sentence", "average"}
    return has_pairs(name.strip(' "') for name in re.split("[\t;,]", header_line(text)))


def gold_of(path: Path) -> Path:
    """Return the default path of the labels of a file of pairs."""
    stem, extension = path.name, ""
    if stem.lower().endswith(".txt"):
        stem, extension = stem[: -len(".txt")], ".txt"
    return path.parent / f"{re.sub('data$', 'gold', stem, flags=re.IGNORECASE)}{extension}"


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
        Its ``columns`` have keys of :data:`wsd.studies.pairs.pair_columns.NAMES`.
    gold : Path, optional
        The labels, if they are not next to the file. Test pairs may lack them.

    Raises
    ------
    CorpusError
        Naming file and line, for a file that cannot be read. Errors about single lines are
        collected in ``options.bad_lines``.
    """
    lines, description = _lines(path, options, gold)
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


def _lines(path: Path, options: Options, gold: Path | None) -> tuple[Iterator[_Line], str]:
    """Return the lines of a file, and what it was taken for."""
    name, suffix = path.name.lower(), path.suffix.lower()
    labels = gold or gold_of(path)
    has_labels = labels != path and (split_of(path) != "test" or gold or labels.exists())
    if name.endswith(DATA):
        return _with_labels(_wic(path, options), labels if has_labels else None), "lines of WiC"
    if name.endswith(MCL):
        tags = _tags(labels) if has_labels else {}
        return _mcl(path, tags, options), "JSON of MCL-WiC"
    if suffix == ".txt":
        return _xl_wic(path, options), "lines of XL-WiC"
    if name == JUDGMENTS:
        return _judgments(path, options), "judgments of a word usage graph"
    guard = options.bad_lines.line
    if suffix not in labelled_tables.JSON:
        table = detect_table(path, options.encoding)
        rows = (_Line(where, dict(cells), at) for where, cells, at in table.lines(guard=guard))
        return rows, table.description
    text, encoding = decode_file(path, options.encoding)
    with at_place(str(path), FIX_JSON):
        stories = {} if is_array(text) else _stories(text)
    if stories:
        return _plausibility(path, stories, options), f"JSON of stories, {encoding}"
    objects = json_objects(path, FIX_JSON, options.encoding, guard)
    return (_Line(where, values, where) for where, values in objects), f"JSON, {encoding}"


def _wic(path: Path, options: Options) -> Iterator[_Line | None]:
    """Yield the lines of WiC; None for a bad one, so that the labels still fit."""
    for where, text in _numbered(path, options):
        line = None
        with options.bad_lines.line(), at_place(where, FIX):
            cells = text.split("\t")
            if len(cells) != len(WIC):
                raise ValueError(f"{len(cells)} columns, not {len(WIC)}")
            values = dict(zip(WIC, cells, strict=True))
            positions = values.pop("positions")
            if not (numbers := re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", positions)):
                raise ValueError(f"the positions {positions!r} are not two numbers")
            places = {"position1": numbers[1], "position2": numbers[2]}
            line = _Line(where, {**values, **places}, where)
        yield line


def _numbered(path: Path, options: Options) -> Iterator[tuple[str, str]]:
    lines = list(numbered_lines(path, options.encoding))
    yield from lines if lines[-1][1] else lines[:-1]


def _with_labels(lines: Iterator[_Line | None], gold: Path | None) -> Iterator[_Line]:
    if gold is None:
        yield from filter(None, lines)
        return
    known = list(lines)
    labels = [text.removeprefix("\ufeff") for text in read_lines(gold)]
    if len(known) != len(labels):
        problem = f"{len(known)} pairs but {len(labels)} labels"
        fix = "give one label per pair, T or F"
        where = f"{gold}:{min(len(known), len(labels)) + 1}"
        raise CorpusError(problem, where=where, fix=fix)
    for number, (line, label) in enumerate(zip(known, labels, strict=True), start=1):
        if line is not None:
            values = {**line.values, "label": label or "nothing"}
            yield line._replace(values=values, label_at=f"{gold}:{number}")


def _xl_wic(path: Path, options: Options) -> Iterator[_Line]:
    for where, text in _numbered(path, options):
        with options.bad_lines.line(), at_place(where, "write the nine columns of XL-WiC"):
            cells = text.split("\t")
            if len(cells) not in (8, 9):
                raise ValueError(f"{len(cells)} columns, not 8 or 9")
            yield _Line(where, dict(zip(XL_WIC, cells, strict=False)), where)


def _tags(gold: Path) -> dict[str, tuple[str, str]]:
    """Return the place and the label of each identifier in MCL-WiC's labels."""
    objects = json_objects(gold, FIX_JSON)
    return {_identifier(values): (where, str(values.get("tag", ""))) for where, values in objects}


def _identifier(values: Mapping[str, Any]) -> str:
    # Some identifiers of MCL-WiC begin with a byte order mark.
    return str(values.get("id", "")).removeprefix("\ufeff")


def _mcl(path: Path, tags: Mapping[str, tuple[str, str]], options: Options) -> Iterator[_Line]:
    guard = options.bad_lines.line
    for where, values in json_objects(path, FIX_JSON, options.encoding, guard):
        with guard():
            line = _Line(where, {**values, "id": _identifier(values)}, where)
            if tags:
                if line.values["id"] not in tags:
                    problem = f"no label for the identifier {line.values['id']!r}"
                    raise CorpusError(problem, where=where, fix="add it to the file of labels")
                at, tag = tags[line.values["id"]]
                line = line._replace(values={**line.values, "tag": tag}, label_at=at)
            yield line


def _judgments(path: Path, options: Options) -> Iterator[_Line]:
    """Yield a line per judged pair of uses; a pair without a decision has no rating."""
    needed = ("lemma", "identifier", "context", "indexes_target_token")
    place = path.parent / USES
    uses = {
        line.cells["identifier"]: line.cells
        for line in detect_table(place, options.encoding).lines(needed)
    }
    judged: dict[tuple[str, str], list[float]] = defaultdict(list)
    places: dict[tuple[str, str], str] = {}
    columns = ("identifier1", "identifier2", "judgment")
    table = detect_table(path, options.encoding)
    for where, cells, _ in table.lines(columns, options.bad_lines.line):
        with options.bad_lines.line(), at_place(where, "write a number"):
            first, second = sorted((cells["identifier1"], cells["identifier2"]))
            for identifier in (first, second):
                if identifier not in uses:
                    problem = f"a judgment of {identifier!r}, which is no use in {USES}"
                    raise CorpusError(problem, where=where, fix="add the use, or delete the line")
            text = cells["judgment"].strip()
            judgment = UNDECIDED if text in UNDECIDED_TEXTS else float(text)
            places.setdefault((first, second), where)
            if judgment != UNDECIDED:
                judged[first, second].append(judgment)
    for pair, where in places.items():
        values: dict[str, Any] = {"word": uses[pair[0]]["lemma"]}
        for number, use in enumerate((uses[identifier] for identifier in pair), start=1):
            values[f"sentence{number}"] = use["context"]
            values[f"span{number}"] = use["indexes_target_token"]
            kept = ("identifier", "grouping", "date")
            values |= {f"{name}{number}": use[name] for name in kept if name in use}
        rating = median(judged[pair]) if judged[pair] else ""
        yield _Line(where, {**values, "rating": rating, "judgments": len(judged[pair])}, where)


def _stories(text: str) -> dict[str, Any]:
    """Return the stories of a JSON object of objects; {} for an object per line."""
    try:
        values = parse_json(text)
    except ValueError:
        return {}
    nested = isinstance(values, dict) and all(isinstance(item, dict) for item in values.values())
    return values if nested else {}


def _plausibility(
    path: Path, stories: Mapping[str, dict[str, Any]], options: Options
) -> Iterator[_Line]:
    """Yield a line per story, whose word is the only one in its ambiguous sentence."""
    for key, story in stories.items():
        where = f"{path}, story {key}"
        with options.bad_lines.line(), at_place(where, "give the keys of SemEval-2026 task 5"):
            missing = {"homonym", "sentence", "example_sentence", "average"} - story.keys()
            if missing:
                raise ValueError(f"no {' and no '.join(sorted(missing))}")
            values = {"id": key, **story}
            before, sentence, after = (
                str(values.pop(name, "") or "") for name in ("precontext", "sentence", "ending")
            )
            uses = RULES.finder(story["homonym"]).find(sentence)
            if len(uses) != 1:
                raise ValueError(f"{len(uses)} forms of {story['homonym']!r} in the sentence")
            start = len(before) + bool(before)
            values["sentence1"] = " ".join(filter(None, (before, sentence, after)))
            values["start1"], values["end1"] = start + uses[0].start, start + uses[0].end
            values["sentence2"] = values.pop("example_sentence")
            yield _Line(where, values, where)


def _columns(line: _Line, options: Options) -> dict[str, str]:
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
