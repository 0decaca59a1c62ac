"""``wsd predict``: what the command is asked for, put together from the parts."""

import io
import logging
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from wsd import features, streams
from wsd.errors import ConfigError, CorpusError
from wsd.files import check_target, replacing
from wsd.fitting import FittedWord, Fitting, FromResults, Results, training_sentences
from wsd.modelfile import ModelFile
from wsd.predict import OK, STATUSES, UNREADABLE, Line, Predictor, Row, Words, open_encoder

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
    if out == STANDARD_STREAM:
        out = None
    if out is None and sys.stdout is None:
        raise ConfigError("standard output is closed", where="--out", fix="name a file")
    if out is not None:
        check_target(out)
        for option, given in (("--file", file), ("--model-file", model_file)):
            if given is not None and out.exists() and given.exists() and out.samefile(given):
                raise ConfigError(f"the file of {option}", where="--out", fix="name another")
    if texts and file:
        raise ConfigError("sentences and a file", where="--file", fix="give one of both")
    words, used = _words(model_file, results, asked)
    if word is not None and word not in words.words:
        raise ConfigError(
            f"no word {word!r} was fitted",
            where="--word",
            fix=f"choose among {', '.join(words.words)}",
        )
    opened = open_encoder(words.encoder, encoder, device=device)
    blocks = words.encoder["model"]["blocks"]
    found = features.features(used["view"], used["layers"], blocks)
    predictor = Predictor(words, opened, found, threads=threads)
    details = bool(texts)
    typed = False
    with ExitStack() as stack:
        if texts:
            lines: Iterable[Line] = [Line(i, t, word) for i, t in enumerate(texts, start=1)]
        else:
            if file is None or file == STANDARD_STREAM:
                if sys.stdin is None:
                    raise ConfigError("standard input is closed", where="--file", fix="name a file")
                source: BinaryIO = sys.stdin.buffer
            else:
                source = stack.enter_context(file.open("rb"))
                as_json = as_json or file.suffix == ".jsonl"
            # Whoever types waits for the answer before the next line.
            typed = source.isatty()
            if typed:
                log.info("a sentence per line, each answered at once; Ctrl-D ends")
            lines = streams.read(source, word=word, as_json=as_json)
        # Neighbours are shown where there is room for them.
        with_neighbours = details or form == "jsonl"
        count = dict.fromkeys(STATUSES, 0)
        rows = predictor.predict(lines, neighbours=with_neighbours, together=1 if typed else None)
        written = streams.write(_counted(rows, count), form, used, details=details)
        if out is None:
            _print(written)
        else:
            temporary = stack.enter_context(replacing(out))
            with temporary.open("w", encoding="utf-8", newline="\n") as to:
                to.writelines(written)
    _report(count, details)


def _words(
    model_file: Path | None,
    results: Path | None,
    asked: tuple[str | None, str | None, str | None, str | None],
) -> tuple[Words, dict[str, str]]:
    if model_file is not None:
        if any(asked):
            raise ConfigError(
                "a model file is of one configuration",
                where="--model, --view, --layers, --classifier",
                fix="leave them out, or --model-file",
            )
        kept = ModelFile(model_file)
        return WithCorpus(kept, results), dict(kept.manifest["configuration"])
    folder = results or _only_results()
    fitting = Fitting(Results(folder), Results(folder).choose(*asked))
    used = vars(fitting.configuration)
    if (folder / KEPT).exists():
        kept = ModelFile(folder / KEPT)
        if kept.manifest["predictions"] == fitting.source:
            return WithCorpus(kept, folder), used
    log.info("fitting: %s (`wsd fit` keeps it)", fitting.configuration)
    return FromResults(fitting), used


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


class WithCorpus:
    """A model file's words, with the sentences of a corpus that is at hand.

    Parameters
    ----------
    kept : ModelFile
    results : Path or None
    """

    def __init__(self, kept: ModelFile, results: Path | None) -> None:
        self._kept = kept
        self._results = Results(results) if results else None
        self.encoder, self.words = kept.encoder, kept.words
        self._sentences: dict[str, list[str] | None] = {}

    def word(self, word: str) -> FittedWord:
        """A word of the file."""
        return self._kept.word(word)

    def sentences(self, word: str) -> list[str] | None:
        """Those of the file; else those of the corpus, if it is the one that was fitted on."""
        if word not in self._sentences:
            found = self._kept.sentences(word)
            if found is None and self._results is not None:
                found = training_sentences(self._results, self.word(word))
            self._sentences[word] = found
        return self._sentences[word]


def _counted(rows: Iterable[Row], count: dict[str, int]) -> Iterator[Row]:
    for row in rows:
        count[row.status] += 1
        yield row


def _print(lines: Iterable[str]) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        # What the terminal's encoding has no letter for, it gets as an escape.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        for line in lines:
            sys.stdout.write(line)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has seen enough. What is left in the buffer must not be tried again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(count: dict[str, int], details: bool) -> None:
    said = ", ".join(f"{n} {status}" for status, n in count.items() if n)
    if not details:
        log.info("%s", said or "no lines")
    if count[UNREADABLE]:
        raise CorpusError(
            f"could not be read: {count[UNREADABLE]} of {sum(count.values())} rows",
            fix="each row says why",
        )
    if details and sum(count.values()) > count[OK]:
        raise CorpusError("not every sentence could be answered", fix="each says why above")
