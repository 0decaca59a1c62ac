"""Define the base class of studies: the declarations of every ``study.py``.

``run`` goes through the registry and asks each study for its config keys and its files. The answers
are plain values, so that a study imports nothing from ``run``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from wsd.errors import ConfigError

if TYPE_CHECKING:
    from wsd.run.files import Files as Files
    from wsd.run.keys import Keys as Keys
    from wsd.run.schema import Config as Config
    from wsd.run.schema import Model as Model
else:  # studies name these classes in type hints only
    Config = Files = Keys = Model = Any

Paths = list[str]
LINK = "rename the folder, or use a link to it"


def refused(problem: str, key: str, fix: str) -> ConfigError:
    """Return the error for a config key."""
    return ConfigError(problem, where=f"config key {key}", fix=fix)


def without_braces(path: str, where: str, fix: str = LINK) -> str:
    """Refuse braces in a path: Snakemake takes them for wildcards and has no escape."""
    if "{" in path or "}" in path:
        problem = f"the path {path!r} has braces, which Snakemake takes for wildcards"
        raise ConfigError(problem, where=where, fix=fix)
    return path


def check_file(path: str, key: str, fix: str) -> None:
    """Refuse the value of a config key if it is no file, or a path that Snakemake cannot handle."""
    without_braces(path, f"config key {key}")
    if not os.path.isfile(path):  # noqa: PTH113 - pathlib raises an error for too long a name
        raise refused(f"there is no file {path!r}", key, fix)


class Command(NamedTuple):
    """A command of the program: the module that holds it, and its help in one line."""

    module: str
    text: str


class Kind(NamedTuple):
    """A kind of file: code and settings that are part of its key.

    Attributes
    ----------
    step : str
        The command that writes the file; its code is part of the key.
    flags : mapping of flag to config key
        The settings that every job of the step gets; their values are part of the key.
    """

    step: str
    flags: Mapping[str, str] = {}


class Outputs(NamedTuple):
    """The files that a study adds to a run.

    Attributes
    ----------
    made : list of str
        The files of a full run, except predictions and the files in ``shown``.
    by_name : list of str
        Files that are written only if somebody asks for them by name.
    shown : mapping of str to list of str
        Files of a full run that ``wsd report`` reads, by its option.
    compared, scored : mappings of str to list of str
        Predictions that the study adds to the comparison and to the scores, by kind of row.
    patterns : mapping of str to patterns or paths
        Whatever its rules need, as ``STUDY_FILES["<name>"]``.
    """

    made: Sequence[str] = ()
    by_name: Sequence[str] = ()
    shown: Mapping[str, Paths] = {}
    compared: Mapping[str, Paths] = {}
    scored: Mapping[str, Paths] = {}
    patterns: Mapping[str, Any] = {}


class Study:
    """A further question, answered by a package below ``wsd/studies``.

    A study may import every room of the core except ``run`` and ``inference``, and no other study.
    No room of the core imports a study: ``run`` goes through :mod:`wsd.studies.registry`.

    Attributes
    ----------
    name : str
        The name of its folder, of its rule file and of its page of documentation.
    commands : mapping of str to str
        The help text of each command. Command ``x-y`` is the module ``x_y`` of the study.
    group : str
        The heading of the commands in ``wsd --help``.
    extends : mapping of str to str
        Per command of the core, the study's module that extends it. The module has the functions
        that the command calls in its extensions, and ``add_options(parser)`` if it adds options.
    analysis : str
        The value of the config key ``analyses`` that switches the study on; empty if it has none.
    section : str
        The top-level config key that the study adds, a field of ``Keys`` in its module ``config``;
        empty if it adds none.
    kinds : mapping of str to Kind
        The kinds of files that its rules write, in ``workflow/rules/<name>.smk``; a study without
        kinds has no rules.
    """

    name: ClassVar[str]
    commands: ClassVar[Mapping[str, str]] = {}
    group: ClassVar[str] = "run a step of a study"
    extends: ClassVar[Mapping[str, str]] = {}
    analysis: ClassVar[str] = ""
    section: ClassVar[str] = ""
    kinds: ClassVar[Mapping[str, Kind]] = {}

    # The config

    def configure(self, file: Any, config: Config) -> Config:
        """Check what its keys require of each other, and return the config, changed or not.

        Parameters
        ----------
        file : ConfigFile
            The config as read from its files; every value is valid by itself.
        config : Config

        Raises
        ------
        ConfigError
        """
        return config

    def reserved_names(self, file: Any) -> Mapping[str, list[str]]:
        """Return, by config key, the names of its rows, which the user cannot give."""
        return {}

    def applies(self, config: Config) -> bool:
        """Return whether the study is part of a run of this config.

        If not, the run calls none of the methods below.
        """
        dataset = config.dataset
        asked = not self.analysis or self.analysis in config.analyses
        return asked and dataset.labelled and not dataset.of_pairs

    # The files

    def names(self, keys: Keys) -> Mapping[str, Mapping[str, str]]:
        """Return the wildcards that only its paths have: wildcard -> name -> key."""
        return {}

    def outputs(self, files: Files) -> Outputs:
        """Return its files.

        ``files`` has the patterns of the core, and no predictions or scores to compare yet.
        """
        return Outputs()
