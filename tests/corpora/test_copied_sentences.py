"""Test sentences that training repeats are counted by the import and by the step that reads."""

from pathlib import Path

import pytest
from call_step import call_step
from importing import import_corpus

from wsd.corpora import corpus

# Per line: sense, sentence, split. Of four test sentences, one is a copy and one nearly so.
LINES = [
    ("river", "they sat on the *bank* of the river", "train"),
    ("river", "reeds grow along its muddy *bank* here", "train"),
    ("money", "the *bank* raised its rates today", "train"),
    ("river", "they sat on the *bank* of the river", "test"),
    ("river", "they sat on the *bank* of the lake", "test"),
    ("money", "gold lies in a vault of the *bank*", "test"),
    ("money", "gold lies in a vault of the *bank* too", "test"),
]
COUNTED = "2 of 4 test sentences have a copy or near-duplicate in training"


def test_import_and_reading_count_copied_test_sentences(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = tmp_path / "rows.tsv"
    for name, columns in (("given", 3), ("drawn", 2)):
        rows = [("sense", "sentence", "split")[:columns], *(line[:columns] for line in LINES)]
        table.write_text("".join("\t".join(row) + "\n" for row in rows))
        source, out = tmp_path / name, tmp_path / f"{name} corpus"
        summary = import_corpus([table], out=source, name="mine")
        out.mkdir()
        caplog.clear()
        call_step(corpus, source=source, word=["bank"], out=out)
        assert (COUNTED in summary, COUNTED in caplog.text) == (columns == 3,) * 2
