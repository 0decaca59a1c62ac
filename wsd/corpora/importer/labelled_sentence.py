"""What every reader of this package gives: labelled sentences, each with the place it came from."""

import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, SPLITS
from wsd.artifacts.senses import Given
from wsd.corpora.importer.focal_word import Sentence
from wsd.errors import UNSEEN, CorpusError, visible

ALL_SPLITS = (*SPLITS, OUT_OF_DOMAIN)


@dataclass(frozen=True)
class LabelledSentence:
    """A sentence, its focal word and that word's sense.

    Attributes
    ----------
    where : str
        File and line.
    word : str
    sense : str
    position : int
    tokens : tuple of str
    split : str
        Empty where the source gives none.
    also : tuple of str
        Senses that are as right as the first.
    """

    where: str
    word: str
    sense: str
    position: int
    tokens: tuple[str, ...]
    split: str = ""
    also: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """All senses that are right, the first of them ``sense``."""
        return (self.sense, *self.also)

    @property
    def composed(self) -> tuple[str, ...]:
        """The tokens as they are compared: with the accents in the letters."""
        return tuple(map(_composed, self.tokens))


@dataclass
class Gathered:
    """What is in some files.

    Attributes
    ----------
    rows : list of LabelledSentence
    left_out : Counter
        Instances by the reason why they are left out.
    files : list of Path
        What was read.
    about : dict
        What the files say of the corpus: ``title``, ``licence`` and the like.
    given : dict
        By word what they call its senses.
    """

    rows: list[LabelledSentence] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    files: list[Path] = field(default_factory=list)
    about: dict[str, str] = field(default_factory=dict)
    given: dict[str, Given] = field(default_factory=dict)

    def __add__(self, other: "Gathered") -> "Gathered":
        given = {
            word: {**senses, **self.given.get(word, {})} for word, senses in other.given.items()
        }
        left_out = self.left_out.copy()
        left_out.update(other.left_out)
        return Gathered(
            [*self.rows, *other.rows],
            left_out,
            [*self.files, *other.files],
            other.about | self.about,
            self.given | given,
        )


def labelled(
    where: str, word: str, sense: str, sentence: Sentence, split: str = ""
) -> LabelledSentence:
    """A labelled sentence, checked. Words and senses that look alike are made the same.

    Raises
    ------
    CorpusError
        For an empty word or sense, a character in one that cannot be seen, a split that is none,
        or text that is no Unicode.
    """
    position, tokens = sentence
    word, sense = plain(word), plain(sense)
    for name, text in (("word", word), ("sense", sense)):
        if not text:
            raise CorpusError(f"the {name} is empty", where=where, fix="fill it in")
        if visible(text) != text:
            what = f"a character in the {name} {text!r} that cannot be seen"
            raise CorpusError(what, where=where, fix="leave the character out")
    if not any(unicodedata.category(c) not in UNSEEN for c in tokens[position]):
        what = f"nothing of the focal word {tokens[position]!r} can be seen"
        raise CorpusError(what, where=where, fix="mark a word")
    if any(unicodedata.category(c) == "Cs" for token in tokens for c in token):
        what, fix = "half of a character (a lone surrogate) in the sentence", "write it anew"
        raise CorpusError(what, where=where, fix=fix)
    if split and split not in ALL_SPLITS:
        fix = f"write {', '.join(ALL_SPLITS)}, or leave out the column in all lines"
        raise CorpusError(f"the split {split!r}", where=where, fix=fix)
    return LabelledSentence(where, word, sense, position, tokens, split)


def plain(text: str) -> str:
    """A text as it is compared: accents in the letters, single spaces, none at the ends."""
    return _composed(" ".join(text.split()))


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)
