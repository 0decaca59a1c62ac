"""What an import gathers: labelled sentences, bad lines, and the lines of its summary.

Every reader returns labelled sentences with their places in the files. It passes its errors about
single lines to one :class:`BadLines`. The import then refuses the files with a list of these lines,
or leaves the lines out (``--skip-bad``).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, SPLITS
from wsd.artifacts.senses import Given
from wsd.corpora.find_word import Sentence
from wsd.corpora.word_forms import plain, plain_name
from wsd.errors import UNSEEN, CorpusError, visible
from wsd.logs import log

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
    touching : tuple of int
        As in :class:`wsd.corpora.find_word.Sentence`.
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
    touching: tuple[int, ...] = ()

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
    position, tokens, touching = sentence
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
    return LabelledSentence(
        where, word, sense, position, tokens, split, document, touching=touching
    )


# How many lines or words are shown.
SHOWN = 20
# How many different reasons and fixes a message shows.
REASONS = 3
SKIP = "or leave out bad lines with --skip-bad"
# Values in a message: texts in quotes, and numbers.
_VALUE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\b\d+\b""")


class BadLines:
    """The bad lines of some files.

    Attributes
    ----------
    errors : list of CorpusError
        The errors so far.
    """

    def __init__(self) -> None:
        self.errors: list[CorpusError] = []
        self._n_instances = Counter[str]()

    @contextmanager
    def line(self) -> Iterator[None]:
        """Collect an error about a line that is read inside this context."""
        try:
            yield
        except CorpusError as error:
            self.add(error)

    def add(self, error: CorpusError, n_instances: int = 1) -> None:
        """Collect an error about a line, or about several instances."""
        self.errors.append(error)
        self._n_instances[f"lines with a problem: {reason(error)}"] += n_instances

    def settle(self, n_left: int, *, skip: bool) -> Counter[str]:
        """Refuse the files if they have bad lines, or leave these lines out.

        Parameters
        ----------
        n_left : int
            The number of instances without the bad lines.
        skip : bool
            Whether to leave out bad lines.

        Returns
        -------
        Counter
            The number of instances that are left out, by reason.

        Raises
        ------
        CorpusError
            With all bad lines, unless ``skip`` is set and an instance is left.
        """
        if not self.errors:
            return Counter()
        lines = [visible(f"{error.where}: {error.problem}") for error in self.errors]
        if not skip or not n_left:
            raise self._together(lines, SKIP if n_left else None)
        for line in lines:
            log.info(f"left out: {line}")
        return self._n_instances

    def _together(self, lines: Sequence[str], skip: str | None) -> CorpusError:
        first, *others = self.errors
        fixes = list(dict.fromkeys(error.fix for error in self.errors if error.fix))[:REASONS]
        fix = "; ".join(filter(None, [*fixes, skip]))
        if not others:
            return CorpusError(first.problem, where=first.where, fix=fix)
        reasons = Counter(map(reason, self.errors)).most_common()
        shown = [f"{text} ({number})" for text, number in reasons[:REASONS]]
        more = [f"{len(reasons) - REASONS} more problems"] if len(reasons) > REASONS else []
        return CorpusError(
            f"{len(self.errors)} lines cannot be read: {', '.join([*shown, *more])}",
            where=f"{first.where}, and {len(others)} more",
            fix="\n".join([fix, *lines]),
        )


def reason(error: CorpusError) -> str:
    """Return the problem of an error without the values of its line.

    >>> reason(CorpusError("unknown split 'dev'")), reason(CorpusError("2 columns, not 3"))
    ("unknown split '...'", 'N columns, not N')
    """
    return _VALUE.sub(lambda value: "N" if value[0][0].isdigit() else "'...'", error.problem)


def shorten(lines: Sequence[str], kind: str) -> list[str]:
    """Return the first lines, and the number of the others, which are called ``kind``."""
    more = [f"... and {len(lines) - SHOWN} more {kind}"] if len(lines) > SHOWN else []
    return [*lines[:SHOWN], *more]


def log_all(lines: Iterable[str], kind: str) -> None:
    """Log the lines of :func:`shorten`."""
    for line in shorten(list(lines), kind):
        log.info(line)


def extra_columns(rows: Iterable[LabelledSentence]) -> list[str]:
    """Return the line of a summary that names the extra columns of all rows, if there are any."""
    names = dict.fromkeys(name for row in rows for name in row.extra)
    return [f"extra columns: {', '.join(names)}"] if names else []


def plural(number: int, noun: str) -> str:
    """Return a number and a noun.

    >>> plural(1, "word"), plural(2, "word")
    ('1 word', '2 words')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
