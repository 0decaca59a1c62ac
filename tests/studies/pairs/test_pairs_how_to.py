"""The examples of the page on pairs are imported as the page says."""

from pathlib import Path

import numpy as np
import pytest
from checkout import REPOSITORY
from doc_examples import FENCE, follow, sections

from wsd.studies.pairs.pair_tables import read_pairs

# By section: the folder, the numbers of pairs and sentences, the highest label or rating.
EXAMPLES = {"Table": ("mint", 6, 7, 1), "Ratings": ("rated", 4, 7, 4)}


def test_every_example_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = sections(REPOSITORY / "docs/how-to/pairs.md")
    examples = {name: text for name, text in texts.items() if "wsd import" in text}
    assert examples.keys() == EXAMPLES.keys()
    for section, (folder, *expected) in EXAMPLES.items():
        assert follow(FENCE.findall(examples[section]), tmp_path, monkeypatch) == [0]
        pairs = read_pairs(tmp_path / "data" / folder)
        assert [len(pairs), len(pairs.sentences), np.nanmax(pairs.gold)] == expected
