"""Declare every key of a config: its type and its description, in a class per section.

``Model`` and ``Config`` are the same keys as they are used, once a config is checked.

``tools/config_files.py`` writes the JSON schema for editors and the tables of ``config/README.md``
from these classes, and :mod:`wsd.run.config` takes its error messages from them.
"""

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr, model_validator

from wsd.artifacts import config_section as types
from wsd.artifacts.cv_table import PARAMETERS
from wsd.artifacts.dataset import AT_LEAST, Dataset
from wsd.artifacts.encoder_input import InputTemplate, InputValue, parse_input
from wsd.artifacts.find_runs import tables_of
from wsd.errors import ConfigError
from wsd.studies.registry import STUDIES

MIX = "mix"
# It exists if a driver does.
NVIDIA = Path("/dev/nvidia0")
SOURCES = ("hub", "revision", "package", "path", "vectors", "finetuned_from")
ANALYSES = tuple(study.analysis for study in STUDIES.values() if study.analysis)
Projection = Literal["pca", "discriminant", "tsne"]
if TYPE_CHECKING:
    Analysis = str
    Estimator = str
else:
    Analysis = Literal[ANALYSES or ("none",)]
    Estimator = Literal[tuple(PARAMETERS)]


def _not_discriminant_alone(projections: list[str]) -> list[str]:
    if projections == ["discriminant"]:
        raise types.refusal(
            "discriminant alone leaves words that are too small for LDA without a plot: add pca"
        )
    return projections


class OwnCorpus(types.Section):
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

    name: types.Name
    path: types.Text
    title: Annotated[types.Text, Field(pattern=r"^[^\x00-\x1f]+$")] = types.UNSET


class InputEntry(types.Section):
    """An input with a template, with markers, or with no token before a decoder's text.

    Attributes
    ----------
    template
        Text with {sentence} and, if it is wanted, {word}; the default is the sentence.
    mark
        Two tokens to put around the focal word, in every copy of the sentence.
    read
        What the vector is of: the last occurrence of the focal word (word), the last piece of the
        text (last), or the markers (mark).
    prefix
        With `none`, no token comes before the text of a decoder whose tokenizer adds none (default:
        `auto`, a line break, or the tokenizer's token for the beginning or end of a text).
    """

    template: str = types.UNSET
    mark: Annotated[list[types.Text], Field(min_length=2, max_length=2)] = types.UNSET
    read: Literal["word", "last", "mark"] = "word"
    prefix: Literal["auto", "none"] = "auto"

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            _ = self.parsed
        except ConfigError as error:
            raise types.refusal(f"{error.problem}; {error.fix}") from None
        return self

    @property
    def parsed(self) -> InputTemplate:
        """Return the input."""
        return parse_input(self.model_dump(include=self.model_fields_set))


class ModelEntry(types.Section):
    """An encoder, from `hub` (with `revision`), `package`, `path`, `vectors` or `finetuned_from`.

    Attributes
    ----------
    name
        A file-safe short name, unique in the list: the model's folder and its row in every table.
    hub
        Id on the Hugging Face hub, such as `google-bert/bert-base-uncased`.
    revision
        The full commit hash on the hub.
    package
        Instead of `hub`: an installed Python package that contains the model.
    path
        Instead of `hub`: a folder with `config.json`, `*.safetensors` and a tokenizer.
    vectors
        Instead of `hub`: a folder with hidden states of the focal words that another program
        computed.
    finetuned_from
        Instead of `hub`: the name of another entry, whose encoder is fine-tuned on the full
        training set, as a control. Add `name`, `blocks` and `width`, and no other key.
    sha256
        The expected SHA-256 of files, by name; a file that differs is refused.
    blocks
        The number of blocks; checked against the model.
    width
        The size of a hidden state; checked against the model.
    pooling
        How the pieces of a split focal word become one vector: `mean` (default), `first` or `last`.
    input
        What the encoder reads: `plain` (default), `masked`, `echo`, or a mapping with a template,
        markers or a prefix (section Inputs).
    precision
        The precision of weights and computation: `float32` (default); `bfloat16`, faster if the
        processor or the GPU has it; `float16`, on a GPU only.
    store_dtype
        The type of the stored vectors: `float32` (default); `bfloat16` or `float16`, half as large.
    store_layers
        The layers to store, such as `[0, 8, 16, 24, 32]` (default: all). `all` in `layers` then
        means these.
    random_weights
        A seed for random weights. Unlike `controls.random_weights`, a full model with all layer
        choices and pages.
    """

    name: types.Name
    hub: Annotated[str, Field(pattern="^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)?$")] = types.UNSET
    revision: Annotated[str, Field(pattern="^[0-9a-f]{40}$")] = types.UNSET
    package: Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")] = types.UNSET
    path: types.Text = types.UNSET
    vectors: types.Text = types.UNSET
    finetuned_from: types.Name = types.UNSET
    sha256: dict[str, types.Sha256] = Field({})
    blocks: types.Count
    width: types.Count
    pooling: types.Pooling = "mean"
    input: types.Either[types.InputName, InputEntry] = "plain"
    precision: types.Precision = "float32"
    store_dtype: types.StoreDtype = "float32"
    store_layers: types.Some[Annotated[int, Field(ge=0)]] = types.UNSET
    random_weights: types.Seed = types.UNSET

    @property
    def source(self) -> dict[str, str]:
        """Return the keys that say where the model comes from, with their values."""
        values = {name: getattr(self, name) for name in SOURCES}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def input_value(self) -> InputValue:
        """Return the input as a value for JSON, with all defaults."""
        return self.input if isinstance(self.input, str) else self.input.parsed.value

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        is_one = set(self.source) in ({"hub", "revision"}, {"package"}, {"path"}, {"vectors"})
        known = {"name", "vectors", "blocks", "width", "store_dtype", "store_layers"}
        if self.vectors is not None and (others := sorted(self.model_fields_set - known)):
            raise types.refusal(f"leave out {others[0]}: {self.name!r} has finished vectors")
        if is_one or self.finetuned_from is not None:
            return self
        keys = ", ".join(self.source) or "-"
        raise types.refusal(f"the model {self.name!r} has no source, or more than one: {keys}")


