"""Write the folder of a corpus: text files for each word, and a manifest."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, SPLITS
from wsd.artifacts.dataset import (
    ABOUT,
    COUNTS,
    DATASETS,
    ENGLISH,
    FILES,
    FORMAT,
    FORMS,
    FURTHER,
    LANGUAGE,
    MANIFEST,
    UNLABELLED_FILE,
)
from wsd.artifacts.senses import Given
from wsd.corpora import folds
from wsd.corpora.archives import SourceArchive
from wsd.corpora.focal_form_check import ANY_FORM, FormCheck
from wsd.corpora.importer.gathered import ALL_SPLITS, Gathered, LabelledSentence
from wsd.corpora.importer.input_formats import Request
from wsd.corpora.text_format import extra_file, extra_text, sentence_line
from wsd.errors import CorpusError
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import sha256
from wsd.storage.file_names import file_name
from wsd.storage.json import write_json


def start_manifest(
    request: Request,
    files: Iterable[Path],
    *,
    labelled: bool = True,
    gathered: Gathered | None = None,
    **facts: Any,
) -> dict[str, Any]:
    """Return the manifest of a corpus without its words and files.

    Parameters
    ----------
    request : Request
    files : iterable of Path
        The imported files.
    labelled : bool
        Whether the sentences have senses.
    gathered : Gathered, optional
        The content of the files, which may name a language and forms.
    facts
        Further entries.
    """
    known = request.known_forms(gathered)
    return {
        "format": FORMAT,
        **({} if labelled else {"labelled": False}),
        **request.about,
        **({ANY_FORM: True} if request.args.any_form else {}),
        **({LANGUAGE: known.language} if known.language != ENGLISH else {}),
        **({FORMS: {word: [*forms] for word, forms in known.given.items()}} if known.given else {}),
        "imported": [{"file": str(path), "sha256": sha256(path)} for path in files],
        **facts,
        "version": version("wsd"),
    }


def manifest_of(
    name: str, archive: SourceArchive, *, labelled: bool = True, **facts: Any
) -> dict[str, Any]:
    """Return the manifest of a built-in corpus without its words and files."""
    return {
        "format": FORMAT,
        **({} if labelled else {"labelled": False}),
        "name": name,
        **{key: getattr(DATASETS[name], key) for key in ABOUT},
        "imported": [{"file": archive.url, "checksums_sha256": sha256(archive.checksums)}],
        **facts,
        "version": version("wsd"),
    }


def check_forms(forms: FormCheck, request: Request) -> None:
    """Report focal words that are not forms of their words, unless ``--any-form`` allows them."""
    if not request.args.any_form:
        fix = "if the focal words are correct, add --any-form"
        forms.report(", ".join(map(str, request.files)), fix)


def lay_out(
    out: Path,
    words: Mapping[str, Sequence[LabelledSentence]],
    manifest: dict[str, Any],
    *,
    given: Mapping[str, Given] | None = None,
    noted: bool = False,
    further_files: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write the folder of a corpus and its manifest.

    Parameters
    ----------
    out : Path
        Replaced as a whole.
    words : mapping of word to LabelledSentences
        With their splits, unless the manifest says that the sentences have no senses.
    manifest : dict
        The function adds the entries ``words`` and ``files``.
    given : mapping of word to the names and glosses of its senses
    noted : bool
        Whether to note the checksum of the manifest. This would forbid people to edit the manifest
        of an import.
    further_files : mapping of name to lines
        Files that are part of the corpus.
    """
    with replacing_folder(out) as folder:
        further = [row for rows in words.values() for row in rows if row.split == OUT_OF_DOMAIN]
        if further:
            write_lines(folder / FURTHER, (f"{r.word}\t{r.sense}\t{_line(r)}" for r in further))
            _write_extra(folder / FURTHER, further)
        for name, lines in (further_files or {}).items():
            write_lines(folder / name, lines)
        manifest["words"] = {}
        for word, rows in words.items():
            own = folder / file_name(word)
            own.mkdir()
            if manifest.get("labelled", True):
                _write_word(own, rows)
                facts = _counts(rows, (given or {}).get(word, {}))
            else:
                _write_sentences(own / UNLABELLED_FILE, rows)
                facts = {**dict.fromkeys(COUNTS, 0), COUNTS[0]: len(rows), "senses": {}}
            manifest["words"][word] = {"folder": own.name, **facts}
        files = [path for path in sorted(folder.rglob("*.*")) if path.is_file()]
        manifest["files"] = {path.relative_to(folder).as_posix(): sha256(path) for path in files}
        write_manifest(folder, manifest, noted=noted)


