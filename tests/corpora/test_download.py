"""The download from a local server that fails in many ways."""

import gzip
import hashlib
import io
import logging
import lzma
import os
import shutil
import socket
import stat
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from archive_server import TOP, Answer, ArchiveServer, build_archive
from checkout import REPOSITORY

from wsd.artifacts.dataset import DATASETS
from wsd.corpora import archives, download
from wsd.corpora.archives import SourceArchive, fetch_archive
from wsd.corpora.download import (
    ARCHIVE,
    download_dataset,
    downloaded_files,
    extract,
    place,
    words_of_trains,
)
from wsd.errors import ConfigError, DownloadError

ROOT = "data/CoarseWSD-20"
FILES = {
    f"{ROOT}/LICENSE": b"Do as you like.\n",
    f"{ROOT}/plant/classes_map.txt": b'{"0": "plant_factory", "1": "plant_herb"}',
    f"{ROOT}/plant/train.data.txt": b"1\tthe plant closed in may\n2\ta green plant\n" * 400,
    # Windows line ends, as in the gold files of four of the real words.
    f"{ROOT}/plant/train.gold.txt": b"0\r\n1\r\n" * 400,
    f"{ROOT}/mouse/train.data.txt": b"1\tthe mouse ran up the clock",
    f"{ROOT}_balanced/plant/train.data.txt": b"2\ta green plant\n",
    f"{ROOT}_ratios/10pct/plant/train.gold.txt": b"1\r\n",
    f"{ROOT}_nshot/set2/plant_30/train.data.txt": b"1\tthe plant closed in may\n",
    f"{ROOT}.outofdomain.tsv": b"plant\tplant_herb\t0\tPlants need light\n",
    "results/CoarseWSD-20/1nn/bert-base-uncased/plant.jsonl": b"{}\n",
    "results/CoarseWSD-20/fasttext/crawl-300d-2M/plant.jsonl": b"{}\n",
    "vectors/CoarseWSD-20.bert-base-uncased.txt": b"plant_herb 1.0\n",
}
CHECKSUMS = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
ELSEWHERE = {
    f"{ROOT}_balanced/plant/train.data.txt": "trains/balanced/plant/train.data.txt",
    f"{ROOT}_ratios/10pct/plant/train.gold.txt": "trains/10pct/plant/train.gold.txt",
    f"{ROOT}_nshot/set2/plant_30/train.data.txt": "trains/nshot-30.set2/plant/train.data.txt",
    f"{ROOT}.outofdomain.tsv": "outofdomain.tsv",
    "results/CoarseWSD-20/1nn/bert-base-uncased/plant.jsonl": (
        "published/1nn-bert-base-uncased/plant.jsonl"
    ),
    "results/CoarseWSD-20/fasttext/crawl-300d-2M/plant.jsonl": (
        "published/fasttext-crawl-300d-2M/plant.jsonl"
    ),
    "vectors/CoarseWSD-20.bert-base-uncased.txt": "published/centroids/bert-base-uncased.txt",
}
PLACES = {name: ELSEWHERE.get(name, name.removeprefix(f"{ROOT}/")) for name in FILES}
PUBLISHED = set(PLACES.values())
UNNEEDED = {"README.md": b"not asked for\n", "vectors/large.txt": bytes(200_000)}
GOOD = build_archive(FILES | UNNEEDED)


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Do not wait for back-offs; return the waits."""
    asked: list[float] = []
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=asked.append))
    return asked


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "results" / "source"


@contextmanager
def served(
    url: str,
    cache: Path,
    *,
    retries: int = archives.RETRIES,
    timeout: float = archives.TIMEOUT_SECONDS,
    local: Path | None = None,
    checksums: Path | None = None,
) -> Iterator[SourceArchive]:
    """Download the archive from ``url`` into ``cache``, or use a local copy."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        if checksums is None:
            checksums = Path(folder) / "sums"
            checksums.write_text("".join(f"{s}  {name}\n" for name, s in CHECKSUMS.items()))
        source = replace(ARCHIVE, url=url, checksums=checksums)
        patch.setenv("WSD_CACHE", str(cache))
        patch.delenv(ARCHIVE.variable, raising=False)
        if local:
            patch.setenv(ARCHIVE.variable, str(local))
        patch.setattr(archives, "RETRIES", retries)
        patch.setattr(archives, "TIMEOUT_SECONDS", timeout)
        patch.setattr(download, "ARCHIVE", source)
        yield source


