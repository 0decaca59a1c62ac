"""Write and read a fitted configuration as one ``.wsd`` file, which any machine can use.

The file is an uncompressed zip archive: ``README.md``, a card for people; ``manifest.json``;
``words/<n>.safetensors``, the classifier and the training vectors of a word, read when the word is
first needed; and optionally ``sentences.json``. It holds no code and no pickle: see
:mod:`wsd.classification.estimators.stored_classifiers`. The encoder is not in the file, but the
manifest has the checksums of its files, and an encoder with other files is refused.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.dataset import ENGLISH
from wsd.artifacts.encoder_record import check_record
from wsd.artifacts.input_template import parse_input
from wsd.artifacts.view_names import POOLINGS, PRECISIONS
from wsd.classification.estimators.stored_classifiers import arrays_of, restored
from wsd.errors import ModelError, WsdError
from wsd.fitted.selected_results import Results, training_sentences
from wsd.fitted.word_classifier import FittedWord
from wsd.fitted.wsd_file_checks import (
    check_arrays,
    check_forms,
    check_word_entry,
    checked_configuration,
    sense_names,
)
from wsd.storage.result_files import UNEXPECTED, require

FORMAT = 1
SUFFIX = ".wsd"
CARD, MANIFEST, SENTENCES = "README.md", "manifest.json", "sentences.json"
LEARNED = "learned."  # prefix of a classifier's arrays
# Fields of a word's entry in the manifest, besides the file of its arrays.
ENTRY = (
    "senses", "called", "estimator", "parameters", "temperature", "threshold", "corpus", "forms",
)  # fmt: skip
Sentences = Mapping[str, list[str]]  # by word
_DATE = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that the same content has the same bytes
_LONGEST_TEXT = 2**28
# The values of each option of an encoder.
_KINDS = {"pooling": POOLINGS, "precision": PRECISIONS}


class WsdFileWriter:
    """Writes a model file member by member, so that one word is in memory at a time.

    Parameters
    ----------
    path : Path
        A temporary path: a failure leaves an incomplete file.
    """

    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_STORED)
        self.words: dict[str, Any] = {}

    def put(self, word: FittedWord) -> None:
        """Add a word."""
        from safetensors.numpy import save

        learned = arrays_of(word.estimator, word.classifier)
        arrays = {f"{LEARNED}{name}": array for name, array in learned.items()}
        arrays |= {"train": word.train.astype(np.float16), "gold": word.gold, "lines": word.lines}
        member = f"words/{len(self.words)}.safetensors"
        self._add(member, save({k: np.ascontiguousarray(a) for k, a in arrays.items()}))
        self.words[word.word] = {"file": member} | {name: getattr(word, name) for name in ENTRY}

    def close(
        self, manifest: Mapping[str, Any], card: str, sentences: Sentences | None = None
    ) -> None:
        """Add the manifest, the card and the sentences, and close the file.

        Parameters
        ----------
        manifest : mapping
        card : str
            Markdown.
        sentences : mapping of word to its training sentences, in the order of its vectors
            None, or empty, to leave them out.
        """
        if sentences:
            self._add(SENTENCES, _json(sentences))
        self._add(MANIFEST, _json({"format": FORMAT, **manifest, "words": self.words}))
        self._add(CARD, card.encode())
        self._zip.close()

    def _add(self, name: str, content: bytes) -> None:
        member = zipfile.ZipInfo(name, _DATE)
        member.external_attr = 0o644 << 16
        try:
            self._zip.writestr(member, content)
        except OSError:
            with suppress(OSError):  # else the destructor raises the error once more
                self._zip.close()
            raise


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False).encode()


class WsdFile:
    """An opened model file.

    Parameters
    ----------
    path : Path
    results : Results, optional
        The source of training sentences that are not in the file.

    Attributes
    ----------
    manifest : dict
    card : str
    encoder : dict
        The encoder's entry in the manifest, which identifies its files and options.
    features : Features
    words : tuple of str

    Raises
    ------
    ModelError
        If the file is missing, damaged, not a model file, or of another format.
    """

    def __init__(self, path: Path, results: Results | None = None) -> None:
        self.path, self._results = path, results
        if not path.is_file():  # a pipe may have no end
            problem = "not a model file" if path.exists() else "there is no such model file"
            fix = "name a file that `wsd fit` or `snakemake fit` wrote"
            raise ModelError(problem, where=str(path), fix=fix)
        with self._parsing():
            self._zip = zipfile.ZipFile(path)
            if any(m.compress_type != zipfile.ZIP_STORED for m in self._zip.infolist()):
                raise self._refused("it is compressed, unlike files of `wsd fit`")
            self.manifest: dict[str, Any] = self._read_json(MANIFEST)
            if self.manifest["format"] != FORMAT:
                problem = f"a model file of format {self.manifest['format']!r}"
                fix = f"use wsd {self.manifest['versions']['wsd']}, or fit it again"
                raise ModelError(f"{problem}; this wsd reads {FORMAT}", where=str(path), fix=fix)
            self.card = self._read(CARD).decode()
            self.encoder: dict[str, Any] = self.manifest["encoder"]
            check_record(self.encoder["model"])
            for key, kinds in _KINDS.items():
                require(self.encoder[key] in kinds, f"an encoder of {key} {self.encoder[key]!r}")
            parse_input(self.encoder["input"])
            require(isinstance(self.manifest["words"], dict), "the words are not a mapping")
            self.words = tuple(self.manifest["words"])
            require(self.words, "no words")
            configuration = checked_configuration(self.manifest["configuration"])
            self.features = configuration.features(self.encoder["model"]["blocks"])
            self._sentences = self._read_sentences()

    def word(self, word: str) -> FittedWord:
        """Return a fitted word of the file.

        Raises
        ------
        ModelError
            If its entry or its arrays are damaged, or its classifier is unknown.
        """
        from safetensors.numpy import load

        with self._parsing():
            entry = {"forms": [], "called": None} | self.manifest["words"][word]
            entry = {name: entry[name] for name in ("file", *ENTRY)}
            arrays = load(self._read(entry.pop("file")))
            learned = {k.removeprefix(LEARNED): arrays[k] for k in arrays if k.startswith(LEARNED)}
            classifier = restored(entry["estimator"], entry["parameters"], learned)
            train, gold, lines = (arrays[name] for name in ("train", "gold", "lines"))
            check_arrays(classifier, train, gold, lines, len(entry["senses"]))
            complete = len(self._sentences.get(word, gold)) == len(gold)
            require(complete, "its sentences and arrays do not belong together")
            check_word_entry(entry)
            entry |= {name: tuple(entry[name]) for name in ("senses", "forms")}
            entry["called"] = sense_names(word, entry["senses"], entry["called"])
            entry["classifier"] = classifier
            return FittedWord(word, train=train.astype(np.float32), gold=gold, lines=lines, **entry)

    def forms(self, word: str) -> tuple[str, ...]:
        """Return the forms of a word; empty if the file lacks them."""
        with self._parsing():
            forms = self.manifest["words"][word].get("forms", [])
            check_forms(forms)
            return tuple(forms)

    @property
    def language(self) -> str:
        """The code of the language; English in a file of an earlier version."""
        return str(self.manifest.get("language", ENGLISH))

    def sentences(self, word: str) -> list[str] | None:
        """Return a word's training sentences in the order of its vectors; None if unavailable."""
        if word in self._sentences or self._results is None:
            return self._sentences.get(word)
        return training_sentences(self._results, self.word(word))

    def _read_sentences(self) -> dict[str, list[str]]:
        if SENTENCES not in self._zip.namelist():
            return {}
        sentences: dict[str, list[str]] = self._read_json(SENTENCES)
        lists = list(sentences.values()) if isinstance(sentences, dict) else [None]
        texts = all(isinstance(x, list) and all(isinstance(s, str) for s in x) for x in lists)
        require(texts, "the sentences are not a mapping of words to lists of strings")
        return sentences

    def _read_json(self, name: str) -> Any:
        value = json.loads(self._read(name))
        # JSON can hold lone surrogates, which cannot be written to a file.
        json.dumps(value, ensure_ascii=False).encode()
        return value

    def _read(self, name: str) -> bytes:
        is_text = not name.endswith(".safetensors")
        too_long = is_text and self._zip.getinfo(name).file_size > _LONGEST_TEXT
        require(not too_long, f"{name} is too long")
        return self._zip.read(name)

    @contextmanager
    def _parsing(self) -> Iterator[None]:
        from safetensors import SafetensorError

        try:
            yield
        except (*UNEXPECTED, EOFError, OSError, SafetensorError, zipfile.BadZipFile) as error:
            raise self._refused(f"{type(error).__name__} {error}") from None
        except ModelError:
            raise
        except WsdError as error:
            raise self._refused(error.problem) from None

    def _refused(self, reason: str) -> ModelError:
        fix = "make it again with `wsd fit`, or download it again"
        return ModelError(f"not a whole model file: {reason}", where=str(self.path), fix=fix)
