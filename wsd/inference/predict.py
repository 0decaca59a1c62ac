"""Predict the sense of a word in new text, from the command line."""

import argparse
import io
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsd.arguments import add_choice, add_configuration, add_run, count, processors, writes
from wsd.artifacts.dataset import ENGLISH
from wsd.artifacts.find_runs import SELECTION, runs_with
from wsd.artifacts.view_names import DEVICES
from wsd.corpora.find_word import KnownForms
from wsd.corpora.importer import table_columns
from wsd.corpora.importer.table_cells import Options
from wsd.corpora.word_forms import language_code, read_forms
from wsd.errors import ConfigError, CorpusError
from wsd.fitted.selected_results import Results
from wsd.fitted.wsd_file import WsdFile
from wsd.inference.dictionary import TOP, Dictionary
from wsd.inference.encoders import fitted_encoder
from wsd.inference.fitted_words import fitted_words, resolve_word
from wsd.inference.input_output import FORMATS, OK, STATUSES, UNREADABLE, Answer, Line, read, write
from wsd.inference.predictor import Predictor
from wsd.inference.read_requests import Words
from wsd.inference.table_rows import TABLES, read_lines
from wsd.logs import log
from wsd.storage.atomic import replacing

if TYPE_CHECKING:
    from wsd.inference.new_text_page import NewTextPage

STANDARD_STREAM = Path("-")
PAGE = "new-text.html"
MOST_SHOWN = 500  # lines whose sentences are on a page
# Formats by suffix, in lower case.
FORMAT_OF = {".csv": "csv", ".jsonl": "jsonl", ".txt": "table", "": "table"}
# Suffixes of formats that the command neither reads nor writes.
OTHER_FORMATS = (".json", ".ndjson", ".parquet", ".tab", ".tsv", ".xlsx", ".xml")


def _check_files(args: argparse.Namespace, out: Path | None) -> None:
    """Refuse files that cannot be read or written, before anything is loaded."""
    if args.text and args.file:
        raise ConfigError("sentences and a file", where="--file", fix="give only one of them")
    if args.senses is None and (args.forms or args.language != ENGLISH):
        problem = "the corpus decides forms and language"
        fix = "leave them out; or give them to `wsd import`, and run snakemake again"
        raise ConfigError(problem, where="--forms, --language", fix=fix)
    if (args.columns or args.encoding) and not _is_table(args):
        fix = "give a .csv or .tsv by --file, or leave the option out"
        raise ConfigError("no table", where="--columns, --encoding", fix=fix)
    if out is None and sys.stdout is None:
        raise ConfigError("standard output is closed", where="--out", fix="name a file")
    suffix = "" if args.file is None else args.file.suffix.lower()
    if not args.jsonl and suffix in OTHER_FORMATS and not _is_table(args):
        problem = f"cannot read {args.file.name!r}: its suffix is of another format"
        fix = "give a sentence per line as .txt, a table as .csv or .tsv, or JSON lines as .jsonl"
        raise ConfigError(problem, where="--file", fix=fix)


def _output_format(out: Path | None, option: str | None) -> str:
    """Return the output format that ``--format`` or the suffix of the file names."""
    if out is None:
        return option or FORMATS[0]
    suffix = out.suffix.lower()
    by_suffix = FORMAT_OF.get(suffix)
    if suffix in OTHER_FORMATS or (option and suffix and by_suffix not in (None, option)):
        given = f"and --format {option}" if option else "without a format"
        fix = "end its name in .csv, .jsonl or .txt (a table to read), to match --format"
        raise ConfigError(f"the file {out.name!r}, {given}", where="--out", fix=fix)
    if not (option or by_suffix):
        fix = f"add --format ({', '.join(FORMATS)}), or end its name in .csv, .jsonl or .txt"
        raise ConfigError(f"the suffix {out.suffix!r} names no format", where="--out", fix=fix)
    return option or str(by_suffix)


def _fitted_words(args: argparse.Namespace) -> tuple[Words, dict[str, str], Results | None]:
    """Return fitted words of a model file or of results, their configuration, and the results."""
    names = (args.model, args.view, args.layers, args.classifier)
    if args.model_file is not None:
        if any((*names, args.of_run)):
            problem = "a model file has one configuration"
            where = "--run, --model, --view, --layers, --classifier"
            raise ConfigError(problem, where=where, fix="leave them out, or --model-file")
        file = WsdFile(args.model_file, Results(args.results) if args.results else None)
        return file, file.manifest["configuration"], None
    results = Results(args.results or _only_results(), args.of_run)
    chosen = results.choose(*names)
    return fitted_words(results, chosen), vars(chosen), results


def _dictionary(args: argparse.Namespace) -> Dictionary:
    """Return the words of ``--senses``."""
    of_results = ("results", "of_run", "model_file", "view", "classifier", "show")
    if given := [name for name in of_results if getattr(args, name)]:
        option = {"of_run": "run"}.get(given[0], given[0]).replace("_", "-")
        problem = f"--{option} needs results, and --senses uses none"
        raise ConfigError(problem, where="--senses", fix=f"leave out --senses or --{option}")
    forms = read_forms(args.forms) if args.forms else {}
    known = KnownForms(language_code(args.language), forms)
    return Dictionary(
        args.senses, args.model, args.layers or TOP, args.encoder,
        known=known, device=args.device, threads=args.threads,
    )  # fmt: skip


