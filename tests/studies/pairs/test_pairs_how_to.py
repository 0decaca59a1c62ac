"""The examples of the page on pairs are imported as the page says."""

from pathlib import Path

import numpy as np
import pytest
from checkout import REPOSITORY
from doc_examples import FENCE, follow, sections

from wsd.studies.pairs.pair_tables import read_pairs

SECTIONS = sections(REPOSITORY / "docs/how-to/pairs.md")
# By section: the folder, the number of pairs and of sentences, the highest label or rating, and
# some extra columns.
EXAMPLES = {"Table": ("mint", 6, 7, 1, {"id"}), "Ratings": ("rated", 4, 7, 4, {"same"})}


@pytest.mark.parametrize("section", EXAMPLES)
def test_the_example_is_imported(
    section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, n_pairs, n_sentences, highest, extra = EXAMPLES[section]
    assert follow(FENCE.findall(SECTIONS[section]), tmp_path, monkeypatch) == [0]
    pairs = read_pairs(tmp_path / "data" / folder)
    assert (len(pairs), len(pairs.sentences)) == (n_pairs, n_sentences)
    assert np.nanmax(pairs.gold) == highest and pairs.is_graded == (highest > 1)
    assert pairs.extra.keys() >= extra


def test_every_example_is_tested() -> None:
    assert {name for name, text in SECTIONS.items() if "wsd import" in text} == EXAMPLES.keys()
