"""The entries of a config's lists: models, classifiers and systems, and what each may say."""

from typing import Annotated, Literal

from pydantic import Field

from wsd.artifacts.config_section import UNSET, OneOrSome, Section
from wsd.artifacts.config_values import (
    Count,
    Input,
    Name,
    NumberAbove0,
    NumberFrom0,
    Pooling,
    Precision,
    Seed,
    Sha256,
    Text,
    Transform,
)


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
        The name of another model: what `finetune` made of it, on the full training set and with
        the first seed. It is a control, the single layers of one view; never selected.
    sha256
        Expected checksums, file name to sha256; a file that differs is refused.
    blocks
        Number of blocks; checked against the model.
    width
        Size of a hidden state; checked against the model.
    pooling
        How the pieces of a split focal word become one vector.
    input
        What the encoder reads: the sentence (plain), or the sentence with one mask token for its
        focal word (masked).
    precision
        What the model computes in: float32; bfloat16, faster where the processor or the GPU has it;
        float16, on a GPU alone. The vectors are stored in float32.
    random_weights
        A seed: the weights are drawn with it, not read. Everything else is the encoder's.
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
    input: Input = "plain"
    precision: Precision = "float32"
    random_weights: Seed = UNSET


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


class SystemEntry(Section):
    """A system: its name, and the file of what it says.

    Attributes
    ----------
    name
        A file-safe name; no model has it.
    file
        JSON lines, as `wsd score` takes them.
    """

    name: Name
    file: Text
