"""What a config may say: one class per section, every key with its type and what it is.

The JSON schema in ``data/config.schema.json`` is made from these classes (``tools/config_files.py``
writes it; editors read it), and so are the errors: :func:`validate` says of a value that it refuses
the key, the value and what is possible.
"""

import json
from collections.abc import Mapping
from reprlib import Repr
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from wsd.artifacts.views import DEVICES, INPUTS, POOLINGS, PRECISIONS, VIEWS

T = TypeVar("T")
U = TypeVar("U")
# Not all of a value: YAML's aliases unfold to more than any memory holds.
SHOWN = Repr()
SHOWN.maxlevel, SHOWN.maxstring = 3, 500
# A key that may be left out. What is given for it is checked, and cannot be null.
UNSET: Any = None


def _unique(values: list[T]) -> list[T]:
    if len(set(values)) < len(values):
        raise PydanticCustomError("unique", "has non-unique elements")
    return values


def _shape(value: object) -> str:
    return "collection" if isinstance(value, list | Mapping) else "value"


Unique = Annotated[list[T], AfterValidator(_unique), Field(json_schema_extra={"uniqueItems": True})]
Some = Annotated[Unique[T], Field(min_length=1)]
# One of two types, of which the second alone is a list or a mapping.
Either = Annotated[
    Annotated[T, Tag("value")] | Annotated[U, Tag("collection")], Discriminator(_shape)
]
OneOrSome = Either[T, Some[T]]
# The values that the library and the commands offer too, from where they are named.
if TYPE_CHECKING:
    View = str
    Pooling = str
    Input = str
    Precision = str
    Device = str
else:
    View, Pooling, Input = Literal[VIEWS], Literal[POOLINGS], Literal[INPUTS]
    Precision, Device = Literal[PRECISIONS], Literal[DEVICES]
