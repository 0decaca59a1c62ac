"""Read a folder of word usage graphs, as DURel and the DWUG data sets have it.

A word's folder has ``uses.csv`` and often ``judgments.csv``: ratings of pairs of uses. A data set
has its words' folders in ``data``, and perhaps ``clusters/<choice>/<word>.csv`` and
``stats/<choice>/stats_groupings.csv``, the change of each word between its groups
(Schlechtweg et al., EMNLP 2021). A word's folder alone may have ``clusters.csv``.

The columns ``identifier``, ``grouping``, ``date`` and so on become extra columns of the uses, and
so does the cluster. Columns that repeat the sentence in another form are left out. Quotes are text.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wsd.corpora.importer.delimited_text import TableLine, detect_table
from wsd.corpora.importer.import_summary import shorten
from wsd.corpora.importer.labelled_sentence import LabelledSentence, labelled
from wsd.corpora.importer.labelled_tables import read_cells
from wsd.corpora.importer.table_cells import Options
from wsd.errors import CorpusError
from wsd.logs import log

USES, RATINGS, CLUSTERS = "uses.csv", "judgments.csv", "clusters.csv"
DATA, GROUPS = "data", "stats_groupings.csv"
# The usual name among several clusterings.
USUAL = "opt"
IDENTIFIER, CLUSTER, LEMMA = "identifier", "cluster", "lemma"
# The judgment of an annotator who cannot decide. DURel has "-" for it.
CANNOT_DECIDE = "0"
# Columns that repeat the sentence, or point into a repetition.
REPEATED = ("context_", "indexes_", "sentence_")
JUDGMENT_COLUMNS = ("word", "identifier1", "identifier2", "annotator", "judgment")
CHANGE_COLUMNS = ("word", "change_graded", "change_binary", "COMPARE", "EARLIER", "LATER")


@dataclass
class UsageGraphs:
    """The content of a folder.

    Attributes
    ----------
    rows : dict of word to list of LabelledSentence
        The sense of each row is ``-``.
    judgments : list of tuple of str
        A row of ``JUDGMENT_COLUMNS`` for each rating.
    change : dict of word to tuple of str
        The columns of ``CHANGE_COLUMNS`` after the word; empty where they are unknown.
    files : list of Path
        The files that were read.
    """

    rows: dict[str, list[LabelledSentence]] = field(default_factory=dict)
    judgments: list[tuple[str, ...]] = field(default_factory=list)
    change: dict[str, tuple[str, ...]] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)

    def __iadd__(self, other: "UsageGraphs") -> "UsageGraphs":
        """Add the content of another folder."""
        for word, rows in other.rows.items():
            self.rows.setdefault(word, []).extend(rows)
        self.judgments += other.judgments
        self.change |= other.change
        self.files += other.files
        return self


def matches(path: Path) -> bool:
    """Return whether a path is a folder of usage graphs."""
    return path.is_dir() and bool(_word_folders(path))


def _word_folders(path: Path) -> list[Path]:
    if (path / USES).is_file():
        return [path]
    return sorted(file.parent for file in (path / DATA).glob(f"*/{USES}"))


def read(path: Path, options: Options) -> UsageGraphs:
    """Read a folder.

    Parameters
    ----------
    path : Path
        Of a data set, or of one word.
    options : Options

    Raises
    ------
    CorpusError
        Naming file and line, for a file without a needed column. Errors about single lines are
        collected in ``options.bad_lines``: a wrong place, an identifier that occurs twice or is
        unknown, a judgment that is not a number.
    """
    graphs = UsageGraphs()
    options = replace(options, one_span=True, quiet=True, no_quotes=True)
    for folder in _word_folders(path):
        uses, places = _read_uses(folder / USES, options)
        graphs.files.append(folder / USES)
        for word, rows in uses.items():
            clusters = _clusters_file(path, folder, word)
            if clusters is not None:
                graphs.files.append(clusters)
                rows = _with_clusters(rows, places, clusters, options)
            graphs.rows.setdefault(word, []).extend(rows)
        if (folder / RATINGS).is_file():
            graphs.files.append(folder / RATINGS)
            graphs.judgments += _read_judgments(folder / RATINGS, uses, places, options)
    if stats := _choice(path / "stats", GROUPS):
        graphs.files.append(stats)
        graphs.change = _read_change(stats, options)
    return graphs


def _read_uses(
    path: Path, options: Options
) -> tuple[dict[str, list[LabelledSentence]], dict[str, str]]:
    """Return the uses by word, and the place of each identifier, bad lines included."""
    rows: dict[str, list[LabelledSentence]] = {}
    places: dict[str, str] = {}
    for cells in read_cells(path, options, needed=("sentence", "word", "span")):
        if IDENTIFIER not in cells.values:
            problem = f"no column {IDENTIFIER!r} among {', '.join(cells.values)}"
            raise CorpusError(problem, where=cells.header, fix="give each use an identifier")
        with options.bad_lines.line():
            extra = {
                name: text.strip()
                for name, text in cells.extra.items()
                if text.strip() and not name.startswith(REPEATED)
            }
            fix = "give each use its own identifier"
            if IDENTIFIER not in extra:
                raise CorpusError("a use without an identifier", where=cells.where, fix=fix)
            first = places.setdefault(extra[IDENTIFIER], cells.where)
            if first != cells.where:
                problem = f"the identifier {extra[IDENTIFIER]!r} occurs in {first} too"
                raise CorpusError(problem, where=cells.where, fix=fix)
            word, (sentence,) = cells.uses()
            row = replace(labelled(cells.where, word, "-", sentence), extra=extra)
            rows.setdefault(row.word, []).append(row)
    return rows, places


def _clusters_file(path: Path, folder: Path, word: str) -> Path | None:
    if (folder / CLUSTERS).is_file():
        return folder / CLUSTERS
    return _choice(path / "clusters", f"{folder.name}.csv") or _choice(
        path / "clusters", f"{word}.csv"
    )


def _choice(folder: Path, name: str) -> Path | None:
    """Return a file in the usual subfolder, or else in the first that has it."""
    by_choice = {file.parent.name: file for file in sorted(folder.glob(f"*/{name}"), reverse=True)}
    return by_choice.get(USUAL) or next(reversed(by_choice.values()), None)


def _lines(path: Path, needed: Sequence[str], options: Options) -> Iterator[TableLine]:
    return detect_table(path, options.encoding, no_quotes=options.no_quotes).lines(needed)


def _with_clusters(
    rows: list[LabelledSentence], known: Container[str], path: Path, options: Options
) -> list[LabelledSentence]:
    clusters: dict[str, str] = {}
    for where, values, _ in _lines(path, (IDENTIFIER, CLUSTER), options):
        with options.bad_lines.line():
            _check_known([values[IDENTIFIER]], known, where)
            clusters[values[IDENTIFIER]] = values[CLUSTER].strip()
    return [
        replace(row, extra={**row.extra, CLUSTER: clusters.get(row.extra[IDENTIFIER], "")})
        for row in rows
    ]


def _read_judgments(
    path: Path,
    words: Mapping[str, list[LabelledSentence]],
    known: Container[str],
    options: Options,
) -> Iterator[tuple[str, ...]]:
    word_of = {row.extra[IDENTIFIER]: word for word, rows in words.items() for row in rows}
    needed = JUDGMENT_COLUMNS[1:3] + JUDGMENT_COLUMNS[4:]
    for where, values, _ in _lines(path, needed, options):
        with options.bad_lines.line():
            pair = values["identifier1"], values["identifier2"]
            _check_known(pair, known, where)
            judgment = values["judgment"].strip()
            judgment = CANNOT_DECIDE if judgment == "-" else judgment
            try:
                float(judgment)
            except ValueError:
                problem = f"the judgment {judgment!r} is not a number"
                raise CorpusError(problem, where=where, fix="write a number") from None
            if all(identifier in word_of for identifier in pair):
                yield (word_of[pair[0]], *pair, values.get("annotator", "").strip(), judgment)


def _check_known(identifiers: Iterable[str], known: Container[str], where: str) -> None:
    for identifier in identifiers:
        if identifier not in known:
            problem = f"no use has the identifier {identifier!r}"
            raise CorpusError(problem, where=where, fix="correct it, or add the use")


def _read_change(path: Path, options: Options) -> dict[str, tuple[str, ...]]:
    rows: dict[str, list[tuple[str, ...]]] = {}
    for _, values, _ in _lines(path, (LEMMA,), options):
        row = tuple(values.get(name, "").strip() for name in CHANGE_COLUMNS[1:])
        rows.setdefault(values[LEMMA].strip(), []).append(row)
    if several := [word for word, own in rows.items() if len(own) > 1]:
        text = "the change between more than two groups is left out, of"
        log.info("%s: %s %s", path, text, ", ".join(shorten(several, "words")))
    return {word: row for word, (row, *others) in rows.items() if not others}
