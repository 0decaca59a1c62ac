"""Sentences without senses under damaged input."""

from pathlib import Path

from fuzz_target import Target
from import_targets import CSV, TABLES, check_focal

from wsd.corpora.importer.labelled_tables import TEXT, Options
from wsd.errors import visible
from wsd.studies.unlabelled import import_unlabelled


def run_unlabelled(data: bytes, at: Path) -> None:
    """The first byte says which kind of file, and whether columns and the word are named."""
    way = data[0] if data else 0
    path = at / f"u{(TEXT, *TABLES)[way % 4]}"
    path.write_bytes(data[1:])
    result = import_unlabelled.Uses()
    options = Options({"position": "x"} if way & 4 else {}, "crane" if way & 8 else None)
    import_unlabelled.read(path, options, result)
    options.bad_lines.settle(sum(map(len, result.rows.values())), skip=False)
    for word, rows in result.rows.items():
        assert word and visible(word) == word
        for row in rows.values():
            check_focal(row.position, row.tokens)


def unlabelled_seeds() -> list[bytes]:
    text = b"the cranes flew, the Crane\n\nno such\na [[crane]]\na *crane*\nthe cranes, the crane"
    results = [
        text, b"a [[crane\n", b"a *crane*, a *crane*\n", b"a *b*\n", CSV,
        b"word,sentence\ncrane,a crane\n", b"word,sentence,start,end\ncrane,a crane,2,7\n",
        b"sentence,x\na crane,1\n", b"lemma\ttext\ncrane\ta crane\n",
        b'{"sentence": "a crane"}\n', b'{"sentence": ["a", "crane"], "position": 1}\n', b"\n",
    ]  # fmt: skip
    # The first is valid: text, and the word is named.
    return [bytes([way]) + seed for seed in results for way in (8, *range(16))]


TOKENS = (b",", b"\t", b"\n", b'"', b"*", b"[[", b"]]", b"sentence", b"position", b"crane")
TARGETS = [Target("import-unlabelled", unlabelled_seeds, run_unlabelled, TOKENS, 1.0)]
