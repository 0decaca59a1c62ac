"""Reading the published centroids of senses."""

from pathlib import Path

import numpy as np
import pytest

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import DATASETS
from wsd.corpora.coarsewsd20 import ARCHIVE, place
from wsd.corpora.unpack_archive import extract
from wsd.errors import CorpusError
from wsd.studies.systems.published_centroids import read_centroids
from wsd.studies.systems.system_descriptions import SYSTEMS

CENTROIDS = "mint_herb 1.5 -2 3e-05\nmint_coins -0.0 12.25 7E+2\n"


def test_centroids(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    for text in (CENTROIDS, CENTROIDS.removesuffix("\n")):
        path.write_text(text)
        actual = read_centroids(path)
        assert list(actual) == ["mint_herb", "mint_coins"]
        assert all(vector.dtype == np.float64 for vector in actual.values())
        assert actual["mint_herb"].tolist() == [1.5, -2.0, 3e-05]
        assert actual["mint_coins"].tolist() == [0.0, 12.25, 700.0]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("mint_coins 1 2", "2 numbers, but 3 on the first line"),
        ("mint_coins 1 2 3 4", "4 numbers, but 3 on the first line"),
        ("mint_herb 1 2 3", "the sense 'mint_herb' occurs in the file twice"),
        ("mint_coins", "not a sense and its numbers between single spaces"),
        ("", "not a sense and its numbers between single spaces"),
        (" 1 2 3", "not a sense and its numbers between single spaces"),
        ("mint_coins 1  2 3", "'' is not a number"),
        ("mint_coins 1 2 3 ", "'' is not a number"),
        ("mint_coins\t1 2 3 4", "not a sense and its numbers between single spaces"),
        *(
            (f"mint_coins 1 {number} 3", f"{number!r} is not a number")
            for number in ("nan", "inf", "-inf", "1_0", "1,5", ".5", "5.", "+1", "0x1", "\uff11")
        ),
        ("mint_coins 1 1e999 3", "a number is too large"),
    ],
)
def test_a_malformed_centroid_is_named(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(f"mint_herb 1 2 3\n{line}\nmint_sweet 1 2 3\n", encoding="utf-8")
    with pytest.raises(CorpusError) as caught:
        read_centroids(path)
    assert says in caught.value.problem
    assert caught.value.where == f"{path}:2"


@pytest.fixture(scope="module")
def source(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("real") / "source"
    manifest = ARCHIVE.file_checksums()
    extract(archive, out, {n: d for n, d in manifest.items() if "published/" in place(n)})
    return out


@pytest.mark.parametrize(("size", "width"), [("base", 768), ("large", 1024)])
def test_the_real_centroids(
    source: Path, real_corpora: dict[str, Corpus], size: str, width: int
) -> None:
    actual = read_centroids(source / "published" / "centroids" / f"bert-{size}-uncased.txt")
    senses = [sense for corpus in real_corpora.values() for sense in corpus.senses]
    assert sorted(actual) == sorted(senses)
    assert len(actual) == 53
    assert {vector.shape for vector in actual.values()} == {(width,)}
    assert SYSTEMS[f"1nn-bert-{size}-uncased"].width == width
    assert set(real_corpora) == set(DATASETS["coarsewsd20"].words)
