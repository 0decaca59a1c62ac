"""Tables of substitutes with known content."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.substitute_table import Fillers, write_substitutes
from wsd.artifacts.view_names import MASKED, PLAIN
from wsd.storage.file_names import file_name


def write_made(folder: Path, corpora: Mapping[str, Corpus], model: str = "tiny") -> None:
    """Masked: what all have, a piece of the gold sense, one of the instance's split and number;
    left in: the word itself, and nothing else.
    """
    for word, corpus in corpora.items():
        names = zip(corpus.gold.tolist(), corpus.split.tolist(), corpus.index.tolist(), strict=True)
        masked = [["Ġthing", f"##s{gold}", f"{split}{i}"] for gold, split, i in names]
        chances = [np.float32([0.5, 0.25, 0.001])] * len(corpus)
        found = {
            MASKED: Fillers(masked, chances),
            PLAIN: Fillers([["<i>itself"]] * len(corpus), [np.float32([0.98])] * len(corpus)),
        }
        said = {"model": {"name": model, "blocks": 3, "width": 8}, "corpus": corpus.digest}
        write_substitutes(folder / f"{file_name(word)}.parquet", corpus, found, said)
