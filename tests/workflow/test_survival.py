"""The real workflow with damaged files, full and read-only disks, wrong clocks, and parallel runs.

Each test plants a fault in the results of a finished run and gives the same command again.
tests/helpers/crash.py tests crashes.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import crash
import psutil
import pytest
import yaml
from checkout import Checkout

from wsd.run.digests import SEEN
from wsd.run.session import LOCK

RESULTS = "results/quickstart"
VECTORS = "tiny/embeddings/crane/focal.safetensors"
EMBED_LOG = "results/logs/quickstart/tiny@*/embeddings/alignment@*.1.log"


@pytest.fixture(scope="module")
def done(
    finished: Callable[[Path], Checkout], tmp_path_factory: pytest.TempPathFactory
) -> Checkout:
    """Return a checkout with a finished run of one word, and a copy as ``reference``."""
    checkout = finished(tmp_path_factory.mktemp("survival") / "wsd")
    subprocess.run(["cp", "-a", checkout.root, checkout.root.with_name("reference")], check=True)
    return checkout


ARGUMENTS = ("--cores", "2", "--configfile", "config/one.yaml")


def differences(checkout: Checkout) -> list[str]:
    return crash.differences(checkout.root, checkout.root.with_name("reference"))


def stored(checkout: Checkout, name: str) -> Path:
    """Return the stored file behind a published path."""
    return (checkout.root / RESULTS / name).resolve(strict=True)


def to_be_embedded(checkout: Checkout) -> None:
    """Delete the vectors of the word, their listing, and the step's log."""
    of_word = stored(checkout, VECTORS).parent
    shutil.rmtree(of_word)
    for listing in of_word.parent.glob("*.json"):
        listing.unlink()
    for log in checkout.root.glob(EMBED_LOG):
        log.unlink()


@pytest.mark.slow
def test_damage_without_a_new_date_is_found_on_reading(done: Checkout) -> None:
    """A disk error keeps size and date: is the damage found, and repaired?"""
    assert done.run(*ARGUMENTS).nothing  # and has looked at every file
    vectors = stored(done, VECTORS)
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
    assert "run the same command again: it rebuilds the file" in failed.text
    assert "Traceback" not in failed.text
    assert done.run(*ARGUMENTS).jobs["embed"] == 1
    assert differences(done) == []


@pytest.mark.slow
def test_a_failing_job_shows_the_end_of_its_log_at_once(done: Checkout) -> None:
    """A job failed: do I see why, before Snakemake's own messages?"""
    model = {"name": "tall", "path": "tiny-bert", "blocks": 3, "width": 32}
    path = done.configure("tall", dataset="quickstart", words=["crane"], models=[model], layers=[1])
    record = f"{RESULTS}/tall/model.json"
    run = done.run(record, "--cores", "1", "--configfile", path, code=1)
    position = run.text.index("error: `blocks` is 3, but model tall has 2")
    assert position < run.text.index("Error in rule model")
    assert "what to do: " in run.text
    (log,) = done.root.glob("results/logs/quickstart/tall@*/model.log")
    log = log.read_text()
    assert '"level": "ERROR"' in log and '"step": "model"' in log and '"name": "tall"' in log


def kill_in_embed(checkout: Checkout) -> str:
    """Run until `embed` is at work, kill only that job, and return the output of the run."""
    run_log = checkout.root / "killed.log"
    run_log.unlink(missing_ok=True)
    process = crash.start(checkout.root, ARGUMENTS, run_log)
    job = None
    while job is None:
        assert process.poll() is None, run_log.read_text()
        time.sleep(0.02)
        for child in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                command = child.cmdline()
                begun = {"embed", "--log"} <= {*command} and "python" in command[0]
                log = Path(command[command.index("--log") + 1]) if begun else None
                job = child if log and (checkout.root / log).exists() else job
    job.kill()
    assert process.wait() == 1
    return run_log.read_text()


@pytest.mark.slow
def test_a_killed_job_is_reported(done: Checkout) -> None:
    """The system killed a job, as when memory runs out: do I see that, and can I go on?"""
    to_be_embedded(done)
    output = kill_in_embed(done)
    (log,) = done.root.glob(EMBED_LOG)
    assert f"{log.relative_to(done.root)} is incomplete" in output
    assert "when memory runs out" in output
    assert done.run("-n", *ARGUMENTS).jobs == {"embed": 1}
    done.run(*ARGUMENTS)
    assert differences(done) == []


@pytest.mark.slow
def test_a_run_that_fails_leaves_the_last_good_state(done: Checkout) -> None:
    """A run failed halfway: are my published results still the last complete ones?"""
    config = done.root / "config/one.yaml"
    before = config.read_text()
    changed = yaml.safe_load(before)
    changed["models"][0]["pooling"] = "first"
    config.write_text(json.dumps(changed))
    kill_in_embed(done)
    assert differences(done) == []
    run = done.run(*ARGUMENTS)
    assert run.jobs["embed"] == run.jobs["classify"] == run.jobs["evaluate"] == 1
    provenance = json.loads((done.root / RESULTS / "provenance.json").read_text())
    assert provenance["models"]["tiny"]["pooling"] == "first"
    config.write_text(before)
    assert done.run(*ARGUMENTS).nothing
    assert differences(done) == []


