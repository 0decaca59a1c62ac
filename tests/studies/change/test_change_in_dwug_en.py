"""The study on DWUG EN with MiniLM agrees with a script that shares no code with it.

A few words are enough for that. With WSD_TEST_WHOLE_CORPORA=1 (`make whole-corpora`) all 46 are
read, and the values are compared with the known ones of this encoder too; minutes.
"""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from checkout import REPOSITORY

from wsd.artifacts.dataset import dataset_of_results
from wsd.cli import main
from wsd.storage.csv import read_csv

WHOLE = os.environ.get("WSD_TEST_WHOLE_CORPORA") == "1"
FEW = 8  # the first words in alphabetical order


@pytest.fixture(scope="module")
def folder(minilm: str, dwug_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the steps from the archive to the tables."""
    folder = tmp_path_factory.mktemp("results")
    source, vectors, model = folder / "source", folder / "vectors", folder / "model.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WSD_DWUG_EN_ARCHIVE", str(dwug_archive))
        assert main(["dwug-en", "--out", str(source)]) == 0
    words = sorted(dataset_of_results(folder).words)[: None if WHOLE else FEW]
    data = ["--corpus", str(folder / "corpus"), "--words", *words]
    named = ["--name", "minilm", "--path", minilm, "--blocks", "6", "--width", "384"]
    for arguments in (
        ["corpus", "--source", str(source), *(f"--word={word}" for word in words),
         "--out", str(folder / "corpus")],
        ["model", *named, "--out", str(model)],
        ["embed", "--model", str(model), *data, "--views", "focal", "--out", str(vectors)],
        ["change", *data, "--embeddings", str(vectors), "--group", "grouping", "--layers",
         *map(str, range(7)), "--source", str(source), "--permutations", "19",
         "--out", str(folder)],
    ):  # fmt: skip
        assert main(arguments) == 0
    return folder


@pytest.fixture(scope="module")
def expected(folder: Path, dwug_en: Path) -> pd.DataFrame:
    script = REPOSITORY / "tests/helpers/naive_dwug.py"
    command = [sys.executable, str(script), str(folder / "vectors"), str(dwug_en)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return pd.read_csv(StringIO(text)).set_index("layer")


@pytest.mark.slow
def test_agreement_with_gold(folder: Path, expected: pd.DataFrame) -> None:
    table = read_csv(folder / "change-gold.csv")
    if WHOLE:
        assert expected["n_words"].eq(46).all() and expected["n_pairs"].eq(43_784).all()
        # The known figures of this encoder.
        assert expected["apd"][[0, 3]].round(2).tolist() == [0.17, 0.24]
        assert round(expected["pairs"][0], 2) == 0.11 and round(expected["pairs"].max(), 2) == 0.26
    for measure, gold, column in (
        ("apd", "change_graded", "apd"),
        ("prototype", "change_graded", "prototype"),
        ("cosine", "judgments", "pairs"),
    ):
        rows = table[(table["gold"] == gold) & (table["measure"] == measure)]
        values = rows.set_index("layers")["value"].reindex([*"0123456"])
        assert values.to_numpy() == pytest.approx(expected[column].to_numpy(), abs=6e-5)
