"""Show how an encoder processes a sentence: word pieces, ids, and the focal word in each layer.

The command shows the alignment and the hidden states that the workflow uses. It writes no results.
"""

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd import logs
from wsd.arguments import add_choice, add_input
from wsd.artifacts.encoder_input import DEVICES, POOLINGS
from wsd.corpora.find_word import Sentence
from wsd.inference import encoders, sentences
from wsd.inference.sentences import as_corpus
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
    focus : Sentence
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

    focus: Sentence
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


def inspect(encoder: "Encoder", focus: Sentence) -> Inspection:
    """Run an encoder on one sentence and keep all hidden states.

    Parameters
    ----------
    encoder : Encoder
    focus : Sentence
        As from ``find`` or ``cut`` in :mod:`wsd.inference.sentences`.

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
    """Return one or two inspections as values for JSON; the cosine of a zero vector is None."""
    record: dict[str, Any] = {"model": model, "sentences": []}
    for shown in inspections:
        sentence = {name: getattr(shown, name) for name in UNCHANGED}
        sentence |= {"tokens": shown.focus.tokens, "word": shown.focus.word}
        sentence |= {"position": shown.focus.position, "text": shown.focus.text}
        sentence["norms"] = _rounded(shown.norms)
        sentence["hidden_states"] = {"number": len(shown.states), "shape": shown.states.shape[1:]}
        sentence["cosine_to_layer_before"] = [None, *_rounded(shown.steps)]
        record["sentences"].append(sentence)
    if len(inspections) == 2:
        first, second = inspections
        record["similarity"] = _rounded(cosines(first.vectors, second.vectors))
    return json.loads(json.dumps(record))


def as_text(record: Mapping[str, Any]) -> str:
    """Return a record of :func:`as_record` as text to read."""
    parts = [f"model: {record['model']}"]
    for shown in record["sentences"]:
        number, (pieces, width) = shown["hidden_states"].values()
        cut = " (words far from it left out: the model takes no more)" if shown["windowed"] else ""
        focal = ["focal" if i in shown["focal"] else "" for i in range(pieces)]
        parts += [
            f"sentence: {shown['text']}\n"
            f"focal word: {shown['word']!r}, word {shown['position']} from 0, "
            f"pieces {', '.join(map(str, shown['focal']))}{cut}",
            _table(position=range(pieces), piece=shown["pieces"], id=shown["ids"],
                   segment=shown["segments"], focal=focal),
            f"{number} hidden states of shape {pieces} pieces x {width}: layer 0 (the input of "
            f"the first block) and the outputs of the {number - 1} blocks",
            _table(layer=range(number), norm=shown["norms"],
                   cosine_to_layer_before=shown["cosine_to_layer_before"]),
        ]  # fmt: skip
    if "similarity" in record:
        first, second = (repr(shown["word"]) for shown in record["sentences"])
        parts.append(f"cosine of {first} and {second} of the two sentences")
        similarity = record["similarity"]
        parts.append(_table(layer=range(len(similarity)), cosine=similarity))
    return "\n\n".join(parts)


def _rounded(values: np.ndarray) -> list[float | None]:
    return [None if np.isnan(value) else round(float(value), 6) for value in values]


def _table(**columns: Iterable[Any]) -> str:
    """Return a table of columns with their heads, left-aligned."""
    cells = [[name, *map(_cell, values)] for name, values in columns.items()]
    return "\n".join(aligned(list(zip(*cells, strict=True))))


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    text = "one sentence, two to compare, or more"
    parser.add_argument("sentence", nargs="+", metavar="SENTENCE", help=text)
    parser.add_argument(
        "--word",
        required=True,
        help="the focal word; for serve.v all forms of the verb match. If it occurs several times, "
        "mark one: [[crane]]",
    )
    text = "all-MiniLM-L6-v2 (the default if its package is installed), bert-base-uncased, "
    text += "hub:OWNER/NAME@COMMIT, package:NAME or path:FOLDER"
    parser.add_argument("--model", metavar="NAME", help=text)
    add_input(parser)
    add_choice(parser, "--pooling", POOLINGS, "how to pool the focal word's pieces")
    add_choice(parser, "--device", DEVICES)
    parser.add_argument("--json", action="store_true", help="one JSON object, for machines")


def run(args: argparse.Namespace) -> None:
    """Show sentences."""
    focuses = [sentences.find(text, args.word) for text in args.sentence]
    options = {"pooling": args.pooling, "input": args.input, "device": args.device}
    encoder = encoders.open_encoder(args.model, **options)
    name = encoders.source_named(args.model).name
    record = as_record(name, [inspect(encoder, focus) for focus in focuses])
    logs.show(json.dumps(record, ensure_ascii=False) if args.json else as_text(record))
