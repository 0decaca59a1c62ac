"""The real workflow with damaged files, a full disk, and parallel runs.

Each test plants a fault in the results of a finished run and gives the same command again.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import crash
import psutil
import pytest
import same_results
import yaml
from checkout import Checkout

from wsd.run.digests import SEEN
from wsd.run.session import LOCK

pytestmark = pytest.mark.slow

RESULTS = "results/quickstart"
EMBED_LOG = "results/logs/quickstart/tiny@*/embeddings/alignment@*.1.log"
ARGUMENTS = ("--cores", "2", "--configfile", "config/one.yaml")


@pytest.fixture(scope="module")
def done(
    finished: Callable[[Path], Checkout], tmp_path_factory: pytest.TempPathFactory
) -> Checkout:
    """Return a checkout with a finished run of one word, and a copy as ``reference``."""
    checkout = finished(tmp_path_factory.mktemp("survival") / "wsd")
    subprocess.run(["cp", "-a", checkout.root, checkout.root.with_name("reference")], check=True)
    return checkout


def differences(checkout: Checkout) -> list[str]:
    reference = checkout.root.with_name("reference")
    return same_results.differences(checkout.root / "results", reference / "results")


def stored(checkout: Checkout, name: str) -> Path:
    """Return the stored file behind a published path."""
    return (checkout.root / RESULTS / name).resolve(strict=True)


def start_to_embed(checkout: Checkout) -> subprocess.Popen[bytes]:
    """Delete the vectors of the word, their listing and the step's log, and start a run."""
    of_word = stored(checkout, "tiny/embeddings/crane/focal.safetensors").parent
    shutil.rmtree(of_word)
    for path in (*of_word.parent.glob("*.json"), *checkout.root.glob(EMBED_LOG)):
        path.unlink()
    return crash.start(checkout, ARGUMENTS, checkout.root / "run.log")


def test_damage_without_a_new_date_is_found_on_reading(done: Checkout) -> None:
    """A disk error keeps size and date: is the damage found, and repaired?"""
    assert done.run(*ARGUMENTS).nothing  # and has looked at every file
    vectors = stored(done, "tiny/embeddings/crane/focal.safetensors")
    data = bytearray(vectors.read_bytes())
    # Each of the three layers has 124 vectors of 32 floats.
    data[-124 * 32 * 4 - 3000] ^= 1
    vectors.write_bytes(data)
    seen = done.root / "results" / SEEN
    known = json.loads(seen.read_text())
    status = vectors.stat()
    signs = [status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]
    known[str(vectors)][:-1] = signs
    seen.write_text(json.dumps(known))
    stored(done, "tiny/predictions/full/focal/1.nearest_centroid.parquet").unlink()
    failed = done.run(*ARGUMENTS, code=1)
    assert "layer 1 has changed since it was written" in failed.text
    assert "Traceback" not in failed.text
    assert done.run(*ARGUMENTS).jobs["embed"] == 1
    assert differences(done) == []


def test_a_failing_job_shows_the_end_of_its_log_at_once(done: Checkout) -> None:
    """A job failed: do I see why, before Snakemake's own messages?"""
    model = {"name": "tall", "path": "tiny-bert", "blocks": 3, "width": 32}
    path = done.configure("tall", dataset="quickstart", words=["crane"], models=[model], layers=[1])
    record = f"{RESULTS}/tall/model.json"
    run = done.run(record, "--cores", "1", "--configfile", path, code=1)
    position = run.text.index("error: `blocks` is 3, but model tall has 2")
    assert position < run.text.index("Error in rule model")
    (log,) = done.root.glob("results/logs/quickstart/tall@*/model.log")
    log = log.read_text()
    assert '"level": "ERROR"' in log and '"step": "model"' in log and '"name": "tall"' in log


