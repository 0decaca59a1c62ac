"""The folder in the corpus format, with a manifest.

It has, per word, the files that :func:`wsd.corpora.text_format.read_text` reads, and
``dataset.json``: what the corpus is, where it comes from, how many instances each sense has,
and every file's checksum. It is written whole or not at all, after it has been read back.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wsd.artifacts.corpus import OUT_OF_DOMAIN, SPLITS, Corpus
from wsd.artifacts.dataset import COUNTS, FILES, FURTHER, MANIFEST
from wsd.corpora.importer.labelled import ALL_SPLITS, LabelledSentence
from wsd.corpora.text_format import read_text
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import sha256
from wsd.storage.file_names import file_name


def lay_out(
    out: Path, words: Mapping[str, Sequence[LabelledSentence]], manifest: dict[str, Any]
) -> None:
    """Write the folder of a corpus and its manifest, once what is written reads as it should."""
    with replacing_folder(out) as made:
        further = [
            f"{word}\t{one.sense}\t{_line(one)}"
            for word, rows in words.items()
            for one in rows
            if one.split == OUT_OF_DOMAIN
        ]
        out_of_domain = made / FURTHER if further else None
        if out_of_domain:
            _put(out_of_domain, further)
        manifest["words"] = {}
        for word, rows in words.items():
            _write_word(made / file_name(word), rows)
            corpus = read_text(made / file_name(word), word, out_of_domain)
            there = Counter(zip(corpus.split.tolist(), corpus.tokens, strict=True))
            if there != Counter((one.split, one.tokens) for one in rows):
                raise AssertionError(f"what was written of {word!r} is not what was read")
            manifest["words"][word] = _counts(corpus)
        files = [path for path in sorted(made.rglob("*.*")) if path.is_file()]
        manifest["files"] = {path.relative_to(made).as_posix(): sha256(path) for path in files}
        # No checksum beside it: people may edit what a corpus is called.
        _put(made / MANIFEST, [json.dumps(manifest, indent=2, ensure_ascii=False)])


def _counts(corpus: Corpus) -> dict[str, Any]:
    count = Counter(zip(corpus.gold.tolist(), corpus.split.tolist(), strict=True))
    senses = {
        sense: {split: count[i, split] for split in ALL_SPLITS}
        for i, sense in enumerate(corpus.senses)
    }
    totals = {
        name: sum(of_sense[split] for of_sense in senses.values())
        for name, split in zip(COUNTS, ALL_SPLITS, strict=True)
    }
    return {"folder": file_name(corpus.word), **totals, "senses": senses}


def _write_word(into: Path, rows: Sequence[LabelledSentence]) -> None:
    into.mkdir()
    numbers = {sense: str(i) for i, sense in enumerate(sorted({one.sense for one in rows}))}
    classes = {number: sense for sense, number in numbers.items()}
    _put(into / FILES[0], [json.dumps(classes, ensure_ascii=False)])
    for split in SPLITS:
        own = [one for one in rows if one.split == split]
        _put(into / f"{split}.data.txt", map(_line, own))
        _put(into / f"{split}.gold.txt", [numbers[one.sense] for one in own])


def _line(one: LabelledSentence) -> str:
    return f"{one.position}\t{' '.join(one.tokens)}"


def _put(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
