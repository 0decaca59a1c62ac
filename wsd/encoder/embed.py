"""Embed words: write every layer of every view of their instances, in one pass of the encoder.

:mod:`wsd.artifacts.vectors` reads and writes the files. :mod:`wsd.encoder.word_extraction` fills
the files of one word.

In the workflow, the folder has a key of every setting, and the name of a word's folder has a key of
its sentences. So a file that exists is right, whichever run wrote it, and a rerun embeds only the
words that are missing or damaged.
"""

import argparse
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wsd.arguments import (
    add_choice,
    add_corpora,
    add_input,
    add_optional_files,
    add_out_folder,
    add_path,
    count,
    writes,
)
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.encoder_input import DEVICES, PLAIN, POOLINGS, PRECISIONS, VIEWS, InputValue
from wsd.artifacts.encoder_record import package_versions, read_record, without_folder
from wsd.artifacts.run_json import DIGITS, write_listing
from wsd.artifacts.vectors import STORE_DTYPES, VECTORS, check_vectors, vectors_checksum
from wsd.encoder import alignment, model_files
from wsd.errors import ResultError
from wsd.logs import log
from wsd.storage.checksums import is_as_noted, noted_checksum
from wsd.storage.file_names import file_name

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.match_word_pieces import Aligned
    from wsd.encoder.own_vectors import OwnVectors


PROGRESS_SECONDS = 5.0


class Options(NamedTuple):
    """The settings that decide the vectors.

    Attributes
    ----------
    pooling, precision, device
        As in :meth:`wsd.encoder.encoder.Encoder.load`.
    input : str or mapping
        What the model reads (:mod:`wsd.artifacts.encoder_input`).
    store_dtype : {"float32", "bfloat16", "float16"}
        The type of the numbers in the files.
    store_layers : sequence of int
        The numbers of the layers that are written, ascending; none stand for all.
    """

    pooling: str = POOLINGS[0]
    input: InputValue = PLAIN
    precision: str = PRECISIONS[0]
    device: str = DEVICES[0]
    store_dtype: str = STORE_DTYPES[0]
    store_layers: Sequence[int] = ()


class Word(NamedTuple):
    """A word to embed.

    Attributes
    ----------
    corpus : Corpus
    out : Path
        The word's folder.
    views : mapping of str to str
        The file name of each view to write.
    """

    corpus: Corpus
    out: Path
    views: Mapping[str, str]


def embed(
    words: Sequence[Word], record: Mapping[str, Any], options: Options, *, threads: int = 1
) -> None:
    """Run the encoder over words' instances and write the files of their views.

    Each word's folder also gets ``alignment.json`` (:mod:`wsd.encoder.alignment`).

    Parameters
    ----------
    words : sequence of Word
    record : mapping
        From :func:`wsd.encoder.model.resolve`. The model's files are verified again. With
        ``random_weights``, the weights are drawn with that seed.
    options : Options
    threads : int
        The number of batches that run at the same time on a CPU.

    Raises
    ------
    ModelError
        As in :func:`wsd.encoder.model_files.verify` and :class:`wsd.encoder.encoder.Encoder`.
    """
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.own_vectors import OwnVectors
    from wsd.encoder.word_extraction import WordExtraction

    encoder = (
        OwnVectors(record)
        if "vectors" in record["source"]
        else Encoder.load(
            str(model_files.verify(record)),
            pooling=options.pooling,
            input=options.input,
            device=options.device,
            precision=options.precision,
            random_weights=record.get("random_weights"),
        )
    )
    progress = _Progress(record["name"], sum(len(word.corpus) for word in words))
    unfinished: list[WordExtraction] = []

    def extractions() -> Iterator[WordExtraction]:
        for corpus, out, views in words:
            aligned = encoder.align(corpus)
            provenance = _provenance(encoder, record, options, corpus, aligned)
            stored = (options.store_dtype, options.store_layers)
            word = WordExtraction(encoder, corpus, aligned, views, provenance, out, *stored)
            unfinished.append(word)
            yield word

    try:
        for word, (rows, vectors) in encoder.encode_words(extractions(), threads=threads):
            word.add(rows, vectors)
            progress.add(len(rows))
            if word.is_done:
                unfinished.remove(word)
    finally:
        for word in unfinished:
            word.leave()


