"""Define the paths of all files of a run.

All files are in ``results/<dataset>/store``. A path without its keys
(:func:`wsd.artifacts.run_json.bare`) is the path that people read, in the folder of the tables. The
values of ``model``, ``record``, ``train``, ``view``, ``classifier``, ``method`` and of the
wildcards of studies are names with their keys.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product
from typing import Any

from wsd.artifacts.training_set import FULL
from wsd.run.digests import PACKAGE
from wsd.run.keys import Keys
from wsd.run.schema import Config, Model
from wsd.studies.base import Outputs, Paths
from wsd.studies.registry import studies_of

COMPARISON = (
    "words", "rare-senses", "differences", "best-set", "controls", "selectivity", "learning",
)  # fmt: skip
LAYERWISE = ("layers", "word-layers", "model-layers", "peaks")
CONFIDENCE = ("calibration", "reliability", "ood")
BASELINES = ("most_frequent_sense", "bag_of_words", "position_length")
# Kinds of rows that only studies add to the comparison.
STUDY_ROWS = ("zero_shot", "finetuned", "finetuned_layers", "control", "published", "systems")
CHOICE = "{train}/{view}/{layers}.{classifier}"
# A job embeds many words, since loading an encoder takes seconds. On a cluster, several jobs share
# a large corpus.
SENTENCES = 20_000


def in_parts(words: Sequence[str], sizes: Mapping[str, int]) -> list[list[str]]:
    """Divide words, in their order, into parts of about :data:`SENTENCES` sentences."""
    parts: dict[int, list[str]] = {}
    before = 0
    for word in words:
        parts.setdefault(before // SENTENCES, []).append(word)
        before += sizes[word]
    return list(parts.values())


def command_line(flags: Mapping[str, Any]) -> list[str]:
    """Return flags with their values as words of a command; leave out None, False and no values.

    >>> command_line({"seed": 0, "layers": ["0", "1"], "run": None, "no_text": True})
    ['--seed=0', '--layers', '0', '1', '--no-text']
    """
    words = []
    for name, value in flags.items():
        flag = name.replace("_", "-")
        values = [*value] if isinstance(value, list | tuple) else [value]
        if value is True:
            words.append(f"--{flag}")
        elif len(values) > 1:
            words += [f"--{flag}", *map(str, values)]
        elif values not in ([], [None], [""]) and value is not False:
            words.append(f"--{flag}={values[0]}")
    return words


class Files:
    """The files of a config.

    Parameters
    ----------
    config : Config
    keys : Keys
    command : str
        The command that computes them; the pages show it.

    Attributes
    ----------
    store, logs : str
        The folders of the dataset's store and of its logs.
    parts : dict of int to list of str
        The words of each embedding job, numbered from 1.
    keyed : dict of wildcard to dict of name to str
        The names of each wildcard with their keys, as they are in paths.
    study : dict of study to dict of name to str
        The patterns of each study in the run, by the names that its rules use.
    judged : dict of str to list of str
        The predictions that are compared, by kind of row.
    further_scores : dict of str to list of str
        The predictions of studies that are scored with the others, by kind of row.
    shown_by_studies : dict of str to list of str
        The files of studies that the pages show, by option of ``wsd report``.
    """

    def __init__(self, config: Config, keys: Keys, command: str = "") -> None:
        self.config, self.keys = config, keys
        self.store = store = keys.store
        self.logs = f"{keys.results}/logs/{config.dataset.name}"
        self.parts = dict(enumerate(in_parts(config.words, config.dataset.sizes), 1))
        wildcards: Mapping[str, Mapping[str, str]] = {
            "model": keys.vectors, "record": keys.records, "train": keys.folds,
            "classifier": keys.classifiers, "method": keys.projections, **keys.names,
        }  # fmt: skip
        self.keyed = {
            wildcard: {name: f"{name}@{key}" for name, key in names.items()}
            for wildcard, names in wildcards.items()
        }
        key, model = keys.key, f"{store}/{{model}}"
        self.source = f"{store}/source@{keys.source}.json" if keys.has_source else ""
        self.corpus = f"{store}/corpus@{keys.corpus}/words.json"
        self.folds = f"{store}/folds/{{train}}.parquet"
        self.record = f"{store}/{{record}}/model.json"
        self.listing = f"{model}/embeddings/{{kind}}.{{part}}.json"
        self.alignment, self.long_vectors = (
            f"{model}/{table}@{key('alignment', keys.corpus)}.csv"
            for table in ("alignment", "long-vectors")
        )
        self.predictions = f"{model}/predictions/{CHOICE}.parquet"
        self.searches = f"{model}/search/{CHOICE}.parquet"
        self.projections = f"{model}/projections/{{method}}/{{view}}/{{layers}}.parquet"
        self.neighbours = f"{model}/neighbours@{key('neighbours')}/{{view}}/{{layers}}.parquet"
        baselines = key("baselines", keys.folds[FULL])
        self.baselines = f"{store}/baselines@{baselines}/{{baseline}}.parquet"
        outputs = {study.name: study.outputs(self) for study in studies_of(config)}
        self.study = {study: of_study.patterns for study, of_study in outputs.items()}
        self.other_trains = config.trains[1:]
        self.rows = [path for train in self.other_trains for path in self.rows_of(train)]
        self.has_senses = config.dataset.labelled and not config.dataset.of_pairs
        self.of_studies: Paths = []
        self._only_by_name: Paths = []
        self.shown_by_studies: dict[str, Paths] = {}
        for of_study in outputs.values():
            self.of_studies += [*of_study.made, *chain(*of_study.shown.values())]
            self._only_by_name += of_study.by_name
            self.shown_by_studies |= of_study.shown
        if self.has_senses:
            self._place_predictions(outputs.values())
            self._place_scores()
            self._place_report(command)

    def _place_predictions(self, studies: Iterable[Outputs]) -> None:
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
        for study in studies:
            for row, paths in study.compared.items():
                self.judged[row] = [*self.judged[row], *paths]
            self.further_scores |= study.scored

    def _controls_of(self, pattern: str) -> dict[str, Paths]:
        config = self.config
        return {
            "views": self.controls(pattern, config.models.values(), self.control_views),
            "random_controls": self.controls(
                pattern, config.random_controls.values(), config.classify[:1]
            ),
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
        alignment = self.of_models(self.alignment, self.long_vectors)
        read = (self._shown, tables, alignment, self.of_studies)
        pages = keys.key("report", read, keys.run, command, keys.pages)
        self.report = f"{store}/report@{pages}.json"

    # Patterns

    def train(self, name: str) -> str:
        """Return a training set with its key."""
        return self.keyed["train"][name]

    def view(self, views: str) -> str:
        """Return a view, or several joined by a plus, with its key."""
        return f"{views}@{self.keys.view(views)}"

    def path(self, pattern: str, **names: object) -> str:
        """Fill the wildcards of a pattern with names, and add their keys unless they have them."""
        values: dict[str, Any] = {
            wildcard: self.view(str(name))
            if wildcard == "view"
            else self.keyed.get(wildcard, {}).get(str(name), name)
            for wildcard, name in names.items()
        }
        return pattern.format(**values)

    def paths(self, pattern: str, **names: Iterable[object]) -> Paths:
        """Fill a pattern with every combination of names; the first wildcard varies slowest.

        Names of wildcards that the pattern lacks are ignored.
        """
        names = {name: values for name, values in names.items() if f"{{{name}}}" in pattern}
        combinations = product(*names.values())
        return [self.path(pattern, **dict(zip(names, c, strict=True))) for c in combinations]

    def of_models(self, *patterns: str, **names: Iterable[object]) -> Paths:
        """Fill each pattern with every model that is compared, and with names."""
        models = self.config.models
        return [path for p in patterns for path in self.paths(p, model=models, **names)]

    def candidates(
        self,
        pattern: str,
        train: str = FULL,
        classifiers: Iterable[str] = (),
        *,
        joined: bool = True,
    ) -> Paths:
        """Return the paths of every configuration that may be selected, model by model.

        Without ``joined``, leave out feature sets of several vectors. Without names of classifiers,
        return the paths for all classifiers.
        """
        fitted = self.config.classifiers
        names = [*(classifiers or fitted)]
        return [
            self.path(
                pattern, model=name, train=train, view=view, layers=layers, classifier=classifier
            )
            for name, model in self.config.models.items()
            for view, layers in self.config.feature_sets(model)
            if joined or (view, layers) not in model.features
            for classifier in names
            if fitted[classifier].fits(layers)
        ]

    def controls(
        self,
        pattern: str,
        models: Iterable[Model],
        views: Iterable[str],
        classifiers: Iterable[str] = (),
        trains: Iterable[str] = (FULL,),
    ) -> Paths:
        """Return the paths of every single layer of some models' views.

        Without names of classifiers, return the paths for those of the controls.
        """
        first = {"train": trains, "view": [*views]}
        names = [*classifiers] or self.config.controls.classifiers
        return [
            path
            for model in models
            for path in self.paths(
                pattern, model=[model.name], **first, layers=model.single, classifier=names
            )
        ]

    def shown(self, pattern: str, views: Sequence[str] = ()) -> Paths:
        """Return the paths that the pages show, for every layer choice except learned mixes."""
        config = self.config
        # The pages open with the first projection.
        first = {"view": views or config.classify, "method": config.projections}
        last: dict[str, Iterable[str]] = {"classifier": config.classifiers, "train": [FULL]}
        return [
            path
            for name, model in config.models.items()
            for path in self.paths(pattern, model=[name], **first, layers=model.unmixed, **last)
        ]

    def listings(
        self, model: str, views: Iterable[str], parts: Iterable[object] | None = None
    ) -> Paths:
        """Return the listings of a model's embeddings, per view and part of the words."""
        kinds = [self.view(view) for view in views]
        return self.paths(self.listing, model=[model], kind=kinds, part=parts or self.parts)

    def rows_of(self, train: str) -> Paths:
        """Return the file with the rows of a training set; the full set has no such file."""
        key = self.keys.trains.get(train)
        return [f"{self.store}/trains/{train}@{key}.parquet"] if key else []

    def weights_of(self, model: Model) -> Paths:
        """Return the file with the weights of a fine-tuned encoder; others have no such file."""
        if base := model.source.get("finetuned_from"):
            return [self.path(self.study["finetuning"]["weights"], base=base, train=FULL)]
        return []

    def log(self, path: str) -> str:
        """Return the log of the step that writes a file: the same path below the logs."""
        stem, dot, suffix = path.rpartition(".")
        stem = stem if dot + suffix in (".csv", ".html", ".json", ".parquet", ".wsd") else path
        return f"{self.logs}/{stem.removeprefix(f'{self.store}/')}.log"

    # Predictions

    def candidates_of(self, model: str) -> Paths:
        """Return the predictions of the configurations of a model that may be selected."""
        start = f"{self.store}/{self.keyed['model'][model]}/"
        return [path for path in self.judged["candidates"] if path.startswith(start)]

    def scored(self, pattern: str) -> Paths:
        """Return the paths of every configuration, and of the controls that are scored."""
        config = self.config
        paths = self.candidates(pattern)
        for train in self.other_trains:
            paths += self.candidates(pattern, train, config.controls.classifiers)
        for controls in self._controls_of(pattern).values():
            paths += controls
        finetuned, views = config.finetuned.values(), config.classify[:1]
        paths += self.controls(pattern, finetuned, views, config.classifiers)
        return list(dict.fromkeys(paths))

    def single_layers(
        self, model: str, classifiers: Iterable[str], trains: Iterable[str] = (FULL,)
    ) -> Paths:
        """Return the predictions on every single layer of a model's first view."""
        models, views = [self.config.models[model]], self.config.classify[:1]
        return self.controls(self.predictions, models, views, classifiers, trains)

    # All files

    def made(self) -> Paths:
        """Return every file that a full run writes, as far as the rules name it."""
        config = self.config
        files = [self.source, self.corpus] if self.source else [self.corpus]
        files += self.paths(self.record, record=config.encoders)
        for name, model in config.encoders.items():
            files += self.listings(name, (*config.stored_views(model), "alignment"))
        files += self.of_models(self.alignment, self.long_vectors)
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
