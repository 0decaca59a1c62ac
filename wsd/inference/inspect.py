"""What an encoder makes of one sentence: pieces, ids, and the focal word layer by layer.

For looking, not for results: everything comes from the alignment and the hidden states that the
workflow uses, so what is seen here is what its vectors are made of.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd import logs
from wsd.arguments import add_choice, add_source, count
from wsd.artifacts.view_names import DEVICES, POOLINGS
from wsd.errors import ConfigError, unknown_choice
from wsd.inference import encoders, focal_word_input
from wsd.inference.focal_word_input import Focus, as_corpus
from wsd.storage.text_table import aligned

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder


# Of a sentence, said in JSON as it is.
SAID = ("pieces", "ids", "segments", "focal", "windowed")


@dataclass(frozen=True, eq=False)
class Inspection:
    """A sentence as the encoder sees it.

    Attributes
    ----------
    focus : Focus
        Its tokens, and which is the focal word.
    pieces : tuple of str
        Word pieces with special tokens.
    ids, segments : tuple of int
        Their numbers in the vocabulary, and their segment ids.
    focal : tuple of int
        Positions of the focal word's pieces among ``pieces``.
    windowed : bool
        Whether words far from the focal word were left out to keep the length limit.
    states : float32 array of shape (layers, pieces, width)
        Every hidden state.
    vectors : float32 array of shape (layers, width)
        The focal word's: the pooled states of its pieces.
    """

    focus: Focus
    pieces: tuple[str, ...]
    ids: tuple[int, ...]
    segments: tuple[int, ...]
    focal: tuple[int, ...]
    windowed: bool
    states: np.ndarray
    vectors: np.ndarray

    @property
    def norms(self) -> np.ndarray:
        """Euclidean length of the focal vector, per layer."""
        return np.linalg.norm(self.vectors, axis=1)

    @property
    def steps(self) -> np.ndarray:
        """Cosine of the focal vector to that of the layer before, for layer 1 and up."""
        return cosines(self.vectors[1:], self.vectors[:-1])


def inspect(encoder: "Encoder", focus: Focus) -> Inspection:
    """Run an encoder on one sentence and keep everything.

    Parameters
    ----------
    encoder : Encoder
    focus : Focus
        Of :func:`wsd.inference.focal_word_input.find` or
        :func:`wsd.inference.focal_word_input.cut`.

    Raises
    ------
    ModelError
        If the tokenizer cannot handle the focal word.
    """
    (one,) = encoder.align(as_corpus([focus]))
    states = encoder.states(one)
    return Inspection(
        focus=focus,
        pieces=tuple(encoder.tokenizer.convert_ids_to_tokens(one.ids)),
        ids=tuple(one.ids),
        segments=tuple(one.segments or [0] * len(one.ids)),
        focal=tuple(one.focal),
        windowed=one.windowed,
        states=states,
        vectors=states[:, one.pooled(encoder.pooling)].mean(axis=1),
    )


def cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cosine of each row of one array with the same row of another; NaN for a zero row.

    Parameters
    ----------
    a, b : arrays of shape (n, width)

    Returns
    -------
    array of shape (n,)

    >>> cosines(np.array([[3.0, 4.0]]), np.array([[4.0, 3.0]]))
    array([0.96])
    """
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    products = (a * b).sum(axis=1)
    return np.divide(products, lengths, out=np.full_like(products, np.nan), where=lengths > 0)


def as_record(model: str, found: Sequence[Inspection]) -> dict[str, Any]:
    """One or two inspections as plain values, for JSON."""
    record: dict[str, Any] = {
        "model": model,
        "sentences": [
            {
                "tokens": one.focus.tokens,
                "word": one.focus.word,
                "position": one.focus.position,
                **{name: getattr(one, name) for name in SAID},
                "hidden_states": {"number": len(one.states), "shape": one.states.shape[1:]},
                "norms": _rounded(one.norms),
                "cosine_to_layer_before": [None, *_rounded(one.steps)],
            }
            for one in found
        ],
    }
    if len(found) == 2:
        record["similarity"] = _rounded(cosines(found[0].vectors, found[1].vectors))
    return json.loads(json.dumps(record))


