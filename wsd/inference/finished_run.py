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
from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.encoder_record import read_record
from wsd.artifacts.feature_set import parse_features, read_features, vectors_file
from wsd.artifacts.predictions import TEST, read_predictions
from wsd.artifacts.run_json import RUN_MAP, TABLES, RunMap, read_listing
from wsd.artifacts.training_set import FULL
from wsd.artifacts.vectors import Embeddings
from wsd.errors import ConfigError, ResultError, WsdError, unknown_choice
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.stored_probabilities import stored_probabilities, stored_temperatures
from wsd.inference.feature_vectors import ALL, frame_of_layers
from wsd.inference.find_focal_word import located
from wsd.inference.fitted_words import load_predictor, resolve_word
from wsd.inference.input_output import Line
from wsd.logs import log
from wsd.report.tables import METRICS, PATHS
from wsd.storage.csv import csv_names, read_csv
from wsd.storage.file_names import word_of

PREDICTIONS = re.compile(
    r"(?P<model>[^/]+)/predictions/(?P<train>[^/]+)/(?P<view>[^/]+)"
    r"/(?P<layers>[^/]+)\.(?P<classifier>[^./]+)\.parquet"
)
PROJECTIONS = re.compile(
    r"(?P<model>[^/]+)/projections/(?P<method>[^/]+)/(?P<view>[^/]+)/(?P<layers>[^/]+)\.parquet"
)
ANSWERED = (
    "sentence", "status", "word", "form", "start", "sense", "sense_name", "probability",
    "probabilities", "scores", "distance", "ood", "message",
)  # fmt: skip
MOST = 20  # configurations that an error lists


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
        self.results, files = results, results.map
        self.folder, self.config, self.command = files.path.parent, files.config, files.command
        self.name = self.folder.name if self.folder.parent.name == find_runs.RUNS else ""
        stored = [m[1] for m in map(re.compile(r"([^/]+)/model\.json").fullmatch, files.files) if m]
        order = [entry["name"] for entry in self.config.get("models", ())]
        self.models = tuple(dict.fromkeys([*(name for name in order if name in stored), *stored]))
        self._predictor = lru_cache(maxsize=1)(load_predictor)

    def table(self, name: str) -> pd.DataFrame:
        """Return a table of the run by name, such as ``word-layers`` or ``learning``."""
        if name not in PATHS:
            raise unknown_choice(f"no table {name!r}", PATHS, "name")
        return read_csv(self.results.map.file(PATHS[name]))

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
            scores = part.scores.astype(object)
            scores[np.isnan(part.scores)] = None  # a sense without training instances
            columns = {
                "gold": senses[part.gold],
                "predicted": senses[part.predicted],
                "correct": part.gold == part.predicted,
                "probability": probabilities[best],
                "score": part.scores[best],
                "scores": [dict(zip(part.senses, row, strict=True)) for row in scores.tolist()],
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
            ``to_numpy()`` is the array, without a copy. The index names each row: split, line in
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
            vectors = np.stack([stored.layer(layer) for layer in stored.stored], axis=1)
            return frame_of_layers(vectors, stored.stored, index)
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
        return pd.DataFrame.from_records(records, columns=list(ANSWERED))

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
        from wsd.inference.run_plots import placed_points, word_figure

        word, model = resolve_word(word, self.words), self.model_named(model)
        given = {"model": model, "method": method, "view": view}
        stored = narrowed(self._stored(PROJECTIONS), given, "projection")
        plane = placed_points(self, stored, word, layers)
        names = {"view": plane.view, "layers": plane.layers}
        try:
            predictions = self.predictions(**names, model=model, classifier=classifier, word=word)
        except ConfigError:
            if classifier is not None:
                raise
            points = plane.points.assign(predicted=None)
        else:
            predicted = predictions.set_index(["split", "index"])["predicted"]
            points = plane.points.join(predicted, on=["split", "index"])
        title = f"{word}, layer choice {plane.layers}"
        return word_figure(points, plane.senses, title, method, plane.explained)

    def choose(
        self,
        model: str | None = None,
        view: str | None = None,
        layers: str | int | None = None,
        classifier: str | None = None,
        *,
        train: str = FULL,
    ) -> Configuration:
        """Return the configuration that a method takes for these names.

        Raises
        ------
        ConfigError
            If nothing has these names, or several configurations that cross-validation has not
            compared. It lists the possible names.
        """
        if layers is not None:
            layers = self.layer_name(layers, view, model)
        names = {"model": model, "view": view, "layers": layers, "classifier": classifier}
        rows = narrowed(self._stored(PREDICTIONS), {"train": train, **names}, "predictions")
        fitting = [Configuration(*row) for row in rows[list(names)].itertuples(index=False)]
        if len(fitting) == 1:
            return fitting[0]
        with suppress(ConfigError):
            best = self.results.choose(model, view, layers, classifier)
            if best in fitting:
                return best
        problem = f"{len(fitting)} configurations have these names"
        raise unknown_choice(problem, map(str, fitting[:MOST]))

    def model_named(self, name: str | None) -> str:
        """Return a model of the run; by default the only one, or that of the selection."""
        if name is None:
            return self.models[0] if len(self.models) == 1 else self.selected.model
        if name not in self.models:
            raise unknown_choice(f"this run has no model {name!r}", self.models, "model")
        return name

    def layer_name(self, layers: str | int, view: str | None, model: str | None) -> str:
        """Return the standard name of a layer choice, such as ``6`` for ``-1``."""
        with suppress(WsdError):  # the caller lists the names
            blocks = self.blocks(model or self.models[0])
            return parse_features(view or "focal", str(layers), blocks).layers
        return str(layers)

    def blocks(self, model: str) -> int:
        """Return the number of a model's blocks."""
        return int(read_record(self.results.map.file(f"{model}/model.json"))["blocks"])

    def _stored(self, pattern: re.Pattern[str]) -> pd.DataFrame:
        """Return the names in the paths of the run's files, with a row per path."""
        found = map(pattern.fullmatch, self.results.map.files)
        rows = [match.groups() for match in found if match]
        return pd.DataFrame(rows, columns=list(pattern.groupindex), dtype=object)


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
    folder = Path(results)
    if folder.is_file():  # the map of a run
        return Run(Results(folder.absolute()))
    started, finished = find_runs.started_runs(folder), find_runs.runs_with(folder, RUN_MAP)
    name = min(started, default=find_runs.NAMELESS) if run is None else run
    if name in started and name not in finished and (run is not None or not finished):
        fix = f"run `{RunMap(started[name]).command}` again"
        where = str(find_runs.tables_of(folder, name))
        raise ResultError(f"{find_runs.run_label(name)} is not finished", where=where, fix=fix)
    chosen = find_runs.choose_run(folder, RUN_MAP, run)
    if chosen is None:
        raise _without_runs(folder)
    tables = find_runs.tables_of(folder, chosen)
    if (
        chosen in started
        and find_runs.run_state(RunMap(started[chosen]), tables) == find_runs.UNFINISHED
    ):
        text = "%s of %s was started again and is not finished: these are its former results"
        log.warning(text, find_runs.run_label(chosen), folder)
    # A notebook may change its working directory.
    return Run(Results(tables.absolute() / RUN_MAP))


def _without_runs(folder: Path) -> WsdError:
    """Return the error for a folder in which no run is finished."""
    if find_runs.runs_with(folder, find_runs.SELECTION) or find_runs.runs_with(
        folder, find_runs.PROVENANCE
    ):
        problem = f"tables without {RUN_MAP}: they are of an earlier version"
        return ResultError(problem, where=str(folder), fix="run snakemake again")
    known = dict.fromkeys(
        line for near in (folder, folder.parent) for line in find_runs.described_runs(near)
    )
    if known:
        return unknown_choice(f"no results in {folder}", known, "results")
    fix = "name the folder results/<dataset>; or run snakemake first"
    return ResultError("no results here", where=str(folder), fix=fix)


def narrowed(rows: pd.DataFrame, names: Mapping[str, str | None], what: str) -> pd.DataFrame:
    """Return the rows with these names; an unknown name is refused with a list of the known ones.

    Parameters
    ----------
    rows : DataFrame
    names : mapping of column to value
        None for any value.
    what : str
        The rows, as the error calls them.
    """
    for column, value in names.items():
        if value is not None:
            if value not in (known := rows[column].unique()):
                raise unknown_choice(f"no {what} with the {column} {value!r}", known, column)
            rows = rows[rows[column] == value]
    return rows


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
