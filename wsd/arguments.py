"""Define the arguments that several commands share."""

import argparse
import json
import math
import os
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from wsd.artifacts.encoder_input import INPUTS, PLAIN, input_argument
from wsd.artifacts.run_json import word_files_at
from wsd.artifacts.transform_names import USUAL, check_transform
from wsd.errors import ConfigError, visible

# The config that `snakemake` reads before the files of --configfile. A command with the argument
# `configfile` gets the checked config as ``args.config`` from `wsd.cli`.
CONFIG = Path("config/config.yaml")
# The suffixes of file formats.
FORMATS = (".csv", ".html", ".json", ".jsonl", ".parquet", ".tsv", ".txt", ".wsd", ".xlsx")
# The processor time that a container may use per period, in microseconds (cgroup v2).
CPU_MAX = Path("/sys/fs/cgroup/cpu.max")


class Parser(argparse.ArgumentParser):
    """A parser whose messages quote arguments safely."""

    def error(self, message: str) -> NoReturn:
        """End with a usage error."""
        super().error(visible(message))


def count(text: str) -> int:
    """Parse a positive integer; argparse turns the ValueError into a message."""
    if (number := int(text)) < 1:
        raise ValueError
    return number


def processors() -> int:
    """Return the number of processors that this process may use (affinity, cgroup)."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    number = len(allowed) or os.cpu_count() or 1
    with suppress(OSError, ValueError):  # without a limit, there is no file, or it has `max`
        quota, period = map(int, CPU_MAX.read_text(encoding="ascii").split())
        number = min(number, math.ceil(quota / period))
    return max(number, 1)


def seed(text: str) -> int:
    """Parse a seed that every random number generator accepts."""
    if not 0 <= (number := int(text)) < 2**32:
        raise ValueError
    return number


def json_object(text: str, where: str) -> dict[str, object]:
    """Parse an argument that is a JSON object."""
    try:
        value = json.loads(text)
    except (RecursionError, ValueError):
        value = None
    if not isinstance(value, dict):
        fix = "give one in braces and quotes: '{\"name\": 1}'"
        raise ConfigError(f"{text!r} is not a JSON object", where=where, fix=fix)
    return value


def add_configfiles(to: argparse.ArgumentParser, name: str, text: str, **how: Any) -> None:
    """Add config files, as for `snakemake`; the default config is read first.

    With ``default=None``, no config is read if the user gives no file.
    """
    to.add_argument(name, type=Path, metavar="FILE", help=text, **{"default": [], **how})
    to.set_defaults(under=[CONFIG])


def add_path(to: argparse.ArgumentParser, name: str, text: str, **how: Any) -> None:
    """Add a required file or folder."""
    to.add_argument(name, type=Path, required=True, help=text, **how)


def writes(to: argparse.ArgumentParser, *names: str) -> None:
    """Declare the arguments that name outputs; only their files may be overwritten."""
    to.set_defaults(outputs=(*(to.get_default("outputs") or ()), *names))


def replaces(to: argparse.ArgumentParser, *names: str) -> None:
    """Declare arguments that name folders of pages to replace."""
    to.set_defaults(replaced=names)


def add_out(to: argparse.ArgumentParser, text: str, own: str) -> None:
    """Add the output file, whose format has the suffix ``own``."""

    def path(value: str) -> Path:
        suffix = Path(value).suffix.lower()
        if suffix in FORMATS and suffix != own:
            raise argparse.ArgumentTypeError(f"{value!r} needs the suffix {own}")
        return Path(value)

    to.add_argument("--out", type=path, required=True, help=f"{text} ({own})", metavar="PATH")
    writes(to, "out")


def add_out_folder(to: argparse.ArgumentParser, text: str) -> None:
    """Add the output folder."""
    add_path(to, "--out", text, metavar="PATH")
    writes(to, "out")
    to.set_defaults(folders=("out",))


def add_files(to: argparse.ArgumentParser, name: str, text: str | None = None) -> None:
    """Add an argument of one or more files."""
    to.add_argument(name, type=Path, nargs="+", required=True, metavar="FILE", help=text)


def add_optional_files(to: argparse.ArgumentParser, name: str, text: str, **how: Any) -> None:
    """Add an argument of any number of files, or none."""
    how = {"metavar": "FILE", **how}
    to.add_argument(name, type=Path, nargs="*", default=[], help=text, **how)


def add_input(to: argparse.ArgumentParser, text: str = "", **how: Any) -> None:
    """Add what an encoder reads; the default is ``plain``."""
    names = f"{', '.join(INPUTS)}, or a mapping as JSON with `template` or `mark`, and `read`"
    how = {"type": input_argument, "default": PLAIN, "metavar": "INPUT", **how}
    to.add_argument("--input", help=f"what the encoder reads: {names}{text}", **how)


def add_seed(to: argparse.ArgumentParser, text: str | None = None) -> None:
    """Add the random seed."""
    to.add_argument("--seed", type=seed, default=1, help=text)


def add_transforms(to: argparse.ArgumentParser) -> None:
    """Add the transforms of vectors before they are measured."""
    text = f"transforms of the vectors (default: {' '.join(USUAL)})"
    how: dict[str, Any] = {
        "type": partial(check_transform, where="--transforms"),
        "default": list(USUAL),
        "help": text,
    }
    to.add_argument("--transforms", nargs="+", metavar="NAME", **how)


def add_words(to: argparse.ArgumentParser) -> None:
    """Add the words of a dataset."""
    text = "words, or the names of their files"
    to.add_argument("--words", nargs="+", required=True, metavar="WORD", help=text)


def add_corpora(to: argparse.ArgumentParser) -> None:
    """Add the words of a dataset and the folder of their tables."""
    add_path(to, "--corpus", "folder of <word>.parquet")
    add_words(to)


def excludes(to: argparse.ArgumentParser, option: str, *others: str) -> None:
    """Declare that an option excludes each of some other options."""
    actions = {name: action for action in to._actions for name in action.option_strings}
    for other in others:
        to.add_mutually_exclusive_group()._group_actions += [actions[option], actions[other]]


class _Words(argparse.Action):
    """Parse a folder of words' files, or listings of these files."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        """Store the folder or the listings."""
        setattr(namespace, self.dest, word_files_at(values))


