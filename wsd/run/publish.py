"""What people read of a run, at the paths that they know: copies of its tables, figures and pages,
and links to everything else.

Nothing is published of a run before all its files are there: what lies there is the last good
state. A copy that is not what was published is made anew each time.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wsd.artifacts.named_runs import PROVENANCE
from wsd.artifacts.run_map import PAGES, RUN_MAP, SOURCE, TABLES, RunMap, bare, is_listing, listed
from wsd.artifacts.vectors import VECTORS
from wsd.errors import WsdError
from wsd.storage.atomic import storing
from wsd.storage.checksums import SUMMED, SUMS, checksum, noted_checksum
from wsd.storage.json import read_json, write_json
from wsd.storage.partial import PART

# What is linked: it is read by programs.
LINKED = (".parquet", ".safetensors")
# What scores were made from, without config and command.
MADE_FROM = "sources.json"


def publish(run: RunMap, tables: Path, said: Mapping[str, Any]) -> dict[str, bool]:
    """Put a run's files where people read them.

    Parameters
    ----------
    run : RunMap
        All its files are there.
    tables : Path
        The folder of its tables.
    said : mapping
        What the map says beside the files: config, command, digests.

    Returns
    -------
    dict of str to bool
        What lies there now, by its path from ``tables``, and whether it was not there yet.
    """
    former = _former(tables)
    published: dict[str, str | None] = {}
    new = {}
    for name in run.files:
        for file, target, linked in readable(name, run.file(name)):
            published[target] = None if linked else _sum_of(file)
            new[target] = _put(file, tables / target, published[target])
    if MADE_FROM in run.files:
        made = {**read_json(run.file(MADE_FROM)), **{of: said[of] for of in ("config", "command")}}
        write_json(tables / PROVENANCE, made)
        published[PROVENANCE] = noted_checksum(tables / PROVENANCE)
    for target in sorted(former - {*published}):
        _remove(tables, target)
    write_json(tables / RUN_MAP, {**said, "files": run.files, "published": published})
    return new


def readable(name: str, path: Path) -> Iterator[tuple[Path, str, bool]]:
    """What people read of an entry of the map: where a file is, where to, and whether linked.

    Raises
    ------
    ResultError
        If it is a listing that cannot be read.
    """
    folder = Path(name).parent
    if name == MADE_FROM:  # its content stands in provenance.json
        return
    if name == SOURCE:
        yield path.with_suffix(""), "source", True
    elif is_listing(path):
        if Path(name).name == TABLES:
            yield path, name, True
        for one in listed(path):
            yield path.parent / one, (folder / bare(one)).as_posix(), name not in PAGES
    else:
        yield path, name, path.suffix in LINKED or path.name == "model.json"


def _sum_of(file: Path) -> str:
    return noted_checksum(file) or checksum(file)


def _put(file: Path, target: Path, sums: str | None) -> bool:
    """Put a link to a file, or a copy with a checksum, at a path; whether it was not there."""
    with storing(target):
        if sums is None:
            to = os.path.relpath(file, target.parent)
            if target.is_symlink() and str(target.readlink()) == to:
                return False
        elif (
            not target.is_symlink()
            and target.is_file()
            and checksum(target) == sums
            and (target.suffix not in SUMMED or noted_checksum(target) == sums)
        ):
            return False
        _make_room(target)
        temporary = target.with_name(f".{target.name[:200]}.{os.getpid()}{PART}")
        if sums is None:
            temporary.symlink_to(to)
        else:
            shutil.copyfile(file, temporary)
            if target.suffix in SUMMED:
                note = target.parent / SUMS / target.name
                note.parent.mkdir(exist_ok=True)
                note.write_text(f"{sums}\n")
        temporary.replace(target)
    return True


def _make_room(target: Path) -> None:
    """The folder of a file; what an earlier version had in its way and cost hours is moved aside:
    a folder, or vectors that are not those of this run.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    if (
        (target.is_dir() or target.suffix == VECTORS)
        and not target.is_symlink()
        and target.exists()
    ):
        target.replace(target.with_name(f"{target.name}.before"))


def _former(tables: Path) -> set[str]:
    """What the last run has published."""
    try:
        return set(RunMap(tables / RUN_MAP).published)
    except WsdError:
        return set()


def _remove(tables: Path, target: str) -> None:
    path = tables / target
    with storing(path):
        if path.is_symlink() or path.is_file():
            path.unlink()
            (path.parent / SUMS / path.name).unlink(missing_ok=True)
        for folder in path.parents:
            if folder == tables or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()
