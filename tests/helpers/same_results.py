"""Compare two folders of results byte for byte: ``python tests/helpers/same_results.py A B``.

Every file at a path that people read is compared byte for byte, through links, but for what differs
from run to run. With ``--other-scripts`` the scripts of the pages may differ too, as from one
version of wsd to the next: what a page says, and the data that it shows, may not. The exit code is
1 if anything differs.
"""

import argparse
import os
import re
from collections.abc import Iterator
from pathlib import Path

from wsd.artifacts.run_json import RUN_MAP
from wsd.run.session import LOCK
from wsd.storage.checksums import STORE

# Files that differ between two equal runs, and why.
EXCLUDED = {
    "logs/": "times, memory and processes",
    "index.html": "the days on which the reports were made",
    ".seen.json": "what was found in files, with times",
    ".sums/.seen.json": "its checksum",
    f"*/{STORE}/": "its files are read through links; the paths hang on wsd's own modules",
    RUN_MAP: "the same paths",
}
# The columns of fine-tuning's costs.
COSTS = "costs.csv"
# Bokeh numbers its elements differently each time.
IDS = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\bp\d{4,}\b")
# Scripts without their data, and the policy with the scripts' checksums.
SCRIPTS = re.compile(
    rb'<script(?: defer src="[^"]*")?>.*?</script>\s*'
    rb'|<meta http-equiv="Content-Security-Policy"[^>]*>',
    re.DOTALL,
)
ASSETS = "report/assets/"


def results(folder: Path, *, scripts: bool = True) -> dict[str, bytes]:
    """Read the files of a folder of results, without the parts that differ from run to run."""
    contents = {}
    for path in sorted(_files(folder)):
        name = path.relative_to(folder).as_posix()
        if path.name in (RUN_MAP, COSTS, LOCK) or name.startswith(tuple(EXCLUDED)):
            continue
        if not scripts and ASSETS in name:
            continue
        data = path.read_bytes() if path.exists() else b"a link to nothing"
        if path.suffix == ".html":
            data = IDS.sub(b"", data)
            data = data if scripts else SCRIPTS.sub(b"", data)
        contents[name] = data
    return contents


def _files(folder: Path) -> Iterator[Path]:
    """Yield every file outside of stores; follow links to folders."""
    for root, folders, files in os.walk(folder, followlinks=True):
        if STORE in folders and Path(root).parent == folder:
            folders.remove(STORE)
        yield from map(Path(root).joinpath, files)


def differences(folder: Path, other_folder: Path, *, scripts: bool = True) -> list[str]:
    """List the files that differ or are missing in one of the folders."""
    contents, expected = results(folder, scripts=scripts), results(other_folder, scripts=scripts)
    return [
        f"{name}: {'differs' if name in contents and name in expected else 'only in one'}"
        for name in sorted({*contents, *expected})
        if contents.get(name) != expected.get(name)
    ]


def main() -> int:
    """Compare two folders and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--other-scripts", action="store_true", help="leave the pages' scripts out")
    args = parser.parse_args()
    different = differences(args.folder, args.other, scripts=not args.other_scripts)
    n = len(results(args.folder))
    print("\n".join([*different, f"{n} files, of which {len(different)} differ"]))
    return int(bool(different))


if __name__ == "__main__":
    raise SystemExit(main())
