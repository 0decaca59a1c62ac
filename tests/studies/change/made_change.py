"""Words whose uses differ between two groups in one planted layer, written as real files."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from builders import make_corpus, write_vectors
from call_step import call_step

from wsd.artifacts.corpus_table import UNLABELLED, Corpus
from wsd.storage.csv import read_csv
from wsd.storage.file_names import file_name
from wsd.studies.change import change
from wsd.studies.change.change import TEXT_COLUMNS

PER_GROUP = 15
LAYERS, PLANTED = 3, 1
# The words, and how far the second group moves in the planted layer.
SHIFTS = {"crane": 0, "bank": 1, "mint": 2, "rock": 4, "seal": 6, "spring": 9, "cell": 0, "bow": 0}
HOSTILE = "<script>window.pwned=1</script>"
Tables = tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]


def made_corpus(word: str, groups: Sequence[str], clusters: Sequence[str] = ()) -> Corpus:
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
    return {word: made_corpus(word, ["1", "2"] * PER_GROUP) for word in SHIFTS}


def write_all(folder: Path, words: dict[str, Corpus], by: str = "period") -> Path:
    """Write the vectors of all words; return their folder."""
    for number, (word, corpus) in enumerate(words.items()):
        random = np.random.default_rng(number)
        vectors = random.normal(size=(LAYERS, len(corpus), 8)).astype(np.float32)
        vectors[:, :, 0] += 5
        is_second = np.array(corpus.extra[by]) == "2"
        vectors[PLANTED, is_second, 1] += SHIFTS.get(word, 0)
        write_vectors(folder / file_name(word) / "focal.safetensors", corpus, vectors)
    return folder


def write_gold(folder: Path, change: Callable[[str], str] | None = None) -> Path:
    """Write ``change.tsv``, by default with the planted shifts; return its folder."""
    lines = ["word\tchange_graded\tchange_binary\tCOMPARE"]
    for word, shift in SHIFTS.items():
        lines.append(change(word) if change else f"{word}\t{shift}\t{int(shift > 2)}\t{4 - shift}")
    (folder / "change.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def write_judgments(folder: Path, lines: Sequence[str]) -> None:
    text = "word\tidentifier1\tidentifier2\tannotator\tjudgment\n" + "\n".join(lines) + "\n"
    (folder / "judgments.tsv").write_text(text, encoding="utf-8")


def run(folder: Path, words: dict[str, Corpus], layers: Sequence[str], **options: object) -> Tables:
    """Return the tables of the change, of the words and of the agreement with gold."""
    options = {"source": folder, "group": "period", "permutations": 199, "seed": 1, **options}
    embeddings = write_all(folder / "vectors", words)
    out = folder / "tables"
    out.mkdir(exist_ok=True)
    call_step(change, words, embeddings=embeddings, layers=layers, out=out, **options)
    return read_tables(out)


def read_tables(folder: Path) -> Tables:
    about = read_csv(folder / "change-words.csv", TEXT_COLUMNS)
    return read_csv(folder / "change.csv"), about, read_csv(folder / "change-gold.csv")
