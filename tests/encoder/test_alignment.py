"""The alignment report: how the focal words are cut, and vectors of unusual length."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from log_state import logs_as_before
from tiny import corpus_of, tiny_tokenizer

from wsd.cli import main
from wsd.encoder import alignment
from wsd.encoder.match_word_pieces import Aligned, Aligner
from wsd.errors import ResultError

SENTENCES = corpus_of(
    ("the crane flew", 1),
    ("a crane \u0300 lifted", 1),
    ("Cranes near [SEP] the river", 0),
    ("a \U0001f9a9", 1),
    (" ".join(["a"] * 40 + ["crane"]), 40),
)


def forms(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the table of one word's report, without the model."""
    table = alignment.by_form(pd.DataFrame(report["instances"]).assign(word=report["word"]))
    return table[list(alignment.ALIGNMENT_COLUMNS[1:])].to_dict("records")


def test_the_report_of_a_word() -> None:
    report = alignment.alignment_report(SENTENCES, Aligner(tiny_tokenizer(16), 16).align(SENTENCES))
    assert (report["word"], report["corpus"]) == ("crane", SENTENCES.digest)
    nothing = dict.fromkeys(("unknown", "windowed", "vanished_words", "special_words"), 0)
    of_one = {"word": "crane", "instances": 1, "spellings": 1, **nothing}
    one, two = ({f"{key}_pieces": n for key in ("min", "mean", "max")} for n in (1, 2))
    assert forms(report) == [
        {**of_one, **one, "form": "crane", "pieces": "crane", "instances": 3,
         "windowed": 1, "vanished_words": 1},
        {**of_one, **two, "form": "Cranes", "pieces": "crane ##s", "special_words": 1},
        {**of_one, **one, "form": "\U0001f9a9", "pieces": "[UNK]", "unknown": 1},
    ]  # fmt: skip
    unknown, special = alignment.report_warnings(report)
    assert unknown.startswith("crane: 1 ") and "does not know" in unknown
    assert special.startswith("crane: 1 ") and "special" in special


def test_a_form_that_is_cut_in_two_ways_is_one_row_with_the_most_frequent_way() -> None:
    corpus = corpus_of(("the crane", 1), ("a crane", 1), ("near crane", 1))
    cuts = [("cr", "ane"), ("cr", "ane"), ("c", "r", "a", "ne")]
    aligned = [Aligned([], [], [], None, False, pieces=pieces) for pieces in cuts]
    (row,) = forms(alignment.alignment_report(corpus, aligned))
    assert (row["pieces"], row["instances"], row["spellings"]) == ("cr ane", 3, 2)
    assert (row["min_pieces"], row["mean_pieces"], row["max_pieces"]) == (2, 8 / 3, 4)


def test_one_table_of_all_words(tmp_path: Path) -> None:
    for corpus in (SENTENCES, corpus_of(("the =bank", 1), ("a bank", 1), word="bank")):
        aligned = Aligner(tiny_tokenizer(16), 16).align(corpus)
        long = alignment.long_vectors("focal", [0, 3], np.array([[1, 1, 2], [3, 1, 31]]))
        report = {**alignment.alignment_report(corpus, aligned), "long_vectors": long}
        (tmp_path / "e" / corpus.word).mkdir(parents=True)
        (tmp_path / "e" / corpus.word / alignment.ALIGNMENT_FILE).write_text(json.dumps(report))
    arguments = ["alignment", "--model", "tiny", "--embeddings", str(tmp_path / "e")]
    arguments += ["--out", str(tmp_path / "a.csv"), "--long", str(tmp_path / "long.csv"), "--words"]
    with logs_as_before():
        assert main([*arguments, "crane", "bank"]) == 0
        table, long = pd.read_csv(tmp_path / "a.csv"), pd.read_csv(tmp_path / "long.csv")
        assert tuple(table.columns) == alignment.ALIGNMENT_COLUMNS
        assert table["word"].tolist() == ["crane"] * 3 + ["bank"] * 2
        assert table["model"].unique().tolist() == ["tiny"]
        # A cell that a spreadsheet would execute.
        assert table["form"].tolist() == ["crane", "Cranes", "\U0001f9a9", "'=bank", "bank"]
        assert tuple(long.columns) == alignment.LONG_COLUMNS
        assert long.values.tolist()[1] == ["tiny", "bank", "focal", 3, 3, 1, 3.0, 31.0]
        assert main([*arguments, "bank", "absent"]) == ResultError.exit_code
