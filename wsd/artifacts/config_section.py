"""Define a section of a config: keys with types, each described in the docstring of its class."""

import re
from collections.abc import Mapping
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from wsd.artifacts.dataset import DATASETS
from wsd.artifacts.encoder_input import DEVICES, INPUTS, POOLINGS, PRECISIONS, VIEWS
from wsd.artifacts.transform_names import PATTERN
from wsd.artifacts.vectors import STORE_DTYPES
from wsd.storage.file_names import PLAIN_NAME

T = TypeVar("T")
U = TypeVar("U")
# The default of an optional key; the user cannot set a key to null.
UNSET: Any = None
# The type of an error whose message needs no addition, such as the value.
REFUSED = "refused"


def refusal(problem: str) -> PydanticCustomError:
    """Return an error for the validator of a section or a value to raise."""
    return PydanticCustomError(REFUSED, "{problem}", {"problem": problem})


def _unique(values: list[T]) -> list[T]:
    if len(set(values)) < len(values):
        raise PydanticCustomError("unique", "an element occurs twice")
    return values


Unique = Annotated[list[T], AfterValidator(_unique), Field(json_schema_extra={"uniqueItems": True})]
Some = Annotated[Unique[T], Field(min_length=1)]
# The names of alternative types, which are no part of a key.
VALUE, COLLECTION, NAME, NUMBER = TAGS = ("<value>", "<collection>", "<name>", "<number>")
# Either of two types; only the second is a list or a mapping.
Either = Annotated[
    Annotated[T, Tag(VALUE)] | Annotated[U, Tag(COLLECTION)],
    Discriminator(lambda value: COLLECTION if isinstance(value, list | Mapping) else VALUE),
]
OneOrSome = Either[T, Some[T]]


# The choices are defined in other modules. mypy cannot check computed literals.
if TYPE_CHECKING:
    View = str
    Pooling = str
    InputName = str
    Precision = str
    Device = str
    StoreDtype = str
    BuiltIn = str
else:
    BuiltIn = Literal[tuple(DATASETS)]
    View, Pooling, InputName = Literal[VIEWS], Literal[POOLINGS], Literal[INPUTS]
    Precision, Device = Literal[PRECISIONS], Literal[DEVICES]
    StoreDtype = Literal[STORE_DTYPES]
NAME_OR_NUMBER = Discriminator(lambda value: NAME if isinstance(value, str) else NUMBER)
Layer = Annotated[Annotated[str, Tag(NAME)] | Annotated[int, Tag(NUMBER)], NAME_OR_NUMBER]
Name = Annotated[str, Field(pattern=f"^{PLAIN_NAME}$")]
Text = Annotated[str, Field(min_length=1)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
Transform = Annotated[str, Field(pattern=PATTERN)]
Count = Annotated[int, Field(ge=1)]
Number = Annotated[float, Field(allow_inf_nan=False)]
NumberFrom0 = Annotated[Number, Field(ge=0)]
NumberAbove0 = Annotated[Number, Field(gt=0)]


def _tidy(schema: dict[str, Any]) -> None:
    # A title repeats its key, and the default None marks an optional key.
    for part in schema["properties"].values():
        part.pop("title", None)
        if not part.get("default", True):
            del part["default"]


class Section(BaseModel):
    """A group of config keys. The docstring of a subclass describes each key."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        defer_build=True,  # halves the time of an import
        json_schema_extra=_tidy,
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Take the descriptions of the section and of its keys from the docstring."""
        documented = cleandoc(cls.__doc__ or "").partition("\n\nAttributes\n----------\n")
        cls.__doc__, keys = documented[0], documented[2]
        described = dict(re.findall(r"^(\w+)\n((?: .+\n?)+)", keys, re.MULTILINE))
        own = [key for key in cls.model_fields if key in cls.__annotations__]
        if list(described) != own:
            raise TypeError(f"{cls.__name__} describes {list(described)}, and its keys are {own}")
        for name, text in described.items():
            cls.model_fields[name].description = " ".join(text.split())
