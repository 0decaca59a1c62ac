"""The real workflow on damaged files, full and read-only disks, wrong clocks, and beside another.

Each fault is planted in the results of a run that is done; the same command is then given again.
Crashes have a harness of their own, tests/helpers/crash.py.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import crash
import psutil
import pytest
import yaml
from checkout import Checkout
from hub_server import HubServer
from tiny import tiny_bert

from wsd.artifacts import predictions
from wsd.encoder.resume import UNFINISHED
from wsd.run.lock import RUN_LOCK
from wsd.run.noted import STATE

EMBEDDINGS = "results/quickstart/tiny/embeddings/crane"
EMBED_LOG = "results/logs/quickstart/tiny/embed/1.log"


@pytest.fixture(scope="module")
def done(
    finished: Callable[[Path], Checkout], tmp_path_factory: pytest.TempPathFactory
) -> Checkout:
    """A run of one word that is done; ``reference`` beside it has what it wrote."""
    checkout = finished(tmp_path_factory.mktemp("survival") / "wsd")
    subprocess.run(["cp", "-a", checkout.root, checkout.root.with_name("reference")], check=True)
    return checkout


# As far as the scores: what comes after them reaches the disk in the same ways.
ARGUMENTS = ("results/quickstart/scores.csv", "--cores", "2", "--configfile", "config/one.yaml")


def differences(checkout: Checkout) -> list[str]:
    found = crash.differences(checkout.root, checkout.root.with_name("reference"))
    return [name for name in found if ".damaged" not in name]


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


@pytest.mark.slow
def test_damage_seen_at_the_start_is_put_right_by_the_same_command(done: Checkout) -> None:
    results = done.root / "results/quickstart"
    flip(results / "scores.csv", 150)
    (results / "selection.json").write_text("{")
    os.truncate(results / "corpus/crane.parquet", 100)
    os.truncate(done.root / EMBEDDINGS / "focal.safetensors", 900)
    run = done.run(*ARGUMENTS)
    assert run.text.count("damaged: results/quickstart/") == 4
    assert run.jobs["embed"] == run.jobs["evaluate"] == run.jobs["corpus"] == 1
    assert differences(done) == []
    assert done.run(*ARGUMENTS).nothing


@pytest.mark.slow
def test_damage_seen_on_reading_is_put_right_by_the_next_run(done: Checkout) -> None:
    # Each of the three layers is 124 vectors of 32 floats.
    flip(done.root / EMBEDDINGS / "focal.safetensors", -124 * 32 * 4 - 3000)
    table = "results/quickstart/tiny/predictions/full/focal/1.nearest_centroid.parquet"
    (done.root / table).unlink()
    failed = done.run(*ARGUMENTS, code=1)
    assert "layer 1 is not what was written" in failed.text
    assert "run the same command again: the file is made anew" in failed.text
    assert "Traceback" not in failed.text
    assert done.run(*ARGUMENTS).jobs["embed"] == 1
    assert differences(done) == []


@pytest.mark.slow
def test_a_failing_job_shows_the_end_of_its_log_at_once(done: Checkout) -> None:
    model = {"name": "gone", "path": "nowhere", "blocks": 2, "width": 32}
    path = done.configure("gone", dataset="quickstart", words=["crane"], models=[model], layers=[1])
    run = done.run("results/models/gone.json", "--cores", "1", "--configfile", path, code=1)
    said = run.text.index("error: there is no folder nowhere")
    assert said < run.text.index("Error in rule model")
    assert "what to do: correct the model's `path`" in run.text
    log = (done.root / "results/logs/models/gone.log").read_text()
    assert '"level": "ERROR"' in log and '"step": "model"' in log and '"name": "gone"' in log


def kill_in_embed(checkout: Checkout, *further: str) -> str:
    """Run until `embed` is at work, kill that job alone, and give what the run said."""
    log, said = checkout.root / EMBED_LOG, checkout.root / "killed.log"
    log.unlink()
    said.unlink(missing_ok=True)
    process = crash.start(checkout.root, (*ARGUMENTS, *further), said)
    job = None
    while job is None:
        assert process.poll() is None, said.read_text()
        time.sleep(0.02)
        for child in psutil.Process(process.pid).children(recursive=True) if log.exists() else []:
            with contextlib.suppress(psutil.NoSuchProcess):
                job = child if "embed" in child.cmdline() else job
    job.kill()
    assert process.wait() == 1
    return said.read_text()


@pytest.mark.slow
def test_a_job_that_was_killed_is_told_of(done: Checkout) -> None:
    """As when memory runs out: the run itself lives on."""
    said = kill_in_embed(done, "--forcerun", "embed")
    assert f"{EMBED_LOG} ends in the middle" in said
    assert "when memory runs out" in said
    assert done.run("-n", *ARGUMENTS).jobs["embed"] == 1
    done.run(*ARGUMENTS)
    assert differences(done) == []


@pytest.mark.slow
def test_a_failure_after_a_change_leaves_no_old_figures(done: Checkout) -> None:
    """Snakemake alone would take the figures of the old vectors for those of the new settings."""
    config = done.root / "config/one.yaml"
    before = config.read_text()
    changed = yaml.safe_load(before)
    changed["models"][0]["pooling"] = "first"
    config.write_text(json.dumps(changed))
    kill_in_embed(done)
    run = done.run(*ARGUMENTS)
    assert run.jobs["embed"] == run.jobs["classify"] == run.jobs["evaluate"] == 1
    table = done.root / "results/quickstart/tiny/predictions/full/focal/1.nearest_centroid.parquet"
    assert predictions.read_predictions(table)[1]["encoder"]["pooling"] == "first"
    config.write_text(before)
    done.run(*ARGUMENTS)
    assert differences(done) == []


@pytest.mark.slow
def test_what_was_deleted_is_made_again(done: Checkout) -> None:
    (done.root / "results/quickstart/corpus/crane.parquet").unlink()
    shutil.rmtree(done.root / EMBEDDINGS)
    run = done.run(*ARGUMENTS)
    assert run.jobs["corpus"] == run.jobs["embed"] == 1
    assert differences(done) == []
    assert done.run(*ARGUMENTS).nothing


@contextlib.contextmanager
def at_work(done: Checkout) -> Iterator[subprocess.Popen[bytes]]:
    """A run that has the folder's lock, and stands still so that it does not end meanwhile."""
    first = crash.start(done.root, (*ARGUMENTS, "--forceall"), done.root / "first.log")
    lock = done.root / "results" / STATE / RUN_LOCK
    while f'"pid": {first.pid}' not in lock.read_text():
        assert first.poll() is None
        time.sleep(0.1)
    first.send_signal(signal.SIGSTOP)
    try:
        yield first
    finally:
        first.send_signal(signal.SIGCONT)


