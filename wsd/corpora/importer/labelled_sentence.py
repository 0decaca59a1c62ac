"""Labelled sentences with their places in the files: the result of every reader of imports."""

import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, SPLITS
from wsd.artifacts.senses import Given
from wsd.corpora.focal_word import Sentence
from wsd.corpora.word_forms import plain, plain_name
from wsd.errors import UNSEEN, CorpusError

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
        Empty if the file gives none.
    document : str
        The name of its document; empty if it is unknown.
    also : tuple of str
        Further right senses.
    extra : mapping of str to str
        The columns of the file that the product does not use.
    """

    where: str
    word: str
    sense: str
    position: int
    tokens: tuple[str, ...]
    split: str = ""
    document: str = ""
    also: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def keys(self) -> tuple[str, ...]:
        """All right senses; the first is ``sense``."""
        return (self.sense, *self.also)

    @property
    def composed(self) -> tuple[str, ...]:
        """The tokens for comparisons, in Unicode's composed form."""
        return tuple(unicodedata.normalize("NFC", token) for token in self.tokens)


@dataclass
class Gathered:
    """The content of some files.

    Attributes
    ----------
    rows : list of LabelledSentence
    left_out : Counter
        The number of instances that are left out, by reason.
    files : list of Path
        The files that were read.
    about : dict
        Facts about the corpus from the files: ``title``, ``licence`` and so on.
    language : str
        Its code; empty if the files do not say it.
    forms : dict of word to tuple of str
        The forms that the files give.
    given : dict
        The names and glosses of senses, by word.
    """

    rows: list[LabelledSentence] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    files: list[Path] = field(default_factory=list)
    about: dict[str, str] = field(default_factory=dict)
    given: dict[str, Given] = field(default_factory=dict)
    language: str = ""
    forms: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def describe(self) -> str:
        """Return the number of instances, and the names of their extra columns."""
        names = dict.fromkeys(name for row in self.rows for name in row.extra)
        extra = f"; extra columns: {', '.join(names)}" if names else ""
        return f"{len(self.rows):,} instance{'' if len(self.rows) == 1 else 's'}{extra}"

    def __add__(self, other: "Gathered") -> "Gathered":
        """Return the content of both; if they differ about a fact or text, the first counts."""
        given = {w: {**senses, **self.given.get(w, {})} for w, senses in other.given.items()}
        return Gathered(
            [*self.rows, *other.rows],
            self.left_out + other.left_out,
            [*self.files, *other.files],
            other.about | self.about,
            self.given | given,
            self.language or other.language,
            other.forms | self.forms,
        )


def labelled(
    where: str, word: str, sense: str, sentence: Sentence, split: str = "", document: str = ""
) -> LabelledSentence:
    """Check and return a labelled sentence; words and senses that look alike become equal.

    Raises
    ------
    CorpusError
        For an empty word or sense, an invisible character in one or in the document, an unknown
        split, or invalid Unicode.
    """
    position, tokens = sentence
    word, sense = plain_name(word, "word", where), plain_name(sense, "sense", where)
    document = plain_name(document, "document", where) if plain(document) else ""
    if all(unicodedata.category(c) in UNSEEN for c in tokens[position]):
        problem = f"the focal word {tokens[position]!r} is invisible"
        raise CorpusError(problem, where=where, fix="mark a word")
    if any(unicodedata.category(c) == "Cs" for token in tokens for c in token):
        problem = "half of a character (a lone surrogate) in the sentence"
        raise CorpusError(problem, where=where, fix="write the character again")
    if split and split not in ALL_SPLITS:
        fix = f"write {', '.join(ALL_SPLITS)}, or leave out the column in all lines"
        raise CorpusError(f"unknown split {split!r}", where=where, fix=fix)
    return LabelledSentence(where, word, sense, position, tokens, split, document)
