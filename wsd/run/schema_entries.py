"""Define the schema of the entries in a config's lists of models and classifiers."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from wsd.artifacts.config_section import UNSET, Either, OneOrSome, Section, Some, refusal
from wsd.artifacts.config_values import (
    Count,
    InputName,
    Name,
    NumberAbove0,
    NumberFrom0,
    Pooling,
    Precision,
    Seed,
    Sha256,
    StoreDtype,
    Text,
    Transform,
)
from wsd.artifacts.cv_table import PARAMETERS
from wsd.artifacts.input_template import InputTemplate, InputValue, parse_input
from wsd.errors import ConfigError

SOURCES = ("hub", "revision", "package", "path", "finetuned_from")


class InputEntry(Section):
    """An input with a template, with markers, or both.

    Attributes
    ----------
    template
        Text with {sentence} and, if it is wanted, {word}; the default is the sentence.
    mark
        Two tokens to put around the focal word, in every copy of the sentence.
    read
        What the vector is of: the last occurrence of the focal word (word), the last piece of the
        text (last), or the markers (mark).
    """

    template: str = UNSET
    mark: Annotated[list[Text], Field(min_length=2, max_length=2)] = UNSET
    read: Literal["word", "last", "mark"] = "word"

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            _ = self.parsed
        except ConfigError as error:
            raise refusal(f"{error.problem}; {error.fix}") from None
        return self

    @property
    def parsed(self) -> InputTemplate:
        """Return the input."""
        return parse_input(self.model_dump(include=self.model_fields_set))


class ModelEntry(Section):
    """An encoder, from exactly one of `hub` (with `revision`), `package`, `path`, `finetuned_from`.

    Attributes
    ----------
    name
        A file-safe short name; also the folder under results/<dataset>/.
    hub
        Id on the Hugging Face hub, such as google-bert/bert-base-uncased.
    revision
        The full commit hash on the hub.
    package
        An installed Python package that carries the model.
    path
        A local folder with config.json, *.safetensors and a tokenizer.
    finetuned_from
        The name of another model, which `finetune` has trained on the full training set with its
        first seed. The result is a control: the single layers of one view, never selected.
    sha256
        The expected SHA-256 of files, by name; a file that differs is refused.
    blocks
        The number of blocks; checked against the model.
    width
        The size of a hidden state; checked against the model.
    pooling
        How the pieces of a split focal word become one vector.
    input
        What the encoder reads: the sentence (plain); the sentence with one mask token for its focal
        word (masked); the sentence twice, of which the second copy counts (echo); or a mapping with
        a template or markers.
    precision
        The precision of the computation: float32; bfloat16, faster if the processor or the GPU has
        it; float16, on a GPU only. Weights are read in this precision.
    store_dtype
        The type of the stored vectors: float32; bfloat16 or float16, half as large. They are read
        as float32.
    store_layers
        The layers that are stored, by number, such as [0, 8, 16, 24, 32]; all layers by default.
        `all` in `layers` stands for these.
    random_weights
        A seed for random weights, which replace those of the encoder. Everything else is unchanged.
    """

    name: Name
    hub: Annotated[str, Field(pattern="^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)?$")] = UNSET
    revision: Annotated[str, Field(pattern="^[0-9a-f]{40}$")] = UNSET
    package: Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")] = UNSET
    path: Text = UNSET
    finetuned_from: Name = UNSET
    sha256: dict[str, Sha256] = Field({})
    blocks: Count
    width: Count
    pooling: Pooling = "mean"
    input: Either[InputName, InputEntry] = "plain"
    precision: Precision = "float32"
    store_dtype: StoreDtype = "float32"
    store_layers: Some[Annotated[int, Field(ge=0)]] = UNSET
    random_weights: Seed = UNSET

    @property
    def source(self) -> dict[str, str]:
        """Return the keys that say where the model comes from, with their values."""
        return {name: getattr(self, name) for name in SOURCES if name in self.model_fields_set}

    @property
    def input_value(self) -> InputValue:
        """Return the input as a value for JSON, with all defaults."""
        return self.input if isinstance(self.input, str) else self.input.parsed.value

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        if set(self.source) in ({"hub", "revision"}, {"package"}, {"path"}):
            return self
        if self.finetuned_from is not None:
            return self
        keys = ", ".join(self.source) or "-"
        raise refusal(f"the model {self.name!r} has no source, or more than one: {keys}")


class ClassifierEntry(Section):
    """A classifier and its parameters, each fixed or searched.

    Attributes
    ----------
    name
        A file-safe name; also the estimator, if `estimator` is not given.
    estimator
        Which classifier it is.
    metric
        For nearest_centroid, cosine (the default) or euclidean.
    C
        For logistic, the inverse strength of the L2 penalty, above 0; a list is searched.
    prior_shift
        For logistic, how much of the log prior is taken off, from 0 up; a list is searched.
    shrinkage
        For lda, above 0 and at most 1; a list is searched.
    prior_exponent
        For lda, how much the log prior counts, from 0 up; a list is searched.
    k
        For knn, the number of neighbours, from 1 up; a list is searched.
    transform
        For nearest_centroid and knn: none (the default), centre, whiten, remove-k; or a list.
    """

    name: Name
    estimator: Literal["nearest_centroid", "logistic", "lda", "knn"] = UNSET
    metric: Literal["cosine", "euclidean"] = UNSET
    C: OneOrSome[NumberAbove0] = UNSET
    prior_shift: OneOrSome[NumberFrom0] = UNSET
    shrinkage: OneOrSome[Annotated[NumberAbove0, Field(le=1)]] = UNSET
    prior_exponent: OneOrSome[NumberFrom0] = UNSET
    k: OneOrSome[Count] = UNSET
    transform: OneOrSome[Transform] = UNSET

    @model_validator(mode="after")
    def _check_parameters(self) -> Self:
        estimator = self.estimator or self.name
        if estimator not in PARAMETERS:
            known = " or ".join(PARAMETERS)
            raise refusal(f"{estimator!r} is no estimator: add `estimator:` with {known}")
        for name in sorted(self.model_fields_set - {"name", "estimator", *PARAMETERS[estimator]}):
            known = ", ".join(PARAMETERS[estimator])
            raise refusal(f"{estimator} has no parameter {name!r}: its parameters are {known}")
        return self
