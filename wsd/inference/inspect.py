"""Show how an encoder processes a sentence: word pieces, ids, and the focal word in each layer.

The command shows the alignment and the hidden states that the workflow uses. It writes no results.
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
from wsd.arguments import add_choice, add_input, add_source, count
from wsd.artifacts.view_names import DEVICES, PLAIN, POOLINGS
from wsd.errors import ConfigError, unknown_choice
from wsd.inference import encoders, find_focal_word
from wsd.inference.find_focal_word import Focus, as_corpus
from wsd.storage.text_table import aligned

if TYPE_CHECKING:
    from wsd.encoder.encoder import Encoder


# Fields of an inspection that JSON shows unchanged.
UNCHANGED = ("pieces", "ids", "segments", "focal", "windowed")


@dataclass(frozen=True, eq=False)
class Inspection:
    """A sentence as the encoder processes it.

    Attributes
    ----------
    focus : Focus
        Its tokens and the position of the focal word.
    pieces : tuple of str
        Word pieces with special tokens.
    ids, segments : tuple of int
        Their ids in the vocabulary, and their segment ids.
    focal : tuple of int
        Positions of the focal word's pieces among ``pieces``.
    windowed : bool
        Whether words far from the focal word were cut to keep the length limit.
    states : float32 array of shape (layers, pieces, width)
        Every hidden state.
    vectors : float32 array of shape (layers, width)
        The pooled states of the focal word's pieces.
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
        """Return the Euclidean norm of the focal vector, per layer."""
        return np.linalg.norm(self.vectors, axis=1)

    @property
    def steps(self) -> np.ndarray:
        """Return the cosine of the focal vectors of each layer, from 1, and the layer before."""
        return cosines(self.vectors[1:], self.vectors[:-1])


def inspect(encoder: "Encoder", focus: Focus) -> Inspection:
    """Run an encoder on one sentence and keep all hidden states.

    Parameters
    ----------
    encoder : Encoder
    focus : Focus
        As from ``find`` or ``cut`` in :mod:`wsd.inference.find_focal_word`.

    Raises
    ------
    ModelError
        If the tokenizer cannot handle the focal word.
    """
    (pieces,) = encoder.align(as_corpus([focus]))
    states = encoder.states(pieces)
    return Inspection(
        focus=focus,
        pieces=tuple(encoder.tokenizer.convert_ids_to_tokens(pieces.ids)),
        ids=tuple(pieces.ids),
        segments=tuple(pieces.segments or [0] * len(pieces.ids)),
        focal=tuple(pieces.focal),
        windowed=pieces.windowed,
        states=states,
        vectors=states[:, pieces.pooled(encoder.pooling)].mean(axis=1),
    )


def cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the cosine of each pair of rows of two arrays; NaN for a zero row.

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


def as_record(model: str, inspections: Sequence[Inspection]) -> dict[str, Any]:
    """Return one or two inspections as values for JSON."""
    record: dict[str, Any] = {
        "model": model,
        "sentences": [
            {
                "tokens": shown.focus.tokens,
                "word": shown.focus.word,
                "position": shown.focus.position,
                **{name: getattr(shown, name) for name in UNCHANGED},
                "hidden_states": {"number": len(shown.states), "shape": shown.states.shape[1:]},
                "norms": _rounded(shown.norms),
                "cosine_to_layer_before": [None, *_rounded(shown.steps)],
            }
            for shown in inspections
        ],
    }
    if len(inspections) == 2:
        first, second = inspections
        record["similarity"] = _rounded(cosines(first.vectors, second.vectors))
    return json.loads(json.dumps(record))


def as_text(model: str, inspections: Sequence[Inspection]) -> str:
    """Return one or two inspections as text to read."""
    parts = [f"model: {model}"]
    for shown in inspections:
        layers, pieces, width = shown.states.shape
        cut = " (words far from it left out: the model takes no more)" if shown.windowed else ""
        focal = ["focal" if i in shown.focal else "" for i in range(pieces)]
        parts += [
            f"sentence: {' '.join(shown.focus.tokens)}\n"
            f"focal word: {shown.focus.word!r}, word {shown.focus.position} from 0, "
            f"pieces {', '.join(map(str, shown.focal))}{cut}",
            _columns(
                ("position", range(pieces)), ("piece", shown.pieces), ("id", shown.ids),
                ("segment", shown.segments), ("", focal),
            ),
            f"{layers} hidden states of shape {pieces} pieces x {width}: layer 0 (the input of "
            f"the first block) and the outputs of the {layers - 1} blocks\n"
            + _columns(
                ("layer", range(layers)),
                ("norm", [f"{norm:.3f}" for norm in shown.norms]),
                ("cosine to the layer before", ["", *_cells(shown.steps)]),
            ),
        ]  # fmt: skip
    if len(inspections) == 2:
        first, second = inspections
        between = cosines(first.vectors, second.vectors)
        names = f"{first.focus.word!r} and {second.focus.word!r}"
        table = _columns(("layer", range(len(between))), ("cosine", _cells(between)))
        parts.append(f"{names} of the two sentences, layer by layer\n{table}")
    return "\n\n".join(parts)


