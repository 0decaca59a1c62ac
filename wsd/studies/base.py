"""What a study declares about itself: the base class of every ``study.py``.

``run`` goes through the registry and asks each study for its config keys, its files, its rules and
its cost. The answers are plain values, so that a study needs nothing of ``run``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from wsd.errors import ConfigError

if TYPE_CHECKING:
    from wsd.artifacts.config_section import Section
    from wsd.run.keys import Keys
    from wsd.run.path_patterns import Places
    from wsd.run.run_files import Files
    from wsd.run.settings import Config, Model

Paths = list[str]


def refused(problem: str, key: str, fix: str) -> ConfigError:
    """Return the error for a config key."""
    return ConfigError(problem, where=f"config key {key}", fix=fix)


class Command(NamedTuple):
    """A command of the program: the module that holds it, and its help in one line."""

    module: str
    text: str


class Kind(NamedTuple):
    """What decides the content of a kind of file, and so its key.

    Attributes
    ----------
    step : str
        The command that writes it, whose code counts.
    flags : mapping of flag to config key
        What every job of the step is given.
    items : tuple of str
        Config keys that say which files the step reads, or whose entry the file belongs to.
    upstream : tuple of str
        The kinds that the step reads.
    """

    step: str
    flags: Mapping[str, str] = {}
    items: tuple[str, ...] = ()
    upstream: tuple[str, ...] = ()


class Costs(NamedTuple):
    """Processor time of what every plan is made of, in seconds.

    Attributes
    ----------
    job : float
        Starting a job.
    instance : float
        Comparing or projecting one instance.
    passes : function of (model, instances)
        One job that passes instances through an encoder.
    training : function of (model, instances)
        One forward pass as training runs it.
    duration : function of seconds
        The text for a duration.
    """

    job: float
    instance: float
    passes: Callable[[Model, int], float]
    training: Callable[[Model, int], float]
    duration: Callable[[float], str]


@dataclass
class Outputs:
    """The files that a study adds to a run.

    Attributes
    ----------
    made : list of str
        The files of a full run, beside the predictions that are compared.
    by_name : list of str
        Files that are written only when somebody asks for them by name.
    shown : mapping of str to list of str
        The files that ``wsd report`` reads, by its option.
    """

    made: Paths = field(default_factory=list)
    by_name: Paths = field(default_factory=list)
    shown: Mapping[str, Paths] = field(default_factory=dict)


class Study:
    """One further question, answered by a package of its own below ``wsd/studies``.

    A study may import every room of the core but ``run`` and ``inference``, and no other study.
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
        Per command of the core, the study's module that adds to it. The module has
        ``arguments(parser)`` and the functions that the command asks of its extensions.
    analysis : str
        The value of the config key ``analyses`` that switches it on; empty if it has none.
    rules : bool
        Whether it has rules, in ``workflow/rules/<name>.smk``.
    front_page : str
        The name of the page that a run shows at its end; empty if it has none.
    kinds : mapping of str to Kind
        The kinds of files that it writes.
    feeds : mapping of str to Kind
        What it adds to the items and the upstream of kinds of the core.
    """

    name: ClassVar[str]
    commands: ClassVar[Mapping[str, str]] = {}
    group: ClassVar[str] = "run a step of a study"
    extends: ClassVar[Mapping[str, str]] = {}
    analysis: ClassVar[str] = ""
    rules: ClassVar[bool] = True
    front_page: ClassVar[str] = ""
    kinds: ClassVar[Mapping[str, Kind]] = {}
    feeds: ClassVar[Mapping[str, Kind]] = {}

    def table(self) -> dict[str, Command]:
        """Return the study's commands by name."""
        package = f"wsd.studies.{self.name}"
        return {
            name: Command(f"{package}.{name.replace('-', '_')}", text)
            for name, text in self.commands.items()
        }

    # The config

    def keys(self) -> type[Section] | None:
        """Return the top-level keys that it adds to the config, each with a default."""
        return None

    def configure(self, file: Any, config: Config) -> Config:
        """Check its keys and return the config with what they say.

        Parameters
        ----------
        file : ConfigFile
            The config as it was read; every value has been checked by itself.
        config : Config

        Raises
        ------
        ConfigError
        """
        return config

    def reserved_names(self, file: Any) -> Mapping[str, list[str]]:
        """Return names that the user cannot give, since its rows have them, by config key."""
        return {}

    def applies(self, config: Config) -> bool:
        """Return whether its rules are part of a run of this config."""
        dataset = config.dataset
        asked = not self.analysis or self.analysis in config.analyses
        return asked and dataset.labelled and not dataset.of_pairs

    # The files

    def names(self, keys: Keys) -> Mapping[str, Mapping[str, str]]:
        """Return wildcards of its own: wildcard -> name -> key."""
        return {}

    def patterns(self, places: Places) -> dict[str, Any]:
        """Return the patterns of its paths, by the names that its rules use."""
        return {}

    def compared(self, files: Files) -> Mapping[str, Paths]:
        """Return the predictions that it adds to the comparison, by kind of row."""
        return {}

    def scored(self, files: Files) -> Mapping[str, Paths]:
        """Return the predictions that it adds to the scores, by kind of row."""
        return {}

    def outputs(self, files: Files) -> Outputs:
        """Return its files; it is called when those of the core and all predictions are known."""
        return Outputs()

    # The cost

    def seconds(self, config: Config, model: Model, costs: Costs) -> float:
        """Return its rough processor time for a model, in seconds."""
        return 0.0

    def plan_lines(
        self, config: Config, model: Model, places: Places | None, costs: Costs, cores: int
    ) -> Iterator[str]:
        """Yield what ``wsd plan`` says about a model besides."""
        yield from ()

    def left_out(self, config: Config) -> Iterator[str]:
        """Yield why a model is left out of the study, a line each."""
        yield from ()
