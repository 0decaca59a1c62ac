"""Write a copy of a word's page that also shows new sentences.

New sentences are processed like test instances: the projections and classifiers of every layer
choice are fitted again on the training instances. They must reproduce the points and predictions of
the test instances that the page shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from wsd.analysis.neighbours import find_neighbours_of_new
from wsd.analysis.project import place
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpus
from wsd.artifacts.dataset import DATASETS, Dataset
from wsd.artifacts.feature_set import parse_features, read_features
from wsd.artifacts.instance_tables import Neighbours, Projection
from wsd.artifacts.predictions import WordPredictions
from wsd.artifacts.training_set import FULL
from wsd.errors import ConfigError, ResultError
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.word_classifier import Fitting, Learner
from wsd.inference.encoders import feature_vectors
from wsd.inference.predictor import Predictor, Request, table_of
from wsd.logs import log
from wsd.report.pages.load_report import load_report
from wsd.report.pages.report_data import NEW, Report, WordResults, confidence_of
from wsd.report.pages.word import portable_page
from wsd.report.tables import PATHS, PER_MODEL
from wsd.storage.atomic import write_text

# Tolerance between new and stored points, relative to the largest coordinate: rounding only.
TOLERANCE = 1e-4


class NewTextPage:
    """The page of one model's words in the results of a run.

    Parameters
    ----------
    results : Results
    model : str

    Raises
    ------
    ConfigError
        If the run has no projection that can place new sentences.
    """

    def __init__(self, results: Results, model: str) -> None:
        self._results, self._model = results, model
        config = results.map.config
        self._view = config["views"]["classify"][0]
        self._projections = [
            name
            for method in config["projections"]
            if method != "tsne"
            for name in self._files("projections", method, self._view)
        ]
        if not self._projections:
            problem = f"no page of {model} in this run has a projection by PCA or LDA"
            fix = "t-SNE cannot place new sentences: add pca to `projections` and run snakemake"
            raise ConfigError(problem, where=str(results.map.path), fix=fix)

    def write(self, predictor: Predictor, requests: Sequence[Request], out: Path) -> None:
        """Write the page of the requests' word; without a request, write none.

        Parameters
        ----------
        predictor : Predictor
            Its encoder is the model's.
        requests : sequence of Request
            Aligned.
        out : Path

        Raises
        ------
        ConfigError
            If the requests have several words.
        ResultError
            If a file of the run is missing, or a new fit does not reproduce its points or
            predictions.
        """
        words = sorted({request.word for request in requests})
        if not words:
            log.warning("no page: no sentence has the word")
            return
        if len(words) > 1:
            problem = f"a page has one word, the sentences have {', '.join(words)}"
            raise ConfigError(problem, where="--show", fix="name one of them by --word")
        full = self._results.corpus(words[0])
        report = self._report(full)
        shown = self._with_new(report, full, predictor, requests)
        write_text(out, portable_page(report, self._model, shown))
        log.info("page: %s", out)

    def _files(self, *folders: str) -> list[str]:
        """Return the names of the model's files in a folder."""
        folder = "/".join([self._model, *folders])
        return [name for name in self._results.map.files if name.rpartition("/")[0] == folder]

    def _report(self, corpus: Corpus) -> Report:
        """Return the report of one model and one word."""
        files, view = self._results.map, self._view
        shown = {Path(name).stem for name in self._projections}
        predictions = self._files("predictions", FULL, view)
        predictions = [name for name in predictions if Path(name).name.partition(".")[0] in shown]
        tables = PATHS | {name: f"{self._model}/{name}.csv" for name in PER_MODEL}
        name = str(files.config["dataset"])
        unknown = Dataset(name, name, source="", licence="", licence_url="", citation="")
        return load_report(
            dataset=self._results.dataset or DATASETS.get(name, unknown),
            corpora={corpus.word: corpus},
            predictions=[*map(files.file, predictions)],
            projections=[*map(files.file, self._projections)],
            neighbours=[*map(files.file, self._files("neighbours", view))],
            tables={name: [files.file(path)] for name, path in tables.items() if files.has(path)},
            provenance=files.file("sources.json"),
            view=view,
            text=bool(files.config["sentences"]),
            run={"config": files.config, "command": files.command},
        )

    def _with_new(
        self, report: Report, full: Corpus, predictor: Predictor, requests: Sequence[Request]
    ) -> WordResults:
        """Return the word's results with the requests' sentences as last rows."""
        shown, choices = report.words[self._model][full.word], report.choices[self._model]
        new_corpus, folds = _corpus(full, requests), self._results.folds.words[full.word]
        corpus = shown.corpus.joined(new_corpus)
        features = [parse_features(self._view, c.name, predictor.encoder.blocks) for c in choices]
        aligned = [request.aligned for request in requests if request.aligned]
        vectors = feature_vectors(
            predictor.encoder, new_corpus, aligned, features, threads=predictor.threads
        )
        neighbours = []
        projections: dict[str, list[Projection]] = {method: [] for method in shown.projections}
        predicted: dict[str, list[np.ndarray]] = {name: [] for name in report.classifiers}
        confidence: dict[str, list[np.ndarray]] = {name: [] for name in report.classifiers}
        for i, (choice, new) in enumerate(zip(choices, vectors, strict=True)):
            named = Configuration(self._model, self._view, choice.name, "")
            known = read_features(self._results.vectors(named), full, self._view, choice.name)[1]
            known = known[full.split != OUT_OF_DOMAIN]
            near, added = shown.neighbours[i], find_neighbours_of_new(known, new)
            rows = np.concatenate([near.rows, added.rows])
            similarity = np.concatenate([near.similarity, added.similarity])
            neighbours.append(Neighbours(rows, similarity, near.score))
            for method, placed in projections.items():
                fitted = place(corpus, np.concatenate([known, new]), method, 0, folds)
                placed.append(_with_points(shown.projections[method][i], fitted, method))
            for name, kind in report.classifiers.items():
                fitting = Fitting(self._results, replace(named, classifier=name))
                scores = Learner(fitting, full.word).scores(new)
                predicted[name].append(np.nanargmax(scores, axis=1).astype(np.int32))
                about = (full.word, full.senses, shown.n_train, new_corpus.index, new_corpus.gold)
                answers = WordPredictions(*about, predicted[name][-1], scores, NEW)
                confidence[name].append(confidence_of(answers, kind))
        return replace(
            shown,
            corpus=corpus,
            projections=projections,
            neighbours=neighbours,
            predicted=_with_columns(shown.predicted, predicted),
            confidence=_with_columns(shown.confidence, confidence),
        )