def run(server_url: str, out: Path, cache: Path, *, retries: int = 1, timeout: float = 5.0) -> None:
    with served(server_url, cache, retries=retries, timeout=timeout):
        download_dataset(out)


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def assert_recovers(out: Path, cache: Path) -> None:
    """After a failure nothing is left, and the same cache works with a good server."""
    assert not out.exists()
    assert list(out.parent.glob("*")) == []
    assert not cache.exists() or list(cache.iterdir()) == []
    with ArchiveServer(Answer(GOOD)) as server:
        run(server.url, out, cache)
        assert len(server.requests) == 1
    assert_complete(out)


def assert_complete(out: Path) -> None:
    assert tree(out) == PUBLISHED
    for name, content in FILES.items():
        unpacked = (out / PLACES[name]).read_bytes()
        assert unpacked == content.replace(b"\r\n", b"\n")
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def member(name: str, content: bytes = b"", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def without(name: str) -> dict[str, bytes]:
    return {key: content for key, content in FILES.items() if key != name}


# The manifest


def test_the_manifest_names_every_file_that_is_needed() -> None:
    words = DATASETS["coarsewsd20"].words
    assert len(words) == 20
    assert words == tuple(sorted(words))
    part = [f"train.{kind}.txt" for kind in ("data", "gold")]
    whole = ["classes_map.txt", *part, *(file.replace("train", "test") for file in part)]
    systems = ("1nn/bert-base-uncased", "1nn/bert-large-uncased")
    systems += ("fasttext/base-100d", "fasttext/crawl-300d-2M")
    # The words whose rarest sense has 30 training instances.
    with_30 = set(words) - {"deck", "digit", "hood", "pitcher", "pound", "square", "yard"}
    expected = {f"{ROOT}/{word}/{file}" for word in words for file in whole} | {f"{ROOT}/LICENSE"}
    expected |= {f"{ROOT}_balanced/{word}/{file}" for word in words for file in part}
    expected |= {
        f"{ROOT}_ratios/{percent}pct/{word}/{file}"
        for percent in (1, 5, 10, 25, 50, 100)
        for word in words
        for file in part
    }
    expected |= {
        f"{ROOT}_nshot/set{draw}/{word}_{shots}/{file}"
        for draw in (1, 2, 3)
        for shots in (1, 3, 10, 30)
        for word in (with_30 if shots == 30 else words)
        for file in part
    }
    expected |= {f"{ROOT}.outofdomain.tsv"}
    expected |= {f"results/CoarseWSD-20/{s}/{word}.jsonl" for s in systems for word in words}
    expected |= {f"vectors/CoarseWSD-20.bert-{size}-uncased.txt" for size in ("base", "large")}
    manifest = ARCHIVE.file_checksums()
    assert set(manifest) == expected
    assert all(len(digest) == 64 and int(digest, 16) for digest in manifest.values())


def test_every_file_has_its_own_path() -> None:
    files = downloaded_files()
    assert len(set(files)) == len(files) == len(ARCHIVE.file_checksums())
    top = {file.split("/")[0] for file in files}
    words = set(DATASETS["coarsewsd20"].words)
    assert top == words | {"LICENSE", "outofdomain.tsv", "trains", "published"}
    assert all(place(name) == expected for name, expected in PLACES.items())


def test_the_trains_and_their_words() -> None:
    trains = words_of_trains()
    words = DATASETS["coarsewsd20"].words
    lacking = {train: set(words) - set(actual) for train, actual in trains.items()}
    assert len(trains) == 19
    assert all(list(actual) == sorted(set(actual)) for actual in trains.values())
    short = {"deck", "digit", "hood", "pitcher", "pound", "square", "yard"}
    assert {train for train, words in lacking.items() if words} == {
        f"nshot-30.set{draw}" for draw in (1, 2, 3)
    }
    assert all(words in (set(), short) for words in lacking.values())


def test_reading_the_words_imports_no_heavy_library() -> None:
    code = (
        "import sys; from wsd.artifacts.dataset import DATASETS; DATASETS['coarsewsd20'].words;"
        "from wsd.corpora.download import downloaded_files; downloaded_files();"
        "print([m for m in ('pooch', 'requests', 'numpy', 'torch') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
    )
    assert done.stdout.strip() == "[]"


# Successful downloads


def test_files_are_laid_out_by_word_and_the_notice_is_given(
    out: Path, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "wsd"), ArchiveServer(Answer(GOOD)) as server:
        run(server.url, out, cache)
    assert_complete(out)
    notice = " ".join(caplog.messages)
    assert "CC BY-NC 4.0: not for commercial use" in notice
    assert "Computational Linguistics 47(2), 2021" in notice
    assert tree(cache) == {ARCHIVE.file}


def test_a_good_archive_in_the_cache_is_reused_without_a_request(out: Path, cache: Path) -> None:
    with ArchiveServer(Answer(GOOD)) as server:
        run(server.url, out, cache)
        run(server.url, out.with_name("again"), cache)
        assert len(server.requests) == 1
    assert tree(out.with_name("again")) == PUBLISHED


def test_the_cache_folder_can_be_chosen(tmp_path: Path) -> None:
    with ArchiveServer(Answer(GOOD)) as server, served(server.url, tmp_path / "variable") as source:
        fetched = fetch_archive(source)
    assert fetched == tmp_path / "variable" / ARCHIVE.file
    assert fetched.read_bytes() == GOOD


def test_without_a_choice_the_users_cache_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WSD_CACHE", raising=False)
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / project)
    with ArchiveServer(Answer(GOOD)) as server:
        assert fetch_archive(replace(ARCHIVE, url=server.url)).parent == tmp_path / "wsd"


