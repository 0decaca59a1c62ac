"""Tokenizer and model: where the focal word is, and every hidden state of it in one pass.

The only module that imports torch and transformers. Left out on purpose: what is done with the
vectors, and how they lie on disk.

A sentence is reduced, layer by layer, to the views asked for:

``focal``
    the focal word: its word pieces pooled by ``mean``, ``first`` or ``last``;
``context``
    the mean of the other word pieces, without special tokens and without padding;
``cls``
    the tokenizer's ``[CLS]`` token;
``other``
    one other word piece, drawn with the seed for each instance, the same in every layer.

A sentence of nothing but the focal word has no context: its ``context`` and ``other`` are zero.
"""

import hashlib
import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, TypeVar

# Before the import: the tokenizer reads it when it starts, and our threads run whole batches.
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import numpy as np
import torch

from wsd.corpus import Corpus
from wsd.errors import ConfigError, ModelError

VIEWS = ("focal", "context", "cls", "other")

# Padded positions of one batch. With MiniLM, 512 takes the least time and 8,192 a third more:
# what a batch touches should fit in the processor's cache. A GPU wants more (not measured).
BATCH_TOKENS = 512
GPU_BATCH_TOKENS = 8192

# How transformers may load: without the hub, without code of the model's own.
LOCAL = {"local_files_only": True, "trust_remote_code": False}

_T = TypeVar("_T")
_R = TypeVar("_R")
Pooling = Literal["mean", "first", "last"]


@dataclass(frozen=True)
class Aligned:
    """One instance as the model sees it.

    Attributes
    ----------
    ids : list of int
        Word pieces with special tokens.
    focal, others : list of int
        Positions in ``ids`` of the focal word's pieces, and of all other words' pieces.
    cls : int or None
        Position of ``[CLS]``.
    windowed : bool
        Whether words far from the focal word were left out to keep the length limit.
    """

    ids: list[int]
    focal: list[int]
    others: list[int]
    cls: int | None
    windowed: bool


