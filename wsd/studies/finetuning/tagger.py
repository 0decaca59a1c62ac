"""An encoder with a linear layer on the focal word, which learns the senses of all words.

The layer has a row per sense of every word. The candidates for an instance are the senses of its
word that have training instances. There is no dropout.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from wsd.artifacts.corpus_table import Corpora
from wsd.encoder import model_files
from wsd.encoder.encoder import Encoder
from wsd.encoder.load_model import choose_device, load_folder
from wsd.errors import ModelError
from wsd.logs import log

BATCH = 32
# The sentences of a batch that are in memory together; their gradients are added.
PART = 8
# The share of the steps in which the learning rate rises, the weight decay, and the norm to which
# gradients are clipped.
WARM_UP, DECAY, LONGEST = 0.1, 0.01, 1.0

# Training rows by word, and instances as words with rows.
Rows = Mapping[str, np.ndarray]
Instances = Sequence[tuple[str, int]]


def number_of_steps(instances: int, epochs: int) -> int:
    """Return the number of batches in all epochs."""
    return epochs * math.ceil(instances / BATCH)


def rate_share(step: int, steps: int) -> float:
    """Return the share of the highest rate at a step from 0: it rises linearly, then falls to 0.

    >>> tuple(9 * rate_share(step, 20) for step in (0, 1, 2, 11, 19))
    (4.5, 9.0, 9.0, 4.5, 0.5)
    """
    rising = math.ceil(WARM_UP * steps)
    return min((step + 1) / rising, (steps - step) / max(1, steps - rising))


class Tagger:
    """An encoder and its linear layer; every training starts from the files of the encoder.

    Parameters
    ----------
    record : mapping
        From :func:`wsd.encoder.model.resolve`. The model's files are verified again.
    corpora : mapping of word to Corpus
    pooling, input, device
        As in :class:`wsd.encoder.encoder.Encoder`.

    Attributes
    ----------
    classes : mapping of word to int array
        The senses with training instances, after :meth:`fit`.
    """

    def __init__(
        self, record: Mapping[str, Any], corpora: Corpora, *, pooling: str, input: Any, device: str
    ) -> None:
        self.record, self.corpora, self.device = record, corpora, choose_device(device)
        self.folder = model_files.verify(record)
        self._options = {"pooling": pooling, "input": input, "device": self.device}
        self._load()
        self.aligned = {word: self.encoder.align(corpus) for word, corpus in corpora.items()}

    def _load(self) -> None:
        tokenizer, model = load_folder(str(self.folder), self.record.get("random_weights"))
        self.model = model.to(self.device)
        self.encoder = Encoder(tokenizer, self.model, **self._options)
        _ = self.encoder.architecture  # refuses a model that cannot be used
        sizes = np.array([len(corpus.senses) for corpus in self.corpora.values()])
        self.first = dict(zip(self.corpora, np.cumsum(sizes) - sizes, strict=True))
        # Zeros: before the first step all senses have equal probabilities for any encoder.
        self.layer = torch.nn.Linear(self.encoder.width, int(sizes.sum()), device=self.device)
        for parameter in self.layer.parameters():
            torch.nn.init.zeros_(parameter)

    def fit(self, rows: Rows, rate: float, epochs: int, seed: int) -> None:
        """Train on some rows of every word; the seed decides the order of the instances.

        Raises
        ------
        ModelError
            If a gradient is not finite.
        """
        self._load()
        self.classes = {w: np.unique(self.corpora[w].gold[own]) for w, own in rows.items()}
        instances = [(word, row) for word, own in rows.items() for row in own.tolist()]
        parameters = [*self.encoder.model.parameters(), *self.layer.parameters()]
        decayed = [parameter for parameter in parameters if parameter.ndim > 1]
        others = [parameter for parameter in parameters if parameter.ndim <= 1]
        groups = [{"params": decayed, "weight_decay": DECAY}, {"params": others, "weight_decay": 0}]
        optimizer = torch.optim.AdamW(groups, lr=rate)
        steps = number_of_steps(len(instances), epochs)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: rate_share(i, steps))
        for epoch in range(epochs):
            order = np.random.default_rng([seed, epoch]).permutation(len(instances)).tolist()
            loss = 0.0
            for start in range(0, len(order), BATCH):
                batch = [instances[i] for i in order[start : start + BATCH]]
                loss += self._add_gradients(batch)
                norm = torch.nn.utils.clip_grad_norm_(parameters, LONGEST)
                if not torch.isfinite(norm):
                    problem = f"fine-tuning diverges in epoch {epoch + 1}, with the rate {rate:g}"
                    fix = "lower `finetune.rate`; BERT's authors tried 2e-5 to 5e-5"
                    raise ModelError(problem, fix=fix)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
            text = "seed %d, rate %g: epoch %d of %d, loss %.3f"
            log.info(text, seed, rate, epoch + 1, epochs, loss / len(order))

    def _add_gradients(self, batch: Instances) -> float:
        """Add the gradients of a batch's mean loss to the parameters; return the sum of losses."""
        total = 0.0
        for part in self._parts(batch):
            rows = [batch[i] for i in part]
            gold = [int(self.first[word] + self.corpora[word].gold[row]) for word, row in rows]
            target = torch.tensor(gold, device=self.device)
            loss = torch.nn.functional.cross_entropy(self._logits(rows), target, reduction="sum")
            (loss / len(batch)).backward()
            total += loss.item()
        return total

    def _parts(self, instances: Instances) -> Iterator[list[int]]:
        """Yield places of instances of similar lengths."""
        lengths = [len(self.aligned[word][row].ids) for word, row in instances]
        order = np.argsort(lengths, kind="stable").tolist()
        yield from (order[start : start + PART] for start in range(0, len(order), PART))

    def _logits(self, batch: Instances) -> torch.Tensor:
        """Return a logit for every sense of all words; minus infinity if it is no candidate."""
        aligned, encoder = [self.aligned[word][row] for word, row in batch], self.encoder
        inputs = encoder.network.inputs([a.ids for a in aligned], [a.segments for a in aligned])
        state = encoder.model(**inputs).last_hidden_state.float()
        pooled = [state[i, a.pooled(encoder.pooling)].mean(dim=0) for i, a in enumerate(aligned)]
        logits = self.layer(torch.stack(pooled))
        refused = torch.ones_like(logits, dtype=torch.bool)
        for i, (word, _) in enumerate(batch):
            refused[i, self.first[word] + self.classes[word]] = False
        return logits.masked_fill(refused, -torch.inf)

    def classifier(self, word: str) -> Any:
        """Return a fitted classifier of a word, whose instances are rows of its corpus."""

        def predict_proba(rows: np.ndarray) -> np.ndarray:
            instances = [(word, row) for row in rows.tolist()]
            columns = self.first[word] + self.classes[word]
            probabilities = np.empty((len(rows), len(columns)))
            with torch.inference_mode():
                for part in self._parts(instances):
                    logits = self._logits([instances[i] for i in part])
                    probabilities[part] = logits.softmax(dim=1)[:, columns].cpu().numpy()
            return probabilities

        return SimpleNamespace(classes_=self.classes[word], predict_proba=predict_proba)
