"""Name the transforms of vectors before their directions are compared."""

import re

from wsd.errors import ConfigError

NONE, CENTRE, WHITEN, REMOVE = "none", "centre", "whiten", "remove-"
PATTERN = f"^({NONE}|{CENTRE}|{WHITEN}|{REMOVE}[1-9][0-9]{{0,5}})$"
# The transforms of tables by default.
USUAL = (NONE, CENTRE, f"{REMOVE}2", WHITEN)


def check_transform(name: object, where: str | None = None) -> str:
    """Return the name of a transform, checked.

    Raises
    ------
    ConfigError
        If there is no such transform.
    """
    if isinstance(name, str) and re.fullmatch(PATTERN, name):
        return name
    fix = f"use {NONE}, {CENTRE}, {WHITEN} or {REMOVE}k, such as {REMOVE}2"
    raise ConfigError(f"there is no transform {name!r}", where=where, fix=fix)


def transform_label(name: str) -> str:
    """Return how pages name transformed vectors.

    >>> transform_label("remove-2")
    'less 2 directions'
    """
    labels = {
        NONE: "as they are",
        CENTRE: "centred",
        WHITEN: "whitened",
        f"{REMOVE}1": "less 1 direction",
    }
    return labels.get(name) or f"less {name.removeprefix(REMOVE)} directions"
