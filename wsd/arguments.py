"""Arguments that several commands take, one function each, so that they are told once."""

import argparse
import json
import math
import os
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from wsd.artifacts.run_map import words_at
from wsd.artifacts.transform_names import USUAL, check_transform
from wsd.errors import ConfigError, visible

# What `snakemake` reads before the files of --configfile. A command that has `configfile` among its
# arguments gets what they say, checked, as ``args.config`` (`wsd.cli`).
CONFIG = Path("config/config.yaml")
# Suffixes that name a format.
FORMATS = (".csv", ".html", ".json", ".jsonl", ".parquet", ".tsv", ".txt", ".wsd", ".xlsx")
# What a container may use of the processors, in microseconds of each period (cgroup v2).
CPU_MAX = Path("/sys/fs/cgroup/cpu.max")


class Parser(argparse.ArgumentParser):
    """Its messages quote arguments, which may be foreign."""

    def error(self, message: str) -> NoReturn:
        """End with a usage error, whatever the argument holds."""
        super().error(visible(message))


def count(text: str) -> int:
    """A number from 1 up; argparse turns the ValueError into its own message."""
    if (number := int(text)) < 1:
        raise ValueError
    return number


def processors() -> int:
    """Return the number of processors that this process may use (affinity, cgroup)."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    found = len(allowed) or os.cpu_count() or 1
    with suppress(OSError, ValueError):  # no such file, or `max`: no limit
        quota, period = map(int, CPU_MAX.read_text(encoding="ascii").split())
        found = min(found, math.ceil(quota / period))
    return max(found, 1)


def seed(text: str) -> int:
    """A number that every generator of random numbers takes."""
    if not 0 <= (number := int(text)) < 2**32:
        raise ValueError
    return number


def transform(text: str) -> str:
    """The name of a transformation, of `wsd.metrics.transforms`."""
    try:
        return check_transform(text)
    except ConfigError as error:
        raise argparse.ArgumentTypeError(f"{error.what}; {error.fix}") from None


def json_object(text: str, where: str) -> dict[str, object]:
    """The JSON object that an argument holds."""
    try:
        value = json.loads(text)
    except (RecursionError, ValueError):
        value = None
    if not isinstance(value, dict):
        fix = "give one in braces and quotes: '{\"name\": 1}'"
        raise ConfigError(f"{text!r} is not a JSON object", where=where, fix=fix)
    return value


def add_configfiles(to: argparse.ArgumentParser, name: str, text: str, **how: Any) -> None:
    """Config files, as `snakemake` takes them: over the default, which is read without any too
    unless ``default`` is None.
    """
    to.add_argument(name, type=Path, metavar="FILE", help=text, **{"default": [], **how})
    to.set_defaults(under=[CONFIG])


def add_path(to: argparse.ArgumentParser, name: str, text: str, **how: Any) -> None:
    """A file or folder that must be named."""
    to.add_argument(name, type=Path, required=True, help=text, **how)


def writes(to: argparse.ArgumentParser, *names: str) -> None:
    """Say which arguments name what is written, so that nothing else is written over."""
    to.set_defaults(outputs=(*(to.get_default("outputs") or ()), *names))


def replaces(to: argparse.ArgumentParser, is_own: Callable[[Path], bool], *names: str) -> None:
    """Say which arguments name folders that are replaced whole, and which files they may lose."""
    to.set_defaults(replaced=dict.fromkeys(names, is_own))


def add_out(to: argparse.ArgumentParser, text: str, own: str) -> None:
    """Where the result goes, a file with the suffix ``own``."""

    def path(value: str) -> Path:
        suffix = Path(value).suffix.lower()
        if suffix in FORMATS and suffix != own:
            raise argparse.ArgumentTypeError(f"{value!r} is written as {own}: name it so")
        return Path(value)

    to.add_argument("--out", type=path, required=True, help=f"{text} ({own})", metavar="PATH")
    writes(to, "out")


def add_out_folder(to: argparse.ArgumentParser, text: str) -> None:
    """The folder that the results go to."""
    add_path(to, "--out", text, metavar="PATH")
    writes(to, "out")
    to.set_defaults(folders=("out",))


def add_files(to: argparse.ArgumentParser, name: str, text: str | None = None) -> None:
    """One file or more."""
    to.add_argument(name, type=Path, nargs="+", required=True, metavar="FILE", help=text)


def add_optional_files(to: argparse.ArgumentParser, name: str, text: str, **how: Any) -> None:
    """Any number of files, or none."""
    how = {"metavar": "FILE", **how}
    to.add_argument(name, type=Path, nargs="*", default=[], help=text, **how)


def add_seed(to: argparse.ArgumentParser, text: str | None = None) -> None:
    """The seed of whatever is drawn."""
    to.add_argument("--seed", type=seed, default=1, help=text)


def add_transforms(to: argparse.ArgumentParser) -> None:
    """What is done to vectors before they are measured."""
    text = f"what is done to the vectors first (default: {' '.join(USUAL)})"
    how: dict[str, Any] = {"type": transform, "default": list(USUAL), "help": text}
    to.add_argument("--transforms", nargs="+", metavar="NAME", **how)


def add_words(to: argparse.ArgumentParser) -> None:
    """The words of a dataset."""
    text = "words, or the names of their files"
    to.add_argument("--words", nargs="+", required=True, metavar="WORD", help=text)


def add_corpora(to: argparse.ArgumentParser) -> None:
    """The words of a dataset and the folder of their tables."""
    add_path(to, "--corpus", "folder of <word>.parquet")
    add_words(to)


class _Words(argparse.Action):
    """A folder of words' files, or listings of them."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        """Set it."""
        setattr(namespace, self.dest, words_at(values))


