"""Find the files of a dataset that ``save_to_disk`` of the library ``datasets`` wrote.

A ``Dataset`` is a folder of Arrow files that ``state.json`` lists. A ``DatasetDict`` is a folder
with such a folder for each split.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from wsd.artifacts.corpus_table import SPLITS
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.storage.file_names import is_plain_name
from wsd.storage.result_files import UNEXPECTED, require

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
    if set(SPLITS) <= splits.keys():
        others = [name for name in splits if name not in SPLITS]
        more = "".join(f"; left out: {name} (`--test {files[0]}/{name}`)" for name in others)
        log.info(f"{files[0]}: trains on train, tests on test{more}")
        return [], splits["train"], splits["test"]
    return _expand(files), _expand(train), _expand(test)


def _expand(paths: Sequence[Path]) -> list[Path]:
    """Return the files of several paths, each with one split."""
    files = []
    for path in paths:
        splits = _splits_of(path)
        if len(splits) > 1:
            first, second, *_ = splits
            fix = f"choose some, such as --train {path}/{first} --test {path}/{second}"
            problem = f"the dataset has the splits {', '.join(splits)}"
            raise ConfigError(problem, where=str(path), fix=fix)
        files += [file for part in splits.values() for file in part]
    return files


def _splits_of(path: Path) -> dict[str, list[Path]]:
    """Return the files of each split of a saved dataset; without a split, the name is empty.

    Any other path is returned as it is.
    """
    names, state = path / "dataset_dict.json", path / "state.json"
    try:
        if names.is_file():
            splits = json.loads(names.read_bytes())["splits"]
            require(splits and all(map(is_plain_name, splits)), "a split without a plain name")
            return {split: _splits_of(path / split)[""] for split in splits}
        if state.is_file():
            files = [entry["filename"] for entry in json.loads(state.read_bytes())["_data_files"]]
            require(files and all(map(is_plain_name, files)), "a file without a plain name")
            return {"": [path / file for file in files]}
    except (RecursionError, *UNEXPECTED) as error:
        problem = f"not a saved dataset: {type(error).__name__} {error}"
        raise CorpusError(problem, where=str(path), fix=FIX) from None
    return {"": [path]}
