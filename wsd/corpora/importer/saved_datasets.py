"""Find the files of a dataset that ``save_to_disk`` of the library ``datasets`` wrote.

A ``Dataset`` is a folder of Arrow files that ``state.json`` lists. A ``DatasetDict`` is a folder
with such a folder for each split.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wsd.errors import CorpusError
from wsd.storage.file_names import is_plain_name
from wsd.storage.result_files import UNEXPECTED, require

_SPLITS, _STATE = "dataset_dict.json", "state.json"
FIX = "save it again with `dataset.save_to_disk(FOLDER)`"


def is_saved(path: Path) -> bool:
    """Return whether a path is the folder of a saved dataset."""
    return any((path / name).is_file() for name in (_SPLITS, _STATE))


def splits_of(path: Path) -> dict[str, list[Path]]:
    """Return the files of each split of a saved dataset; a ``Dataset`` has one without a name.

    Raises
    ------
    CorpusError
        If a split or a file is missing, or a listing is damaged.
    """
    if not (path / _SPLITS).is_file():
        return {"": _files(path)}
    return {name: _files(path / name) for name in _names(path / _SPLITS, lambda c: c["splits"])}


def _files(folder: Path) -> list[Path]:
    listing = folder / _STATE
    names = _names(listing, lambda content: [entry["filename"] for entry in content["_data_files"]])
    for file in (folder / name for name in names):
        if not file.is_file():
            raise CorpusError("a file of the dataset is missing", where=str(file), fix=FIX)
    return [folder / name for name in names]


def _names(listing: Path, parse: Callable[[Any], Any]) -> list[str]:
    """Return the names of files or folders in a listing, all of them next to it."""
    try:
        names = parse(json.loads(listing.read_text(encoding="utf-8")))
        require(isinstance(names, list) and names, "it names nothing")
        require(all(isinstance(n, str) and is_plain_name(n) for n in names), "a name is a path")
    except FileNotFoundError:
        raise CorpusError(
            "a split of the dataset is missing", where=str(listing), fix=FIX
        ) from None
    except (RecursionError, *UNEXPECTED) as error:
        problem = f"not a listing of `datasets`: {type(error).__name__} {error}"
        raise CorpusError(problem, where=str(listing), fix=FIX) from None
    return list(names)