Layer = Annotated[
    Annotated[str, Tag("name")] | Annotated[int, Tag("number")],
    Discriminator(lambda value: "name" if isinstance(value, str) else "number"),
]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Text = Annotated[str, Field(min_length=1)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
Count = Annotated[int, Field(ge=1)]
Number = Annotated[float, Field(allow_inf_nan=False)]
NumberFrom0 = Annotated[Number, Field(ge=0)]
NumberAbove0 = Annotated[Number, Field(gt=0)]


def _tidy(schema: dict[str, Any]) -> None:
    """Descriptions in one line; no titles that repeat the keys, no defaults that are none."""
    for part in schema["properties"].values():
        part.pop("title", None)
        part["description"] = " ".join(part["description"].split())
        if not part.get("default", True):
            del part["default"]


class Section(BaseModel):
    """Keys of a config that stand together; the text below each is its description."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        defer_build=True,  # halves what an import takes
        json_schema_extra=_tidy,
    )


class OwnCorpus(Section):
    """A corpus that `wsd import` wrote."""

    name: Name
    """A file-safe name; also the folder under results/."""
    path: Text
    """The folder that `wsd import` wrote."""
    title: Annotated[Text, Field(pattern=r"^[^\x00-\x1f]+$")] = UNSET
    """What the pages call it (default, as the import was told)."""


class ModelEntry(Section):
    """An encoder, taken from exactly one of `hub` (with `revision`), `package` or `path`."""

    name: Name
    """A file-safe short name; also the folder under results/<dataset>/."""
    hub: Annotated[str, Field(pattern="^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)?$")] = UNSET
    """Id on the Hugging Face hub, such as google-bert/bert-base-uncased."""
    revision: Annotated[str, Field(pattern="^[0-9a-f]{40}$")] = UNSET
    """The full commit hash on the hub."""
    package: Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")] = UNSET
    """An installed Python package that carries the model."""
    path: Text = UNSET
    """A local folder with config.json, *.safetensors and a tokenizer."""
    sha256: dict[str, Sha256] = {}
    """Expected checksums, file name to sha256; a file that differs is refused."""
    blocks: Count
    """Number of blocks; checked against the model."""
    width: Count
    """Size of a hidden state; checked against the model."""
    pooling: Pooling = "mean"
    """How the pieces of a split focal word become one vector."""
    input: Input = "plain"
    """What the encoder reads: the sentence (plain), or the sentence with one mask token for its
    focal word (masked)."""
    precision: Precision = "float32"
    """What the model computes in: float32; bfloat16, faster where the processor or the GPU has it;
    float16, on a GPU alone. The vectors are stored in float32."""
    random_weights: Seed = UNSET
    """A seed: the weights are drawn with it, not read. Everything else is the encoder's."""


class ClassifierEntry(Section):
    """A classifier and its parameters, each fixed or searched."""

    name: Name
    """A file-safe name; also the estimator, if `estimator` is not given."""
    estimator: Literal["nearest_centroid", "logistic", "lda", "knn"] = UNSET
    """Which classifier it is."""
    metric: Literal["cosine", "euclidean"] = UNSET
    """For nearest_centroid, cosine (the default) or euclidean."""
    C: OneOrSome[NumberAbove0] = UNSET
    """For logistic, the inverse strength of the L2 penalty, above 0; a list is searched."""
    prior_shift: OneOrSome[NumberFrom0] = UNSET
    """For logistic, how much of the log prior is taken off, from 0 up; a list is searched."""
    shrinkage: OneOrSome[Annotated[NumberAbove0, Field(le=1)]] = UNSET
    """For lda, above 0 and at most 1; a list is searched."""
    prior_exponent: OneOrSome[NumberFrom0] = UNSET
    """For lda, how much the log prior counts, from 0 up; a list is searched."""
    k: OneOrSome[Count] = UNSET
    """For knn, the number of neighbours, from 1 up; a list is searched."""


class Tuning(Section):
    """How the folds are drawn and what they decide by."""

    folds: Annotated[int, Field(ge=2, le=100)]
    """Number of folds; a word whose rarest sense has fewer instances is not tuned."""
    repeats: Annotated[int, Field(ge=1, le=1000)]
    """How often the folds are drawn."""
    objective: Literal["mean_macro_f1", "mean_balanced_accuracy", "mean_word_accuracy"]
    """The figure on held-out training instances that decides."""


class Views(Section):
    """What is kept of a sentence, and what of it is classified."""

    store: Some[View]
    """What one pass of the encoder keeps, per layer."""
    classify: Some[View]
    """What the classifiers see, all of it candidates for selection; must be stored. The first is
    shown, and used by twins, control task and analyses."""


class Controls(Section):
    """What stands beside the sweep."""

    baselines: bool
    """Whether to run the baselines that need no encoder."""
    views: Unique[View]
    """Views to classify on every single layer, such as context; those in views.classify are left
    out."""
    random_weights: Unique[Annotated[int, Field(ge=0)]]
    """Seeds: for each, a twin with random weights of every model that has weights of its own."""
    task: bool
    """Whether to learn the control task, labels fixed by the neighbouring word."""
    classifiers: Some[str]
    """Names of the classifiers for controls and further training sets."""


class SystemEntry(Section):
    """A system: its name, and the file of what it says."""

    name: Name
    """A file-safe name; no model has it."""
    file: Text
    """JSON lines, as `wsd score` takes them."""


class ConfigFile(Section):
    """The config of a run. Every key is explained in config/README.md too."""

    dataset: Either[Literal["coarsewsd20", "quickstart"], OwnCorpus]
    """The corpus: coarsewsd20, quickstart, or a mapping {name, path} of one that `wsd import`
    wrote."""
    words: Either[Literal["all"], Some[str]]
    """`all`, or a list of the corpus's words."""
    models: Annotated[list[ModelEntry], Field(min_length=1)]
    """The encoders to compare, a list: a config file that names models replaces the list. Each is
    taken from exactly one of `hub` (with `revision`), `package` or `path`."""
    layers: Annotated[list[Layer], Field(min_length=1)]
    """Layer choices: `all` (every single layer), a number (0 is the embedding layer, -1 the last),
    <op>-last-<k>, <op>-all, or <op>-<i>-<j>-..., with op mean, sum, concat or mix."""
    features: list[Annotated[dict[View, Layer], Field(min_length=2)]]
    """Feature sets of several vectors side by side, each of them with its own layer choice: a list
    of mappings such as {focal: mean-last-2, context: 5}, of two or more of cls, context, focal,
    other, static and static_context. No mix here."""
    classifiers: Annotated[list[ClassifierEntry], Field(min_length=1)]
    """The classifiers to fit on every layer choice, a list like `models`."""
    trains: Unique[str]
    """Training sets; `full` always is one. CoarseWSD-20 has balanced, 1pct, 5pct, 10pct, 25pct,
    50pct, 100pct, nshot-1, nshot-3, nshot-10 and nshot-30."""
    tuning: Tuning
    """How configurations are scored and chosen, on the training instances alone."""
    views: Views
    """Which parts of a sentence are stored, and which of them are classified."""
    controls: Controls
    """What stands beside the sweep, never a candidate for selection. All are tuned alike; baselines
    over grids of their own."""
    analyses: Unique[Literal["geometry", "audit", "code_length"]]
    """Further tables, each of them geometry, audit or code_length."""
    projections: Some[Literal["pca", "tsne"]]
    """How the pages bring a word's instances to the plane, each pca or tsne; a page opens with the
    first."""
    sentences: bool
    """Whether the pages hold the corpus's sentences. Without them a report can be passed on where
    the corpus may not be."""
    systems: list[SystemEntry]
    """Other systems whose outputs on the test instances stand beside ours."""
    seed: Seed
    """The seed of everything that is drawn."""
    device: Device
    """Where the encoder runs; `auto` takes a GPU where there is one."""


def schema_text() -> str:
    """The JSON schema of a config, for editors and other programs."""
    return json.dumps(ConfigFile.model_json_schema(), indent=2) + "\n"
