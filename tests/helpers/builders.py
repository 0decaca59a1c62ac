"""Build small corpora, vectors and folds."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts import training_set
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.corpus_table import write as write_corpus
from wsd.artifacts.training_set import Folds, WordFolds
from wsd.artifacts.vectors import VectorsWriter
from wsd.classification import classify as classification

MakeCorpus = Callable[..., Corpus]
WriteVectors = Callable[..., Mapping[str, Any]]
WriteFolds = Callable[..., Folds]


def make_corpus(
    rows: Sequence[tuple[str, int]],
    *,
    word: str = "mint",
    senses: Sequence[str] = ("a", "b"),
    alike: Sequence[int] | None = None,
) -> Corpus:
    """Build a corpus with one row per (split, gold); the focal word is each second token.

    All sentences differ, unless ``alike`` gives two rows the same number.
    """
    splits = [split for split, _ in rows]
    index = [splits[:i].count(split) for i, split in enumerate(splits)]
    return Corpus(
        word=word,
        senses=tuple(senses),
        split=np.array(splits),
        index=np.array(index, dtype=np.int32),
        tokens=tuple((_letters(i), word, "there") for i in alike or range(len(rows))),
        position=np.ones(len(rows), dtype=np.int32),
        gold=np.array([gold for _, gold in rows], dtype=np.int32),
    )


def _letters(number: int) -> str:
    """Write a number in letters, because the search for near-duplicates masks digits."""
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))


def write_vectors(
    path: Path, corpus: Corpus, vectors: np.ndarray, **changes: Any
) -> Mapping[str, Any]:
    """Write ``vectors`` of shape (layers, rows, width) as `wsd embed` does; return provenance."""
    layers, rows, width = vectors.shape
    provenance = {
        "model": {"name": "toy", "blocks": layers - 1, "width": width},
        "architecture": {"name": "ToyModel", "causal": False, "last_normed": False},
        **{"input": "plain", "pooling": "mean", "precision": "float32", "device": "cpu"},
        **{"versions": {"torch": "1"}, "word": corpus.word, "corpus": corpus.digest},
        **changes,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = VectorsWriter(path, (layers, rows, width), {"wsd": json.dumps(provenance)})
    writer.add(vectors, range(rows))
    writer.close()
    return provenance


def plain(*views: str) -> dict[str, str]:
    """Return the names that `wsd embed` gives the views' files outside a workflow."""
    return {view: f"{view}.safetensors" for view in views}


def write_folds(
    path: Path, corpora: Mapping[str, Corpus], *, name: str = "full", **words: WordFolds
) -> Folds:
    """Write folds; by default two alternating folds of each word's training split, one repeat."""
    folds_by_word = {word: words.get(word) or turns(corpus) for word, corpus in corpora.items()}
    held = [folds.held for folds in folds_by_word.values() if folds.held is not None]
    k = max((int(repeats.max()) + 1 for repeats in held), default=2)
    repeats = max((len(repeats) for repeats in held), default=1)
    digests = {word: corpus.digest for word, corpus in corpora.items()}
    folds = Folds(train=name, k=k, repeats=repeats, seed=1, words=folds_by_word, corpus=digests)
    training_set.write_folds(path, folds)
    return folds


def turns(corpus: Corpus, *, k: int = 2, repeats: int = 1, untuned: bool = False) -> WordFolds:
    """Return folds that alternate along the training split; each repeat starts at another fold."""
    lines = corpus.index[corpus.split == "train"]
    held = np.stack([(np.arange(len(lines)) + r) % k for r in range(repeats)]).astype(np.int8)
    return WordFolds(lines, np.arange(len(lines), dtype=np.int32), None if untuned else held)


def classify(
    root: Path,
    corpora: Mapping[str, Corpus],
    embeddings: Path,
    *,
    space: Mapping[str, Any],
    task: str = "sense",
    relabel: Callable[[Corpus], np.ndarray] | None = None,
    **arguments: Any,
) -> None:
    """Write the corpora below ``root`` and classify one feature set as the command does."""
    arguments |= {key: [arguments[key]] for key in ("layers", "estimator", "name")}
    for word, corpus in corpora.items():
        write_corpus(root / "corpora" / f"{word}.parquet", corpus)
    args = argparse.Namespace(
        corpus=root / "corpora",
        words=list(corpora),
        embeddings=embeddings,
        space=[json.dumps(space)],
        **arguments,
    )
    classification.run(args, task=task, relabel=relabel)
