"""What a study declares about itself: the base class of every ``study.py``."""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple


class Command(NamedTuple):
    """A command of the program: the module that holds it, and its help in one line."""

    module: str
    text: str


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
    """

    name: ClassVar[str]
    commands: ClassVar[Mapping[str, str]] = {}
    group: ClassVar[str] = "run a step of a study"
    extends: ClassVar[Mapping[str, str]] = {}

    def table(self) -> dict[str, Command]:
        """Return the study's commands by name."""
        package = f"wsd.studies.{self.name}"
        return {
            name: Command(f"{package}.{name.replace('-', '_')}", text)
            for name, text in self.commands.items()
        }
