"""Import sentences without senses with ``wsd import --unlabelled``.

Each word has one file, ``sentences.txt``. Each line is a use, in the format of the data files of a
labelled corpus. The folder is written as a whole or not at all, after everything has been read.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from wsd.corpora.focal_form_check import FormCheck
from wsd.corpora.importer import arrow_tables, labelled_tables, write_corpus
from wsd.corpora.importer.import_summary import log_all, plural, shorten
from wsd.corpora.importer.input_formats import Request, readable
from wsd.corpora.known_forms import KnownForms
from wsd.corpora.word_names import similar_names
from wsd.errors import ConfigError, CorpusError
from wsd.studies.unlabelled import unlabelled_files
from wsd.studies.unlabelled.unlabelled_files import Uses

# The smallest number of uses of a word that can form two groups.
LEAST = 3
KINDS = (labelled_tables.TEXT, *labelled_tables.KINDS, *arrow_tables.KINDS)
# Options that are about senses.
OF_SENSES = ("gold", "senses", "at_least", "train", "test")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add an option to ``wsd import``."""
    text = "sentences without senses: a .txt with one in each line, or a table"
    parser.add_argument("--unlabelled", action="store_true", help=text)


def import_instead(request: Request) -> list[str] | None:
    """Import sentences if ``--unlabelled`` is given, and return the lines of the summary.

    Raises
    ------
    ConfigError
        For a file of another kind, or an option that is about senses.
    CorpusError
        Naming file and line; also if no word has enough uses.
    """
    if not request.args.unlabelled:
        return None
    for name in OF_SENSES:
        if getattr(request.args, name, None):
            where, fix = f"--{name.replace('_', '-')}", "leave out one of the two"
            problem = "an option about senses cannot be combined with --unlabelled"
            raise ConfigError(problem, where=where, fix=fix)
    known = request.known_forms()
    uses = Uses(forms=FormCheck(known))
    for path in readable(request.files, lambda path: path.suffix.lower() in KINDS):
        if path.suffix.lower() not in KINDS:
            problem = f"{path.name!r} is of an unknown kind"
            fix = f"--unlabelled takes {', '.join(KINDS)}: a sentence in each line, or a table"
            raise ConfigError(problem, where=str(path), fix=fix)
        unlabelled_files.read(path, request.options, uses)
    uses.find_again(known)
    bad_lines = request.settle(sum(map(len, uses.rows.values())))
    write_corpus.check_forms(uses.forms, request)
    log_all(similar_names(uses.rows), "such words")
    words = {w: [*rows.values()] for w, rows in sorted(uses.rows.items()) if len(rows) >= LEAST}
    if not words:
        raise _no_word(uses, request.files, known)
    left_out = {
        "sentences in which the word is not found": sum(map(len, uses.not_found.values())),
        "uses that are there already, word for word": uses.repeated,
        f"words with fewer than {LEAST} uses": len(uses.rows) - len(words),
        **bad_lines,
    }
    left_out = {reason: number for reason, number in left_out.items() if number}
    manifest = write_corpus.start_manifest(
        request, request.files, labelled=False, left_out=left_out
    )
    write_corpus.lay_out_unlabelled(request.args.out, words, manifest)
    reasons = [*left_out.items()][bool(uses.not_found) :]
    return [
        f"{plural(len(words), 'word')} without senses",
        *shorten([f"{word}: {len(rows)} uses" for word, rows in words.items()], "words"),
        *_not_found(uses, known),
        *(f"left out: {reason}: {number}" for reason, number in reasons),
    ]


def _not_found(uses: Uses, known: KnownForms) -> list[str]:
    """Return a line per word with the sentences that lack it."""
    lines = [
        f"left out: {plural(len(places), 'sentence')} without {word} "
        f"(looked for: {', '.join(known.of(word))}): {', '.join(shorten(places, 'places'))}"
        for word, places in sorted(uses.not_found.items())
    ]
    return shorten(lines, "words")


def _no_word(uses: Uses, files: Sequence[Path], known: KnownForms) -> CorpusError:
    """Return the error if no word has enough uses."""
    where = ", ".join(map(str, files))
    if uses.rows:
        numbers = [f"{word} {len(rows)}" for word, rows in uses.rows.items()]
        problem = f"too few uses to cluster (uses: {', '.join(shorten(numbers, 'words'))})"
        return CorpusError(problem, where=where, fix=f"give {LEAST} or more sentences with a word")
    words = ", ".join(shorten([repr(word) for word in uses.not_found], "words"))
    forms = dict.fromkeys(form for word in uses.not_found for form in known.of(word))
    looked_for = ", ".join(forms)
    fix = "correct --word (a verb is called serve.v), or mark the word in each line, as [[cell]]"
    problem = f"no sentence has a form of {words} (looked for: {looked_for})"
    return CorpusError(problem, where=where, fix=fix)