def choose_device(name: str) -> torch.device:
    """The device for ``auto``, ``cpu`` or ``cuda``; ``auto`` takes a GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise ConfigError("no GPU can be used here", where="device", fix="use auto or cpu")
    return torch.device(name)


class Encoder:
    """A tokenizer with word ids and a model that returns its hidden states.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast
    model : transformers.PreTrainedModel
        In evaluation mode, on ``device``.
    pooling : {"mean", "first", "last"}
        How the focal word's pieces become one vector.
    device : torch.device
    """

    def __init__(
        self, tokenizer: Any, model: Any, *, pooling: Pooling = "mean", device: torch.device
    ) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise ModelError(
                f"{type(tokenizer).__name__} gives no word ids, so the focal word cannot be found",
                fix="use a model with a tokenizer.json",
            )
        self.tokenizer, self.model, self.pooling, self.device = tokenizer, model, pooling, device
        self.blocks: int = model.config.num_hidden_layers
        self.width: int = model.config.hidden_size
        positions = getattr(model.config, "max_position_embeddings", None)
        self.max_length = min(tokenizer.model_max_length, positions or tokenizer.model_max_length)

    @classmethod
    def load(
        cls,
        folder: str,
        *,
        pooling: Pooling = "mean",
        device: str = "auto",
        random_weights: int | None = None,
    ) -> "Encoder":
        """Load from a local folder with ``config.json``, safetensors weights and a tokenizer.

        The hub is never asked, no code of the model's own is run, and no pickle is read.

        Parameters
        ----------
        folder : str
        pooling, device
            As in the class and :func:`choose_device`.
        random_weights : int, optional
            A seed: the weights are not read but drawn, as the architecture draws them before
            its training, and are the same for the same seed and versions.

        Raises
        ------
        ModelError
            If the folder cannot be loaded, or its weights do not fill the model.
        """
        import transformers
        from safetensors import SafetensorError

        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        chosen = choose_device(device)
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, use_fast=True, **LOCAL)
            model = (
                _read_weights(folder)
                if random_weights is None
                else _drawn_weights(folder, random_weights)
            )
        except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
            raise ModelError(f"the model cannot be loaded: {error}", where=folder) from error
        return cls(tokenizer, model.eval().to(chosen), pooling=pooling, device=chosen)

    def weights_digest(self) -> str:
        """SHA-256 over the model's parameters and their names, in the names' order."""
        hasher = hashlib.sha256()
        for name, tensor in sorted(self.model.named_parameters()):
            hasher.update(json.dumps([name, list(tensor.shape)]).encode())
            hasher.update(tensor.detach().cpu().contiguous().numpy())
        return hasher.hexdigest()

    def align(self, corpus: Corpus) -> list[Aligned]:
        """Tokenize every instance and find its focal word through the tokenizer's word ids.

        Raises
        ------
        ModelError
            If the tokenizer leaves nothing of a focal word, or the focal word alone exceeds the
            length limit; it names the instance.
        """
        encodings = self._tokenize(corpus.tokens)
        return [
            self._align(encodings[i], tokens, int(position), _name(corpus, i))
            for i, (tokens, position) in enumerate(zip(corpus.tokens, corpus.position, strict=True))
        ]

    def _tokenize(self, sentences: Sequence[Sequence[str]]) -> list[Any]:
        encoded = self.tokenizer(
            [list(tokens) for tokens in sentences],
            is_split_into_words=True,
            padding=False,
            truncation=False,
            return_attention_mask=False,
            verbose=False,
        )
        return encoded.encodings

    def _align(self, encoding: Any, tokens: Sequence[str], position: int, name: str) -> Aligned:
        windowed = len(encoding.ids) > self.max_length
        if windowed:
            first, last = self._window(encoding.word_ids, len(tokens), position, name)
            encoding = self._tokenize([tokens[first:last]])[0]
            position -= first
        focal = [i for i, word in enumerate(encoding.word_ids) if word == position]
        others = [
            i for i, word in enumerate(encoding.word_ids) if word is not None and word != position
        ]
        if not focal:
            raise ModelError(
                f"the tokenizer leaves nothing of the focal word {tokens[position]!r}", where=name
            )
        cls_id = self.tokenizer.cls_token_id
        cls = encoding.ids.index(cls_id) if cls_id in encoding.ids else None
        return Aligned(encoding.ids, focal, others, cls, windowed)

    def _window(
        self, word_ids: Sequence[int | None], n_words: int, position: int, name: str
    ) -> tuple[int, int]:
        """The words around the focal word that fit, as even on both sides as can be."""
        pieces = [0] * n_words
        for word in word_ids:
            if word is not None:
                pieces[word] += 1
        room = self.max_length - sum(word is None for word in word_ids) - pieces[position]
        if room < 0:
            raise ModelError(
                f"the focal word has {pieces[position]} pieces, the model takes {self.max_length}",
                where=name,
            )
        first, last = position, position + 1
        growing = True
        while growing:
            growing = False
            if first > 0 and pieces[first - 1] <= room:
                first -= 1
                room -= pieces[first]
                growing = True
            if last < n_words and pieces[last] <= room:
                room -= pieces[last]
                last += 1
                growing = True
        return first, last

    def encode(
        self,
        corpus: Corpus,
        aligned: Sequence[Aligned],
        *,
        views: Sequence[str],
        seed: int,
        threads: int = 1,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Iterator[tuple[list[int], np.ndarray]]:
        """Run the model over all instances and yield batch by batch.

        Batches hold instances of similar length. Which instances share a batch depends on the
        corpus alone, and each batch runs on one thread, so that the vectors are the same, bit
        for bit, whatever ``threads`` is.

        Parameters
        ----------
        corpus : Corpus
        aligned : sequence of Aligned
            What :meth:`align` gave for it.
        views : sequence of str
            Among ``focal``, ``context``, ``cls``, ``other``.
        seed : int
            For the draw of ``other``.
        threads : int
            Batches that run at the same time, on a CPU.
        progress : callable
            Called with the number of instances done.

        Yields
        ------
        rows : list of int
            Rows of the corpus in this batch.
        vectors : float32 array of shape (views, layers, len(rows), width)

        Raises
        ------
        ModelError
            If a vector is not finite, or the tokenizer has no ``[CLS]`` and ``cls`` is asked
            for; it names the instance.
        """
        weights = [
            self._weights(one, views, seed, _name(corpus, i)) for i, one in enumerate(aligned)
        ]
        budget = BATCH_TOKENS if self.device.type == "cpu" else GPU_BATCH_TOKENS
        batches = _batches([len(one.ids) for one in aligned], budget)

        def run(rows: list[int]) -> tuple[list[int], np.ndarray]:
            vectors = self._forward([aligned[i] for i in rows], [weights[i] for i in rows])
            bad = ~np.isfinite(vectors).all(axis=(0, 1, 3))
            if bad.any():
                raise ModelError(
                    "the model gives a vector that is not finite",
                    where=_name(corpus, rows[int(bad.argmax())]),
                    fix="check the weights",
                )
            return rows, vectors

        done = 0
        if self.device.type != "cpu":
            threads = 1
        else:
            torch.set_num_threads(1)
        with ThreadPoolExecutor(max_workers=threads) as pool:
            for rows, vectors in _in_flight(pool, run, batches, 2 * threads):
                yield rows, vectors
                done += len(rows)
                progress(done)

    def _weights(
        self, one: Aligned, views: Sequence[str], seed: int, name: str
    ) -> list[tuple[list[int], float]]:
        """Per view, the positions it is the mean of, and the weight of each."""
        positions: dict[str, list[int]] = {
            "focal": {"mean": one.focal, "first": one.focal[:1], "last": one.focal[-1:]}[
                self.pooling
            ],
            "context": one.others,
            "cls": [] if one.cls is None else [one.cls],
            "other": [one.others[_draw(seed, name, len(one.others))]] if one.others else [],
        }
        if "cls" in views and one.cls is None:
            raise ModelError(
                "this tokenizer has no [CLS] token", where=name, fix="leave `cls` out of the views"
            )
        return [(positions[view], 1 / max(1, len(positions[view]))) for view in views]

    def _forward(
        self, batch: Sequence[Aligned], weights: Sequence[list[tuple[list[int], float]]]
    ) -> np.ndarray:
        longest = max(len(one.ids) for one in batch)
        pad = self.tokenizer.pad_token_id or 0
        ids = torch.full((len(batch), longest), pad, dtype=torch.long)
        mask = torch.zeros((len(batch), longest), dtype=torch.long)
        # A row per view that holds the weight of each position: one product per layer then gives
        # all views, and what has weight 0, padding included, counts for nothing.
        select = torch.zeros((len(batch), len(weights[0]), longest))
        for i, (one, rows) in enumerate(zip(batch, weights, strict=True)):
            ids[i, : len(one.ids)] = torch.tensor(one.ids)
            mask[i, : len(one.ids)] = 1
            for view, (positions, weight) in enumerate(rows):
                select[i, view, positions] = weight
        with torch.inference_mode():
            states = self.model(
                input_ids=ids.to(self.device),
                attention_mask=mask.to(self.device),
                output_hidden_states=True,
            ).hidden_states
            if len(states) != self.blocks + 1:
                raise ModelError(
                    f"the model gave {len(states)} hidden states, not {self.blocks + 1}"
                )
            select = select.to(self.device)
            layers = [torch.bmm(select, state.float()) for state in states]
            return torch.stack(layers).permute(2, 0, 1, 3).contiguous().cpu().numpy()


def _read_weights(folder: str) -> Any:
    """The model of a folder with its own weights."""
    import transformers

    model, loaded = transformers.AutoModel.from_pretrained(
        folder, use_safetensors=True, dtype=torch.float32, output_loading_info=True, **LOCAL
    )
    # A missing pooler is no loss: hidden states do not pass through it.
    missing = sorted(key for key in loaded["missing_keys"] if not key.startswith("pooler."))
    if missing:
        raise ModelError(
            f"the weights lack {len(missing)} of the model's tensors, such as {missing[0]}",
            where=folder,
            fix="use the weights that belong to this config.json",
        )
    return model


def _drawn_weights(folder: str, seed: int) -> Any:
    """A model of a folder's config, initialised by its own architecture's rule."""
    import transformers

    config = transformers.AutoConfig.from_pretrained(folder, **LOCAL)
    # On the CPU whatever the device, and on the CPU's generator alone, which is then put back:
    # torch.manual_seed would seed every GPU too.
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        return transformers.AutoModel.from_config(
            config, dtype=torch.float32, trust_remote_code=False
        )


def _name(corpus: Corpus, row: int) -> str:
    return f"{corpus.word} {corpus.split[row]} {corpus.index[row]}"


def _draw(seed: int, name: str, n: int) -> int:
    """A number below ``n`` that depends on the seed and the instance alone, not on any order."""
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % n


def _batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Rows in batches of similar length, the longest first, each of ``budget`` positions."""
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    batches: list[list[int]] = []
    for row in order:
        if batches and (len(batches[-1]) + 1) * lengths[batches[-1][0]] <= budget:
            batches[-1].append(row)
        else:
            batches.append([row])
    return batches


def _in_flight(
    pool: ThreadPoolExecutor, run: Callable[[_T], _R], tasks: Sequence[_T], limit: int
) -> Iterator[_R]:
    """Results in the tasks' order, with at most ``limit`` of them computed but not yet taken."""
    waiting = deque(pool.submit(run, task) for task in tasks[:limit])
    ahead = iter(tasks[limit:])
    try:
        while waiting:
            yield waiting.popleft().result()
            for task in islice(ahead, 1):
                waiting.append(pool.submit(run, task))
    finally:
        for future in waiting:
            future.cancel()
