"""Write a copy of a word's page that also shows new sentences.

New sentences are processed like test instances: the projections and classifiers of every layer
choice are fitted again on the training instances. They must reproduce the points and predictions of
the test instances that the page shows.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from wsd.analysis.neighbours import find_neighbours_of_new
from wsd.analysis.project import PLACES_NEW, place_by_training_fit
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpus
from wsd.artifacts.dataset import DATASETS, Dataset
from wsd.artifacts.feature_set import parse_features, read_features
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.artifacts.projection import Projection
from wsd.artifacts.training_set import FULL
from wsd.artifacts.view_names import DRAWN
from wsd.errors import ConfigError, ResultError
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.train_selected import Fitting, Learner
from wsd.inference.feature_vectors import vectors_of_features
from wsd.inference.predictor import Predictor, table_of
from wsd.inference.read_requests import Request
from wsd.logs import log
from wsd.report.pages.load_report import load_report
from wsd.report.pages.read_tables import ReportInputs
from wsd.report.pages.report_data import NEW, Report, WordResults, confidence_of
from wsd.report.pages.word import write_new
from wsd.report.tables import COMPARISON_TABLES, CONFIDENCE_TABLES

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
        If the run has no projection that can place new sentences, or its pages show the view of a
        random word.
    """

    def __init__(self, results: Results, model: str) -> None:
        self._results, self._model = results, model
        config = results.map.config
        self._view = config["views"]["classify"][0]
        if DRAWN in self._view:
            problem = "the pages show the view `other`, one random word of the sentence"
            raise ConfigError(problem, where="--show", fix="leave --show out")
        self._projections = [
            name
            for method in config["projections"]
            if method in PLACES_NEW
            for name in self._files("projections", method, self._view)
        ]
        if not self._projections:
            problem = f"no page of {model} in this run has a projection by PCA or LDA"
            fix = "t-SNE cannot place new sentences: add pca to `projections` and run snakemake"
            raise ConfigError(problem, where=str(results.map.path), fix=fix)

    def _files(self, *folders: str) -> list[str]:
        """Return the names of the model's files in a folder."""
        folder = "/".join([self._model, *folders])
        return [name for name in self._results.map.files if Path(name).parent.as_posix() == folder]

    def write(self, predictor: Predictor, requests: Sequence[Request], out: Path) -> None:
        """Write the page of the requests' word.

        Parameters
        ----------
        predictor : Predictor
            Its encoder is the model's.
        requests : sequence of Request
            Aligned, all of one word.
        out : Path

        Raises
        ------
        ResultError
            If a file of the run is missing, or a new fit does not reproduce its points or
            predictions.
        """
        full = self._results.corpus(requests[0].word)
        report = load_report(self._inputs(full))
        new = self._new_results(report, full, predictor, requests)
        write_new(report, self._model, full.word, new, out)
        log.info("page: %s", out)

    def _inputs(self, corpus: Corpus) -> ReportInputs:
        """Return the files of the report, with one model and one word."""
        files = self._results.map
        shown = {Path(name).stem for name in self._projections}
        predictions = self._files("predictions", FULL, self._view)
        predictions = [name for name in predictions if Path(name).name.partition(".")[0] in shown]
        tables = {name: f"{name}.csv" for name in ("scores", "summary", "comparison")}
        tables |= {name: f"comparison/{name}.csv" for name in COMPARISON_TABLES}
        for name in ("alignment", *CONFIDENCE_TABLES):
            tables[name] = f"{self._model}/{name}.csv"
        name = str(files.config["dataset"])
        unknown = Dataset(name, name, source="", licence="", licence_url="", citation="")
        return ReportInputs(
            dataset=self._results.dataset or DATASETS.get(name, unknown),
            corpora={corpus.word: corpus},
            predictions=[*map(files.file, predictions)],
            projections=[*map(files.file, self._projections)],
            neighbours=[*map(files.file, self._files("neighbours", self._view))],
            tables={name: [files.file(path)] for name, path in tables.items() if files.has(path)},
            provenance=files.file("sources.json"),
            view=self._view,
            text=bool(files.config["sentences"]),
            run={"config": files.config, "command": files.command},
        )

    def _new_results(
        self, report: Report, full: Corpus, predictor: Predictor, requests: Sequence[Request]
    ) -> WordResults:
        """Return the points, neighbours and predictions of the requests in every layer choice."""
        shown, choices = report.words[self._model][full.word], report.choices[self._model]
        corpus = _corpus(full, requests)
        features = [parse_features(self._view, c.name, predictor.encoder.blocks) for c in choices]
        aligned = [request.aligned for request in requests if request.aligned]
        vectors = vectors_of_features(
            predictor.encoder, corpus, aligned, features, threads=predictor.threads
        )
        projections: dict[str, list[Projection]] = {method: [] for method in shown.projections}
        neighbours = []
        predictions: dict[str, list[WordPredictions]] = {name: [] for name in report.classifiers}
        for i, (choice, new) in enumerate(zip(choices, vectors, strict=True)):
            named = Configuration(self._model, self._view, choice.name, "")
            known = read_features(self._results.vectors(named), full, self._view, choice.name)[1]
            known = known[full.split != OUT_OF_DOMAIN]
            neighbours.append(find_neighbours_of_new(known, new))
            joined = shown.corpus.joined(corpus), np.concatenate([known, new])
            for method, added in projections.items():
                points = place_by_training_fit(*joined, method)
                points = _checked(points, shown, method, i)
                added.append(Projection(points, None, float("nan")))
            for name, added_predictions in predictions.items():
                fitting = Fitting(self._results, replace(named, classifier=name), {})
                scores = Learner(fitting, full.word).scores(new)
                added_predictions.append(_predictions(corpus, shown.n_train, scores))
        return WordResults(
            corpus=corpus,
            projections=projections,
            missing={},
            neighbours=neighbours,
            predicted={
                name: np.stack([p.predicted for p in rows]) for name, rows in predictions.items()
            },
            confidence={
                name: np.stack([confidence_of(p, report.classifiers[name]) for p in rows])
                for name, rows in predictions.items()
            },
            scores={},
        )


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


def _predictions(corpus: Corpus, n_train: int, scores: np.ndarray) -> WordPredictions:
    predicted = np.nanargmax(scores, axis=1).astype(np.int32)
    about = (corpus.word, corpus.senses, n_train, corpus.index, corpus.gold)
    return WordPredictions(*about, predicted, scores, NEW)


def _checked(points: np.ndarray, shown: WordResults, method: str, i: int) -> np.ndarray:
    """Return the points of new sentences, with the signs of the page's axes.

    Raises
    ------
    ResultError
        If the test instances get other points than on the page.
    """
    stored, test = shown.projections[method][i].points, shown.corpus.split == TEST
    known, new = points[: len(stored)], points[len(stored) :]
    # Pages flip axes so that layers resemble each other.
    signs = np.where((known * stored).sum(axis=0) < 0, -1, 1).astype(points.dtype)
    apart = np.abs(known[test] * signs - stored[test]).max(initial=0)
    if apart > TOLERANCE * np.abs(stored).max(initial=1):
        problem = f"{method} of {shown.corpus.word!r}, fitted again, does not reproduce the points "
        problem += f"of the test instances: one differs by {apart:.2g}"
        raise ResultError(problem, fix="run snakemake again")
    return new * signs
