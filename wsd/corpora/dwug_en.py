"""Word usage graphs: download DWUG EN, and import folders of DURel and of DWUG data sets.

A word's folder has ``uses.csv`` and often ``judgments.csv``: ratings of pairs of uses. A data set
has its words' folders in ``data``, and perhaps ``clusters/<choice>/<word>.csv`` and
``stats/<choice>/stats_groupings.csv``, the change of each word between its groups
(Schlechtweg et al., EMNLP 2021). A word's folder alone may have ``clusters.csv``.

They become a corpus without senses. The columns ``identifier``, ``grouping``, ``date`` and so on
become extra columns of the uses, and so does the cluster. Columns that repeat the sentence in
another form are left out. Quotes are text. Two further files of the corpus hold what people judged:
``judgments.tsv`` and ``change.tsv``. The study of change reads them.
"""

import argparse
import tempfile
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from wsd.arguments import add_listings, add_out_folder
from wsd.artifacts.dataset import (
    CHANGE,
    DATA,
    DATASETS,
    DWUG_EN,
    EXTRA_UNLABELLED,
    JUDGMENTS,
    MANIFEST,
    UNLABELLED_FILE,
)
from wsd.artifacts.run_json import list_folders
from wsd.corpora.archives import SourceArchive, available, refuse_foreign_files, verified
from wsd.corpora.download import log_licence
from wsd.corpora.focal_form_check import FormCheck
from wsd.corpora.importer import write_corpus
from wsd.corpora.importer.gathered import LabelledSentence, extra_columns, labelled, plural, shorten
from wsd.corpora.importer.input_formats import FileKind, Request
from wsd.corpora.importer.labelled_tables import Options, read_cells
from wsd.corpora.importer.table_files import read_table
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.storage.text_files import at_place

ARCHIVE = SourceArchive(
    title="DWUG EN",
    url=f"{DATASETS[DWUG_EN].source}/files/dwug_en.zip",
    file="dwug_en-3.0.0.zip",
    variable="WSD_DWUG_EN_ARCHIVE",
    checksums=DATA / f"{DWUG_EN}.sha256",
)
USES = "uses.csv"
# The usual name among several clusterings.
USUAL = "opt"
IDENTIFIER = "identifier"
# The judgment of an annotator who cannot decide. DURel has "-" for it.
CANNOT_DECIDE = "0"
# Columns that repeat the sentence, or point into a repetition.
REPEATED = ("context_", "indexes_", "sentence_")
JUDGMENT_COLUMNS = ("word", "identifier1", "identifier2", "annotator", "judgment")
CHANGE_COLUMNS = ("word", "change_graded", "change_binary", "COMPARE", "EARLIER", "LATER")
# The smallest number of uses of a word that can form two groups.
LEAST = 3


