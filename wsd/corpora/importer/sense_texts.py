"""What senses are called and mean, from a table with a line per sense."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from wsd.artifacts.senses import Given, SenseText, check_text, describe_clash, find_clash
from wsd.corpora.importer.delimited_text import table
from wsd.corpora.importer.labelled_sentence import LabelledSentence, plain
from wsd.errors import CorpusError
from wsd.storage.text_files import at_place

COLUMNS = ("word", "sense", "name", "gloss")
FIX = "give each sense of a word a name of its own"


def read(path: Path, rows: Iterable[LabelledSentence]) -> dict[str, Given]:
    """Read a table with the columns ``word``, ``sense``, ``name`` and ``gloss``.

    Parameters
    ----------
    path : Path
        As :func:`wsd.corpora.importer.delimited_text.table` takes it.
    rows : iterable of LabelledSentence
        Whose senses they are; senses of which the file says nothing go without.

    Raises
    ------
    CorpusError
        For a column that is missing, a word or sense that no sentence has, a sense that is there
        twice, a name or gloss that cannot be shown, and a name that another sense of the word has.
        Each names file and line.
    """
    labels: dict[str, dict[str, None]] = {}
    for one in rows:
        labels.setdefault(one.word, {})[one.sense] = None
    found: dict[str, dict[str, SenseText]] = {}
    places: dict[tuple[str, str], str] = {}
    for where, cells, _ in table(path, COLUMNS):
        with at_place(where):
            word, sense, text = _sense(cells, labels)
            first = places.setdefault((word, sense), where)
            if first != where:
                raise ValueError(f"the sense {sense!r} of {word!r} again: it stands in {first} too")
            check_text(text)
        if any(text):
            found.setdefault(word, {})[sense] = text
    if not places:
        raise CorpusError(
            "the file has no sense",
            where=str(path),
            fix="write a line for each sense, or leave out --senses",
        )
    for word, given in found.items():
        if pair := find_clash(word, list(labels[word]), given):
            where = max((places[word, sense] for sense in pair if sense in given), key=_line)
            raise CorpusError(describe_clash(word, *pair), where=where, fix=FIX)
    return dict(found)


def check_together(word: str, rows: Iterable[LabelledSentence], given: Given) -> None:
    """Refuse names that are one by one right, and alike where several files are put together.

    Raises
    ------
    CorpusError
    """
    labels = list(dict.fromkeys(one.sense for one in rows))
    kept = {label: text for label, text in given.items() if label in labels}
    if pair := find_clash(word, labels, kept):
        raise CorpusError(describe_clash(word, *pair), fix=f"{FIX}, with --senses")


def _sense(
    cells: Mapping[str, str], labels: Mapping[str, Iterable[str]]
) -> tuple[str, str, SenseText]:
    word, sense, name, gloss = (plain(cells[name]) for name in COLUMNS)
    if word not in labels:
        raise ValueError(f"no sentence is of the word {word!r}: there are {', '.join(labels)}")
    if sense not in labels[word]:
        known = ", ".join(labels[word])
        raise ValueError(f"no sentence has the sense {sense!r} of {word!r}: there are {known}")
    return word, sense, SenseText(name, gloss)


def _line(where: str) -> int:
    return int(where.rpartition(":")[2])
