"""Fuzz the parsers: ``python tests/fuzz/run.py --count 200000`` prints counts per target.

The same seed gives the same inputs. A finding is written under ``tests/fuzz/cases`` and ends the
run of its target; the exit code is then 1.
"""

import argparse
import hashlib
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from types import FrameType

HERE = Path(__file__).parent
PATHS = [str(HERE), str(HERE.parent / "helpers")]
sys.path[:0] = [path for path in PATHS if path not in sys.path]  # not where a test imports it

from fuzz_target import outcome  # noqa: E402
from mutate import mutations  # noqa: E402
from targets import TARGETS  # noqa: E402

CASES = HERE / "cases"
# Use a disk in memory if there is one; real disks are slow.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None


class HangError(Exception):
    """An input took too long."""


@contextmanager
def limited(seconds: float = 10) -> Iterator[None]:
    """Interrupt slow inputs from outside: a hang is a finding."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise HangError(f"no result within {seconds} s")

    # The limit is processor time, so that a busy machine gives no finding.
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def fuzz(name: str, count: int, seed: int, cases: Path = CASES) -> Counter[str]:
    """Run one target over its seeds, former findings and mutations, and count the outcomes.

    An input that leads to neither a result nor a WsdError is kept under ``cases``.
    """
    target = TARGETS[name]
    kept = [path.read_bytes() for path in sorted((cases / name).glob("*"))]
    inputs = mutations([*target.seeds(), *kept], target.tokens, Random(f"{seed} {name}"))
    result: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for data in islice(inputs, count):
            try:
                with limited():
                    result[outcome(target, data, Path(folder))] += 1
            except Exception as error:
                case = cases / name / hashlib.sha256(data).hexdigest()[:16]
                case.parent.mkdir(parents=True, exist_ok=True)
                case.write_bytes(data)
                error.add_note(f"input: {data[:300]!r}, kept as {case}")
                raise
    return result


def shares(names: list[str], count: int) -> dict[str, int]:
    """Divide ``count`` inputs among the targets, at least as many as their seeds."""
    part = count / sum(TARGETS[name].weight for name in names)
    least = {name: len(TARGETS[name].seeds()) + 10 for name in names}
    return {name: max(int(part * TARGETS[name].weight) + 1, least[name]) for name in names}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200_000, help="inputs, over all targets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", help="only this one (repeat for more)")
    parser.add_argument("--cases", type=Path, default=CASES, help="folder of the findings")
    args = parser.parse_args()
    findings = 0
    print(f"{'target':<14}{'inputs':>9}{'valid':>9}{'refused':>9}{'seconds':>9}")
    for name, count in shares(args.target or list(TARGETS), args.count).items():
        start = time.monotonic()
        try:
            result = fuzz(name, count, args.seed, args.cases)
        except Exception:
            findings += 1
            print(f"{name:<14} a finding")
            traceback.print_exc()
            continue
        numbers = (result.total(), result["valid"], result["refused"])
        shown = "".join(f"{n:>9,}" for n in numbers)
        print(f"{name:<14}{shown}{time.monotonic() - start:>9.1f}", flush=True)
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