def _with_columns(shown: Mapping[str, np.ndarray], new: Mapping[str, Any]) -> dict[str, np.ndarray]:
    return {name: np.c_[shown[name], rows] for name, rows in new.items()}


def _corpus(full: Corpus, requests: Sequence[Request]) -> Corpus:
    """Return the requests' sentences as a corpus of the word, in the split of new sentences."""
    table = table_of(requests)
    return replace(
        table,
        word=full.word,
        senses=full.senses,
        split=np.full(len(table), NEW),
        index=np.arange(len(table), dtype=np.int32),
        gold=np.full(len(table), -1, dtype=np.int32),
    )


def _with_points(shown: Projection, fitted: Projection, method: str) -> Projection:
    """Return the page's points, followed by the points of new sentences in the same axes.

    Raises
    ------
    ResultError
        If the new fit places the page's instances elsewhere.
    """
    stored, n = shown.points, len(shown.points)
    # Pages flip axes so that layers resemble each other.
    signs = np.where((fitted.points[:n] * stored).sum(axis=0) < 0, -1, 1).astype(stored.dtype)
    points = fitted.points * signs
    apart = np.abs(points[:n] - stored).max(initial=0)
    if apart > TOLERANCE * np.abs(stored).max(initial=1):
        problem = f"{method}, fitted again, does not reproduce the points of the page: "
        problem += f"one differs by {apart:.2g}"
        raise ResultError(problem, fix="run snakemake again")
    return replace(shown, points=np.concatenate([stored, points[n:]]))
