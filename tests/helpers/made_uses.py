"""Pages of uses of a word with planted clusters, made as the steps make them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tiny import corpus_of

from wsd.analysis.uses import find_uses
from wsd.artifacts.corpus import UNLABELLED, Corpus, write
from wsd.artifacts.dataset import ABOUT, COUNTS, FORMAT, MANIFEST
from wsd.artifacts.uses import write_uses
from wsd.cli import main
from wsd.storage.checksums import sha256
from wsd.storage.file_names import file_name

HOSTILE = "<script>window.pwned=1</script>"
WORD = "crane"
GROUP = np.repeat(np.arange(3), (12, 8, 5))
# What stands in the sentences of each cluster: words that set it apart.
OF_GROUP = ("steel hook", "wading bird", HOSTILE)
LAYERS = ("0", "1", "mean-all")


def corpus(*, labelled: bool) -> Corpus:
    """The crane's sentences; of the planted senses, or of none."""
    # No near-duplicates, which `wsd import` would keep on one side.
    sentences = [
        (
            f"the crane {OF_GROUP[group]} "
            + " ".join(f"{chr(97 + i)}{letter}" for letter in "abcdefgh"),
            1,
        )
        for i, group in enumerate(GROUP)
    ]
    made = corpus_of(*sentences, n_train=len(GROUP))
    if labelled:
        return replace(made, senses=("machine", "bird", HOSTILE), gold=GROUP.astype(np.int32))
    return replace(made, senses=UNLABELLED, gold=np.zeros(len(GROUP), dtype=np.int32))


def made_uses(folder: Path, *, labelled: bool, more: Sequence[str] = ()) -> Path:
    """Write tables, uses of three layer choices, and their pages; the folder of the pages."""
    corpora = {WORD: corpus(labelled=labelled)}
    write(folder / "corpus" / f"{file_name(WORD)}.parquet", corpora[WORD])
    files = []
    for seed, layers in enumerate(LAYERS):
        random = np.random.default_rng(seed)
        vectors = 10 * np.eye(3, 8)[GROUP] + 0.3 * random.normal(size=(len(GROUP), 8))
        uses = find_uses(corpora[WORD], vectors.astype(np.float32), 6, seed=1)
        files.append(folder / f"{layers}.parquet")
        model = {"name": "toy", "blocks": 2}
        said = {"view": "focal", "layers": layers, "encoder": {"model": model}, "seed": 1}
        write_uses(files[-1], corpora, {WORD: uses}, said)
    out = folder / "uses #1 & <co>"
    arguments = ["--corpus", str(folder / "corpus"), "--words", WORD, "--out", str(out)]
    arguments += ["--dataset", str(_manifest(folder / "source", labelled))]
    assert main(["uses-page", *arguments, "--uses", *map(str, files), *more]) == 0
    return out


def _manifest(folder: Path, labelled: bool) -> Path:
    """A manifest with a hostile title; of its files only the names matter here."""
    of_word = ("sentences.txt",) if not labelled else (
        "classes_map.txt", "train.data.txt", "train.gold.txt", "test.data.txt", "test.gold.txt"
    )  # fmt: skip
    folder.mkdir()
    (folder / "any").write_text("any")
    said = {
        "format": FORMAT,
        "labelled": labelled,
        "name": "mine",
        **dict.fromkeys(ABOUT, ""),
        "title": HOSTILE,
        "words": {WORD: {**dict.fromkeys(COUNTS, 0), COUNTS[0]: len(GROUP), "senses": {}}},
        "files": {f"{WORD}/{name}": sha256(folder / "any") for name in of_word},
    }
    (folder / MANIFEST).write_text(json.dumps(said))
    return folder / MANIFEST
