"""The training of an encoder with a linear layer on the focal word: AdamW, batch by batch.

A batch is cut into parts by the lengths of its sentences, as batches of an extraction are, and
each part runs on one thread; the gradients of the parts are summed in their order. So the weights
are the same, bit for bit, on any number of cores. Every epoch ends with a checkpoint: a training
that was killed goes on from there, and ends with the same weights too.
"""

import hashlib
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from wsd.encoder.batches import run_all
from wsd.encoder.loading import rounding_of
from wsd.errors import ModelError
from wsd.logs import log
from wsd.studies.finetuning import checkpoint
from wsd.studies.finetuning.finetuning_files import Setting
from wsd.studies.finetuning.schedule import batches, rate_at, steps_of
from wsd.studies.finetuning.tagger import Instance, Tagger

DECAY = 0.01
# Positions of a part: with MiniLM on two cores, 256 takes the least time by the clock. Larger ones,
# as an extraction has them, are few in a batch, and cores wait for each other.
PART = 256
# The longest that a gradient may be.
LONGEST = 1.0
# An epoch's mean loss above that of guessing, as a multiple of it: noise of few instances is less.
WORSE = 1.1
MOMENTS = ("exp_avg", "exp_avg_sq")
PROGRESS_SECONDS = 30.0


@dataclass
class Done:
    """What a training has done.

    Attributes
    ----------
    epochs : int
    processor_seconds, wall_seconds : float
        That took, in all its tries; and what else was timed.
    """

    epochs: int = 0
    processor_seconds: float = 0.0
    wall_seconds: float = 0.0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count what is done within."""
        spent, start = time.process_time(), time.monotonic()
        yield
        self.processor_seconds += time.process_time() - spent
        self.wall_seconds += time.monotonic() - start


def optimizer_of(tagger: Tagger) -> torch.optim.AdamW:
    """AdamW on what is trained, one step for all; without decay on biases and norms."""
    decayed = [p for p in tagger.trained.values() if p.ndim > 1]
    others = [p for p in tagger.trained.values() if p.ndim <= 1]
    groups = [
        {"params": of, "weight_decay": decay}
        for of, decay in ((decayed, DECAY), (others, 0.0))
        if of
    ]
    return torch.optim.AdamW(groups, lr=0.0, fused=True)


def gradient(tagger: Tagger, batch: Sequence[Instance], threads: int) -> float:
    """Give every trained parameter the gradient of a batch's mean loss; returns that loss.

    The parts of the batch run at the same time.
    """
    work = [(batch, [len(one.aligned.ids) for one in batch])]

    def run(of: Sequence[Instance], rows: list[int]) -> tuple[float, Sequence[torch.Tensor]]:
        return tagger.gradients([of[row] for row in rows])

    loss, total = 0.0, None
    parts = run_all(run, work, device=tagger.encoder.device, threads=threads, budget=PART)
    for _, (of_part, found) in parts:
        loss += of_part
        if total is None:
            total = [one.to_dense() for one in found]
        else:
            for into, one in zip(total, found, strict=True):
                into.add_(one)
    assert total is not None
    for parameter, of_all in zip(tagger.trained.values(), total, strict=True):
        parameter.grad = of_all.div_(len(batch))
    return loss / len(batch)


def digest_of(tagger: Tagger, instances: Sequence[Instance], about: Mapping[str, Any]) -> str:
    """What decides the weights that a training ends with: the instances and the machine."""
    hasher = hashlib.sha256()
    machine = rounding_of(tagger.encoder.device)
    said = {**about, "machine": machine, "trained": list(tagger.trained)}
    hasher.update(json.dumps(said, sort_keys=True).encode())
    for one in instances:
        places = one.aligned.pooled(tagger.encoder.pooling)
        senses = [one.senses.start, one.senses.stop, one.gold]
        hasher.update(json.dumps([one.aligned.ids, places, senses]).encode())
    return hasher.hexdigest()


def train(
    tagger: Tagger,
    instances: Sequence[Instance],
    setting: Setting,
    seed: int,
    *,
    path: Path,
    about: Mapping[str, Any],
    threads: int,
    guessing: float,
) -> Done:
    """Train, or go on with what an interrupted training has left.

    Parameters
    ----------
    tagger : Tagger
        As it was loaded.
    instances : sequence of Instance
        With their gold senses.
    setting : Setting
    seed : int
        Of the order of the instances.
    path : Path
        For the checkpoints. The last stays there, so that the same training need not be done again.
    about : mapping
        What else decides the weights: the model; JSON.
    threads : int
    guessing : float
        The mean loss of one who guesses each word's sense.

    Raises
    ------
    ModelError
        If the loss is not finite, or at the end of an epoch worse than guessing; if a GPU has no
        room.
    """
    torch.set_num_threads(1)
    optimizer = optimizer_of(tagger)
    of = digest_of(tagger, instances, {**about, "setting": setting, "seed": seed})
    done, what = _resume(tagger, optimizer, path, of), f"seed {seed}, {setting}"
    steps = steps_of(len(instances), setting.epochs)
    of_epoch = steps // setting.epochs
    said = time.monotonic()
    while done.epochs < setting.epochs:
        start, losses = time.monotonic(), []
        with done.timed(), _room_for(setting.blocks):
            for number, rows in enumerate(batches(len(instances), seed, done.epochs)):
                step = done.epochs * of_epoch + number
                where = f"{what}: epoch {done.epochs + 1}, step {step + 1} of {steps}"
                batch = [instances[row] for row in rows]
                losses.append(gradient(tagger, batch, threads) * len(batch))
                length = torch.nn.utils.clip_grad_norm_(tagger.trained.values(), LONGEST)
                if not math.isfinite(losses[-1]) or not torch.isfinite(length):
                    raise _diverged(f"a loss of {losses[-1] / len(batch):g}", where)
                for group in optimizer.param_groups:
                    group["lr"] = rate_at(step, steps, setting.rate)
                optimizer.step()
                optimizer.zero_grad()
                if time.monotonic() - said > PROGRESS_SECONDS:
                    said = time.monotonic()
                    left = (said - start) / (number + 1) * (steps - step - 1)
                    log.info("%s, loss %.3f, %.0f s left", where, losses[-1] / len(batch), left)
        mean = sum(losses) / len(instances)
        if mean > WORSE * guessing:
            raise _diverged(f"a mean loss of {mean:.3g}, where guessing has {guessing:.3g}", where)
        done.epochs += 1
        log.info("%s: epoch %d of %d, loss %.3f", what, done.epochs, setting.epochs, mean)
        _save(tagger, optimizer, path, {"of": of, **vars(done)}, done.epochs < setting.epochs)
    return done


@contextmanager
def _room_for(blocks: int | str) -> Iterator[None]:
    """Say it if there is none for gradients or moments: parts of a batch would have been halved."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        what = f"the GPU has no room for a training with `blocks: [{blocks}]`"
        fix = "end what else runs on it, lower `finetune.blocks`, or use `device: cpu`"
        raise ModelError(what, fix=fix) from error


