"""From a folder of word usage graphs to the tables of the study, with random vectors."""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import small_dwug
from builders import write_vectors
from call_step import call_step
from importing import import_corpus

from wsd.artifacts.dataset import read_manifest
from wsd.corpora.text_format import read_unlabelled
from wsd.storage.csv import read_csv
from wsd.storage.file_names import file_name
from wsd.studies.change import change
from wsd.studies.change.change import TEXT_COLUMNS


def study(
    folder: Path, changed: Mapping[str, bytes | None] | None = None, **options: object
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Import the small data set and measure change; return the tables of words and of gold."""
    source, out = folder / "corpus", folder / "out"
    import_corpus([small_dwug.write(folder / "dwug", changed)], out=source, name="small")
    corpora = {}
    for word in read_manifest(source / "dataset.json").words:
        corpora[word] = read_unlabelled(source / file_name(word), word)
        path = folder / "vectors" / file_name(word) / "focal.safetensors"
        vectors = np.random.default_rng(1).normal(size=(2, len(corpora[word]), 8))
        write_vectors(path, corpora[word], vectors.astype(np.float32))
    out.mkdir()
    arguments = {"group": "grouping", "layers": ["0", "1"], "permutations": 19, **options}
    call_step(change, corpora, embeddings=folder / "vectors", source=source, out=out, **arguments)
    words = read_csv(out / "change-words.csv", TEXT_COLUMNS).set_index("word")
    return words, read_csv(out / "change-gold.csv")


@pytest.mark.parametrize("options", [{}, {"clusters": "cluster"}])
def test_gold_is_published_or_computed_from_clusters(
    options: dict[str, str], tmp_path: Path
) -> None:
    words, _ = study(tmp_path, **options)
    expected = {word: float(value) for word, value in small_dwug.CHANGE.items()}
    assert words["change_graded"].to_dict() == pytest.approx(expected, abs=1e-6)
    assert words[["n_first", "n_second"]].eq(4).all(axis=None)


@pytest.mark.parametrize(
    ("keep", "reason"), [(1, "fewer than 2 uses in a group"), (0, "in one group only")]
)
def test_a_word_with_few_uses_in_a_group_is_left_out(
    keep: int, reason: str, tmp_path: Path
) -> None:
    words, _ = study(tmp_path, small_dwug.without_uses("cell_nn", 2, keep))
    assert words["left_out"].to_dict() == {"cell_nn": reason, "file_nn": "-", "mouse_nn": "-"}


def test_ratings_that_do_not_vary_have_no_agreement(tmp_path: Path) -> None:
    changed: dict[str, bytes | None] = {}
    for word in small_dwug.CLUSTERS:
        name = f"data/{word}/judgments.csv"
        text = small_dwug.files()[name].decode()
        changed[name] = re.sub(r"\t\d\.0\t", "\t4.0\t", text).encode()
    _, gold = study(tmp_path, changed)
    assert gold[gold["gold"] == "judgments"].empty
