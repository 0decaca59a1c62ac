"""Compare two folders of results byte for byte, at every path that people read, through links."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from wsd.artifacts.run_json import RUN_MAP
from wsd.run.session import LOCK
from wsd.storage.checksums import STORE

# Files that differ between two equal runs: times, processes, days, and files with keys.
EXCLUDED = ("logs/", "index.html", ".seen.json", ".sums/.seen.json")
# The last has the costs of fine-tuning.
EXCLUDED_NAMES = (RUN_MAP, LOCK, "costs.csv")
# Bokeh numbers its elements differently each time.
IDS = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\bp\d{4,}\b")


def results(folder: Path) -> dict[str, bytes]:
    """Read the files of a folder of results, without the parts that differ from run to run."""
    contents = {}
    for path in sorted(_files(folder)):
        name = path.relative_to(folder).as_posix()
        if path.name not in EXCLUDED_NAMES and not name.startswith(EXCLUDED):
            data = path.read_bytes() if path.exists() else b"a link to nothing"
            contents[name] = IDS.sub(b"", data) if path.suffix == ".html" else data
    return contents


def _files(folder: Path) -> Iterator[Path]:
    """Yield every file outside of stores; follow links to folders."""
    for root, folders, files in os.walk(folder, followlinks=True):
        if STORE in folders and Path(root).parent == folder:
            folders.remove(STORE)
        yield from map(Path(root).joinpath, files)


def differences(folder: Path, other_folder: Path) -> list[str]:
    """List the files that differ or are missing in one of the folders."""
    contents, expected = results(folder), results(other_folder)
    return [
        f"{name}: {'differs' if name in contents and name in expected else 'only in one'}"
        for name in sorted({*contents, *expected})
        if contents.get(name) != expected.get(name)
    ]
