"""Check every value of a config, and turn pydantic's errors into one error for the user."""

from collections.abc import Mapping
from reprlib import Repr
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from wsd.artifacts.config_section import REFUSED, Section
from wsd.errors import ConfigError
from wsd.run.schema import ConfigFile

README = "config/README.md explains it"
# Show only part of a value: YAML's aliases can expand to more than fits into memory.
SHOWN = Repr()
SHOWN.maxlevel, SHOWN.maxstring = 3, 500


def validate(config: Mapping[str, Any]) -> ConfigFile:
    """Check every value of a config by itself.

    Raises
    ------
    ConfigError
        Naming the key, the value and the possible values.
    """
    try:
        return ConfigFile.model_validate(dict(config))
    except ValidationError as refused:
        # The first error at the top level, or the nearest to it: others may follow from it.
        error = min(refused.errors(include_url=False), key=lambda error: len(error["loc"]))
    raise _config_error(error, config)


def _config_error(error: ErrorDetails, config: Mapping[str, Any]) -> ConfigError:
    kind, place, name = error["type"], error["loc"], error["loc"][-1]
    if kind in ("missing", "extra_forbidden"):
        place = place[:-1]
    key, section, about = _locate(place, config)
    if kind == "missing":
        problem, about = f"the key {name!r} is missing", f"add the key; {README}"
    elif kind == "extra_forbidden" and section:
        problem = f"there is no key {name!r} here"
        about = f"the keys here are {', '.join(sorted(section.model_fields))}"
    elif kind == REFUSED:
        problem = error["msg"]
    else:
        # A section is a dictionary in YAML, and an instance of a class only here.
        message = error["msg"].partition(" or instance of ")[0]
        problem = f"{SHOWN.repr(error['input'])}: {message[0].lower()}{message[1:]}"
        if hint := _hint(kind, error["input"]):
            about = f"{about.rstrip('.')}; {hint}"
    return ConfigError(problem, where=f"config key {key or '(top level)'}", fix=about)


def _hint(kind: str, value: Any) -> str | None:
    """Return a fix for a value that YAML or Snakemake reads as an unintended type."""
    if kind == "string_type" and isinstance(value, bool):
        return "YAML reads a plain no, yes, on and off as false and true: put it in quotes"
    if kind == "string_type" and isinstance(value, int | float):
        return f"YAML reads plain digits as a number: put it in quotes, as '\"{value}\"'"
    if kind in ("int_type", "float_type", "bool_type") and isinstance(value, str):
        return (
            "within a value of --config, Snakemake reads everything as text: put the key into a "
            "file, and name that with --configfile"
        )
    return None


def _locate(
    place: tuple[int | str, ...], config: Mapping[str, Any]
) -> tuple[str, type[Section] | None, str]:
    """Return the key of an error, its section, if any, and its description."""
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
            continue  # pydantic's name for one of several possible types of a value
        value = value[part]
    return key.lstrip("."), section, " ".join((about or README).split())


def _section_of(annotation: Any) -> type[Section] | None:
    """Return the section among the types of a key."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next(filter(None, map(_section_of, get_args(annotation))), None)
