"""Vectors of an earlier version, which had no store: taken over where their provenance matches.

They cost hours. A file that says that it was made of the same model, in the same way, is what this
version would make; it goes into the store with what it says of itself in the form of today. All
else of an earlier version is left alone.
"""

import json
import shutil
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from wsd.artifacts.run_map import DIGITS
from wsd.artifacts.vectors import TENSOR, VECTORS, VectorsWriter, check_vectors
from wsd.artifacts.view_names import DRAWN
from wsd.encoder.alignment import ALIGNMENT_FILE
from wsd.errors import ResultError
from wsd.run.run_files import Files
from wsd.run.settings import Model
from wsd.storage.atomic import replacing
from wsd.storage.file_names import file_name

EMBEDDINGS = "embeddings"


def adopt(files: Files, dataset: Path) -> tuple[int, int]:
    """Take over the vectors of an earlier version.

    Parameters
    ----------
    files : Files
        Of the run that could use them.
    dataset : Path
        ``results/<dataset>``.

    Returns
    -------
    int, int
        How many files were taken over; of how many of an earlier version that the run could use.
    """
    taken = found = 0
    for name, model in files.config.encoders.items():
        folder = Path(files.store) / files.keyed["model"][name] / EMBEDDINGS
        views = files.config.stored_views(model)
        for word, view in product(map(file_name, files.config.words), views):
            path = dataset / name / EMBEDDINGS / word / f"{view}{VECTORS}"
            if path.is_file() and not path.is_symlink():
                found += 1
                taken += _adopt(files, model, path, folder)
    return taken, found


def _adopt(files: Files, model: Model, path: Path, folder: Path) -> bool:
    """Take one file over, with the report of its word's alignment, if it matches."""
    report = path.with_name(ALIGNMENT_FILE)
    try:
        said = provenance_of(path)
        seed = said["seed"] if said["view"] == DRAWN else None
        if not report.is_file() or not _matches(files, model, said):
            return False
        of_word = folder / f"{path.parent.name}@{said['corpus'][:DIGITS]}"
        key = "" if seed is None else f"@{seed:0{DIGITS}x}"
        target = of_word / f"{path.stem}{key}{VECTORS}"
        if not target.exists():
            copy_vectors(path, target, {**said, "seed": seed})
        if not (of_word / ALIGNMENT_FILE).exists():
            with replacing(of_word / ALIGNMENT_FILE) as temporary:
                shutil.copyfile(report, temporary)
        path.unlink()
    except (
        ResultError,
        SafetensorError,
        KeyError,
        TypeError,
        ValueError,
    ):  # damaged, or of a much earlier version
        return False
    return True


def _matches(files: Files, model: Model, said: Mapping[str, Any]) -> bool:
    """Whether vectors were made of a model as it is used now."""
    made, contents = said["model"], files.keys.contents(model)
    if "finetuned_from" in model.source:
        return False
    same_files = {**contents, **model.sha256}.items() <= made["files"].items()
    if "hub" in model.source:
        same_files = same_files and model.source.items() <= made["source"].items()
    device = files.config.device
    return (
        same_files
        and made.get("random_weights") == model.random_weights
        and (made["blocks"], made["width"]) == (model.blocks, model.width)
        and [said[key] for key in ("pooling", "input", "precision")]
        == [model.pooling, model.input, model.precision]
        and (device == "auto" or str(said["device"]).startswith(device))
    )


def provenance_of(path: Path) -> dict[str, Any]:
    """What a file of vectors says of itself.

    Raises
    ------
    SafetensorError, TypeError, KeyError, ValueError
        If it is none.
    """
    with safe_open(path, "numpy") as file:
        return dict(json.loads(file.metadata()["wsd"]))


def copy_vectors(path: Path, target: Path, provenance: Mapping[str, Any]) -> None:
    """Copy a file that is what was written, and have it say something else of itself.

    Raises
    ------
    DamageError
        Naming the layer that is not what was written.
    """
    check_vectors(path)
    about = {"wsd": json.dumps(provenance, sort_keys=True)}
    with safe_open(path, "numpy") as file, replacing(target) as temporary:
        vectors = file.get_slice(TENSOR)
        writer = VectorsWriter(temporary, tuple(vectors.get_shape()), about)
        while (first := writer.rows) < writer.shape[1]:
            writer.add(vectors[:, first : min(first + 1000, writer.shape[1])])
        writer.close()
