"""Run the encoder over many words' instances: every layer of every view, in one pass.

The files and their checksums are :mod:`wsd.artifacts.vectors`; a word's files while they are made,
:mod:`wsd.encoder.word_extraction`.

In the workflow the folder stands for everything that decides the vectors, but for the sentences and
the seed: of these a word's files have keys in their names. So what is there is right, whichever run
has made it, and a new word, or what a crash left undone, costs that word.
"""

import argparse
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wsd.arguments import (
    add_choice,
    add_corpora,
    add_optional_files,
    add_out_folder,
    add_path,
    add_seed,
    count,
    writes,
)
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.encoder_record import read_record
from wsd.artifacts.run_map import DIGITS, write_listing
from wsd.artifacts.vectors import VECTORS, check_vectors, vectors_checksum
from wsd.artifacts.view_names import (
    DEVICES,
    DRAWN,
    INPUTS,
    MASKED,
    PLAIN,
    POOLINGS,
    PRECISIONS,
    VIEWS,
)
from wsd.encoder import alignment, sources
from wsd.errors import ConfigError, DamageError, ResultError
from wsd.logs import done_before, log
from wsd.storage.checksums import is_as_noted, noted_checksum
from wsd.storage.file_names import file_name

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.focal_pieces import Aligned


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
    views : mapping of str to str
        Those to be made, and the names of their files.
    """

    corpus: Corpus
    out: Path
    views: Mapping[str, str]


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
) -> None:
    """Run the encoder over words' instances and write the views' files in their folders.

    Beside them ``alignment.json`` says what the tokenizer made of the focal words.

    Parameters
    ----------
    words : sequence of Word
        One after the other; a word's views are among the static ones of
        :mod:`wsd.artifacts.view_names` too.
    record : dict
        What :func:`wsd.encoder.model.resolve` found; its files are checked again. With
        ``random_weights`` the weights are drawn with that seed, not read.
    pooling, seed, device, threads
        As in :class:`wsd.encoder.encoder.Encoder` and :meth:`wsd.encoder.encoder.Encoder.encode`.
    input : {"plain", "masked"}
        Whether one mask token takes the place of the focal word.
    precision
        As in :meth:`wsd.encoder.encoder.Encoder.load`.
    """
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.word_extraction import Part, PassOfWord

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

    def parts() -> Iterator[Part]:
        for corpus, out, views in words:
            aligned = encoder.align(corpus)
            provenance = {**_provenance(encoder, record, corpus, aligned), **how}
            word = PassOfWord(encoder, corpus, aligned, views, provenance, out)
            opened.append(word)
            if word.is_done:
                opened.remove(word)
                word.finish()
            else:
                yield from word.parts()

    try:
        for part, (rows, of_views) in encoder.encode_words(parts(), seed=seed, threads=threads):
            part.add(rows, of_views)
            progress(len(rows))
            if part.word.is_done:
                opened.remove(part.word)
                part.word.finish()
    finally:
        for word in opened:
            word.leave()


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

    def __init__(self, problem: str, total: int) -> None:
        self.problem, self.total, self.done = problem, total, 0
        self.start = self.last = time.monotonic()

    def __call__(self, count: int) -> None:
        self.done += count
        now = time.monotonic()
        if self.done < self.total and now - self.last < PROGRESS_SECONDS:
            return
        self.last = now
        rate = self.done / max(now - self.start, 1e-9)
        left = f", {(self.total - self.done) / rate:.0f} s left" if self.done < self.total else ""
        log.info(
            "%s: %d of %d sentences, %.0f/s%s", self.problem, self.done, self.total, rate, left
        )


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
    text = "of the workflow: per view a file that lists the words' files, and one of the alignments"
    add_optional_files(parser, "--listings", text)
    writes(parser, "listings")
    add_out_folder(parser, "folder for <word>/<view>.safetensors and alignment.json")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    # Nothing below may ask the hub: models are fetched by `wsd model` alone.
    os.environ["HF_HUB_OFFLINE"] = "1"
    if args.listings and len(args.listings) != len(args.views) + 1:
        problem = f"{len(args.listings)} listings for {len(args.views)} views and the alignments"
        raise ConfigError(problem, where="--listings", fix="name one for each")
    record = read_record(args.model)
    corpora = read_corpora(args.corpus, args.words).values()
    words = [Word(corpus, *_places(args, corpus)) for corpus in corpora]
    todo = words
    if args.listings:
        todo = [left for word in words if (left := _lacking(word)).views]
        problem = f"{len(words) - len(todo)} of {len(words)} words were embedded before"
        there = len(words) * len(args.views) - sum(len(left.views) for left in todo)
        level = logging.INFO if todo else logging.DEBUG
        log.log(level, "%s: %s", record["name"], problem, extra=done_before(there))
    if todo:
        options = {key: getattr(args, key) for key in DECIDES}
        try:
            embed(todo, record, threads=args.threads, **options)
        except sources.CacheError as error:
            # This step asks no hub; the one that made the record does.
            raise DamageError(error.problem, path=args.model) from error
    for view, listing in zip((*args.views, None), args.listings, strict=bool(args.listings)):
        if view is None:
            paths = [word.out / alignment.ALIGNMENT_FILE for word in words]
            write_listing(listing, {path: noted_checksum(path) for path in paths})
        else:
            paths = [word.out / word.views[view] for word in words]
            write_listing(listing, {path: vectors_checksum(path) for path in paths})


def _places(args: argparse.Namespace, corpus: Corpus) -> tuple[Path, dict[str, str]]:
    """A word's folder and the names of its files: in the workflow, by the sentences and the seed.

    So they are named alike by whatever code the table was made.
    """
    files = {view: f"{view}{VECTORS}" for view in args.views}
    name = file_name(corpus.word)
    if args.listings:
        name += f"@{corpus.digest[:DIGITS]}"
        if DRAWN in files:
            files[DRAWN] = f"{DRAWN}@{args.seed:0{DIGITS}x}{VECTORS}"
    return args.out / name, files


def _lacking(word: Word) -> Word:
    """A word with the views that are not there as they were written; without its alignment, all.

    Where other runs have made them, nobody has looked at them since.
    """
    left = dict(word.views)
    if is_as_noted(word.out / alignment.ALIGNMENT_FILE):
        left = {view: file for view, file in left.items() if not _is_whole(word.out / file)}
    return word._replace(views=left)


def _is_whole(path: Path) -> bool:
    try:
        check_vectors(path)
    except ResultError:
        return False
    return True
