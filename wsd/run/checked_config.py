"""Define the values of a checked config: its encoders, its classifiers, their combinations."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import Dataset
from wsd.artifacts.find_runs import tables_of
from wsd.artifacts.input_template import InputValue
from wsd.artifacts.view_names import PLAIN
from wsd.run.schema import Controls, Tuning

MIX = "mix"
# It exists if a driver does.
NVIDIA = Path("/dev/nvidia0")


@dataclass(frozen=True)
class Model:
    """An encoder of the config: its source, its expected files and shape, its use.

    Attributes
    ----------
    source : dict
        ``hub`` and ``revision``, ``package``, ``path``, or ``finetuned_from``.
    layers : tuple of str
        The layer choices for this model's number of blocks, in their fixed order.
    features : tuple of (views, layer choices)
        Feature sets of several vectors, as in :mod:`wsd.artifacts.feature_set`.
    random_weights : int or None
        The seed of random weights; None if the weights are read.
    input : str or dict
        What it reads (:mod:`wsd.artifacts.input_template`), with all defaults.
    store_layers : tuple of int or None
        The numbers of the stored layers, ascending; None if all are.
    """

    name: str
    source: dict[str, str]
    sha256: dict[str, str]
    blocks: int
    width: int
    pooling: str
    layers: tuple[str, ...]
    features: tuple[tuple[str, str], ...] = ()
    random_weights: int | None = None
    input: InputValue = PLAIN
    precision: str = "float32"
    store_dtype: str = "float32"
    store_layers: tuple[int, ...] | None = None

    @property
    def stored(self) -> tuple[int, ...]:
        """Return the numbers of the stored layers."""
        return self.store_layers or tuple(range(self.blocks + 1))

    @property
    def storage(self) -> dict[str, Any]:
        """Return the settings of the files that are not the default."""
        keys = {"store_dtype": "float32", "store_layers": None}
        values = {key: getattr(self, key) for key in keys}
        return {key: value for key, value in values.items() if value != keys[key]}

    @property
    def single(self) -> tuple[str, ...]:
        """Return every single layer that is stored."""
        return tuple(map(str, self.stored))

    @property
    def unmixed(self) -> tuple[str, ...]:
        """Return the layer choices except learned mixes, which have no vectors."""
        return tuple(layers for layers in self.layers if not layers.startswith(MIX))


@dataclass(frozen=True)
class Classifier:
    """A classifier of the config.

    Attributes
    ----------
    space : mapping of parameter to a value, or to a list of values
    """

    name: str
    estimator: str
    space: dict[str, Any]

    def fits(self, layers: str) -> bool:
        """Return whether it can use a layer choice: only ``logistic`` learns a mix."""
        return self.estimator == "logistic" or not layers.startswith(MIX)


@dataclass(frozen=True)
class Config:
    """A whole config, with all defaults.

    Attributes
    ----------
    run : str
        Its name among the runs of the dataset; ``NAMELESS`` if the config gives none.
    models : dict
        The encoders to compare.
    random_controls : dict
        The random-initialisation controls of the models whose weights are not random.
    finetuned : dict
        The fine-tuned encoders.
    trains : tuple of str
        Training sets, every draw of a setting by its name; ``full`` comes first.
    transforms : tuple of str
        The transforms of the vectors for geometry and pairs.
    projections : tuple of str
        The projections on the word pages.
    sentences : bool
        Whether the pages contain the corpus's sentences.
    store, classify : tuple of str
        The views that are stored, and the views that are classified.
    sections : dict
        The values of the studies' config keys, by key.
    """

    dataset: Dataset
    run: str
    words: tuple[str, ...]
    models: dict[str, Model]
    random_controls: dict[str, Model]
    finetuned: dict[str, Model]
    trains: tuple[str, ...]
    tuning: Tuning
    controls: Controls
    analyses: tuple[str, ...]
    transforms: tuple[str, ...]
    projections: tuple[str, ...]
    sentences: bool
    classifiers: dict[str, Classifier]
    store: tuple[str, ...]
    classify: tuple[str, ...]
    seed: int
    device: str
    sections: dict[str, Any]

    def tables(self, results: Path) -> Path:
        """Return the folder of selection, tables and pages, in a folder of all results."""
        return tables_of(results / self.dataset.name, self.run)

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

    def classifiers_of(self, model: Model) -> list[Classifier]:
        """Return the classifiers to fit: for a random control, those of ``controls``."""
        of_controls = model.name in self.random_controls
        names = self.controls.classifiers if of_controls else self.classifiers
        return [self.classifiers[name] for name in names]

    def combinations(self, model: Model) -> list[Classifier]:
        """Return the classifier of each combination of feature set and classifier of a model."""
        return [
            classifier
            for _, layers in self.feature_sets(model)
            for classifier in self.classifiers_of(model)
            if classifier.fits(layers)
        ]
