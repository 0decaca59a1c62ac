"""The keys that stand in files' paths: of what decides each (:mod:`wsd.run.file_kinds`).

A key is ten hexadecimal digits of a SHA-256 over the code of the step that makes the file, the
settings that the step is given, and what it reads. Files of this program that a step reads have
keys in their paths, so that the paths stand for them; what comes from outside stands for itself by
its content. Two configs that differ in something that decides a file never write the same one.

The words' vectors are named by the content of the word's table too, and not by how it was made: see
:mod:`wsd.encoder.embed`.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

import wsd
from wsd.artifacts import noad
from wsd.artifacts.dataset import DATA, MANIFEST
from wsd.artifacts.run_map import DIGITS
from wsd.artifacts.training_set import FULL
from wsd.run.digests import Digests
from wsd.run.file_kinds import KINDS
from wsd.run.settings import Config, Model
from wsd.storage.checksums import STORE
from wsd.studies.registry import STUDIES

REPORT = Path(wsd.__file__).parent / "report"


class Keys:
    """The keys of a config's files.

    Parameters
    ----------
    config : Config
    said : mapping
        The same as it was read.
    digests : Digests
    results : Path
        Folder of all results, which is in no key.
    """

    def __init__(
        self,
        config: Config,
        said: Mapping[str, Any],
        digests: Digests,
        results: Path = Path("results"),
    ) -> None:
        self.config, self._said, self._digests = config, said, digests
        self.results = results
        self.store = f"{results / config.dataset.name}/{STORE}"

    def settings(self, kind: str) -> dict[str, Any]:
        """The flags of a kind's step with their values, without those that are not set."""
        flags = KINDS[kind].flags
        found = {flag: self._value(key) for flag, key in flags.items()}
        return {flag: value for flag, value in found.items() if value is not None}

    def _value(self, key: str) -> Any:
        """Return the value of a config key, of the core or of a study's section."""
        first, _, rest = key.partition(".")
        sections = self.config.sections
        value = sections[first] if first in sections else getattr(self.config, first)
        return attrgetter(rest)(value) if rest else value

    def key(self, kind: str, *of: Any, step: str = "") -> str:
        """The key of a kind's file.

        Parameters
        ----------
        kind : str
            Of ``KINDS``.
        *of
            Its entry in the config, and the keys or paths of what it is made from; JSON. The order
            of a mapping counts, as in a search space.
        step : str
            The command, where the kind has none of its own.
        """
        code = self._digests.code(step or KINDS[kind].step)
        text = json.dumps([kind, code, self.settings(kind), of]).replace(f"{self.store}/", "")
        return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]

    def digest(self, path: Path | str) -> str:
        """Return the checksum of a file that this program does not write."""
        return self._digests.file(Path(path))

    # The corpus

    @property
    def has_source(self) -> bool:
        """Whether a step writes the corpus's files: those of others come with the program."""
        dataset = self.config.dataset
        written = dataset.name == "coarsewsd20" or dataset.name in noad.NOAD
        return dataset.folder is not None or written

    @cached_property
    def content(self) -> list[Any]:
        """What the corpus's files hold, and the command that reads them."""
        dataset = self.config.dataset
        if dataset.folder is not None:
            # Files that are not those of the manifest are for the step to refuse.
            files = self._digests.files(dataset.folder, dataset.digests)
            return ["copy-corpus", dataset.name, self.digest(dataset.folder / MANIFEST), files]
        if self.has_source:
            is_coarse = dataset.name == "coarsewsd20"
            step, file = ("download", "coarsewsd20") if is_coarse else ("noad", "noad")
            sums = self.digest(DATA / f"{file}.sha256")
            return [step, dataset.name, dataset.at_least, sums]
        texts = sorted((DATA / dataset.name).glob("*/*.txt"))
        return ["corpus", {f"{of.parent.name}/{of.name}": self.digest(of) for of in texts}]

    @cached_property
    def source(self) -> str:
        """Of the corpus's files, with what the corpus is called."""
        return self.key("source", self.config.dataset.title, *self.content, step=self.content[0])

    @cached_property
    def corpus(self) -> str:
        """Of the words' tables; those of pairs say what the corpus is called."""
        title = self.config.dataset.title if self.config.dataset.of_pairs else ""
        code = self._digests.code(self.content[0])
        return self.key("corpus", self.config.words, title, code, self.content)

    @cached_property
    def trains(self) -> dict[str, str]:
        """Of the rows of each further training set."""
        further = self.config.trains[1:]
        return {train: self.key("trains", train, self.corpus) for train in further}

    @cached_property
    def folds(self) -> dict[str, str]:
        """Of the folds of each training set."""
        rows = {FULL: "", **self.trains}
        return {train: self.key("folds", train, rows[train], self.corpus) for train in rows}

    @cached_property
    def published(self) -> str:
        """Of what published systems said."""
        return self.key("published", self.corpus)

    @cached_property
    def systems(self) -> dict[str, str]:
        """Of what each other system said."""
        files = self.config.systems.items()
        return {of: self.key("systems", of, self.digest(file), self.corpus) for of, file in files}

    # Encoders

    def contents(self, model: Model) -> dict[str, str]:
        """The checksums of a model's files that are at hand: of a folder or a package."""
        from wsd.encoder.model_files import used_files
        from wsd.encoder.sources import from_package, from_path

        if "package" in model.source:
            folder = from_package(model.name, model.source["package"])
        elif "path" in model.source:
            folder = from_path(model.source["path"])
        else:
            return {}
        files = [file for file in used_files(folder) if (folder / file).is_file()]
        return {file: self.digest(folder / file) for file in files}

    def identity(self, model: Model) -> list[Any]:
        """What a model is: its files or the hub's commit, and what is drawn of it."""
        if base := model.source.get("finetuned_from"):
            return [model.name, base, self.names["base"][base], self.folds[FULL]]
        source = {} if "hub" not in model.source else model.source
        shape = [model.sha256, model.blocks, model.width, model.random_weights]
        return [model.name, source, self.contents(model), shape]

    @cached_property
    def records(self) -> dict[str, str]:
        """Of each encoder's record, which says where the files are too."""
        encoders = self.config.encoders.values()
        return {of.name: self.key("record", self.identity(of), of.source) for of in encoders}

    @cached_property
    def vectors(self) -> dict[str, str]:
        """Of each encoder, as words' vectors are made with it."""
        return {
            of.name: self.key("vectors", self.identity(of), of.pooling, of.input, of.precision)
            for of in self.config.encoders.values()
        }

    def view(self, views: str) -> str:
        """Of a view of all words, or of several joined by a plus; of their alignments too."""
        seed = self.config.seed if "other" in views.split("+") else None
        return self.key("views", views, seed, self.corpus)

    @cached_property
    def names(self) -> dict[str, Mapping[str, str]]:
        """Return the wildcards of studies: wildcard -> name -> key."""
        studies = STUDIES.values()
        return {wildcard: keys for study in studies for wildcard, keys in study.names(self).items()}

    # Classifiers and pictures; what they read stands in the folders' names

    @cached_property
    def classifiers(self) -> dict[str, str]:
        """Of each classifier."""
        of = self.config.classifiers.values()
        return {one.name: self.key("predictions", one.estimator, one.space) for one in of}

    @cached_property
    def projections(self) -> dict[str, str]:
        """Of each way to the plane; t-SNE takes no folds."""
        methods = self.config.projections
        return {
            method: self.key("projections", method, "" if method == "tsne" else self.folds[FULL])
            for method in methods
        }

    @cached_property
    def pages(self) -> list[str]:
        """Of what any page is made of beside its tables."""
        files = sorted(REPORT.glob("assets/*")) + sorted(REPORT.glob("templates/*"))
        return [self.source, *map(self.digest, files)]

    @cached_property
    def run(self) -> str:
        """Of the whole config, in whatever order its keys stand."""
        return hashlib.sha256(json.dumps(self._said, sort_keys=True).encode()).hexdigest()[:DIGITS]
