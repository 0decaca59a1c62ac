"""Kills real runs at moments spread over their time, runs the same command again, and compares.

    python tests/helpers/crash.py --kills 50 --writes 12 --every-rule --seed 1 --work /tmp/crash

Each kill has its own copy of the repository: the quickstart is started there, the whole process
group gets SIGKILL, and the same command is run again, with nothing unlocked or removed in between.
What it leaves must be, byte for byte, what an undisturbed run leaves. The moments are uniform over
the time of the undisturbed run: one, drawn by the seed, in each of as many equal parts of it.
Writing takes little of that time, so that few of them would fall into it: of the last ``--writes``
kills each waits, from its moment on, for the next file that is being written. With ``--every-rule``
a rule that no kill hit gets one more, as soon as it runs.

Called again with the same work folder it goes on where it was; several calls at once share the
kills among them. The folder of a kill that ended badly is kept.
"""

import argparse
import contextlib
import fcntl
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil
import same_results
from checkout import Checkout

from wsd.artifacts.vectors import VECTORS
from wsd.encoder.model_files import WEIGHTS
from wsd.run.verify_file import content, wrong
from wsd.storage.checksums import STORE
from wsd.storage.temporary_files import PART

QUICKSTART = ("--cores", "2", "--configfile", "config/quickstart.yaml")
COMMAND = re.compile(r"\bwsd (?:--log \S+ )?([a-z-]+)")


@dataclass
class Kill:
    """What one kill did, and whether the run after it put everything right."""

    number: int
    drawn: float
    moment: float
    running: list[str]
    half_written: list[str]
    damaged: list[str]
    code: int
    seconds: float
    differences: list[str]

    @property
    def well(self) -> bool:
        return self.code == 0 and not self.damaged and not self.differences


def differences(root: Path, reference: Path) -> list[str]:
    """What the results of one run have otherwise than those of another."""
    return same_results.differences(root / "results", reference / "results")


def start(root: Path, command: tuple[str, ...], log: Path) -> subprocess.Popen[bytes]:
    """Start snakemake in a process group of its own."""
    with log.open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", *command],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # What a shell starts in the background ignores it, and hands that down.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


def kill(process: subprocess.Popen[bytes]) -> list[str]:
    """SIGKILL a run with every process of it, and name the steps that were running."""
    family = []
    # To look at it takes longer than to write a file.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGSTOP)
    with contextlib.suppress(psutil.NoSuchProcess):
        family = psutil.Process(process.pid).children(recursive=True)
    running = steps(family)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    process.wait()
    psutil.wait_procs(family)
    return running


def steps(family: list[psutil.Process]) -> list[str]:
    """The steps that processes are at, by the names of their rules."""
    found = set()
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            command = COMMAND.search(" ".join(one.cmdline()))
            found.update([command[1].replace("-", "_")] if command else [])
    return sorted(found)


def half_written(root: Path) -> list[str]:
    """What of ours a kill has left unfinished, under its hidden names."""
    return sorted(path.relative_to(root).as_posix() for path in _unfinished(root / "results"))


def damaged(root: Path) -> list[str]:
    """What has its name in a store and is not what was written."""
    found = []
    for path in sorted((root / "results").glob(f"*/{STORE}/**/*")):
        if not path.is_file() or any(part[0] == "." for part in path.relative_to(root).parts):
            continue
        if path.suffix == VECTORS and path.name != WEIGHTS:  # their listing comes after them
            whole = content(path).startswith("crc32 ")
            found += [] if whole else [(path, content(path))]
        else:
            found += wrong(path)
    return [f"{path}: {problem}" for path, problem in found]


def _unfinished(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(FileNotFoundError):  # removed meanwhile
        for found in os.scandir(folder):
            ours = found.name.startswith(".") and found.name.endswith(PART)
            if ours:
                yield Path(found.path)
            elif found.is_dir(follow_symlinks=False):
                yield from _unfinished(Path(found.path))


def wait_for_a_write(process: subprocess.Popen[bytes], root: Path) -> None:
    """Until a file of the results is being written, or the run is at its end.

    Looks without a pause: a small table has its hidden name for some milliseconds. Within those
    between seeing it and stopping the run it may have got its own, and the next is waited for.
    """
    while process.poll() is None:
        if next(_unfinished(root / "results"), None) is None:
            continue
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGSTOP)
            time.sleep(0.01)
            if next(_unfinished(root / "results"), None) is not None:
                return
            os.killpg(process.pid, signal.SIGCONT)


def wait_for_a_step(process: subprocess.Popen[bytes], rule: str) -> None:
    """Until a rule runs, or the run is at its end."""
    with contextlib.suppress(psutil.NoSuchProcess):
        run = psutil.Process(process.pid)
        while process.poll() is None and rule not in steps(run.children(recursive=True)):
            time.sleep(0.02)


