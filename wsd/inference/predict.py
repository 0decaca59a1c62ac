"""Predict the sense of a word in new text, from the command line."""

import argparse
import io
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice, tee
from pathlib import Path
from typing import Any

from wsd.arguments import (
    add_choice,
    add_configuration,
    add_run,
    count,
    excludes,
    processors,
    writes,
)
from wsd.artifacts.dataset import ENGLISH
from wsd.artifacts.encoder_input import DEVICES
from wsd.artifacts.find_runs import SELECTION, runs_with
from wsd.corpora.importer import labelled_tables
from wsd.corpora.importer.labelled_tables import Options
from wsd.corpora.word_forms import language_code, read_forms
from wsd.errors import ConfigError, CorpusError
from wsd.fitted.selected_results import Results
from wsd.fitted.wsd_file import WsdFile
from wsd.inference.answers import FORMATS, OK, STATUSES, UNREADABLE, Answer, write
from wsd.inference.encoders import fitted_encoder
from wsd.inference.predictor import TOP, Dictionary, Predictor, Words, fitted_words, resolve_word
from wsd.inference.sentences import SUFFIXES, Line, read_stream, read_table, with_all_columns
from wsd.logs import log
from wsd.storage.atomic import replacing

STANDARD_STREAM = Path("-")
PAGE = "new-text.html"
MOST_SHOWN = 500  # lines whose sentences are on a page
JSON_LINES = ".jsonl"
# Output formats by suffix, in lower case.
FORMAT_OF = {".csv": "csv", JSON_LINES: "jsonl", ".txt": "table", "": "table"}
NOT_TEXT = (".ndjson", ".tab", ".xlsx", ".xml")


def _output_format(out: Path | None, option: str | None) -> str:
    """Return the output format that ``--format`` or else the suffix of the file names."""
    form = option or (FORMATS[0] if out is None else FORMAT_OF.get(out.suffix.lower()))
    if form is None:
        fix = f"add --format ({', '.join(FORMATS)}), or end its name in .csv, .jsonl or .txt"
        raise ConfigError(f"the file {str(out)!r}, without a format", where="--out", fix=fix)
    return form


def _predictor(args: argparse.Namespace) -> tuple[Predictor, dict[str, str], Results | None]:
    """Return what answers, its configuration, and the results, if they have pages."""
    words: Words
    results = None
    if args.senses is not None:
        forms = read_forms(args.forms) if args.forms else {}
        dictionary = Dictionary(
            args.senses, args.model, args.layers or TOP, args.encoder,
            forms=forms, language=language_code(args.language or ENGLISH),
            device=args.device, threads=args.threads,
        )  # fmt: skip
        predictor = Predictor(dictionary, dictionary.encoder, threads=args.threads)
        return predictor, dictionary.configuration, None
    # The encoder must be the one of the results.
    os.environ["HF_HUB_OFFLINE"] = "1"
    if args.forms or args.language:
        fix = "add --senses; or give them to `wsd import`, and run snakemake again"
        problem = "the corpus decides forms and language"
        raise ConfigError(problem, where="--forms, --language", fix=fix)
    if args.model_file is not None:
        words = WsdFile(args.model_file, Results(args.results) if args.results else None)
        configuration = words.manifest["configuration"]
    else:
        results = Results(args.results or _only_results(), args.of_run)
        chosen = results.choose(args.model, args.view, args.layers, args.classifier)
        words, configuration = fitted_words(results, chosen), vars(chosen)
    encoder = fitted_encoder(words.encoder, args.encoder, device=args.device)
    return Predictor(words, encoder, threads=args.threads), configuration, results


def _only_results() -> Path:
    folders = sorted(path for path in Path("results").glob("*") if runs_with(path, SELECTION))
    if len(folders) != 1:
        names = ", ".join(map(str, folders)) or "-"
        fix = "name one, such as --results results/quickstart; or give a --model-file"
        fix += "" if folders else "; or run snakemake first"
        problem = f"{len(folders)} datasets with results here: {names}"
        raise ConfigError(problem, where="--results", fix=fix)
    return folders[0]


@contextmanager
def _input(args: argparse.Namespace, word: str | None) -> Iterator[tuple[Iterable[Line], bool]]:
    """Yield the lines to answer, and whether a user types them."""
    suffix = "" if args.file is None else args.file.suffix.lower()
    as_json = args.jsonl or suffix == JSON_LINES
    if suffix in NOT_TEXT and not as_json:
        fix = "give a sentence per line as .txt, or a table as .csv, .tsv, .jsonl or .parquet"
        raise ConfigError(f"cannot read {args.file.name!r}", where="--file", fix=fix)
    columns = labelled_tables.parse_columns(args.columns)
    options = Options(columns, encoding=args.encoding, quiet=True)
    if args.text:
        yield [Line(i, text, word) for i, text in enumerate(args.text, start=1)], False
    elif suffix in SUFFIXES and not as_json:
        yield read_table(args.file, options, word), False
    elif args.file is not None and args.file != STANDARD_STREAM:
        with args.file.open("rb") as stream:
            lines = read_stream(stream, options, word, as_json=as_json)
            yield with_all_columns(lines) if as_json else lines, False
    elif sys.stdin is None:
        raise ConfigError("standard input is closed", where="--file", fix="name a file")
    else:
        stream = sys.stdin.buffer
        yield read_stream(stream, options, word, as_json=as_json), sys.stdin.isatty()


