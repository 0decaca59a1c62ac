"""Every file of a run: which there are, and where the files lie that are made from many others.

All lie in ``results/<dataset>/store``. A path without its keys (:func:`wsd.artifacts.run_map.bare`)
is the path that people read, in the folder of the tables.
"""

from collections.abc import Iterable
from typing import Any

from wsd.artifacts.training_set import FULL
from wsd.run.keys import Keys
from wsd.run.path_patterns import Places
from wsd.run.settings import Config
from wsd.studies.base import Paths
from wsd.studies.registry import STUDIES

COMPARISON = (
    "words", "rare-senses", "differences", "best-set", "errors", "controls", "selectivity",
    "learning",
)  # fmt: skip
LAYERWISE = ("layers", "word-layers", "model-layers", "group-layers", "group-peaks")
CONFIDENCE = ("calibration", "reliability", "ood")
BASELINES = ("most_frequent_sense", "bag_of_words", "position_length")
# Kinds of rows that only studies add to the comparison.
STUDY_ROWS = ("zero_shot", "finetuned", "finetuned_layers", "control")


class Files(Places):
    """The files of a config.

    Parameters
    ----------
    config : Config
    keys : Keys
    command : str
        The command that makes them; the pages show it.

    Attributes
    ----------
    judged : dict of str to list of str
        The predictions that are compared, by kind of row.
    further_scores : dict of str to list of str
        The predictions of studies that are scored beside the others, by kind of row.
    shown_by_studies : dict of str to list of str
        The files of studies that the pages show, by option of ``wsd report``.
    """

    def __init__(self, config: Config, keys: Keys, command: str) -> None:
        super().__init__(config, keys)
        self.other_trains = config.trains[1:]
        self.rows = [path for train in self.other_trains for path in self.rows_of(train)]
        self.has_senses = config.dataset.labelled and not config.dataset.of_pairs
        if self.has_senses:
            self._place_predictions()
            self._place_scores()
        studies = {study.name: study.outputs(self) for study in STUDIES.values()}
        self.of_studies = [path for outputs in studies.values() for path in outputs.made]
        self.asked_by_name = [path for outputs in studies.values() for path in outputs.by_name]
        self.shown_by_studies: dict[str, Paths] = {}
        for outputs in studies.values():
            for option, paths in outputs.shown.items():
                self.shown_by_studies.setdefault(option, []).extend(paths)
        if self.has_senses:
            self._place_report(command)

    def _place_predictions(self) -> None:
        config, key = self.config, self.keys.key
        first = config.classify[:1]
        # Views that are classified as a control alone.
        self.control_views = [v for v in config.controls.views if v not in config.classify]
        # The paths of the candidates are in the key of what is selected among them.
        self.selection = (
            f"{self.store}/selection@{key('selection', self.candidates(self.searches))}"
        )
        views = [self.view(view) for view in config.store]
        self.selected_from = (self.selection, views, self.train(FULL))
        name = f"per-word.per-word@{key('per-word', self.selected_from)}.parquet"
        self.per_word = f"{self.store}/{{model}}/predictions/{FULL}/per-word/{name}"
        calibration = key("calibration", self.selected_from)
        self.calibration = f"{self.store}/{{model}}/@{calibration}"
        self.confidence = self.of_models(f"{self.calibration}/{{table}}.csv", table=CONFIDENCE)
        baselines = BASELINES if config.controls.baselines else ()
        self.judged: dict[str, Paths] = {
            "candidates": self.candidates(self.predictions),
            "per_word": self.of_models(self.per_word),
            "baselines": self.paths(self.baselines, baseline=baselines),
            "views": self.controls(self.predictions, config.models, self.control_views),
            "random_controls": self.controls(self.predictions, config.random_controls, first),
            **{row: [] for row in STUDY_ROWS},
            "published": [],
            "systems": [],
        }
        self.further_scores: dict[str, Paths] = {}
        for study in STUDIES.values():
            for row, paths in study.compared(self).items():
                self.judged[row] = [*self.judged[row], *paths]
            self.further_scores |= study.scored(self)

    def _place_scores(self) -> None:
        key, store = self.keys.key, self.store
        scored: list[Any] = [self.scored(self.predictions), self.judged["per_word"]]
        scored += [self.further_scores, self.selection]
        self._scores = key("scores", self.config.dataset.name, scored)
        names = {"scores": "csv", "summary": "csv", "sources": "json"}
        self.scores = {
            name: f"{store}/{name}@{self._scores}.{suffix}" for name, suffix in names.items()
        }
        compared = key("comparison", self.judged, self.selection, self._scores)
        self.comparison = f"{store}/comparison@{compared}"
        self.behind = [f"{self.comparison}/{table}.csv" for table in COMPARISON]
        self.paper = [f"{self.comparison}/comparison.{suffix}" for suffix in ("md", "tex")]
        layers = key("layers", self.candidates(self.searches, joined=False))
        self.layerwise = {table: f"{store}/comparison/{table}@{layers}.csv" for table in LAYERWISE}
        figures = key("figures", self.comparison, self.layerwise)
        self.figures = f"{store}/figures@{figures}.json"

    def _place_report(self, command: str) -> None:
        keys, store = self.keys, self.store
        fitted = (self.selected_from, self.comparison, self.calibration, keys.source)
        self.selected = f"{store}/selected@{keys.key('selected', *fitted)}.wsd"
        shown: list[Any] = [self.shown(self.projections), self.shown(self.neighbours)]
        shown += [self._scores, self.comparison, self.layerwise, self.confidence]
        shown += [self.of_models(self.alignment), self.of_studies]
        pages = keys.key("report", shown, keys.run, command, keys.pages)
        self.report = f"{store}/report@{pages}.json"
        self.portable = f"{store}/portable@{pages}"

    # Predictions

    def candidates_of(self, model: str) -> Paths:
        """Return the predictions of one model that may be selected."""
        start = f"{self.store}/{self.keyed['model'][model]}/"
        return [path for path in self.judged["candidates"] if path.startswith(start)]

    def of_every_train(self, pattern: str) -> Paths:
        """Return the paths of every configuration on every training set."""
        other = [
            path
            for train in self.other_trains
            for path in self.candidates(pattern, train, self.config.controls.classifiers)
        ]
        return [*self.candidates(pattern), *other]

    def scored(self, pattern: str) -> Paths:
        """Return the same paths, and those of the controls that are scored."""
        config = self.config
        first = config.classify[:1]
        paths = [
            *self.of_every_train(pattern),
            *self.controls(pattern, config.models, self.control_views),
            *self.controls(pattern, config.random_controls, first),
            *self.controls(pattern, config.finetuned, first, config.classifiers),
        ]
        return list(dict.fromkeys(paths))

    def single_layers(self, model: str, classifiers: Iterable[str], trains: Iterable[str]) -> Paths:
        """Return the predictions on every single layer of a model's first view."""
        return self.paths(
            self.predictions,
            model=[model],
            train=trains,
            view=self.config.classify[:1],
            layers=self.config.models[model].single,
            classifier=classifiers,
        )

    # All files

    def made(self) -> Paths:
        """Return every file that a full run writes, as far as the rules name it."""
        config = self.config
        files = [self.source, self.corpus] if self.source else [self.corpus]
        files += self.paths(self.record, record=config.encoders)
        for name, model in config.encoders.items():
            files += self.listings(name, (*config.stored_views(model), "alignment"))
        files += self.of_models(self.alignment)
        if self.has_senses:
            files += self._made_from_senses()
        return list(dict.fromkeys([*files, *self.of_studies]))

    def by_name(self) -> Paths:
        """Return the files that a run writes only when somebody asks for them by name."""
        return [*([self.selected] if self.has_senses else []), *self.asked_by_name]

    def _made_from_senses(self) -> Paths:
        files = [*self.rows, *self.paths(self.folds, train=self.config.trains)]
        files += [*self.scored(self.predictions), *self.scored(self.searches)]
        files += [path for paths in self.judged.values() for path in paths]
        files += [path for paths in self.further_scores.values() for path in paths]
        files += [*self.shown(self.projections), *self.shown(self.neighbours)]
        files += [f"{self.selection}.csv", f"{self.selection}.json", *self.confidence]
        files += [*self.scores.values(), f"{self.comparison}.csv", *self.behind, *self.paper]
        return [
            *files,
            *self.layerwise.values(),
            self.figures,
            self.report,
            f"{self.portable}.json",
        ]
