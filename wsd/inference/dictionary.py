"""Predict senses in new text from a dictionary alone, without a corpus and without training.

The vector of a sense is the vector of the focal word within its gloss, or the mean over several
glosses. The sense with the highest cosine is the answer. The study of glosses measures how well
this works: its rows ``gloss`` in ``comparison.csv`` are computed in the same way.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsd.artifacts.feature_set import parse_features
from wsd.artifacts.senses import GLOSS, SenseText, sense_texts
from wsd.artifacts.view_names import PLAIN
from wsd.corpora.find_word import RULES, KnownForms
from wsd.corpora.glosses import gloss_table, read_glosses
from wsd.fitted.word_classifier import FittedWord, nearest_gloss
from wsd.inference.encoders import ModelName, find_model, fitted_encoder, source_named
from wsd.inference.feature_vectors import feature_vectors

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder

VIEW, TOP = "focal", "-1"


class Dictionary:
    """The words of a dictionary, as :class:`wsd.inference.predictor.Predictor` takes them.

    Parameters
    ----------
    path : Path
        A table with the columns word, sense and gloss; a sense may have several lines.
    model
        As in :func:`wsd.inference.encoders.source_named`.
    layers : str
        A layer choice; by default the last layer, because any other choice would need labels.
    folder : Path, optional
        The folder of the encoder's files.
    device : str
    known : KnownForms
        The forms by which words are found.
    threads : int

    Attributes
    ----------
    words : tuple of str
    features : Features
    loaded : Encoder
    configuration : dict
        Model, view, layers, and the classifier ``gloss``.

    Raises
    ------
    CorpusError
        Naming file and line.
    ConfigError
        For an unknown model or an invalid layer choice.
    """

    def __init__(
        self,
        path: Path,
        model: ModelName = None,
        layers: str = TOP,
        folder: Path | None = None,
        *,
        known: KnownForms = RULES,
        device: str = "auto",
        threads: int = 1,
    ) -> None:
        self._lines, self._threads, self._known = read_glosses(path), threads, known
        self.language = known.language
        self.words = tuple(self._lines)
        record = find_model(source_named(model))
        self.encoder: Mapping[str, Any] = {
            "model": record, "pooling": "mean", "input": PLAIN, "precision": "float32"
        }  # fmt: skip
        blocks = record["blocks"]
        self.features = parse_features(VIEW, layers, blocks, where="--layers", learned=False)
        self.loaded: Encoder = fitted_encoder(self.encoder, folder, device=device)
        self.configuration = {
            "model": record["name"], "view": VIEW, "layers": self.features.layers,
            "classifier": GLOSS,
        }  # fmt: skip

    def word(self, word: str) -> FittedWord:
        """Return a word that is fitted on its glosses."""
        lines = self._lines[word]
        glosses = {sense: SenseText("", gloss) for _, sense, gloss in reversed(lines)}
        senses = tuple(dict.fromkeys(sense for _, sense, _ in lines))
        table = gloss_table(word, senses, lines, self.forms(word), self.language)
        aligned = self.loaded.align(table)
        vectors = feature_vectors(self.loaded, table, aligned, self.features, threads=self._threads)
        return nearest_gloss(table, vectors, sense_texts(word, senses, glosses))

    def forms(self, word: str) -> tuple[str, ...]:
        """Return the forms that the user gave."""
        return self._known.given.get(word, ())

    def sentences(self, word: str) -> list[str]:
        """Return the glosses of a word, in the order of its vectors."""
        senses = [*dict.fromkeys(sense for _, sense, _ in self._lines[word])]
        lines = sorted(self._lines[word], key=lambda line: senses.index(line[1]))
        return [gloss for _, _, gloss in lines]
