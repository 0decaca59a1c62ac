"""Writes the folder of a corpus: per word the files that are read as text, and a manifest."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, SPLITS, Corpus
from wsd.artifacts.dataset import COUNTS, FILES, FORMAT, FURTHER, MANIFEST
from wsd.artifacts.senses import Given
from wsd.corpora import folds
from wsd.corpora.focal_form_check import ANY_FORM, FormCheck
from wsd.corpora.importer.file_kinds import Request
from wsd.corpora.importer.labelled_sentence import ALL_SPLITS, LabelledSentence
from wsd.corpora.text_format import read_text, sentence_line
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import sha256
from wsd.storage.file_names import file_name
from wsd.storage.json import write_json


def start_manifest(
    request: Request, files: Iterable[Path], *, labelled: bool = True, **facts: Any
) -> dict[str, Any]:
    """Return the manifest of a corpus without its words and files.

    Parameters
    ----------
    request : Request
    files : iterable of Path
        The files that were read.
    labelled : bool
        Whether the sentences have senses.
    facts
        Further entries.
    """
    return {
        "format": FORMAT,
        **({} if labelled else {"labelled": False}),
        **request.about,
        **({ANY_FORM: True} if request.args.any_form else {}),
        "imported": [{"file": str(path), "sha256": sha256(path)} for path in files],
        **facts,
        "version": version("wsd"),
    }


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest of a corpus that people may edit."""
    write_lines(folder / MANIFEST, [json.dumps(manifest, indent=2, ensure_ascii=False)])


def check_forms(forms: FormCheck, request: Request) -> None:
    """Report focal words that are not forms of their words, unless ``--any-form`` allows them."""
    if not request.args.any_form:
        fix = "if the focal words are meant as they are, add --any-form"
        forms.report(", ".join(map(str, request.files)), fix)


def lay_out(
    out: Path,
    words: Mapping[str, Sequence[LabelledSentence]],
    given: Mapping[str, Given],
    manifest: dict[str, Any],
    *,
    noted: bool = False,
    beside: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write the folder of a corpus and its manifest, once what is written reads as it should.

    Parameters
    ----------
    out : Path
        Replaced as a whole.
    words : mapping of word to LabelledSentences
        Each with its split.
    given : mapping of word to what its senses are called
    manifest : dict
        What stands in it beside ``words`` and ``files``, which are put in here.
    noted : bool
        Whether the manifest has its checksum beside it. People may edit what an import calls
        things; what a step of the workflow writes is as it was written.
    beside : mapping of name to lines
        Further files, which are no part of the corpus.
    """
    with replacing_folder(out) as made:
        further = [
            f"{word}\t{one.sense}\t{_line(one)}"
            for word, rows in words.items()
            for one in rows
            if one.split == OUT_OF_DOMAIN
        ]
        out_of_domain = made / FURTHER if further else None
        if out_of_domain:
            write_lines(out_of_domain, further)
        manifest["words"] = {}
        for word, rows in words.items():
            _write_word(made / file_name(word), rows)
            corpus = read_text(made / file_name(word), word, out_of_domain)
            there = Counter(zip(corpus.split.tolist(), corpus.tokens, strict=True))
            if there != Counter((one.split, one.tokens) for one in rows):
                raise AssertionError(f"what was written of {word!r} is not what was read")
            manifest["words"][word] = _counts(corpus, given.get(word, {}))
        manifest["files"] = checksums(made)
        for name, lines in (beside or {}).items():
            write_lines(made / name, lines)
        if noted:
            write_json(made / MANIFEST, manifest)
        else:
            write_manifest(made, manifest)


def _counts(corpus: Corpus, given: Given) -> dict[str, Any]:
    count = Counter(zip(corpus.gold.tolist(), corpus.split.tolist(), strict=True))
    senses: dict[str, dict[str, Any]] = {
        sense: {split: count[i, split] for split in ALL_SPLITS}
        for i, sense in enumerate(corpus.senses)
    }
    totals = {
        name: sum(of_sense[split] for of_sense in senses.values())
        for name, split in zip(COUNTS, ALL_SPLITS, strict=True)
    }
    most = folds.most_folds_of(corpus)
    for sense in given.keys() & senses.keys():
        senses[sense] |= given[sense]._asdict()
    return {"folder": file_name(corpus.word), **totals, "senses": senses, "most_folds": most}


def in_order(rows: Sequence[LabelledSentence]) -> list[str]:
    """The senses in their natural order: sense_2 before sense_10."""

    def key(sense: str) -> list[tuple[int, str]]:
        parts = re.split(r"0*([0-9]+)", sense)  # every second one a number
        return [(len(part) if i % 2 else 0, part) for i, part in enumerate(parts)]

    return sorted(sorted({one.sense for one in rows}), key=key)


def _write_word(into: Path, rows: Sequence[LabelledSentence]) -> None:
    into.mkdir()
    numbers = {sense: str(i) for i, sense in enumerate(in_order(rows))}
    classes = {number: sense for sense, number in numbers.items()}
    write_lines(into / FILES[0], [json.dumps(classes, ensure_ascii=False)])
    for split in SPLITS:
        own = [one for one in rows if one.split == split]
        write_lines(into / f"{split}.data.txt", map(_line, own))
        write_lines(into / f"{split}.gold.txt", [numbers[one.sense] for one in own])


def _line(one: LabelledSentence) -> str:
    return sentence_line(one.position, one.tokens)


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder, by its relative path."""
    files = [path for path in sorted(folder.rglob("*.*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): sha256(path) for path in files}


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines as UTF-8 with LF line ends."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
