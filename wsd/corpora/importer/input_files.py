"""Resolve what the user names as files: archives, saved datasets, and datasets on the hub."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wsd.corpora.importer import hub_datasets, saved_datasets, zip_archive
from wsd.errors import ConfigError
from wsd.logs import log

# The files of each split of a dataset; the name is empty without a split.
Splits = dict[str, list[Path]]


@dataclass
class InputFiles:
    """The files to import.

    Attributes
    ----------
    files : list of Path
        Files whose split is not given here. If there are some, the next two are empty.
    train, test : list of Path
    addresses : dict of Path to str
        The address of each file that was downloaded.
    about : dict of str to str
        Facts about a downloaded corpus.
    """

    files: list[Path]
    train: list[Path]
    test: list[Path]
    addresses: dict[Path, str] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)

    @property
    def all(self) -> list[Path]:
        """Return all files."""
        return [*self.files, *self.train, *self.test]


def resolve(files: Sequence[Path], train: Sequence[Path], test: Sequence[Path]) -> InputFiles:
    """Return the files behind the arguments of ``wsd import``.

    A dataset with the splits train and test is imported as with ``--train`` and ``--test``.

    Raises
    ------
    ConfigError
        If it is unclear which files are for training and testing.
    CorpusError, DownloadError
        If an archive or a dataset cannot be read.
    """
    inputs = InputFiles([], [], [])
    dataset = _expand(files[0], inputs) if len(files) == 1 else {}
    if len(dataset) > 1:
        inputs.train, inputs.test = _train_and_test(files[0], dataset)
        return inputs
    inputs.files = next(iter(dataset.values())) if dataset else _join(files, inputs)
    inputs.train, inputs.test = _join(train, inputs), _join(test, inputs)
    return inputs


def _expand(path: Path, inputs: InputFiles) -> Splits:
    """Return the files of a path by split."""
    if hub_datasets.is_address(path):
        dataset = hub_datasets.fetch(path)
        inputs.addresses |= dataset.addresses
        inputs.about |= dataset.about
        return dataset.splits
    if saved_datasets.is_saved(path):
        return saved_datasets.splits_of(path)
    return {"": zip_archive.expand([path])}


def _join(paths: Sequence[Path], inputs: InputFiles) -> list[Path]:
    """Return the files of several paths; refuse a dataset of which a split must be chosen."""
    joined: list[Path] = []
    for path in paths:
        splits = _expand(path, inputs)
        if len(splits) > 1:
            shown = hub_datasets.shown(path)
            problem = f"the dataset has the splits {', '.join(splits)}"
            fix = f"name one of them, such as {shown}/{next(iter(splits))}"
            raise ConfigError(problem, where=shown, fix=fix)
        joined += [file for files in splits.values() for file in files]
    return joined


def _train_and_test(path: Path, splits: Splits) -> tuple[list[Path], list[Path]]:
    """Return the training and test files of a dataset; say which splits are left out."""
    shown = hub_datasets.shown(path)
    if lacking := [name for name in ("train", "test") if name not in splits]:
        first, second, *_ = [*splits, *splits]
        problem = f"no split {lacking[0]!r} among {', '.join(splits)}"
        fix = f"choose two, such as --train {shown}/{first} --test {shown}/{second}"
        raise ConfigError(problem, where=shown, fix=fix)
    others = [name for name in splits if name not in ("train", "test")]
    left_out = f"; left out: {', '.join(others)} (`--test {shown}/{others[0]}`)" if others else ""
    log.info(f"{shown}: trains on the split train, tests on the split test{left_out}")
    return splits["train"], splits["test"]