def jobs_at_work(checkout: Checkout, process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Return the processes of `wsd embed` whose log has begun."""
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            command = child.cmdline()
            if {"embed", "--log"} <= {*command} and "python" in command[0]:
                log = checkout.root / command[command.index("--log") + 1]
                found += [child] if log.exists() else []
    return found


def test_a_killed_job_is_reported_and_changes_no_result(done: Checkout) -> None:
    """The system killed a job, as when memory runs out: do I see that, and are my results whole?"""
    config = done.root / "config/one.yaml"
    before = config.read_text()
    changed = yaml.safe_load(before)
    changed["models"][0]["pooling"] = "first"
    config.write_text(json.dumps(changed))
    log = done.root / "killed.log"
    process = crash.start(done, ARGUMENTS, log)
    crash.wait_until(process, lambda: bool(jobs_at_work(done, process)))
    jobs_at_work(done, process)[0].kill()
    assert process.wait() == 1
    assert "@" in log.read_text() and ".log is incomplete" in log.read_text()
    assert differences(done) == []
    again = done.run("-n", *ARGUMENTS).jobs
    assert again["embed"] == again["classify"] == again["evaluate"] == 1
    config.write_text(before)
    assert done.run(*ARGUMENTS).nothing


def test_a_second_run_is_refused_and_the_first_is_not_disturbed(
    done: Checkout, tmp_path: Path
) -> None:
    """I started a run twice, or from two checkouts: is the first disturbed?"""
    other = Checkout.create(tmp_path / "other")
    for name in ("config", "tiny-bert"):
        shutil.copytree(done.root / name, other.root / name, dirs_exist_ok=True)
    (other.root / "results").symlink_to(done.root / "results")
    first = start_to_embed(done)
    lock = done.root / RESULTS / LOCK
    crash.wait_until(first, lambda: lock.exists() and f"process {first.pid} " in lock.read_text())
    first.send_signal(signal.SIGSTOP)  # so that it does not end during the test
    try:
        for checkout in (done, other):
            second = checkout.run(*ARGUMENTS, code=1)
            text = f"another run is using these results: process {first.pid} on "
            assert text in second.text and "Traceback" not in second.text
        assert other.run("-n", *ARGUMENTS).jobs == {"embed": 1}
    finally:
        first.send_signal(signal.SIGCONT)
    assert first.wait() == 0, (done.root / "run.log").read_text()[-3000:]
    assert differences(done) == []


def test_after_a_signal_the_same_command_continues(done: Checkout) -> None:
    """I pressed Ctrl-C: can I give the same command again?"""
    for sign in (signal.SIGTERM, signal.SIGINT):
        process = start_to_embed(done)
        crash.wait_for_log(process, done.root, EMBED_LOG)
        os.killpg(process.pid, sign)
        assert process.wait(120) != 0
        assert [left for left in crash.half_written(done.root) if left.endswith(".part")] == []
        done.run(*ARGUMENTS)
        assert differences(done) == []


@pytest.fixture
def small_disk(done: Checkout) -> Iterator[Path]:
    """Put a disk of 240 kB in place of the folder of results, and restore it after the test."""
    results, kept = done.root / "results", done.root / "kept"
    results.rename(kept)
    results.mkdir()
    try:
        mount = ["mount", "-t", "tmpfs", "-o", "size=240k", "tmpfs", results]
        mounted = subprocess.run(mount, capture_output=True, text=True)
        if mounted.returncode:
            pytest.skip(f"nothing can be mounted here: {mounted.stderr.strip()}")
        yield results
        subprocess.run(["umount", results], check=True)
    finally:
        results.rmdir()
        kept.rename(results)


def test_a_full_disk_is_one_error_and_a_rerun_with_space_succeeds(
    done: Checkout, small_disk: Path
) -> None:
    """The disk is full: is that one clear error, and can I go on with more room?"""
    failed = done.run(*ARGUMENTS, code=1)
    assert "No space left on device" in failed.text
    files = [*small_disk.rglob("*")]
    whole = [path for path in files if path.suffix in (".parquet", ".safetensors")]
    assert not [path for path in files if path.name.endswith(".part")]
    subprocess.run(["mount", "-o", "remount,size=60m", small_disk], check=True)
    before = {path: path.stat().st_ino for path in whole}
    done.run(*ARGUMENTS)
    assert differences(done) == []
    assert {path: path.stat().st_ino for path in whole} == before
