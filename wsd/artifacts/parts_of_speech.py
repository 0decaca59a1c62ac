"""Parts of speech, where the words of a corpus carry one: ``cell.n``, ``serve.v``."""

import re
from collections.abc import Collection

# By suffix; any other suffix, as of `so.conj`, is its own name.
PARTS = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}
_WORD = re.compile(r".+\.([a-z]+)")


def parts_of_speech(words: Collection[str]) -> dict[str, str]:
    """Each word's part of speech; of none, if not all have one.

    >>> parts_of_speech(["cell.n", "so.conj"]), parts_of_speech(["cell.n", "bank"])
    ({'cell.n': 'noun', 'so.conj': 'conj'}, {})
    >>> parts_of_speech(["node.js", "asp.net"])
    {}
    """
    found = {word: match[1] for word in words if (match := _WORD.fullmatch(word))}
    if len(found) < len(words) or not PARTS.keys() & found.values():
        return {}
    return {word: PARTS.get(part, part) for word, part in found.items()}
