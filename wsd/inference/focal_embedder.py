"""A scikit-learn transformer from sentences with a focal word to vectors.

It works in pipelines, cross-validation and grid searches: parameters and fitted attributes are
plain values. :mod:`wsd.inference.encoders` holds the encoder, once for all copies in a process.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np
import psutil
from sklearn.base import BaseEstimator, TransformerMixin

# The wrapper that set_output puts around transform asks this function too.
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from wsd.artifacts.encoder_input import DEVICES, PLAIN, POOLINGS, VIEWS, InputValue, parse_input
from wsd.artifacts.feature_set import JOIN, Features, assemble, parse_features
from wsd.corpora.find_word import Sentence
from wsd.errors import ConfigError
from wsd.inference import encoders, sentences
from wsd.inference.encoders import ALL, hidden_states

# The files of this process's control group, in a container or a SLURM job.
CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Return the bytes that this process may still use: of the machine, and of its cgroup."""
    free = int(psutil.virtual_memory().available)
    with suppress(OSError, ValueError, KeyError):  # without a limit, no file or `max`
        limit, used = (int((CGROUP / f"memory.{name}").read_text()) for name in ("max", "current"))
        stat = dict(line.split() for line in (CGROUP / "memory.stat").read_text().splitlines())
        # Cached files count as used, and make room for arrays.
        free = min(free, limit - used + int(stat["file"]))
    return free


