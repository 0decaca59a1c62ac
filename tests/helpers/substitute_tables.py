"""Write tables of substitutes with known content."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.encoder_input import MASKED, PLAIN
from wsd.artifacts.substitute_table import Fillers, write_substitutes
from wsd.storage.file_names import file_name


def write_made(folder: Path, corpora: Mapping[str, Corpus], model: str = "tiny") -> None:
    """Write a table of substitutes for each word.

    Of the masked, all instances share one, one tells the gold sense, one the split and number.
    """
    for word, corpus in corpora.items():
        names = zip(corpus.gold.tolist(), corpus.split.tolist(), corpus.index.tolist(), strict=True)
        masked = [["Ġthing", f"##s{gold}", f"{split}{i}"] for gold, split, i in names]
        chances = np.tile(np.float32([0.5, 0.25, 0.001]), (len(corpus), 1))
        fillers = {
            MASKED: Fillers(np.array(masked, dtype=object), chances),
            PLAIN: Fillers(
                np.full((len(corpus), 1), "<i>itself", dtype=object),
                np.full((len(corpus), 1), 0.98, dtype=np.float32),
            ),
        }
        provenance = {"model": {"name": model, "blocks": 3, "width": 8}, "corpus": corpus.digest}
        write_substitutes(folder / f"{file_name(word)}.parquet", corpus, fillers, provenance)
