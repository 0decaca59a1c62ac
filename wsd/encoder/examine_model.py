"""Examine a model by running it on a few pieces, and refuse unusable models.

Configs say little about a model's behaviour, so the model is run. It must return one hidden state
more than it has blocks, and padding must not change them. If a later piece does not change earlier
ones, the model reads from left to right.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

import torch

from wsd.encoder.match_word_pieces import Aligner
from wsd.encoder.run_model import Network
from wsd.errors import ModelError

# The largest relative distance at which two vectors count as equal. Rounding causes at most 1e-5.
# Unmasked padding, or a change of a piece that the model reads, causes at least 1e-3 with untrained
# weights of width 32, 0.03 with untrained weights in MiniLM's shape, and 0.2 with trained weights.
SAME = 2e-4
# The same for two batches of different lengths, whose sums run in another order: lower precision
# rounds more.
SAME_WHEN_PADDED = {torch.float32: SAME, torch.float16: 0.02, torch.bfloat16: 0.1}


@dataclass(frozen=True)
class Architecture:
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
    last_normed : bool or "unknown"
        Whether a norm outside the last block is applied to the last hidden state only, which then
        has another scale than the other hidden states.
    cls : {"first", "last", None}
        The place of the tokenizer's ``[CLS]``.
    segments : list of int
        The segment ids of a sentence.
    """

    name: str
    tokenizer: str
    max_length: int | None
    causal: bool
    wide_embeddings: bool
    last_normed: bool | Literal["unknown"]
    cls: Literal["first", "last"] | None
    segments: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes for JSON."""
        return {**asdict(self), "segments": list(self.segments)}


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
        states differs from its config, if one is all zeros, not finite or exactly the one before,
        or if other sentences of a batch change them.
    """
    name, before, after = type(network.model).__name__, aligner.before, aligner.after
    pieces = ordinary_pieces(aligner.tokenizer, network.known)
    long, short = pieces[:7], pieces[2:6]
    later, earlier = [*long[:-1], pieces[7]], [pieces[8], *long[1:]]
    try:
        with _outputs(network.model) as outputs:
            alone = _run(network, aligner, long)
        short_states, later_states, earlier_states = (
            _run(network, aligner, sentence) for sentence in (short, later, earlier)
        )
        together = _run(network, aligner, long, short)
    except ModelError:
        raise
    except Exception as error:  # models of other kinds raise anything
        problem = f"{name} cannot be run on a sentence: {type(error).__name__}: {error}"
        fix = "use a model that reads text and returns hidden states"
        raise ModelError(problem, fix=fix) from error
    _check_shapes(name, alone, network.blocks, (1, len(before + long + after), network.width))
    _check_layers(name, alone)
    _check_padding(name, (alone, short_states), together)
    first, end = len(before), len(before) + len(long)
    if _same(alone, earlier_states, slice(first + 1, end)):
        problem = f"{name} ignores the context: a piece has the same vectors after any other piece"
        fix = "use another model, or a GPU, which some models need"
        raise ModelError(problem, fix=fix)
    # MobileBERT's embeddings read the two neighbours; a block reads further.
    if not _same(alone[:1], earlier_states[:1], slice(first + 2, end)):
        problem = f"{name} does not return its embedding layer: the first hidden state has context"
        fix = "use another model: every layer would have the wrong number"
        raise ModelError(problem, fix=fix)
    cls = aligner.tokenizer.cls_token_id
    return Architecture(
        name=name,
        tokenizer=type(aligner.tokenizer).__name__,
        max_length=aligner.max_length,
        causal=_same(alone, later_states, slice(end - 1)),
        wide_embeddings=not _same(alone[:1], later_states[:1], slice(end - 1)),
        last_normed=_last_normed(outputs, alone[-1]),
        cls="first" if cls in before else "last" if cls in after else None,
        segments=tuple(sorted(set(aligner.segments))),
    )


