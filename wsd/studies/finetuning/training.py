"""Train an encoder with a linear layer on the focal word, with AdamW.

A batch is divided into parts by the lengths of its sentences. Each part runs on one thread, and the
gradients of the parts are added in their order. So the weights are bitwise equal on any number of
cores. Each epoch ends with a checkpoint: a training that was killed resumes there, and ends with
the same weights.
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
from wsd.encoder.load_model import rounding_of
from wsd.errors import ModelError
from wsd.logs import log
from wsd.studies.finetuning import checkpoint
from wsd.studies.finetuning.finetuning_files import Setting
from wsd.studies.finetuning.schedule import batches, number_of_steps, rate_at
from wsd.studies.finetuning.tagger import Gradients, Instance, Tagger

DECAY = 0.01
# The positions of a part. With MiniLM on two cores, 256 is fastest. A batch has only a few larger
# parts, so that cores wait for each other.
PART = 256
# Gradients are clipped to this norm.
LONGEST = 1.0
# An epoch's mean loss, as a multiple of the loss of guessing, above which a training diverges.
WORSE = 1.1
MOMENTS = ("exp_avg", "exp_avg_sq", "step")
PROGRESS_SECONDS = 30.0


@dataclass
class Progress:
    """The finished epochs of a training and their costs.

    Attributes
    ----------
    epochs : int
    processor_seconds, wall_seconds : float
        The time of all finished epochs, also before an interruption, and of other timed work.
    """

    epochs: int = 0
    processor_seconds: float = 0.0
    wall_seconds: float = 0.0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add the time of the block."""
        spent, start = time.process_time(), time.monotonic()
        yield
        self.processor_seconds += time.process_time() - spent
        self.wall_seconds += time.monotonic() - start


def optimizer_of(tagger: Tagger) -> torch.optim.AdamW:
    """Return AdamW for the trained parameters, without decay on biases and norms."""
    decayed = [p for p in tagger.trained.values() if p.ndim > 1]
    others = [p for p in tagger.trained.values() if p.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=0.0, fused=True)


def gradient(tagger: Tagger, batch: Sequence[Instance], threads: int) -> float:
    """Set the gradient of a batch's mean loss on every trained parameter; return that loss.

    The parts of the batch run at the same time.
    """
    work = [(batch, [len(instance.aligned.ids) for instance in batch])]

    def run(batch: Sequence[Instance], rows: list[int]) -> tuple[float, Gradients]:
        return tagger.gradients([batch[row] for row in rows])

    loss, total = 0.0, None
    parts = run_all(run, work, device=tagger.encoder.device, threads=threads, budget=PART)
    for _, (part_loss, gradients) in parts:
        loss += part_loss
        if total is None:
            total = [part.to_dense() for part in gradients]
        else:
            for summed, part in zip(total, gradients, strict=True):
                summed.add_(part)
    assert total is not None
    for parameter, summed in zip(tagger.trained.values(), total, strict=True):
        parameter.grad = summed.div_(len(batch))
    return loss / len(batch)


