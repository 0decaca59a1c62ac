"""The readers of `wsd import` as targets: tables and XML."""

import json
from pathlib import Path

from mutate import SEPARATOR

from wsd.corpora.importer import labelled_tables, xml_formats
from wsd.corpora.importer.gathered import ALL_SPLITS, Gathered
from wsd.corpora.importer.labelled_tables import Options
from wsd.errors import visible

TABLES = (".csv", ".tsv", ".jsonl")
TEXT = ("classes_map.txt", "train.data.txt", "train.gold.txt", "test.data.txt", "test.gold.txt")
CSV = (
    b"word,sense,split,sentence\ncrane,bird,train,the *crane* flew\n"
    b'crane,machine,test,"a [[crane]], of *steel*"\n'
)
XML = b"""<?xml version="1.0"?><corpus><text id="d0"><sentence id="d0.s0">
<wf lemma="the" pos="DET">the</wf><instance id="d0.s0.t0" lemma="crane" pos="NOUN">crane</instance>
<instance id="d0.s0.t1" lemma="fly" pos="VERB">flew off</instance></sentence></text></corpus>"""


def check_focal(position: int, tokens: tuple[str, ...]) -> None:
    assert 0 <= position < len(tokens)
    # Tokens of a focal word are separated by single spaces.
    assert tokens[position] == " ".join(tokens[position].split())
    others = (*tokens[:position], *tokens[position + 1 :])
    assert all(token.split() == [token] for token in others)


def check_gathered(gathered: Gathered) -> None:
    for row in gathered.rows:
        assert row.word and row.sense and row.where
        assert row.split in ("", *ALL_SPLITS)
        assert visible(row.word) == row.word and visible(row.sense) == row.sense
        assert all(isinstance(text, str) for text in row.extra.values())
        check_focal(row.position, row.tokens)
    assert all(count >= 0 for count in gathered.left_out.values())


def run_table(data: bytes, at: Path) -> None:
    """The first byte chooses the kind of table, and whether columns and the word are named."""
    way = data[0] if data else 0
    path = at / f"t{TABLES[way % 3]}"
    path.write_bytes(data[1:])
    columns = {"sense": "x"} if way & 4 else {}
    options = Options(columns, "crane" if way & 8 else None, find=bool(way & 16))
    gathered = labelled_tables.read(path, options)
    check_gathered(gathered)
    options.bad_lines.settle(len(gathered.rows), skip=bool(way & 32))


def table_seeds() -> list[bytes]:
    rows = [
        {"sense": "bird", "text": "the *crane* flew"},
        {"x": "y", "tokens": ["a", "crane"], "sentence": ["a", "crane"], "position": 1},
        {"sense": "s", "sentence": "a crane", "start": 2, "end": 7, "word": "crane"},
        {"sense": "s", "sentence": "a crane", "indexes_target_token": "2:7", "word": "crane"},
        {"sense": "s", "sentence": "the [[U.S.]] won"},
        {"sense": "s", "sentence": "a <b>crane</b> by [T]it[/T]", "word": "crane"},
        {"sense": "s", "sentence": "a crane, a crane", "indexes_target_token": "2:7,11-16"},
        {"sense": "s", "left": "a", "keyword": "crane", "right": "flew", "word": "crane"},
    ]
    head = b"word,sense,position,sentence\ncrane,1,1,a crane\ncrane,1,0:2,a crane\n"
    quoted = b'sense\tsentence\ns\t"a ""*b*"""\n'
    of_csv = [CSV, b"\xef\xbb\xbf" + CSV, head, CSV.replace(b",", b";")]
    of_tsv = [CSV.replace(b'"', b"").replace(b",", b"\t"), quoted, quoted + b't\ta "*b*"\n']
    of_jsonl = [json.dumps(row).encode() for row in rows]
    return [
        bytes([way]) + seed
        for way in (*range(12), *range(48, 51))
        for seed in (of_csv, of_tsv, of_jsonl)[way % 3]
    ]


def run_xml(data: bytes, at: Path) -> None:
    text, _, gold = data.partition(SEPARATOR)
    (at / "a.data.xml").write_bytes(text)
    (at / "a.gold.key.txt").unlink(missing_ok=True)
    if gold:
        (at / "a.gold.key.txt").write_bytes(gold)
    check_gathered(xml_formats.read_all_words(at / "a.data.xml", None))


def xml_seeds() -> list[bytes]:
    gold = b"d0.s0.t0 crane%1:05:00::\nd0.s0.t1 fly%2:38:00:: fly%2:38:01::\n"
    declared = XML.replace(b"?>", b'?><!DOCTYPE a [<!ENTITY b "c">]>', 1)
    return [text + SEPARATOR + gold for text in (XML, declared)]
