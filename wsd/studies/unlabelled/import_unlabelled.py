"""From sentences without senses to a folder that a run takes, with a manifest.

Per word there is one file, ``sentences.txt``, a use in each line, as the data files of a labelled
corpus have them. The folder is written whole or not at all, after everything was read.
"""

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import COUNTS, FORMAT, MANIFEST, UNLABELLED_FILE
from wsd.corpora.focal_form_check import ANY_FORM, FIX_ANY_FORM
from wsd.corpora.importer import labelled_tables
from wsd.corpora.importer.import_summary import as_yaml, first
from wsd.corpora.inflection import forms
from wsd.corpora.text_format import read_unlabelled, sentence_line
from wsd.corpora.word_names import alike
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import sha256
from wsd.storage.file_names import file_name
from wsd.studies.unlabelled import unlabelled_files
from wsd.studies.unlabelled.unlabelled_files import Uses

# Uses of a word: fewer have no two groups to tell apart.
LEAST = 3
KINDS = (unlabelled_files.TEXT, *labelled_tables.KINDS)
# What an import of labelled sentences takes, and this has no use for.
OF_SENSES = ("gold", "to_senses", "senses", "at_least", "train", "test")


def import_unlabelled(
    files: Sequence[Path],
    out: Path,
    options: Mapping[str, Any],
    columns: Mapping[str, str],
    about: Mapping[str, str],
) -> str:
    """Import files of sentences, and say in a few lines what came of it.

    Parameters
    ----------
    files : sequence of Path
    out : Path
        The folder to make.
    options : mapping
        Those of the command, by name.
    columns : mapping
        As :func:`wsd.corpora.importer.labelled_tables.read` takes them.
    about : mapping of str to str
        Name, title, source, licence and the like.

    Raises
    ------
    ConfigError
        For a file of another kind, or an option that is about senses.
    CorpusError
        Naming file and line; for a word that is in no sentence, or in too few.
    """
    for name in OF_SENSES:
        if options[name]:
            fix = "leave out one of the two"
            where = f"--{name.replace('_', '-')}"
            raise ConfigError("an option about senses, and --unlabelled", where=where, fix=fix)
    found = Uses()
    for path in files:
        if path.suffix.lower() not in KINDS:
            what = f"what kind of file is {path.name!r}?"
            fix = f"--unlabelled takes {', '.join(KINDS)}: a sentence in each line, or a table"
            raise ConfigError(what, where=str(path), fix=fix)
        unlabelled_files.read(path, columns, options["word"], found)
    if not options[ANY_FORM]:
        found.places.report(", ".join(map(str, files)), FIX_ANY_FORM)
    for line in first(alike(found.rows), "such words"):
        log.info(line)
    words = {word: rows for word, rows in sorted(found.rows.items()) if len(rows) >= LEAST}
    few = {word: len(rows) for word, rows in found.rows.items() if len(rows) < LEAST}
    if not words:
        raise _nothing(found, few, files)
    left_out = {
        "sentences in which the word is not found": sum(map(len, found.not_found.values())),
        "uses that are there already, word for word": found.repeated,
        f"words with fewer than {LEAST} uses": len(few),
    }
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "labelled": False,
        **about,
        **({ANY_FORM: True} if options[ANY_FORM] else {}),
        "imported": [{"file": str(path), "sha256": sha256(path)} for path in files],
        "left_out": {why: count for why, count in left_out.items() if count},
        "version": version("wsd"),
    }
    _lay_out(out, words, manifest)
    lines = [
        f"{len(words)} word{'s' if len(words) > 1 else ''} without senses",
        *first([f"{word}: {len(rows)} uses" for word, rows in words.items()], "words"),
        *_not_found(found),
        *(f"left out: {why}: {count}" for why, count in [*left_out.items()][1:] if count),
        f"written to {out}; in a config:",
        f"  dataset: {{ name: {as_yaml(about['name'])}, path: {as_yaml(str(out))} }}",
    ]
    return "\n".join(lines)


def _not_found(found: Uses) -> list[str]:
    """A line per word with the places of the sentences that do not have it."""
    lines = []
    for word, places in sorted(found.not_found.items()):
        named = ", ".join(first(places, "places"))
        looked_for = ", ".join(forms(word))
        number = f"{len(places)} sentence{'s' if len(places) > 1 else ''}"
        lines.append(f"left out: {number} without {word} (looked for: {looked_for}): {named}")
    return first(lines, "words")


def _nothing(found: Uses, few: Mapping[str, int], files: Sequence[Path]) -> CorpusError:
    where = ", ".join(map(str, files))
    if few:
        said = ", ".join(first([f"{word} {count}" for word, count in few.items()], "words"))
        what = f"too few uses to group (of: {said})"
        return CorpusError(what, where=where, fix=f"give {LEAST} sentences with a word, or more")
    words = ", ".join(first([repr(word) for word in found.not_found], "words"))
    looked_for = ", ".join(dict.fromkeys(form for word in found.not_found for form in forms(word)))
    fix = "correct --word (a verb is called serve.v), or mark the word in each line, as [[cell]]"
    what = f"no sentence has a form of {words} (looked for: {looked_for})"
    return CorpusError(what, where=where, fix=fix)


def _lay_out(out: Path, words: Mapping[str, Any], manifest: dict[str, Any]) -> None:
    with replacing_folder(out) as made:
        manifest["words"] = {}
        for word, rows in words.items():
            folder = made / file_name(word)
            folder.mkdir()
            text = "".join(f"{sentence_line(*row)}\n" for row in rows)
            (folder / UNLABELLED_FILE).write_text(text, encoding="utf-8", newline="\n")
            corpus = read_unlabelled(folder, word)
            if [*zip(corpus.position.tolist(), corpus.tokens, strict=True)] != rows:
                raise AssertionError(f"what was written of {word!r} is not what was read")
            counts = dict.fromkeys(COUNTS, 0) | {COUNTS[0]: len(rows)}
            manifest["words"][word] = {"folder": folder.name, **counts, "senses": {}}
        manifest["files"] = {
            path.relative_to(made).as_posix(): sha256(path) for path in sorted(made.glob("*/*.txt"))
        }
        text = json.dumps(manifest, indent=2, ensure_ascii=False)
        (made / MANIFEST).write_text(f"{text}\n", encoding="utf-8", newline="\n")
