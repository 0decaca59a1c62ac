"""Write and read a fitted configuration as one ``.wsd`` file, which any machine can use.

The file is an uncompressed zip archive: ``README.md``, a card for people; ``manifest.json``;
``words/<n>.safetensors``, the classifier and the training vectors of a word, read when the word is
first needed; and optionally ``sentences.json``. It holds no code and no pickle: see
:mod:`wsd.classification.estimators.stored_classifiers`. The encoder is not in the file, but the
manifest has the checksums of its files, and an encoder with other files is refused.

A file can come from a stranger: every value is checked when it is read.
"""

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

from wsd.artifacts.config_section import Number, NumberAbove0, Pooling, Precision, Text
from wsd.artifacts.encoder_input import VIEWS, parse_input
from wsd.artifacts.encoder_record import check_record
from wsd.artifacts.feature_set import JOIN
from wsd.artifacts.senses import SenseText
from wsd.classification.estimators.stored_classifiers import arrays_of, restored
from wsd.errors import ModelError, WsdError
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.word_classifier import FittedWord
from wsd.storage.result_files import UNEXPECTED, require, validated

FORMAT = 2
CARD, MANIFEST, SENTENCES = "README.md", "manifest.json", "sentences.json"
FIT_AGAIN = "make the model file again with `wsd fit`, or download it again"
LEARNED = "learned."  # prefix of a classifier's arrays
_DATE = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that the same content has the same bytes


class WordEntry(BaseModel):
    """A word in the manifest: the file of its arrays, and fields of ``FittedWord``."""

    file: str
    senses: tuple[Text, ...]
    called: tuple[SenseText, ...]
    estimator: str
    parameters: dict[str, Any]
    temperature: NumberAbove0 | None
    threshold: Number | None
    corpus: Text
    forms: tuple[Text, ...]

    @model_validator(mode="after")
    def _match(self) -> Self:
        names = {text.name for text in self.called} - {""}
        sizes = {len(self.senses), len(set(self.senses)), len(self.called), len(names)}
        require(len(sizes) == 1, "the names do not match the senses")
        return self


class EncoderEntry(BaseModel):
    """The encoder in the manifest: what identifies its files, and its options."""

    model_config = ConfigDict(extra="allow")

    model: dict[str, Any]
    pooling: Pooling
    precision: Precision
    input: Any


class Manifest(BaseModel):
    """The content of ``manifest.json``."""

    # Names of result files contain these values.
    configuration: dict[str, Annotated[str, Field(max_length=255)]]
    encoder: EncoderEntry
    predictions: dict[str, Any]
    language: Text
    versions: dict[str, str]
    words: Annotated[dict[Text, WordEntry], Field(min_length=1)]


class Sentences(RootModel[dict[str, list[str]]]):
    """The content of ``sentences.json``: training sentences by word."""


