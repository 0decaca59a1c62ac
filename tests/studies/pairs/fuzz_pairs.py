"""The pairs of Word-in-Context files under damaged input."""

from pathlib import Path

from fuzz_target import Target
from mutate import SEPARATOR

from wsd.corpora.importer.labelled_tables import Options
from wsd.studies.pairs import pair_reader


def run_pairs(data: bytes, at: Path) -> None:
    pairs, _, gold = data.partition(SEPARATOR)
    (at / "a.data.txt").write_bytes(pairs)
    (at / "a.gold.txt").write_bytes(gold)
    for pair in pair_reader.read(at / "a.data.txt", Options()):
        for position, tokens, _ in pair.sentences:
            assert tokens[position].split() == [tokens[position]]


def wic_seeds() -> list[bytes]:
    first = b"crane\tN\t1-0\tthe crane flew\tcrane of steel\n"
    lines = first + b"crane\tN\t1-1\tthe crane flew\ta crane sang\n"
    # Labels of pairs that share sentences.
    joined = ((1, 2), (2, 3), (1, 3), (1, 4), (2, 4))
    many = b"".join(b"crane\tN\t1-1\tx crane %d\tx crane %d\n" % pair for pair in joined)
    results = [(lines, b"F\nT\n"), (lines, b"T\nT\n"), (lines, b"F\n"), (lines, b"F\nT")]
    results += [(many, b"T\nT\nF\nF\nF\n"), (many, b"F\nF\nF\nF\nF\n")]
    wrong = ((b"N\t1-0", b"X\t1-0"), (b"\t1-0", b"\t1"), (b"1-0", b"1-9"), (b"crane\tN", b" \tN"))
    results += [(lines.replace(*change), b"F\nT\n") for change in wrong]
    return [text + SEPARATOR + gold for text, gold in results]


TOKENS = (b"\t", b"\n", b"-", b"N", b"V", b"T", b"F", b"0", b"crane")
TARGETS = [Target("import-pairs", wic_seeds, run_pairs, TOKENS, 1.0)]
