"""Find the files of a dataset that ``save_to_disk`` of the library ``datasets`` wrote.

A ``Dataset`` is a folder of Arrow files that ``state.json`` lists. A ``DatasetDict`` is a folder
with such a folder for each split.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wsd.artifacts.corpus_table import SPLITS
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.storage.file_names import is_plain_name
from wsd.storage.result_files import UNEXPECTED, require

_SPLITS, _STATE = "dataset_dict.json", "state.json"
FIX = "save it again with `dataset.save_to_disk(FOLDER)`"


def resolve(
    files: Sequence[Path], train: Sequence[Path], test: Sequence[Path]
) -> tuple[list[Path], list[Path], list[Path]]:
    """Return the files of ``wsd import``; each saved dataset is replaced by its files.

    A dataset with the splits train and test is imported as with ``--train`` and ``--test``.

    Parameters
    ----------
    files, train, test : sequence of Path
        The arguments ``FILE``, ``--train`` and ``--test``.

    Raises
    ------
    ConfigError
        If it is unclear which files are for training and testing.
    CorpusError
        If a dataset cannot be read.
    """
    splits = _splits_of(files[0]) if len(files) == 1 else {}
    if len(splits) > 1:
        train_files, test_files = _train_and_test(files[0], splits)
        return [], train_files, test_files
    return _expand(files), _expand(train), _expand(test)


def _expand(paths: Sequence[Path]) -> list[Path]:
    """Return the files of several paths, each with one split."""
    files = []
    for path in paths:
        splits = _splits_of(path)
        if len(splits) > 1:
            problem = f"the dataset has the splits {', '.join(splits)}"
            fix = f"name one of them, such as {path}/{next(iter(splits))}"
            raise ConfigError(problem, where=str(path), fix=fix)
        files += [file for part in splits.values() for file in part]
    return files


def _train_and_test(path: Path, splits: dict[str, list[Path]]) -> list[list[Path]]:
    """Return the files of the splits train and test; say which splits are left out."""
    if lacking := [name for name in SPLITS if name not in splits]:
        first, second, *_ = splits
        problem = f"no split {lacking[0]!r} among {', '.join(splits)}"
        fix = f"choose two, such as --train {path}/{first} --test {path}/{second}"
        raise ConfigError(problem, where=str(path), fix=fix)
    others = [name for name in splits if name not in SPLITS]
    left_out = f"; left out: {', '.join(others)} (`--test {path}/{others[0]}`)" if others else ""
    log.info(f"{path}: trains on the split train, tests on the split test{left_out}")
    return [splits[name] for name in SPLITS]


def _splits_of(path: Path) -> dict[str, list[Path]]:
    """Return the files of each split of a saved dataset; without a split, the name is empty.

    Any other path is returned as it is.
    """
    if (path / _SPLITS).is_file():
        names = _names(path / _SPLITS, lambda content: content["splits"])
        return {name: _files(path / name) for name in names}
    return {"": _files(path) if (path / _STATE).is_file() else [path]}


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