def as_text(model: str, found: Sequence[Inspection]) -> str:
    """The same to read."""
    parts = [f"model: {model}"]
    for one in found:
        layers, pieces, width = one.states.shape
        cut = " (words far from it left out: the model takes no more)" if one.windowed else ""
        focal = ["focal" if i in one.focal else "" for i in range(pieces)]
        parts += [
            f"sentence: {' '.join(one.focus.tokens)}\n"
            f"focal word: {one.focus.word!r}, word {one.focus.position} from 0, "
            f"pieces {', '.join(map(str, one.focal))}{cut}",
            _columns(
                ("position", range(pieces)), ("piece", one.pieces), ("id", one.ids),
                ("segment", one.segments), ("", focal),
            ),
            f"{layers} hidden states of shape {pieces} pieces x {width}: layer 0, what the first "
            f"block gets, and what each of the {layers - 1} blocks gives\n"
            + _columns(
                ("layer", range(layers)),
                ("norm", [f"{norm:.3f}" for norm in one.norms]),
                ("cosine to the layer before", ["", *_shown(one.steps)]),
            ),
        ]  # fmt: skip
    if len(found) == 2:
        between = cosines(found[0].vectors, found[1].vectors)
        names = " and ".join(repr(one.focus.word) for one in found)
        table = _columns(("layer", range(len(between))), ("cosine", _shown(between)))
        parts.append(f"{names} of the two sentences, layer by layer\n{table}")
    return "\n\n".join(parts)


def _rounded(values: np.ndarray) -> list[float | None]:
    return [None if np.isnan(value) else round(float(value), 6) for value in values]


def _shown(values: np.ndarray) -> list[str]:
    return ["none" if np.isnan(value) else f"{value:.4f}" for value in values]


def _columns(*columns: tuple[str, Iterable[object]]) -> str:
    """A table of columns, each with its head, flush left."""
    cells = [[head, *map(str, values)] for head, values in columns]
    return "\n".join(aligned(list(zip(*cells, strict=True))))


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    text = "one sentence, or two to compare"
    parser.add_argument("sentence", nargs="+", metavar="SENTENCE", help=text)
    parser.add_argument(
        "--word",
        required=True,
        help="the focal word; its plural is found too, and of serve.v the verb's forms",
    )
    text = "which one, from 1, where the word stands in a sentence several times"
    parser.add_argument("--occurrence", type=count, nargs="+", default=[], metavar="N", help=text)
    parser.add_argument(
        "--model", metavar="NAME",
        help="all-MiniLM-L6-v2 (the default if its package is installed), bert-base-uncased, "
        "hub:OWNER/NAME@COMMIT, package:NAME, path:FOLDER; or an entry of --configfile",
    )  # fmt: skip
    text = "config files, later ones over earlier ones, whose models can be named"
    parser.add_argument("--configfile", type=Path, nargs="+", metavar="FILE", help=text)
    add_source(parser, "a folder that holds the model", required=False)
    text = "of the focal word's pieces (default: mean, or what the config says)"
    parser.add_argument("--pooling", choices=POOLINGS, help=text)
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--json", action="store_true", help="one JSON object, for machines")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if len(args.sentence) > 2:
        raise ConfigError(f"{len(args.sentence)} sentences", where="SENTENCE", fix="give 1 or 2")
    if len(args.occurrence) not in (0, 1, len(args.sentence)):
        what = f"{len(args.occurrence)} occurrences for {len(args.sentence)} sentences"
        raise ConfigError(what, where="--occurrence", fix="give one, or one per sentence")
    which = cycle(args.occurrence or [None])
    asked = [focal_word_input.find(sentence, args.word, next(which)) for sentence in args.sentence]
    source, how = _asked_source(args)
    encoder = encoders.load_encoder(encoders.find_model(source), device=args.device, **how)
    found = [inspect(encoder, one) for one in asked]
    if args.json:
        logs.show(json.dumps(as_record(source.name, found), ensure_ascii=False))
    else:
        logs.show(as_text(source.name, found))


def _asked_source(args: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """The encoder that the arguments name, and how it is used."""
    how = {"pooling": args.pooling or "mean"}
    if args.revision and args.hub is None:
        raise ConfigError("a revision without a repository", where="--revision", fix="add --hub")
    if args.path == "":
        raise ConfigError("an empty path", where="--path", fix="name the model's folder")
    hub = args.hub and f"{args.hub}@{args.revision or ''}"
    for kind, rest in (("hub", hub), ("package", args.package), ("path", args.path)):
        if rest is not None:
            return encoders.source_named(f"{kind}:{rest}"), how
    if not args.configfile:
        return encoders.source_named(args.model), how
    entries = args.config.models
    if args.model is not None and args.model not in entries:
        raise unknown_choice(f"the config has no model {args.model!r}", entries, "--model")
    entry = entries[args.model or next(iter(entries))]
    if entry.random_weights is not None:
        raise ConfigError(
            f"{entry.name} has random weights, a control",
            where="--model",
            fix="choose another with --model",
        )
    how = {"pooling": args.pooling or entry.pooling, "masked": entry.input == "masked"}
    return encoders.ModelSource(entry.name, entry.source, entry.sha256), how