def test_an_existing_folder_is_replaced(out: Path, cache: Path) -> None:
    (out / "plant").mkdir(parents=True)
    (out / "mouse").mkdir()
    (out / ".snakemake_timestamp").touch()
    (out / "plant" / "train.data.txt").write_text("left over from another run")
    with ArchiveServer(Answer(GOOD)) as server:
        run(server.url, out, cache)
    assert_complete(out)


def test_a_link_to_a_folder_elsewhere_stays_a_link(out: Path, cache: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "other disk" / "corpus"
    elsewhere.mkdir(parents=True)
    out.parent.mkdir()
    out.symlink_to(elsewhere)
    with ArchiveServer(Answer(GOOD)) as server:
        run(server.url, out, cache)
    assert out.is_symlink()
    assert tree(elsewhere) == PUBLISHED


@pytest.mark.parametrize("foreign", ["thesis.txt", "plant/notes.md"])
def test_a_folder_with_other_files_is_never_replaced(foreign: str, out: Path, cache: Path) -> None:
    (out / foreign).parent.mkdir(parents=True)
    (out / foreign).write_text("years of work")
    with (
        ArchiveServer(Answer(GOOD)) as server,
        pytest.raises(ConfigError, match="refused to replace") as caught,
    ):
        run(server.url, out, cache)
    assert foreign in str(caught.value)
    assert server.requests == []
    assert tree(out) == {foreign}


def test_a_local_archive_replaces_the_download_and_stays(out: Path, tmp_path: Path) -> None:
    archive = tmp_path / "copy.tar.gz"
    archive.write_bytes(GOOD)
    with served("http://127.0.0.1:1/", tmp_path, local=archive):
        download_dataset(out)
    assert_complete(out)
    assert archive.read_bytes() == GOOD


def test_files_follow_the_umask(out: Path, tmp_path: Path) -> None:
    archive = tmp_path / "copy.tar.gz"
    archive.write_bytes(GOOD)
    before = os.umask(0o027)
    try:
        extract(archive, out, CHECKSUMS)
    finally:
        os.umask(before)
    assert out.stat().st_mode & 0o777 == 0o750
    assert (out / "LICENSE").stat().st_mode & 0o777 == 0o640


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_a_bar_on_a_terminal(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with ArchiveServer(Answer(GOOD)) as server, served(server.url, cache) as source:
        fetch_archive(source)
    assert "100%|" in terminal.getvalue()


# The network


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def assert_says_the_ways_on(error: DownloadError, url: str) -> None:
    assert error.where == url
    assert error.fix is not None
    assert "WSD_COARSEWSD20_ARCHIVE=FILE" in error.fix
    assert "--configfile config/quickstart.yaml" in error.fix
    assert "could not be downloaded" in error.problem
    assert "\n" not in error.problem


def test_a_refused_connection(out: Path, cache: Path, waits: list[float]) -> None:
    url = f"http://127.0.0.1:{closed_port()}/archive.tar.gz"
    with pytest.raises(DownloadError, match="refused") as caught:
        run(url, out, cache, retries=3)
    assert_says_the_ways_on(caught.value, url)
    assert len(caught.value.problem) < 250
    assert waits == [1, 2, 3]
    assert_recovers(out, cache)


def test_an_unknown_host(out: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*args: object, **kwargs: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    url = "http://nowhere.invalid/archive.tar.gz"
    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", unknown)
        with pytest.raises(DownloadError, match="Failed to resolve") as caught:
            run(url, out, cache)
    assert_says_the_ways_on(caught.value, url)
    assert_recovers(out, cache)


def test_a_server_error_that_passes(out: Path, cache: Path, waits: list[float]) -> None:
    with ArchiveServer(Answer(status=500), Answer(GOOD)) as server:
        run(server.url, out, cache)
        assert len(server.requests) == 2
    assert waits == [1]
    assert_complete(out)


def test_a_server_error_that_stays(out: Path, cache: Path, waits: list[float]) -> None:
    with ArchiveServer(Answer(status=503)) as server:
        with pytest.raises(DownloadError, match="503") as caught:
            run(server.url, out, cache, retries=3)
        assert len(server.requests) == 4
    assert waits == [1, 2, 3]
    assert_says_the_ways_on(caught.value, server.url)
    assert_recovers(out, cache)


def test_a_body_shorter_than_its_content_length(out: Path, cache: Path) -> None:
    cut = Answer(GOOD[: len(GOOD) // 2], announced=len(GOOD))
    with ArchiveServer(cut) as server:
        with pytest.raises(DownloadError, match="IncompleteRead") as caught:
            run(server.url, out, cache)
        assert len(server.requests) == 2
    assert_says_the_ways_on(caught.value, server.url)
    assert_recovers(out, cache)


def test_a_body_that_stalls(out: Path, cache: Path) -> None:
    stalled = Answer(GOOD[: len(GOOD) // 2], announced=len(GOOD), stalls=True)
    with (
        ArchiveServer(stalled) as server,
        pytest.raises(DownloadError, match="timed out") as caught,
    ):
        run(server.url, out, cache, timeout=0.2)
    assert_says_the_ways_on(caught.value, server.url)
    assert_recovers(out, cache)


def test_a_cache_that_cannot_be_written(out: Path, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    with (
        ArchiveServer(Answer(GOOD)) as server,
        pytest.raises(DownloadError, match="could not be written") as caught,
    ):
        run(server.url, out, cache)
    assert "WSD_CACHE" in str(caught.value)
    assert cache.read_text() == "a file where the folder should be"


# The archive

CHANGED = f"{ROOT}/plant/train.gold.txt"
LINKED = f"{ROOT}/mouse/train.data.txt"
HUGE = member(f"{TOP}/{LINKED}", FILES[LINKED])
BAD = {
    "cut without a length": (GOOD[: len(GOOD) // 2], "damaged or incomplete"),
    "cut in its first bytes": (GOOD[:5], "damaged or incomplete"),
    "empty": (b"", "damaged or incomplete"),
    "a page instead of an archive": (b"<html>sign in first</html>", "not a tar.gz archive"),
    "gzip of something else": (gzip.compress(b"hello" * 1000), "not a tar.gz archive"),
    "changed file": (build_archive(FILES | {CHANGED: b"1\n0\n" * 400}), CHANGED),
    "missing file": (build_archive(without(CHANGED)), f"lacks {CHANGED}"),
    "two missing files": (build_archive(UNNEEDED), "and 11 more"),
    "climbing name": (
        build_archive(FILES, extra=[member(f"{TOP}/../../evil")]),
        "outside its folder",
    ),
    "climbing folder": (
        build_archive(FILES, extra=[member(f"{TOP}/..", type=tarfile.DIRTYPE)]),
        "outside its folder",
    ),
    "climbing name with backslashes": (
        build_archive(FILES, extra=[member(f"{TOP}\\..\\..\\evil")]),
        "outside its folder",
    ),
    "absolute name": (build_archive(FILES, extra=[member("/etc/evil")]), "outside its folder"),
    "symbolic link for a file": (
        build_archive(
            without(LINKED),
            extra=[member(f"{TOP}/{LINKED}", type=tarfile.SYMTYPE, linkname="/etc/hostname")],
        ),
        "is not the file it should be",
    ),
    "hard link for a file": (
        build_archive(
            without(LINKED),
            extra=[member(f"{TOP}/{LINKED}", type=tarfile.LNKTYPE, linkname=f"{TOP}/{CHANGED}")],
        ),
        "is not the file it should be",
    ),
    "folder for a file": (
        build_archive(without(LINKED), extra=[member(f"{TOP}/{LINKED}", type=tarfile.DIRTYPE)]),
        "is not the file it should be",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_archive_is_refused_whole_and_leaves_the_cache(
    case: str, out: Path, cache: Path
) -> None:
    body, message = BAD[case]
    with ArchiveServer(Answer(body, announced=None)) as server:
        with pytest.raises(DownloadError) as caught:
            run(server.url, out, cache)
        assert len(server.requests) == 1
    assert message in caught.value.problem
    assert "removed from the cache" in caught.value.problem
    assert server.url in str(caught.value.where)
    assert "run the command again" in str(caught.value.fix)
    assert_recovers(out, cache)


@pytest.mark.parametrize("case", BAD)
def test_a_bad_archive_of_the_users_own_is_refused_but_kept(
    case: str, out: Path, tmp_path: Path
) -> None:
    body, message = BAD[case]
    archive = tmp_path / "mine.tar.gz"
    archive.write_bytes(body)
    with pytest.raises(DownloadError) as caught, served(ARCHIVE.url, tmp_path, local=archive):
        download_dataset(out)
    assert message in caught.value.problem
    assert "the file was not changed" in caught.value.problem
    assert caught.value.where == str(archive)
    assert archive.read_bytes() == body
    assert not out.exists()
    assert list(out.parent.iterdir()) == []


def test_a_changed_file_is_named_with_both_checksums(out: Path, cache: Path) -> None:
    changed = b"1\n0\n" * 400
    with (
        ArchiveServer(Answer(build_archive(FILES | {CHANGED: changed}))) as server,
        pytest.raises(DownloadError) as caught,
    ):
        run(server.url, out, cache)
    assert f"expected SHA-256 {CHECKSUMS[CHANGED]}" in caught.value.problem
    assert f"came {hashlib.sha256(changed).hexdigest()}" in caught.value.problem


def test_a_second_copy_of_a_file_is_verified_too(out: Path, tmp_path: Path) -> None:
    archive = tmp_path / "twice.tar.gz"
    archive.write_bytes(build_archive(FILES, extra=[member(f"{TOP}/{CHANGED}", b"other")]))
    with pytest.raises(DownloadError, match="not the file it should be"):
        extract(archive, out, CHECKSUMS)
    assert not out.exists()


def test_a_file_too_large_is_refused_unread(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MEMBER_LIMIT", 100)
    archive = tmp_path / "large.tar.gz"
    archive.write_bytes(GOOD)
    with pytest.raises(DownloadError, match="more than 100"):
        extract(archive, out, CHECKSUMS)


def test_a_damaged_byte_anywhere_is_one_clear_error_or_harmless(out: Path, tmp_path: Path) -> None:
    archive = tmp_path / "damaged.tar.gz"
    plain = gzip.decompress(build_archive(FILES))
    step = len(plain) // 60
    for offset in range(0, len(plain), step):
        bad = bytearray(plain)
        bad[offset] ^= 0xFF
        archive.write_bytes(gzip.compress(bytes(bad), compresslevel=1))
        try:
            extract(archive, out, CHECKSUMS)
        except DownloadError:
            assert not out.exists()
        else:
            assert_complete(out)
            shutil.rmtree(out)


def test_a_failure_keeps_what_an_earlier_run_had_put_there(out: Path, tmp_path: Path) -> None:
    archive = tmp_path / "copy.tar.gz"
    archive.write_bytes(GOOD)
    extract(archive, out, CHECKSUMS)
    archive.write_bytes(BAD["changed file"][0])
    with pytest.raises(DownloadError):
        extract(archive, out, CHECKSUMS)
    assert_complete(out)


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_a_missing_local_archive(kind: str, out: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    if kind == "folder":
        archive.mkdir()
    with (
        pytest.raises(DownloadError, match="does not exist, or is not a file") as caught,
        served(ARCHIVE.url, tmp_path, local=archive),
    ):
        download_dataset(out)
    assert caught.value.where == str(archive)
    assert "WSD_COARSEWSD20_ARCHIVE" in str(caught.value.fix)


def test_names_may_start_with_a_dot(out: Path, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in FILES.items():
            info, _ = member(f"./top/{name}", content)
            tar.addfile(info, io.BytesIO(content))
    archive = tmp_path / "repacked.tar.gz"
    archive.write_bytes(packed.getvalue())
    extract(archive, out, CHECKSUMS)
    assert_complete(out)


# The real thing


@pytest.mark.slow
def test_the_real_archive_over_http(archive: Path, out: Path, cache: Path) -> None:
    with (
        ArchiveServer(Answer(archive.read_bytes(), announced=None)) as server,
        served(server.url, cache, checksums=ARCHIVE.checksums),
    ):
        download_dataset(out)
    manifest = ARCHIVE.file_checksums()
    assert len(manifest) == 902
    assert tree(out) == set(downloaded_files())
    changed = set()
    for name, expected in manifest.items():
        content = (out / place(name)).read_bytes()
        assert b"\r" not in content
        if hashlib.sha256(content).hexdigest() != expected:
            changed.add(place(name))
    crlf = ("java", "pitcher", "seal", "square")
    assert changed == {f"{word}/{split}.gold.txt" for word in crlf for split in ("train", "test")}


@pytest.mark.parametrize("size", [-512, 2**62])
def test_a_member_of_an_impossible_size_is_refused_at_once(
    size: int, out: Path, tmp_path: Path
) -> None:
    info = tarfile.TarInfo(f"{TOP}/x")
    info.size = size
    packed = tmp_path / "hostile.tar.gz"
    packed.write_bytes(gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(1024)))
    with pytest.raises(DownloadError, match="refused: a member of"):
        extract(packed, out, CHECKSUMS)


# A small xz file is one block, so that a changed byte damages it.
XZ = lzma.compress(gzip.decompress(GOOD))


def zipped(files: Mapping[str, bytes], *links: str, prefix: str = f"{TOP}/") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(prefix + name)
            if name in links:
                entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def encrypted(packed: bytes) -> bytes:
    """Set the bit of encrypted files in all headers."""
    for start, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        parts = packed.split(start)
        packed = start.join(
            [parts[0]] + [part[: offset - 4] + b"\1" + part[offset - 3 :] for part in parts[1:]]
        )
    return packed


OTHER_KINDS = {
    "xz, cut": (XZ[: len(XZ) // 2], "not a tar.xz archive, or a damaged or incomplete one"),
    "xz, changed": (XZ[:99] + b"??" + XZ[101:], "not a tar.xz archive, or a damaged"),
    "xz of something else": (lzma.compress(b"hello" * 1000), "not a tar.xz archive"),
    "xz, a missing file": (
        lzma.compress(gzip.decompress(build_archive(without(CHANGED)))),
        f"lacks {CHANGED}",
    ),
    "zip, cut": (zipped(FILES)[:-30], "not a zip archive, or a damaged or incomplete one"),
    "zip, a missing file": (zipped(without(CHANGED)), f"lacks {CHANGED}"),
    "zip, a link": (zipped({**FILES, LINKED: b"/etc/hostname"}, LINKED), "is not the file"),
    "zip, encrypted": (encrypted(zipped(FILES)), "not a zip archive"),
    "zip, a climbing name": (zipped(FILES, prefix=f"{TOP}/../../"), "outside its folder"),
    "zip, an absolute name": (zipped(FILES, prefix="/"), "outside its folder"),
}


@pytest.mark.parametrize("name", OTHER_KINDS)
def test_a_bad_archive_of_another_kind_is_refused(name: str, out: Path, tmp_path: Path) -> None:
    content, says = OTHER_KINDS[name]
    packed = tmp_path / "archive"
    packed.write_bytes(content)
    with pytest.raises(DownloadError, match=says):
        extract(packed, out, CHECKSUMS)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [packed]


@pytest.mark.parametrize("content", [XZ, zipped(FILES)], ids=["xz", "zip"])
def test_an_archive_of_another_kind_has_limits(
    content: bytes, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "archive"
    packed.write_bytes(content)
    extract(packed, out, CHECKSUMS)
    assert (out / "LICENSE").read_bytes() == FILES[f"{ROOT}/LICENSE"]
    limits = {
        "MEMBER_LIMIT": (99, "more than 99"),
        "MEMBERS_LIMIT": (9, "more than 9 members"),
        "TOTAL_LIMIT": (999, "999 bytes|a member of"),
    }
    if content != XZ:  # a zip archive says the size of each member before it is unpacked
        del limits["TOTAL_LIMIT"]
    for name, (limit, says) in limits.items():
        with monkeypatch.context() as patch:
            patch.setattr(archives, name, limit)
            with pytest.raises(DownloadError, match=says):
                extract(packed, out, CHECKSUMS)


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_an_archive_that_was_packed_again_is_read(form: int, out: Path, tmp_path: Path) -> None:
    """The archive's names are too long for a plain header; each file has its own records."""
    packed = tmp_path / "again.tar.gz"
    with tarfile.open(packed, "w:gz", format=form) as tar:
        for name, content in FILES.items():
            info, content = member(f"{'x' * 120}/{name}", content, mtime=1.5)
            tar.addfile(info, io.BytesIO(content))
    extract(packed, out, CHECKSUMS)
    assert_complete(out)
