"""Every file of a run: which there are, and where those lie that come of many.

All lie in ``results/<dataset>/store``. A path there without its keys
(:func:`wsd.artifacts.run_map.bare`) is the path that people read, in the folder of the tables.
"""

from collections.abc import Iterable
from typing import Any

from wsd.artifacts.training_set import FULL
from wsd.corpora.published_systems import SYSTEMS
from wsd.run.key_checks import NESTED
from wsd.run.keys import Keys
from wsd.run.path_patterns import Paths, Places
from wsd.run.plan import without_head
from wsd.run.settings import Config
from wsd.studies.glosses.gloss_vectors import KINDS, VIEW

COMPARISON = (
    "words", "rare-senses", "differences", "best-set", "errors", "controls", "selectivity",
    "learning",
)  # fmt: skip
LAYERWISE = ("layers", "word-layers", "model-layers", "group-layers", "group-peaks")
AUDIT = ("duplicates", "instances", "confusions")
CONFIDENCE = ("calibration", "reliability", "novelty")
BASELINES = ("most_frequent_sense", "bag_of_words", "position_length")


class Files(Places):
    """The files of a config.

    Parameters
    ----------
    config : Config
    keys : Keys
    command : str
        What makes them, which the pages show.
    """

    def __init__(self, config: Config, keys: Keys, command: str) -> None:
        super().__init__(config, keys)
        first, key, store = config.classify[:1], keys.key, self.store
        self.other_trains = config.trains[1:]
        self.rows = [path for train in self.other_trains for path in self.rows_of(train)]
        # The training sets of code lengths, and the views that are classified as a control alone.
        self.nested = (*NESTED, FULL) if "code_length" in config.analyses else ()
        self.control_views = [of for of in config.controls.views if of not in config.classify]
        # The classifier whose scores are probabilities, for the audit.
        classifiers = config.classifiers.items()
        self.judges = [name for name, of in classifiers if of.estimator == "logistic"][:1]
        asked = "substitutes" in config.analyses
        self.substituted = [of for of in config.models if asked and of not in without_head(config)]
        if config.dataset.of_pairs or not config.dataset.labelled:
            self._place_uses()
            return
        published = SYSTEMS if config.dataset.name == "coarsewsd20" else ()
        self.published_systems = [self.published.format(system=name) for name in published]
        own = self.paths(self.systems, system=config.systems)
        self.all_published = [*self.published_systems, *own]
        told = BASELINES if config.controls.baselines else ()
        without = self.paths(self.baselines, baseline=told)
        bags = self.of_asked(self.bags)
        self.told = [*without[:2], *bags]
        glosses = config.models if config.has_glosses else ()
        self.all_zero_shot = [
            self.path(self.zero_shot, model=name, layers=layers, gloss=kind)
            for name in glosses
            for layers in config.models[name].unmixed(VIEW)
            for kind in KINDS
        ]
        self.all_gloss_worth = self.paths(self.gloss_worth, model=glosses)
        # What comes of many files: the paths of these are in the key.
        self.selection = f"{store}/selection@{key('selection', self.candidates(self.searches))}"
        views = [self.view(view) for view in config.store]
        chosen = (self.selection, views, self.train(FULL))
        per_word = f"per-word.per-word@{key('per-word', chosen)}.parquet"
        self.per_word = f"{store}/{{model}}/predictions/{FULL}/per-word/{per_word}"
        self.calibration = f"{store}/{{model}}/@{key('calibration', chosen)}"
        self.confidence = self.of_models(f"{self.calibration}/{{of}}.csv", of=CONFIDENCE)
        on_full = [FULL] if FULL in config.finetune_trains else []
        # All predictions that are compared, by what they are.
        self.judged: dict[str, Paths] = {
            "candidates": self.candidates(self.predictions),
            "per_word": self.of_models(self.per_word),
            "baselines": [*without, *bags],
            "views": self.controls(self.predictions, config.models, self.control_views),
            "twins": self.controls(self.predictions, config.twins, first),
            "zero_shot": self.all_zero_shot,
            "finetuned": self.tuned(on_full),
            "finetuned_layers": self._finetuned_layers(self.predictions),
            "control": self._task(self.control),
            "published": self.published_systems,
            "systems": own,
        }
        scored: list[Any] = [
            self.scored(self.predictions),
            self.judged["per_word"],
            self.all_zero_shot,
        ]
        scored += [self.tuned(), self.all_published, self.selection]
        of_scores = key("scores", config.dataset.name, scored)
        names = {"scores": "csv", "summary": "csv", "sources": "json"}
        self.scores = {name: f"{store}/{name}@{of_scores}.{of}" for name, of in names.items()}
        compared = key("comparison", self.judged, self.selection, of_scores)
        self.comparison = f"{store}/comparison@{compared}"
        self.behind = [f"{self.comparison}/{table}.csv" for table in COMPARISON]
        self.paper = [f"{self.comparison}/comparison.{kind}" for kind in ("md", "tex")]
        of_layers = key("layers", self.candidates(self.searches, joined=False))
        self.layerwise = {of: f"{store}/comparison/{of}@{of_layers}.csv" for of in LAYERWISE}
        trained: list[Any] = [self.of_every_train(self.searches), self.all_zero_shot, self.tuned()]
        trained += [self.told, self.judged["per_word"], self.selection]
        self.strategies = f"{store}/comparison/strategies@{key('strategies', trained)}.csv"
        drawn = key("figures", self.comparison, self.layerwise)
        self.figures = f"{store}/figures@{drawn}.json"
        audited = [self.audited(name) for name in config.models]
        self.audit = f"{store}/audit@{key('audit', audited, self.judges)}/{{model}}"
        coded = [self.coded(name) for name in config.models]
        lengths = key("code-length", self.view(config.page_view), coded)
        self.code_length = f"{store}/{{model}}/code-length@{lengths}.csv"
        tables = {
            "substitutes": self.of_asked(self.sense_substitutes),
            "geometry": self.of_models(self.geometry),
            "code_length": self.of_models(self.code_length),
            "audit": self.of_models(f"{self.audit}/{{of}}.csv", of=AUDIT),
        }
        self.analyses = {name: of for name, of in tables.items() if name in config.analyses}
        fitted = key("selected", chosen, self.comparison, self.calibration, keys.source)
        self.selected = f"{store}/selected@{fitted}.wsd"
        shown: list[Any] = [self.shown(self.projections), self.shown(self.neighbours), of_scores]
        shown += [self.comparison, self.layerwise, self.strategies, self.confidence]
        shown += [self.of_models(self.alignment)]
        shown += [self.analyses, self.all_gloss_worth, keys.run, command, keys.pages]
        pages = key("report", shown)
        self.report = f"{store}/report@{pages}.json"
        self.portable = f"{store}/portable@{pages}"
        self._place_uses()

    def _place_uses(self) -> None:
        first = self.config.classify[:1]
        self.all_uses = [*self.shown(self.uses, first), *self.of_asked(self.substitute_uses)]
        key = self.keys.key("uses-page", self.all_uses, self.config.sentences, self.keys.pages)
        self.uses_page = f"{self.store}/uses@{key}.json"

    # Which there are of a pattern

    def of_asked(self, pattern: str) -> Paths:
        """A path per model that is asked for substitutes."""
        return self.paths(pattern, asked=self.substituted)

    def candidates_of(self, model: str) -> Paths:
        """The predictions of one model that may be selected."""
        start = f"{self.store}/{self.of['model'][model]}/"
        return [path for path in self.judged["candidates"] if path.startswith(start)]

    def _task(self, pattern: str) -> Paths:
        """The same of the control task."""
        first = self.config.classify[:1] if self.config.controls.task else ()
        return self.controls(pattern, self.config.models, first)

    def _finetuned_layers(self, pattern: str) -> Paths:
        """The same of what was fine-tuned, with every classifier."""
        config = self.config
        return self.controls(pattern, config.finetuned, config.classify[:1], config.classifiers)

    def of_every_train(self, pattern: str) -> Paths:
        """The paths of every configuration on every training set."""
        other = [
            path
            for train in self.other_trains
            for path in self.candidates(pattern, train, self.config.controls.classifiers)
        ]
        return [*self.candidates(pattern), *other]

    def scored(self, pattern: str) -> Paths:
        """The same, and those of the controls that are scored."""
        paths = [
            *self.of_every_train(pattern),
            *self.controls(pattern, self.config.models, self.control_views),
            *self.controls(pattern, self.config.twins, self.config.classify[:1]),
            *self._finetuned_layers(pattern),
        ]
        return list(dict.fromkeys(paths))

    def _single(self, model: str, classifiers: Iterable[str], trains: Iterable[str]) -> Paths:
        layers = self.config.models[model].single
        first = self.config.classify[:1]
        return self.paths(
            self.predictions, model=[model], train=trains, view=first, layers=layers,
            classifier=classifiers,
        )  # fmt: skip

    def audited(self, model: str) -> Paths:
        """The predictions that an audit of a model reads."""
        return self._single(model, self.config.classifiers, [FULL])

    def coded(self, model: str) -> Paths:
        """The predictions that a code length reads."""
        of, asked = self.config.classifiers, self.config.controls.classifiers
        given = [name for name in asked if of[name].estimator in ("logistic", "lda")]
        return self._single(model, given, self.nested[:-1])

    # All of them

    def made(self) -> Paths:
        """Every file that a run makes, as far as the rules name it."""
        config = self.config
        files = [self.source, self.corpus] if self.source else [self.corpus]
        files += self.paths(self.record, record=config.encoders)
        for name, model in config.encoders.items():
            files += self.listings(name, (*config.stored_views(model), "alignment"))
        files += self.of_models(self.alignment)
        if config.dataset.of_pairs:
            for pattern in (f"{self.pairs}/pairs.csv", f"{self.pairs}/cosines.parquet"):
                files += self.of_models(pattern)
            files += self.of_models(self.pairs_page)
        elif config.dataset.labelled:
            files += self._of_senses()
        else:
            files += self._of_uses()
        return list(dict.fromkeys(files))

    def by_name(self) -> Paths:
        """What a run of the corpus's senses makes only when it is asked for by name."""
        if not self.config.dataset.labelled or self.config.dataset.of_pairs:
            return []
        return [self.selected, *self._of_uses()]

    def _of_uses(self) -> Paths:
        """Clusters, and their pages."""
        return [*self.of_asked(self.substitutes), *self.all_uses, self.uses_page]

    def _of_senses(self) -> Paths:
        config = self.config
        files = [*self.rows, *self.paths(self.folds, train=config.trains)]
        files += [*self.scored(self.predictions), *self.scored(self.searches)]
        files += self._task(self.control_searches)
        files += [path for of in self.judged.values() for path in of]
        trained = {"base": config.models, "train": config.finetune_trains}
        for file in ("trials.csv", "costs.csv", "model/model.safetensors", "model.json"):
            files += self.paths(f"{self.finetune}/{file}", **trained)
        if config.has_glosses:
            files += [self.glosses, *self.all_gloss_worth]
            for model in config.models:
                files += self.gloss_listings(model)
        files += [*self.tuned(), *self.of_asked(self.substitutes)]
        files += [*self.shown(self.projections), *self.shown(self.neighbours)]
        files += [f"{self.selection}.csv", f"{self.selection}.json", *self.confidence]
        files += [*self.scores.values(), f"{self.comparison}.csv", *self.behind, *self.paper]
        files += [*self.layerwise.values(), self.strategies, self.figures]
        files += [path for of in self.analyses.values() for path in of]
        return [*files, self.report, f"{self.portable}.json"]
