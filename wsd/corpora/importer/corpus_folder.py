"""A folder in the corpus format that has no manifest, or one that is to be made anew."""

import json
from pathlib import Path
from typing import Any

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN
from wsd.artifacts.dataset import ABOUT, FILES, FURTHER, MANIFEST
from wsd.artifacts.senses import parse_sense_texts
from wsd.corpora.importer.labelled_sentence import Gathered, labelled, plain
from wsd.corpora.text_format import read_text
from wsd.errors import CorpusError
from wsd.storage.file_names import file_name, is_name, word_of
from wsd.storage.text_files import at_place, read_lines


def read(path: Path) -> Gathered:
    """Read ``path/<word>/{classes_map,train.data,...}.txt`` with their splits.

    A subfolder is named by its word, or by the word's file name.
    """
    folders = sorted(f.parent for f in path.glob(f"*/{FILES[0]}"))
    if not folders:
        fix = "give a folder of words, or a .csv, .tsv or .jsonl file"
        raise CorpusError(f"no folder in it has a {FILES[0]}", where=str(path), fix=fix)
    further = path / FURTHER
    manifest = _manifest(path / MANIFEST)
    known = [word for word in manifest.get("words", {}) if file_name(word)]
    found = Gathered(
        files=[folder / name for folder in folders for name in FILES],
        about={key: manifest[key] for key in ABOUT if isinstance(manifest.get(key), str)},
    )
    words = set()
    for folder in folders:
        name = folder.name
        word = word_of(name, known) if is_name(name) else name
        words.add(word)
        corpus = read_text(folder, word, further if further.exists() else None)
        for i, split in enumerate(corpus.split.tolist()):
            file = further if split == OUT_OF_DOMAIN else folder / f"{split}.data.txt"
            sense = corpus.senses[corpus.gold[i]]
            sentence = (int(corpus.position[i]), corpus.tokens[i])
            where = f"{file}:{corpus.index[i] + 1}"
            found.rows.append(labelled(where, word, sense, sentence, split))
        # The files may have been edited since: of senses that are gone nothing is kept.
        said = _said_of(manifest, word)
        with at_place(str(path / MANIFEST)):
            there = {plain(sense): said.get(sense, {}) for sense in corpus.senses}
            found.given[plain(word)] = parse_sense_texts(word, there)
    if further.exists():
        found.files.append(further)
        strange = sum(line.split("\t")[0] not in words for line in read_lines(further))
        found.left_out[f"words of {FURTHER} that have no folder"] += strange
    return found


def _said_of(manifest: dict[str, Any], word: str) -> dict[str, Any]:
    """What a manifest says of a word's senses, if it does."""
    of_word = manifest.get("words", {}).get(word)
    said = of_word.get("senses") if isinstance(of_word, dict) else None
    return said if isinstance(said, dict) else {}


def _manifest(path: Path) -> dict[str, Any]:
    """A manifest that is there: the words whose folders' names were cut, and what it is about."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, RecursionError, ValueError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("words"), dict) else {}
