"""Read a folder in the corpus format, with or without a manifest, to import it."""

from dataclasses import replace
from pathlib import Path

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN
from wsd.artifacts.dataset import ABOUT, DOCUMENTS, EXTRA, FILES, FURTHER, MANIFEST
from wsd.artifacts.manifest import read_manifest
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.corpora.text_format import read_text
from wsd.corpora.word_forms import plain
from wsd.errors import CorpusError
from wsd.storage.file_names import is_name, word_of
from wsd.storage.text_files import read_lines


def read(path: Path) -> Gathered:
    """Read ``path/<word>/{classes_map,train.data,...}.txt`` with their splits.

    The name of a subfolder is its word, or the word's file name.
    """
    folders = sorted(file.parent for file in path.glob(f"*/{FILES[0]}"))
    if not folders:
        fix = "give a folder of words, or a .csv, .tsv or .jsonl file"
        raise CorpusError(f"no subfolder has a {FILES[0]}", where=str(path), fix=fix)
    further = path / FURTHER if (path / FURTHER).exists() else None
    names = (*FILES, *DOCUMENTS, *EXTRA)
    gathered = Gathered(files=[f / name for f in folders for name in names if (f / name).exists()])
    manifest = read_manifest(path / MANIFEST) if (path / MANIFEST).exists() else None
    if manifest:
        gathered.about = {key: getattr(manifest, key) for key in ABOUT}
        gathered.language, gathered.forms = manifest.language, dict(manifest.forms)
    words = set()
    for folder in folders:
        known = manifest.words if manifest else ()
        word = word_of(folder.name, known) if is_name(folder.name) else folder.name
        words.add(word)
        corpus = read_text(folder, word, further)
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
        texts = manifest.given.get(word, {}) if manifest else {}
        given = {plain(sense): texts[sense] for sense in corpus.senses if sense in texts}
        gathered.given[plain(word)] = given
    if further:
        gathered.files.append(further)
        others = sum(line.split("\t")[0] not in words for line in read_lines(further))
        gathered.left_out[f"words of {FURTHER} that have no folder"] += others
    return gathered
