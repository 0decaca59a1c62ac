"""The names of what is done to vectors before their directions are compared."""

import re

from wsd.errors import ConfigError

NONE, CENTRE, WHITEN, REMOVE = "none", "centre", "whiten", "remove-"
PATTERN = f"^({NONE}|{CENTRE}|{WHITEN}|{REMOVE}[1-9][0-9]{{0,5}})$"
# What tables have where nothing else is said.
USUAL = (NONE, CENTRE, f"{REMOVE}2", WHITEN)


def check_transform(name: object, where: str | None = None) -> str:
    """The name of a transformation.

    Raises
    ------
    ConfigError
        If it is none.
    """
    if isinstance(name, str) and re.fullmatch(PATTERN, name):
        return name
    fix = f"use {NONE}, {CENTRE}, {WHITEN} or {REMOVE}k, such as {REMOVE}2"
    raise ConfigError(f"there is no transform {name!r}", where=where, fix=fix)


def transform_label(name: str) -> str:
    """What pages call vectors under a transformation.

    >>> transform_label("remove-2")
    'less 2 directions'
    """
    said = {
        NONE: "as they are",
        CENTRE: "centred",
        WHITEN: "whitened",
        f"{REMOVE}1": "less 1 direction",
    }
    return said.get(name) or f"less {name.removeprefix(REMOVE)} directions"
