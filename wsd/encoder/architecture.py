"""What a loaded model is: its encoder, shape and length limit, and what trying it shows.

Configs call the same thing by many names and say little of what a model does, so the model is
tried on a few pieces: it must give one hidden state per block and one more, padding must change
none of them, and whether a later piece changes an earlier one tells left-to-right models from
encoders. What does not hold is refused here, before anything is computed.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import torch

from wsd.encoder.batches import model_inputs
from wsd.encoder.model_files import BLOCK_KEYS, WIDTH_KEYS
from wsd.errors import ModelError

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder


# transformers states 1e30 where a tokenizer has no limit.
NO_LIMIT = 10**9
# Relative distance of two vectors. Rounding made at most 1e-5 in every model tried; padding that
# is not masked, or a piece that is seen, at least 1e-3 with weights never trained in blocks 32
# wide, 0.03 with those in MiniLM's shape, and 0.2 with trained ones.
SAME = 2e-4


@dataclass(frozen=True)
class Architecture:
    """What the vectors of an encoder are vectors of, for their provenance.

    Attributes
    ----------
    name, tokenizer : str
        Classes of the transformers library.
    max_length : int or None
        Pieces of the longest sentence that the model takes, special tokens included.
    causal : bool
        Whether a piece sees only what stands before it.
    wide_embeddings : bool
        Whether layer 0 holds something of the neighbouring pieces too (MobileBERT).
    last_normed : bool or "unknown"
        Whether a norm outside the last block acts on the last hidden state alone, so that it is
        on another scale than those before it.
    cls : {"first", "last", None}
        Where the tokenizer puts its ``[CLS]``.
    segments : list of int
        The segment ids that a sentence gets.
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
        """For JSON."""
        return {**asdict(self), "segments": list(self.segments)}


def encoder_of(model: Any) -> Any:
    """The encoder of an encoder-decoder, and any other model as it is."""
    config = model.config
    if not getattr(config, "is_encoder_decoder", False):
        return model
    encoder = model.get_encoder()
    if encoder is model:
        raise ModelError(f"{type(model).__name__} has a decoder, but no encoder that can be found")
    return encoder


def stated_shape(config: Any) -> tuple[int, int]:
    """Number of blocks and size of a hidden state, as a model's config states them."""
    found = []
    for what, keys in (("number of blocks", BLOCK_KEYS), ("width", WIDTH_KEYS)):
        value = next((v for key in keys if isinstance(v := getattr(config, key, None), int)), None)
        if value is None:
            kind = getattr(config, "model_type", "this model")
            tried = f"it has none of {', '.join(keys)}"
            raise ModelError(f"the config of {kind} tells no {what}: {tried}")
        found.append(value)
    return found[0], found[1]


def length_limit(tokenizer: Any, model: Any) -> int | None:
    """The pieces that a model takes, special tokens included; None if nothing limits them.

    The table of positions counts, not what the config calls its size: RoBERTa's first position is
    the one behind its padding index, so 514 rows are 512 pieces, while BART's table has two rows
    more than its config says.
    """
    stated = getattr(model.config, "max_position_embeddings", None)
    limits = [getattr(tokenizer, "model_max_length", None), stated]
    for name, module in getattr(model, "named_modules", lambda: ())():
        if isinstance(module, torch.nn.Embedding) and _is_positions(name.split(".")[-1]):
            padding = module.padding_idx
            first = getattr(module, "offset", 0) if padding is None else padding + 1
            limits.append(module.num_embeddings - first)
    known = [int(limit) for limit in limits if isinstance(limit, int | float) and limit < NO_LIMIT]
    return min((limit for limit in known if limit > 0), default=None)


def _is_positions(name: str) -> bool:
    return name == "wpe" or ("position" in name and "rel" not in name)


def input_matrix(model: Any) -> torch.Tensor | None:
    """The matrix of a model's input embeddings, if it has one."""
    found = getattr(model, "get_input_embeddings", lambda: None)()
    return getattr(found, "weight", None)