def add_word_files(
    to: argparse.ArgumentParser, name: str, text: str, *, required: bool = True
) -> None:
    """Add a folder of the words' files, or listings of these files."""
    text = f"{text}, or .json listings of these files"
    how: dict[str, Any] = {"nargs": "+", "metavar": "PATH", "required": required}
    to.add_argument(name, type=Path, action=_Words, help=text, **how)


def add_listings(to: argparse.ArgumentParser) -> None:
    """Add output files that list the files of the output folders with the same names."""
    text = "for the workflow: listings of the files in the output folders with the same names"
    add_optional_files(to, "--listings", text)
    writes(to, "listings")


def add_embeddings(to: argparse.ArgumentParser) -> None:
    """Add words, their tables, and their vectors."""
    add_corpora(to)
    add_word_files(to, "--embeddings", "folder of <word>/<view>.safetensors")


def add_feature_set(to: argparse.ArgumentParser) -> None:
    """Add the input of a classifier or plot: vectors, view and layer choice."""
    add_embeddings(to)
    to.add_argument("--view", default="focal", help="the view: focal (the default), ...")
    to.add_argument("--layers", required=True, help="a layer choice: 6, mean-last-4, ...")


def add_choice(
    to: argparse.ArgumentParser, name: str, choices: Collection[str], text: str | None = None
) -> None:
    """Add a choice among values; the first is the default."""
    to.add_argument(name, default=next(iter(choices)), choices=list(choices), help=text)


def add_objective(to: argparse.ArgumentParser, objectives: Collection[str]) -> None:
    """Add the metric that tuning maximises; the first is the default."""
    add_choice(to, "--objective", objectives, "the metric to maximise in tuning")


def add_results(to: argparse.ArgumentParser) -> None:
    """Add the folder of a dataset's results and the name of a run."""
    add_path(to, "--results", "folder results/<dataset>")
    add_run(to)


def add_run(
    to: argparse.ArgumentParser,
    text: str = "name of the run (default: the run without a name, or the only one)",
) -> None:
    """Add the name of a run, as ``args.of_run``; ``args.run`` is the command itself."""
    to.add_argument("--run", dest="of_run", metavar="NAME", help=text)


def add_configuration(to: argparse.ArgumentParser) -> None:
    """Add the parts of a configuration to use instead of the selected one."""
    for name, text in (
        ("model", "of this encoder"),
        ("view", "on this view: focal, focal+context, ..."),
        ("layers", "on this layer choice"),
        ("classifier", "with this classifier"),
    ):
        text = f"the best candidate in cross-validation {text} (default: the selected)"
        to.add_argument(f"--{name}", help=text)


def add_source(to: argparse.ArgumentParser, folder: str, *, required: bool) -> None:
    """Add the source of an encoder's files."""
    where = to.add_mutually_exclusive_group(required=required)
    where.add_argument("--hub", metavar="ID", help="id on the hub, with --revision")
    where.add_argument("--package", help="an installed Python package that carries the model")
    where.add_argument("--path", help=folder)
    text = "a folder of hidden states that another program computed"
    where.add_argument("--vectors", metavar="FOLDER", help=text)
    to.add_argument("--revision", metavar="COMMIT", help="full commit hash on the hub")
