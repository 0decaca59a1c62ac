"""Agreement with DWUG EN's gold, as a script that shared no code with the study computed it.

With WSD_TEST_WHOLE_CORPORA=1 (`make whole-corpora`) all 46 words are read; minutes.
"""

import os
from pathlib import Path

import pytest

from wsd.artifacts.dataset import dataset_of_results
from wsd.cli import main
from wsd.storage.csv import read_csv

WHOLE = os.environ.get("WSD_TEST_WHOLE_CORPORA") == "1"
FEW = 8  # the first words in alphabetical order


@pytest.mark.slow
def test_agreement_with_gold(
    minilm: str, dwug_archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, vectors, model = tmp_path / "source", tmp_path / "vectors", tmp_path / "model.json"
    monkeypatch.setenv("WSD_DWUG_EN_ARCHIVE", str(dwug_archive))
    assert main(["dwug-en", "--out", str(source)]) == 0
    words = sorted(dataset_of_results(tmp_path).words)[: None if WHOLE else FEW]
    data = ["--corpus", str(tmp_path / "corpus"), "--words", *words]
    named = ["--name", "minilm", "--path", minilm, "--blocks", "6", "--width", "384"]
    for arguments in (
        ["corpus", "--source", str(source), *(f"--word={word}" for word in words),
         "--out", str(tmp_path / "corpus")],
        ["model", *named, "--out", str(model)],
        ["embed", "--model", str(model), *data, "--views", "focal", "--out", str(vectors)],
        ["change", *data, "--embeddings", str(vectors), "--group", "grouping", "--layers",
         *map(str, range(7)), "--source", str(source), "--permutations", "19",
         "--out", str(tmp_path)],
    ):  # fmt: skip
        assert main(arguments) == 0
    gold = read_csv(tmp_path / "change-gold.csv").set_index(["gold", "measure", "layers"])
    keys = (("change_graded", "apd"), ("change_graded", "prototype"), ("judgments", "cosine"))
    apd, prototype, pairs = (gold.loc[key, ["n", "value"]].reindex([*"0123456"]) for key in keys)
    if WHOLE:
        assert set(apd["n"]) == {46} and set(pairs["n"]) == {43_784}
        assert apd["value"].round(2)[["0", "3"]].tolist() == [0.17, 0.24]
        assert (round(pairs["value"]["0"], 2), round(pairs["value"].max(), 2)) == (0.11, 0.26)
        return
    assert set(apd["n"]) == {8} and set(pairs["n"]) == {8_808}
    for table, expected in (
        (apd, [0.6108, 0.4431, 0.2874, 0.1317, 0.1677, 0.1916, 0.1557]),
        (prototype, [0.7545, 0.6108, 0.3713, 0.4311, 0.2755, 0.2036, 0.0359]),
        (pairs, [0.1724, 0.2707, 0.2884, 0.3141, 0.2817, 0.2275, 0.2709]),
    ):
        assert table["value"].tolist() == pytest.approx(expected, abs=6e-5)
