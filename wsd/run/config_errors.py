"""Every value of a config checked by itself: what pydantic refuses, said by key, value and what is
possible.
"""

from collections.abc import Mapping
from reprlib import Repr
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from wsd.artifacts.config_section import Section
from wsd.errors import ConfigError
from wsd.run.schema import ConfigFile

README = "config/README.md explains it"
# Not all of a value: YAML's aliases unfold to more than any memory holds.
SHOWN = Repr()
SHOWN.maxlevel, SHOWN.maxstring = 3, 500


def validate(config: Mapping[str, Any]) -> ConfigFile:
    """Check every value of a config by itself.

    Raises
    ------
    ConfigError
        Naming the key, the value and what is possible.
    """
    try:
        return ConfigFile.model_validate(dict(config))
    except ValidationError as refused:
        # The first of those that are least deep: others may come of it.
        error = min(refused.errors(include_url=False), key=lambda error: len(error["loc"]))
    raise _translated(error, config)


# What is said of a value, by the kind of error.
SAID = {
    "bool_type": "is not of type 'boolean'",
    "dict_type": "is not of type 'object'",
    "finite_number": "is not of type 'number'",
    "float_type": "is not of type 'number'",
    "greater_than": "is less than or equal to the minimum of {gt:g}",
    "greater_than_equal": "is less than the minimum of {ge:g}",
    "int_type": "is not of type 'integer'",
    "less_than_equal": "is greater than the maximum of {le:.10g}",
    "list_type": "is not of type 'array'",
    "literal_error": "is not one of [{expected}]",
    "model_type": "is not of type 'object'",
    "string_pattern_mismatch": "does not match '{pattern}'",
    "string_too_short": "should be non-empty",
    "string_type": "is not of type 'string'",
    "too_short": "should be non-empty",
    "unique": "has non-unique elements",
}


def _translated(error: ErrorDetails, config: Mapping[str, Any]) -> ConfigError:
    """An error of pydantic as one of ours: its place as a key, the value, and what is possible."""
    kind, place, value = error["type"], error["loc"], error["input"]
    if place[-1] == "[key]":  # of a mapping such as a feature set, which is no section
        kind, place = "invalid_key", place[:-1]
    unknown = kind in ("extra_forbidden", "invalid_key")
    key, section, about = _find(place[:-1] if unknown else place, config)
    if kind == "missing":
        what, about = f"{place[-1]!r} is a required property", f"add the key; {README}"
    elif unknown:
        what = f"Additional properties are not allowed ({place[-1]!r} was unexpected)"
        about = f"the keys here are {', '.join(sorted(section.model_fields))}" if section else about
    elif kind == "too_short" and isinstance(value, Mapping):
        what = f"{SHOWN.repr(value)} does not have enough properties"
    else:
        context = error.get("ctx", {})
        if "expected" in context:
            context = {"expected": context["expected"].replace(" or ", ", ")}
        said = SAID[kind].format(**context) if kind in SAID else error["msg"]
        what = f"{SHOWN.repr(value)} {said}"
    if otherwise := _read_otherwise(kind, value):
        about = f"{about.rstrip('.')}; {otherwise}" if about else otherwise
    return ConfigError(what, where=f"config key {key or '(top level)'}", fix=about)


def _read_otherwise(kind: str, value: Any) -> str | None:
    """What to do about a value that was written as it should be, and read as something else."""
    if kind == "string_type" and isinstance(value, bool):
        return "YAML reads a plain no, yes, on and off as false and true: put it in quotes"
    if kind == "string_type" and isinstance(value, int | float):
        return f"YAML reads plain digits as a number: put it in quotes, as '\"{value}\"'"
    if kind in ("int_type", "float_type", "bool_type") and isinstance(value, str):
        return (
            "if it stood within a value of --config, where Snakemake takes all for text: "
            "put it into a file, and name that with --configfile"
        )
    return None


def _find(
    place: tuple[int | str, ...], config: Mapping[str, Any]
) -> tuple[str, type[Section] | None, str]:
    """Where an error is: the key, the section that is there, if one is, and what is said of it."""
    value: Any = config
    section: type[Section] | None = ConfigFile
    key, about = "", None
    for part in place:
        if isinstance(value, list) and isinstance(part, int):
            key, about = f"{key}[{part}]", section.__doc__ if section else about
        elif isinstance(value, Mapping) and part in value:
            key = f"{key}.{part}"
            field = section.model_fields.get(str(part)) if section else None
            about = field.description if field else about
            section = _section_of(field.annotation) if field else None
        else:
            continue  # the name of a branch, where a key may have one of several types
        value = value[part]
    return key.lstrip("."), section, " ".join((about or README).split())


def _section_of(annotation: Any) -> type[Section] | None:
    """The section that a key's type is, or is made of."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next(filter(None, map(_section_of, get_args(annotation))), None)