@pytest.mark.slow
def test_a_second_run_in_the_folder_is_refused_and_the_first_is_not_disturbed(
    done: Checkout,
) -> None:
    with at_work(done) as first:
        second = done.run(*ARGUMENTS, code=1)
        assert f"another run is at work in this folder (process {first.pid}" in second.text
        assert "Traceback" not in second.text
        assert "Building DAG" in done.run("-n", *ARGUMENTS).text
    assert first.wait() == 0, (done.root / "first.log").read_text()[-3000:]
    assert differences(done) == []


@pytest.mark.slow
@pytest.mark.parametrize("gone", ["the notes' links", "the notes"])
def test_another_config_is_seen_without_snakemakes_folder(done: Checkout, gone: str) -> None:
    """Removed, or never there: a container that keeps the results, a copy, another checkout."""
    shutil.rmtree(done.root / ".snakemake")
    if gone == "the notes":
        shutil.rmtree(done.root / "results" / STATE)
    else:
        assert done.run("-n", *ARGUMENTS).nothing
    run = done.run(*ARGUMENTS, "--config", "seed=2")
    assert run.jobs["folds"] == run.jobs["evaluate"] == 1 and run.jobs["classify"]
    assert ("nobody noted what made" in run.text) == (gone == "the notes")
    provenance = json.loads((done.root / "results/quickstart/provenance.json").read_text())
    assert provenance["config"]["seed"] == 2
    assert differences(done) != []
    done.run(*ARGUMENTS)
    assert differences(done) == []


@pytest.mark.slow
def test_two_checkouts_of_one_folder_of_results(done: Checkout, tmp_path: Path) -> None:
    """The second is refused while the first runs, and then sees which config made them."""
    other = Checkout.create(tmp_path / "other")
    for name in ("config", "tiny-bert"):
        if (done.root / name).is_dir():
            shutil.copytree(done.root / name, other.root / name, dirs_exist_ok=True)
    (other.root / "results").symlink_to(done.root / "results")
    with at_work(done) as first:
        assert f"(process {first.pid}" in other.run(*ARGUMENTS, code=1).text
    assert first.wait() == 0, (done.root / "first.log").read_text()[-3000:]
    assert other.run("-n", *ARGUMENTS, "--config", "seed=2").jobs["folds"] == 1
    assert differences(done) == []


@pytest.mark.slow
def test_two_folders_share_the_hubs_cache(done: Checkout, tmp_path: Path) -> None:
    revision = "0123456789" * 4
    model = {"name": "served", "hub": "org/tiny", "revision": revision, "blocks": 2, "width": 32}
    folder = tiny_bert(tmp_path / "served")
    with HubServer({"org/tiny": {revision: folder}}) as server:
        online = server.environment(tmp_path / "home")
        both = []
        for name in ("one", "two"):
            checkout = Checkout.create(tmp_path / name)
            checkout.configure(
                "hub", dataset="quickstart", words=["crane"], models=[model], layers=[1]
            )
            target = "results/quickstart/served/embeddings/focal.1.json"
            with (tmp_path / f"{name}.log").open("w") as log:
                process = subprocess.Popen(
                    [sys.executable, "-m", "snakemake", target, "--cores", "1",
                     "--configfile", "config/hub.yaml"],
                    cwd=checkout.root, stdout=log, stderr=log,
                    env={**os.environ, "HF_HUB_OFFLINE": "0", **online,
                         "PYTHONPATH": str(checkout.root)},
                )  # fmt: skip
            both.append((process, checkout.root / target, tmp_path / f"{name}.log"))
        for process, _, log in both:
            assert process.wait() == 0, log.read_text()[-3000:]
    assert len({path.read_bytes() for _, path, _ in both}) == 1