def _run(network: Network, aligner: Aligner, *sentences: Sequence[int]) -> tuple[torch.Tensor, ...]:
    """Return every hidden state of sentences in one batch, with special tokens and segments."""
    before, after, segments = aligner.before, aligner.after, aligner.segments
    first, (inner, *last) = segments[: len(before)], segments[len(before) :]
    kinds = [[*first, *[inner] * len(s), *last] if any(segments) else None for s in sentences]
    inputs = network.inputs([[*before, *sentence, *after] for sentence in sentences], kinds)
    with torch.inference_mode():
        return network.hidden_states(inputs)


def _check_shapes(
    name: str, states: Sequence[torch.Tensor] | None, blocks: int, expected: tuple[int, int, int]
) -> None:
    if states is None or len(states) != blocks + 1:
        number = 0 if states is None else len(states)
        problem = f"{name} returns {number} hidden states, its config needs {blocks + 1}"
        fix = "use a model that returns its embedding layer and every block"
        raise ModelError(problem, fix=fix)
    for shape in (tuple(state.shape) for state in states):
        if shape != expected:
            problem = f"{name} returns a hidden state of shape {shape}, not {expected}"
            raise ModelError(problem, fix="use a model that returns a vector per piece")


def _check_layers(name: str, states: Sequence[torch.Tensor]) -> None:
    """Refuse hidden states that no sound model has; faulty device maps lose layers so."""
    for layer, state in enumerate(states):
        fix = "check the weights; if the model is on several devices, use one (no `device_map`)"
        if not state.isfinite().all():
            fault = "is not finite"
            fix += "; float16 overflows in some models, bfloat16 does not"
        elif not state.any():
            fault = "is all zeros"
        elif layer and torch.equal(state, states[layer - 1]):
            fault = f"repeats layer {layer - 1} exactly"
        else:
            continue
        raise ModelError(f"layer {layer} of {name} {fault}", fix=fix)


def _check_padding(
    name: str, alone: Sequence[Sequence[torch.Tensor]], together: Sequence[torch.Tensor]
) -> None:
    for i, states in enumerate(alone):
        for layer, state in enumerate(states):
            same = SAME_WHEN_PADDED.get(state.dtype, SAME)
            if _distance(state[0], together[layer][i, : state.shape[1]]) > same:
                problem = f"{name} ignores the attention mask: padding changes layer {layer}"
                raise ModelError(problem, fix="use another model")


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


@contextmanager
def _outputs(model: Any) -> Iterator[dict[str, tuple[Any, torch.Tensor]]]:
    """Record the last output of every module by name, while the block runs."""
    outputs: dict[str, tuple[Any, torch.Tensor]] = {}

    def keep(name: str, module: Any, _: Any, output: Any) -> None:
        first = output[0] if isinstance(output, tuple | list) and output else output
        if isinstance(first, torch.Tensor):
            outputs[name] = module, first

    with ExitStack() as hooks:
        for name, module in getattr(model, "named_modules", lambda: ())():
            hooks.enter_context(module.register_forward_hook(partial(keep, name)))
        yield outputs


def _last_normed(
    outputs: dict[str, tuple[Any, torch.Tensor]], last: torch.Tensor
) -> bool | Literal["unknown"]:
    """Return whether a norm outside all blocks computes the last hidden state.

    Blocks are members of a list of modules, so that their names end in a number. Modules inside a
    block have a number further left.
    """
    flat = last.flatten()
    # Longformer pads to a multiple of its window, so only the beginning is compared.
    same = {
        name: module
        for name, (module, output) in outputs.items()
        if torch.equal(output.flatten()[: flat.numel()].to(flat.device), flat)
    }
    if any(re.search(r"(^|\.)\d+$", name) for name in same):
        return False
    outside = [module for name, module in same.items() if not re.search(r"(^|\.)\d+\.", name)]
    if any("norm" in type(module).__name__.lower() for module in outside):
        return True
    return "unknown"