@contextlib.contextmanager
def claimed(path: Path, *, wait: bool) -> Iterator[bool]:
    """Whether this process alone has a piece of the work."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def undisturbed(work: Path, base: Path, command: tuple[str, ...]) -> float:
    """Have ``work/reference``, what a run leaves that nobody kills; its seconds.

    It is run twice: the first run reads everything from the disk and takes longer than those that
    are killed, and the two must be alike, or the comparison would say nothing.
    """
    done = work / "reference.json"
    with claimed(work / "reference.lock", wait=True):
        if not done.exists():
            for root in (work / "first", work / "reference"):
                shutil.rmtree(root, ignore_errors=True)
                shutil.copytree(base, root)
                begin = time.monotonic()
                log = root.with_suffix(".log")
                code = start(root, command, log).wait()
                assert code == 0, log.read_text()[-3000:]
                seconds = time.monotonic() - begin
            assert not (unlike := differences(work / "first", work / "reference")), unlike
            shutil.rmtree(work / "first")
            done.write_text(json.dumps({"seconds": seconds}))
    return float(json.loads(done.read_text())["seconds"])


def moments(n: int, seed: int, seconds: float) -> list[float]:
    """One moment in each of ``n`` equal parts of the time, in no order."""
    draw = random.Random(seed)
    found = [(i + draw.random()) * seconds / n for i in range(n)]
    draw.shuffle(found)
    return found


def one(
    work: Path,
    base: Path,
    command: tuple[str, ...],
    number: int,
    drawn: float,
    *,
    write: bool = False,
    rule: str = "",
) -> Kill:
    """Kill one run, in a write or a rule if one is to be waited for, run it again, and compare."""
    root, log = work / f"kill-{number}", work / f"kill-{number}.log"
    shutil.rmtree(root, ignore_errors=True)
    log.unlink(missing_ok=True)
    shutil.copytree(base, root)
    begin = time.monotonic()
    process = start(root, command, log)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(drawn)
    if write:
        wait_for_a_write(process, root)
    if rule:
        wait_for_a_step(process, rule)
    moment = time.monotonic() - begin
    running = kill(process)
    left = half_written(root)
    broken = damaged(root)
    begin = time.monotonic()
    code = start(root, command, log).wait()
    seconds = time.monotonic() - begin
    unlike = differences(root, work / "reference")
    found = Kill(number, drawn, moment, running, left, broken, code, seconds, unlike)
    if found.well:
        shutil.rmtree(root)
    return found


def run(
    work: Path, base: Path, command: tuple[str, ...], n: int, seed: int, writes: int
) -> list[Kill]:
    """All kills that no other process has done or is at; then every one that is done.

    The last ``writes`` of them wait for a write.
    """
    seconds = undisturbed(work, base, command)
    print(f"undisturbed: {seconds:.0f} s; seed {seed}; {n} kills, {writes} in a write", flush=True)
    files = [work / f"kill-{i}.of-{n}.seed-{seed}.json" for i in range(n)]
    for i, drawn in enumerate(moments(n, seed, seconds)):
        with claimed(files[i].with_suffix(".lock"), wait=False) as mine:
            if mine and not files[i].exists():
                found = one(work, base, command, i, drawn, write=i >= n - writes)
                files[i].write_text(json.dumps(asdict(found)))
                print(line(found), flush=True)
    return [Kill(**json.loads(file.read_text())) for file in files if file.exists()]


def line(found: Kill) -> str:
    verdict = "well" if found.well else f"BAD: exit {found.code} {found.damaged or ''}"
    return (
        f"kill {found.number} at {found.moment:.1f} s (drawn: {found.drawn:.1f}), "
        f"in {', '.join(found.running) or 'no job'}; "
        f"left {len(found.half_written)} unfinished; again {found.seconds:.0f} s: {verdict} "
        f"{'; '.join(found.differences[:5])}"
    ).rstrip()


def every_rule(
    work: Path, base: Path, command: tuple[str, ...], kills: list[Kill], seed: int
) -> list[Kill]:
    """One kill more for each rule that none has hit."""
    further = []
    for i, rule in enumerate(never_hit(kills, work / "reference.log")):
        file = work / f"kill-in-{rule}.seed-{seed}.json"
        if not file.exists():
            file.write_text(
                json.dumps(asdict(one(work, base, command, len(kills) + i, 0, rule=rule)))
            )
        further.append(Kill(**json.loads(file.read_text())))
        print(line(further[-1]), flush=True)
    return further


def hits(kills: list[Kill]) -> Counter[str]:
    """How often each rule was running."""
    return Counter(rule for found in kills for rule in found.running)


def never_hit(kills: list[Kill], log: Path) -> list[str]:
    """The rules of an undisturbed run that no kill fell into."""
    rules = set(re.findall(r"\(Rule: (\w+)\)", log.read_text())) - {"all"}
    return sorted(rules - set(hits(kills)))


def tally(kills: list[Kill], log: Path) -> str:
    """How often each rule was hit, those that were not, and how many kills fell into a write."""
    writes = sum(bool(found.half_written) for found in kills)
    lines = [
        f"{sum(found.well for found in kills)} of {len(kills)} kills ended well; "
        f"{writes} fell into a write of ours",
        "hit: " + ", ".join(f"{rule} {count}" for rule, count in hits(kills).most_common()),
        "never hit: " + (", ".join(never_hit(kills, log)) or "none"),
        "not compared: "
        + "; ".join(f"{name} ({why})" for name, why in same_results.EXCLUDED.items()),
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--writes", type=int, default=2)
    parser.add_argument("--every-rule", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=Path("/tmp/wsd-crash"))
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    base = args.work / "base"
    with claimed(args.work / "base.lock", wait=True):
        if not base.exists():
            Checkout.create(base)
    kills = run(args.work, base, QUICKSTART, args.kills, args.seed, args.writes)
    if args.every_rule:
        kills += every_rule(args.work, base, QUICKSTART, kills, args.seed)
    print(tally(kills, args.work / "reference.log"))
    return 0 if all(found.well for found in kills) else 1


if __name__ == "__main__":
    sys.exit(main())
