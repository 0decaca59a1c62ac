"""Download the data files of a dataset from the Hugging Face hub.

An address is ``hf://datasets/OWNER/NAME``, perhaps with ``@REVISION``, and with the path of a file
or folder, or the name of a split. Only tables are downloaded: no script, and no code is run. The
split of a file is the word ``train``, ``validation`` or ``test``, or a usual synonym, in its name
or in the name of its folder, as the library ``datasets`` has it.
"""

import glob
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from wsd.artifacts.encoder_record import FULL_COMMIT
from wsd.errors import ConfigError, DownloadError
from wsd.logs import log
from wsd.storage.checksums import sha256
from wsd.storage.hub_client import ANSWER_SECONDS, Repository, client_errors, remove_from_cache
from wsd.storage.result_files import require

# pathlib makes one slash of two.
_ADDRESS = re.compile(
    r"hf:/+(?:datasets/)?(?P<name>[^/@]+/[^/@]+)"
    r"(?:@(?P<revision>refs/(?:convert|pr)/[^/]+|[^/]+))?(?:/(?P<path>.+?))?/?"
)
FORM = "hf://datasets/OWNER/NAME, perhaps with @REVISION and /PATH"
# The first kind that a dataset has is read.
SUFFIXES = (".parquet", ".jsonl", ".csv", ".tsv", ".json")
# Files that describe a dataset.
_NO_DATA = ("dataset_infos.json", "dataset_info.json", "dataset_dict.json", "state.json")
# The revision to which the hub itself converts datasets.
CONVERTED = "refs/convert/parquet"
_SPLIT_OF = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("validation", "valid", "val", "dev"), "validation"),
    **dict.fromkeys(("test", "testing", "eval", "evaluation"), "test"),
}
_KEYWORD = re.compile(rf"(?<![a-z])({'|'.join(_SPLIT_OF)})(?![a-z])")
WAYS_ON = "download its tables by hand, and name them as files"


class HubDataset(NamedTuple):
    """The downloaded files of a dataset.

    Attributes
    ----------
    splits : dict of str to list of Path
        The files of each split; without a split, the name is empty.
    addresses : dict of Path to str
        The address of each file, with the commit.
    about : dict of str to str
        ``source``, and ``licence`` if the dataset's card has it.
    """

    splits: dict[str, list[Path]]
    addresses: dict[Path, str]
    about: dict[str, str]


def is_address(path: Path) -> bool:
    """Return whether a path is an address of the hub."""
    return path.parts[:1] == ("hf:",)


def fetch(path: Path, pick: Callable[[str, Sequence[str]], Sequence[str]]) -> HubDataset:
    """Download the data files of an address into the cache of the hub's client.

    Parameters
    ----------
    path : Path
        An address; pathlib writes ``hf://`` as ``hf:/``.
    pick : function of the address and the splits
        Returns the splits to download.

    Raises
    ------
    ConfigError
        For a malformed address, a path or split that the dataset lacks, and several subsets.
    DownloadError
        If the dataset has no table, cannot be fetched, or a file has another checksum.
    """
    from huggingface_hub import HfApi, snapshot_download

    name, revision, part = _parse(path)
    places = ("the name in the address", "the revision in the address, after @")
    with client_errors(Repository("dataset", name, revision, *places, WAYS_ON, DownloadError)):
        info: Any = HfApi().dataset_info(
            name, revision=revision, timeout=ANSWER_SECONDS, files_metadata=True
        )
        require(FULL_COMMIT.fullmatch(str(info.sha)), "the hub names no commit")
        where = f"hf://datasets/{name}@{info.sha}"
        sizes = {file.rfilename: file.size or 0 for file in info.siblings or []}
        splits = choose(_data_files(sizes, where), part, where)
        splits = {split: splits[split] for split in pick(shown(path), list(splits))}
        names = [file for files in splits.values() for file in files]
        size = sum(sizes[file] for file in names) / 1e6
        log.info(f"{where}: {len(names)} data file{'s' if len(names) > 1 else ''}, {size:.1f} MB")
        folder = snapshot_download(
            name, repo_type="dataset", revision=info.sha, allow_patterns=[*map(glob.escape, names)]
        )
    root = Path(folder).absolute()
    for file in info.siblings:
        if file.rfilename in names and file.lfs:
            _check(root / file.rfilename, file.lfs["sha256"], f"{where}/{file.rfilename}")
    about = {"source": f"https://huggingface.co/datasets/{name}"}
    licence = info.card_data.get("license") if info.card_data else None
    if isinstance(licence, str):
        about["licence"] = licence
    addresses = {root / file: f"{where}/{file}" for file in names}
    return HubDataset(
        {s: [root / n for n in files] for s, files in splits.items()}, addresses, about
    )


