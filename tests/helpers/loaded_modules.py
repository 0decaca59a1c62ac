"""Run commands and list the modules of wsd that they load."""

import json
import subprocess
import sys
from pathlib import Path

from wsd.run import digests

# Modules that every command loads before its own: arguments, output guard.
COMMAND_LINE = {
    "wsd.arguments",
    "wsd.run.digests",
    "wsd.artifacts.dataset",
    "wsd.artifacts.run_json",
}
# The probe loads libraries once. Each command runs in a fork, which has loaded no module of wsd.
PROBE = """
import json, os, sys
import bokeh.plotting, matplotlib.figure, pandas, pyarrow.parquet
import sklearn.linear_model, transformers
for call in json.load(sys.stdin):
    if os.fork() == 0:
        from wsd import cli
        code = cli.main(call)
        names = [name for name in sys.modules if name.split(".")[0] == "wsd"]
        with open("loaded.jsonl", "a") as file:
            file.write(json.dumps([code, names]) + "\\n")
        os._exit(0)
    os.wait()
"""


def of_every_command() -> set[str]:
    """Return the modules of wsd that every command loads, with the studies' declarations."""
    return declarations().union(*map(digests.closure, COMMAND_LINE))


def declarations() -> set[str]:
    """Return the modules that the registry of studies loads."""
    probe = "import sys, wsd.studies.registry; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], stdout=subprocess.PIPE, text=True)
    return {name for name in done.stdout.split() if name.startswith("wsd.studies.")}


def loaded(folder: Path, *arguments: str) -> set[str]:
    """Return the modules of wsd that a real run of a command loads."""
    return loaded_by_each(folder, [list(arguments)])[0]


def loaded_by_each(folder: Path, calls: list[list[str]]) -> list[set[str]]:
    """Run several commands in order, and return the modules of wsd that each loads."""
    (folder / "loaded.jsonl").unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        cwd=folder,
        input=json.dumps(calls),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    ended = [json.loads(line) for line in (folder / "loaded.jsonl").read_text().splitlines()]
    assert [code for code, _ in ended] == [0] * len(calls), done.stdout
    return [without_rooms(names) for _, names in ended]


def without_rooms(names: set[str] | list[str]) -> set[str]:
    """Remove empty ``__init__`` modules and those that only run commands."""
    empty = {"wsd", *(".".join(name.split(".")[:2]) for name in COMMAND_LINE)}
    rooms = {name for name in names if digests._path(name).name == "__init__.py"}
    return set(names) - digests.APART - rooms - empty
