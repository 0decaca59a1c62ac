"""Show that fuzzing finds faults: ``python tests/fuzz/planted.py`` plants several, one at a time.

Each is planted in a copy of the package, which is then fuzzed without the cases that are kept; the
fault goes with the copy. The exit code is 1 if one is not found.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import wsd

HERE = Path(__file__).parent
PACKAGE = Path(wsd.__file__).parent


@dataclass(frozen=True)
class Fault:
    """A change of one place in a module, and the target that must notice it."""

    target: str
    module: str
    right: str
    wrong: str


FAULTS = {
    "a bound check off by one": Fault(
        "corpus",
        "corpora/text_format.py",
        "if position >= len(tokens):",
        "if position > len(tokens):",
    ),
    "a type check left out": Fault(
        "corpus", "corpora/text_format.py", "        and isinstance(sense, str)\n", ""
    ),
    "a checksum of the archive skipped": Fault(
        "archive", "corpora/archives.py", "if digest != manifest[name]:", "if False:"
    ),
    "a layer too many": Fault(
        "layers",
        "artifacts/feature_set.py",
        "layers[-1] <= min(blocks, MOST_BLOCKS)",
        "layers[-1] <= min(blocks + 1, MOST_BLOCKS)",
    ),
}


def is_found(fault: Fault, count: int = 20_000) -> bool:
    """Return whether fuzzing a copy of the package with the fault finds it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "wsd"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        module = copy / fault.module
        text = module.read_text()
        assert text.count(fault.right) == 1, f"{fault.module} has changed: {fault.right}"
        module.write_text(text.replace(fault.right, fault.wrong))
        cases = Path(folder) / "cases"
        command = [sys.executable, str(HERE / "run.py"), f"--target={fault.target}"]
        done = subprocess.run(
            [*command, f"--count={count}", f"--cases={cases}"],
            env={**os.environ, "PYTHONPATH": folder},
            capture_output=True,
            text=True,
        )
        # A run that did not start has no cases.
        assert done.returncode == 0 or (cases / fault.target).is_dir(), done.stderr
        return done.returncode == 1


def main() -> int:
    results = {}
    for name, fault in FAULTS.items():
        results[name] = is_found(fault)
        print(f"{name}: {'found' if results[name] else 'NOT FOUND'} by {fault.target}", flush=True)
    return int(not all(results.values()))


if __name__ == "__main__":
    sys.exit(main())
