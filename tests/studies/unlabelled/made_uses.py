"""Write pages of uses for a word with planted clusters, with the real steps."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from report_builder import made_extra
from tiny import corpus_of

from wsd.artifacts.corpus_table import UNLABELLED, Corpus, write
from wsd.artifacts.dataset import ABOUT, COUNTS, FORMAT, MANIFEST
from wsd.cli import main
from wsd.storage.checksums import sha256
from wsd.storage.file_names import file_name
from wsd.studies.unlabelled.use_table import shown, write_uses
from wsd.studies.unlabelled.uses import find_uses

HOSTILE = "<script>window.pwned=1</script>"
WORD = "crane"
GROUP = np.repeat(np.arange(3), (12, 8, 5))
# Words that are distinctive for each cluster's sentences.
OF_GROUP = ("steel hook", "wading bird", HOSTILE)
LAYERS = ("0", "1", "mean-all")


def corpus(
    *, labelled: bool, word: str = WORD, forms: Sequence[str] = (), running: bool = False
) -> Corpus:
    """The crane's sentences; of the planted senses, or of none.

    The focal word is the word, or each of its forms in turn. In running text, it is in quotes.
    """
    forms = forms or (word,)
    # No near-duplicates, which `wsd import` would keep on one side.
    sentences = [
        (
            f"the FOCAL {OF_GROUP[group]} "
            + " ".join(f"{chr(97 + i)}{letter}" for letter in "abcdefgh"),
            1,
        )
        for i, group in enumerate(GROUP)
    ]
    made = replace(corpus_of(*sentences, n_train=len(GROUP)), word=word)
    tokens = tuple(
        (before, forms[i % len(forms)], *after) for i, (before, _, *after) in enumerate(made.tokens)
    )
    made = replace(made, tokens=tokens)
    if running:
        tokens = tuple((before, '"', focal, '"', *after) for before, focal, *after in tokens)
        touching = ((2, 3),) * len(tokens)
        made = replace(made, tokens=tokens, touching=touching, position=made.position + 1)
    if labelled:
        return replace(made, senses=("machine", "bird", HOSTILE), gold=GROUP.astype(np.int32))
    return replace(made, senses=UNLABELLED, gold=np.zeros(len(GROUP), dtype=np.int32))


def made_uses(
    folder: Path,
    *,
    labelled: bool,
    more: Sequence[str] = (),
    word: str = WORD,
    forms: Sequence[str] = (),
    centre: str | None = None,
    extra: bool = False,
    running: bool = False,
) -> Path:
    """Write tables, uses of three layer choices, and their pages; the folder of the pages.

    Where there are several forms, each is further from the others than the planted groups are.
    """
    corpora = {word: corpus(labelled=labelled, word=word, forms=forms, running=running)}
    if extra:
        corpora[word] = replace(corpora[word], extra=made_extra(len(GROUP)))
    write(folder / "corpus" / f"{file_name(word)}.parquet", corpora[word])
    files = []
    for seed, layers in enumerate(LAYERS):
        random = np.random.default_rng(seed)
        vectors = 10 * np.eye(3, 8)[GROUP] + 0.3 * random.normal(size=(len(GROUP), 8))
        if len(forms) > 1:
            vectors += 300 * np.eye(8)[3 + np.arange(len(GROUP)) % len(forms)]
        vectors = vectors.astype(np.float32)
        taken = shown(corpora[word], 1)
        sampled = {word: corpora[word].take(taken)}
        uses = {word: find_uses(sampled[word], vectors[taken], 6, 1, centre)}
        files.append(folder / f"{layers}.parquet")
        model = {"name": "toy", "blocks": 2}
        content = {"view": "focal", "layers": layers, "encoder": {"model": model}}
        content |= {"seed": 1, "centre": centre}
        write_uses(files[-1], sampled, uses, content)
    out = folder / "uses #1 & <co>"
    arguments = ["--corpus", str(folder / "corpus"), "--words", word, "--out", str(out)]
    arguments += ["--dataset", str(_manifest(folder / "source", labelled, word))]
    assert main(["uses-page", *arguments, "--uses", *map(str, files), *more]) == 0
    return out


def _manifest(folder: Path, labelled: bool, word: str) -> Path:
    """A manifest with a hostile title; of its files only the names matter here."""
    of_word = ("sentences.txt",) if not labelled else (
        "classes_map.txt", "train.data.txt", "train.gold.txt", "test.data.txt", "test.gold.txt"
    )  # fmt: skip
    folder.mkdir()
    (folder / "any").write_text("any")
    content = {
        "format": FORMAT,
        "labelled": labelled,
        "name": "mine",
        **dict.fromkeys(ABOUT, ""),
        "title": HOSTILE,
        "words": {word: {**dict.fromkeys(COUNTS, 0), COUNTS[0]: len(GROUP), "senses": {}}},
        "files": {f"{file_name(word)}/{name}": sha256(folder / "any") for name in of_word},
    }
    (folder / MANIFEST).write_text(json.dumps(content))
    return folder / MANIFEST
