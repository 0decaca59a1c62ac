"""A finished run as tables, vectors, figures and answers, for notebooks.

Everything is read from the run's files, whose checksums are compared. Nothing is written.
"""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import escape

from wsd.arguments import processors
from wsd.artifacts.find_runs import RUNS, run_label
from wsd.artifacts.predictions import TEST
from wsd.artifacts.training_set import FULL
from wsd.errors import ConfigError, DamageError, ResultError, WsdError
from wsd.fitted.selected_results import Configuration, Results
from wsd.inference import run_figures, run_tables
from wsd.inference.encoders import fitted_encoder
from wsd.inference.fitted_words import fitted_words, resolve_word
from wsd.inference.input_output import Line
from wsd.inference.predictor import Predictor
from wsd.inference.python_names import python_names
from wsd.inference.run_choices import blocks_of_model, choose_stored, models_of
from wsd.inference.run_projections import placed_points
from wsd.storage.checksums import checksum
from wsd.storage.file_names import file_name


class Run:
    """A finished run, as :func:`wsd.inference.open_run.open_run` opens it.

    Parameters
    ----------
    results : Results
        Of the run's map.

    Attributes
    ----------
    folder : Path
        The folder of its tables.
    name : str
        Empty for the run without a name.
    config : dict
        Its config.
    models : tuple of str

    Notes
    -----
    A method takes the names that it needs of a configuration: ``model``, ``view``, ``layers`` and
    ``classifier``. If several configurations have these names, it takes the one with the best score
    in cross-validation. Without names, this is the selected configuration.
    """

    def __init__(self, results: Results) -> None:
        self._results, files = results, results.map
        self.folder, self.config, self.models = files.path.parent, files.config, models_of(files)
        self.name = self.folder.name if self.folder.parent.name == RUNS else ""
        self._table = lru_cache(maxsize=None)(run_tables.published_table)
        self._predictor = lru_cache(maxsize=1)(self._load_predictor)

    def table(self, name: str) -> pd.DataFrame:
        """Return a table of the run by name, such as ``word-layers`` or ``learning``.

        Raises
        ------
        ConfigError
            For an unknown name. The error lists the names.
        ResultError
            If the run lacks the table, or the file is damaged or of another version.
        """
        return self._table(self._results, name).copy()

    @property
    def scores(self) -> pd.DataFrame:
        """``scores.csv``: the metrics of each word, for every configuration and test set."""
        return self.table("scores")

    @property
    def summary(self) -> pd.DataFrame:
        """``summary.csv``: the means of the metrics over words."""
        return self.table("summary")

    @property
    def comparison(self) -> pd.DataFrame:
        """``comparison.csv``: configurations, baselines and controls with 95% intervals."""
        return self.table("comparison")

    @property
    def differences(self) -> pd.DataFrame:
        """``comparison/differences.csv``: the selected configuration minus the other rows."""
        return self.table("differences")

    @property
    def layers(self) -> pd.DataFrame:
        """``comparison/layers.csv``: every layer choice minus the selected one."""
        return self.table("layers")

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the run."""
        return tuple(dict.fromkeys(self._table(self._results, "scores")["word"]))

    @property
    def selected(self) -> Configuration:
        """The configuration of the best model that cross-validation selects for all words."""
        return self._results.choose()

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
            The columns ``word``, ``split``, ``index`` (the line in the split's file), ``sentence``
            (None if the corpus is not there), ``gold``, ``predicted``, ``probability`` of the
            predicted sense, ``scores`` (a dict: the score of each sense), and the corpus's own
            columns. Probabilities are calibrated if the run has the temperatures, as it has for the
            selected configuration; they are NaN for scores that are no probabilities.

        Raises
        ------
        ConfigError
            For an unknown name. The error lists the names.
        ResultError
            If a file is missing or damaged.
        """
        with python_names():
            names = {"layers": layers, "classifier": classifier, "model": model, "view": view}
            chosen = choose_stored(self._results, names, train)
            word = None if word is None else resolve_word(word, self.words)
            return run_tables.prediction_table(self._results, chosen, train, test, word)

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

        Raises
        ------
        ConfigError
            For an unknown word, model, view or layer choice.
        ResultError
            If a file is missing or damaged, or the layer is not stored.
        """
        with python_names():
            model = self._model(model)
            corpus = self._results.corpus(resolve_word(word, self.words))
            words = self._results.map.words(f"{model}/embeddings")
            return run_tables.vector_table(words, corpus, view, str(layers))

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
            say why. The columns are those of ``wsd predict``, with dicts for ``scores`` and
            ``probabilities``.

        Raises
        ------
        ConfigError
            For an unknown name, or a sentence that is no text.
        ModelError
            If the encoder is missing or has changed.
        ResultError
            If a file is missing or damaged, or a new fit does not reproduce the predictions.
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
            predictor = self._predictor(chosen, None if encoder is None else Path(encoder), device)
            lines = [Line(number, text, word) for number, text in enumerate(texts, start=1)]
            return run_tables.answer_table(predictor.predict(lines, neighbours=False))

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

        Raises
        ------
        ConfigError
            For an unknown name.
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

        Raises
        ------
        ConfigError
            For an unknown name, or a layer choice without a projection.
        """
        with python_names():
            word, model = resolve_word(word, self.words), self._model(model)
            placed = placed_points(self._results, word, model, view, str(layers), method)
            names = {"layers": placed.layers, "model": model, "view": placed.view}
            predicted = self._predicted(word, {**names, "classifier": classifier})
            points = placed.points.join(predicted, on=["split", "index"])
            return run_figures.word_figure(
                points, placed.senses, word, placed.layers, method, placed.explained
            )

    def page(self, word: str, model: str | None = None) -> "WordPage":
        """Return the page of a word, which a notebook shows.

        Parameters
        ----------
        word : str
        model : str, optional
            By default the model of the selected configuration.

        Raises
        ------
        ConfigError
            For an unknown word or model.
        ResultError
            If the run has no such page, or the page is damaged.
        """
        with python_names():
            word, model = resolve_word(word, self.words), self._model(model)
        name = f"portable/{model}/{file_name(word)}.html"
        path, noted = self.folder / name, self._results.map.published.get(name)
        if noted is None or not path.is_file():
            fix = f"run `{self._results.map.command}` again"
            raise ResultError(f"this run has no page of {word!r}", where=str(path), fix=fix)
        if checksum(path) != noted:
            raise DamageError("the page has changed since it was written", path=path)
        return WordPage(path)

    def _model(self, name: str | None) -> str:
        model = self.selected.model if name is None else name
        blocks_of_model(self._results.map, model)
        return model

    def _predicted(self, word: str, names: dict[str, str | None]) -> pd.Series:
        """Return the predictions for a word's test instances; none if nothing was classified."""
        try:
            chosen = choose_stored(self._results, names)
        except ConfigError:
            if names["classifier"] is not None:
                raise
            index = pd.MultiIndex.from_arrays([[], []], names=["split", "index"])
            return pd.Series(index=index, name="predicted", dtype=object)
        table = run_tables.prediction_table(self._results, chosen, FULL, TEST, word)
        return table.set_index(["split", "index"])["predicted"]

    def _load_predictor(self, chosen: Configuration, folder: Path | None, device: str) -> Predictor:
        words = fitted_words(self._results, chosen)
        encoder = fitted_encoder(words.encoder, folder, device=device)
        return Predictor(words, encoder, threads=processors())

    def _facts(self) -> dict[str, str]:
        try:
            selected = str(self.selected)
        except WsdError:
            selected = "-"
        return {
            "folder": str(self.folder),
            "run": run_label(self.name),
            "words": ", ".join(self.words),
            "models": ", ".join(self.models),
            "selected": selected,
            "command": self._results.map.command,
        }

    def __repr__(self) -> str:
        lines = (f"  {name}: {value}" for name, value in self._facts().items())
        return "\n".join(["Run", *lines])

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><th>{name}</th><td style='text-align: left'>{escape(value)}</td></tr>"
            for name, value in self._facts().items()
        )
        return f"<table>{''.join(rows)}</table>"


class WordPage:
    """The page of a word, as one file.

    Attributes
    ----------
    path : Path
        ``webbrowser.open(page.path.as_uri())`` opens it in a browser.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    def __repr__(self) -> str:
        return f"WordPage({str(self.path)!r})"

    def _repr_html_(self) -> str:
        return run_figures.framed(self.path.read_text(encoding="utf-8"), 900)
