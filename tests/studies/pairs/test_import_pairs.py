"""WiC's files as a corpus of pairs: its content, and errors with file and line."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from importing import import_corpus

from wsd.artifacts.dataset import MANIFEST
from wsd.errors import ResultError, WsdError
from wsd.studies.pairs.pair_tables import PAIRS_FILE, Pairs, read_pairs

TRAIN = (
    "carry\tV\t1-1\tThey carried water .\tShe carries weight .\n"
    "carry\tV\t1-1\tThey carried water .\tSounds carry far .\n"
    "mint\tN\t2-0\tfresh green mint\tmint of coins\n"
)
FILES = {
    "train.data.txt": TRAIN,
    "train.gold.txt": "F\nT\nF\n",
    "dev.data.txt": "mint\tN\t1-1\tThe mint closed\tA mint grew\n",
    "dev.gold.txt": "F\n",
    # The first sentence is in the training pairs too.
    "test.data.txt": "carry\tV\t1-0\tThey carried water .\tCarry me\n",
    "test.gold.txt": "T\n",
}
DATA = [name for name in FILES if ".data." in name]


def put(folder: Path, changes: Mapping[str, str | None] = {}) -> list[Path]:
    for name, text in {**FILES, **changes}.items():
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in reversed(DATA)]


def imported(files: list[Path], **options: Any) -> tuple[Pairs, str]:
    out = files[0].parent / "out"
    text = import_corpus(files, out=out, name="mine", **options)
    return read_pairs(out), text


def test_a_corpus_of_pairs(tmp_path: Path) -> None:
    pairs, text = imported(put(tmp_path), about={"licence": "mine too"})
    out = tmp_path / "out"
    assert text.splitlines()[:2] == [
        "5 pairs of 2 words, 9 sentences",
        "train: 1 pair with the same sense, 2 with different senses",
    ]
    assert pairs.about["licence"] == "mine too" and pairs.about["title"] == "mine"
    assert pairs.word.tolist() == ["carry.v", "carry.v", "mint.n", "mint.n", "carry.v"]
    assert pairs.split.tolist() == ["train"] * 3 + ["dev", "test"]
    assert pairs.line.tolist() == [1, 2, 3, 1, 1]
    assert pairs.gold.tolist() == [0, 1, 0, 0, 1]
    # A sentence occurs once in a split.
    assert pairs.rows.tolist() == [[0, 1], [0, 2], [3, 4], [5, 6], [7, 8]]
    focal = pairs.sentences.focal_tokens
    assert [*focal] == ["carried", "carries", "carry", *["mint"] * 4, "carried", "Carry"]
    assert pairs.sentences.index.tolist() == [*range(5), 0, 1, 0, 1]
    manifest = json.loads((out / MANIFEST).read_text())
    assert manifest["pairs"]["train"] == {"same": 1, "different": 2, "unknown": 0}
    names = [Path(source["file"]).name for source in manifest["imported"]]
    assert names == [*DATA, *list(FILES)[1::2]]
    (out / PAIRS_FILE).write_bytes((out / PAIRS_FILE).read_bytes()[:-1])
    with pytest.raises(ResultError, match="changed since"):
        read_pairs(out)


def test_labels_that_lie_elsewhere_and_a_byte_order_mark(tmp_path: Path) -> None:
    *_, train = put(tmp_path, {name: f"\ufeff{text}" for name, text in FILES.items()})
    gold = (tmp_path / "train.gold.txt").rename(tmp_path / "elsewhere.txt")
    pairs, _ = imported([train], gold=gold)
    assert pairs.gold.tolist() == [0, 1, 0] and pairs.word[0] == "carry.v"


# The second training pair in reverse order.
SAME_AS_TRAIN = "carry\tV\t1-1\tSounds carry far .\tThey carried water .\n"
LINE = "mint\tN\t0-0\tmint a\tmint b\n"
WRONG = {
    "out of range": ({"train.data.txt": TRAIN.replace("2-0", "3-0")},
                     "train.data.txt:3, column sentence1", "position 3"),
    "few columns": ({"dev.data.txt": "mint\tN\t0-0\tmint a\n"}, "dev.data.txt:1", "columns"),
    "no word": ({"dev.data.txt": LINE.replace("mint", " ", 1)}, "1, column word", "for the word"),
    "more gold": ({"dev.gold.txt": "F\nT\n"}, "dev.gold.txt:2", "1 pairs but 2 labels"),
    "two labels": ({"dev.data.txt": SAME_AS_TRAIN}, "dev.data.txt:1", "the label F, but T"),
    "unlike itself": ({"dev.data.txt": "mint\tN\t0-0\tmint a\tmint  a\n"}, "dev.data.txt:1",
                      "twice the same"),
    "no label": ({"train.gold.txt": "F\nX\nT\n"}, "train.gold.txt:2", "'X' is no label"),
    "no gold": ({"dev.gold.txt": None}, "dev.gold.txt", "missing"),
    "unseen": ({"dev.data.txt": LINE.replace("mi", "mi\x07", 1)}, "dev.data.txt:1", "invisible"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "where", "says"), WRONG.values(), ids=WRONG)
def test_pairs_that_are_refused(
    tmp_path: Path, changes: dict[str, str | None], where: str, says: str
) -> None:
    with pytest.raises(WsdError) as caught:
        imported(put(tmp_path, changes))
    assert says in caught.value.problem
    assert str(caught.value.where).endswith(where)
    assert not (tmp_path / "out").exists()
