"""Compute the keys in files' paths from everything that decides their content.

A key is ten hexadecimal digits of a SHA-256 over the code of the step that writes the file, the
settings of the step (:mod:`wsd.run.digests`), and its inputs. If this program writes an input,
the input's path has a key too, and represents its content. For other inputs, the key depends on a
checksum of their content. So configs that differ in a relevant value never write the same file.

The key of a word's vectors depends on the content of the word's table: see
:mod:`wsd.encoder.embed`.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import DATA, DOWNLOADS, MANIFEST
from wsd.artifacts.run_json import DIGITS
from wsd.artifacts.training_set import FULL
from wsd.run.digests import KINDS, PACKAGE, Digests
from wsd.run.schema import Config, Model
from wsd.storage.checksums import STORE
from wsd.studies.registry import studies_of

# Files of pages, by suffix.
PAGES = (".css", ".html", ".js")


class Keys:
    """The keys of a config's files.

    Parameters
    ----------
    config : Config
    settings : mapping
        The config as read from its files.
    digests : Digests
    results : Path
        The folder of all results; no key depends on it.
    """

    def __init__(
        self,
        config: Config,
        settings: Mapping[str, Any],
        digests: Digests,
        results: Path = Path("results"),
    ) -> None:
        self.config, self._settings, self._digests = config, settings, digests
        self.results = results
        self.store = f"{results / config.dataset.name}/{STORE}"

    def settings_of(self, step: str) -> dict[str, Any]:
        """Return the flags that are set of every kind of file that a step writes."""
        kinds = [kind for kind, row in KINDS.items() if row.step == step]
        return {flag: value for kind in kinds for flag, value in self.settings(kind).items()}

    def settings(self, kind: str) -> dict[str, Any]:
        """Return the flags of a kind's step that are set, with their values."""
        flags = KINDS[kind].flags
        values = {flag: attrgetter(key)(self.config) for flag, key in flags.items()}
        return {flag: value for flag, value in values.items() if value is not None}

    def key(self, kind: str, *inputs: Any, step: str = "") -> str:
        """Return the key of a file.

        Parameters
        ----------
        kind : str
            The kind of file, in ``KINDS``.
        *inputs
            Its entry in the config, and the keys or paths of its inputs, as JSON values. The key
            depends on the order of a mapping, as does a search space.
        step : str
            The command, if the kind has several.
        """
        code = self._digests.code(step or KINDS[kind].step)
        text = json.dumps([kind, code, self.settings(kind), inputs]).replace(f"{self.store}/", "")
        return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]

    def digest(self, path: Path | str) -> str:
        """Return the checksum of a file that this program does not write."""
        return self._digests.file(Path(path))

    # The corpus

    @property
    def has_source(self) -> bool:
        """Return whether a step writes the corpus's files, which otherwise are in the program."""
        dataset = self.config.dataset
        return dataset.folder is not None or dataset.name in DOWNLOADS

    @cached_property
    def content(self) -> list[Any]:
        """Return the command that reads the corpus's files, and checksums of their content."""
        dataset = self.config.dataset
        if dataset.folder is not None:
            # The step refuses files that differ from the manifest.
            files = self._digests.files(dataset.folder, dataset.digests)
            return ["copy-corpus", dataset.name, self.digest(dataset.folder / MANIFEST), files]
        if self.has_source:
            step, sums = DOWNLOADS[dataset.name]
            return [step, dataset.name, dataset.at_least, self.digest(sums)]
        texts = sorted((DATA / dataset.name).glob("*/*.txt"))
        return ["corpus", {f"{text.parent.name}/{text.name}": self.digest(text) for text in texts}]

    @cached_property
    def source(self) -> str:
        """Return the key of the corpus's files, which depends on the corpus's title."""
        return self.key("source", self.config.dataset.title, *self.content, step=self.content[0])

    @cached_property
    def corpus(self) -> str:
        """Return the key of the words' tables; tables of pairs depend on the corpus's title."""
        title = self.config.dataset.title if self.config.dataset.of_pairs else ""
        code = self._digests.code(self.content[0])
        return self.key("corpus", self.config.words, title, code, self.content)

    @cached_property
    def trains(self) -> dict[str, str]:
        """Return the keys of the rows of each training set but the full one."""
        return {train: self.key("trains", train, self.corpus) for train in self.config.trains[1:]}

    @cached_property
    def folds(self) -> dict[str, str]:
        """Return the keys of the folds of each training set."""
        rows = {FULL: "", **self.trains}
        return {train: self.key("folds", train, rows[train], self.corpus) for train in rows}

    # Encoders

    def contents(self, model: Model) -> dict[str, str]:
        """Return the checksums of a model's files, if it comes from a folder or a package."""
        from wsd.encoder.model_files import (
            from_package,
            from_path,
            used_files,
            vector_files,
        )

        if "package" in model.source:
            folder = from_package(model.name, model.source["package"])
        elif "path" in model.source:
            folder = from_path(model.source["path"])
        elif "vectors" in model.source:
            folder = from_path(model.source["vectors"], "vectors")
            return {"vectors": self._digests.files(folder, vector_files(folder))}
        else:
            return {}
        files = [file for file in used_files(folder) if (folder / file).is_file()]
        return {file: self.digest(folder / file) for file in files}

    def identity(self, model: Model) -> list[Any]:
        """Return what identifies a model: files or the hub's commit, shape, and random seed."""
        if base := model.source.get("finetuned_from"):
            return [model.name, base, self.names["base"][base], self.folds[FULL]]
        source = model.source if "hub" in model.source else {}
        shape = [model.sha256, model.blocks, model.width, model.random_weights]
        return [model.name, source, self.contents(model), shape]

    @cached_property
    def records(self) -> dict[str, str]:
        """Return the keys of each encoder's record, which also contains the model's source."""
        return {
            model.name: self.key("record", self.identity(model), model.source)
            for model in self.config.encoders.values()
        }

    @cached_property
    def vectors(self) -> dict[str, str]:
        """Return the keys of each encoder's vectors."""
        return {
            name: self.key("vectors", self.identity(model), *model.computed)
            for name, model in self.config.encoders.items()
        }

    def view(self, views: str) -> str:
        """Return the key of a view of all words, or of several joined by a plus."""
        return self.key("views", views, self.corpus)

    @cached_property
    def names(self) -> dict[str, Mapping[str, str]]:
        """Return the wildcards that studies add: wildcard -> name -> key."""
        studies = studies_of(self.config)
        return {wildcard: keys for study in studies for wildcard, keys in study.names(self).items()}

    # Classifiers and projections; the folders above their files have the keys of the inputs

    @cached_property
    def classifiers(self) -> dict[str, str]:
        """Return the keys of each classifier."""
        return {
            classifier.name: self.key("predictions", classifier.estimator, classifier.space)
            for classifier in self.config.classifiers.values()
        }

    @cached_property
    def projections(self) -> dict[str, str]:
        """Return the keys of each projection method; t-SNE uses no folds."""
        return {
            method: self.key("projections", method, "" if method == "tsne" else self.folds[FULL])
            for method in self.config.projections
        }

    @cached_property
    def pages(self) -> list[str]:
        """Return the key of the corpus and the checksums of scripts and templates of pages."""
        folders = (*PACKAGE.glob("report/[at]*/"), *PACKAGE.glob("studies/*/"))
        files = [file for folder in folders for file in folder.glob("*.*") if file.suffix in PAGES]
        return [self.source, *map(self.digest, sorted(files))]

    @cached_property
    def run(self) -> str:
        """Return the key of the whole config; the order of config keys does not matter."""
        text = json.dumps(self._settings, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
