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

CASES = HERE / "cases"
SECONDS_PER_INPUT = 10
# Use a disk in memory if there is one; real disks are slow.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None


class HangError(Exception):
    """An input took longer than ``SECONDS_PER_INPUT``."""


@contextmanager
def limited(seconds: float = SECONDS_PER_INPUT) -> Iterator[None]:
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


def kept_cases(target: str, cases: Path = CASES) -> list[bytes]:
    """Return the inputs that were findings before."""
    return [path.read_bytes() for path in sorted((cases / target).glob("*"))]


def fuzz(name: str, count: int, seed: int, cases: Path = CASES) -> Counter[str]:
    """Run one target over a number of inputs and count the outcomes.

    Raises
    ------
    BaseException
        Whatever an input leads to that is neither a result nor a WsdError, with the path of the
        input, which is kept under ``cases``, as a note.
    """
    from fuzz_target import outcome
    from mutate import mutations
    from targets import TARGETS

    target = TARGETS[name]
    inputs = mutations(
        [*target.seeds(), *kept_cases(name, cases)], target.tokens, Random(f"{seed} {name}")
    )
    result: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for data in islice(inputs, count):
            try:
                with limited():
                    result[outcome(target, data, Path(folder))] += 1
            except Exception as error:
                error.add_note(f"input: {data[:300]!r}")
                case = cases / name / hashlib.sha256(data).hexdigest()[:16]
                case.parent.mkdir(parents=True, exist_ok=True)
                case.write_bytes(data)
                error.add_note(f"kept as {case}")
                raise
    return result


def shares(names: list[str], count: int) -> dict[str, int]:
    """Divide ``count`` inputs among the targets, at least as many as their seeds."""
    from targets import TARGETS

    whole = sum(TARGETS[name].weight for name in names)
    return {
        name: max(int(count * TARGETS[name].weight / whole) + 1, len(TARGETS[name].seeds()) + 10)
        for name in names
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200_000, help="inputs, over all targets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", help="only this one (repeat for more)")
    parser.add_argument("--cases", type=Path, default=CASES, help="folder of the findings")
    args = parser.parse_args()
    from targets import TARGETS

    findings = 0
    total: Counter[str] = Counter()
    names = args.target or list(TARGETS)
    print(f"{'target':<14}{'inputs':>9}{'valid':>9}{'refused':>9}{'seconds':>9}")
    for name, count in shares(names, args.count).items():
        start = time.monotonic()
        try:
            result = fuzz(name, count, args.seed, args.cases)
            result["inputs"] = result.total()
        except Exception as error:
            import traceback

            findings += 1
            print(f"{name:<14} a finding: {type(error).__name__}: {str(error)[:300]}")
            traceback.print_exc()
            continue
        total += result
        seconds = time.monotonic() - start
        shown = (result["inputs"], result["valid"], result["refused"])
        print(f"{name:<14}{''.join(f'{n:>9,}' for n in shown)}{seconds:>9.1f}", flush=True)
    print(f"{'all':<14}{total['inputs']:>9,}{total['valid']:>9,}{total['refused']:>9,}")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
