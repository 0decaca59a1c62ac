"""A listing speaks for its files: none may be gone, and none another."""

import json
from pathlib import Path

import numpy as np
import pytest
from made import MakeCorpus, WriteVectors

from wsd.artifacts.listing import of_part, write_listing
from wsd.artifacts.vectors import vectors_checksum
from wsd.run.listings import is_listed, is_listing, is_whole, megabytes
from wsd.storage.checksums import noted_checksum
from wsd.storage.json import write_json

PLACES = {
    "results/q/corpus/words.json": "listing",
    "results/q/corpus/crane.parquet": "listed",
    "results/q/tiny/embeddings/focal.1.json": "listing",
    "results/q/tiny/embeddings/crane/focal.safetensors": "listed",
    "results/q/tiny/embeddings/crane/alignment.json": "listed",
    "results/q/tiny/substitutes/words.json": "listing",
    "results/q/tiny/substitutes/crane.parquet": "listed",
    "results/q/source/dataset.json": "listing",
    "results/q/source/crane/train.data.txt": "listed",
    "results/coarsewsd20/source/crane/train.data.txt": "a rule's",
    "results/q/scores.csv": "a rule's",
    "results/q/tiny/alignment.csv": "a rule's",
    # Datasets, runs, models and words that are called like a folder of listings.
    "results/corpus/provenance.json": "a rule's",
    "results/corpus/corpus/words.json": "listing",
    "results/source/selection.json": "a rule's",
    "results/q/runs/corpus/provenance.json": "a rule's",
    "results/q/runs/embeddings/selection.json": "a rule's",
    "results/q/runs/substitutes/tiny/alignment.csv": "a rule's",
    "results/q/runs/source/report/index.html": "a rule's",
    "results/q/embeddings/search/full/focal/1.lda.parquet": "a rule's",
    "results/q/embeddings/embeddings/focal.1.json": "listing",
    "results/q/substitutes/model.json": "a rule's",
    "results/q/uses/embeddings/crane.html": "a rule's",
    "results/q/tiny/embeddings/corpus/alignment.json": "listed",
    "results/q/tiny/embeddings/source/focal.safetensors": "listed",
    "results/q/tiny/embeddings/embeddings/alignment.json": "listed",
}


def test_what_a_place_says(tmp_path: Path) -> None:
    (tmp_path / "results/q/source").mkdir(parents=True)
    (tmp_path / "results/q/source/dataset.json").write_text("{}")
    for place, kind in PLACES.items():
        said = (is_listing(Path(place)), is_listed(Path(place), tmp_path))
        assert said == (kind == "listing", kind == "listed"), place


@pytest.fixture
def listing(
    tmp_path: Path,
    make_corpus: MakeCorpus,
    write_vectors: WriteVectors,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """Of vectors of two words, and of their alignments."""
    monkeypatch.chdir(tmp_path)
    folder = Path("results/q/tiny/embeddings")
    corpus, checksums = make_corpus([("train", 0), ("test", 1)]), {}
    for word in ("bank", "crane"):
        vectors = folder / word / "focal.safetensors"
        write_vectors(vectors, corpus, np.ones((2, 2, 3), dtype=np.float32))
        write_json(folder / word / "alignment.json", {"word": word})
        checksums[vectors] = vectors_checksum(vectors)
        path = folder / word / "alignment.json"
        checksums[path] = noted_checksum(path)
    write_listing(of_part(folder, "focal", 1), checksums)
    return folder / "focal.1.json"


def test_all_of_it_is_there(listing: Path) -> None:
    assert is_whole(listing)
    files = [path for path in listing.parent.glob("[!.]*/*.*") if path.is_file()]
    assert len(files) == 4
    assert megabytes(listing) == pytest.approx(sum(path.stat().st_size for path in files) / 1e6)
    assert megabytes(files[0]) == files[0].stat().st_size / 1e6
    assert megabytes(listing.with_name("none")) == 0


@pytest.mark.parametrize("fault", ["gone", "cut", "another", "table", "listing", "no list"])
def test_what_is_gone_or_another_is_seen(
    listing: Path, fault: str, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    vectors = listing.parent / "bank/focal.safetensors"
    if fault == "gone":
        vectors.unlink()
    elif fault == "cut":
        vectors.write_bytes(vectors.read_bytes()[:-1])
    elif fault == "another":
        other = make_corpus([("train", 0), ("test", 1)])
        write_vectors(vectors, other, np.zeros((2, 2, 3), dtype=np.float32))
    elif fault == "table":
        write_json(listing.parent / "crane/alignment.json", {"word": "other"})
    elif fault == "listing":
        listing.write_text("{")
    else:
        listing.write_text("[1]")
    assert not is_whole(listing)


def test_the_files_of_a_copied_corpus(tmp_path: Path) -> None:
    manifest = tmp_path / "source/dataset.json"
    manifest.parent.mkdir()
    manifest.write_text(json.dumps({"files": {"a.txt": "0" * 64}}))
    assert not is_whole(manifest)
    (tmp_path / "source/a.txt").touch()
    assert is_whole(manifest)