@contextlib.contextmanager
def at_work(done: Checkout) -> Iterator[subprocess.Popen[bytes]]:
    """Start a run and stop it in `embed`, so that it does not end during the test."""
    to_be_embedded(done)
    first = crash.start(done.root, ARGUMENTS, done.root / "first.log")
    lock = done.root / RESULTS / LOCK
    while not (lock.exists() and f"process {first.pid} " in lock.read_text()):
        assert first.poll() is None
        time.sleep(0.05)
    first.send_signal(signal.SIGSTOP)
    try:
        yield first
    finally:
        first.send_signal(signal.SIGCONT)


@pytest.mark.slow
def test_a_second_run_is_refused_and_the_first_is_not_disturbed(
    done: Checkout, tmp_path: Path
) -> None:
    """I started a run twice, or from two checkouts: is the first disturbed?"""
    other = Checkout.create(tmp_path / "other")
    for name in ("config", "tiny-bert"):
        shutil.copytree(done.root / name, other.root / name, dirs_exist_ok=True)
    (other.root / "results").symlink_to(done.root / "results")
    with at_work(done) as first:
        for checkout in (done, other):
            second = checkout.run(*ARGUMENTS, code=1)
            text = f"another run is using these results: process {first.pid} on "
            assert text in second.text and "Traceback" not in second.text
            assert checkout.run("-n", *ARGUMENTS).jobs == {"embed": 1}
    assert first.wait() == 0, (done.root / "first.log").read_text()[-3000:]
    assert differences(done) == []
    assert other.run(*ARGUMENTS).nothing
    assert other.run("-n", *ARGUMENTS, "--config", "seed=2").jobs["folds"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_after_a_signal_the_same_command_continues(done: Checkout, sign: signal.Signals) -> None:
    """I pressed Ctrl-C: can I give the same command again?"""
    to_be_embedded(done)
    process = crash.start(done.root, ARGUMENTS, done.root / "ended.log")
    while not list(done.root.glob(EMBED_LOG)):
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, sign)
    assert process.wait(120) != 0
    assert [left for left in crash.half_written(done.root) if left.endswith(".part")] == []
    done.run(*ARGUMENTS)
    assert differences(done) == []


@pytest.mark.slow
@pytest.mark.parametrize("hours", [-24 * 365 * 20, 24 * 365])
def test_files_dated_by_a_wrong_clock(done: Checkout, hours: int) -> None:
    """The clock was wrong: is anything computed again?"""
    moment = time.time() + 3600 * hours
    for path in (done.root / "results").rglob("*"):
        os.utime(path, (moment, moment), follow_symlinks=False)
    assert done.run(*ARGUMENTS).nothing
    stored(done, "folds/full.parquet").unlink()
    assert done.run(*ARGUMENTS).jobs == {"folds": 1}
    assert differences(done) == []


# Mounted disks, which need root


@contextlib.contextmanager
def mounted(folder: Path, *arguments: str) -> Iterator[None]:
    if os.geteuid():
        pytest.skip("only root can mount")
    done = subprocess.run(["mount", *arguments, folder], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.fixture
def empty(done: Checkout) -> Iterator[Path]:
    """Move the folder of results away, and restore it after the test."""
    results, kept = done.root / "results", done.root / "kept"
    results.rename(kept)
    results.mkdir()
    yield results
    results.rmdir()
    kept.rename(results)


@pytest.mark.slow
def test_a_full_disk_is_one_error_and_a_rerun_with_space_succeeds(
    done: Checkout, empty: Path
) -> None:
    """The disk is full: is that one clear error, and can I go on with more room?"""
    with mounted(empty, "-t", "tmpfs", "-o", "size=240k", "tmpfs"):
        failed = done.run(*ARGUMENTS, code=1)
        assert "No space left on device" in failed.text
        assert "make room, or choose another path; then run the same command again" in failed.text
        whole = [path for path in empty.rglob("*") if path.suffix in (".parquet", ".safetensors")]
        assert list(empty.rglob(".*.part")) == []
        subprocess.run(["mount", "-o", "remount,size=60m", empty], check=True)
        before = {path: path.stat().st_ino for path in whole}
        done.run(*ARGUMENTS)
        assert differences(done) == []
        assert {path: path.stat().st_ino for path in whole} == before


@pytest.mark.slow
def test_a_read_only_folder_is_reported_before_a_job_starts(done: Checkout, empty: Path) -> None:
    """I may not write here: do I learn that before hours of work?"""
    with mounted(empty, "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs"):
        failed = done.run(*ARGUMENTS, code=1)
        assert "could not be written: [Errno 30] Read-only file system" in failed.text
        assert "Traceback" not in failed.text and not failed.jobs
        subprocess.run(["mount", "-o", "remount,rw,size=60m", empty], check=True)
        done.run(*ARGUMENTS)
        assert differences(done) == []
