"""Predict the sense of a word in new text, from the command line."""

import argparse
import io
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wsd.arguments import add_choice, add_configuration, add_run, count, processors, writes
from wsd.artifacts.named_runs import SELECTION, runs_with
from wsd.artifacts.view_names import DEVICES
from wsd.corpora.word_names import matching_words
from wsd.errors import ConfigError, CorpusError, unknown_choice
from wsd.fitted.selected_results import Results
from wsd.fitted.train_selected import Fitting
from wsd.fitted.wsd_file import WsdFile
from wsd.inference.encoders import fitted_encoder
from wsd.inference.input_output import FORMATS, OK, STATUSES, UNREADABLE, Answer, Line, read, write
from wsd.inference.predictor import Predictor
from wsd.inference.requests import Words
from wsd.logs import log
from wsd.storage.atomic import replacing

KEPT = "selected.wsd"  # the selected configuration of a run, as `snakemake fit` keeps it
STANDARD_STREAM = Path("-")
# Formats by suffix, in any capitals.
FORMAT_OF = {".csv": "csv", ".jsonl": "jsonl", ".txt": "table", "": "table"}
# Suffixes of formats that are neither written nor read.
OTHER_FORMATS = (".json", ".ndjson", ".parquet", ".tab", ".tsv", ".xlsx", ".xml")


def _check_files(args: argparse.Namespace, out: Path | None) -> None:
    """Refuse files that cannot be read or written, before anything is loaded."""
    if args.text and args.file:
        raise ConfigError("sentences and a file", where="--file", fix="give one of both")
    if out is None and sys.stdout is None:
        raise ConfigError("standard output is closed", where="--out", fix="name a file")
    suffix = "" if args.file is None else args.file.suffix.lower()
    if not args.jsonl and suffix in (".csv", *OTHER_FORMATS):
        problem = f"the file {args.file.name!r} is not read: its suffix is not of text, nor .jsonl"
        fix = "give a sentence per line as .txt, or JSON lines as .jsonl or with --jsonl"
        raise ConfigError(problem, where="--file", fix=fix)


def _output_format(out: Path | None, asked: str | None) -> str:
    """Return the output format, as an option or the file's suffix names it."""
    if out is None:
        return asked or FORMATS[0]
    suffix = out.suffix.lower()
    by_suffix = FORMAT_OF.get(suffix)
    if suffix in OTHER_FORMATS or (asked and suffix and by_suffix not in (None, asked)):
        option = f"and --format {asked}" if asked else "without a format"
        fix = "end its name in .csv, .jsonl or .txt (a table to read), as --format says"
        raise ConfigError(f"the file {out.name!r}, {option}", where="--out", fix=fix)
    if not (asked or by_suffix):
        fix = f"add --format ({', '.join(FORMATS)}), or end its name in .csv, .jsonl or .txt"
        raise ConfigError(f"the suffix {out.suffix!r} names no format", where="--out", fix=fix)
    return asked or str(by_suffix)


def _fitted_words(args: argparse.Namespace) -> tuple[Words, dict[str, str]]:
    """Return the fitted words of a model file or of results, and their configuration.

    The words of results come from the model file that the run keeps, if it has the same
    configuration; else they are fitted again.
    """
    asked = (args.model, args.view, args.layers, args.classifier)
    if args.model_file is not None:
        if any((*asked, args.of_run)):
            problem = "a model file has one configuration"
            where = "--run, --model, --view, --layers, --classifier"
            raise ConfigError(problem, where=where, fix="leave them out, or --model-file")
        file = WsdFile(args.model_file, Results(args.results) if args.results else None)
        return file, file.manifest["configuration"]
    results = Results(args.results or _only_results(), args.of_run)
    fitting = Fitting(results, results.choose(*asked))
    configuration = vars(fitting.configuration)
    if results.map.has(KEPT):
        file = WsdFile(results.map.file(KEPT), results)
        if file.manifest["predictions"] == fitting.source:
            return file, configuration
    log.info("fitting: %s (`wsd fit` keeps it)", fitting.configuration)
    return fitting, configuration


def _resolve_word(name: str | None, words: Sequence[str]) -> str | None:
    candidates = [None] if name is None else matching_words(name, words)
    if len(candidates) > 1:
        problem = f"{name!r} may be {' or '.join(map(str, candidates))}"
        raise ConfigError(problem, where="--word", fix="name one of them")
    if not candidates:
        raise unknown_choice(f"no word {name!r} was fitted", words, "--word")
    return candidates[0]


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
    """Yield the lines to answer, and whether somebody types them."""
    if args.text:
        yield [Line(i, text, word) for i, text in enumerate(args.text, start=1)], False
    elif args.file is not None and args.file != STANDARD_STREAM:
        as_json = args.jsonl or args.file.suffix.lower() == ".jsonl"
        with args.file.open("rb") as stream:
            yield read(stream, word=word, as_json=as_json), stream.isatty()
    elif sys.stdin is None:
        raise ConfigError("standard input is closed", where="--file", fix="name a file")
    else:
        yield read(sys.stdin.buffer, word=word, as_json=args.jsonl), sys.stdin.isatty()


def _counted(answers: Iterable[Answer], count: Counter[str]) -> Iterator[Answer]:
    for answer in answers:
        count[answer.status] += 1
        yield answer


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
    parser.add_argument("--word", help="the word in question (default: every word that is known)")
    text = "a line per sentence; -, standard input; or .jsonl"
    parser.add_argument("--file", type=Path, help=text)
    parser.add_argument(
        "--jsonl",
        action="store_true",
        help='lines are {"text": ...}, perhaps with "word", and with "start" and "end"',
    )
    text = "default: what the suffix of --out says, else a table to read"
    parser.add_argument("--format", choices=FORMATS, help=text)
    text = ".csv, .jsonl or .txt (default: standard output)"
    parser.add_argument("--out", type=Path, metavar="FILE", help=text)
    writes(parser, "out")
    parser.add_argument("--model-file", type=Path, metavar="FILE", help="of `wsd fit`")
    text = "folder results/<dataset> (default: the only one there is)"
    parser.add_argument("--results", type=Path, help=text)
    add_run(parser)
    add_configuration(parser)
    text = "where the encoder's files are"
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
    # Only `wsd model` downloads.
    os.environ["HF_HUB_OFFLINE"] = "1"
    out = None if args.out == STANDARD_STREAM else args.out
    _check_files(args, out)
    form = _output_format(out, args.format)
    words, configuration = _fitted_words(args)
    word = _resolve_word(args.word, words.words)
    encoder = fitted_encoder(words.encoder, args.encoder, device=args.device)
    predictor = Predictor(words, encoder, threads=args.threads)
    details = bool(args.text)
    count: Counter[str] = Counter()
    with _input(args, word) as (lines, typed):
        if typed:
            log.info("a sentence per line, each answered at once; Ctrl-D ends")
        answers = predictor.predict(
            lines,
            # A row of a table has no room for them.
            neighbours=details or form == "jsonl",
            # A user who types waits for the answer before the next line.
            together=1 if typed else None,
        )
        _write(write(_counted(answers, count), form, configuration, details=details), out)
    _report(count, details)
