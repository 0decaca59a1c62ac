"""Publish a run's files: copies of tables, figures and pages, and links to the rest.

A run is published only when all its files exist, so that people always find the last complete
state. A damaged copy is replaced.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wsd.artifacts.find_runs import PROVENANCE
from wsd.artifacts.run_json import (
    PAGES,
    RUN_MAP,
    SOURCE,
    TABLES,
    RunMap,
    bare,
    is_listing,
    read_listing,
)
from wsd.errors import WsdError
from wsd.storage.atomic import write_errors
from wsd.storage.checksums import SUMMED, SUMS, checksum, noted_checksum
from wsd.storage.json import read_json, write_json
from wsd.storage.temporary_files import PART

# Files for programs are linked.
LINKED = (".parquet", ".safetensors")
# The inputs of the scores; published as the provenance, with config and command.
SOURCES = "sources.json"


def publish(run: RunMap, tables: Path, about: Mapping[str, Any]) -> dict[str, bool]:
    """Publish a run.

    Parameters
    ----------
    run : RunMap
        All its files exist.
    tables : Path
        The folder of its tables.
    about : mapping
        Config, command and digests of the run, for its map.

    Returns
    -------
    dict of str to bool
        The published paths, relative to ``tables``, and whether each is new.
    """
    former = _former(tables)
    published: dict[str, str | None] = {}
    new = {}
    for name in run.files:
        for file, target, linked in readable(name, run.file(name)):
            published[target] = None if linked else noted_checksum(file) or checksum(file)
            new[target] = _put(file, tables / target, published[target])
    if SOURCES in run.files:
        settings = {key: about[key] for key in ("config", "command")}
        write_json(tables / PROVENANCE, {**read_json(run.file(SOURCES)), **settings})
        published[PROVENANCE] = noted_checksum(tables / PROVENANCE)
    for target in sorted(former - {*published}):
        _remove(tables, target)
    write_json(tables / RUN_MAP, {**about, "files": run.files, "published": published})
    return new


def readable(name: str, path: Path) -> Iterator[tuple[Path, str, bool]]:
    """Yield the files of an entry of the map, their published paths, and whether they are linked.

    Raises
    ------
    ResultError
        If the entry is a listing that cannot be read.
    """
    folder = Path(name).parent
    if name == SOURCES:  # its content is in provenance.json
        return
    if name == SOURCE:
        yield path.with_suffix(""), "source", True
    elif is_listing(path):
        if Path(name).name == TABLES:
            yield path, name, True
        for file in read_listing(path):
            yield path.parent / file, (folder / bare(file)).as_posix(), name not in PAGES
    else:
        yield path, name, path.suffix in LINKED or path.name == "model.json"


def _put(file: Path, target: Path, sums: str | None) -> bool:
    """Link a file, or copy it if a checksum is given; return whether the target was replaced."""
    with write_errors(target):
        if sums is None:
            link = os.path.relpath(file, target.parent)
            if target.is_symlink() and str(target.readlink()) == link:
                return False
        elif (
            not target.is_symlink()
            and target.is_file()
            and checksum(target) == sums
            and (target.suffix not in SUMMED or noted_checksum(target) == sums)
        ):
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name[:200]}.{os.getpid()}{PART}")
        if sums is None:
            temporary.symlink_to(link)
        else:
            shutil.copyfile(file, temporary)
            if target.suffix in SUMMED:
                note = target.parent / SUMS / target.name
                note.parent.mkdir(exist_ok=True)
                note.write_text(f"{sums}\n")
        temporary.replace(target)
    return True


def _former(tables: Path) -> set[str]:
    try:
        return set(RunMap(tables / RUN_MAP).published)
    except WsdError:
        return set()


def _remove(tables: Path, target: str) -> None:
    path = tables / target
    with write_errors(path):
        if path.is_symlink() or path.is_file():
            path.unlink()
            (path.parent / SUMS / path.name).unlink(missing_ok=True)
        for folder in path.parents:
            if folder == tables or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()