class FocalEmbedder(TransformerMixin, BaseEstimator):
    """The hidden states of focal words, one vector per sentence, or one per sentence and layer.

    Nothing is learned from the sentences: the vectors of a test sentence do not depend on the
    sentences that the transformer was fitted on. To cross-validate, transform the sentences once
    and cross-validate the classifier.

    Parameters
    ----------
    model : str or Path, optional
        As in :func:`wsd.inference.encoders.source_named`: ``all-MiniLM-L6-v2``,
        ``bert-base-uncased``, ``hub:OWNER/NAME@COMMIT``, ``package:NAME`` or ``path:FOLDER``. By
        default the MiniLM that a package carries if that is installed, else bert-base-uncased.
    layers : str or int
        A layer choice: ``6``, ``-1``, ``mean-last-4``, ``concat-1-6``; see
        :mod:`wsd.artifacts.feature_set`. ``all`` gives every single layer, from one pass of the
        encoder.
    view : str
        ``focal``, ``context``, ``cls`` or ``sentence``; see :mod:`wsd.artifacts.encoder_input`.
        ``+`` joins several views, with as many layer choices, as in
        :mod:`wsd.artifacts.feature_set`.
    pooling : {"mean", "first", "last"}
        How the pieces of the focal word become one vector.
    input : str or dict
        What the encoder reads: ``plain``, ``masked``, ``echo``, or a dict with a template or
        markers; see :mod:`wsd.artifacts.encoder_input`.
    device : {"auto", "cpu", "cuda"}
    threads : int
        Batches that run at the same time on a CPU. The vectors do not depend on it.
    progress : bool
        Whether to show a progress bar.

    Attributes
    ----------
    record_ : dict
        The model: source, checksums of its files, number of blocks, width.
    layers_ : str
        The standard name of the layer choice: ``mean-all`` for ``mean-last-6`` of 6 blocks.
    feature_names_ : array of str
        ``focal_mean-last-4_0``, …: view, layer choice, number.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from wsd import FocalEmbedder, NearestCentroid, labelled, quickstart
    >>> crane = quickstart("crane")
    >>> model = make_pipeline(FocalEmbedder(layers="mean-last-2"), NearestCentroid())
    >>> model.fit(*labelled(crane, "train")).score(*labelled(crane, "test"))  # doctest: +SKIP
    >>> X = [("The crane flew.", "crane"), ("Cranes build towers.", "crane")]
    >>> FocalEmbedder(layers="all").fit_transform(X).shape  # doctest: +SKIP
    (2, 7, 384)
    """

    def __init__(
        self,
        model: Any = None,
        layers: str | int = "mean-last-4",
        view: str = "focal",
        *,
        pooling: str = "mean",
        input: InputValue = PLAIN,
        device: str = "auto",
        threads: int = 1,
        progress: bool = False,
    ) -> None:
        self.model = model
        self.layers = layers
        self.view = view
        self.pooling = pooling
        self.input = input
        self.device = device
        self.threads = threads
        self.progress = progress

    def fit(self, X: Iterable[Any], y: Any = None) -> Self:
        """Find the model, and check parameters and instances.

        Parameters
        ----------
        X : iterable of (sentence, span)
            A span is ``(start, end)``, the characters of the focal word, or the word itself if it
            occurs in the sentence once. :func:`wsd.inference.sentences.rows` reads tables.
        y
            Not used.

        Raises
        ------
        ConfigError
            For an invalid parameter, or an instance without its focal word.
        ModelError
            If the model is not available.
        """
        views = [("view", view, VIEWS) for view in str(self.view).split(JOIN)]
        settings = [("pooling", self.pooling, POOLINGS), ("device", self.device, DEVICES)]
        for name, value, usable in [*settings, *views]:
            if value not in usable:
                raise ConfigError(f"{name} {value!r}", fix=f"use {', '.join(usable)}")
        if type(self.threads) is not int or self.threads < 1:
            raise ConfigError(f"threads {self.threads!r}", fix="give a number from 1 up")
        parse_input(self.input)
        if (layers := str(self.layers)) == ALL and len(views) > 1:
            fix = f"name one view, or a layer choice for each, joined by {JOIN}"
            raise ConfigError(f"layers {ALL!r} of several views {self.view!r}", fix=fix)
        self._read(X)
        record = encoders.find_model(encoders.source_named(self.model))
        if layers != ALL:
            blocks = record["blocks"]
            choices = parse_features(self.view, layers, blocks, where="layers", learned=False)
            layers = choices.layers
        self.record_, self.layers_ = record, layers
        names = [
            f"{view}_{choice.name}_{i}"
            for features in self._features
            for view, choice in features.parts
            for i in range(choice.widths * record["width"])
        ]
        self.feature_names_ = np.array(names, dtype=object)
        return self

    def fit_transform(self, X: Iterable[Any], y: Any = None, **fit_params: Any) -> Any:
        """As :meth:`fit`, then :meth:`transform`; an iterator is read once.

        Parameters
        ----------
        X, y
            As in :meth:`fit`.
        **fit_params
            Not used.
        """
        return super().fit_transform(list(X) if isinstance(X, Iterator) else X, y, **fit_params)

    def transform(self, X: Iterable[Any]) -> Any:
        """Embed the focal words.

        Parameters
        ----------
        X : iterable of (sentence, span)
            As in :meth:`fit`.

        Returns
        -------
        float32 array of shape (len(X), features)
            For ``layers="all"``, of shape (len(X), layers, width). Each layer equals the result for
            this layer alone, bit by bit. ``set_output(transform="pandas")`` of scikit-learn gives a
            DataFrame, which has two dimensions, as a classifier needs them.

        Raises
        ------
        ConfigError
            For an instance without its focal word, or if the array does not fit into memory.
        ModelError
            If the model's files have changed, or its tokenizer cannot handle a focal word.
        """
        check_is_fitted(self)
        instances = self._read(X)
        needed = 4 * len(instances) * self.record_["width"] * len(self._keys)
        # An operating system may grant more memory than it has, and end the process later.
        if needed > (free := available_memory()):
            problem = f"the vectors of {len(instances):,} instances take {needed / 1e9:.1f} GB, "
            problem += f"and {free / 1e9:.1f} GB of memory are free"
            fix = "transform a part of X at a time, such as X[:10000]; or take fewer layers"
            raise ConfigError(problem, fix=fix)
        vectors = self._embed(instances)
        if _get_output_config("transform", self)["dense"] != "default":
            return vectors.reshape(len(vectors), -1)  # scikit-learn makes a frame of it
        return vectors

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns: view, layer choice, number.

        Parameters
        ----------
        input_features
            Not used: the input has no columns.

        Returns
        -------
        array of str objects
        """
        check_is_fitted(self)
        return self.feature_names_.copy()

    def _read(self, X: Iterable[Any]) -> list[Sentence]:
        if not (instances := sentences.read_instances(X)):
            raise ConfigError("no instances: X is empty", fix="give pairs of a sentence and a span")
        return instances

    @property
    def _features(self) -> list[Features]:
        """The feature set, or each single layer."""
        blocks = self.record_["blocks"]
        names = map(str, range(blocks + 1)) if self.layers_ == ALL else [self.layers_]
        return [parse_features(self.view, name, blocks) for name in names]

    @property
    def _keys(self) -> list[tuple[str, int]]:
        """The view and layer of each hidden state."""
        keys = (key for features in self._features for key in encoders.keys_of(features))
        return list(dict.fromkeys(keys))

    def _embed(self, instances: Sequence[Sentence]) -> np.ndarray:
        how: dict[str, Any] = {"pooling": self.pooling, "input": self.input, "device": self.device}
        encoder, table = encoders.load_encoder(self.record_, **how), sentences.as_corpus(instances)
        keys, aligned = self._keys, encoder.align(table)
        options: dict[str, Any] = {"threads": self.threads, "progress": self.progress}
        states = hidden_states(encoder, table, aligned, keys, **options)
        if self.layers_ == ALL:
            return states
        return assemble(self._features[0], lambda view, layer: states[:, keys.index((view, layer))])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags
