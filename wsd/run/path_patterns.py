"""Where the files of a config lie that there are many of: patterns of paths, and their names.

The values of the wildcards ``model``, ``record``, ``asked``, ``base``, ``train``, ``view``,
``classifier``, ``system`` and ``method`` are names with their keys.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from wsd.artifacts.pair_table import PAGE
from wsd.artifacts.training_set import FULL
from wsd.run.embedding_jobs import in_parts
from wsd.run.keys import Keys
from wsd.run.settings import Config, Model
from wsd.studies.glosses.gloss_vectors import KINDS, VIEW

CHOICE = "{train}/{view}/{layers}.{classifier}"
Paths = list[str]


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
    of : dict of wildcard to dict of name to str
        The names with their keys.
    """

    def __init__(self, config: Config, keys: Keys) -> None:
        self.config, self.keys = config, keys
        self.store = store = keys.store
        self.logs = f"{keys.results}/logs/{config.dataset.name}"
        self.parts = dict(enumerate(in_parts(config.words, config.dataset.sizes), 1))
        named: Mapping[str, Mapping[str, str]] = {
            "model": keys.vectors, "record": keys.records, "asked": keys.asked,
            "base": keys.finetune, "train": keys.folds, "classifier": keys.classifiers,
            "system": keys.systems, "method": keys.projections,
        }  # fmt: skip
        self.of = {
            wildcard: {name: f"{name}@{key}" for name, key in of.items()}
            for wildcard, of in named.items()
        }
        key, model, asked = keys.key, f"{store}/{{model}}", f"{store}/{{asked}}"
        full, of_pages = keys.folds[FULL], keys.view(config.page_view)
        self.source = f"{store}/source@{keys.source}.json" if keys.has_source else ""
        self.corpus = f"{store}/corpus@{keys.corpus}/words.json"
        self.folds = f"{store}/folds/{{train}}.parquet"
        self.record = f"{store}/{{record}}/model.json"
        self.listing = f"{model}/embeddings/{{kind}}.{{part}}.json"
        self.alignment = f"{model}/alignment@{key('alignment', keys.corpus)}.csv"
        self.predictions = f"{model}/predictions/{CHOICE}.parquet"
        self.searches = f"{model}/search/{CHOICE}.parquet"
        self.control = f"{model}/control@{key('control')}/{CHOICE}.parquet"
        self.control_searches = f"{model}/control-search@{key('control')}/{CHOICE}.parquet"
        self.projections = f"{model}/projections/{{method}}/{{view}}/{{layers}}.parquet"
        self.neighbours = f"{model}/neighbours@{key('neighbours')}/{{view}}/{{layers}}.parquet"
        self.geometry = f"{model}/geometry@{key('geometry', of_pages)}.csv"
        self.uses = f"{model}/uses@{key('uses')}/{{view}}/{{layers}}.parquet"
        choices = [of.unmixed(config.page_view) for of in config.models.values()]
        self.pairs = f"{model}/@{key('pairs', of_pages, choices)}"
        page, suffix = PAGE.split(".")
        of_page = key("pairs-page", self.pairs, config.sentences, keys.pages)
        self.pairs_page = f"{model}/{page}@{of_page}.{suffix}"
        # Without an encoder, or of what it would say.
        self.baselines = f"{store}/baselines@{key('baselines', full)}/{{baseline}}.parquet"
        self.substitutes = f"{asked}/substitutes/words@{keys.corpus}.json"
        self.bags = f"{asked}/baselines@{key('bags', full)}/bag_of_substitutes.parquet"
        apart = key("sense-substitutes", keys.corpus)
        self.sense_substitutes = f"{asked}/substitutes@{apart}.csv"
        of_asked = key("substitute-uses", keys.corpus)
        self.substitute_uses = f"{asked}/uses@{of_asked}/substitutes.parquet"
        self.published = f"{store}/published@{keys.published}/{{system}}.parquet"
        self.systems = f"{store}/systems/{{system}}.parquet"
        self.finetune = f"{store}/{{base}}/finetune/{{train}}"
        self.finetuned = f"{self.finetune}/finetuned-{{seed}}.parquet"
        self.glosses = f"{store}/glosses@{keys.glosses}/words.json"
        compared = (keys.gloss_vectors, keys.view(VIEW))
        self.zero_shot = (
            f"{model}/zero-shot@{key('zero-shot', compared)}/{{layers}}.{{gloss}}.parquet"
        )
        self.gloss_worth = f"{model}/gloss-worth@{key('gloss-worth', compared)}.csv"

    def train(self, name: str) -> str:
        """A training set, with its key."""
        return self.of["train"][name]

    def view(self, views: str) -> str:
        """A view, or several joined by a plus, with its key."""
        return f"{views}@{self.keys.view(views)}"

    def path(self, pattern: str, **of: object) -> str:
        """A pattern with names in place of its wildcards; one with its key stays as it is."""
        named: dict[str, Any] = {
            wildcard: self.view(str(value))
            if wildcard == "view"
            else self.of.get(wildcard, {}).get(str(value), value)
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

    def tuned(self, trains: Iterable[str] | None = None) -> Paths:
        """The predictions of fine-tuned encoders, by model, training set and seed."""
        config = self.config
        trains = config.finetune_trains if trains is None else trains
        seeds = config.finetune.seeds if config.finetune else []
        return self.paths(self.finetuned, base=config.models, train=trains, seed=seeds)

    def listings(
        self, model: str, views: Iterable[str], parts: Iterable[object] | None = None
    ) -> Paths:
        """What lists the words' files of some views of a model, by its name or with its key."""
        kinds = [self.view(view) for view in views]
        return self.paths(self.listing, model=[model], kind=kinds, part=parts or self.parts)

    def gloss_listings(self, model: str = "{model}") -> Paths:
        """What lists the gloss vectors of a model, and at the end what the tokenizer made."""
        kinds = [f"{kind}@{self.keys.gloss_vectors}.1" for kind in (*KINDS.values(), "alignment")]
        pattern = f"{self.store}/{{model}}/gloss-vectors/{{kind}}.json"
        return self.paths(pattern, model=[model], kind=kinds)

    def rows_of(self, train: str) -> Paths:
        """The rows of a training set; none of the full one."""
        key = self.keys.trains.get(train)
        return [f"{self.store}/trains/{train}@{key}.parquet"] if key else []

    def weights_of(self, model: Model) -> Paths:
        """What fine-tuning keeps of the model that an encoder was trained from."""
        base = model.source.get("finetuned_from")
        pattern = f"{self.finetune}/model/model.safetensors"
        return [self.path(pattern, base=base, train=FULL)] if base else []

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