class Classifier(types.Section):
    """A classifier and its parameters, each fixed or searched.

    Attributes
    ----------
    name
        A file-safe name; also the estimator, if `estimator` is not given.
    estimator
        Which classifier it is: `nearest_centroid`, `logistic`, `lda` or `knn`.
    metric
        For nearest_centroid, `cosine` (default) or `euclidean`.
    C
        For logistic, the inverse strength of the L2 penalty, above 0 (default: 1).
    prior_shift
        For logistic: how much of a sense's log prior to subtract from its score (default: 0).
    shrinkage
        For lda, the shrinkage of the within-class covariance, above 0 and at most 1 (default: 0.5).
    prior_exponent
        For lda, the weight of the log prior, from 0 up (default: 1).
    k
        For knn, the number of neighbours, from 1 up (default: 5).
    transform
        For nearest_centroid and knn: `none` (default), `centre`, `whiten` or `remove-k`, such as
        `remove-2`.
    """

    name: types.Name
    estimator: Estimator = types.UNSET
    metric: Literal["cosine", "euclidean"] = types.UNSET
    C: types.OneOrSome[types.NumberAbove0] = types.UNSET
    prior_shift: types.OneOrSome[types.NumberFrom0] = types.UNSET
    shrinkage: types.OneOrSome[Annotated[types.NumberAbove0, Field(le=1)]] = types.UNSET
    prior_exponent: types.OneOrSome[types.NumberFrom0] = types.UNSET
    k: types.OneOrSome[types.Count] = types.UNSET
    transform: types.OneOrSome[types.Transform] = types.UNSET
    _space: dict[str, Any] = PrivateAttr({})

    @model_validator(mode="wrap")
    @classmethod
    def _check_parameters(cls, written: Any, validate: Callable[[Any], Self]) -> Self:
        """Take the name for the estimator by default; keep the parameters as they are written."""
        if not isinstance(written, Mapping):
            return validate(written)
        classifier = validate({"estimator": written.get("name"), **written})
        known = PARAMETERS[classifier.estimator]
        space = {key: value for key, value in written.items() if key not in ("name", "estimator")}
        for name in sorted(space.keys() - known):
            problem = f"{classifier.estimator} has no parameter {name!r}"
            raise types.refusal(f"{problem}: its parameters are {', '.join(known)}")
        classifier._space = space
        return classifier

    @property
    def space(self) -> dict[str, Any]:
        """Return the parameters as written, each with a value or a list of values to search."""
        return self._space

    def fits(self, layers: str) -> bool:
        """Return whether it can use a layer choice: only ``logistic`` learns a mix."""
        return self.estimator == "logistic" or not layers.startswith(MIX)


class Tuning(types.Section):
    """Cross-validation: how the folds are drawn, and the metric that selects.

    Attributes
    ----------
    folds
        The number of folds. A word whose rarest sense has fewer instances than folds is not tuned:
        it gets default parameters.
    repeats
        How often cross-validation is repeated with new folds.
    objective
        The metric that selects: `mean_macro_f1`, `mean_balanced_accuracy` or `mean_word_accuracy`.
    """

    folds: Annotated[int, Field(ge=2, le=100)]
    repeats: Annotated[int, Field(ge=1, le=1000)]
    objective: Literal["mean_macro_f1", "mean_balanced_accuracy", "mean_word_accuracy"]


