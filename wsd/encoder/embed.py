"""Run the encoder over a word's instances: every layer of every view, in one pass.

The files and their checksums are :mod:`wsd.artifacts.vectors`; what an interrupted pass has
done already, :mod:`wsd.encoder.resume`.
"""

import argparse
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsd.arguments import add_choice, add_out_folder, add_path, add_seed, count
from wsd.artifacts.corpus import Corpus, read
from wsd.artifacts.encoder_record import read_record
from wsd.artifacts.views import DEVICES, INPUTS, MASKED, PLAIN, POOLINGS, PRECISIONS, VIEWS
from wsd.encoder import alignment, sources
from wsd.errors import DamageError, ResultError
from wsd.logs import log
from wsd.storage.atomic import storing
from wsd.storage.json import write_json

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.word_pieces import Aligned


# What the command hands on as it is.
OPTIONS = ("views", "pooling", "input", "precision", "seed", "device", "threads", "out")
PACKAGES = ("numpy", "safetensors", "tokenizers", "torch", "transformers", "wsd")
PROGRESS_SECONDS = 5.0


def embed(
    corpus: Corpus,
    record: dict[str, Any],
    *,
    views: Sequence[str],
    pooling: str,
    seed: int,
    device: str,
    threads: int,
    out: Path,
    input: str = PLAIN,
    precision: str = "float32",
) -> None:
    """Run the encoder over a word's instances and write ``out/<view>.safetensors``.

    Beside them ``alignment.json`` says what the tokenizer made of the focal words.

    Parameters
    ----------
    corpus : Corpus
    record : dict
        What :func:`wsd.encoder.model.resolve` found; its files are checked again. With
        ``random_weights`` the weights are drawn with that seed, not read.
    views, pooling, seed, device, threads
        As in :class:`wsd.encoder.encoder.Encoder` and :meth:`wsd.encoder.encoder.Encoder.encode`;
        the views also among the static ones of :mod:`wsd.artifacts.views`.
    out : Path
        The word's folder.
    input : {"plain", "masked"}
        Whether one mask token takes the place of the focal word.
    precision
        As in :meth:`wsd.encoder.encoder.Encoder.load`.
    """
    from wsd.encoder.encoder import Encoder
    from wsd.encoder.loading import rounding_of
    from wsd.encoder.resume import UNFINISHED, Journal, UnfinishedVectors

    encoder = Encoder.load(
        str(sources.verify(record)),
        pooling=pooling,
        masked=input == MASKED,
        device=device,
        precision=precision,
        random_weights=record.get("random_weights"),
    )
    aligned = encoder.align(corpus)
    report = alignment.alignment_report(corpus, aligned)
    for line in alignment.report_warnings(report):
        log.warning("%s %s", record["name"], line)
    how = {"input": input, "pooling": pooling, "precision": precision, "seed": seed}
    static = encoder.static(corpus, aligned, views)
    contextual = [view for view in views if view not in static]
    of_encoder = (encoder.blocks + 1, len(corpus), encoder.width)
    making = {
        "provenance": {**_provenance(encoder, record, corpus, aligned), **how},
        "shapes": {v: (1, *static[v].shape) if v in static else of_encoder for v in views},
        "machine": rounding_of(encoder.device),
    }
    name = f"{record['name']} {corpus.word}"
    with (
        storing(out / f"{views[0]}.safetensors"),
        closing(Journal(out / UNFINISHED, making, name)) as journal,
        UnfinishedVectors(journal, contextual) as unfinished,
    ):
        for view, vectors in static.items():
            unfinished.put(view, vectors[None])
        if contextual:
            progress = _Progress(name, len(corpus), before=len(unfinished.done))
            for rows, of_views in encoder.encode(
                corpus, aligned, views=contextual, seed=seed, threads=threads, done=unfinished.done
            ):
                unfinished.add(rows, of_views)
                progress(len(unfinished.done))
        write_json(out / alignment.ALIGNMENT_FILE, report)
        unfinished.finish(out)


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
    """A line every few seconds, and one at the end; ``before`` were done by an earlier pass."""

    def __init__(self, what: str, total: int, before: int = 0) -> None:
        self.what, self.total, self.before = what, total, before
        self.start = self.last = time.monotonic()

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if done < self.total and now - self.last < PROGRESS_SECONDS:
            return
        self.last = now
        rate = (done - self.before) / max(now - self.start, 1e-9)
        left = f", {(self.total - done) / rate:.0f} s left" if done < self.total else ""
        log.info("%s: %d of %d sentences, %.0f/s%s", self.what, done, self.total, rate, left)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_path(parser, "--model", "a record of `wsd model`")
    add_path(parser, "--corpus", "the word's table")
    text = "what is kept of a sentence, per layer"
    parser.add_argument("--views", nargs="+", default=["focal"], choices=VIEWS, help=text)
    add_choice(parser, "--pooling", POOLINGS)
    add_choice(parser, "--input", INPUTS, "the sentence, or a mask token for its focal word")
    add_seed(parser)
    add_choice(parser, "--device", DEVICES)
    text = "what the model computes in; float16 on a GPU alone"
    add_choice(parser, "--precision", PRECISIONS, text)
    parser.add_argument("--threads", type=count, default=1)
    add_out_folder(parser, "the word's folder, for <view>.safetensors and alignment.json")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    # Nothing below may ask the hub: models are fetched by `wsd model` alone.
    os.environ["HF_HUB_OFFLINE"] = "1"
    said = vars(args)
    try:
        embed(read(args.corpus), read_record(args.model), **{key: said[key] for key in OPTIONS})
    except sources.CacheError as error:
        # This step asks no hub; the one that made the record does.
        raise DamageError(error.what, path=args.model) from error
