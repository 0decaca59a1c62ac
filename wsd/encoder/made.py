"""Which of a word's vectors are there as they should be, told without loading a model.

Beside a word's vectors a note says what they are of (the model's record, the corpus, the settings,
the modules of the step) and which files they are. A job embeds the words whose note does not say
what it would write, and leaves the others alone: a new word, or what a crash left undone, costs
that word.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wsd.artifacts.corpus import Corpus
from wsd.artifacts.vectors import VECTORS, vectors_checksum
from wsd.encoder.alignment import ALIGNMENT_FILE
from wsd.errors import DamageError, ResultError
from wsd.storage.checksums import noted_checksum, verify
from wsd.storage.json import read_json, write_json

NOTE = ".made.json"


class Made:
    """What a job would write, word by word.

    Parameters
    ----------
    record : mapping
        The model's.
    how : mapping
        All settings that decide the vectors of a view; JSON.
    modules : Path, optional
        The file that stands for the modules of the step (:mod:`wsd.run.steps`). Without it nobody
        knows whether other code made what is there, so that everything is made again.
    """

    def __init__(
        self, record: Mapping[str, Any], how: Mapping[str, Any], modules: Path | None
    ) -> None:
        # Where the model's files are on this machine is no part of what it is.
        model = {key: value for key, value in record.items() if key != "folder"}
        text = modules.read_text(encoding="utf-8") if modules else None
        self._of_all = {"model": model, "modules": text, **how}

    def _key(self, corpus: Corpus) -> str:
        key = json.dumps({**self._of_all, "corpus": corpus.digest}, sort_keys=True)
        return hashlib.sha256(key.encode()).hexdigest()

    def missing(self, folder: Path, corpus: Corpus, views: Sequence[str]) -> list[str]:
        """The views of a word that are still to be made."""
        noted = self._noted(folder, corpus)
        if noted.get(ALIGNMENT_FILE) is None or noted[ALIGNMENT_FILE] != _alignment(folder):
            return list(views)
        checksums = {view: vectors_checksum(folder / f"{view}{VECTORS}") for view in views}
        return [
            view
            for view, found in checksums.items()
            if found is None or noted.get(f"{view}{VECTORS}") != found
        ]

    def note(self, folder: Path, corpus: Corpus, views: Sequence[str]) -> None:
        """Note that these views were made, beside those that were made alike before."""
        files = {
            f"{view}{VECTORS}": vectors_checksum(folder / f"{view}{VECTORS}") for view in views
        }
        files = {**self._noted(folder, corpus), **files, ALIGNMENT_FILE: _alignment(folder)}
        write_json(folder / NOTE, {"of": self._key(corpus), "files": files})

    def _noted(self, folder: Path, corpus: Corpus) -> dict[str, str | None]:
        """The files that the word's note names, if they are of the same; by their checksums."""
        if self._of_all["modules"] is not None:
            with suppress(ResultError, LookupError, TypeError, ValueError):
                said = read_json(folder / NOTE)
                if said["of"] == self._key(corpus):
                    return dict(said["files"])
        return {}


def _alignment(folder: Path) -> str | None:
    path = folder / ALIGNMENT_FILE
    with suppress(DamageError):
        verify(path)
        return noted_checksum(path) if path.is_file() else None
    return None
