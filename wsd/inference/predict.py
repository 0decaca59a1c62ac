"""``wsd predict``: what the command is asked for, put together from the parts."""

import argparse
import io
import logging
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from wsd.arguments import add_configuration, add_device, count
from wsd.artifacts.views import DEVICES
from wsd.errors import ConfigError, CorpusError
from wsd.fitted.refit import Fitting
from wsd.fitted.results import Results
from wsd.fitted.wsd_file import WsdFile
from wsd.inference import lines
from wsd.inference.answers import OK, STATUSES, UNREADABLE, Answer, Line
from wsd.inference.fitted_encoder import open_encoder
from wsd.inference.lines import read, write
from wsd.inference.predictor import Predictor, Words
from wsd.storage.atomic import check_target, replacing

log = logging.getLogger("wsd")


KEPT = "selected.wsd"  # where `snakemake fit` keeps the selected configuration of a dataset
STANDARD_STREAM = Path("-")


def predict(
    *,
    texts: list[str],
    file: Path | None,
    word: str | None,
    as_json: bool,
    form: str,
    out: Path | None,
    model_file: Path | None,
    results: Path | None,
    asked: tuple[str | None, str | None, str | None, str | None],
    encoder: Path | None,
    device: str,
    threads: int,
) -> None:
    """Answer sentences, or the lines of a file or of standard input.

    Parameters
    ----------
    texts : list of str
        Sentences; if there are none, ``file`` is read, by default standard input.
    file, word, as_json, form, out
        As the command's help has them.
    model_file : Path or None
        If None, the words come from ``results``: from its kept file if that is of what is asked
        for, else they are fitted anew.
    results : Path or None
    asked : model, view, layers, classifier, or None for each
    encoder : Path or None
    device : str
    threads : int

    Raises
    ------
    CorpusError
        When all is written, if lines could not be read, or a sentence that was given has no
        occurrence of the word.
    """
    out = None if out == STANDARD_STREAM else out
    _check_files(texts, file, model_file, out)
    words, used = _fitted_words(model_file, results, asked)
    if word is not None and word not in words.words:
        raise ConfigError(
            f"no word {word!r} was fitted",
            where="--word",
            fix=f"choose among {', '.join(words.words)}",
        )
    predictor = Predictor(
        words, open_encoder(words.encoder, encoder, device=device), threads=threads
    )
    details = bool(texts)
    count: Counter[str] = Counter()
    with _input(texts, file, word, as_json) as (lines, typed):
        if typed:
            log.info("a sentence per line, each answered at once; Ctrl-D ends")
        answers = predictor.predict(
            lines,
            # Shown where there is room for them.
            neighbours=details or form == "jsonl",
            # Whoever types waits for the answer before the next line.
            together=1 if typed else None,
        )
        _write(write(_counted(answers, count), form, used, details=details), out)
    _report(count, details)


def _check_files(
    texts: list[str], file: Path | None, model_file: Path | None, out: Path | None
) -> None:
    """Refuse what cannot be read or written, before anything is loaded."""
    if texts and file:
        raise ConfigError("sentences and a file", where="--file", fix="give one of both")
    if out is None:
        if sys.stdout is None:
            raise ConfigError("standard output is closed", where="--out", fix="name a file")
        return
    check_target(out)
    for option, given in (("--file", file), ("--model-file", model_file)):
        if given is not None and out.exists() and given.exists() and out.samefile(given):
            raise ConfigError(f"the file of {option}", where="--out", fix="name another")


def _fitted_words(
    model_file: Path | None,
    results: Path | None,
    asked: tuple[str | None, str | None, str | None, str | None],
) -> tuple[Words, dict[str, str]]:
    """The words of a model file, or of results; and what they were fitted on and with."""
    if model_file is not None:
        if any(asked):
            raise ConfigError(
                "a model file is of one configuration",
                where="--model, --view, --layers, --classifier",
                fix="leave them out, or --model-file",
            )
        kept = WsdFile(model_file, Results(results) if results else None)
        return kept, kept.manifest["configuration"]
    found = Results(results or _only_results())
    fitting = Fitting(found, found.choose(*asked))
    used = vars(fitting.configuration)
    if (found.folder / KEPT).exists():
        kept = WsdFile(found.folder / KEPT, found)
        if kept.manifest["predictions"] == fitting.source:
            return kept, used
    log.info("fitting: %s (`wsd fit` keeps it)", fitting.configuration)
    return fitting, used


def _only_results() -> Path:
    found = sorted(path.parent for path in Path("results").glob("*/selection.csv"))
    if len(found) != 1:
        raise ConfigError(
            f"{len(found)} datasets with results here: {', '.join(map(str, found)) or '-'}",
            where="--results",
            fix="name one, such as --results results/quickstart; or give a --model-file"
            + ("" if found else "; or run snakemake first"),
        )
    return found[0]


@contextmanager
def _input(
    texts: list[str], file: Path | None, word: str | None, as_json: bool
) -> Iterator[tuple[Iterable[Line], bool]]:
    """The lines to answer, and whether somebody types them."""
    if texts:
        yield [Line(i, text, word) for i, text in enumerate(texts, start=1)], False
    elif file is not None and file != STANDARD_STREAM:
        as_json = as_json or file.suffix == ".jsonl"
        with file.open("rb") as stream:
            yield read(stream, word=word, as_json=as_json), stream.isatty()
    elif sys.stdin is None:
        raise ConfigError("standard input is closed", where="--file", fix="name a file")
    else:
        yield read(sys.stdin.buffer, word=word, as_json=as_json), sys.stdin.isatty()


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
    try:
        sys.stdout.writelines(lines)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has seen enough. What is left in the buffer must not be tried again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(count: Counter[str], details: bool) -> None:
    if not details:
        said = ", ".join(f"{count[status]} {status}" for status in STATUSES if count[status])
        log.info("%s", said or "no lines")
    if count[UNREADABLE]:
        raise CorpusError(
            f"could not be read: {count[UNREADABLE]} of {count.total()} rows",
            fix="each row says why",
        )
    if details and count.total() > count[OK]:
        raise CorpusError("not every sentence could be answered", fix="each says why above")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "text", nargs="*", help="sentences (default: lines of --file or standard input)"
    )
    parser.add_argument("--word", help="the word in question (default: every word that is known)")
    parser.add_argument(
        "--file", type=Path, help="a line per sentence; -, standard input; or .jsonl"
    )
    parser.add_argument("--jsonl", action="store_true", help='lines are {"text": ..., "word": ...}')
    parser.add_argument("--format", default=lines.FORMATS[0], choices=lines.FORMATS)
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    parser.add_argument("--model-file", type=Path, metavar="FILE", help="of `wsd fit`")
    parser.add_argument(
        "--results", type=Path, help="folder results/<dataset> (default: the only one there is)"
    )
    add_configuration(parser)
    parser.add_argument(
        "--encoder", type=Path, metavar="FOLDER", help="where the encoder's files are"
    )
    add_device(parser, DEVICES)
    parser.add_argument("--threads", type=count, default=os.cpu_count() or 1)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    # The hub is never asked: `wsd model` alone fetches.
    os.environ["HF_HUB_OFFLINE"] = "1"
    predict(
        texts=args.text,
        file=args.file,
        word=args.word,
        as_json=args.jsonl,
        form=args.format,
        out=args.out,
        model_file=args.model_file,
        results=args.results,
        asked=(args.model, args.view, args.layers, args.classifier),
        encoder=args.encoder,
        device=args.device,
        threads=args.threads,
    )
