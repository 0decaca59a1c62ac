"""Results of a run without its steps: every file that a config asks for, of made-up content."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from made import write_vectors
from rich_config import without_deleted_studies
from tiny import tiny_bert

from wsd.artifacts import corpus_table
from wsd.artifacts.dataset import DATA
from wsd.artifacts.run_map import DIGITS, LISTED, PAGES, TABLES, bare, list_folders, write_listing
from wsd.artifacts.vectors import vectors_checksum
from wsd.artifacts.view_names import DRAWN
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
SMALL: dict[str, Any] = {
    "dataset": "quickstart",
    "words": ["apple", "crane"],
    "models": [{"name": "tiny", "path": "tiny", "blocks": 2, "width": 32}],
    "layers": [1],
    "features": [],
    "classifiers": [{"name": "nearest_centroid"}],
    "views": {"store": ["focal", "other"], "classify": ["focal"]},
    "controls": {"baselines": False, "views": [], "random_weights": [], "task": False},
    "analyses": [],
    "projections": ["pca"],
    "glosses": "none",
}


def session(run: str | None = None, **changes: Any) -> Session:
    """What a run here would make, by a config that is written here as well."""
    if not Path("tiny").exists():
        tiny_bert(Path("tiny"))
    CONFIG.write_text(yaml.safe_dump(without_deleted_studies({**SMALL, **changes})))
    said = read_configs([Path("config/config.yaml"), CONFIG], run)
    typed = command([CONFIG], {"run": run} if run else {})
    return Session(check(said), said, typed, Path("results"), main=True)


def run(of: Session) -> None:
    """Begin, make what is missing, and publish."""
    begin(of)
    make(of)
    of.publish()
    assert of.published


def begin(of: Session) -> None:
    """As a run does; its process might as well have been killed then."""
    of.begin()
    if of._lock:
        of._lock.close()


def make(of: Session) -> None:
    """Make what is missing, as jobs do."""
    for path in map(Path, of.made):
        if not path.exists():
            _make(of, path)


def made(run_name: str | None = None, **changes: Any) -> Session:
    """A run from its begin to its end."""
    of = session(run_name, **changes)
    run(of)
    return of


def _make(of: Session, path: Path) -> None:
    words, text = of.config.words, f"{bare(path.name)} of seed {of.config.seed}\n"
    tables = {word: read_text(DATA / "quickstart" / "crane", word) for word in words}
    if path.name == TABLES:
        files = [path.parent / f"{file_name(word)}.parquet" for word in words]
        for file, table in zip(files, tables.values(), strict=True):
            if not file.exists():
                corpus_table.write(file, table)
        write_listing(path, {file: noted_checksum(file) for file in files})
    elif path.parent.name in LISTED:
        view = bare(path.name.partition(".")[0])
        name = f"{DRAWN}@{of.config.seed:0{DIGITS}x}" if view == DRAWN else view
        found = {}
        for word, table in tables.items():
            folder = path.parent / f"{file_name(word)}@{table.digest[:DIGITS]}"
            file = folder / ("alignment.json" if view == "alignment" else f"{name}.safetensors")
            if not file.exists() and view == "alignment":
                write_json(file, {"word": word})
            elif not file.exists():
                write_vectors(file, table, np.ones((3, len(table), 2), dtype=np.float32))
            found[file] = noted_checksum(file) or vectors_checksum(file)
        write_listing(path, found)
    elif bare(path.name) in PAGES:
        write_text(path.with_suffix("") / "index.html", text)
        write_text(path.with_suffix("") / "data/table.csv", text)
        list_folders([path])
        (path.with_suffix("") / MARK).touch()
    elif path.suffix == ".json":
        write_text(path, json.dumps({"made": text}))
    else:
        write_text(path, text)
