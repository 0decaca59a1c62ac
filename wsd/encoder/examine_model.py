"""Examine a model by running it on a few pieces, and refuse unusable models.

Configs say little about a model's behaviour, so the model is run. It must return one hidden state
more than it has blocks, and padding must not change them. If a later piece does not change earlier
ones, the model reads from left to right.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
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
    last_normed : bool
        Whether a norm outside all blocks computes the last hidden state, which then has another
        scale than the other hidden states.
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
    last_normed: bool
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