def digest_of(tagger: Tagger, instances: Sequence[Instance], about: Mapping[str, Any]) -> str:
    """Return a digest of everything that decides the final weights, also of the machine."""
    machine = rounding_of(tagger.encoder.device)
    settings = {**about, "machine": machine, "trained": list(tagger.trained)}
    hasher = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for instance in instances:
        places = instance.aligned.pooled(tagger.encoder.pooling)
        senses = [instance.senses.start, instance.senses.stop, instance.gold]
        hasher.update(json.dumps([instance.aligned.ids, places, senses]).encode())
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
) -> Progress:
    """Train, or resume an interrupted training.

    Parameters
    ----------
    tagger : Tagger
        As loaded.
    instances : sequence of Instance
        With their gold senses.
    setting : Setting
    seed : int
        Decides the order of the instances.
    path : Path
        The checkpoint. The last one is kept, so that the training need not be repeated.
    about : mapping
        What else decides the weights, such as the model; JSON.
    threads : int
    guessing : float
        The mean loss of guessing each word's sense.

    Raises
    ------
    ModelError
        If the loss is not finite, or at the end of an epoch worse than guessing; if the memory of
        the GPU is too small.
    """
    torch.set_num_threads(1)
    optimizer = optimizer_of(tagger)
    digest = digest_of(tagger, instances, {**about, "setting": setting, "seed": seed})
    progress, name = _resume(tagger, optimizer, path, digest), f"seed {seed}, {setting}"
    steps = number_of_steps(len(instances), setting.epochs)
    logged = time.monotonic()
    while progress.epochs < setting.epochs:
        start, losses = time.monotonic(), []
        with progress.timed(), _room_for(setting.blocks):
            for number, rows in enumerate(batches(len(instances), seed, progress.epochs)):
                step = progress.epochs * steps // setting.epochs + number
                where = f"{name}: epoch {progress.epochs + 1}, step {step + 1} of {steps}"
                batch = [instances[row] for row in rows]
                losses.append(gradient(tagger, batch, threads) * len(batch))
                length = torch.nn.utils.clip_grad_norm_(tagger.trained.values(), LONGEST)
                if not math.isfinite(losses[-1]) or not torch.isfinite(length):
                    raise _diverged(f"a loss of {losses[-1] / len(batch):g}", where)
                for group in optimizer.param_groups:
                    group["lr"] = rate_at(step, steps, setting.rate)
                optimizer.step()
                optimizer.zero_grad()
                if time.monotonic() - logged > PROGRESS_SECONDS:
                    logged = time.monotonic()
                    left = (logged - start) / (number + 1) * (steps - step - 1)
                    log.info("%s, loss %.3f, %.0f s left", where, losses[-1] / len(batch), left)
        mean = sum(losses) / len(instances)
        if mean > WORSE * guessing:
            raise _diverged(f"a mean loss of {mean:.3g}, where guessing has {guessing:.3g}", where)
        progress.epochs += 1
        log.info("%s: epoch %d of %d, loss %.3f", name, progress.epochs, setting.epochs, mean)
        about = {"digest": digest, **vars(progress)}
        checkpoint.save(path, _state(tagger, optimizer, progress.epochs < setting.epochs), about)
    return progress


@contextmanager
def _room_for(blocks: int | str) -> Iterator[None]:
    # Parts of a batch that do not fit are halved before: here gradients or moments do not fit.
    try:
        yield
    except torch.OutOfMemoryError as error:
        problem = f"the GPU has no room for a training with `blocks: [{blocks}]`"
        fix = "end other programs on it, lower `finetune.blocks`, or use `device: cpu`"
        raise ModelError(problem, fix=fix) from error


def _diverged(problem: str, where: str) -> ModelError:
    fix = "lower `finetune.rate`; BERT's authors tried 2e-5 to 5e-5"
    return ModelError(f"fine-tuning diverges: {problem}", where=where, fix=fix)


def _state(tagger: Tagger, optimizer: torch.optim.AdamW, moments: bool) -> dict[str, torch.Tensor]:
    tensors = dict(tagger.trained)
    if moments:
        for name, parameter in tagger.trained.items():
            for moment in MOMENTS:
                tensors[f"{moment}:{name}"] = optimizer.state[parameter][moment]
    return tensors


def _resume(tagger: Tagger, optimizer: torch.optim.AdamW, path: Path, digest: str) -> Progress:
    loaded = checkpoint.load(path, digest)
    if loaded is None:
        return Progress()
    tensors, about = loaded
    with torch.no_grad():
        for name, parameter in tagger.trained.items():
            parameter.copy_(tensors[name])
            for moment in MOMENTS:
                if (tensor := tensors.get(f"{moment}:{name}")) is not None:
                    optimizer.state[parameter][moment] = tensor.to(parameter.device)
    log.info("%s: resumes after %d epochs", path.stem, about["epochs"])
    return Progress(about["epochs"], about["processor_seconds"], about["wall_seconds"])
