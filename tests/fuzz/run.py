"""Fuzz the parsers: ``python tests/fuzz/run.py --count 200000`` prints counts per target.

The same seed gives the same inputs. A finding is written under ``tests/fuzz/cases`` and ends the
run of its target; the exit code is then 1. ``--coverage`` measures the branches of the parsers
that the run took, and fails below 95%; ``--engine atheris`` lets libFuzzer choose the inputs by
coverage instead.
"""

import argparse
import hashlib
import json
import signal
import subprocess
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
ENOUGH = 0.95
# Use a disk in memory if there is one; real disks are slow.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
# The parsers: whose branches are counted. A class stands for its methods.
PARSERS = {
    "arguments": ("json_object",),
    "artifacts/dataset": ("Dataset.choose",),
    "artifacts/feature_set": ("parse_features", "parse_layers", "_named", "expand_layers"),
    "artifacts/senses": ("sense_texts", "find_clash", "check_text", "readable"),
    "corpora/archives": ("verified", "_name_below_top", "_members", "_Limited.*"),
    "corpora/importer/xml_formats": ("*",),
    "corpora/find_word": ("find_mark", "check_span", "bare_span", "whole_words", "from_*"),
    "corpora/importer/input_formats": ("read_folder",),
    "corpora/importer/gathered": ("labelled",),
    "corpora/importer/table_files": ("*",),
    "corpora/importer/labelled_tables": ("*",),
    "corpora/glosses": ("read_senses",),
    "corpora/text_format": ("read*", "_is_class", "_read_out_of_domain", "_parse_sentence"),
    "corpora/training_sets": ("read_training_set", "_lines"),
    "encoder/model": ("_checksum",),
    "encoder/model_files": ("weights_in", "lacking", "refuse_pickled", "checked_*",
                            "_check_vocabulary", "_stated"),
    "report/leaderboard": ("leaderboard", "_read"),
    "run/config": ("check", "_check_*", "_trains", "_model", "_feature_set", "_classifiers"),
    "run/config_files": ("read_configs", "merge_configs"),
    "storage/csv": ("read_csv",),
    "storage/result_files": ("parsing", "reading_result"),
    "storage/file_names": ("file_name", "word_of", "is_name", "as_name"),
    "storage/json": ("read_json",),
    "storage/text_files": ("read_text_file", "decode_file", "parse_json", "read_lines",
                           "json_objects"),
}  # fmt: skip


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


def with_atheris(name: str, count: int, seed: int) -> int:
    """Run one target under libFuzzer in another process, because libFuzzer ends its process."""
    code = (
        "import sys, warnings; from pathlib import Path\n"
        f"sys.path[:0] = {PATHS!r}\n"
        "warnings.simplefilter('ignore')\n"
        "import atheris\n"
        "with atheris.instrument_imports(include=['wsd']):\n"
        "    from fuzz_target import outcome\n"
        "    from targets import TARGETS\n"
        f"target, folder = TARGETS[{name!r}], Path(sys.argv.pop())\n"
        "atheris.Setup(sys.argv, lambda data: outcome(target, data, folder) and None)\n"
        "atheris.Fuzz()\n"
    )
    from targets import TARGETS

    with tempfile.TemporaryDirectory() as seeds, tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        for i, data in enumerate([*TARGETS[name].seeds(), *kept_cases(name)]):
            (Path(seeds) / str(i)).write_bytes(data)
        (CASES / name).mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-c", code, f"-runs={count}", f"-seed={seed}", "-max_len=8192",
             f"-timeout={SECONDS_PER_INPUT}", "-rss_limit_mb=4096", "-verbosity=0",
             f"-artifact_prefix={CASES / name}/", seeds, folder],
        )  # fmt: skip
    return done.returncode


def parsers() -> dict[str, tuple[str, ...]]:
    """Return the parsers of the core and of the studies."""
    from fuzz_target import of_studies

    results = dict(PARSERS)
    for module in of_studies():
        results |= module.PARSERS
    return results


def branches(data: Path) -> tuple[int, int, list[str]]:
    """Read the parsers' branches, the taken ones, and the lines of the others."""
    import fnmatch

    report = subprocess.run(
        [sys.executable, "-m", "coverage", "json", "-q", f"--data-file={data}", "-o", "-"],
        capture_output=True, text=True, check=True, cwd=HERE.parents[1],
    )  # fmt: skip
    files = json.loads(report.stdout)["files"]
    every = taken = 0
    missed = []
    for module, patterns in parsers().items():
        functions = files[f"wsd/{module}.py"]["functions"]
        for pattern in patterns:
            matching = [f for f in functions if fnmatch.fnmatchcase(f, pattern)]
            assert matching, f"no function {pattern} in wsd/{module}.py"
            for function in matching:
                summary = functions[function]["summary"]
                every += summary["num_branches"]
                taken += summary["covered_branches"]
                missed += [
                    f"wsd/{module}.py {function}: line {a} to {b}"
                    for a, b in functions[function]["missing_branches"]
                ]
    return every, taken, missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200_000, help="inputs, over all targets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", help="only this one (repeat for more)")
    parser.add_argument("--engine", choices=["mutate", "atheris"], default="mutate")
    parser.add_argument("--cases", type=Path, default=CASES, help="folder of the findings")
    parser.add_argument("--coverage", action="store_true", help="branches of the parsers, too")
    args = parser.parse_args()
    if args.coverage:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "coverage"
            done = subprocess.run(
                [sys.executable, "-m", "coverage", "run", "--branch", "--source=wsd",
                 f"--data-file={data}", __file__, "--count", str(args.count), "--seed",
                 str(args.seed), *(f"--target={t}" for t in args.target or ())],
                cwd=HERE.parents[1], check=False,
            )  # fmt: skip
            every, taken, missed = branches(data)
        print(f"branches of the parsers: {taken} of {every}, {100 * taken / every:.1f}%")
        print("\n".join(f"  not taken: {line}" for line in missed))
        return done.returncode or int(taken < ENOUGH * every)

    from targets import TARGETS

    findings = 0
    total: Counter[str] = Counter()
    names = args.target or list(TARGETS)
    print(f"{'target':<14}{'inputs':>9}{'valid':>9}{'refused':>9}{'seconds':>9}")
    for name, count in shares(names, args.count).items():
        start = time.monotonic()
        try:
            if args.engine == "atheris":
                findings += with_atheris(name, count, args.seed) != 0
                result = Counter({"inputs": count})
            else:
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
