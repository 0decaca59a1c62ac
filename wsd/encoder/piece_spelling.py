"""Compare the spelling of word pieces and of their word, and refuse tokenizers that lose case."""

from collections.abc import Sequence
from typing import Any

from wsd.errors import ModelError

# The share of pieces with a capital above which a vocabulary was made for text with capitals.
CASED = 0.05


def spelling(backend: Any, pieces: Sequence[str]) -> str:
    """Return the text of word pieces, without white space and its marks."""
    return _letters(backend.decoder.decode(list(pieces)) if backend.decoder else "".join(pieces))


def normalised(backend: Any, token: str) -> str:
    """Return a token as the tokenizer normalises it, without white space and its marks."""
    return _letters(backend.normalizer.normalize_str(token) if backend.normalizer else token)


def _letters(text: str) -> str:
    return "".join(text.replace("▁", " ").split())


def check_case(tokenizer: Any) -> None:
    """Refuse a tokenizer that lowers the case of text although its vocabulary has capitals.

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
            f"{type(tokenizer).__name__} lowers the case of text, but {capitals} of the "
            f"{len(pieces)} pieces of its vocabulary have capitals",
            fix='copy the model to a folder, set "do_lower_case": false in its '
            "tokenizer_config.json, and name the folder as the model's `path`",
        )
