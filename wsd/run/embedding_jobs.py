"""Divide the words among the jobs that embed them."""

from collections.abc import Mapping, Sequence

# Starting and loading an encoder takes seconds, so that a job embeds many words. Several jobs share
# a large corpus, for a cluster.
SENTENCES = 20_000


def in_parts(words: Sequence[str], sizes: Mapping[str, int]) -> list[list[str]]:
    """Divide words, in their order, into parts of about :data:`SENTENCES` sentences.

    A new word may move others to another part. That costs nothing, since no job embeds a word again
    that another job has embedded.
    """
    parts: dict[int, list[str]] = {}
    before = 0
    for word in words:
        parts.setdefault(before // SENTENCES, []).append(word)
        before += sizes[word]
    return list(parts.values())
