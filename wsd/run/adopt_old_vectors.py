"""Move vectors of an earlier version, which had no store, into the store.

Vectors take hours to compute. If their provenance names the same model and settings, this version
would compute the same vectors. All other files of an earlier version stay.
"""

import json
import shutil
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from wsd.artifacts.run_json import DIGITS
from wsd.artifacts.vectors import TENSOR, VECTORS, VectorsWriter, check_vectors
from wsd.artifacts.view_names import DRAWN
from wsd.encoder.alignment import ALIGNMENT_FILE
from wsd.errors import ResultError
from wsd.run.checked_config import Model
from wsd.run.run_files import Files
from wsd.storage.atomic import replacing
from wsd.storage.file_names import file_name

EMBEDDINGS = "embeddings"


def adopt(files: Files, dataset: Path) -> tuple[int, int]:
    """Move the vectors of an earlier version that fit a run into the store.

    Parameters
    ----------
    files : Files
        The files of the run.
    dataset : Path
        ``results/<dataset>``.

    Returns
    -------
    int, int
        The number of moved files, and of files of vectors for this run from an earlier version.
    """
    moved = former = 0
    for name, model in files.config.encoders.items():
        folder = Path(files.store) / files.keyed["model"][name] / EMBEDDINGS
        views = files.config.stored_views(model)
        for word, view in product(map(file_name, files.config.words), views):
            path = dataset / name / EMBEDDINGS / word / f"{view}{VECTORS}"
            if path.is_file() and not path.is_symlink():
                former += 1
                moved += _adopt(files, model, path, folder)
    return moved, former


def _adopt(files: Files, model: Model, path: Path, folder: Path) -> bool:
    """Move one file, with the report of its word's alignment, if its provenance matches."""
    report = path.with_name(ALIGNMENT_FILE)
    try:
        provenance = provenance_of(path)
        seed = provenance["seed"] if provenance["view"] == DRAWN else None
        if not report.is_file() or not _matches(files, model, provenance):
            return False
        word_folder = folder / f"{path.parent.name}@{provenance['corpus'][:DIGITS]}"
        key = "" if seed is None else f"@{seed:0{DIGITS}x}"
        target = word_folder / f"{path.stem}{key}{VECTORS}"
        if not target.exists():
            copy_vectors(path, target, {**provenance, "seed": seed})
        if not (word_folder / ALIGNMENT_FILE).exists():
            with replacing(word_folder / ALIGNMENT_FILE) as temporary:
                shutil.copyfile(report, temporary)
        path.unlink()
    except (ResultError, SafetensorError, KeyError, TypeError, ValueError):
        return False  # damaged, or of a much earlier version
    return True


def _matches(files: Files, model: Model, provenance: Mapping[str, Any]) -> bool:
    """Return whether vectors were computed with the current model and settings."""
    former, contents = provenance["model"], files.keys.contents(model)
    if "finetuned_from" in model.source or model.storage:
        return False
    same_files = {**contents, **model.sha256}.items() <= former["files"].items()
    if "hub" in model.source:
        same_files = same_files and model.source.items() <= former["source"].items()
    device = files.config.device
    return (
        same_files
        and former.get("random_weights") == model.random_weights
        and (former["blocks"], former["width"]) == (model.blocks, model.width)
        and [provenance[key] for key in ("pooling", "input", "precision")]
        == [model.pooling, model.input, model.precision]
        and (device == "auto" or str(provenance["device"]).startswith(device))
    )


def provenance_of(path: Path) -> dict[str, Any]:
    """Return the provenance that a file of vectors holds.

    Raises
    ------
    SafetensorError, TypeError, KeyError, ValueError
        If it is not such a file.
    """
    with safe_open(path, "numpy") as file:
        return dict(json.loads(file.metadata()["wsd"]))


def copy_vectors(path: Path, target: Path, provenance: Mapping[str, Any]) -> None:
    """Copy an undamaged file of vectors and replace its provenance.

    Raises
    ------
    DamageError
        Naming the damaged layer.
    """
    check_vectors(path)
    about = {"wsd": json.dumps(provenance, sort_keys=True)}
    with safe_open(path, "numpy") as file, replacing(target) as temporary:
        vectors = file.get_slice(TENSOR)
        writer = VectorsWriter(temporary, tuple(vectors.get_shape()), about)
        while (first := writer.rows) < writer.shape[1]:
            writer.add(vectors[:, first : min(first + 1000, writer.shape[1])])
        writer.close()
