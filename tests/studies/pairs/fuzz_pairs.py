"""The pairs of Word-in-Context files under damaged input."""

from pathlib import Path

import import_targets
from fuzz_target import Target
from mutate import SEPARATOR

from wsd.corpora.importer import wic
from wsd.studies.pairs import import_pairs


def run_pairs(data: bytes, at: Path) -> None:
    pairs, _, gold = data.partition(SEPARATOR)
    path = at / "a.data.txt"
    path.write_bytes(pairs)
    (at / "a.gold.txt").write_bytes(gold)
    for pair in import_pairs.checked(wic.labelled_pairs(path, wic.gold_of(path))):
        for position, tokens in (pair.first, pair.second):
            assert tokens[position].split() == [tokens[position]]


TOKENS = (b"\t", b"\n", b"-", b"N", b"V", b"T", b"F", b"0", b"crane")
PARSERS = {
    "studies/pairs/import_pairs": ("checked",),
}
TARGETS = [Target("import-pairs", import_targets.wic_seeds, run_pairs, TOKENS, 1.0)]
