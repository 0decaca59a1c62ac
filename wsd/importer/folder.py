"""A folder in the corpus format that has no manifest, or one that is to be made anew."""

import json
from pathlib import Path

from wsd.corpus import OUT_OF_DOMAIN, Corpus, read_text
from wsd.datasets import FILES, FURTHER, MANIFEST
from wsd.errors import CorpusError
from wsd.importer.rows import Found, row
from wsd.names import file_name, is_name, word_of


def read(path: Path) -> Found:
    """Read ``path/<word>/{classes_map,train.data,...}.txt`` with their splits.

    A subfolder is named by its word, or by the word's file name.
    """
    folders = sorted(f.parent for f in path.glob(f"*/{FILES[0]}"))
    if not folders:
        raise CorpusError(
            f"no folder in it has a {FILES[0]}",
            where=str(path),
            fix="give a folder of words, or a .csv, .tsv or .jsonl file",
        )
    further = path / FURTHER
    known = _words(path / MANIFEST)
    found = Found()
    for folder in folders:
        name = folder.name
        word = word_of(name, known) if is_name(name) else name
        corpus = read_text(folder, word, further if further.exists() else None)
        for i, split in enumerate(corpus.split.tolist()):
            sentence = (int(corpus.position[i]), corpus.tokens[i])
            where = _where(folder, further, corpus, i)
            found.rows.append(row(where, word, corpus.senses[corpus.gold[i]], sentence, split))
    return found


def _where(folder: Path, further: Path, corpus: Corpus, i: int) -> str:
    split, line = str(corpus.split[i]), int(corpus.index[i]) + 1
    return f"{further if split == OUT_OF_DOMAIN else folder / f'{split}.data.txt'}:{line}"


def _words(manifest: Path) -> list[str]:
    """The words of a manifest that is there: a name that was cut cannot be read back."""
    try:
        found = json.loads(manifest.read_text(encoding="utf-8"))["words"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [word for word in found if file_name(word)] if isinstance(found, dict) else []
