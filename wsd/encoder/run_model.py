"""Run a model, examine it on a few pieces, and refuse a model that cannot be used.

Configs say little about a model's behaviour, so the model is run. It must return one hidden state
more than it has blocks, and padding must not change them. If a later piece does not change earlier
ones, the model reads from left to right.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Literal, NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence

from wsd.encoder.match_word_pieces import Aligner
from wsd.encoder.model_files import BLOCK_KEYS, WIDTH_KEYS
from wsd.errors import ModelError

# transformers sets a limit of 1e30 for a tokenizer without one.
NO_LIMIT = 10**9
# The largest relative distance at which two vectors count as equal. Rounding causes at most 1e-5.
# Unmasked padding, or a change of a piece that the model reads, causes at least 1e-3 with untrained
# weights of width 32, 0.03 with untrained weights in MiniLM's shape, and 0.2 with trained weights.
SAME = 2e-4
# The same for two batches of different lengths, whose sums run in another order: lower precision
# rounds more.
SAME_WHEN_PADDED = {torch.float32: SAME, torch.float16: 0.02, torch.bfloat16: 0.1}


class Network:
    """A model that returns its hidden states.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        An encoder in evaluation mode, on ``device``.
    tokenizer : transformers.PreTrainedTokenizerFast
    device : torch.device

    Attributes
    ----------
    blocks, width : int
        The number of blocks, and the width of a hidden state.
    known : int
        The number of pieces that the model knows.
    """

    def __init__(self, model: Any, tokenizer: Any, device: torch.device) -> None:
        self.model, self.device = model, device
        self.blocks, self.width = stated_shape(self.model.config)
        embeddings = getattr(model, "get_input_embeddings", lambda: None)()
        matrix = getattr(embeddings, "weight", None)
        self.known = len(tokenizer if matrix is None else matrix)
        pad = tokenizer.pad_token_id
        # GPT-2 has no padding token of its own.
        self._pad = 0 if pad is None or pad >= self.known else pad

    def inputs(
        self, batch: Sequence[Sequence[int]], segments: Sequence[Sequence[int] | None] = ()
    ) -> dict[str, torch.Tensor]:
        """Return the model's arguments for a batch of word pieces, padded on the right.

        Padding on the right keeps the positions of a sentence. Segment ids are included only if
        they are not all 0: models without segments refuse them, and GPT-2 would add its first word
        to every piece.
        """
        ids = _stacked(batch, self._pad)
        lengths = torch.tensor([len(pieces) for pieces in batch])
        mask = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
        inputs = {"input_ids": ids, "attention_mask": mask}
        if any(kinds is not None for kinds in segments):
            rows = [kinds or [0] * len(ids) for ids, kinds in zip(batch, segments, strict=True)]
            inputs["token_type_ids"] = _stacked(rows, 0)
        if self.device.type == "cuda":
            # Pinned memory is copied while the GPU computes.
            inputs = {key: value.pin_memory() for key, value in inputs.items()}
        return {key: value.to(self.device, non_blocking=True) for key, value in inputs.items()}

    def hidden_states(self, inputs: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Return every hidden state of a batch."""
        states: tuple[torch.Tensor, ...] = self.model(
            **inputs, output_hidden_states=True
        ).hidden_states
        return states


def _stacked(rows: Sequence[Sequence[int]], pad: int) -> torch.Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=pad)


def encoder_of(model: Any) -> Any:
    """Return the encoder of an encoder-decoder; any other model is returned unchanged."""
    config = model.config
    if not getattr(config, "is_encoder_decoder", False):
        return model
    encoder = model.get_encoder()
    if encoder is model:
        raise ModelError(f"{type(model).__name__} has a decoder, but its encoder cannot be found")
    return encoder


