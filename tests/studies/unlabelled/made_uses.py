"""Write pages of uses for a word with planted clusters, with the real steps."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from report_builder import made_extra
from tiny import corpus_of

from wsd.artifacts.corpus_table import UNLABELLED, Corpus, write
from wsd.cli import main
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
    """Return the word's sentences with the planted senses, or with none.

    The focal word is the word, or each of its forms in turn. In running text, it is in quotes.
    """
    # No near-duplicates, which `wsd import` would keep on one side.
    sentences = [
        f"the FOCAL {OF_GROUP[group]} "
        + " ".join(f"{chr(97 + i)}{letter}" for letter in "abcdefgh")
        for i, group in enumerate(GROUP)
    ]
    made = replace(corpus_of(*((s, 1) for s in sentences), n_train=len(GROUP)), word=word)
    forms = [*(forms or (word,))] * len(GROUP)
    tokens = tuple(
        (the, form, *after) for form, (the, _, *after) in zip(forms, made.tokens, strict=False)
    )
    made = replace(made, tokens=tokens)
    if running:
        tokens = tuple((before, '"', focal, '"', *after) for before, focal, *after in tokens)
        touching = ((2, 3),) * len(tokens)
        made = replace(made, tokens=tokens, touching=touching, position=made.position + 1)
    senses = ("machine", "bird", HOSTILE) if labelled else UNLABELLED
    return replace(made, senses=senses, gold=GROUP.astype(np.int32) * labelled)


def about(layers: str, centre: str | None = None) -> dict[str, object]:
    """Return what a table of uses says of itself."""
    encoder = {"model": {"name": "toy", "blocks": 2}}
    return {"view": "focal", "layers": layers, "encoder": encoder, "seed": 1, "centre": centre}


def made_uses(
    folder: Path,
    *,
    labelled: bool,
    more: Sequence[str] = (),
    word: str = WORD,
    forms: Sequence[str] = (),
    extra: bool = False,
    running: bool = False,
) -> Path:
    """Write tables, uses of three layer choices, and their pages; the folder of the pages.

    Where there are several forms, each is further from the others than the planted groups are.
    """
    made = corpus(labelled=labelled, word=word, forms=forms, running=running)
    if extra:
        made = replace(made, extra=made_extra(len(GROUP)))
    write(folder / "corpus" / f"{file_name(word)}.parquet", made)
    taken = shown(made, 1)
    for seed, layers in enumerate(LAYERS):
        vectors = np.random.default_rng(seed).normal(scale=0.3, size=(len(GROUP), 8))
        vectors += 10 * np.eye(3, 8)[GROUP]
        if len(forms) > 1:
            vectors += 300 * np.eye(8)[3 + np.arange(len(GROUP)) % len(forms)]
        uses = {word: find_uses(made.take(taken), vectors[taken].astype(np.float32), 6, 1)}
        write_uses(folder / f"{layers}.parquet", {word: made.take(taken)}, uses, about(layers))
    out = folder / "uses #1 & <co>"
    files = [str(folder / f"{layers}.parquet") for layers in LAYERS]
    assert write_pages(folder, out, *files, *more, word=word) == 0
    return out


def write_pages(folder: Path, out: Path, *uses: str, word: str = WORD) -> int:
    """Write the pages of some files of uses; return the exit code."""
    data = ["--corpus", str(folder / "corpus"), "--words", word, "--dataset", "quickstart"]
    return main(["uses-page", *data, "--out", str(out), "--uses", *uses])