def _parse(path: Path) -> tuple[str, str, str]:
    """Return the name, the revision and the path of an address."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined, unused-ignore]

    address = _ADDRESS.fullmatch(path.as_posix())
    try:
        if address is None:
            raise HFValidationError
        validate_repo_id(address["name"])
    except HFValidationError:
        problem = f"not the address of a dataset: {shown(path)!r}"
        raise ConfigError(problem, where="FILE", fix=f"write {FORM}") from None
    revision = unquote(address["revision"] or "main")
    revision = CONVERTED if revision == "~parquet" else revision
    return address["name"], revision, address["path"] or ""


def shown(path: Path) -> str:
    """Return a path as the user wrote it."""
    return path.as_posix().replace("hf:/", "hf://", 1) if is_address(path) else str(path)


def _data_files(names: Iterable[str], where: str) -> list[str]:
    """Return the tables of a dataset: all of the first kind that it has."""
    plain = [name for name in names if all(p and p[0] != "." for p in name.split("/"))]
    for suffix in SUFFIXES:
        files = [name for name in plain if name.lower().endswith(suffix)]
        if files := [name for name in files if name.split("/")[-1] not in _NO_DATA]:
            return sorted(files)
    problem = f"the dataset has no table ({', '.join(SUFFIXES)})"
    dataset = where.partition("@")[0]
    fix = f"if a script makes it, try the hub's own conversion: {dataset}@{CONVERTED}"
    raise DownloadError(problem, where=where, fix=fix)


def choose(names: Sequence[str], part: str, where: str) -> dict[str, list[str]]:
    """Return the files of each split in the part of a dataset that the user names.

    Parameters
    ----------
    names : sequence of str
        The paths of all tables.
    part : str
        A path, a split, or a path and a split; empty for everything.
    where : str
        The address of the dataset.

    Raises
    ------
    ConfigError
        For a part that the dataset lacks, and for several subsets.

    >>> choose(["data/train-0.parquet", "data/test-0.parquet"], "", "hf://datasets/a/b")
    {'train': ['data/train-0.parquet'], 'test': ['data/test-0.parquet']}
    """
    places = {name: _folder_and_split(name) for name in names}
    split = _SPLIT_OF.get(part.rpartition("/")[2].lower())
    chosen = [name for name in names if not part or name == part or name.startswith(f"{part}/")]
    if not chosen and split:
        above = part.rpartition("/")[0]
        chosen = [n for n, (f, s) in places.items() if s == split and (not above or f == above)]
    folders = sorted({places[name][0] for name in chosen})
    if not chosen:
        known = sorted({f"{folder}/{split}".strip("/") for folder, split in places.values()})
        problem = f"the dataset has no {part!r}"
        raise ConfigError(
            problem, where=where, fix=f"choose among {', '.join(filter(None, known))}"
        )
    if len(folders) > 1:
        problem = f"the dataset has several subsets: {', '.join(folders)}"
        fix = f"add one to the address: {where.partition('@')[0]}/{folders[0] or folders[1]}"
        raise ConfigError(problem, where=where, fix=fix)
    splits: dict[str, list[str]] = {}
    for name in chosen:
        splits.setdefault(places[name][1], []).append(name)
    if len(splits) > 1 and "" in splits:
        log.info(f"{where}: left out, since it names no split: {', '.join(splits.pop(''))}")
    return splits


def _folder_and_split(name: str) -> tuple[str, str]:
    """Return the folder of a file, without the folder of a split, and the split; perhaps empty.

    >>> _folder_and_split("wic/test-00000-of-00001.parquet"), _folder_and_split("dev/a.csv")
    (('wic', 'test'), ('', 'validation'))
    """
    *folders, file = name.split("/")
    if found := _KEYWORD.search(file.lower()):
        return "/".join(folders), _SPLIT_OF[found[1]]
    if folders and (split := _SPLIT_OF.get(folders[-1].lower())):
        return "/".join(folders[:-1]), split
    return "/".join(folders), ""


def _check(path: Path, expected: str, address: str) -> None:
    """Refuse a file with another checksum than the hub states, and forget it."""
    if (digest := sha256(path)) != expected:
        remove_from_cache(path)
        problem = f"the downloaded file has the SHA-256 {digest}, not {expected}"
        fix = "run again: it was removed from the cache of the hub's client"
        raise DownloadError(problem, where=address, fix=fix)
