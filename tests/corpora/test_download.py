"""The download from a local server that fails in many ways."""

import gzip
import hashlib
import io
import logging
import lzma
import tarfile
import zipfile
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from archive_server import TOP, Answer, ArchiveServer, build_archive

from wsd.artifacts.dataset import DATASETS
from wsd.corpora import archives, download
from wsd.corpora.download import (
    ARCHIVE,
    TRAINS,
    download_dataset,
    downloaded_files,
    extract,
    place,
    words_of_trains,
)
from wsd.errors import ConfigError, DownloadError

ROOT = "data/CoarseWSD-20"
# The path of a file in the archive, its path in the corpus, and its content.
TABLE = [
    (f"{ROOT}/LICENSE", "LICENSE", b"Do as you like.\n"),
    (f"{ROOT}/plant/train.data.txt", "plant/train.data.txt", b"1\tthe plant closed\n" * 800),
    # Windows line ends, as in the gold files of four of the real words.
    (f"{ROOT}/plant/train.gold.txt", "plant/train.gold.txt", b"0\r\n1\r\n" * 400),
    (f"{ROOT}/mouse/train.data.txt", "mouse/train.data.txt", b"1\tthe mouse ran up the clock"),
    (f"{ROOT}_balanced/plant/train.data.txt", "trains/balanced/plant/train.data.txt", b"2\ta\n"),
    (f"{ROOT}_ratios/10pct/plant/train.gold.txt", "trains/10pct/plant/train.gold.txt", b"1\r\n"),
    (f"{ROOT}_nshot/set2/plant_30/train.data.txt", "trains/nshot-30.set2/plant/train.data.txt",
     b"1\tthe plant closed\n"),
    (f"{ROOT}.outofdomain.tsv", "outofdomain.tsv", b"plant\tplant_herb\t0\tPlants need light\n"),
    ("results/CoarseWSD-20/1nn/bert-base-uncased/plant.jsonl",
     "published/1nn-bert-base-uncased/plant.jsonl", b"{}\n"),
    ("results/CoarseWSD-20/fasttext/crawl-300d-2M/plant.jsonl",
     "published/fasttext-crawl-300d-2M/plant.jsonl", b"{}\n"),
    ("vectors/CoarseWSD-20.bert-base-uncased.txt", "published/centroids/bert-base-uncased.txt",
     b"plant_herb 1.0\n"),
]  # fmt: skip
FILES = {name: content for name, _, content in TABLE}
CHECKSUMS = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
UNNEEDED = {"README.md": b"not asked for\n", "vectors/large.txt": bytes(200_000)}
GOOD = build_archive(FILES | UNNEEDED)
CUT = GOOD[: len(GOOD) // 2]


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda seconds: None))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "results" / "source"


