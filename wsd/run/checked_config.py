"""Define a checked config: its keys with their values, its encoders, their combinations."""

from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import Dataset
from wsd.artifacts.find_runs import tables_of
from wsd.artifacts.input_template import InputValue
from wsd.run.schema import MIX, Classifier, ConfigFile, ModelEntry
from wsd.studies.registry import STUDIES

# It exists if a driver does.
NVIDIA = Path("/dev/nvidia0")


class Model(ModelEntry):
    """An encoder of the config, with the layer choices for its number of blocks.

    Attributes
    ----------
    input
        What it reads (:mod:`wsd.artifacts.input_template`), with all defaults.
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
