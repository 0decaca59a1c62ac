"""Run the encoder over many words' instances: every layer of every view, in one pass.

The files and their checksums are :mod:`wsd.artifacts.vectors`; which words need no pass,
:mod:`wsd.encoder.made`; what an interrupted pass has done already, :mod:`wsd.encoder.resume`.
"""

import argparse
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wsd.arguments import add_choice, add_corpora, add_out_folder, add_path, add_seed, count
from wsd.artifacts.corpus import Corpus, read_corpora
from wsd.artifacts.encoder_record import read_record
from wsd.artifacts.listing import of_part, write_listing
from wsd.artifacts.vectors import VECTORS, vectors_checksum
from wsd.artifacts.views import DEVICES, INPUTS, MASKED, PLAIN, POOLINGS, PRECISIONS, VIEWS
from wsd.encoder import alignment, sources
from wsd.encoder.made import Made
from wsd.errors import DamageError, ResultError
from wsd.logs import log
from wsd.storage.checksums import noted_checksum
from wsd.storage.file_names import as_name

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.word_pieces import Aligned


# Arguments that decide what the vectors of a view are.
DECIDES = ("pooling", "input", "precision", "seed", "device")
PACKAGES = ("numpy", "safetensors", "tokenizers", "torch", "transformers", "wsd")
PROGRESS_SECONDS = 5.0


class Word(NamedTuple):
    """A word that is to be embedded.

    Attributes
    ----------
    corpus : Corpus
    out : Path
        The word's folder.
    views : sequence of str
        Those to be made.
    """

    corpus: Corpus
    out: Path
    views: Sequence[str]


def embed(
    words: Sequence[Word],
    record: dict[str, Any],
    *,
    pooling: str,
    seed: int,
    device: str,
    threads: int,
    input: str = PLAIN,
    precision: str = "float32",
    made: Made | None = None,
) -> None:
    """Run the encoder over words' instances and write ``<view>.safetensors`` in their folders.

    Beside them ``alignment.json`` says what the tokenizer made of the focal words.

    Parameters
    ----------
    words : sequence of Word
        One after the other; a word's views are among the static ones of
        :mod:`wsd.artifacts.views` too.
    record : dict
        What :func:`wsd.encoder.model.resolve` found; its files are checked again. With
        ``random_weights`` the weights are drawn with that seed, not read.
    pooling, seed, device, threads
        As in :class:`wsd.encoder.encoder.Encoder` and :meth:`wsd.encoder.encoder.Encoder.encode`.
    input : {"plain", "masked"}
        Whether one mask token takes the place of the focal word.
    precision
        As in :meth:`wsd.encoder.encoder.Encoder.load`.
    made : Made, optional
        Where each word is noted when it is done.
    """
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.pass_of_word import PassOfWord

    encoder = Encoder.load(
        str(sources.verify(record)),
        pooling=pooling,
        masked=input == MASKED,
        device=device,
        precision=precision,
        random_weights=record.get("random_weights"),
    )
    how = {"input": input, "pooling": pooling, "precision": precision, "seed": seed}
    progress = _Progress(record["name"], sum(len(word.corpus) for word in words))
    opened: list[PassOfWord] = []

    def finish(word: PassOfWord) -> None:
        word.finish()
        if made:
            made.note(word.out, word.corpus, word.all_views)

    def passes() -> Iterator[PassOfWord]:
        for corpus, out, views in words:
            aligned = encoder.align(corpus)
            provenance = {**_provenance(encoder, record, corpus, aligned), **how}
            word = PassOfWord.open(encoder, corpus, aligned, views, provenance, out)
            opened.append(word)
            progress.before(len(word.done))
            if word.is_done:
                opened.remove(word)
                finish(word)
            else:
                yield word

    try:
        for word, (rows, of_views) in encoder.encode_words(passes(), seed=seed, threads=threads):
            word.add(rows, of_views)
            progress(len(rows))
            if word.is_done:
                opened.remove(word)
                finish(word)
    except BaseException as error:
        for word in opened:
            word.leave(error)
        raise


