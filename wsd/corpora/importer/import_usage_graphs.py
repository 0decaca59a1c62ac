"""Import folders of word usage graphs as a corpus without senses (``wsd import FOLDER``).

Two further files of the corpus hold what people judged: ``judgments.tsv`` has the ratings of pairs
of uses, and ``change.tsv`` the published change of each word. The study of change reads them.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

from wsd.artifacts.dataset import CHANGE, JUDGMENTS
from wsd.corpora.focal_form_check import FormCheck
from wsd.corpora.importer import dwug_folder, write_corpus
from wsd.corpora.importer.dwug_folder import CHANGE_COLUMNS, JUDGMENT_COLUMNS, UsageGraphs
from wsd.corpora.importer.import_summary import plural, shorten
from wsd.corpora.importer.input_formats import FileKind, Request
from wsd.errors import ConfigError, CorpusError

# The smallest number of uses of a word that can form two groups.
LEAST = 3


def further_files(graphs: UsageGraphs, words: Sequence[str]) -> dict[str, list[str]]:
    """Return the lines of the tables of judgments and change, about these words."""
    judgments = ["\t".join(row) for row in graphs.judgments if row[0] in words]
    change = ["\t".join((word, *graphs.change[word])) for word in words if word in graphs.change]
    tables = {JUDGMENTS: (JUDGMENT_COLUMNS, judgments), CHANGE: (CHANGE_COLUMNS, change)}
    return {name: ["\t".join(header), *rows] for name, (header, rows) in tables.items() if rows}


def without_rare_words(graphs: UsageGraphs) -> tuple[UsageGraphs, dict[str, int]]:
    """Return the graphs without words of fewer than three uses, and the number of these by reason.

    Raises
    ------
    CorpusError
        If no word has enough uses.
    """
    words = {word: rows for word, rows in sorted(graphs.rows.items()) if len(rows) >= LEAST}
    if not words:
        where = ", ".join(map(str, graphs.files))
        fix = f"give {LEAST} or more uses of a word"
        raise CorpusError(f"no word has {LEAST} uses", where=where, fix=fix)
    left_out = {f"words with fewer than {LEAST} uses": len(graphs.rows) - len(words)}
    graphs.rows = words
    return graphs, {reason: number for reason, number in left_out.items() if number}


def _read_together(request: Request) -> list[str]:
    """Read all folders, write the corpus, and return the lines of the summary."""
    if others := [path for path in request.files if not dwug_folder.matches(path)]:
        problem = f"{others[0]} is no folder of usage graphs, but {request.files[0]} is one"
        raise ConfigError(problem, where="FILE", fix="import them separately")
    graphs = UsageGraphs()
    for path in request.files:
        graphs += dwug_folder.read(path, request.options)
    bad_lines = request.settle(sum(map(len, graphs.rows.values())))
    graphs, left_out = without_rare_words(graphs)
    left_out = {**left_out, **bad_lines}
    forms = FormCheck(request.known_forms())
    for row in chain.from_iterable(graphs.rows.values()):
        forms.add(row.word, row.position, row.tokens, row.where)
    write_corpus.check_forms(forms, request)
    manifest = write_corpus.start_manifest(request, graphs.files, labelled=False, left_out=left_out)
    tables = further_files(graphs, [*graphs.rows])
    write_corpus.lay_out_unlabelled(request.args.out, graphs.rows, manifest, further_files=tables)
    return [
        f"{plural(len(graphs.rows), 'word')} without senses; "
        f"{plural(len(tables.get(JUDGMENTS, [''])) - 1, 'judgment')}, "
        f"{plural(len(tables.get(CHANGE, [''])) - 1, 'word')} with a published change",
        *shorten(_counts(graphs.rows), "words"),
        *(f"left out: {reason}: {number}" for reason, number in left_out.items()),
    ]


def _counts(words: Mapping[str, Sequence[object]]) -> list[str]:
    return [f"{word}: {plural(len(rows), 'use')}" for word, rows in words.items()]


KIND = FileKind(
    "a folder of usage graphs",
    "a folder of usage graphs, with uses.csv",
    dwug_folder.matches,
    options=("--encoding", "--skip-bad"),
    read_together=_read_together,
)
