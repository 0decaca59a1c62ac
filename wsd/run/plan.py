"""Estimate the disk space and the time of the embeddings of a run; the command ``wsd plan``."""

import argparse
import shutil
import time
import timeit
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from wsd import logs
from wsd.arguments import add_configfiles, count, processors
from wsd.artifacts.input_template import parse_input
from wsd.artifacts.vectors import VECTORS
from wsd.run.checked_config import Config, Model
from wsd.studies.registry import studies_of

# Word pieces per sentence, special tokens included: the mean of CoarseWSD-20.
PIECES = 39
# A job embeds many words, since loading an encoder takes seconds. On a cluster, several jobs share
# a large corpus.
SENTENCES = 20_000
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}


def in_parts(words: Sequence[str], sizes: Mapping[str, int]) -> list[list[str]]:
    """Divide words, in their order, into parts of about :data:`SENTENCES` sentences."""
    parts: dict[int, list[str]] = {}
    before = 0
    for word in words:
        parts.setdefault(before // SENTENCES, []).append(word)
        before += sizes[word]
    return list(parts.values())


def weights(model: Model) -> int:
    """Return the rough number of a model's weights, with a vocabulary of BERT's size."""
    return 12 * model.width**2 * model.blocks + 31_000 * model.width


def pass_seconds(model: Model, instances: int) -> float:
    """Return the rough processor time of passing instances through the encoder, in seconds."""
    pieces = PIECES * len(parse_input(model.input).copies) * instances
    return 24.0 * model.width**2 * model.blocks * pieces / operations_per_second()


def operations_per_second() -> float:
    """Return the floating-point operations per second of one core in a matrix product."""
    from threadpoolctl import threadpool_limits

    a, b = np.ones((1024, 384), np.float32), np.ones((384, 1536), np.float32)
    with threadpool_limits(1):
        best = min(timeit.repeat(lambda: a @ b, timer=time.process_time, number=1, repeat=5))
    return 2.0 * a.size * b.shape[1] / best


def describe(config: Config, results: Path, cores: int) -> Iterator[str]:
    """Yield the lines of the plan; a model with any vectors of all its words counts as embedded."""
    sentences = sum(config.dataset.sizes[word] for word in config.words)
    needed = 0.0
    for model in config.encoders.values():
        layers = len(config.stored_views(model)) * len(model.stored)
        size = BYTES[model.store_dtype] * layers * model.width * sentences
        there = results.glob(f"{config.dataset.name}/store/{model.name}@*/embeddings/*/*{VECTORS}")
        if len({path.parent for path in there}) >= len(config.words):
            yield f"{model.name}: embedded already"
            continue
        needed += size
        minutes = pass_seconds(model, sentences) / 60 / cores
        yield (
            f"{model.name}: {sentences:,} sentences of {len(config.words)} words to embed, "
            f"{size / 1e9:.2f} GB, roughly {minutes:.0f} min on {cores} cores without GPU; "
            f"{BYTES[model.precision] * weights(model) / 1e9:.1f} GB of weights; then "
            f"{len(config.combinations(model))} combinations of features and classifier"
        )
    there = next(folder for folder in [results, *results.absolute().parents] if folder.exists())
    yield f"disk: {needed / 1e9:.2f} GB needed, {shutil.disk_usage(there).free / 1e9:.1f} GB free"
    for study in studies_of(config):
        yield from (f"left out of {study.name}: {reason}" for reason in study.left_out(config))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = "config files; later ones override earlier ones, and all override config/config.yaml"
    add_configfiles(parser, "configfile", text, nargs="*")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--cores", type=count, default=processors())


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    for line in describe(args.config, args.results, args.cores):
        logs.show(line)
