"""Whether a run can start here, and what is at hand: what to look at first when something is wrong.

Nothing is fetched, and no result is touched.
"""

import importlib.metadata
import os
import platform
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wsd import checking, download, models, plan, running
from wsd.config import Config, Model
from wsd.errors import ConfigError, ModelError, WsdError
from wsd.files import PART
from wsd.unfinished import FOLDER, JOURNAL

PACKAGES = ("wsd", "torch", "transformers", "snakemake", "scikit-learn", "numpy", "pyarrow")
OK, NOTE, BAD = "ok", "note", "BAD"


@dataclass(frozen=True)
class Finding:
    """One line of what was found.

    Attributes
    ----------
    state : {"ok", "note", "BAD"}
        ``BAD`` is what keeps a run from starting, or from ending well.
    topic, text : str
    fix : str, optional
        What to do about it.
    """

    state: str
    topic: str
    text: str
    fix: str | None = None

    def __str__(self) -> str:
        line = f"{self.state:4}  {self.topic}: {self.text}"
        return f"{line}\n        what to do: {self.fix}" if self.fix else line


def examine(config: Config, results: Path, state: Path) -> list[Finding]:
    """Look at everything that a run of ``config`` needs.

    Parameters
    ----------
    config : Config
    results, state : Path
        The folder of all results, and that of the workflow manager.
    """
    looks: list[Callable[[], Iterator[Finding]]] = [
        _versions,
        lambda: _machine(config),
        lambda: _other_run(state),
        lambda: _disk(config, results),
        lambda: _corpus(config, results),
        lambda: (_model(model) for model in config.models.values()),
        lambda: _left_behind(results),
    ]
    return [finding for look in looks for finding in look()]


def _versions() -> Iterator[Finding]:
    found = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    yield Finding(OK, "versions", f"python {platform.python_version()}, {found}")


def _machine(config: Config) -> Iterator[Finding]:
    from wsd.encoder import choose_device

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    text = f"{platform.system()} {platform.machine()}, {cores} cores for this process"
    try:
        device = choose_device(config.device)
    except ConfigError as error:
        yield Finding(BAD, "device", error.what, error.fix)
        return
    yield Finding(OK, "machine", f"{text}; device {config.device}: {device}")


def _other_run(state: Path) -> Iterator[Finding]:
    busy = running.busy(state)
    if busy:
        yield Finding(BAD, "runs", busy.what, busy.fix)
    else:
        yield Finding(OK, "runs", "no other run is at work in this folder")


def _disk(config: Config, results: Path) -> Iterator[Finding]:
    there = next(folder for folder in [results, *results.absolute().parents] if folder.exists())
    count = config.dataset.sizes
    needed = sum(
        plan.embedding_bytes(model, sum(count[word] for word in words), views)
        for model, words, views in plan.to_embed(config, results)
    )
    free = shutil.disk_usage(there).free
    text = f"{free / 1e9:.1f} GB free in {there}, {needed / 1e9:.2f} GB of vectors still to come"
    if not os.access(there, os.W_OK) or os.statvfs(there).f_flag & os.ST_RDONLY:
        yield Finding(BAD, "results", f"{there} cannot be written", "make it writable for you")
    elif free < needed:
        yield Finding(BAD, "results", text, "make room, or name fewer words, models or views.store")
    else:
        yield Finding(OK, "results", text)
    for topic, folder in (
        ("cache of archives", download.cache_folder()),
        ("cache of the hub", models.hub_cache()),
    ):
        if folder.is_dir():
            used, free = _size(folder), shutil.disk_usage(folder).free
            yield Finding(OK, topic, f"{folder}: {used / 1e6:.0f} MB, {free / 1e9:.1f} GB free")
        else:
            yield Finding(OK, topic, f"{folder}: nothing there yet")


def _size(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files)


def _corpus(config: Config, results: Path) -> Iterator[Finding]:
    topic, dataset = "corpus", config.dataset
    if dataset.name != "coarsewsd20":
        yield Finding(OK, topic, f"{dataset.title}: it comes with the program")
        return
    source = results / checking.SOURCE
    there = sum((source / file).is_file() for file in download.coarsewsd20_files())
    total = len(download.coarsewsd20_files())
    changed = list(download.changed_files(source))
    if there == total and not changed:
        yield Finding(OK, topic, f"{dataset.title}: all {total} files are here, verified")
        return
    named = os.environ.get("WSD_COARSEWSD20_ARCHIVE")
    cached = download.cache_folder() / download.ARCHIVE_NAME
    archive = Path(named) if named else cached
    try:
        if archive.is_file() or named:
            download.check_archive(archive)
            yield Finding(
                OK, topic, f"{dataset.title}: the archive is at hand, verified: {archive}"
            )
            return
    except WsdError as error:
        if named:
            yield Finding(BAD, topic, f"{error.what}: {archive}", error.fix or "see to that file")
            return
        text = f"the archive in the cache is damaged ({error.what}): {archive}"
        yield Finding(NOTE, topic, f"{text}; it will be fetched again")
        return
    yield Finding(
        NOTE, topic, f"{dataset.title} will be downloaded", f"without a network {download.WAYS_ON}"
    )


def _model(model: Model) -> Finding:
    topic = f"model {model.name}"
    source = {key: value for key, value in model.source.items() if key != "revision"}
    where = ", ".join(f"{key} {value}" for key, value in source.items())
    if "hub" in model.source and not models.is_cached(
        model.source["hub"], model.source["revision"]
    ):
        ways = f"without a network {models.WAYS_ON}"
        return Finding(NOTE, topic, f"{where}: not in the cache, will be fetched", ways)
    try:
        record = models.resolve(
            model.name,
            hub=model.source.get("hub"),
            revision=model.source.get("revision"),
            package=model.source.get("package"),
            path=model.source.get("path"),
            sha256=model.sha256,
            blocks=model.blocks,
            width=model.width,
        )
    except (ModelError, ConfigError) as error:
        return Finding(BAD, topic, error.what, error.fix)
    files = len(record["files"])
    given = len(model.sha256)
    return Finding(
        OK, topic, f"{where}: {files} files, {given} of them against the config's SHA-256"
    )


def _left_behind(results: Path) -> Iterator[Finding]:
    parts = list(results.rglob(f".*{PART}"))
    if parts:
        yield Finding(
            NOTE, "left half-written", f"{len(parts)} files, such as {parts[0]}",
            "nothing: the next run removes what no live process writes",
        )  # fmt: skip
    for journal in results.rglob(f"{FOLDER}/{JOURNAL}"):
        size = _size(journal.parent) / 1e6
        yield Finding(
            NOTE, "unfinished", f"{journal.parent}: {size:.0f} MB of vectors",
            "nothing, if that word is still to be embedded: the next run goes on from there; "
            "else delete the folder",
        )  # fmt: skip
    for path, what in checking.damaged(results, quick=True):
        yield Finding(NOTE, "damaged", f"{path}: {what}", "nothing: the next run makes it again")
    for path in sorted(results.rglob("*.damaged")):
        yield Finding(NOTE, "set aside", f"{path}", "delete it once you have seen it")


def advice(findings: list[Finding], command: str) -> str:
    """What to do next."""
    bad = sum(finding.state == BAD for finding in findings)
    if bad:
        return f"{bad} thing{'s' if bad > 1 else ''} to put right first, marked {BAD}."
    return f"A run can start: {command}"
