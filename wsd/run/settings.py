"""The values of a checked config: its encoders, classifiers, and what is run of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import Dataset
from wsd.artifacts.named_runs import tables_of
from wsd.artifacts.view_names import STATIC, blocks_of
from wsd.run.schema import Controls, Tuning

MIX = "mix"
# There where a driver is.
NVIDIA = Path("/dev/nvidia0")


@dataclass(frozen=True)
class Model:
    """An encoder of the config: where it comes from, what it should be, how it is used.

    Attributes
    ----------
    source : dict
        ``hub`` and ``revision``, ``package``, ``path``, or ``finetuned_from``.
    layers : tuple of str
        The layer choices for this model's number of blocks, in their fixed order.
    features : tuple of (views, layer choices)
        Feature sets of several vectors, as in :mod:`wsd.artifacts.feature_set`.
    random_weights : int or None
        The seed of the weights, where they are drawn and not read.
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
    input: str = "plain"
    precision: str = "float32"

    @property
    def single(self) -> tuple[str, ...]:
        """Every single layer."""
        return self.single_of("focal")

    def single_of(self, view: str) -> tuple[str, ...]:
        """Every single layer of a view: a static one has layer 0 alone."""
        return tuple(str(layer) for layer in range(blocks_of(view, self.blocks) + 1))

    def layers_of(self, view: str) -> tuple[str, ...]:
        """The layer choices of a view: of a static one, layer 0 whatever the choices are."""
        return self.single_of(view) if view in STATIC else self.layers

    def unmixed(self, view: str) -> tuple[str, ...]:
        """Those of them that are not learned: a mix has no vectors of its own."""
        return tuple(layers for layers in self.layers_of(view) if not layers.startswith(MIX))


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
        """Whether it is defined on a layer choice: a learned mix is part of ``logistic`` alone."""
        return self.estimator == "logistic" or not layers.startswith(MIX)


@dataclass(frozen=True)
class Config:
    """A whole config, with what it leaves to defaults filled in.

    Attributes
    ----------
    run : str
        Its name among the runs of the dataset; ``NAMELESS``, if it has none.
    models : dict
        The encoders that are compared.
    random_controls : dict
        The random-initialisation controls of the models that have weights of their own.
    finetuned : dict
        What fine-tuning makes of models.
    trains : tuple of str
        Training sets, draws of one setting apart: ``full`` first.
    transforms : tuple of str
        What is done to the vectors before they are measured.
    projections : tuple of str
        The pictures of the word pages.
    sentences : bool
        Whether the pages hold the corpus's sentences.
    sections : dict
        What studies made of their keys of the config, by key.
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
        """Where selection, tables and pages lie, below a folder of all results."""
        return tables_of(results / self.dataset.name, self.run)

    @property
    def uses_gpu(self) -> bool:
        """Whether an encoder will run on a GPU here, as far as can be told without torch."""
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
        """What is kept of a model: of a control one view, nothing else of it is looked at."""
        return self.store if model.name in self.models else self.classify[:1]

    def feature_sets(self, model: Model) -> list[tuple[str, str]]:
        """What a model is classified with: views and layer choices, first those of one view."""
        if model.name not in self.models:
            return [(self.classify[0], layers) for layers in model.single]
        single = [(view, layers) for view in self.classify for layers in model.layers_of(view)]
        return [*single, *model.features]

    def classifiers_of(self, model: Model) -> list[Classifier]:
        """Return the classifiers to fit: for a random control, those of ``controls``."""
        of_controls = model.name in self.random_controls
        names = self.controls.classifiers if of_controls else self.classifiers
        return [self.classifiers[name] for name in names]

    def combinations(self, model: Model) -> list[Classifier]:
        """The classifier of each combination with one of a model's feature sets."""
        return [
            classifier
            for _, layers in self.feature_sets(model)
            for classifier in self.classifiers_of(model)
            if classifier.fits(layers)
        ]