def _provenance(
    encoder: "Encoder | OwnVectors",
    record: Mapping[str, Any],
    options: Options,
    corpus: Corpus,
    aligned: Sequence["Aligned"],
) -> dict[str, Any]:
    model = without_folder(record)
    if encoder.drawn is not None:
        model["random_weights_sha256"] = encoder.drawn
    # The file itself says what it stores.
    settings = {k: v for k, v in options._asdict().items() if not k.startswith("store_")}
    return {
        **settings,
        "model": model,
        "architecture": encoder.architecture and encoder.architecture._asdict(),
        "device": str(encoder.device),
        "word": corpus.word,
        "corpus": corpus.digest,
        "instances": len(corpus),
        "split_focal_words": sum(len(instance.pieces) > 1 for instance in aligned),
        "windowed": sum(instance.windowed for instance in aligned),
        "without_context": sum(not instance.others for instance in aligned),
        "versions": package_versions(),
    }


class _Progress:
    """Log the progress every few seconds, and at the end."""

    def __init__(self, name: str, total: int) -> None:
        self.name, self.total, self.done = name, total, 0
        self.start = self.last = time.monotonic()

    def add(self, count: int) -> None:
        self.done += count
        now, left = time.monotonic(), self.total - self.done
        if left and now - self.last < PROGRESS_SECONDS:
            return
        self.last = now
        rate = self.done / max(now - self.start, 1e-9)
        remaining = f", {left / rate:.0f} s left" if left else ""
        message = "%s: %d of %d sentences, %.0f/s%s"
        log.info(message, self.name, self.done, self.total, rate, remaining)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_path(parser, "--model", "a record of `wsd model`")
    add_corpora(parser)
    text = "the views to write"
    parser.add_argument("--views", nargs="+", default=["focal"], choices=VIEWS, help=text)
    add_choice(parser, "--pooling", POOLINGS)
    add_input(parser)
    add_choice(parser, "--device", DEVICES)
    text = "the precision of the computation; float16 needs a GPU"
    add_choice(parser, "--precision", PRECISIONS, text)
    add_choice(parser, "--store-dtype", STORE_DTYPES, "the type of the numbers in the files")
    text = "the layers to write (default: all)"
    parser.add_argument("--store-layers", nargs="+", type=int, default=[], metavar="N", help=text)
    parser.add_argument("--threads", type=count, default=1)
    text = "for the workflow: a listing of each view's files, and one of the alignment reports"
    add_optional_files(parser, "--listings", text)
    writes(parser, "listings")
    add_out_folder(parser, "folder for <word>/<view>.safetensors and alignment.json")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    record = read_record(args.model)
    corpora = read_corpora(args.corpus, args.words).values()
    words = todo = [Word(corpus, *_places(args, corpus)) for corpus in corpora]
    if args.listings:
        todo = [missing for word in words if (missing := _missing(word)).views]
        message = f"{len(words) - len(todo)} of {len(words)} words were embedded before"
        level = logging.INFO if todo else logging.DEBUG
        log.log(level, "%s: %s", record["name"], message)
    if todo:
        options = Options(*(getattr(args, key) for key in Options._fields))
        embed(todo, record, options, threads=args.threads)
    if args.listings:
        for view, listing in zip(args.views, args.listings, strict=False):
            paths = [word.out / word.views[view] for word in words]
            write_listing(listing, {path: vectors_checksum(path) for path in paths})
        paths = [word.out / alignment.ALIGNMENT_FILE for word in words]
        write_listing(args.listings[-1], {path: noted_checksum(path) for path in paths})


def _places(args: argparse.Namespace, corpus: Corpus) -> tuple[Path, dict[str, str]]:
    """Return a word's folder and the file name of each view; in the workflow, with its key."""
    key = f"@{corpus.digest[:DIGITS]}" if args.listings else ""
    files = {view: f"{view}{VECTORS}" for view in args.views}
    return args.out / f"{file_name(corpus.word)}{key}", files


def _missing(word: Word) -> Word:
    """Return a word with its missing or damaged views: all views if its alignment report is."""
    views = dict(word.views)
    if is_as_noted(word.out / alignment.ALIGNMENT_FILE):
        for view, file in word.views.items():
            with suppress(ResultError):
                check_vectors(word.out / file)
                del views[view]
    return word._replace(views=views)
