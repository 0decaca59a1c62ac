"""The command that says the sense of a word in new text, put together from the parts."""

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
from wsd.corpora.word_names import named
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

KEPT = "selected.wsd"  # where `snakemake fit` keeps the selected configuration of a run
STANDARD_STREAM = Path("-")
# The format that a file's suffix names, in any capitals.
FORMAT_OF = {".csv": "csv", ".jsonl": "jsonl", ".txt": "table", "": "table"}
# Suffixes of formats that are not written, and not read either.
OTHER_FORMATS = (".json", ".ndjson", ".parquet", ".tab", ".tsv", ".xlsx", ".xml")


def _check_files(args: argparse.Namespace) -> None:
    """Refuse what cannot be read or written, before anything is loaded."""
    if args.text and args.file:
        raise ConfigError("sentences and a file", where="--file", fix="give one of both")
    if args.out is None and sys.stdout is None:
        raise ConfigError("standard output is closed", where="--out", fix="name a file")
    suffix = "" if args.file is None else args.file.suffix.lower()
    if not args.jsonl and suffix in (".csv", *OTHER_FORMATS):
        what = f"the file {args.file.name!r} is not read: its suffix is neither of text nor .jsonl"
        fix = "give a sentence per line as .txt, or JSON lines as .jsonl or with --jsonl"
        raise ConfigError(what, where="--file", fix=fix)


def _output_format(out: Path | None, asked: str | None) -> str:
    """The format that is asked for, which a file's suffix may name."""
    if out is None:
        return asked or FORMATS[0]
    suffix = out.suffix.lower()
    named = FORMAT_OF.get(suffix)
    if suffix in OTHER_FORMATS or (asked and suffix and named not in (None, asked)):
        what = f"the file {out.name!r}, {f'and --format {asked}' if asked else 'without a format'}"
        fix = "end its name in .csv, .jsonl or .txt (a table to read), as --format says"
        raise ConfigError(what, where="--out", fix=fix)
    if not (asked or named):
        fix = f"add --format ({', '.join(FORMATS)}), or end its name in .csv, .jsonl or .txt"
        raise ConfigError(f"the suffix {out.suffix!r} names no format", where="--out", fix=fix)
    return asked or str(named)


def _fitted_words(args: argparse.Namespace) -> tuple[Words, dict[str, str]]:
    """The words of a model file, or of results; and what they were fitted on and with.

    Those of results come from their kept file if that is of what is asked for, else they are
    fitted anew.
    """
    asked = (args.model, args.view, args.layers, args.classifier)
    if args.model_file is not None:
        if any((*asked, args.of_run)):
            what = "a model file is of one configuration"
            where = "--run, --model, --view, --layers, --classifier"
            raise ConfigError(what, where=where, fix="leave them out, or --model-file")
        kept = WsdFile(args.model_file, Results(args.results) if args.results else None)
        return kept, kept.manifest["configuration"]
    found = Results(args.results or _only_results(), args.of_run)
    fitting = Fitting(found, found.choose(*asked))
    used = vars(fitting.configuration)
    if found.map.has(KEPT):
        kept = WsdFile(found.map.file(KEPT), found)
        if kept.manifest["predictions"] == fitting.source:
            return kept, used
    log.info("fitting: %s (`wsd fit` keeps it)", fitting.configuration)
    return fitting, used


def _one_word(asked: str, words: Sequence[str]) -> str:
    meant = named(asked, words)
    if len(meant) == 1:
        return meant[0]
    if meant:
        fix = "name one of them"
        raise ConfigError(f"{asked!r} may be {' or '.join(meant)}", where="--word", fix=fix)
    raise unknown_choice(f"no word {asked!r} was fitted", words, "--word")


def _only_results() -> Path:
    found = sorted(path for path in Path("results").glob("*") if runs_with(path, SELECTION))
    if len(found) != 1:
        raise ConfigError(
            f"{len(found)} datasets with results here: {', '.join(map(str, found)) or '-'}",
            where="--results",
            fix="name one, such as --results results/quickstart; or give a --model-file"
            + ("" if found else "; or run snakemake first"),
        )
    return found[0]


@contextmanager
def _input(args: argparse.Namespace) -> Iterator[tuple[Iterable[Line], bool]]:
    """The lines to answer, and whether somebody types them."""
    if args.text:
        yield [Line(i, text, args.word) for i, text in enumerate(args.text, start=1)], False
    elif args.file is not None and args.file != STANDARD_STREAM:
        as_json = args.jsonl or args.file.suffix.lower() == ".jsonl"
        with args.file.open("rb") as stream:
            yield read(stream, word=args.word, as_json=as_json), stream.isatty()
    elif sys.stdin is None:
        raise ConfigError("standard input is closed", where="--file", fix="name a file")
    else:
        yield read(sys.stdin.buffer, word=args.word, as_json=args.jsonl), sys.stdin.isatty()


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
        # What the terminal's encoding has no letter for, it gets as an escape.
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.stdout.writelines(lines)
    sys.stdout.flush()


def _report(count: Counter[str], details: bool) -> None:
    if not details:
        said = ", ".join(f"{count[status]} {status}" for status in STATUSES if count[status])
        log.info("%s", said or "no lines")
    if count[UNREADABLE]:
        what = f"could not be read: {count[UNREADABLE]} of {count.total()} rows"
        raise CorpusError(what, fix="each row says why")
    if details and count.total() > count[OK]:
        raise CorpusError("not every sentence could be answered", fix="each says why above")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
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
        When all is written, if lines could not be read, or a sentence that was given has no
        occurrence of the word.
    """
    # The hub is never asked: `wsd model` alone fetches.
    os.environ["HF_HUB_OFFLINE"] = "1"
    args.out = None if args.out == STANDARD_STREAM else args.out
    _check_files(args)
    form = _output_format(args.out, args.format)
    words, used = _fitted_words(args)
    if args.word is not None:
        args.word = _one_word(args.word, words.words)
    encoder = fitted_encoder(words.encoder, args.encoder, device=args.device)
    predictor = Predictor(words, encoder, threads=args.threads)
    details = bool(args.text)
    count: Counter[str] = Counter()
    with _input(args) as (lines, typed):
        if typed:
            log.info("a sentence per line, each answered at once; Ctrl-D ends")
        answers = predictor.predict(
            lines,
            # Shown where there is room for them.
            neighbours=details or form == "jsonl",
            # Whoever types waits for the answer before the next line.
            together=1 if typed else None,
        )
        _write(write(_counted(answers, count), form, used, details=details), args.out)
    _report(count, details)
