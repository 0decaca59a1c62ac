"""A scikit-learn transformer from sentences with a focal word to vectors.

It works in pipelines, cross-validation and grid searches: parameters and fitted attributes are
plain values, and nothing is loaded before ``fit``. :mod:`wsd.inference.encoders` holds the encoder,
once for all copies of a transformer in a process.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wsd.artifacts.feature_set import JOIN, Features, parse_features
from wsd.artifacts.input_template import InputValue, parse_input
from wsd.artifacts.view_names import DEVICES, PLAIN, POOLINGS, STATIC, VIEWS
from wsd.errors import ConfigError
from wsd.inference import encoders, find_focal_word
from wsd.inference.feature_vectors import feature_vectors

# The view `other` is a control.
USABLE = tuple(view for view in VIEWS if view != "other")


class FocalEmbedder(TransformerMixin, BaseEstimator):
    """The hidden states of focal words, one vector per sentence.

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
        :mod:`wsd.artifacts.layer_choice`. It is ignored for a single static view, which has layer
        0 only.
    view : str
        ``focal``, ``context``, ``cls``, ``static`` or ``static_context``; see
        :mod:`wsd.artifacts.view_names`. ``+`` joins several views, with as many layer choices, as
        in :mod:`wsd.artifacts.feature_set`.
    pooling : {"mean", "first", "last"}
        How the pieces of the focal word become one vector.
    input : str or dict
        What the encoder reads: ``plain``, ``masked``, ``echo``, or a dict with a template or
        markers; see :mod:`wsd.artifacts.input_template`.
    device : {"auto", "cpu", "cuda"}
    threads : int
        Batches that run at the same time on a CPU. The vectors do not depend on it.

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
    ) -> None:
        self.model = model
        self.layers = layers
        self.view = view
        self.pooling = pooling
        self.input = input
        self.device = device
        self.threads = threads

    def fit(self, X: Iterable[Any], y: Any = None) -> Self:
        """Find the model, and check parameters and instances.

        Parameters
        ----------
        X : iterable of (sentence, span)
            A span is ``(start, end)``, the characters of the focal word, or the word itself if it
            occurs in the sentence once.
        y
            Not used.

        Raises
        ------
        ConfigError
            For an invalid parameter, or an instance without its focal word.
        ModelError
            If the model is not available.
        """
        views = [("view", view, USABLE) for view in str(self.view).split(JOIN)]
        settings = [("pooling", self.pooling, POOLINGS), ("device", self.device, DEVICES), *views]
        for name, value, usable in settings:
            if value not in usable:
                raise ConfigError(f"{name} {value!r}", fix=f"use {', '.join(usable)}")
        if type(self.threads) is not int or self.threads < 1:
            raise ConfigError(f"threads {self.threads!r}", fix="give a number from 1 up")
        parse_input(self.input)
        instances = self._read(X)
        record = encoders.find_model(encoders.source_named(self.model))
        layers = "0" if self.view in STATIC else str(self.layers)
        blocks = record["blocks"]
        features = parse_features(self.view, layers, blocks, where="layers", learned=False)
        encoder = self._encoder(record)
        self.record_ = record
        self.layers_ = features.layers
        self.feature_names_ = _names(encoder, features, instances[0])
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

    def transform(self, X: Iterable[Any]) -> np.ndarray:
        """Embed the focal words.

        Parameters
        ----------
        X : iterable of (sentence, span)
            As in :meth:`fit`.

        Returns
        -------
        float32 array of shape (len(X), features)

        Raises
        ------
        ConfigError
            For an instance without its focal word.
        ModelError
            If the model's files have changed, or its tokenizer cannot handle a focal word.
        """
        check_is_fitted(self)
        encoder = self._encoder(self.record_)
        features = parse_features(self.view, self.layers_, self.record_["blocks"])
        table = find_focal_word.as_corpus(self._read(X))
        return feature_vectors(encoder, table, encoder.align(table), features, threads=self.threads)

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

    def _encoder(self, record: Mapping[str, Any]) -> Any:
        return encoders.load_encoder(
            record, pooling=self.pooling, input=self.input, device=self.device
        )

    def _read(self, X: Iterable[Any]) -> list[find_focal_word.Focus]:
        if not (instances := find_focal_word.read_instances(X)):
            raise ConfigError("no instances: X is empty", fix="give pairs of a sentence and a span")
        return instances

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _names(encoder: Any, features: Features, instance: find_focal_word.Focus) -> np.ndarray:
    """Return the names of the columns; one instance is embedded to find the width of each view."""
    names, table = [], find_focal_word.as_corpus([instance])
    aligned = encoder.align(table)
    for view, choice in features.parts:
        (vector,) = feature_vectors(encoder, table, aligned, Features(((view, choice),)))
        names += [f"{view}_{choice.name}_{i}" for i in range(len(vector))]
    return np.array(names, dtype=object)
