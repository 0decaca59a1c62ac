"""Tables of uses, and sentences without senses, under damaged input."""

from pathlib import Path
from typing import Any

import numpy as np
from fuzz_target import BYTE_TOKENS, TABLE_TOKENS, Tables, Target, small_corpus
from import_targets import CSV, check_focal
from import_targets import TABLES as TABLE_KINDS

from wsd.artifacts import neighbour_table
from wsd.corpora.importer import labelled_tables
from wsd.corpora.importer.table_cells import Options
from wsd.errors import visible
from wsd.metrics import nearest
from wsd.studies.unlabelled import import_unlabelled, use_table


def write_tables(folder: Path) -> dict[str, Path]:
    path, corpora = folder / "uses.parquet", {"crane": small_corpus()}
    points = np.arange(18, dtype=np.float32).reshape(9, 2)
    near = np.tile(np.array([1, 2, 3, 4, -1], dtype=np.int32), (9, 1))
    similar = np.tile(np.array([0.9, 0.8, 0.7, 0.6, np.nan], dtype=np.float32), (9, 1))
    halves = use_table.Partition("k-means", 2, 0.5, True, [[0], [1]], 0.25, {"ari": 0.5})
    labels = np.arange(9, dtype=np.int16)[:, None] % 2
    neighbours = neighbour_table.Neighbours(near, similar, 0.5)
    uses = {"crane": use_table.WordUses(points, neighbours, [halves], labels)}
    about = {"view": "focal", "layers": "1", "encoder": {"model": {"name": "tiny"}}}
    use_table.write_uses(path, corpora, uses, {**about, "seed": 1, "centre": None})
    return {"uses": path}


def check_uses(content: Any) -> None:
    for value in content[0].values():
        n = len(value.points)
        assert value.labels.shape == (n, len(value.partitions)) and value.near.rows.shape == (
            n,
            nearest.K,
        )
        for i, partition in enumerate(value.partitions):
            assert ((value.labels[:, i] >= 0) & (value.labels[:, i] < partition.k)).all()


def read_uses(path: Path) -> Any:
    return use_table.read_uses(path, {"crane": small_corpus()})


def run_unlabelled(data: bytes, at: Path) -> None:
    """The first byte says which kind of file, and whether columns and the word are named."""
    way = data[0] if data else 0
    path = at / f"u{(labelled_tables.TEXT, *TABLE_KINDS)[way % 4]}"
    path.write_bytes(data[1:])
    result = import_unlabelled.Uses()
    options = Options({"position": "x"} if way & 4 else {}, "crane" if way & 8 else None)
    import_unlabelled.read(path, options, result)
    n_uses = sum(map(len, result.rows.values()))
    options.bad_lines.settle(n_uses, skip=False)
    for word, rows in result.rows.items():
        assert word and visible(word) == word
        for row in rows.values():
            check_focal(row.position, row.tokens)


def unlabelled_seeds() -> list[bytes]:
    text = (
        b"the cranes flew, the Crane\n\nno such\na [[crane]]\na *crane*\nthe cranes flew, the crane"
    )
    table = b"word,sentence,start,end\ncrane,a crane,2,7\n"
    results = [
        text, b"a [[crane\n", b"a *crane*, a *crane*\n", b"a *b*\n", CSV,
        b"word,sentence\ncrane,a crane\n", table,
        b"sentence,x\na crane,1\n", b"lemma\ttext\ncrane\ta crane\n",
        b'{"sentence": "a crane"}\n', b'{"sentence": ["a", "crane"], "position": 1}\n', b"\n",
    ]  # fmt: skip
    # The first is valid: text, and the word is named.
    return [bytes([way]) + seed for seed in results for way in (8, *range(16))]


TABLES = Tables({"uses": (read_uses, check_uses)}, write_tables)
TOKENS = (b",", b"\t", b"\n", b'"', b"*", b"[[", b"]]", b"sentence", b"position", b"crane")
PARSERS = {
    "studies/unlabelled/use_table": ("read_uses",),
    "studies/unlabelled/import_unlabelled": ("*",),
}
TARGETS = [
    Target("uses", TABLES.damage_seeds, TABLES.run_damage, TABLE_TOKENS, 0.2),
    Target("uses-bytes", TABLES.byte_seeds, TABLES.run_bytes, BYTE_TOKENS, 0.1),
    Target("import-unlabelled", unlabelled_seeds, run_unlabelled, TOKENS, 1.0),
]
