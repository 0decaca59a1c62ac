"""Estimate the disk space and the time of the embeddings of a run; the command ``wsd plan``."""

import argparse
import os
import shutil
import time
import timeit
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from wsd import logs
from wsd.arguments import add_configfiles, count, processors
from wsd.artifacts.encoder_input import parse_input
from wsd.run.digests import SEEN, Digests, Seen
from wsd.run.files import Files
from wsd.run.keys import Keys
from wsd.run.schema import Model

# Word pieces per sentence, special tokens included: the mean of CoarseWSD-20.
PIECES = 39
# Measured with encoders of three sizes: the operations that the width alone costs, as columns of a
# weight matrix; the speed relative to a matrix product; the seconds to start a job, and per weight.
OTHER_WIDTH, EFFICIENCY, START_SECONDS, WEIGHT_SECONDS = 250, 1.25, 4.0, 2e-8
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}


def weights(model: Model) -> int:
    """Return the rough number of a model's weights, with a vocabulary of BERT's size."""
    return 12 * model.width**2 * model.blocks + 31_000 * model.width


def pass_seconds(model: Model, instances: int) -> float:
    """Return the rough processor time of a job that embeds instances, in seconds."""
    pieces = PIECES * len(parse_input(model.input).copies) * instances
    operations = 24.0 * model.width * (model.width + OTHER_WIDTH) * model.blocks * pieces
    start = START_SECONDS + WEIGHT_SECONDS * weights(model)
    return start + operations / (EFFICIENCY * operations_per_second())


def operations_per_second() -> float:
    """Return the floating-point operations per second of one core in a matrix product."""
    from threadpoolctl import threadpool_limits

    a, b = np.ones((1024, 384), np.float32), np.ones((384, 1536), np.float32)
    with threadpool_limits(1):
        best = min(timeit.repeat(lambda: a @ b, timer=time.process_time, number=1, repeat=5))
    return 2.0 * a.size * b.shape[1] / best


def describe(files: Files, cores: int) -> Iterator[str]:
    """Yield the lines of the plan; embeddings that exist already cost nothing."""
    config, needed = files.config, 0.0
    for model in config.encoders.values():
        views = config.stored_views(model)
        words = [
            word
            for part, words in files.parts.items()
            if not all(map(os.path.lexists, files.listings(model.name, views, [part])))
            for word in words
        ]
        sentences = sum(config.dataset.sizes[word] for word in words)
        work = f"{len(config.combinations(model))} combinations of features and classifier"
        if not words:
            yield f"{model.name}: every sentence is embedded already; {work}"
            continue
        layers = len(views) * len(model.stored)
        size = BYTES[model.store_dtype] * layers * model.width * sentences
        needed += size
        if model.vectors is not None:
            yield f"{model.name}: {sentences:,} vectors to read, {size / 1e9:.2f} GB; {work}"
            continue
        minutes = pass_seconds(model, sentences) / 60 / cores
        yield (
            f"{model.name}: {sentences:,} sentences of {len(words)} words to embed, "
            f"{size / 1e9:.2f} GB, roughly {minutes:.0f} min on {cores} cores without GPU; "
            f"{BYTES[model.precision] * weights(model) / 1e9:.1f} GB of weights; {work}"
        )
    results = files.keys.results.absolute()
    there = next(folder for folder in [results, *results.parents] if folder.exists())
    yield f"disk: {needed / 1e9:.2f} GB needed, {shutil.disk_usage(there).free / 1e9:.1f} GB free"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = "config files; later ones override earlier ones, and all override config/config.yaml"
    add_configfiles(parser, "configfile", text, nargs="*")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--cores", type=count, default=processors())


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    digests = Digests(Seen(args.results / SEEN))
    files = Files(args.config, Keys(args.config, {}, digests, args.results))
    for line in describe(files, args.cores):
        logs.show(line)
