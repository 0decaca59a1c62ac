"""Archives of files: what is read, and what is refused before it is read."""

import zipfile
from pathlib import Path

import pytest

from wsd.corpora.importer import zip_archive
from wsd.errors import CorpusError


def pack(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_the_files_of_an_archive_take_its_place(tmp_path: Path) -> None:
    names = ["a.csv", "in/b.TSV", "../c.csv"]
    hidden = [".DS_Store", "__MACOSX/a.csv", "in/.x.csv", "__MACOSX/._a.csv", "empty/", "/d.csv"]
    path = pack(tmp_path / "x.ZIP", {name: name for name in [*names, *hidden]})
    other = tmp_path / "y.tsv"
    files = zip_archive.expand([other, path])
    assert files[0] is other
    assert [str(file) for file in files[1:]] == [f"{path}/{name}" for name in names]
    assert [file.read_bytes().decode() for file in files[1:]] == names
    assert [file.suffix for file in files[1:]] == [".csv", ".TSV", ".csv"]


def test_an_archive_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pack(tmp_path / "x.zip", {"a.csv": "x" * 10**6, "b.csv": "x" * 10**6})
    monkeypatch.setattr(zip_archive, "TOTAL_LIMIT", 2 * 10**6)
    assert len(zip_archive.expand([path])) == 2
    monkeypatch.setattr(zip_archive, "TOTAL_LIMIT", 2 * 10**6 - 1)
    with pytest.raises(CorpusError, match="2 files of 2 MiB, more than"):
        zip_archive.expand([path])
    monkeypatch.setattr(zip_archive, "TOTAL_LIMIT", 2**30)
    monkeypatch.setattr(zip_archive, "FILES_LIMIT", 1)
    with pytest.raises(CorpusError, match="2 files of 2 MiB, more than 1 files"):
        zip_archive.expand([path])


@pytest.mark.parametrize("fault", ["text", "encrypted", "empty", "only hidden"])
def test_other_archives_are_refused(tmp_path: Path, fault: str) -> None:
    path = pack(tmp_path / "x.zip", {"only hidden": {".x": ""}, "empty": {}}.get(fault, {"a": "b"}))
    raw = bytearray(path.read_bytes())
    if fault == "text":
        raw = bytearray(b"word,sense\n")
    if fault == "encrypted":
        raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    says = {"text": "not a .zip", "encrypted": "is encrypted"}.get(fault, "has no file")
    with pytest.raises(CorpusError, match=says) as caught:
        zip_archive.expand([path])
    assert caught.value.where == str(path)