def add_word_files(
    to: argparse.ArgumentParser, name: str, text: str, *, required: bool = True
) -> None:
    """A folder of the words' files, or listings of where they are."""
    text = f"{text}, or listings of them, .json"
    how: dict[str, Any] = {"nargs": "+", "metavar": "PATH", "required": required}
    to.add_argument(name, type=Path, action=_Words, help=text, **how)


def add_listings(to: argparse.ArgumentParser) -> None:
    """Files that list the folders of the same names, once these are written."""
    text = "of the workflow: lists the files of the folder of its name"
    add_optional_files(to, "--listings", text)
    writes(to, "listings")


def add_embeddings(to: argparse.ArgumentParser) -> None:
    """The words, their tables, and where their vectors are."""
    add_corpora(to)
    add_word_files(to, "--embeddings", "folder of <word>/<view>.safetensors")


def add_feature_set(to: argparse.ArgumentParser) -> None:
    """What a classifier or a picture reads: vectors, view and layer choice."""
    add_embeddings(to)
    to.add_argument("--view", default="focal", help="what is read: focal (the default), ...")
    to.add_argument("--layers", required=True, help="a layer choice: 6, mean-last-4, ...")


def add_choice(
    to: argparse.ArgumentParser, name: str, choices: Collection[str], text: str | None = None
) -> None:
    """One of several; the first is the default."""
    to.add_argument(name, default=next(iter(choices)), choices=list(choices), help=text)


def add_objective(to: argparse.ArgumentParser, objectives: Collection[str]) -> None:
    """What tuning maximises; the first is the default."""
    add_choice(to, "--objective", objectives, "what decides between points of the search space")


def add_results(to: argparse.ArgumentParser) -> None:
    """The folder of a dataset's results, and which run's of them."""
    add_path(to, "--results", "folder results/<dataset>")
    add_run(to)


def add_run(
    to: argparse.ArgumentParser,
    text: str = "of this run (default: the one without a name, or the only one there is)",
) -> None:
    """Which run of a dataset; ``args.run`` is the command itself."""
    to.add_argument("--run", dest="of_run", metavar="NAME", help=text)


def add_configuration(to: argparse.ArgumentParser) -> None:
    """Which of the candidates, if not the selected one."""
    for name, text in (
        ("model", "of this encoder"),
        ("view", "on this view: focal, focal+context, ..."),
        ("layers", "on this layer choice"),
        ("classifier", "with this classifier"),
    ):
        text = f"the best candidate by the folds {text} (default: the selected)"
        to.add_argument(f"--{name}", help=text)


def add_source(to: argparse.ArgumentParser, folder: str, *, required: bool) -> None:
    """Where an encoder's files come from."""
    where = to.add_mutually_exclusive_group(required=required)
    where.add_argument("--hub", metavar="ID", help="id on the hub, with --revision")
    where.add_argument("--package", help="an installed Python package that carries the model")
    where.add_argument("--path", help=folder)
    to.add_argument("--revision", metavar="COMMIT", help="full commit hash on the hub")
