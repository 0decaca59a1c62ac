"""Kill real runs at random moments, run the same command again, and compare the results.

    python tests/helpers/crash.py --kills 50 --writes 12 --every-rule --seed 1 --work /tmp/crash

Each kill has its own copy of the repository. The quickstart starts there, the whole process group
gets SIGKILL, and the same command runs again; nothing is unlocked or removed in between. The
results must equal those of an undisturbed run byte for byte. The time of the undisturbed run is
divided into equal parts, and each kill falls at a random moment of its part. Few kills would fall
into a write, because writing takes little time. The last ``--writes`` kills therefore wait from
their moment on until a file is being written. ``--every-rule`` adds one kill for each rule that no
kill hit, as soon as it runs.

A second call with the same work folder continues the work; several calls at once share the kills.
The script keeps the folder of a kill that ended badly.
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
from wsd.run.check import checksum_or_problem, damaged_files
from wsd.storage.atomic import PART
from wsd.storage.checksums import STORE

QUICKSTART = ("--cores", "2", "--configfile", "config/quickstart.yaml")
COMMAND = re.compile(r"\bwsd (?:--log \S+ )?([a-z-]+)")


@dataclass
class Kill:
    """The effect of one kill, and whether the run after it repaired everything."""

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
    """List the differences between the results of two runs."""
    return same_results.differences(root / "results", reference / "results")


def start(root: Path, command: tuple[str, ...], log: Path) -> subprocess.Popen[bytes]:
    """Start snakemake in a new process group."""
    with log.open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", *command],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # A background process of a shell ignores SIGINT, and its children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


def kill(process: subprocess.Popen[bytes]) -> list[str]:
    """Kill a run with all its processes, and return the steps that were running."""
    family = []
    # Stop the run first: listing its processes takes longer than writing a file.
    signal_group(process, signal.SIGSTOP)
    with contextlib.suppress(psutil.NoSuchProcess):
        family = psutil.Process(process.pid).children(recursive=True)
    running = steps(family)
    signal_group(process, signal.SIGKILL)
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    process.wait()
    psutil.wait_procs(family)
    return running


def signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def steps(family: list[psutil.Process]) -> list[str]:
    """Return the rules that the processes are running."""
    rules = set()
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            command = COMMAND.search(" ".join(member.cmdline()))
            rules.update([command[1].replace("-", "_")] if command else [])
    return sorted(rules)


def half_written(root: Path) -> list[str]:
    """List the temporary files that a kill left behind."""
    return sorted(path.relative_to(root).as_posix() for path in _unfinished(root / "results"))


def damaged(root: Path) -> list[str]:
    """List the files of the stores whose content does not match their checksums."""
    problems = []
    for path in sorted((root / "results").glob(f"*/{STORE}/**/*")):
        if not path.is_file() or any(part[0] == "." for part in path.relative_to(root).parts):
            continue
        if path.suffix == VECTORS and path.name != WEIGHTS:  # vectors contain their checksum
            whole = checksum_or_problem(path).startswith("crc32 ")
            problems += [] if whole else [(path, checksum_or_problem(path))]
        else:
            problems += damaged_files(path)
    return [f"{path}: {problem}" for path, problem in problems]


def _unfinished(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(FileNotFoundError):  # removed meanwhile
        for entry in os.scandir(folder):
            is_part = entry.name.startswith(".") and entry.name.endswith(PART)
            if is_part:
                yield Path(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                yield from _unfinished(Path(entry.path))


def wait_for_a_write(process: subprocess.Popen[bytes], root: Path) -> None:
    """Wait until the run writes a file of the results, or ends.

    The loop does not sleep, because a small table has its temporary name only for milliseconds. If
    the file is complete by the time the run stops, wait for the next one.
    """
    while process.poll() is None:
        if next(_unfinished(root / "results"), None) is None:
            continue
        signal_group(process, signal.SIGSTOP)
        time.sleep(0.01)
        if next(_unfinished(root / "results"), None) is not None:
            return
        signal_group(process, signal.SIGCONT)


def wait_for_a_step(process: subprocess.Popen[bytes], rule: str) -> None:
    """Wait until a rule runs, or the run ends."""
    with contextlib.suppress(psutil.NoSuchProcess):
        run = psutil.Process(process.pid)
        while process.poll() is None and rule not in steps(run.children(recursive=True)):
            time.sleep(0.02)


@contextlib.contextmanager
def claimed(path: Path, *, wait: bool) -> Iterator[bool]:
    """Lock a file; yield False if another process has locked it."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def undisturbed(work: Path, base: Path, command: tuple[str, ...]) -> float:
    """Create ``work/reference``, the results of an undisturbed run, and return its seconds.

    The run is made twice, for two reasons: the first one takes longer because it reads everything
    from the disk, and the two results must be equal for the comparison to have a meaning.
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
    """Draw one moment in each of ``n`` equal parts of the time, in random order."""
    draw = random.Random(seed)
    times = [(i + draw.random()) * seconds / n for i in range(n)]
    draw.shuffle(times)
    return times


def kill_once(
    work: Path,
    base: Path,
    command: tuple[str, ...],
    number: int,
    drawn: float,
    *,
    write: bool = False,
    rule: str = "",
) -> Kill:
    """Kill one run (optionally in a write or a rule), run it again, and compare."""
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
    running, left, broken = kill(process), half_written(root), damaged(root)
    begin = time.monotonic()
    code = start(root, command, log).wait()
    seconds, unlike = time.monotonic() - begin, differences(root, work / "reference")
    result = Kill(number, drawn, moment, running, left, broken, code, seconds, unlike)
    if result.well:
        shutil.rmtree(root)
    return result


def run(
    work: Path, base: Path, command: tuple[str, ...], n: int, seed: int, writes: int
) -> list[Kill]:
    """Run the kills that no other process has claimed, and return all finished kills.

    The last ``writes`` kills wait for a write.
    """
    seconds = undisturbed(work, base, command)
    print(f"undisturbed: {seconds:.0f} s; seed {seed}; {n} kills, {writes} in a write", flush=True)
    files = [work / f"kill-{i}.of-{n}.seed-{seed}.json" for i in range(n)]
    for i, drawn in enumerate(moments(n, seed, seconds)):
        with claimed(files[i].with_suffix(".lock"), wait=False) as alone:
            if alone and not files[i].exists():
                result = kill_once(work, base, command, i, drawn, write=i >= n - writes)
                files[i].write_text(json.dumps(asdict(result)))
                print(line(result), flush=True)
    return [Kill(**json.loads(file.read_text())) for file in files if file.exists()]


def line(result: Kill) -> str:
    verdict = "well" if result.well else f"BAD: exit {result.code} {result.damaged or ''}"
    return (
        f"kill {result.number} at {result.moment:.1f} s (drawn: {result.drawn:.1f}), "
        f"in {', '.join(result.running) or 'no job'}; "
        f"left {len(result.half_written)} unfinished; again {result.seconds:.0f} s: {verdict} "
        f"{'; '.join(result.differences[:5])}"
    ).rstrip()


def every_rule(
    work: Path, base: Path, command: tuple[str, ...], kills: list[Kill], seed: int
) -> list[Kill]:
    """Add one kill for each rule that no kill has hit."""
    added = []
    for i, rule in enumerate(never_hit(kills, work / "reference.log")):
        file = work / f"kill-in-{rule}.seed-{seed}.json"
        if not file.exists():
            result = kill_once(work, base, command, len(kills) + i, 0, rule=rule)
            file.write_text(json.dumps(asdict(result)))
        added.append(Kill(**json.loads(file.read_text())))
        print(line(added[-1]), flush=True)
    return added


def hits(kills: list[Kill]) -> Counter[str]:
    """Count how often each rule was running."""
    return Counter(rule for result in kills for rule in result.running)


def never_hit(kills: list[Kill], log: Path) -> list[str]:
    """List the rules of an undisturbed run that no kill has hit."""
    rules = set(re.findall(r"\(Rule: (\w+)\)", log.read_text())) - {"all"}
    return sorted(rules - set(hits(kills)))


def tally(kills: list[Kill], log: Path) -> str:
    """Summarise how often each rule was hit, and how many kills fell into a write."""
    well, writes = sum(k.well for k in kills), sum(bool(k.half_written) for k in kills)
    excluded = (f"{name} ({why})" for name, why in same_results.EXCLUDED.items())
    return (
        f"{well} of {len(kills)} kills ended well; {writes} fell into a write\n"
        f"hit: {', '.join(f'{rule} {count}' for rule, count in hits(kills).most_common())}\n"
        f"never hit: {', '.join(never_hit(kills, log)) or 'none'}\n"
        f"not compared: {'; '.join(excluded)}"
    )


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
    return 0 if all(result.well for result in kills) else 1


if __name__ == "__main__":
    sys.exit(main())