def _rounded(values: np.ndarray) -> list[float | None]:
    return [None if np.isnan(value) else round(float(value), 6) for value in values]


def _cells(values: np.ndarray) -> list[str]:
    return ["none" if np.isnan(value) else f"{value:.4f}" for value in values]


def _columns(*columns: tuple[str, Iterable[object]]) -> str:
    """Return a table of columns with their heads, left-aligned."""
    cells = [[head, *map(str, values)] for head, values in columns]
    return "\n".join(aligned(list(zip(*cells, strict=True))))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    text = "one sentence, or two to compare"
    parser.add_argument("sentence", nargs="+", metavar="SENTENCE", help=text)
    parser.add_argument(
        "--word",
        required=True,
        help="the focal word; its plural matches too, and for serve.v all forms of the verb",
    )
    text = "which occurrence, from 1, if the word occurs in a sentence several times"
    parser.add_argument("--occurrence", type=count, nargs="+", default=[], metavar="N", help=text)
    parser.add_argument(
        "--model", metavar="NAME",
        help="all-MiniLM-L6-v2 (the default if its package is installed), bert-base-uncased, "
        "hub:OWNER/NAME@COMMIT, package:NAME, path:FOLDER; or an entry of --configfile",
    )  # fmt: skip
    text = "config files with models to name; later files override earlier ones"
    parser.add_argument("--configfile", type=Path, nargs="+", metavar="FILE", help=text)
    add_source(parser, "a folder that holds the model", required=False)
    add_input(parser, " (default: plain, or as in the config)", default=None)
    text = "how to pool the focal word's pieces (default: mean, or as in the config)"
    parser.add_argument("--pooling", choices=POOLINGS, help=text)
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--json", action="store_true", help="one JSON object, for machines")


def run(args: argparse.Namespace) -> None:
    """Show one or two sentences."""
    if len(args.sentence) > 2:
        raise ConfigError(f"{len(args.sentence)} sentences", where="SENTENCE", fix="give 1 or 2")
    if len(args.occurrence) not in (0, 1, len(args.sentence)):
        problem = f"{len(args.occurrence)} occurrences for {len(args.sentence)} sentences"
        raise ConfigError(problem, where="--occurrence", fix="give one, or one per sentence")
    numbers = cycle(args.occurrence or [None])
    focuses = [find_focal_word.find(text, args.word, next(numbers)) for text in args.sentence]
    source, options = _source(args)
    encoder = encoders.load_encoder(encoders.find_model(source), device=args.device, **options)
    inspections = [inspect(encoder, focus) for focus in focuses]
    if args.json:
        logs.show(json.dumps(as_record(source.name, inspections), ensure_ascii=False))
    else:
        logs.show(as_text(source.name, inspections))


def _source(args: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """Return the encoder that the arguments name, and the options to load it with."""
    if args.revision and args.hub is None:
        raise ConfigError("a revision without a repository", where="--revision", fix="add --hub")
    if args.path == "":
        raise ConfigError("an empty path", where="--path", fix="name the model's folder")
    options = {"pooling": args.pooling or POOLINGS[0], "input": args.input or PLAIN}
    hub = args.hub and f"{args.hub}@{args.revision or ''}"
    for kind, rest in (("hub", hub), ("package", args.package), ("path", args.path)):
        if rest is not None:
            return encoders.source_named(f"{kind}:{rest}"), options
    if not args.configfile:
        return encoders.source_named(args.model), options
    entries = args.config.models
    if args.model is not None and args.model not in entries:
        raise unknown_choice(f"the config has no model {args.model!r}", entries, "--model")
    entry = entries[args.model or next(iter(entries))]
    if entry.random_weights is not None:
        problem = f"{entry.name} has random weights, a control"
        raise ConfigError(problem, where="--model", fix="choose another with --model")
    options = {"pooling": args.pooling or entry.pooling, "input": args.input or entry.input}
    return encoders.ModelSource(entry.name, entry.source, entry.sha256), options
