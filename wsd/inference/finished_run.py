"""A finished run as tables, vectors, figures and answers, for notebooks and ``wsd table``.

Everything is read from the run's files, whose checksums are compared. Nothing is written.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts import find_runs
from wsd.artifacts.column_names import CANDIDATE
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpora
from wsd.artifacts.feature_set import ordered_features, read_features, vectors_file
from wsd.artifacts.instance_tables import align_signs, read_projections
from wsd.artifacts.predictions import TEST, read_predictions
from wsd.artifacts.run_json import TABLES, read_listing
from wsd.artifacts.training_set import FULL
from wsd.artifacts.vectors import Embeddings
from wsd.errors import ConfigError, ResultError, WsdError, unknown_choice
from wsd.fitted.selected_results import Configuration, Results, narrowed
from wsd.fitted.word_classifier import stored_probabilities, stored_temperatures
from wsd.inference.answers import FIELDS
from wsd.inference.encoders import ALL
from wsd.inference.predictor import load_predictor, resolve_word
from wsd.inference.sentences import Line, located
from wsd.report.tables import METRICS, PATHS
from wsd.storage.csv import csv_names, read_csv
from wsd.storage.file_names import word_of

PROJECTIONS = re.compile(
    r"(?P<model>[^/]+)/projections/(?P<method>[^/]+)/(?P<view>[^/]+)/(?P<layers>[^/]+)\.parquet"
)


def _published(name: str, text: str) -> Any:
    """Return a property of a run: one of its tables."""
    return property(lambda run: run.table(name), doc=text)


class Run:
    """A finished run, as :func:`open_run` opens it.

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
    command : str
        The command that repeats it.
    models : tuple of str
        First the models of the config, in its order.

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
        self.results, self.choose, self.models = results, results.choose, results.models
        self.config, self.command = results.map.config, results.map.command
        self.folder = results.map.path.absolute().parent  # a notebook may change its folder
        self.name = self.folder.name if self.folder.parent.name == find_runs.RUNS else ""
        self._predictor = lru_cache(maxsize=1)(load_predictor)

    def table(self, name: str) -> pd.DataFrame:
        """Return a table of the run by name, such as ``word-layers`` or ``learning``."""
        if name not in PATHS:
            raise unknown_choice(f"no table {name!r}", PATHS, "name")
        return read_csv(self.results.map.file(PATHS[name]))

    scores = _published("scores", "``scores.csv``: the metrics of each word.")
    summary = _published("summary", "``summary.csv``: the means of the metrics over words.")
    comparison = _published("comparison", "``comparison.csv``: configurations, with 95% intervals.")
    differences = _published("differences", "The selected configuration minus the other rows.")
    layers = _published("layers", "Every layer choice minus the selected one.")

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the run."""
        tables = read_listing(self.results.map.file(f"corpus/{TABLES}"))
        return tuple(word_of(name.partition(".")[0]) for name in tables)

    @property
    def selected(self) -> Configuration:
        """The configuration of the best model that cross-validation selects for all words."""
        return self.results.choose()

    def __repr__(self) -> str:
        facts = {"folder": os.path.relpath(self.folder), "run": find_runs.run_label(self.name)}
        with suppress(WsdError):  # a notebook shows a damaged run too
            facts |= {"words": ", ".join(self.words), "models": ", ".join(self.models)}
            facts["selected"] = str(self.selected)
        return "\n".join(["Run", *(f"  {name}: {value}" for name, value in facts.items())])

    def predictions(
        self,
        layers: str | int | None = None,
        classifier: str | None = None,
        model: str | None = None,
        view: str | None = None,
        *,
        word: str | Sequence[str] | None = None,
        train: str = FULL,
        test: str | None = TEST,
    ) -> pd.DataFrame:
        """Return the predictions of a configuration, with a row per test instance.

        Parameters
        ----------
        layers, classifier, model, view
            See *Notes* of the class. ``-1`` is the last layer.
        word : str or sequence of str, optional
            By default all words.
        train : str
            The training set.
        test : str or None
            The split: ``test``, ``outofdomain``, or None for both.

        Returns
        -------
        DataFrame
            The columns of ``wsd table`` (``docs/reference/tables.md``): instance, sentence, gold,
            predicted, the ``probability`` of the predicted sense, and the corpus's own columns.
            ``scores`` has dicts: the score of each sense.
        """
        chosen = self.choose(model, view, layers, classifier, train=train)
        path = self.results.predictions(chosen, train)
        predicted, source = read_predictions(path)
        names = [word] if isinstance(word, str) else word or self.words
        words = [resolve_word(name, self.words) for name in names]
        kept = [p for p in predicted if p.word in words and test in (None, p.split)]
        if not kept:
            splits = dict.fromkeys(part.split for part in predicted)
            raise unknown_choice(f"no predictions for the test {test!r}", splits, "test")
        corpora = {part.word: self.results.corpus(part.word) for part in kept}
        temperatures, frames = stored_temperatures(path), []
        for part in kept:
            corpus = corpora[part.word]
            own = np.flatnonzero(corpus.split == part.split)
            rows = pd.Series(own, corpus.index[own]).loc[part.index].tolist()
            best = (np.arange(len(rows)), part.predicted)
            probabilities = stored_probabilities(part, source, temperatures.get(part.word))
            senses = np.array(part.senses, dtype=object)
            # None for a sense without training instances.
            scores = np.where(np.isnan(part.scores), np.array(None), part.scores).tolist()
            columns = {
                "gold": senses[part.gold],
                "predicted": senses[part.predicted],
                "correct": part.gold == part.predicted,
                "probability": probabilities[best],
                "score": part.scores[best],
                "scores": [dict(zip(part.senses, row, strict=True)) for row in scores],
                **vars(chosen),
            }
            frames.append(instance_frame(corpora, part.word, rows, columns))
        return pd.concat(frames, ignore_index=True)

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
            ``to_numpy()`` is the array. The index names each row: split, line in
            the split's file, and sense. So ``vectors.loc["train"]`` are the training instances. For
            all layers, the columns are a MultiIndex of layer and dimension.
        """
        corpus = self.results.corpus(resolve_word(word, self.words))
        files = self.results.map.words(f"{self.model_named(model)}/embeddings")
        index = pd.MultiIndex.from_arrays(
            [corpus.split, corpus.index, np.array(corpus.senses, dtype=object)[corpus.gold]],
            names=["split", "index", "sense"],
        )
        if str(layers) == ALL:
            stored = Embeddings(vectors_file(files, corpus, view), corpus)
            frames = {n: pd.DataFrame(stored.layer(n), index=index) for n in stored.stored}
            return pd.concat(frames, axis=1, names=["layer", "dimension"])
        features, vectors, _ = read_features(files, corpus, view, str(layers))
        names = [f"{features.view}_{features.layers}_{i}" for i in range(vectors.shape[1])]
        return pd.DataFrame(vectors, index=index, columns=pd.Index(names, dtype=object))

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
        chosen = self.choose(model, view, layers, classifier)
        word = None if word is None else resolve_word(word, self.words)
        folder = None if encoder is None else Path(encoder)
        predictor = self._predictor(self.results, chosen, folder, device)
        lines = [Line(number, text, word) for number, text in enumerate(texts, start=1)]
        answers = predictor.predict(lines, neighbours=False)
        records: list[dict[str, Any]] = [
            {**vars(answer), "sentence": answer.line.text} for answer in answers
        ]
        return pd.DataFrame.from_records(records, columns=["sentence", *FIELDS[1:]])

    def plot_layers(
        self,
        metric: str = "mean_macro_f1",
        classifier: str | None = None,
        model: str | None = None,
        view: str | None = None,
    ) -> Any:
        """Draw a metric over the layers, with a line per model and classifier.

        Parameters
        ----------
        metric : {"mean_macro_f1", "mean_balanced_accuracy", "mean_word_accuracy", "micro_accuracy"}
        classifier, model : str, optional
            By default all of them.
        view : str, optional
            By default ``focal``, or else the first.

        Returns
        -------
        bokeh.plotting.figure
            See :mod:`wsd.inference.run_plots`.
        """
        from wsd.inference.run_plots import layers_figure

        if metric not in METRICS:
            raise unknown_choice(f"no metric {metric!r}", METRICS, "metric")
        comparison = self.comparison
        rows = comparison[comparison["kind"] == CANDIDATE]
        views = rows["view"].tolist()
        names = {"view": view or ("focal" if "focal" in views else views[0])}
        rows = narrowed(rows, {**names, "model": model, "classifier": classifier}, "configuration")
        return layers_figure(rows, comparison, metric)

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
        """Draw a word's instances in a plane, with the axes as on the report's page.

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
            See :mod:`wsd.inference.run_plots`.
        """
        from wsd.inference.run_plots import word_figure

        word, model, files = resolve_word(word, self.words), self.model_named(model), self.results
        given = {"model": model, "method": method, "view": view}
        stored = narrowed(files.stored(PROJECTIONS), given, "projection")
        stored = stored[stored["view"] == stored["view"].iloc[0]]
        view = str(stored["view"].iloc[0])
        layers = files.layer_name(layers, view, model)
        narrowed(stored, {"layers": layers}, "projection")
        pairs = [(view, name) for name in stored["layers"]]
        order = [name for _, name in ordered_features(pairs, files.blocks(model))]
        # The page steps through the layers in this order, and flips axes to resemble the last one.
        shown = order[: order.index(layers) + 1] if method != "tsne" else [layers]
        paths = [f"{model}/projections/{method}/{view}/{name}.parquet" for name in shown]
        projections = [read_projections(files.map.file(path))[0][word] for path in paths]
        if missing := projections[-1].missing:
            raise ResultError(f"{word!r} has no projection by {method}: {missing}")
        corpus = files.corpus(word)
        kept = corpus.split != OUT_OF_DOMAIN
        points = align_signs([projection.points[kept] for projection in projections])[-1]
        corpus = corpus.take(kept)
        senses = np.array(corpus.senses, dtype=object)[corpus.gold]
        columns = {"sense": senses, "x": points[:, 0], "y": points[:, 1], "predicted": None}
        frame = instance_frame({word: corpus}, word, range(len(corpus)), columns)
        frame = frame.dropna(subset=["x"]).set_index(["split", "index"])
        try:
            chosen = self.predictions(layers, classifier, model, view, word=word)
            frame.update(chosen.set_index(["split", "index"])["predicted"])
        except ConfigError:
            if classifier is not None:
                raise
        title = f"{word}, layer choice {layers}"
        return word_figure(
            frame.reset_index(), corpus.senses, title, method, projections[-1].explained
        )

    def model_named(self, name: str | None) -> str:
        """Return a model of the run; by default the only one, or that of the selection."""
        if name is None:
            return self.models[0] if len(self.models) == 1 else self.selected.model
        if name not in self.models:
            raise unknown_choice(f"this run has no model {name!r}", self.models, "model")
        return name