def run(url: str, out: Path, cache: Path, retries: int = 1, local: Path | None = None) -> None:
    sums = cache.with_name("sums")
    sums.write_text("".join(f"{digest}  {name}\n" for name, digest in CHECKSUMS.items()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WSD_CACHE", str(cache))
        patch.setenv(ARCHIVE.variable, str(local or ""))
        patch.setattr(archives, "RETRIES", retries)
        patch.setattr(archives, "TIMEOUT_SECONDS", 10.0 if retries else 0.2)
        patch.setattr(download, "ARCHIVE", replace(ARCHIVE, url=url, checksums=sums))
        download_dataset(out)


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def assert_recovers(out: Path, cache: Path) -> None:
    """After a failure nothing is left, and the same cache works with a good server."""
    assert list(out.parent.glob("*")) == list(cache.glob("*")) == []
    with ArchiveServer(Answer(GOOD)) as server:
        run(server.url, out, cache)
        assert len(server.requests) == 1
    assert_complete(out)


def assert_complete(out: Path) -> None:
    assert tree(out) == {path for _, path, _ in TABLE}
    for _, path, content in TABLE:
        assert (out / path).read_bytes() == content.replace(b"\r\n", b"\n")
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_every_file_of_the_manifest_has_a_place() -> None:
    words, files = {*DATASETS["coarsewsd20"].words}, downloaded_files()
    assert all(place(name) == path for name, path, _ in TABLE)
    # Five files of each word, two of each word of a training set, and the published outputs.
    assert len(set(files)) == len(files) == len(ARCHIVE.file_checksums())
    assert len(files) == 101 + 2 * (20 + 6 * 20 + 9 * 20 + 3 * 13) + 1 + 4 * 20 + 2
    part = {f"{split}.{kind}.txt" for split in ("train", "test") for kind in ("data", "gold")}
    of_words = {f"{word}/{file}" for word in words for file in {"classes_map.txt", *part}}
    further = {file for file in files if not file.startswith(("trains/", "published/"))}
    assert further == of_words | {"LICENSE", "outofdomain.tsv"}
    short = {"deck", "digit", "hood", "pitcher", "pound", "square", "yard"}
    assert {*words_of_trains()} == {*TRAINS} and len(TRAINS) == 19
    for train, actual in words_of_trains().items():
        lacking = short if train.startswith("nshot-30.set") else set()
        assert list(actual) == sorted(words - lacking)


def test_a_download_is_laid_out_and_its_archive_is_used_again(
    out: Path, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # A link to a folder on another disk stays a link; files of an earlier run are replaced.
    elsewhere = cache.parent / "other disk/corpus"
    (elsewhere / "plant").mkdir(parents=True)
    (elsewhere / ".snakemake_timestamp").touch()
    (elsewhere / "plant/train.data.txt").write_text("left over from another run")
    out.parent.mkdir()
    out.symlink_to(elsewhere)
    with caplog.at_level(logging.INFO, "wsd"), ArchiveServer(Answer(GOOD)) as server:
        for _ in range(2):
            run(server.url, out, cache)
            assert_complete(elsewhere)
        assert len(server.requests) == 1 and out.is_symlink()
    notice = " ".join(caplog.messages)
    assert "CC BY-NC 4.0" in notice and "Computational Linguistics 47(2), 2021" in notice
    assert tree(cache) == {ARCHIVE.file}


def test_a_folder_with_other_files_is_never_replaced(out: Path, cache: Path) -> None:
    foreign = "plant/notes.md"
    (out / foreign).parent.mkdir(parents=True)
    (out / foreign).write_text("years of work")
    with pytest.raises(ConfigError, match="refused to replace") as caught:
        run("http://127.0.0.1:9/", out, cache)  # before any request
    assert foreign in str(caught.value) and tree(out) == {foreign}


@pytest.mark.parametrize(
    ("answer", "retries", "says"),
    [
        (None, 3, "refused"),
        (Answer(status=503), 1, "503"),
        (Answer(CUT, announced=len(GOOD)), 1, "IncompleteRead"),
        (Answer(CUT, announced=len(GOOD), stalls=True), 0, "timed out"),
    ],
)
def test_a_failure_of_the_network(
    answer: Answer | None, retries: int, says: str, out: Path, cache: Path
) -> None:
    with ArchiveServer(answer) if answer else nullcontext() as server:
        url = server.url if server else "http://127.0.0.1:9/archive.tar.gz"
        with pytest.raises(DownloadError, match=says) as caught:
            run(url, out, cache, retries=retries)
        assert not server or len(server.requests) == retries + 1
    assert caught.value.where == url and ARCHIVE.variable in str(caught.value.fix)
    assert_recovers(out, cache)


def zipped(files: Mapping[str, bytes], top: str = TOP) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{top}/{name}", content)
    return packed.getvalue()


def extended(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> bytes:
    """Return an archive with one more member, of zeros."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, "x", size
    return build_archive(FILES, extra=[(info, bytes(size))])


def sized(size: int) -> bytes:
    info = tarfile.TarInfo(f"{TOP}/x")
    info.size = size
    return gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(1024))


CHANGED, LINKED = f"{ROOT}/plant/train.gold.txt", f"{ROOT}/mouse/train.data.txt"
INCOMPLETE = {name: content for name, content in FILES.items() if name != CHANGED}
# A small xz file is one block, so that a changed byte damages it.
XZ = lzma.compress(gzip.decompress(GOOD))
# The beginning of an entry in a zip's table of contents, without and with the flag of encryption.
PLAIN_ENTRY, ENCRYPTED_ENTRY = (b"PK\1\2\x14\3\x14\0" + flag for flag in (b"\0", b"\1"))
DAMAGED, OUTSIDE, OTHER = "damaged or incomplete", "outside its folder", "is not the file it should"
BAD = {
    "cut": (CUT, DAMAGED),
    "a page instead of an archive": (b"<html>sign in first</html>", "not a tar.gz archive"),
    "changed file": (build_archive(FILES | {CHANGED: b"1\n0\n"}), CHECKSUMS[CHANGED]),
    "missing file": (build_archive(INCOMPLETE), f"lacks {CHANGED}"),
    "climbing name": (extended(f"{TOP}/../../evil"), OUTSIDE),
    "absolute name": (extended("/etc/evil"), OUTSIDE),
    "second copy": (extended(f"{TOP}/{CHANGED}", size=9), OTHER),
    "symbolic link": (extended(f"{TOP}/{LINKED}", tarfile.SYMTYPE), OTHER),
    "hard link": (extended(f"{TOP}/{LINKED}", tarfile.LNKTYPE), OTHER),
    "negative size": (sized(-512), "refused: a member of"),
    "xz, cut": (XZ[: len(XZ) // 2], f"not a tar.xz archive, or a {DAMAGED} one"),
    "xz, changed": (XZ[:99] + b"??" + XZ[101:], "not a tar.xz archive"),
    "zip, cut": (zipped(FILES)[:-30], f"not a zip archive, or a {DAMAGED} one"),
    "zip, encrypted": (zipped(FILES).replace(PLAIN_ENTRY, ENCRYPTED_ENTRY), "not a zip archive"),
    "zip, a climbing name": (zipped(FILES, f"{TOP}/../.."), OUTSIDE),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_archive_is_refused_whole_and_kept(case: str, out: Path, tmp_path: Path) -> None:
    body, message = BAD[case]
    archive = tmp_path / "mine"
    archive.write_bytes(GOOD)
    extract(archive, out, CHECKSUMS)
    archive.write_bytes(body)
    with pytest.raises(DownloadError) as caught:
        run(ARCHIVE.url, out, tmp_path, local=archive)
    assert message in caught.value.problem
    assert caught.value.where == str(archive) and archive.read_bytes() == body
    assert_complete(out)


def test_a_bad_archive_leaves_the_cache(out: Path, cache: Path) -> None:
    with ArchiveServer(Answer(BAD["changed file"][0], announced=None)) as server:
        with pytest.raises(DownloadError, match="removed from the cache") as caught:
            run(server.url, out, cache)
        assert len(server.requests) == 1
    assert server.url in str(caught.value.where)
    assert_recovers(out, cache)


@pytest.mark.parametrize(
    "content", [GOOD, XZ, zipped(FILES), zipped(FILES, "./again")], ids=["gz", "xz", "zip", "again"]
)
def test_an_archive_of_another_kind_has_limits(
    content: bytes, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "archive"
    packed.write_bytes(content)
    extract(packed, out, CHECKSUMS)
    assert_complete(out)
    limits = {
        "MEMBER_LIMIT": (99, "more than 99"),
        "MEMBERS_LIMIT": (9, "more than 9 members"),
        "TOTAL_LIMIT": (999, "999 bytes|a member of"),
    }
    if content[:2] == b"PK":  # a zip archive says the size of each member before it is unpacked
        del limits["TOTAL_LIMIT"]
    for name, (limit, says) in limits.items():
        with monkeypatch.context() as patch:
            patch.setattr(archives, name, limit)
            with pytest.raises(DownloadError, match=says):
                extract(packed, out, CHECKSUMS)
