"""Every step on a tiny encoder and two words, and its messages for bad input."""

from pathlib import Path

import pytest
from steps import LOGISTIC, VECTORS, Refused, assert_one_error, call, changed


def test_a_training_set_does_not_depend_on_others(every_step: Path, tmp_path: Path) -> None:
    for train, usual in (("full", "p4"), ("1pct", "p41")):
        out, search = tmp_path / train, tmp_path / f"{train}.search"
        arguments = [*VECTORS, "--layers", "1", *LOGISTIC, "--folds", f"{train}.parquet"]
        written = ["--searches", str(search), "--out", str(out)]
        assert call(every_step, "classify", *arguments, *written) == 0
        assert out.read_bytes() == (every_step / f"{usual}.parquet").read_bytes()


BAD: dict[str, Refused] = {
    "folds of what is none": (changed("folds", "--train", "p.parquet", nth=1), 6, "p.parquet"),
    "no such word": (changed("folds", "--words", "pear"), 6, "pear.parquet"),
    "fewer outputs": (changed("classify", "--out", "o.parquet"), 2, "and 1 in --out"),
    "no such view": (changed("classify", "--view", "focal+cls", nth=1), 6, "cls.safetensors"),
    "a mix for knn": (changed("classify", "--layers", "mix-last-2", nth=2), 2, "knn on focal"),
    "space of another": (changed("classify", "--space", '{"k": 3}', nth=3), 2, "logistic"),
    "evaluate twice": (
        changed("evaluate", "--predictions", "p.parquet", "p.parquet"), 6, "two files hold"),
    "a space with a value that is none": (
        changed("classify", "--space", '{"C": -1}', nth=3), 2, "where: --space"),
    "a file for a folder of vectors": (
        changed("neighbours", "--embeddings", "p.parquet"), 6, "a file in place of a folder"),
    "a device without an end for a table": (
        changed("compare", "--scores", "/dev/zero"), 6, "device or pipe"),
    "classify no word": (
        changed("classify", "--folds", "applefolds.parquet", "1pct.parquet", nth=3),
        6, "the folds of 'full' lack 'crane'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_error(
    every_step: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    assert_one_error(every_step, capsys, *BAD[case])
