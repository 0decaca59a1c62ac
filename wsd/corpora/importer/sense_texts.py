"""Read the names and glosses of senses from a table with a line per sense."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from wsd.artifacts.senses import Given, SenseText, check_text, describe_clash, find_clash
from wsd.corpora.importer.delimited_text import read_table
from wsd.corpora.importer.labelled_sentence import LabelledSentence
from wsd.corpora.word_forms import plain
from wsd.errors import CorpusError
from wsd.storage.text_files import at_place

COLUMNS = ("word", "sense", "name", "gloss")
FIX = "give each sense of a word a different name"


def read(path: Path, rows: Iterable[LabelledSentence]) -> dict[str, Given]:
    """Read a table with the columns ``word``, ``sense``, ``name`` and ``gloss``.

    Parameters
    ----------
    path : Path
        As :func:`wsd.corpora.importer.delimited_text.read_table` takes it.
    rows : iterable of LabelledSentence
        The sentences with these senses; not every sense needs a line.

    Raises
    ------
    CorpusError
        Naming file and line, for a missing column, a word or sense that no sentence has, a sense
        that is in two lines, a name or gloss that cannot be shown, and a name that another sense
        of the word has.
    """
    labels: dict[str, dict[str, None]] = {}
    for row in rows:
        labels.setdefault(row.word, {})[row.sense] = None
    texts: dict[str, dict[str, SenseText]] = {}
    places: dict[tuple[str, str], str] = {}
    for where, cells, _ in read_table(path, COLUMNS):
        with at_place(where):
            word, sense, text = _parse(cells, labels)
            first = places.setdefault((word, sense), where)
            if first != where:
                raise ValueError(f"the sense {sense!r} of {word!r} is in {first} too")
            check_text(text)
        if any(text):
            texts.setdefault(word, {})[sense] = text
    if not places:
        fix = "write a line for each sense, or leave out --senses"
        raise CorpusError("the file has no sense", where=str(path), fix=fix)
    for word, given in texts.items():
        if pair := find_clash(word, list(labels[word]), given):
            lines = [places[word, sense] for sense in pair if sense in given]
            where = max(lines, key=lambda where: int(where.rpartition(":")[2]))
            raise CorpusError(describe_clash(word, *pair), where=where, fix=FIX)
    return dict(texts)


def check_together(word: str, rows: Iterable[LabelledSentence], given: Given) -> None:
    """Refuse two senses with the same name, which may come from different files.

    Raises
    ------
    CorpusError
    """
    labels = list(dict.fromkeys(row.sense for row in rows))
    kept = {label: text for label, text in given.items() if label in labels}
    if pair := find_clash(word, labels, kept):
        raise CorpusError(describe_clash(word, *pair), fix=f"{FIX}, with --senses")


def _parse(
    cells: Mapping[str, str], labels: Mapping[str, Iterable[str]]
) -> tuple[str, str, SenseText]:
    word, sense, name, gloss = (plain(cells[column]) for column in COLUMNS)
    if word not in labels:
        raise ValueError(f"no sentence has the word {word!r}; the words are {', '.join(labels)}")
    if sense not in labels[word]:
        known = ", ".join(labels[word])
        raise ValueError(f"no sentence has the sense {sense!r} of {word!r}, which has {known}")
    return word, sense, SenseText(name, gloss)