def _diverged(what: str, where: str) -> ModelError:
    fix = "lower `finetune.rate`; BERT's authors tried 2e-5 to 5e-5"
    return ModelError(f"fine-tuning diverges: {what}", where=where, fix=fix)


def _save(
    tagger: Tagger,
    optimizer: torch.optim.AdamW,
    path: Path,
    about: Mapping[str, Any],
    moments: bool,
) -> None:
    tensors = dict(tagger.trained)
    if moments:
        for name, parameter in tagger.trained.items():
            for moment in (*MOMENTS, "step"):
                tensors[f"{moment}:{name}"] = optimizer.state[parameter][moment]
    checkpoint.save(path, tensors, about)


def _resume(tagger: Tagger, optimizer: torch.optim.AdamW, path: Path, of: str) -> Done:
    found = checkpoint.load(path, of)
    if found is None:
        return Done()
    tensors, about = found
    with torch.no_grad():
        for name, parameter in tagger.trained.items():
            parameter.copy_(tensors[name])
            for moment in (*MOMENTS, "step"):
                if f"{moment}:{name}" in tensors:
                    here = tensors[f"{moment}:{name}"].to(parameter.device)
                    optimizer.state[parameter][moment] = here
    log.info("%s: %d epochs were done before", path.stem, about["epochs"])
    return Done(about["epochs"], about["processor_seconds"], about["wall_seconds"])