def open_run(results: str | Path, run: str | None = None) -> Run:
    """Open the results of a finished run.

    Parameters
    ----------
    results : str or Path
        ``results/<dataset>``.
    run : str, optional
        The name of the run. By default the run without a name, or else the only run.

    Returns
    -------
    Run
        Reads its files when they are asked for, compares their checksums, and writes nothing.

    Raises
    ------
    ConfigError
        If there is no such run. The error lists the runs.
    ResultError
        If the run is not finished, damaged, or of another version.

    Examples
    --------
    >>> import wsd
    >>> run = wsd.open_run("results/quickstart")  # doctest: +SKIP
    >>> run.summary.head()  # doctest: +SKIP
    >>> run.plot_layers()  # doctest: +SKIP
    """
    return Run(Results(Path(results), run))


def instance_frame(
    corpora: Corpora, word: str, rows: Sequence[int], columns: Mapping[str, Any]
) -> pd.DataFrame:
    """Return a word's instances with further columns, then the corpus's own.

    Parameters
    ----------
    corpora : mapping of word to Corpus
        The tables of all these words have the same columns.
    word : str
    rows : sequence of int
        The rows of the word's corpus.
    columns : mapping of name to column or value
    """
    corpus, places = corpora[word], [located(corpora[word], row) for row in rows]
    frame = pd.DataFrame(
        {
            "word": word,
            "split": corpus.split[rows].astype(object),
            "index": corpus.index[rows],
            "sentence": [sentence for sentence, _ in places],
            "start": np.array([span[0] for _, span in places], dtype=np.int32),
            "end": np.array([span[1] for _, span in places], dtype=np.int32),
            "document": None if corpus.document is None else corpus.document[rows],
            **columns,
        }
    )
    own = dict.fromkeys(name for other in corpora.values() for name in other.extra)
    for name, shown in csv_names(own, frame.columns).items():
        values = corpus.extra.get(name)
        frame[shown] = [values[row] for row in rows] if values else ""
    return frame