def ordinary_pieces(encoder: "Encoder") -> list[int]:
    """Nine word pieces, spread over the vocabulary, none of them special."""
    special = set(encoder.tokenizer.all_special_ids)
    known = min(len(encoder.tokenizer), encoder.known)
    plain = [i for i in range(known) if i not in special]
    return [plain[i * (len(plain) - 1) // 8] for i in range(9)]


def trial_inputs(encoder: "Encoder", *, twice: bool = False) -> dict[str, torch.Tensor]:
    """A model's arguments for a few pieces; ``twice``: in the other order, too."""
    before, after = encoder.aligner.before, encoder.aligner.after
    pieces = ordinary_pieces(encoder)
    orders = [pieces, pieces[::-1]] if twice else [pieces]
    return model_inputs(encoder, [[*before, *order, *after] for order in orders])


def examine(encoder: "Encoder") -> Architecture:
    """What a model is and does, by trying it on a few pieces.

    Raises
    ------
    ModelError
        If the model cannot run, has another number or shape of hidden states than its config
        says, gives a sentence other hidden states in a batch than alone, or reads no context.
    """
    name, aligner = type(encoder.model).__name__, encoder.aligner
    before, after = aligner.before, aligner.after
    pieces = ordinary_pieces(encoder)
    long, short = pieces[:7], pieces[2:6]
    later, earlier = [*long[:-1], pieces[7]], [pieces[8], *long[1:]]
    try:
        with _outputs(encoder.model) as outputs:
            alone = _run(encoder, long)
        of_short, of_later, of_earlier = (_run(encoder, one) for one in (short, later, earlier))
        together = _run(encoder, long, short)
    except ModelError:
        raise
    except Exception as error:  # whatever a model of another kind raises
        what = f"{name} cannot be run on a sentence: {type(error).__name__}: {error}"
        raise ModelError(what, fix="use a model that reads text and gives hidden states") from error
    _check_shapes(name, alone, encoder.blocks, (1, len(before + long + after), encoder.width))
    _check_padding(name, (alone, of_short), together)
    first, end = len(before), len(before) + len(long)
    if _same(alone, of_earlier, slice(first + 1, end)):
        what = f"{name} gives a piece the same vectors whatever stands before it"
        fix = "use another model, or run this one where it can run whole (some need a GPU)"
        raise ModelError(what, fix=fix)
    cls = encoder.tokenizer.cls_token_id
    return Architecture(
        name=name,
        tokenizer=type(encoder.tokenizer).__name__,
        max_length=encoder.max_length,
        causal=_same(alone, of_later, slice(end - 1)),
        wide_embeddings=not _same(alone[:1], of_later[:1], slice(end - 1)),
        last_normed=_last_normed(outputs, alone[-1]),
        cls="first" if cls in before else "last" if cls in after else None,
        segments=tuple(sorted(set(aligner.segments))),
    )


def _run(encoder: "Encoder", *sentences: Sequence[int]) -> tuple[torch.Tensor, ...]:
    """Every hidden state of sentences in one batch, with their special tokens and segment ids."""
    aligner = encoder.aligner
    before, after, segments = aligner.before, aligner.after, aligner.segments
    first, (inner, *last) = segments[: len(before)], segments[len(before) :]
    kinds = [[*first, *[inner] * len(one), *last] if any(segments) else None for one in sentences]
    inputs = model_inputs(encoder, [[*before, *one, *after] for one in sentences], kinds)
    with torch.inference_mode():
        return encoder.hidden_states(inputs)


def _check_shapes(
    name: str, states: Sequence[torch.Tensor] | None, blocks: int, expected: tuple[int, int, int]
) -> None:
    if states is None or len(states) != blocks + 1:
        raise ModelError(
            f"{name} gives {0 if states is None else len(states)} hidden states, but its config "
            f"says {blocks} blocks, which are {blocks + 1}",
            fix="use a model that gives its embedding layer and every block",
        )
    wrong = next((state for state in states if tuple(state.shape) != expected), None)
    if wrong is not None:
        raise ModelError(
            f"{name} gives a hidden state of shape {tuple(wrong.shape)} for {expected[1]} pieces "
            f"of width {expected[2]}",
            fix="use a model that keeps one vector per piece",
        )


def _check_padding(
    name: str, alone: Sequence[Sequence[torch.Tensor]], together: Sequence[torch.Tensor]
) -> None:
    for i, states in enumerate(alone):
        for layer, state in enumerate(states):
            if _distance(state[0], together[layer][i, : state.shape[1]]) > SAME:
                raise ModelError(
                    f"{name} gives a sentence other vectors beside a longer one than alone, first "
                    f"in layer {layer}: it does not heed the attention mask",
                    fix="use another model",
                )


def _same(a: Sequence[torch.Tensor], b: Sequence[torch.Tensor], places: slice) -> bool:
    """Whether two sentences have the same vectors at some places, in every layer."""
    return all(_distance(x[0, places], y[0, places]) <= SAME for x, y in zip(a, b, strict=True))


def _distance(a: torch.Tensor, b: torch.Tensor) -> float:
    """The largest relative distance of two vectors at one position; 0 where both are 0."""
    a, b = a.float(), b.float()
    size = torch.maximum(a.norm(dim=-1), b.norm(dim=-1)).clamp_min(1e-30)
    distance = (a - b).norm(dim=-1) / size
    # A vector that is not finite is reported with its instance when the corpus is encoded.
    return float(torch.nan_to_num(distance, nan=0.0).max()) if distance.numel() else 0.0


@contextmanager
def _outputs(model: Any) -> Iterator[dict[str, tuple[Any, torch.Tensor]]]:
    """The last output of every module, by the module's name, of what runs in the block."""
    found: dict[str, tuple[Any, torch.Tensor]] = {}

    def keep(name: str, module: Any, _: Any, output: Any) -> None:
        first = output[0] if isinstance(output, tuple | list) and output else output
        if isinstance(first, torch.Tensor):
            found[name] = module, first

    with ExitStack() as hooks:
        for name, module in getattr(model, "named_modules", lambda: ())():
            hooks.enter_context(module.register_forward_hook(partial(keep, name)))
        yield found


def _last_normed(
    outputs: dict[str, tuple[Any, torch.Tensor]], last: torch.Tensor
) -> bool | Literal["unknown"]:
    """Which modules gave the last hidden state: a block, or a norm that stands outside all blocks.

    Blocks are members of a list of modules, so their names end in a number; what a block is made
    of has a number further left.
    """
    flat = last.flatten()
    # Longformer pads its blocks' inputs to a multiple of its window: the beginning counts.
    same = {
        name: module
        for name, (module, output) in outputs.items()
        if torch.equal(output.flatten()[: flat.numel()], flat)
    }
    if any(re.search(r"(^|\.)\d+$", name) for name in same):
        return False
    outside = [module for name, module in same.items() if not re.search(r"(^|\.)\d+\.", name)]
    if any("norm" in type(module).__name__.lower() for module in outside):
        return True
    return "unknown"
