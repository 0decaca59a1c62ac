"""Read a folder in the corpus format, with or without a manifest, to import it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN
from wsd.artifacts.dataset import ABOUT, DOCUMENTS, EXTRA, FILES, FORMS, FURTHER, LANGUAGE, MANIFEST
from wsd.artifacts.manifest import read_given
from wsd.artifacts.senses import parse_sense_texts
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.corpora.text_format import read_text
from wsd.corpora.word_forms import plain
from wsd.errors import CorpusError
from wsd.storage.file_names import file_name, is_name, word_of
from wsd.storage.text_files import at_place, read_lines


def read(path: Path) -> Gathered:
    """Read ``path/<word>/{classes_map,train.data,...}.txt`` with their splits.

    The name of a subfolder is its word, or the word's file name.
    """
    folders = sorted(file.parent for file in path.glob(f"*/{FILES[0]}"))
    if not folders:
        fix = "give a folder of words, or a .csv, .tsv or .jsonl file"
        raise CorpusError(f"no subfolder has a {FILES[0]}", where=str(path), fix=fix)
    further = path / FURTHER
    manifest = _manifest(path / MANIFEST)
    known = [word for word in manifest.get("words", {}) if file_name(word)]
    gathered = Gathered(
        files=[file for folder in folders for file in _files(folder)],
        about={key: manifest[key] for key in ABOUT if isinstance(manifest.get(key), str)},
        language=str(manifest.get(LANGUAGE, "")),
        forms=read_given(manifest.get(FORMS, {})),
    )
    words = set()
    for folder in folders:
        word = word_of(folder.name, known) if is_name(folder.name) else folder.name
        words.add(word)
        corpus = read_text(folder, word, further if further.exists() else None)
        for i, split in enumerate(corpus.split.tolist()):
            file = further if split == OUT_OF_DOMAIN else folder / f"{split}.data.txt"
            sense = corpus.senses[corpus.gold[i]]
            sentence = (int(corpus.position[i]), corpus.tokens[i])
            where = f"{file}:{corpus.index[i] + 1}"
            document = "" if corpus.document is None else str(corpus.document[i])
            row = labelled(where, word, sense, sentence, split, document)
            extra = {name: cells[i] for name, cells in corpus.extra.items()}
            gathered.rows.append(replace(row, extra=extra))
        # The files may have been edited since, so that some senses of the manifest are gone.
        facts = _facts_of_senses(manifest, word)
        with at_place(str(path / MANIFEST)):
            senses = {plain(sense): facts.get(sense, {}) for sense in corpus.senses}
            gathered.given[plain(word)] = parse_sense_texts(word, senses)
    if further.exists():
        gathered.files.append(further)
        others = sum(line.split("\t")[0] not in words for line in read_lines(further))
        gathered.left_out[f"words of {FURTHER} that have no folder"] += others
    return gathered


def _files(folder: Path) -> list[Path]:
    return [path for name in (*FILES, *DOCUMENTS, *EXTRA) if (path := folder / name).exists()]


def _facts_of_senses(manifest: dict[str, Any], word: str) -> dict[str, Any]:
    facts = manifest.get("words", {}).get(word)
    senses = facts.get("senses") if isinstance(facts, dict) else None
    return senses if isinstance(senses, dict) else {}


def _manifest(path: Path) -> dict[str, Any]:
    """Return the manifest, which has the words of shortened folder names; empty if invalid."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, RecursionError, ValueError):
        return {}
    has_words = isinstance(manifest, dict) and isinstance(manifest.get("words"), dict)
    return manifest if has_words else {}
