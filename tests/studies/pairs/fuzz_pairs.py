"""The pairs of Word-in-Context files under damaged input."""

from pathlib import Path

from fuzz_target import Target
from mutate import SEPARATOR

from wsd.corpora.importer.labelled_tables import Options
from wsd.studies.pairs import pair_reader


def put(data: bytes, at: Path) -> Path:
    pairs, _, gold = data.partition(SEPARATOR)
    (at / "a.data.txt").write_bytes(pairs)
    (at / "a.gold.txt").write_bytes(gold)
    return at / "a.data.txt"


def run_pairs(data: bytes, at: Path) -> None:
    path = put(data, at)
    for pair in pair_reader.read(path, Options()):
        for position, tokens, _ in pair.sentences:
            assert tokens[position].split() == [tokens[position]]


def wic_seeds() -> list[bytes]:
    lines = (
        b"crane\tN\t1-0\tthe crane flew\tcrane of steel\n"
        b"crane\tN\t1-1\tthe crane flew\ta crane sang\n"
    )
    a, b, c, d = b"1\tx crane 1", b"1\ty crane 2", b"1\tz crane 3", b"1\tv crane 4"
    pairs = [(a, b), (b, c), (a, c), (a, d), (b, d)]
    many = b"".join(
        b"crane\tN\t1-1\t" + first[2:] + b"\t" + second[2:] + b"\n" for first, second in pairs
    )
    wrong = [lines.replace(b"N\t1-0", text) for text in (b"X\t1-0", b"N\t1", b"N\t1-9")]
    results = [(lines, b"F\nT\n"), (lines, b"T\nT\n"), (lines, b"F\n"), (lines, b"F\nT")]
    results += [(many, b"T\nT\nF\nF\nF\n"), (many, b"F\nF\nF\nF\nF\n")]
    results += [(text, b"F\nT\n") for text in (*wrong, lines.replace(b"crane\tN", b" \tN"))]
    return [text + SEPARATOR + gold for text, gold in results]


TOKENS = (b"\t", b"\n", b"-", b"N", b"V", b"T", b"F", b"0", b"crane")
TARGETS = [Target("import-pairs", wic_seeds, run_pairs, TOKENS, 1.0)]
