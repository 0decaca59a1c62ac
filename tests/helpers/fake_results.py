"""Write every file that a config asks for with fake content, without running the steps."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from builders import write_vectors
from full_config import without_deleted_studies
from tiny import tiny_bert

from wsd.artifacts import corpus_table
from wsd.artifacts.dataset import DATA
from wsd.artifacts.run_json import DIGITS, LISTED, PAGES, TABLES, bare, list_folders, write_listing
from wsd.artifacts.vectors import vectors_checksum
from wsd.corpora.text_format import read_text
from wsd.run.clean import MARK
from wsd.run.config import check
from wsd.run.config_files import command, read_configs
from wsd.run.session import Session
from wsd.storage.atomic import write_text
from wsd.storage.checksums import noted_checksum
from wsd.storage.file_names import file_name
from wsd.storage.json import write_json

CONFIG = Path("my.yaml")
SMALL: dict[str, Any] = without_deleted_studies(
    {
        "dataset": "quickstart",
        "words": ["apple", "crane"],
        "models": [{"name": "tiny", "path": "tiny", "blocks": 2, "width": 32}],
        "layers": [1],
        "features": [],
        "classifiers": [{"name": "nearest_centroid"}],
        "views": {"store": ["focal", "cls"], "classify": ["focal"]},
        "controls": {"baselines": False, "views": [], "random_weights": [], "task": False},
        "analyses": [],
        "projections": ["pca"],
        "glosses": "none",
    }
)


def session(run: str | None = None, **changes: Any) -> Session:
    """Write a config in the current folder and return the session of its run."""
    if not Path("tiny").exists():
        tiny_bert(Path("tiny"))
    CONFIG.write_text(yaml.safe_dump(without_deleted_studies({**SMALL, **changes})))
    values = read_configs([Path("config/config.yaml"), CONFIG], run)
    typed = command([CONFIG], {"run": run} if run else {})
    return Session(check(values), values, typed, Path("results"), main=True)


def run(session_: Session) -> None:
    """Begin the run, make missing files, and publish."""
    begin(session_)
    make(session_)
    session_.publish()
    assert session_.published


def begin(session_: Session) -> None:
    """Begin a run, then drop its lock as if its process had been killed."""
    session_.begin()
    session_._lock.close()


def make(session_: Session) -> None:
    """Make missing files, as jobs do."""
    for path in map(Path, session_.made):
        if not path.exists():
            _make(session_, path)


def made(run_name: str | None = None, **changes: Any) -> Session:
    """Write a config, run it from begin to end, and return its session."""
    session_ = session(run_name, **changes)
    run(session_)
    return session_


def _make(session_: Session, path: Path) -> None:
    words, text = session_.config.words, f"{bare(path.name)} of seed {session_.config.seed}\n"
    tables = {word: read_text(DATA / "quickstart" / "crane", word) for word in words}
    if path.name == TABLES:
        files = [path.parent / f"{file_name(word)}.parquet" for word in words]
        for file, table in zip(files, tables.values(), strict=True):
            if not file.exists():
                corpus_table.write(file, table)
        write_listing(path, {file: noted_checksum(file) for file in files})
    elif path.parent.name in LISTED:
        view = bare(path.name.partition(".")[0])
        checksums = {}
        for word, table in tables.items():
            folder = path.parent / f"{file_name(word)}@{table.digest[:DIGITS]}"
            file = folder / ("alignment.json" if view == "alignment" else f"{view}.safetensors")
            if not file.exists() and view == "alignment":
                write_json(file, {"word": word})
            elif not file.exists():
                write_vectors(file, table, np.ones((3, len(table), 2), dtype=np.float32))
            checksums[file] = noted_checksum(file) or vectors_checksum(file)
        write_listing(path, checksums)
    elif bare(path.name) in PAGES:
        write_text(path.with_suffix("") / "index.html", text)
        write_text(path.with_suffix("") / "data/table.csv", text)
        list_folders([path])
        (path.with_suffix("") / MARK).touch()
    elif path.suffix == ".json":
        write_text(path, json.dumps({"made": text}))
    else:
        write_text(path, text)
