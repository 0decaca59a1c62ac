"""Read the lines of files with pairs of sentences, from all formats in which they come.

- ``NAME.data.txt`` of WiC (Pilehvar and Camacho-Collados, NAACL 2019): a line is ``word<TAB>part of
  speech<TAB>1-3<TAB>sentence<TAB>sentence``, with the token of the word in both sentences;
- XL-WiC (Raganato et al., EMNLP 2020): a ``.txt`` with ``word<TAB>part of speech``, the characters
  ``start``, ``end``, ``start``, ``end``, both sentences and the label;
- ``NAME.data`` of MCL-WiC (Martelli et al., SemEval-2021 task 2): JSON;
- a table (CSV, TSV, JSON) with two sentences: :mod:`wsd.studies.pairs.pair_columns`;
- ``judgments.csv`` of a word usage graph, next to its ``uses.csv``: the median of the annotators;
- a JSON object of stories with the plausibility of a sense and an example sentence of this sense
  (SemEval-2026 task 5): story and example sentence are a pair.

``NAME.gold.txt`` and ``NAME.gold`` have the labels of the first formats.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from wsd.corpora.importer import labelled_tables
from wsd.corpora.importer.delimited_text import detect_table, header_line
from wsd.corpora.importer.table_cells import Options
from wsd.corpora.known_forms import RULES
from wsd.errors import CorpusError
from wsd.storage import text_files
from wsd.storage.text_files import at_place, decode_file, json_objects
from wsd.studies.pairs.pair_columns import SPLIT_OF, has_pairs

DATA, MCL, JUDGMENTS, USES = ".data.txt", ".data", "judgments.csv", "uses.csv"
WIC = ("word", "pos", "positions", "sentence1", "sentence2")
XL_WIC = ("word", "pos", "start1", "end1", "start2", "end2", "sentence1", "sentence2", "label")
FIX = "write `word<TAB>part of speech<TAB>position-position<TAB>sentence<TAB>sentence`"
FIX_JSON = "write an array of objects, or one object per line"
ALL = "all"
# An annotator who cannot decide judges 0.
UNDECIDED, UNDECIDED_TEXTS = 0.0, ("", "-")


class Line(NamedTuple):
    """The values of a line by column, and where the line and the names of the columns are."""

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


def read_lines(path: Path, options: Options, gold: Path | None) -> tuple[Iterator[Line], str]:
    """Return the lines of a file, and what it was taken for."""
    name, suffix = path.name.lower(), path.suffix.lower()
    labels = gold or gold_of(path)
    has_labels = labels != path and (split_of(path) != "test" or gold or labels.exists())
    if name.endswith(DATA):
        lines = _headerless(path, options, WIC, (5,), FIX)
        return _with_labels(lines, labels if has_labels else None), "lines of WiC"
    if name.endswith(MCL):
        tags = _tags(labels) if has_labels else {}
        return _mcl(path, tags, options), "JSON of MCL-WiC"
    if suffix == ".txt":
        lines = _headerless(path, options, XL_WIC, (8, 9), "write the nine columns of XL-WiC")
        return filter(None, lines), "lines of XL-WiC"
    if name == JUDGMENTS:
        return _judgments(path, options), "judgments of a word usage graph"
    guard = options.bad_lines.line
    if suffix not in labelled_tables.JSON:
        table = detect_table(path, options.encoding)
        rows = (Line(where, dict(cells), at) for where, cells, at in table.lines(guard=guard))
        return rows, table.description
    text, encoding = decode_file(path, options.encoding)
    with at_place(str(path), FIX_JSON):
        stories = {} if text_files.is_array(text) else _stories(text)
    if stories:
        return _plausibility(path, stories, options), f"JSON of stories, {encoding}"
    objects = json_objects(path, FIX_JSON, options.encoding, guard)
    return (Line(where, values, where) for where, values in objects), f"JSON, {encoding}"


def _headerless(
    path: Path, options: Options, columns: Sequence[str], lengths: Sequence[int], fix: str
) -> Iterator[Line | None]:
    """Yield the lines of a table without a header; None for a bad one, so that labels still fit."""
    lines = list(text_files.numbered_lines(path, options.encoding))
    for where, text in lines if lines[-1][1] else lines[:-1]:
        line = None
        with options.bad_lines.line(), at_place(where, fix):
            cells = text.split("\t")
            if len(cells) not in lengths:
                raise ValueError(f"{len(cells)} columns, not {' or '.join(map(str, lengths))}")
            values = dict(zip(columns, cells, strict=False))
            if "positions" in values:
                positions = values.pop("positions")
                if not (numbers := re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", positions)):
                    raise ValueError(f"the positions {positions!r} are not two numbers")
                values |= {"position1": numbers[1], "position2": numbers[2]}
            line = Line(where, values, where)
        yield line


def _with_labels(lines: Iterator[Line | None], gold: Path | None) -> Iterator[Line]:
    if gold is None:
        yield from filter(None, lines)
        return
    known = list(lines)
    labels = [text.removeprefix("\ufeff") for text in text_files.read_lines(gold)]
    if len(known) != len(labels):
        problem = f"{len(known)} pairs but {len(labels)} labels"
        fix = "give one label per pair, T or F"
        where = f"{gold}:{min(len(known), len(labels)) + 1}"
        raise CorpusError(problem, where=where, fix=fix)
    for number, (line, label) in enumerate(zip(known, labels, strict=True), start=1):
        if line is not None:
            values = {**line.values, "label": label or "nothing"}
            yield line._replace(values=values, label_at=f"{gold}:{number}")


def _tags(gold: Path) -> dict[str, tuple[str, str]]:
    """Return the place and the label of each identifier in MCL-WiC's labels."""
    objects = json_objects(gold, FIX_JSON)
    return {_identifier(values): (where, str(values.get("tag", ""))) for where, values in objects}


def _identifier(values: Mapping[str, Any]) -> str:
    # Some identifiers of MCL-WiC begin with a byte order mark.
    return str(values.get("id", "")).removeprefix("\ufeff")


def _mcl(path: Path, tags: Mapping[str, tuple[str, str]], options: Options) -> Iterator[Line]:
    guard = options.bad_lines.line
    for where, values in json_objects(path, FIX_JSON, options.encoding, guard):
        with guard():
            line = Line(where, {**values, "id": _identifier(values)}, where)
            if tags:
                if line.values["id"] not in tags:
                    problem = f"no label for the identifier {line.values['id']!r}"
                    raise CorpusError(problem, where=where, fix="add it to the file of labels")
                at, tag = tags[line.values["id"]]
                line = line._replace(values={**line.values, "tag": tag}, label_at=at)
            yield line


def _judgments(path: Path, options: Options) -> Iterator[Line]:
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
        yield Line(where, {**values, "rating": rating, "judgments": len(judged[pair])}, where)


def _stories(text: str) -> dict[str, Any]:
    """Return the stories of a JSON object of objects; {} for an object per line."""
    try:
        values = text_files.parse_json(text)
    except ValueError:
        return {}
    nested = isinstance(values, dict) and all(isinstance(item, dict) for item in values.values())
    return values if nested else {}


def _plausibility(
    path: Path, stories: Mapping[str, dict[str, Any]], options: Options
) -> Iterator[Line]:
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
            yield Line(where, values, where)
