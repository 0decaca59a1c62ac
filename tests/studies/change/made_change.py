"""Words whose uses differ between two groups in one planted layer, written as real files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from builders import make_corpus, write_vectors

from wsd.artifacts.corpus_table import UNLABELLED, Corpus

PER_GROUP = 15
LAYERS, PLANTED = 3, 1
# The words, and how far the second group moves in the planted layer.
SHIFTS = {"crane": 0, "bank": 1, "mint": 2, "rock": 4, "seal": 6, "spring": 9, "cell": 0, "bow": 0}
HOSTILE = "<script>window.pwned=1</script>"


def made_corpus(word: str, groups: list[str], clusters: list[str] | None = None) -> Corpus:
    """Return a corpus without senses whose uses have the columns identifier, period and cluster."""
    corpus = make_corpus([("train", 0)] * len(groups), word=word)
    extra = {
        "identifier": tuple(f"{word}-{i}" for i in range(len(groups))),
        "period": tuple(groups),
        "cluster": tuple(clusters or [""] * len(groups)),
    }
    tokens = tuple((*tokens, HOSTILE) for tokens in corpus.tokens)
    return replace(corpus, senses=UNLABELLED, tokens=tokens, extra=extra)


def made_words() -> dict[str, Corpus]:
    """Return the words of ``SHIFTS``, with equally many uses of the periods 1 and 2."""
    groups = ["1", "2"] * PER_GROUP
    return {word: made_corpus(word, groups) for word in SHIFTS}


def write_all(folder: Path, words: dict[str, Corpus]) -> Path:
    """Write the vectors of all words; return their folder."""
    for number, (word, corpus) in enumerate(words.items()):
        random = np.random.default_rng(number)
        vectors = random.normal(size=(LAYERS, len(corpus), 8)).astype(np.float32)
        vectors[:, :, 0] += 5
        is_second = np.array(corpus.extra["period"]) == "2"
        vectors[PLANTED, is_second, 1] += SHIFTS.get(word, 0)
        write_vectors(folder / word / "focal.safetensors", corpus, vectors)
    return folder


def write_gold(folder: Path, change: Callable[[str], str] | None = None) -> Path:
    """Write ``change.tsv``, by default with the planted shifts; return its folder."""
    folder.mkdir(exist_ok=True)
    lines = ["word\tchange_graded\tchange_binary\tCOMPARE"]
    for word, shift in SHIFTS.items():
        lines.append(change(word) if change else f"{word}\t{shift}\t{int(shift > 2)}\t{4 - shift}")
    (folder / "change.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
