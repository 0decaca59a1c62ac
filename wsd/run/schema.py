"""Define the schema of a config: a class per section, with types and descriptions of all keys.

``tools/config_files.py`` writes the JSON schema for editors into ``workflow/schemas/``, from these
classes. :func:`wsd.run.config_errors.validate` takes its error messages from them.
"""

import json
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field

from wsd.artifacts.config_section import UNSET, Either, Section, Some, Unique, refusal
from wsd.artifacts.config_values import (
    BuiltIn,
    Device,
    Layer,
    Name,
    Seed,
    Text,
    Transform,
    View,
)
from wsd.artifacts.noad_datasets import AT_LEAST
from wsd.run.schema_entries import ClassifierEntry, ModelEntry
from wsd.studies.registry import STUDIES

ANALYSES = tuple(study.analysis for study in STUDIES.values() if study.analysis)
if TYPE_CHECKING:
    Analysis = str
else:
    Analysis = Literal[ANALYSES or ("none",)]


Projection = Literal["pca", "discriminant", "tsne"]


def _not_discriminant_alone(projections: list[str]) -> list[str]:
    if projections == ["discriminant"]:
        raise refusal(
            "discriminant alone leaves words that are too small for LDA without a plot: add pca"
        )
    return projections


class OwnCorpus(Section):
    """A corpus that `wsd import` wrote.

    Attributes
    ----------
    name
        A file-safe name; also the folder under results/.
    path
        The folder that `wsd import` wrote.
    title
        The title on the pages (default: the title given to `wsd import`).
    """

    name: Name
    path: Text
    title: Annotated[Text, Field(pattern=r"^[^\x00-\x1f]+$")] = UNSET


class Tuning(Section):
    """Cross-validation: how the folds are drawn, and the metric that selects.

    Attributes
    ----------
    folds
        The number of folds; a word whose rarest sense has fewer instances is not tuned.
    repeats
        How often the folds are drawn.
    objective
        The metric on held-out training instances that selects.
    """

    folds: Annotated[int, Field(ge=2, le=100)]
    repeats: Annotated[int, Field(ge=1, le=1000)]
    objective: Literal["mean_macro_f1", "mean_balanced_accuracy", "mean_word_accuracy"]


class Views(Section):
    """The views that are stored, and those that are classified.

    Attributes
    ----------
    store
        The views that one pass of the encoder keeps, per layer.
    classify
        The views that are classified; all are candidates for selection, and all must be stored. The
        first is shown, and used by random-initialisation controls, control task and analyses.
    """

    store: Some[View]
    classify: Some[View]


class Controls(Section):
    """Controls: classifications to compare the sweep with, never selected.

    Attributes
    ----------
    baselines
        Whether to run the baselines that need no encoder.
    views
        Views to classify on every single layer, such as context; views.classify has the others.
    random_weights
        Seeds: each adds a random-initialisation control of every model that has weights of its own.
    task
        Whether to classify the control task, whose labels are fixed by the neighbouring word.
    classifiers
        Names of the classifiers for controls and further training sets.
    """

    baselines: bool
    views: Unique[View]
    random_weights: Unique[Seed]
    task: bool
    classifiers: Some[str]


class CoreKeys(Section):
    """The config of a run. config/README.md explains every key.

    Attributes
    ----------
    dataset
        The corpus: coarsewsd20, noad, noad-semcor-masc, noad-masc-semcor, dwug-en, quickstart,
        quickstart-hard, or a mapping {name, path} of one that `wsd import` wrote.
    at_least
        For noad and its two splits by part: leave out senses with fewer instances (default: 10).
    run
        A file-safe name: selection, tables, pages and figures go to results/<dataset>/runs/<run>/.
    words
        `all`, or a list of the corpus's words.
    models
        The encoders to compare, a list: a config file that names models replaces the list. Each is
        taken from exactly one of `hub` (with `revision`), `package` or `path`.
    layers
        Layer choices: `all` (every single layer), a number (0 is the embedding layer, -1 the last),
        <op>-last-<k>, <op>-all, or <op>-<i>-<j>-..., with op mean, sum, concat or mix.
    features
        Feature sets of several concatenated vectors, each with its own layer choice: a list of
        mappings such as {focal: mean-last-2, context: 5}, of two or more of cls, context, focal
        and sentence. A mix is not possible here.
    classifiers
        The classifiers to fit on every layer choice, a list like `models`.
    trains
        Training sets; `full` always is one. CoarseWSD-20 has balanced, 1pct, 5pct, 10pct, 25pct,
        50pct, 100pct, nshot-1, nshot-3, nshot-10 and nshot-30.
    tuning
        How configurations are scored and selected, on the training instances only.
    views
        Which parts of a sentence are stored, and which of them are classified.
    controls
        Classifications to compare the sweep with, never selected. All are tuned like the sweep;
        baselines have search spaces of their own.
    analyses
        Further studies, each by its name, such as geometry or audit.
    transforms
        Transforms of the vectors for geometry and pairs, each named like a `transform`.
    projections
        Projections of a word's instances to two dimensions, each pca, discriminant or tsne; a page
        opens with the one that cross-validation selects.
    sentences
        Whether the pages contain the corpus's sentences. Without them, a report may be shared where
        the corpus may not.
    seed
        The seed of everything random.
    device
        Where the encoder runs; `auto` takes a GPU if there is one.
    """

    dataset: Either[BuiltIn, OwnCorpus]
    at_least: Annotated[int, Field(ge=AT_LEAST)] = UNSET
    run: Name = UNSET
    words: Either[Literal["all"], Some[str]]
    models: Annotated[list[ModelEntry], Field(min_length=1)]
    layers: Annotated[list[Layer], Field(min_length=1)]
    features: list[Annotated[dict[View, Layer], Field(min_length=2)]]
    classifiers: Annotated[list[ClassifierEntry], Field(min_length=1)]
    trains: Unique[str]
    tuning: Tuning
    views: Views
    controls: Controls
    analyses: Unique[Analysis]
    transforms: Some[Transform]
    projections: Annotated[Some[Projection], AfterValidator(_not_discriminant_alone)]
    sentences: bool
    seed: Seed
    device: Device


if TYPE_CHECKING:
    ConfigFile = CoreKeys
else:
    # The keys of the core and of the studies.
    sections = [study.keys() for study in STUDIES.values() if study.section]
    ConfigFile = type("ConfigFile", (CoreKeys, *sections), {"__doc__": CoreKeys.__doc__})


def schema_text() -> str:
    """Return the JSON schema of a config, for editors and other programs."""
    return json.dumps(ConfigFile.model_json_schema(), indent=2) + "\n"