def write_manifest(folder: Path, manifest: Mapping[str, Any], *, noted: bool = False) -> None:
    """Write the manifest; without a noted checksum, people may edit it."""
    if noted:
        write_json(folder / MANIFEST, manifest)
    else:
        text = json.dumps(manifest, indent=2, ensure_ascii=False)
        write_lines(folder / MANIFEST, [text])


def _counts(rows: Sequence[LabelledSentence], given: Given) -> dict[str, Any]:
    """Return the manifest's entry for a word."""
    count = Counter((row.sense, row.split) for row in rows)
    totals = Counter(row.split for row in rows)
    senses: dict[str, dict[str, Any]] = {
        sense: {split: count[sense, split] for split in ALL_SPLITS} for sense in _order_senses(rows)
    }
    train = [row for row in rows if row.split == "train"]
    most = folds.most_folds_of([row.sense for row in train], [row.tokens for row in train])
    for sense in given.keys() & senses.keys():
        senses[sense] |= given[sense]._asdict()
    numbers = {name: totals[split] for name, split in zip(COUNTS, ALL_SPLITS, strict=True)}
    return {**numbers, "senses": senses, "most_folds": most}


def _order_senses(rows: Sequence[LabelledSentence]) -> list[str]:
    """Return the senses in natural order: sense_2 before sense_10."""

    def key(sense: str) -> list[tuple[int, str]]:
        parts = re.split(r"0*([0-9]+)", sense)  # every second part is a number
        return [(len(part) if i % 2 else 0, part) for i, part in enumerate(parts)]

    return sorted(sorted({row.sense for row in rows}), key=key)


def _write_word(folder: Path, rows: Sequence[LabelledSentence]) -> None:
    numbers = {sense: str(i) for i, sense in enumerate(_order_senses(rows))}
    classes = {number: sense for sense, number in numbers.items()}
    write_lines(folder / FILES[0], [json.dumps(classes, ensure_ascii=False)])
    for split in SPLITS:
        own = [row for row in rows if row.split == split]
        _write_sentences(folder / f"{split}.data.txt", own)
        write_lines(folder / f"{split}.gold.txt", [numbers[row.sense] for row in own])
        if any(documents := [row.document for row in own]):
            write_lines(folder / f"{split}.documents.txt", documents)


def _write_sentences(path: Path, rows: Sequence[LabelledSentence]) -> None:
    write_lines(path, map(_line, rows))
    _write_extra(path, rows)


def _write_extra(path: Path, rows: Sequence[LabelledSentence]) -> None:
    """Write the extra columns of rows, if they have any, next to the file of their sentences.

    Raises
    ------
    CorpusError
        For invalid Unicode, naming file and line.
    """
    for row in rows:
        text = "".join(chain(*row.extra.items()))
        if text.encode(errors="replace").decode() != text:
            problem = "half of a character (a lone surrogate) in an extra column"
            raise CorpusError(problem, where=row.where, fix="write the character again")
    if text := extra_text([row.extra for row in rows]):
        extra = path.with_name(extra_file(path.name))
        extra.write_text(text, encoding="utf-8", newline="\n")


def _line(row: LabelledSentence) -> str:
    return sentence_line(row.position, row.tokens, row.touching)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines as UTF-8 with LF line ends."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
