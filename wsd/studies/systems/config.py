"""The config key of other systems."""

from pydantic import Field

from wsd.artifacts.config_section import Name, Section, Text


class SystemEntry(Section):
    """Another system: its name, and the file with its predictions.

    Attributes
    ----------
    name
        A file-safe name; no model has it.
    file
        JSON lines, as `wsd score` takes them.
    """

    name: Name
    file: Text


class Keys(Section):
    """Other systems.

    Attributes
    ----------
    systems
        Other systems, to compare with: their predictions on the test instances.
    """

    systems: list[SystemEntry] = Field([])
