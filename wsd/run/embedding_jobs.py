"""The words in parts: those that one job embeds."""

from collections.abc import Mapping, Sequence

# An encoder takes seconds to start and to load, so that a job has many words; and on a cluster
# several jobs share a large corpus.
SENTENCES = 20_000


def in_parts(words: Sequence[str], sizes: Mapping[str, int]) -> list[list[str]]:
    """Cut words, in their order, into parts of about :data:`SENTENCES` sentences.

    A word that comes or goes may move others to another part. That costs nothing: a job leaves
    words as they are that any job has embedded.
    """
    parts: dict[int, list[str]] = {}
    before = 0
    for word in words:
        parts.setdefault(before // SENTENCES, []).append(word)
        before += sizes[word]
    return list(parts.values())