def stated_shape(config: Any) -> tuple[int, int]:
    """Return the number of blocks and the width of a hidden state that a model's config states."""

    def stated(meaning: str, keys: Sequence[str]) -> int:
        for key in keys:
            if isinstance(value := getattr(config, key, None), int):
                return value
        kind, tried = getattr(config, "model_type", "this model"), ", ".join(keys)
        raise ModelError(f"the config of {kind} states no {meaning}: it has none of {tried}")

    return stated("number of blocks", BLOCK_KEYS), stated("width", WIDTH_KEYS)


def length_limit(tokenizer: Any, model: Any) -> int | None:
    """Return the most pieces of a sentence, special tokens included; None if there is no limit.

    The tables of position embeddings count, not only the config. RoBERTa's positions start after
    the padding index, so that 514 rows are 512 pieces; BART's table has two rows more than its
    config states.
    """
    stated = getattr(model.config, "max_position_embeddings", None)
    limits = [getattr(tokenizer, "model_max_length", None), stated]
    for name, module in getattr(model, "named_modules", lambda: ())():
        last = name.split(".")[-1]
        is_positions = last == "wpe" or ("position" in last and "rel" not in last)
        if isinstance(module, torch.nn.Embedding) and is_positions:
            padding = module.padding_idx
            first = getattr(module, "offset", 0) if padding is None else padding + 1
            limits.append(module.num_embeddings - first)
    known = [int(limit) for limit in limits if isinstance(limit, int | float) and limit < NO_LIMIT]
    return min((limit for limit in known if limit > 0), default=None)


class Architecture(NamedTuple):
    """The properties of a model, for the provenance of its vectors.

    Attributes
    ----------
    name, tokenizer : str
        Classes of the transformers library.
    max_length : int or None
        The most pieces of a sentence, special tokens included.
    causal : bool
        Whether a piece depends only on earlier pieces.
    wide_embeddings : bool
        Whether layer 0 depends on neighbouring pieces too (MobileBERT).
    last_normed : bool
        Whether a norm outside all blocks computes the last hidden state, which then has another
        scale than the other hidden states.
    cls : {"first", "last", None}
        The place of the tokenizer's ``[CLS]``.
    segments : list of int
        The segment ids of a sentence.
    first_token : str or None
        The token that comes first in every text, whatever the text is.
    """

    name: str
    tokenizer: str
    max_length: int | None
    causal: bool
    wide_embeddings: bool
    last_normed: bool
    cls: Literal["first", "last"] | None
    segments: list[int]
    first_token: str | None