@pytest.mark.slow
def test_a_damaged_file_in_the_hubs_cache_is_fetched_again(tmp_path: Path) -> None:
    """Damaged after the model's record was made; the config has no checksum of it."""
    revision = "0123456789" * 4
    model = {"name": "served", "hub": "org/tiny", "revision": revision, "blocks": 2, "width": 32}
    checkout = Checkout.create(tmp_path / "wsd")
    path = checkout.configure(
        "hub", dataset="quickstart", words=["crane"], models=[model], layers=[1]
    )
    arguments = ("--cores", "1", "--configfile", path)
    with HubServer({"org/tiny": {revision: tiny_bert(tmp_path / "served")}}) as server:
        online = server.environment(tmp_path / "home")
        checkout.run("results/models/served.json", *arguments, **online)
        (weights,) = (tmp_path / "home").rglob("snapshots/*/model.safetensors")
        flip(weights.resolve(), 5000)
        target = "results/quickstart/served/embeddings/focal.1.json"
        failed = checkout.run(target, *arguments, code=1, **online)
        assert "model.safetensors of model served has changed" in failed.text
        assert "run the same command again" in failed.text
        run = checkout.run(target, *arguments, **online)
        assert run.jobs == {"model": 1, "embed": 1}


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_ended_politely_the_same_command_goes_on(done: Checkout, sign: signal.Signals) -> None:
    process = crash.start(done.root, (*ARGUMENTS, "--forceall"), done.root / "ended.log")
    log = done.root / EMBED_LOG
    log.unlink()
    while not log.exists():
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
    moment = time.time() + 3600 * hours
    for path in (done.root / "results").rglob("*"):
        os.utime(path, (moment, moment))
    run = done.run(*ARGUMENTS)
    assert ("are dated in the future: dated now" in run.text) == (hours > 0)
    module = done.root / "wsd/evaluation/evaluate.py"
    module.write_text(module.read_text() + "\n# edited\n")
    again = done.run(*ARGUMENTS)
    assert again.jobs == {"evaluate": 1}, "an edit is seen whatever the clock was"
    assert differences(done) == []


# Disks, which only root may mount


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
    """The folder of results, moved out of the way; it comes back."""
    results, kept = done.root / "results", done.root / "kept"
    results.rename(kept)
    results.mkdir()
    yield results
    results.rmdir()
    kept.rename(results)


@pytest.mark.slow
def test_a_full_disk_is_one_error_and_with_room_the_same_command_ends(
    done: Checkout, empty: Path
) -> None:
    with mounted(empty, "-t", "tmpfs", "-o", "size=240k", "tmpfs"):
        failed = done.run(*ARGUMENTS, code=1)
        assert "No space left on device" in failed.text
        assert "make room on that disk; then run the same command again" in failed.text
        whole = [
            path
            for path in empty.rglob("*")
            if path.suffix in (".parquet", ".safetensors") and UNFINISHED not in path.parts
        ]
        assert list(empty.rglob(".*.part")) == []
        subprocess.run(["mount", "-o", "remount,size=60m", empty], check=True)
        before = {path: path.stat().st_ino for path in whole}
        done.run(*ARGUMENTS)
        assert differences(done) == []
        assert {path: path.stat().st_ino for path in whole} == before


@pytest.mark.slow
def test_a_disk_without_any_room_is_said_before_a_job_starts(done: Checkout, empty: Path) -> None:
    with mounted(empty, "-t", "tmpfs", "-o", "size=16k", "tmpfs"):
        failed = done.run(*ARGUMENTS, code=1)
        assert "results/probe could not be written: No space left on device" in failed.text
        assert not failed.jobs
        assert list(empty.iterdir()) == []


@pytest.mark.slow
def test_a_read_only_folder_is_said_before_a_job_starts(done: Checkout, empty: Path) -> None:
    with mounted(empty, "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs"):
        failed = done.run(*ARGUMENTS, code=1)
        assert "could not be written: Read-only file system" in failed.text
        assert "mounted read-only: make it writable" in failed.text
        assert "Traceback" not in failed.text and not failed.jobs
        subprocess.run(["mount", "-o", "remount,rw,size=60m", empty], check=True)
        done.run(*ARGUMENTS)
        assert differences(done) == []
