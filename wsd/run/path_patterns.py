"""Patterns of the paths in the store, and the values of their wildcards.

The values of ``model``, ``record``, ``train``, ``view``, ``classifier``, ``system``, ``method`` and
of the wildcards of studies are names with their keys.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from wsd.artifacts.training_set import FULL
from wsd.run.embedding_jobs import in_parts
from wsd.run.keys import Keys
from wsd.run.settings import Config, Model
from wsd.studies.base import Paths
from wsd.studies.registry import STUDIES

CHOICE = "{train}/{view}/{layers}.{classifier}"


class Places:
    """The places of a config's files.

    Parameters
    ----------
    config : Config
    keys : Keys

    Attributes
    ----------
    store, logs : str
        The dataset's folders.
    parts : dict of int to list of str
        The words of each job that embeds.
    keyed : dict of wildcard to dict of name to str
        The names with their keys.
    study : dict of study to dict of name to str
        The patterns that each study declares.
    """

    def __init__(self, config: Config, keys: Keys) -> None:
        self.config, self.keys = config, keys
        self.store = store = keys.store
        self.logs = f"{keys.results}/logs/{config.dataset.name}"
        self.parts = dict(enumerate(in_parts(config.words, config.dataset.sizes), 1))
        named: Mapping[str, Mapping[str, str]] = {
            "model": keys.vectors, "record": keys.records, "train": keys.folds,
            "classifier": keys.classifiers, "system": keys.systems, "method": keys.projections,
            **keys.names,
        }  # fmt: skip
        self.keyed = {
            wildcard: {name: f"{name}@{key}" for name, key in names.items()}
            for wildcard, names in named.items()
        }
        key, model = keys.key, f"{store}/{{model}}"
        self.source = f"{store}/source@{keys.source}.json" if keys.has_source else ""
        self.corpus = f"{store}/corpus@{keys.corpus}/words.json"
        self.folds = f"{store}/folds/{{train}}.parquet"
        self.record = f"{store}/{{record}}/model.json"
        self.listing = f"{model}/embeddings/{{kind}}.{{part}}.json"
        self.alignment = f"{model}/alignment@{key('alignment', keys.corpus)}.csv"
        self.predictions = f"{model}/predictions/{CHOICE}.parquet"
        self.searches = f"{model}/search/{CHOICE}.parquet"
        self.projections = f"{model}/projections/{{method}}/{{view}}/{{layers}}.parquet"
        self.neighbours = f"{model}/neighbours@{key('neighbours')}/{{view}}/{{layers}}.parquet"
        baselines = key("baselines", keys.folds[FULL])
        self.baselines = f"{store}/baselines@{baselines}/{{baseline}}.parquet"
        self.published = f"{store}/published@{keys.published}/{{system}}.parquet"
        self.systems = f"{store}/systems/{{system}}.parquet"
        self.study = {name: study.patterns(self) for name, study in STUDIES.items()}

    def train(self, name: str) -> str:
        """A training set, with its key."""
        return self.keyed["train"][name]

    def view(self, views: str) -> str:
        """A view, or several joined by a plus, with its key."""
        return f"{views}@{self.keys.view(views)}"

    def path(self, pattern: str, **of: object) -> str:
        """A pattern with names in place of its wildcards; one with its key stays as it is."""
        named: dict[str, Any] = {
            wildcard: self.view(str(value))
            if wildcard == "view"
            else self.keyed.get(wildcard, {}).get(str(value), value)
            for wildcard, value in of.items()
        }
        return pattern.format(**named)

    def paths(self, pattern: str, **of: Iterable[object]) -> Paths:
        """The same with every combination of names, the first varying slowest."""
        combined = product(*of.values())
        return [self.path(pattern, **dict(zip(of, names, strict=True))) for names in combined]

    def of_models(self, pattern: str, **of: Iterable[object]) -> Paths:
        """The same of every model that is compared."""
        return self.paths(pattern, model=self.config.models, **of)

    def candidates(
        self,
        pattern: str,
        train: str = FULL,
        classifiers: Sequence[str] | None = None,
        *,
        joined: bool = True,
    ) -> Paths:
        """The paths of every configuration that may be selected, one model after the other.

        Without ``joined``, only those that classify one view.
        """
        of = self.config.classifiers
        return [
            self.path(
                pattern, model=name, train=train, view=view, layers=layers, classifier=classifier
            )
            for name, model in self.config.models.items()
            for view, layers in self.config.feature_sets(model)
            if joined or (view, layers) not in model.features
            for classifier in classifiers or of
            if of[classifier].fits(layers)
        ]

    def controls(
        self,
        pattern: str,
        models: Mapping[str, Model],
        views: Iterable[str],
        classifiers: Iterable[str] | None = None,
    ) -> Paths:
        """The paths of every single layer of some models' views, with some classifiers."""
        classifiers = classifiers or self.config.controls.classifiers
        return [
            self.path(pattern, model=name, train=FULL, view=view, layers=layers, classifier=of)
            for name, model in models.items()
            for view in views
            for layers in model.single_of(view)
            for of in classifiers
        ]

    def shown(self, pattern: str, views: Iterable[str] | None = None) -> Paths:
        """The paths that the pages show: the layer choices of the views, each with a picture."""
        config = self.config

        def of_set(model: Model, view: str) -> dict[str, Iterable[str]]:
            # The methods in their order: the pages open with the first.
            of = {"method": config.projections, "layers": model.unmixed(view)}
            of |= {"classifier": tuple(config.classifiers), "train": (FULL,)}
            return {name: values for name, values in of.items() if f"{{{name}}}" in pattern}

        return [
            path
            for name, model in config.models.items()
            for view in views or config.classify
            for path in self.paths(pattern, model=[name], view=[view], **of_set(model, view))
        ]

    def listings(
        self, model: str, views: Iterable[str], parts: Iterable[object] | None = None
    ) -> Paths:
        """What lists the words' files of some views of a model, by its name or with its key."""
        kinds = [self.view(view) for view in views]
        return self.paths(self.listing, model=[model], kind=kinds, part=parts or self.parts)

    def rows_of(self, train: str) -> Paths:
        """The rows of a training set; none of the full one."""
        key = self.keys.trains.get(train)
        return [f"{self.store}/trains/{train}@{key}.parquet"] if key else []

    def weights_of(self, model: Model) -> Paths:
        """What fine-tuning keeps of the model that an encoder was trained from."""
        base = model.source.get("finetuned_from")
        return (
            [self.path(self.study["finetuning"]["weights"], base=base, train=FULL)] if base else []
        )

    def log(self, path: str) -> str:
        """The log of the step that makes a file: it lies where the file does, below the logs."""
        stem, dot, suffix = path.rpartition(".")
        stem = stem if dot + suffix in (".csv", ".html", ".json", ".parquet", ".wsd") else path
        return f"{self.logs}/{stem.removeprefix(f'{self.store}/')}.log"

    def flags(self, kind: str | None) -> Paths:
        """What the config sets of a kind's step, as flags: the same that stands in the key."""
        words = []
        for flag, value in self.keys.settings(kind).items() if kind else ():
            values = value if isinstance(value, list | tuple) else [value]
            words += [f"--{flag}", *map(str, values)]
        return words