def write_wsd_file(
    path: Path,
    words: Iterable[FittedWord],
    manifest: Mapping[str, Any],
    card: Callable[[Mapping[str, Any]], str],
    sentences: Mapping[str, list[str]],
) -> None:
    """Write a model file word by word, so that one word is in memory at a time.

    Parameters
    ----------
    path : Path
        A temporary path: a failure leaves an incomplete file.
    words : iterable of FittedWord
    manifest : mapping
        Without its words and the format.
    card : function of the whole manifest
        Returns the card in Markdown.
    sentences : mapping of word to its training sentences, in the order of its vectors
        Empty to leave them out.
    """
    from safetensors.numpy import save

    entries: dict[str, Any] = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:

        def add(name: str, content: bytes) -> None:
            member = zipfile.ZipInfo(name, _DATE)
            member.external_attr = 0o644 << 16
            archive.writestr(member, content)

        for number, word in enumerate(words):
            learned = arrays_of(word.estimator, word.classifier)
            arrays = {f"{LEARNED}{name}": array for name, array in learned.items()}
            arrays |= {"train": word.train.astype(np.float16)}
            arrays |= {"gold": word.gold, "lines": word.lines}
            file = f"words/{number}.safetensors"
            add(file, save({k: np.ascontiguousarray(a) for k, a in arrays.items()}))
            fields = [name for name in WordEntry.model_fields if name != "file"]
            entries[word.word] = {"file": file} | {name: getattr(word, name) for name in fields}
        manifest = {"format": FORMAT, **manifest, "words": entries}
        if sentences:
            add(SENTENCES, _json(sentences))
        add(MANIFEST, _json(manifest))
        add(CARD, card(manifest).encode())


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
        The encoder's entry in the manifest.
    features : Features
    language : str
        A code.
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
            manifest = validated(Manifest, self.manifest)
            self.card = self._zip.read(CARD).decode()
            self.encoder: dict[str, Any] = self.manifest["encoder"]
            check_record(manifest.encoder.model)
            parse_input(manifest.encoder.input)
            configuration = Configuration(**manifest.configuration)
            known = set(configuration.view.split(JOIN)) <= set(VIEWS)
            require(known, f"the view {configuration.view!r}")
            self.features = configuration.features(manifest.encoder.model["blocks"])
            self.language, self.words = manifest.language, tuple(manifest.words)
            self._entries = manifest.words
            has_sentences = SENTENCES in self._zip.namelist()
            texts = self._read_json(SENTENCES) if has_sentences else {}
            self._sentences = validated(Sentences, texts).root

    def word(self, word: str) -> FittedWord:
        """Return a fitted word of the file.

        Raises
        ------
        ModelError
            If its arrays are damaged, or its classifier is unknown.
        """
        from safetensors.numpy import load

        fields = dict(self._entries[word])
        with self._parsing():
            arrays = load(self._zip.read(fields.pop("file")))
            learned = {k.removeprefix(LEARNED): arrays[k] for k in arrays if k.startswith(LEARNED)}
            classifier = restored(fields["estimator"], fields["parameters"], learned)
            fields |= {name: arrays[name] for name in ("train", "gold", "lines")}
            fitted = FittedWord(word, classifier=classifier, **fields)
            texts = len(self._sentences.get(word, fitted.gold))
            complete = texts == len(fitted.gold) and _belong_together(fitted)
            require(complete, "its arrays do not belong together")
        return replace(fitted, train=fitted.train.astype(np.float32))

    def forms(self, word: str) -> tuple[str, ...]:
        """Return the forms of a word."""
        return self._entries[word].forms

    def sentences(self, word: str) -> list[str] | None:
        """Return a word's training sentences in the order of its vectors; None if unavailable."""
        if word in self._sentences or self._results is None:
            return self._sentences.get(word)
        return _training_sentences(self._results, self.word(word))

    def _read_json(self, name: str) -> Any:
        value = json.loads(self._zip.read(name))
        # JSON can hold lone surrogates, which cannot be written to a file.
        json.dumps(value, ensure_ascii=False).encode()
        return value

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
        problem = f"not a whole model file: {reason}"
        return ModelError(problem, where=str(self.path), fix=FIT_AGAIN)


def _training_sentences(results: Results, word: FittedWord) -> list[str] | None:
    """Return the sentences that a word was fitted on; None if the results have another corpus."""
    table = results.corpus(word.word)
    if table.digest != word.corpus:
        return None
    if not np.isin(word.lines, table.index[table.split == "train"]).all():
        problem = f"the classifier of {word.word!r} was fitted on lines that its corpus lacks"
        raise ModelError(problem, fix=FIT_AGAIN)
    return [table.text(row) for row in table.training_rows(word.lines)]


def _belong_together(word: FittedWord) -> bool:
    """Return whether a word's arrays match its classifier and its senses."""
    classes, gold, train = word.classifier.classes_, word.gold, word.train
    return bool(
        train.shape == (len(gold), word.classifier.n_features_in_)
        and train.dtype.kind == "f"
        and (np.abs(train) < 2).all()  # directions, rounded
        and all(a.ndim == 1 and a.dtype.kind == "i" for a in (classes, gold, word.lines))
        and len(word.lines) == len(gold)
        and len(classes)
        and (np.diff(classes) > 0).all()
        and classes[0] >= 0
        and classes[-1] < len(word.senses)
        and np.isin(gold, classes).all()
    )
