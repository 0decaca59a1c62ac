"""List every file of a run, and place the files that are computed from many others.

All are in ``results/<dataset>/store``. A path without its keys
(:func:`wsd.artifacts.run_json.bare`) is the path that people read, in the folder of the tables.
"""

from collections.abc import Iterable

from wsd.artifacts.training_set import FULL
from wsd.run.checked_config import Config
from wsd.run.keys import Keys
from wsd.run.modules_of_step import PACKAGE
from wsd.run.path_patterns import Places
from wsd.studies.base import Paths
from wsd.studies.registry import studies_of

COMPARISON = (
    "words", "rare-senses", "differences", "best-set", "controls", "selectivity", "learning",
)  # fmt: skip
LAYERWISE = ("layers", "word-layers", "model-layers", "peaks")
CONFIDENCE = ("calibration", "reliability", "ood")
BASELINES = ("most_frequent_sense", "bag_of_words", "position_length")
# Kinds of rows that only studies add to the comparison.
STUDY_ROWS = ("zero_shot", "finetuned", "finetuned_layers", "control", "published", "systems")


class Files(Places):
    """The files of a config.

    Parameters
    ----------
    config : Config
    keys : Keys
    command : str
        The command that computes them; the pages show it.

    Attributes
    ----------
    judged : dict of str to list of str
        The predictions that are compared, by kind of row.
    further_scores : dict of str to list of str
        The predictions of studies that are scored with the others, by kind of row.
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
        self.of_studies: Paths = []
        self._only_by_name: Paths = []
        self.shown_by_studies: dict[str, Paths] = {}
        for study in studies_of(config):
            outputs = study.outputs(self)
            self.of_studies += outputs.made
            self._only_by_name += outputs.by_name
            for option, paths in outputs.shown.items():
                self.of_studies += paths
                self.shown_by_studies.setdefault(option, []).extend(paths)
        if self.has_senses:
            self._place_report(command)

    def _place_predictions(self) -> None:
        config, keys, store = self.config, self.keys, self.store
        # Views that are classified only as a control.
        self.control_views = [v for v in config.controls.views if v not in config.classify]
        # The paths of the candidates are part of the key of the selection among them.
        self.selection = (
            f"{store}/selection@{keys.key('selection', self.candidates(self.searches))}"
        )
        views = [self.view(view) for view in config.store]
        self._selected_from = (self.selection, views, self.train(FULL))
        name = f"per-word.per-word@{keys.key('per-word', self._selected_from)}.parquet"
        self.per_word = f"{store}/{{model}}/predictions/{FULL}/per-word/{name}"
        self.calibration = f"{store}/{{model}}/@{keys.key('calibration', self._selected_from)}"
        self.confidence = self.of_models(f"{self.calibration}/{{table}}.csv", table=CONFIDENCE)
        baselines = BASELINES if config.controls.baselines else ()
        self.judged: dict[str, Paths] = {
            "candidates": self.candidates(self.predictions),
            "per_word": self.of_models(self.per_word),
            "baselines": self.paths(self.baselines, baseline=baselines),
            **self._controls_of(self.predictions),
            **{row: [] for row in STUDY_ROWS},
        }
        self.further_scores: dict[str, Paths] = {}
        for study in studies_of(config):
            for row, paths in study.compared(self).items():
                self.judged[row] = [*self.judged[row], *paths]
            self.further_scores |= study.scored(self)

    def _controls_of(self, pattern: str) -> dict[str, Paths]:
        config = self.config
        return {
            "views": self.controls(pattern, config.models, self.control_views),
            "random_controls": self.controls(pattern, config.random_controls, config.classify[:1]),
        }

    def _place_scores(self) -> None:
        key, store = self.keys.key, self.store
        scored = (self.scored(self.predictions), self.judged["per_word"], self.further_scores)
        self._scores = key("scores", self.config.dataset.name, *scored, self.selection)
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
        template = keys.digest(PACKAGE / "fitted" / "card.md")
        fitted = (self._selected_from, self.comparison, self.calibration, keys.source, template)
        self.selected = f"{store}/selected@{keys.key('selected', *fitted)}.wsd"
        self._shown = [*self.shown(self.projections), *self.shown(self.neighbours)]
        tables = (self._scores, self.comparison, self.layerwise, self.confidence)
        read = (self._shown, tables, self.of_models(self.alignment), self.of_studies)
        pages = keys.key("report", read, keys.run, command, keys.pages)
        self.report = f"{store}/report@{pages}.json"

    # Predictions

    def candidates_of(self, model: str) -> Paths:
        """Return the predictions of the configurations of a model that may be selected."""
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
        """Return the paths of every configuration, and of the controls that are scored."""
        config = self.config
        finetuned = self.controls(
            pattern, config.finetuned, config.classify[:1], config.classifiers
        )
        controls = [path for paths in self._controls_of(pattern).values() for path in paths]
        return list(dict.fromkeys([*self.of_every_train(pattern), *controls, *finetuned]))

    def single_layers(
        self, model: str, classifiers: Iterable[str], trains: Iterable[str] = (FULL,)
    ) -> Paths:
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
            files += [*self.rows, *self.paths(self.folds, train=config.trains)]
            files += [*self.scored(self.predictions), *self.scored(self.searches)]
            for paths in (*self.judged.values(), *self.further_scores.values()):
                files += paths
            files += [*self._shown, f"{self.selection}.csv", f"{self.selection}.json"]
            files += [*self.confidence, *self.scores.values(), f"{self.comparison}.csv"]
            files += [*self.behind, *self.paper, *self.layerwise.values()]
            files += [self.figures, self.report]
        return list(dict.fromkeys([*files, *self.of_studies]))

    def by_name(self) -> Paths:
        """Return the files that a run writes only if somebody asks for them by name."""
        return [*([self.selected] if self.has_senses else []), *self._only_by_name]