def _counted(answers: Iterable[Answer], count: Counter[str]) -> Iterator[Answer]:
    for answer in answers:
        count[answer.status] += 1
        yield answer


def _page_file(value: str) -> Path:
    if not value.lower().endswith(".html"):
        fix = "give sentences before --show, or end the file's name in .html"
        raise argparse.ArgumentTypeError(f"{value!r} is not a page: {fix}")
    return Path(value)


def _write(lines: Iterable[str], out: Path | None) -> None:
    if out is not None:
        with replacing(out) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as to:
            to.writelines(lines)
        return
    if sys.stdout is None:
        raise ConfigError("standard output is closed", where="--out", fix="name a file")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Characters that the terminal cannot show are escaped.
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.stdout.writelines(lines)
    sys.stdout.flush()


def _report(count: Counter[str], details: bool) -> None:
    if not details:
        numbers = ", ".join(f"{count[status]} {status}" for status in STATUSES if count[status])
        log.info("%s", numbers or "no lines")
    if count[UNREADABLE]:
        problem = f"could not be read: {count[UNREADABLE]} of {count.total()} rows"
        raise CorpusError(problem, fix="each row says why")
    if details and count.total() > count[OK]:
        raise CorpusError("not every sentence could be answered", fix="each says why above")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    source = parser.add_mutually_exclusive_group()
    text = "sentences (default: lines of --file or standard input)"
    source.add_argument("text", nargs="*", default=[], help=text)
    text = (
        "a sentence per line, .jsonl, or a table (.csv, .tsv, .json, .parquet); - is standard input"
    )
    source.add_argument("--file", type=Path, help=text)
    parser.add_argument("--word", help="the focal word (default: every fitted word)")
    text = "column of a table, if its name is not recognised: sentence=, word=, start=, ..."
    parser.add_argument("--columns", nargs="+", default=[], metavar="KEY=COLUMN", help=text)
    parser.add_argument("--encoding", help="encoding of a table, such as cp1252")
    text = "lines are objects, with keys as the columns of a table"
    parser.add_argument("--jsonl", action="store_true", help=text)
    text = "default: the format of the suffix of --out, or a table to read"
    parser.add_argument("--format", choices=FORMATS, help=text)
    text = ".csv, .jsonl or .txt (default: standard output)"
    parser.add_argument("--out", type=Path, metavar="FILE", help=text)
    text = f"also write the word's page with the sentences marked (default: {PAGE})"
    how: dict[str, Any] = {"type": _page_file, "nargs": "?", "const": PAGE, "metavar": "FILE"}
    parser.add_argument("--show", help=text, **how)
    writes(parser, "out", "show")
    parser.add_argument("--model-file", type=Path, metavar="FILE", help="of `wsd fit`")
    text = "folder results/<dataset> (default: the only one there is)"
    parser.add_argument("--results", type=Path, help=text)
    add_run(parser)
    add_configuration(parser)
    text = (
        "table with the columns word, sense, gloss: predict from the glosses alone, by the cosine "
        "with their vectors (of --model, at --layers, by default the last)"
    )
    parser.add_argument("--senses", type=Path, metavar="FILE", help=text)
    text = "with --senses: a table with the columns word and form, as for `wsd import`"
    parser.add_argument("--forms", type=Path, metavar="FILE", help=text)
    text = f"with --senses: code of its language (default: {ENGLISH})"
    parser.add_argument("--language", metavar="CODE", help=text)
    text = "folder of the encoder's files"
    parser.add_argument("--encoder", type=Path, metavar="FOLDER", help=text)
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--threads", type=count, default=processors())
    configuration = ("--run", "--view", "--classifier", "--show")
    excludes(parser, "--model-file", *configuration, "--model", "--layers")
    excludes(parser, "--senses", *configuration, "--model-file", "--results")


def run(args: argparse.Namespace) -> None:
    """Answer sentences, or the lines of a file or of standard input.

    Raises
    ------
    CorpusError
        After all output is written, if lines could not be read, or a sentence given as an argument
        has no occurrence of the word.
    """
    out = None if args.out == STANDARD_STREAM else args.out
    form = _output_format(out, args.format)
    predictor, configuration, results = _predictor(args)
    page = None
    if args.show and results:
        from wsd.inference.new_text_page import NewTextPage

        page = NewTextPage(results, configuration["model"])
    word = None if args.word is None else resolve_word(args.word, predictor.words.words)
    details = bool(args.text)
    count: Counter[str] = Counter()
    with _input(args, word) as (lines, typed):
        if typed:
            log.info("a sentence per line, each answered at once; Ctrl-D ends")
        lines, shown = tee(lines) if page else (lines, ())
        answers = predictor.predict(
            lines,
            neighbours=details or form == "jsonl",  # a row of a table has no room for them
            together=1 if typed else None,  # a user who types waits for each answer
        )
        _write(write(_counted(answers, count), form, configuration, details=details), out)
    if page:
        page.write(predictor, predictor.find(islice(shown, MOST_SHOWN)), args.show)
    _report(count, details)