@dataclass
class UsageGraphs:
    """The content of some folders.

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

    def further_files(self) -> dict[str, list[str]]:
        """Return the lines of the tables of judgments and change, about the words of the rows."""
        judgments = [row for row in self.judgments if row[0] in self.rows]
        change = [(word, *self.change[word]) for word in self.rows if word in self.change]
        tables = {JUDGMENTS: [JUDGMENT_COLUMNS, *judgments], CHANGE: [CHANGE_COLUMNS, *change]}
        return {name: ["\t".join(r) for r in rows] for name, rows in tables.items() if rows[1:]}


def matches(path: Path) -> bool:
    """Return whether a path is a folder of usage graphs."""
    return path.is_dir() and bool(_word_folders(path))


def _word_folders(path: Path) -> list[Path]:
    if (path / USES).is_file():
        return [path]
    return sorted(file.parent for file in path.glob(f"data/*/{USES}"))


def read(paths: Iterable[Path], options: Options) -> UsageGraphs:
    """Read folders of data sets or of single words.

    Raises
    ------
    CorpusError
        Naming file and line, for a file without a needed column. Errors about single lines are
        collected in ``options.bad_lines``: a wrong place, an identifier that occurs twice or is
        unknown, a judgment that is not a number.
    """
    graphs = UsageGraphs()
    options = replace(options, one_span=True, quiet=True, no_quotes=True)
    for path in paths:
        for folder in _word_folders(path):
            _read_word(path, folder, options, graphs)
        for stats in _choices(path, "stats/*/stats_groupings.csv"):
            graphs.files.append(stats)
            graphs.change |= _read_change(stats, options.encoding)
    graphs.rows = dict(sorted(graphs.rows.items()))
    return graphs


def _choices(path: Path, pattern: str) -> list[Path]:
    """Return the file in the usual subfolder, or else in the first that has it; at most one."""
    files = sorted(path.glob(pattern), key=lambda file: (file.parent.name != USUAL, file))
    return files[:1]


def _read_word(path: Path, folder: Path, options: Options, graphs: UsageGraphs) -> None:
    """Add the content of a word's folder."""
    rows, places = _read_uses(folder / USES, options)
    graphs.files.append(folder / USES)
    own, ratings = folder / "clusters.csv", folder / "judgments.csv"
    clusters = [own] if own.is_file() else _choices(path, f"clusters/*/{folder.name}.csv")
    for file in clusters:
        graphs.files.append(file)
        rows = _with_clusters(rows, places, file, options)
    for row in rows:
        graphs.rows.setdefault(row.word, []).append(row)
    if ratings.is_file():
        graphs.files.append(ratings)
        graphs.judgments += _read_judgments(ratings, rows, places, options)


def _read_uses(path: Path, options: Options) -> tuple[list[LabelledSentence], dict[str, str]]:
    """Return the uses, and the place of each identifier, bad lines included."""
    rows: list[LabelledSentence] = []
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
            rows.append(replace(labelled(cells.where, word, "-", sentence), extra=extra))
    return rows, places


def _with_clusters(
    rows: list[LabelledSentence], known: Container[str], path: Path, options: Options
) -> list[LabelledSentence]:
    clusters: dict[str, str] = {}
    for where, values in read_table(
        path, (IDENTIFIER, "cluster"), options.encoding, no_quotes=True
    ):
        with options.bad_lines.line():
            _check_known([values[IDENTIFIER]], known, where)
            clusters[values[IDENTIFIER]] = values["cluster"].strip()
    return [
        replace(row, extra={**row.extra, "cluster": clusters.get(row.extra[IDENTIFIER], "")})
        for row in rows
    ]


def _read_judgments(
    path: Path, rows: Sequence[LabelledSentence], known: Container[str], options: Options
) -> Iterator[tuple[str, ...]]:
    word_of = {row.extra[IDENTIFIER]: row.word for row in rows}
    columns = ("identifier1", "identifier2", "judgment")
    for where, values in read_table(path, columns, options.encoding, no_quotes=True):
        with options.bad_lines.line():
            pair = values["identifier1"], values["identifier2"]
            _check_known(pair, known, where)
            judgment = values["judgment"].strip()
            judgment = CANNOT_DECIDE if judgment == "-" else judgment
            with at_place(where, "write a number as the judgment"):
                float(judgment)
            if all(identifier in word_of for identifier in pair):
                yield (word_of[pair[0]], *pair, values.get("annotator", "").strip(), judgment)


def _check_known(identifiers: Iterable[str], known: Container[str], where: str) -> None:
    for identifier in identifiers:
        if identifier not in known:
            problem = f"no use has the identifier {identifier!r}"
            raise CorpusError(problem, where=where, fix="correct it, or add the use")


