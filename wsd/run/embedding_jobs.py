"""Divide the words among the jobs that embed them."""

from collections.abc import Mapping, Sequence

# A job embeds many words, since loading an encoder takes seconds. On a cluster, several jobs share
# a large corpus.
SENTENCES = 20_000


def in_parts(words: Sequence[str], sizes: Mapping[str, int]) -> list[list[str]]:
    """Divide words, in their order, into parts of about :data:`SENTENCES` sentences.

    A new word may move others to another part, which costs nothing: a job skips embedded words.
    """
    parts: dict[int, list[str]] = {}
    before = 0
    for word in words:
        parts.setdefault(before // SENTENCES, []).append(word)
        before += sizes[word]
    return list(parts.values())
