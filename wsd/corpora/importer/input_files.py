"""Resolve what the user names as files: archives, saved datasets, and datasets on the hub."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wsd.artifacts.corpus_table import SPLITS
from wsd.corpora.importer import hub_datasets, saved_datasets, zip_archive
from wsd.errors import ConfigError
from wsd.logs import log

TRAIN, TEST = SPLITS
# Returns the splits to import, given the name of a dataset and all its splits.
Pick = Callable[[str, Sequence[str]], Sequence[str]]


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
    dataset = _expand(files[0], inputs, _train_and_test) if len(files) == 1 else {}
    if len(dataset) > 1:
        inputs.train, inputs.test = dataset[TRAIN], dataset[TEST]
        return inputs
    inputs.files = next(iter(dataset.values())) if dataset else _join(files, inputs)
    inputs.train, inputs.test = _join(train, inputs), _join(test, inputs)
    return inputs


def _join(paths: Sequence[Path], inputs: InputFiles) -> list[Path]:
    """Return the files of several paths, each with one split."""
    parts = (_expand(path, inputs, _one_split) for path in paths)
    return [file for part in parts for files in part.values() for file in files]


def _expand(path: Path, inputs: InputFiles, pick: Pick) -> dict[str, list[Path]]:
    """Return the files of a path, in the splits that ``pick`` returns."""
    if hub_datasets.is_address(path):
        dataset = hub_datasets.fetch(path, pick)
        inputs.addresses |= dataset.addresses
        inputs.about |= dataset.about
        return dataset.splits
    if saved_datasets.is_saved(path):
        splits = saved_datasets.splits_of(path)
        return {name: splits[name] for name in pick(str(path), list(splits))}
    return {"": zip_archive.expand([path])}


def _one_split(shown: str, splits: Sequence[str]) -> Sequence[str]:
    """Return the only split of a dataset; refuse several, of which the user must name one."""
    if len(splits) > 1:
        problem = f"the dataset has the splits {', '.join(splits)}"
        raise ConfigError(
            problem, where=shown, fix=f"name one of them, such as {shown}/{splits[0]}"
        )
    return splits


def _train_and_test(shown: str, splits: Sequence[str]) -> Sequence[str]:
    """Return train and test, or the only split of a dataset; say which are left out."""
    if len(splits) == 1:
        return splits
    if lacking := [name for name in (TRAIN, TEST) if name not in splits]:
        problem = f"no split {lacking[0]!r} among {', '.join(splits)}"
        fix = f"choose two, such as --train {shown}/{splits[0]} --test {shown}/{splits[1]}"
        raise ConfigError(problem, where=shown, fix=fix)
    others = [name for name in splits if name not in (TRAIN, TEST)]
    left_out = f"; left out: {', '.join(others)} (`--test {shown}/{others[0]}`)" if others else ""
    log.info(f"{shown}: trains on the split train, tests on the split test{left_out}")
    return TRAIN, TEST