def ordinary_pieces(tokenizer: Any, known: int) -> list[int]:
    """Return nine word pieces, spread over the vocabulary, without special tokens."""
    special = set(tokenizer.all_special_ids)
    plain = [i for i in range(min(len(tokenizer), known)) if i not in special]
    return [plain[i * (len(plain) - 1) // 8] for i in range(9)]


def examine(network: Network, aligner: Aligner) -> Architecture:
    """Return the properties of a model, found by running it on a few pieces.

    Raises
    ------
    ModelError
        If the model cannot run or ignores the context, if the number or the shape of its hidden
        states differs from its config, or if other sentences of a batch change them.
    """
    name, before, after = type(network.model).__name__, aligner.before, aligner.after
    pieces = ordinary_pieces(aligner.tokenizer, network.known)
    long, short = pieces[:7], pieces[2:6]
    changed = ([*long[:-1], pieces[7]], [pieces[8], *long[1:]])
    try:
        with _outer_norms(network.model) as normed:
            alone = _run(network, aligner, long)
        short_states, later, earlier = (_run(network, aligner, s) for s in (short, *changed))
        together = _run(network, aligner, long, short)
    except Exception as error:  # models of other kinds raise anything
        problem = f"{name} cannot be run on a sentence: {type(error).__name__}: {error}"
        fix = "use a model that reads text and returns hidden states"
        raise ModelError(problem, fix=fix) from error
    shapes = [tuple(state.shape) for state in alone or ()]
    expected = (1, len(before + long + after), network.width)
    if shapes != [expected] * (network.blocks + 1):
        problem = f"{name} returns {len(shapes)} hidden states of the shapes {set(shapes)}; "
        problem += f"its config needs {network.blocks + 1} of shape {expected}"
        fix = "use a model that returns its embedding layer and every block"
        raise ModelError(problem, fix=fix)
    for i, states in enumerate((alone, short_states)):
        for layer, state in enumerate(states):
            padded = together[layer][i, : state.shape[1]]
            if _distance(state[0], padded) > SAME_WHEN_PADDED.get(state.dtype, SAME):
                problem = f"{name} ignores the attention mask: padding changes layer {layer}"
                raise ModelError(problem, fix="use another model")
    first, end = len(before), len(before) + len(long)
    if _same(alone, earlier, slice(first + 1, end)):
        problem = f"{name} ignores the context: a piece has the same vectors after any other piece"
        fix = "use another model, or a GPU, which some models need"
        raise ModelError(problem, fix=fix)
    # MobileBERT's embeddings read the two neighbours; a block reads further.
    if not _same(alone[:1], earlier[:1], slice(first + 2, end)):
        problem = f"{name} does not return its embedding layer: the first hidden state has context"
        fix = "use another model: every layer would have the wrong number"
        raise ModelError(problem, fix=fix)
    cls, last = aligner.tokenizer.cls_token_id, alone[-1].flatten()
    return Architecture(
        name=name,
        tokenizer=type(aligner.tokenizer).__name__,
        max_length=aligner.max_length,
        causal=_same(alone, later, slice(end - 1)),
        wide_embeddings=not _same(alone[:1], later[:1], slice(end - 1)),
        # Longformer pads to a multiple of its window, so only the beginning is compared.
        last_normed=any(torch.equal(output.flatten()[: len(last)], last) for output in normed),
        cls="first" if cls in before else "last" if cls in after else None,
        segments=sorted(set(aligner.segments)),
        first_token=aligner.tokenizer.decode(before[:1]) if before else None,
    )


def _run(network: Network, aligner: Aligner, *sentences: Sequence[int]) -> tuple[torch.Tensor, ...]:
    """Return every hidden state of sentences in one batch, with special tokens and segments."""
    before, after, segments = aligner.before, aligner.after, aligner.segments
    first, (inner, *last) = segments[: len(before)], segments[len(before) :]
    kinds = [[*first, *[inner] * len(s), *last] if any(segments) else None for s in sentences]
    inputs = network.inputs([[*before, *sentence, *after] for sentence in sentences], kinds)
    with torch.inference_mode():
        return network.hidden_states(inputs)


@contextmanager
def _outer_norms(model: Any) -> Iterator[list[torch.Tensor]]:
    """Collect the outputs of the norms outside all blocks, while the model runs.

    Blocks are members of a list of modules, so that names of their modules have a number.
    """
    outputs: list[torch.Tensor] = []

    def keep(_module: Any, _inputs: Any, output: Any) -> None:
        if isinstance(output, torch.Tensor):
            outputs.append(output)

    with ExitStack() as hooks:
        for name, module in model.named_modules():
            if "norm" in type(module).__name__.lower() and not re.search(r"(^|\.)\d+(\.|$)", name):
                hooks.enter_context(module.register_forward_hook(keep))
        yield outputs


def _same(a: Sequence[torch.Tensor], b: Sequence[torch.Tensor], places: slice) -> bool:
    """Return whether two sentences have the same vectors at some places, in every layer."""
    return all(_distance(x[0, places], y[0, places]) <= SAME for x, y in zip(a, b, strict=True))


def _distance(a: torch.Tensor, b: torch.Tensor) -> float:
    """Return the largest relative distance of two vectors at one position; 0 if both are 0."""
    a, b = a.float(), b.float()
    size = torch.maximum(a.norm(dim=-1), b.norm(dim=-1)).clamp_min(1e-30)
    distance = (a - b).norm(dim=-1) / size
    # A vector that is not finite is reported later, with its instance.
    return float(torch.nan_to_num(distance, nan=0.0).max()) if distance.numel() else 0.0
