"""What a command loads, by running it."""

import json
import subprocess
import sys
from pathlib import Path

from wsd.run import step_code

# What every command loads before its own module: its arguments, what it may not write over, the
# lock of a run.
COMMAND_LINE = {"wsd.arguments", "wsd.run.output_guard", "wsd.run.lock"}
PROBE = """
import json, sys
from pathlib import Path
from wsd import cli
code = cli.main(sys.argv[2:])
found = [name for name in sys.modules if name.split(".")[0] == "wsd"]
Path(sys.argv[1]).write_text(json.dumps([code, found]))
"""


def of_every_command() -> set[str]:
    """Return the modules of wsd that every command loads: the declarations of studies too."""
    return declarations().union(*map(step_code.closure, COMMAND_LINE))


def declarations() -> set[str]:
    """Return the modules that the registry of studies loads."""
    probe = "import sys, wsd.studies.registry; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], stdout=subprocess.PIPE, text=True)
    return {name for name in done.stdout.split() if name.startswith("wsd.studies.")}


def loaded(folder: Path, *arguments: str) -> set[str]:
    """The modules of wsd that a real run of a command has loaded."""
    found = folder / "found.json"
    done = subprocess.run(
        [sys.executable, "-c", PROBE, found, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    code, names = json.loads(found.read_text())
    assert code == 0, done.stdout
    return without_rooms(names)


def without_rooms(names: set[str] | list[str]) -> set[str]:
    """Of some modules those that are no empty ``__init__`` and not what runs any command."""
    empty = {"wsd", *(".".join(name.split(".")[:2]) for name in COMMAND_LINE)}
    rooms = {name for name in names if step_code._path(name).name == "__init__.py"}
    return set(names) - step_code.APART - rooms - empty