def _read_change(path: Path, encoding: str | None) -> dict[str, tuple[str, ...]]:
    rows: dict[str, list[tuple[str, ...]]] = {}
    for _, values in read_table(path, ("lemma",), encoding, no_quotes=True):
        row = tuple(values.get(name, "").strip() for name in CHANGE_COLUMNS[1:])
        rows.setdefault(values["lemma"].strip(), []).append(row)
    if several := [word for word, own in rows.items() if len(own) > 1]:
        text = "the change between more than two groups is left out, of"
        log.info("%s: %s %s", path, text, ", ".join(shorten(several, "words")))
    return {word: row for word, (row, *others) in rows.items() if not others}


def _import_folders(request: Request) -> list[str]:
    """Read all folders, write the corpus, and return the lines of the summary."""
    if others := [path for path in request.files if not matches(path)]:
        problem = f"{others[0]} is no folder of usage graphs, but {request.files[0]} is one"
        raise ConfigError(problem, where="FILE", fix="import them separately")
    graphs = read(request.files, request.options)
    bad_lines = request.settle(sum(map(len, graphs.rows.values())))
    rare = [word for word, rows in graphs.rows.items() if len(rows) < LEAST]
    left_out = {f"words with fewer than {LEAST} uses": len(rare)} if rare else {}
    graphs.rows = {word: rows for word, rows in graphs.rows.items() if word not in rare}
    if not graphs.rows:
        where, fix = ", ".join(map(str, graphs.files)), f"give {LEAST} or more uses of a word"
        raise CorpusError(f"no word has {LEAST} uses", where=where, fix=fix)
    left_out |= bad_lines
    forms = FormCheck(request.known_forms())
    for row in chain.from_iterable(graphs.rows.values()):
        forms.add(row.word, row.position, row.tokens, row.where)
    write_corpus.check_forms(forms, request)
    manifest = write_corpus.start_manifest(request, graphs.files, labelled=False, left_out=left_out)
    tables = graphs.further_files()
    write_corpus.lay_out(request.args.out, graphs.rows, manifest, further_files=tables)
    counts = [f"{word}: {plural(len(rows), 'use')}" for word, rows in graphs.rows.items()]
    return [
        f"{plural(len(graphs.rows), 'word')} without senses; "
        f"{plural(len(tables.get(JUDGMENTS, [''])) - 1, 'judgment')}, "
        f"{plural(len(tables.get(CHANGE, [''])) - 1, 'word')} with a published change",
        *shorten(counts, "words"),
        *extra_columns(chain(*graphs.rows.values())),
        *(f"left out: {reason}: {number}" for reason, number in left_out.items()),
    ]


KIND = FileKind(
    "a folder of usage graphs",
    "a folder of usage graphs, with uses.csv",
    matches,
    options=("--encoding", "--skip-bad"),
    read_together=_import_folders,
)


def write_dataset(out: Path) -> None:
    """Write the folder of DWUG EN: the corpus of ``wsd import`` for the unpacked, verified archive.

    Parameters
    ----------
    out : Path
        Replaced as a whole. It must hold no other files.

    Raises
    ------
    DownloadError
        If the archive cannot be obtained, or is damaged or wrong.
    ConfigError
        If ``out`` holds files that are not the dataset's.
    """
    refuse_foreign_files(out, (UNLABELLED_FILE, EXTRA_UNLABELLED, JUDGMENTS, CHANGE, MANIFEST))
    log_licence(DWUG_EN)
    with available(ARCHIVE) as archive, tempfile.TemporaryDirectory() as folder:
        for name, data in verified(archive, ARCHIVE.file_checksums()):
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        graphs = read([Path(folder)], Options())
    manifest = write_corpus.manifest_of(DWUG_EN, ARCHIVE, labelled=False)
    tables = graphs.further_files()
    write_corpus.lay_out(out, graphs.rows, manifest, noted=True, further_files=tables)
    log.info(
        "%d words, %d uses, %d judgments",
        len(graphs.rows), sum(map(len, graphs.rows.values())), len(graphs.judgments),
    )  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_listings(parser)
    add_out_folder(parser, "folder for the corpus files")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    write_dataset(args.out)
    list_folders(args.listings)
