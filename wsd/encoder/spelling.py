"""Whether word pieces spell the word that they are said to be of, and whether capitals are lost."""

from collections.abc import Sequence
from typing import Any

from wsd.errors import ModelError

# A vocabulary of which more pieces than this have a capital was made for text with capitals.
CASED = 0.05


def spelling(backend: Any, pieces: Sequence[str]) -> str:
    """What pieces say together, without white space and marks of it."""
    said = backend.decoder.decode(list(pieces)) if backend.decoder else "".join(pieces)
    return _letters(said)


def normalised(backend: Any, token: str) -> str:
    """A token after the tokenizer's own normalisation, without white space and marks of it."""
    return _letters(backend.normalizer.normalize_str(token) if backend.normalizer else token)


def _letters(text: str) -> str:
    return "".join(text.replace("▁", " ").split())


def check_case(tokenizer: Any) -> None:
    """Refuse a tokenizer that makes letters small though its vocabulary has capitals.

    Raises
    ------
    ModelError
    """
    normalizer = tokenizer.backend_tokenizer.normalizer
    if normalizer is None or "A" in normalizer.normalize_str("A"):
        return
    added = set(tokenizer.get_added_vocab())
    pieces = [piece for piece in tokenizer.get_vocab() if piece not in added]
    capitals = sum(any("A" <= letter <= "Z" for letter in piece) for piece in pieces)
    if capitals > CASED * len(pieces):
        raise ModelError(
            f"{type(tokenizer).__name__} makes all letters small, but {capitals} of the "
            f"{len(pieces)} pieces of its vocabulary have capitals",
            fix='say "do_lower_case": false in tokenizer_config.json, in a folder named with '
            "the model's `path`",
        )
