"""Plant the faults of tests/faults.md, one at a time, and see whether a test fails.

    python tools/plant.py                 # every fault
    python tools/plant.py encoder 12      # the faults of a room, and number 12
    python tools/plant.py --slow 12       # with the slow tests too

Each fault is planted in a copy of the repository, where the tests that its entry names run. The
script prints "caught" with the first test that fails, or "MISSED". It exits with 1 if a fault is
missed, or if its lines are not in the code any more.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LIST = ROOT / "tests/faults.md"
ENTRY = re.compile(
    r"^(?P<number>\d+)\. (?P<title>.+?)\s*— tests: `(?P<tests>[^`]+)`\n+```diff\n"
    r"(?P<path>\S+)\n(?P<change>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


class Fault(NamedTuple):
    """A fault to plant: in a file, some lines take the place of others."""

    number: int
    room: str
    title: str
    tests: list[str]
    path: Path
    before: str
    after: str


def read_faults(text: str) -> list[Fault]:
    """Return the faults of the list, in its order; a section per room."""
    faults = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        room = section.split("\n", 1)[0].strip()
        for entry in ENTRY.finditer(section):
            lines = entry["change"].splitlines(keepends=True)
            before, after = ("".join(x[1:] for x in lines if x[0] in keep) for keep in (" -", " +"))
            where = (entry["tests"].split(), Path(entry["path"]))
            faults.append(Fault(int(entry["number"]), room, entry["title"], *where, before, after))
    return faults


def plant(fault: Fault, copy: Path, marks: list[str]) -> str:
    """Run the fault's tests in a copy that has the fault; return what came of it."""
    file = copy / fault.path
    text = file.read_text(encoding="utf-8")
    if text.count(fault.before) != 1:
        return f"MISSED: its lines occur {text.count(fault.before)} times in {fault.path}"
    file.write_text(text.replace(fault.before, fault.after), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *fault.tests]
    # The copy comes before the installed package, in commands that tests start too.
    env = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run([*command, *marks], cwd=copy, env=env, capture_output=True)  # noqa: S603
    file.write_text(text, encoding="utf-8")
    output = ran.stdout.decode()
    if ran.returncode == 1 and (failed := FAILED.search(output)):
        return f"caught by {failed[1]}"
    if ran.returncode == 0:
        return "MISSED"
    return f"MISSED: pytest did not run\n{output[-2000:]}{ran.stderr.decode()[-2000:]}"


def main() -> None:
    """Plant the faults and print which are caught."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help="rooms and numbers; by default all")
    parser.add_argument("--slow", action="store_true", help="run slow tests too")
    args = parser.parse_args()
    faults = read_faults(LIST.read_text(encoding="utf-8"))
    if args.only:
        faults = [fault for fault in faults if {fault.room, str(fault.number)} & {*args.only}]
    missed = 0
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "wsd"
        ignored = shutil.ignore_patterns(".*", "results", "build", "__pycache__", "*.egg-info")
        shutil.copytree(ROOT, copy, ignore=ignored)
        for fault in faults:
            start = time.perf_counter()
            result = plant(fault, copy, [] if args.slow else ["-m", "not slow"])
            missed += result.startswith("MISSED")
            line = f"{fault.number:>3} {fault.room}: {fault.title}: {result}"
            print(f"{line} ({time.perf_counter() - start:.0f} s)", flush=True)
    print(f"{len(faults) - missed} of {len(faults)} faults are caught")
    if missed or not faults:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
