"""Define the types of config values: names, numbers, and choices."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Discriminator, Field, Tag

from wsd.artifacts.dataset import DATASETS
from wsd.artifacts.number_formats import STORE_DTYPES
from wsd.artifacts.transform_names import PATTERN
from wsd.artifacts.view_names import DEVICES, INPUTS, POOLINGS, PRECISIONS, VIEWS
from wsd.storage.file_names import PLAIN_NAME

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
NAME_OR_NUMBER = Discriminator(lambda value: "name" if isinstance(value, str) else "number")
Layer = Annotated[Annotated[str, Tag("name")] | Annotated[int, Tag("number")], NAME_OR_NUMBER]
Name = Annotated[str, Field(pattern=f"^{PLAIN_NAME}$")]
Text = Annotated[str, Field(min_length=1)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
Transform = Annotated[str, Field(pattern=PATTERN)]
Count = Annotated[int, Field(ge=1)]
Number = Annotated[float, Field(allow_inf_nan=False)]
NumberFrom0 = Annotated[Number, Field(ge=0)]
NumberAbove0 = Annotated[Number, Field(gt=0)]