def _only_results() -> Path:
    folders = sorted(path for path in Path("results").glob("*") if runs_with(path, SELECTION))
    if len(folders) != 1:
        raise ConfigError(
            f"{len(folders)} datasets with results here: {', '.join(map(str, folders)) or '-'}",
            where="--results",
            fix="name one, such as --results results/quickstart; or give a --model-file"
            + ("" if folders else "; or run snakemake first"),
        )
    return folders[0]


@contextmanager
def _input(args: argparse.Namespace, word: str | None) -> Iterator[tuple[Iterable[Line], bool]]:
    """Yield the lines to answer, and whether a user types them."""
    if args.text:
        yield [Line(i, text, word) for i, text in enumerate(args.text, start=1)], False
    elif _is_table(args):
        columns = table_columns.parse_columns(args.columns)
        options = Options(columns, encoding=args.encoding, quiet=True)
        yield read_lines(args.file, options, word), False
    elif args.file is not None and args.file != STANDARD_STREAM:
        as_json = args.jsonl or args.file.suffix.lower() == ".jsonl"
        with args.file.open("rb") as stream:
            yield read(stream, word=word, as_json=as_json), stream.isatty()
    elif sys.stdin is None:
        raise ConfigError("standard input is closed", where="--file", fix="name a file")
    else:
        yield read(sys.stdin.buffer, word=word, as_json=args.jsonl), sys.stdin.isatty()


def _is_table(args: argparse.Namespace) -> bool:
    suffix = "" if args.file is None or args.jsonl else args.file.suffix.lower()
    return suffix in TABLES


def _counted(answers: Iterable[Answer], count: Counter[str]) -> Iterator[Answer]:
    for answer in answers:
        count[answer.status] += 1
        yield answer


def _new_text_page(results: Results | None, model: str) -> "NewTextPage":
    if results is None:
        fix = "name the results by --results instead of --model-file"
        raise ConfigError("a model file has no pages", where="--show", fix=fix)
    from wsd.inference.new_text_page import NewTextPage

    return NewTextPage(results, model)


def _keep(lines: Iterable[Line], kept: list[Line]) -> Iterator[Line]:
    for number, line in enumerate(lines):
        if number < MOST_SHOWN:
            kept.append(line)
        elif number == MOST_SHOWN:
            log.warning("the page shows the sentences of the first %d lines", MOST_SHOWN)
        yield line


def _show(page: "NewTextPage", predictor: Predictor, lines: Sequence[Line], out: Path) -> None:
    requests = predictor.find(lines)
    words = sorted({request.word for request in requests})
    if len(words) > 1:
        problem = f"a page has one word, the sentences have {', '.join(words)}"
        raise ConfigError(problem, where="--show", fix="name one of them by --word")
    if requests:
        page.write(predictor, requests, out)
    else:
        log.warning("no page: no sentence has the word")


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
    text = "sentences (default: lines of --file or standard input)"
    parser.add_argument("text", nargs="*", help=text)
    parser.add_argument("--word", help="the focal word (default: every fitted word)")
    text = "a sentence per line, .jsonl, or a table (.csv, .tsv); - is standard input"
    parser.add_argument("--file", type=Path, help=text)
    text = "column of a table, if its name is not recognised: sentence=, word=, start=, ..."
    parser.add_argument("--columns", nargs="+", default=[], metavar="KEY=COLUMN", help=text)
    parser.add_argument("--encoding", help="encoding of a table, such as cp1252")
    parser.add_argument(
        "--jsonl",
        action="store_true",
        help='lines are {"text": ...}; "word", "start" and "end" are optional',
    )
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
    parser.add_argument("--language", metavar="CODE", default=ENGLISH, help=text)
    text = "folder of the encoder's files"
    parser.add_argument("--encoder", type=Path, metavar="FOLDER", help=text)
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--threads", type=count, default=processors())


def run(args: argparse.Namespace) -> None:
    """Answer sentences, or the lines of a file or of standard input.

    Raises
    ------
    CorpusError
        After all output is written, if lines could not be read, or a sentence given as an argument
        has no occurrence of the word.
    """
    if args.senses is None:
        # The encoder must be the one of the results.
        os.environ["HF_HUB_OFFLINE"] = "1"
    out = None if args.out == STANDARD_STREAM else args.out
    _check_files(args, out)
    form = _output_format(out, args.format)
    words: Words
    results = None
    if args.senses is None:
        words, configuration, results = _fitted_words(args)
        encoder = fitted_encoder(words.encoder, args.encoder, device=args.device)
    else:
        words = dictionary = _dictionary(args)
        configuration, encoder = dictionary.configuration, dictionary.loaded
    page = _new_text_page(results, configuration["model"]) if args.show else None
    word = None if args.word is None else resolve_word(args.word, words.words)
    predictor = Predictor(words, encoder, threads=args.threads)
    details = bool(args.text)
    count: Counter[str] = Counter()
    kept: list[Line] = []
    with _input(args, word) as (lines, typed):
        if typed:
            log.info("a sentence per line, each answered at once; Ctrl-D ends")
        answers = predictor.predict(
            _keep(lines, kept) if page else lines,
            neighbours=details or form == "jsonl",  # a row of a table has no room for them
            together=1 if typed else None,  # a user who types waits for each answer
        )
        _write(write(_counted(answers, count), form, configuration, details=details), out)
    if page:
        _show(page, predictor, kept, args.show)
    _report(count, details)