class Views(types.Section):
    """The views that are stored, and those that are classified.

    Attributes
    ----------
    store
        The views to store: `focal` (the word), `context` (mean of the other word pieces),
        `sentence` (mean of all), `cls`.
    classify
        The stored views that may be selected. Pages, analyses and other controls use the first.
    """

    store: types.Some[types.View]
    classify: types.Some[types.View]


class Controls(types.Section):
    """Controls: classifications to compare the sweep with, never selected.

    Attributes
    ----------
    baselines
        Whether to run the baselines without an encoder: most frequent sense, bag of words, position
        and length.
    views
        Views to classify as controls, layer by layer, such as `[context, cls]`.
    random_weights
        Seeds. Each adds, for every model with trained weights, the same model with random weights.
    task
        Whether to add the control task, with labels that depend on the neighbouring word only.
    classifiers
        The names of the classifiers for controls, and for training sets other than `full`.
    """

    baselines: bool
    views: types.Unique[types.View]
    random_weights: types.Unique[types.Seed]
    task: bool
    classifiers: types.Some[str]


class CoreKeys(types.Section):
    """The config of a run. config/README.md explains every key.

    Attributes
    ----------
    dataset
        The corpus: `coarsewsd20`, `quickstart`, `quickstart-hard`, `noad`, `noad-semcor-masc`,
        `noad-masc-semcor`, `dwug-en`, or a mapping `{name: mine, path: data/mine}` with the name
        and folder of an imported corpus, and optionally a `title`.
    at_least
        For the three `noad` datasets: the fewest instances of a sense, 10 (default) or more. For
        `noad-semcor-masc` and `noad-masc-semcor`, training instances alone count.
    run
        A file-safe name, at most 100 characters. Tables and pages are then in
        `results/<dataset>/runs/<run>/`, where no other run replaces them.
    words
        `all`, or a list of the corpus's words.
    models
        The encoders to compare, a list (section Models).
    layers
        The layers and combinations to compare, a list (section Layers).
    features
        Feature sets: a list of mappings from two or more views to a layer choice (not `mix`), such
        as `{focal: mean-last-2, context: 5}`. Their vectors, scaled to unit length, are joined.
    classifiers
        The classifiers to fit on every layer choice, a list (section Classifiers).
    trains
        Training sets: `full`, and for CoarseWSD-20 its subsets `balanced`, `1pct`, `5pct`, `10pct`,
        `25pct`, `50pct`, `100pct`, `nshot-1`, `nshot-3`, `nshot-10` and `nshot-30`. `full` is
        always used.
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
        Transforms of the vectors for `geometry` and pairs. Possible values are those of a
        classifier's `transform`.
    projections
        How word pages project sentences onto a plane: `pca`, `discriminant` (LDA), `tsne`
        (slow). With `discriminant`, also name another one, for words with too few sentences.
    sentences
        Whether pages contain the corpus's sentences. Tables in `audit/` always do.
    seed
        The seed of everything random: folds, the control task, intervals and tests.
    device
        Where the encoder runs: `auto` (a GPU if there is one), `cpu` or `cuda`. A change
        computes the vectors again.
    """

    dataset: types.Either[types.BuiltIn, OwnCorpus]
    at_least: Annotated[int, Field(ge=AT_LEAST)] = types.UNSET
    run: types.Name = types.UNSET
    words: types.Either[Literal["all"], types.Some[str]]
    models: Annotated[list[ModelEntry], Field(min_length=1)]
    layers: Annotated[list[types.Layer], Field(min_length=1)]
    features: list[Annotated[dict[types.View, types.Layer], Field(min_length=2)]]
    classifiers: Annotated[list[Classifier], Field(min_length=1)]
    trains: types.Unique[str]
    tuning: Tuning
    views: Views
    controls: Controls
    analyses: types.Unique[Analysis]
    transforms: types.Some[types.Transform]
    projections: Annotated[types.Some[Projection], AfterValidator(_not_discriminant_alone)]
    sentences: bool
    seed: types.Seed
    device: types.Device


if TYPE_CHECKING:
    ConfigFile = CoreKeys
else:
    # The keys of the core and of the studies.
    sections = [
        import_module(f"wsd.studies.{study.name}.config").Keys
        for study in STUDIES.values()
        if study.section
    ]
    ConfigFile = type("ConfigFile", (CoreKeys, *sections), {"__doc__": CoreKeys.__doc__})


