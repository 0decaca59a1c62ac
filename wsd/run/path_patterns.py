"""Define the patterns of the paths in the store, and fill in their wildcards.

The values of ``model``, ``record``, ``train``, ``view``, ``classifier``, ``method`` and of the
wildcards of studies are names with their keys.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from wsd.artifacts.training_set import FULL
from wsd.run.checked_config import Config, Model
from wsd.run.keys import Keys
from wsd.studies.base import Paths
from wsd.studies.registry import studies_of

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


class Places:
    """The places of a config's files.

    Parameters
    ----------
    config : Config
    keys : Keys

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
    """

    def __init__(self, config: Config, keys: Keys) -> None:
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
        self.alignment = f"{model}/alignment@{key('alignment', keys.corpus)}.csv"
        self.predictions = f"{model}/predictions/{CHOICE}.parquet"
        self.searches = f"{model}/search/{CHOICE}.parquet"
        self.projections = f"{model}/projections/{{method}}/{{view}}/{{layers}}.parquet"
        self.neighbours = f"{model}/neighbours@{key('neighbours')}/{{view}}/{{layers}}.parquet"
        baselines = key("baselines", keys.folds[FULL])
        self.baselines = f"{store}/baselines@{baselines}/{{baseline}}.parquet"
        self.study = {study.name: study.patterns(self) for study in studies_of(config)}

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
        """Fill a pattern with every combination of names; the first wildcard varies slowest."""
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
        models: Mapping[str, Model],
        views: Iterable[str],
        classifiers: Iterable[str] = (),
    ) -> Paths:
        """Return the paths of every single layer of some models' views.

        Without names of classifiers, return the paths for those of the controls.
        """
        names = [*(classifiers or self.config.controls.classifiers)]
        return [
            self.path(
                pattern, model=name, train=FULL, view=view, layers=layers, classifier=classifier
            )
            for name, model in models.items()
            for view in views
            for layers in model.single
            for classifier in names
        ]

    def shown(self, pattern: str, views: Iterable[str] | None = None) -> Paths:
        """Return the paths that the pages show, for every layer choice except learned mixes."""
        config = self.config
        # The pages open with the first projection.
        every = {"method": config.projections, "layers": ()}
        every |= {"classifier": tuple(config.classifiers), "train": (FULL,)}
        names = {name: values for name, values in every.items() if f"{{{name}}}" in pattern}
        return [
            path
            for name, model in config.models.items()
            for view in views or config.classify
            for path in self.paths(
                pattern, model=[name], view=[view], **{**names, "layers": model.unmixed}
            )
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
