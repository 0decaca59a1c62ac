"""The step from DWUG EN's archive to a corpus: small archives, and the real archive's counts."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
import small_dwug
from archive_server import Answer, ArchiveServer
from importing import import_corpus

from wsd.artifacts.dataset import CHANGE, DATASETS, JUDGMENTS, MANIFEST, dataset_of_results
from wsd.corpora import archives, dwug_en
from wsd.corpora.text_format import read_unlabelled
from wsd.errors import ConfigError, DownloadError

WORDS = ("cell_nn", "file_nn", "mouse_nn")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "results/dwug-en/source"


def use(archive: Path, sums: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the real archive by another."""
    monkeypatch.setattr(dwug_en, "ARCHIVE", replace(dwug_en.ARCHIVE, checksums=sums))
    monkeypatch.setenv("WSD_DWUG_EN_ARCHIVE", str(archive))


@pytest.mark.parametrize("kind", ["zip", "tar.xz", "tar.gz"])
def test_the_corpus_is_that_of_an_import(
    kind: str, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(*small_dwug.write_archive(tmp_path / "made", kind), monkeypatch)
    for _ in range(2):  # an earlier copy is replaced
        dwug_en.write_dataset(out)
    dataset = dataset_of_results(out.parent)
    assert not dataset.labelled and dataset.words == WORDS
    assert dataset.title == DATASETS["dwug-en"].title and "CC BY-ND 4.0" in dataset.licence
    import_corpus([small_dwug.write(tmp_path / "dwug")], out=tmp_path / "imported", name="x")
    for path in (tmp_path / "imported").rglob("*"):
        if path.is_file() and path.name != MANIFEST:
            copy = out / path.relative_to(tmp_path / "imported")
            assert copy.read_bytes() == path.read_bytes(), path
    assert {JUDGMENTS, CHANGE} < set(dataset.digests)


def test_it_is_downloaded(out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive, sums = small_dwug.write_archive(tmp_path / "made")
    monkeypatch.delenv("WSD_DWUG_EN_ARCHIVE", raising=False)
    monkeypatch.setattr(archives, "cache_folder", lambda: tmp_path / "cache")
    with ArchiveServer(Answer(archive.read_bytes())) as server:
        made = replace(dwug_en.ARCHIVE, checksums=sums, url=server.url)
        monkeypatch.setattr(dwug_en, "ARCHIVE", made)
        dwug_en.write_dataset(out)
    assert dataset_of_results(out.parent).words == WORDS


def test_a_changed_file_is_refused(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, sums = small_dwug.write_archive(tmp_path / "made")
    sums.write_text(sums.read_text().replace(sums.read_text()[:8], "0" * 8))
    use(archive, sums, monkeypatch)
    with pytest.raises(DownloadError, match="is not the file it should be") as caught:
        dwug_en.write_dataset(out)
    assert "the file was not changed" in caught.value.problem
    assert not out.exists() and archive.exists()


def test_a_foreign_folder_stays(out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(*small_dwug.write_archive(tmp_path / "made"), monkeypatch)
    out.mkdir(parents=True)
    (out / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match="refused to replace"):
        dwug_en.write_dataset(out)


def test_the_real_archive(dwug_archive: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WSD_DWUG_EN_ARCHIVE", str(dwug_archive))
    dwug_en.write_dataset(out)
    dataset = dataset_of_results(out.parent)
    # The table in the package, by which runs are planned before the download.
    assert dataset.sizes == DATASETS["dwug-en"].sizes
    assert sum(dataset.sizes.values()) == 9107
    with (out / JUDGMENTS).open(encoding="utf-8", newline="") as stream:
        judgments = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(judgments) == 68_887
    pairs = {
        (row["word"], *sorted((row["identifier1"], row["identifier2"])))
        for row in judgments
        if float(row["judgment"]) > 0
    }
    assert len(pairs) == 43_784
    corpus = read_unlabelled(out / "attack=5fnn", "attack_nn")
    assert {*corpus.extra} == {"identifier", "grouping", "date", "pos", "cluster"}


def test_the_address_is_that_of_version_3() -> None:
    assert dwug_en.ARCHIVE.url == "https://zenodo.org/records/14028531/files/dwug_en.zip"