class Model(ModelEntry):
    """An encoder of the config, with the layer choices for its number of blocks.

    Attributes
    ----------
    input
        What it reads (:mod:`wsd.artifacts.encoder_input`), with all defaults.
    store_layers
        The numbers of the stored layers, ascending; None if all are.
    layers
        The layer choices, in their fixed order.
    features
        Feature sets of several vectors, as views and layer choices of each.
    """

    input: InputValue  # type: ignore[assignment]
    store_layers: tuple[int, ...] | None  # type: ignore[assignment]
    layers: tuple[str, ...]
    features: tuple[tuple[str, str], ...]

    @property
    def stored(self) -> tuple[int, ...]:
        """Return the numbers of the stored layers."""
        return self.store_layers or tuple(range(self.blocks + 1))

    @property
    def computed(self) -> list[Any]:
        """Return how its vectors are computed, and the settings of their files that are unusual."""
        usual = {"store_dtype": "float32", "store_layers": None}
        unusual = {key: getattr(self, key) for key in usual if getattr(self, key) != usual[key]}
        return [self.pooling, self.input, self.precision, *([unusual] if unusual else [])]

    @property
    def single(self) -> tuple[str, ...]:
        """Return every single layer that is stored."""
        return tuple(map(str, self.stored))

    @property
    def unmixed(self) -> tuple[str, ...]:
        """Return the layer choices except learned mixes, which have no vectors."""
        return tuple(layers for layers in self.layers if not layers.startswith(MIX))


class Config(ConfigFile):
    """A whole config: the keys as they are written, and these as they are used.

    Attributes
    ----------
    dataset
        The corpus.
    words
        The words, in their order.
    models
        The encoders to compare, by name.
    classifiers
        The classifiers, by name.
    trains
        The training sets, every draw of a setting by its name; ``full`` comes first.
    random_controls
        The random-initialisation controls of the models whose weights are not random.
    finetuned
        The fine-tuned encoders.
    """

    dataset: Dataset  # type: ignore[assignment]
    words: tuple[str, ...]  # type: ignore[assignment]
    models: dict[str, Model]  # type: ignore[assignment]
    classifiers: dict[str, Classifier]  # type: ignore[assignment]
    trains: tuple[str, ...]  # type: ignore[assignment]
    random_controls: dict[str, Model]
    finetuned: dict[str, Model]

    def tables(self, results: Path) -> Path:
        """Return the folder of selection, tables and pages, in a folder of all results."""
        return tables_of(results / self.dataset.name, self.run)

    @property
    def store(self) -> tuple[str, ...]:
        """Return the views that are stored; the step for pairs reads the first one alone."""
        return self.classify[:1] if self.dataset.of_pairs else tuple(self.views.store)

    @property
    def classify(self) -> tuple[str, ...]:
        """Return the views that are classified."""
        return tuple(self.views.classify)

    @property
    def sections(self) -> dict[str, Any]:
        """Return the values of the studies' config keys, by key."""
        keys = [study.section for study in STUDIES.values() if study.section]
        return {key: getattr(self, key) for key in keys}

    @property
    def uses_gpu(self) -> bool:
        """Return whether an encoder will probably run on a GPU here; only torch knows for sure."""
        return self.device == "cuda" or (self.device == "auto" and NVIDIA.exists())

    @property
    def encoders(self) -> dict[str, Model]:
        """Return the models, their random-initialisation controls and the fine-tuned encoders."""
        return {**self.models, **self.random_controls, **self.finetuned}

    @property
    def page_view(self) -> str:
        """Return the view of pages, random controls, control task and analyses."""
        return self.classify[0]

    def stored_views(self, model: Model) -> tuple[str, ...]:
        """Return the views of a model to store: only the first one of a control."""
        return self.store if model.name in self.models else self.classify[:1]

    def feature_sets(self, model: Model) -> list[tuple[str, str]]:
        """Return a model's feature sets, as views and layer choices; single views come first."""
        if model.name not in self.models:
            return [(self.classify[0], layers) for layers in model.single]
        single = [(view, layers) for view in self.classify for layers in model.layers]
        return [*single, *model.features]

    def combinations(self, model: Model) -> list[Classifier]:
        """Return the classifier of each combination of feature set and classifier of a model.

        A random control has the classifiers of ``controls``.
        """
        of_controls = model.name in self.random_controls
        names = self.controls.classifiers if of_controls else self.classifiers
        fitted = [self.classifiers[name] for name in names]
        sets = self.feature_sets(model)
        return [
            classifier for _, layers in sets for classifier in fitted if classifier.fits(layers)
        ]


def schema_text() -> str:
    """Return the JSON schema of a config, for editors and other programs."""
    return json.dumps(ConfigFile.model_json_schema(), indent=2) + "\n"
