"""Name the transforms of vectors, which come before a comparison of directions."""

import re

from wsd.errors import ConfigError

NONE, CENTRE, WHITEN, REMOVE = "none", "centre", "whiten", "remove-"
PATTERN = f"^({NONE}|{CENTRE}|{WHITEN}|{REMOVE}[1-9][0-9]{{0,5}})$"
# The default transforms in tables.
USUAL = (NONE, CENTRE, f"{REMOVE}2", WHITEN)


def check_transform(name: object, where: str | None = None) -> str:
    """Return the name of a transform after checking it.

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
    """Return the name of transformed vectors on pages.

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
