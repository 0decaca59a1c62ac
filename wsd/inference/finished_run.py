"""A finished run as tables, vectors, figures and answers, for notebooks.

Everything is read from the run's files, whose checksums are compared. Nothing is written.
"""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from wsd.artifacts.predictions import TEST
from wsd.artifacts.training_set import FULL
from wsd.errors import ConfigError
from wsd.fitted.selected_results import Results
from wsd.inference import run_figures, run_frames
from wsd.inference.fitted_words import load_predictor, resolve_word
from wsd.inference.input_output import Line
from wsd.inference.python_names import python_names
from wsd.inference.run_choices import blocks_of_model, choose_stored
from wsd.inference.run_projections import placed_points
from wsd.inference.tables_of_run import RunTables
from wsd.inference.word_page import WordPage, word_page


class Run(RunTables):
    """A finished run, as :func:`wsd.inference.open_run.open_run` opens it.

    Parameters
    ----------
    results : Results
        Of the run's map.

    Attributes
    ----------
    folder, name, config, command, models
        As in :class:`wsd.inference.tables_of_run.RunTables`.

    Notes
    -----
    A method takes the names that it needs of a configuration: ``model``, ``view``, ``layers`` and
    ``classifier``. If several configurations have these names, it takes the one with the best score
    in cross-validation. Without names, this is the selected configuration.

    A method raises a :class:`wsd.errors.ConfigError` for an unknown name, which lists the names,
    and a :class:`wsd.errors.ResultError` if a file of the run is missing, damaged or of another
    version.
    """

    def __init__(self, results: Results) -> None:
        super().__init__(results)
        self._predictor = lru_cache(maxsize=1)(load_predictor)

    def predictions(
        self,
        layers: str | int | None = None,
        classifier: str | None = None,
        model: str | None = None,
        view: str | None = None,
        *,
        word: str | None = None,
        train: str = FULL,
        test: str = TEST,
    ) -> pd.DataFrame:
        """Return the predictions of a configuration, with a row per test instance.

        Parameters
        ----------
        layers, classifier, model, view
            See *Notes* of the class. ``-1`` is the last layer.
        word : str, optional
            By default all words.
        train : str
            The training set.
        test : str
            The split: ``test``, or ``outofdomain``.

        Returns
        -------
        DataFrame
            The columns of ``wsd table`` (``docs/reference/tables.md``): instance, sentence, gold,
            predicted, the ``probability`` of the predicted sense, and the corpus's own columns.
            ``scores`` has dicts: the score of each sense.
        """
        with python_names():
            names = {"layers": layers, "classifier": classifier, "model": model, "view": view}
            chosen = choose_stored(self._results, names, train)
            word = None if word is None else resolve_word(word, self.words)
            return run_frames.prediction_table(self._results, chosen, train, test, word)

    def vectors(
        self, word: str, layers: str | int, view: str = "focal", model: str | None = None
    ) -> pd.DataFrame:
        """Return the vectors of a word's instances.

        Parameters
        ----------
        word : str
        layers : str or int
            A layer choice, or ``all`` for every stored layer.
        view : str
        model : str, optional
            By default the model of the selected configuration.

        Returns
        -------
        DataFrame of float32, of shape (n, features)
            ``to_numpy()`` is the array, without a copy. The index names each row: split, line in
            the split's file, and sense. So ``vectors.loc["train"]`` are the training instances. For
            all layers, the columns are a MultiIndex of layer and dimension.
        """
        with python_names():
            model = self._model(model)
            corpus = self._results.corpus(resolve_word(word, self.words))
            words = self._results.map.words(f"{model}/embeddings")
            return run_frames.vector_table(words, corpus, view, str(layers))

    def predict(
        self,
        sentences: str | Iterable[str],
        word: str | None = None,
        *,
        layers: str | int | None = None,
        classifier: str | None = None,
        model: str | None = None,
        view: str | None = None,
        encoder: str | Path | None = None,
        device: str = "auto",
    ) -> pd.DataFrame:
        """Predict the senses of words in new sentences.

        The words are fitted at the first call, and checked against the stored predictions.

        Parameters
        ----------
        sentences : str or iterable of str
            The focal word may be marked: ``a [[crane]] by a crane``.
        word : str, optional
            The word to look for; by default all words of the run.
        layers, classifier, model, view
            See *Notes* of the class.
        encoder : str or Path, optional
            The folder of the encoder's files, if they are not where they were.
        device : {"auto", "cpu", "cuda"}

        Returns
        -------
        DataFrame
            A row per occurrence; a sentence without one has a row whose ``status`` and ``message``
            say why. The columns are as in ``wsd predict``, with dicts for ``scores`` and
            ``probabilities``.

        Raises
        ------
        ModelError
            If the encoder is missing or has changed.
        ResultError
            Also if a new fit does not reproduce the predictions.
        """
        texts = [sentences] if isinstance(sentences, str) else list(sentences)
        for i, text in enumerate(texts):
            if not isinstance(text, str):
                problem = f"sentence {i} is not a text: {text!r:.80}"
                raise ConfigError(problem, fix="give a list of texts")
        with python_names():
            names = {"layers": layers, "classifier": classifier, "model": model, "view": view}
            chosen = choose_stored(self._results, names)
            word = None if word is None else resolve_word(word, self.words)
            folder = None if encoder is None else Path(encoder)
            predictor = self._predictor(self._results, chosen, folder, device)
            lines = [Line(number, text, word) for number, text in enumerate(texts, start=1)]
            return run_frames.answer_table(predictor.predict(lines, neighbours=False))

    def plot_layers(
        self,
        metric: str = "mean_macro_f1",
        classifier: str | None = None,
        model: str | None = None,
        view: str | None = None,
    ) -> Any:
        """Draw a metric over the layers.

        Parameters
        ----------
        metric : {"mean_macro_f1", "mean_balanced_accuracy", "mean_word_accuracy", "micro_accuracy"}
        classifier, model : str, optional
            By default all of them.
        view : str, optional
            By default ``focal``.

        Returns
        -------
        bokeh.plotting.figure
            See :mod:`wsd.inference.run_figures`.
        """
        only = {"classifier": classifier, "model": model, "view": view}
        blocks = {name: blocks_of_model(self._results.map, name) for name in self.models}
        return run_figures.layers_figure(self.comparison, blocks, metric=metric, only=only)

    def plot_word(
        self,
        word: str,
        layers: str | int,
        method: str = "pca",
        *,
        classifier: str | None = None,
        model: str | None = None,
        view: str | None = None,
    ) -> Any:
        """Draw a word's instances in a plane.

        Parameters
        ----------
        word : str
        layers : str or int
        method : {"pca", "discriminant", "tsne"}
            A projection of the run.
        classifier : str, optional
            Whose errors are marked; by default the one with the best score in cross-validation.
        model, view : str, optional
            By default the model of the selected configuration, and the view of the report.

        Returns
        -------
        bokeh.plotting.figure
            See :mod:`wsd.inference.run_figures`.
        """
        with python_names():
            word, model = resolve_word(word, self.words), self._model(model)
            placed = placed_points(self._results, word, model, view, str(layers), method)
            points = placed.with_predictions(self._results, word, model, classifier)
            return run_figures.word_figure(
                points, placed.senses, word, placed.layers, method, placed.explained
            )

    def page(self, word: str, model: str | None = None) -> WordPage:
        """Return the page of a word, which a notebook shows.

        Parameters
        ----------
        word : str
        model : str, optional
            By default the model of the selected configuration.
        """
        with python_names():
            word, model = resolve_word(word, self.words), self._model(model)
        return word_page(self._results, word, model)

    def _model(self, name: str | None) -> str:
        """Return a model of the run; by default the only one, or that of the selection."""
        if name is None:
            return self.models[0] if len(self.models) == 1 else self.selected.model
        blocks_of_model(self._results.map, name)  # refuses an unknown name
        return name