def _provenance(
    encoder: "Encoder", record: Mapping[str, Any], corpus: Corpus, aligned: Sequence["Aligned"]
) -> dict[str, Any]:
    """What the vectors are of, and of which model; checks that it is that of its record."""
    for key, here in (("blocks", encoder.blocks), ("width", encoder.width)):
        if here != record[key]:
            raise ResultError(
                f"the model has {key} {here}, its record says {record[key]}",
                fix="make the record anew with `wsd model`, or correct the model's config entry",
            )
    # Where its files are on this machine is no part of what a model is.
    model = {key: value for key, value in record.items() if key != "folder"}
    if encoder.drawn is not None:
        model["random_weights_sha256"] = encoder.drawn
    return {
        "model": model,
        "architecture": encoder.architecture.as_dict(),
        "device": str(encoder.device),
        "word": corpus.word,
        "corpus": corpus.digest,
        "instances": len(corpus),
        "split_focal_words": sum(len(one.pieces) > 1 for one in aligned),
        "windowed": sum(one.windowed for one in aligned),
        "without_context": sum(not one.others for one in aligned),
        "versions": {package: version(package) for package in PACKAGES},
    }


class _Progress:
    """A line every few seconds, and one at the end."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done, self.run = what, total, 0, 0
        self.start = self.last = time.monotonic()

    def before(self, done: int) -> None:
        """Count what an earlier pass has done."""
        self.done += done

    def __call__(self, run: int) -> None:
        self.run += run
        self.done += run
        now = time.monotonic()
        if self.done < self.total and now - self.last < PROGRESS_SECONDS:
            return
        self.last = now
        rate = self.run / max(now - self.start, 1e-9)
        left = f", {(self.total - self.done) / rate:.0f} s left" if self.done < self.total else ""
        log.info("%s: %d of %d sentences, %.0f/s%s", self.what, self.done, self.total, rate, left)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_path(parser, "--model", "a record of `wsd model`")
    add_corpora(parser)
    text = "what is kept of a sentence, per layer"
    parser.add_argument("--views", nargs="+", default=["focal"], choices=VIEWS, help=text)
    add_choice(parser, "--pooling", POOLINGS)
    add_choice(parser, "--input", INPUTS, "the sentence, or a mask token for its focal word")
    add_seed(parser)
    add_choice(parser, "--device", DEVICES)
    text = "what the model computes in; float16 on a GPU alone"
    add_choice(parser, "--precision", PRECISIONS, text)
    parser.add_argument("--threads", type=count, default=1)
    text = "of the workflow: stands for the step's code; what the same has made is left as it is"
    parser.add_argument("--modules", type=Path, metavar="FILE", help=text)
    parser.add_argument("--part", type=count, default=1, help="number in the listings' names")
    add_out_folder(parser, "folder for <word>/<view>.safetensors and alignment.json, and listings")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    # Nothing below may ask the hub: models are fetched by `wsd model` alone.
    os.environ["HF_HUB_OFFLINE"] = "1"
    record = read_record(args.model)
    made = Made(record, {key: getattr(args, key) for key in DECIDES}, args.modules)
    folders = {args.out / as_name(word): word for word in args.words}
    words = []
    for folder, word in folders.items():
        (corpus,) = read_corpora(args.corpus, [word]).values()
        if views := made.missing(folder, corpus, args.views):
            words.append(Word(corpus, folder, views))
    done = f"{len(folders) - len(words)} of {len(folders)} words were embedded before"
    log.log(logging.INFO if words else logging.DEBUG, "%s: %s", record["name"], done)
    if words:
        options = {key: getattr(args, key) for key in DECIDES}
        try:
            embed(words, record, threads=args.threads, made=made, **options)
        except sources.CacheError as error:
            # This step asks no hub; the one that made the record does.
            raise DamageError(error.what, path=args.model) from error
    for kind in args.views:
        files = {folder / f"{kind}{VECTORS}" for folder in folders}
        write_listing(of_part(args.out, kind, args.part), {p: vectors_checksum(p) for p in files})
    files = {folder / alignment.ALIGNMENT_FILE for folder in folders}
    write_listing(of_part(args.out, "alignment", args.part), {p: noted_checksum(p) for p in files})
