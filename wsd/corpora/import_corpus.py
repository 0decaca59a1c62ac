"""Import labelled sentences: write a folder in the corpus format, with a manifest.

For each word, the folder has the files that :func:`wsd.corpora.text_format.read_text` reads. The
manifest ``dataset.json`` has the name and the source of the corpus, the number of instances of each
sense, and the checksum of each file. The folder is put in place as a whole or not at all.

Studies can add to the command. The module that a study names for it (``Study.extends``) has any of
these:

- ``add_options(parser)``;
- ``KIND``, a :class:`wsd.corpora.importer.input_formats.FileKind`: a further kind of file, which
  comes before all others;
- ``COLUMNS``: further keys of ``--columns``;
- ``import_instead(request)``: if its option is given, imports all files and returns the lines of
  the summary; otherwise returns None.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from wsd import logs
from wsd.arguments import add_optional_files, add_out_folder, add_seed, count
from wsd.artifacts.dataset import ABOUT, check_name
from wsd.corpora import dwug_en, glosses
from wsd.corpora.copied_sentences import count_copied, describe_copied
from wsd.corpora.focal_form_check import FormCheck
from wsd.corpora.importer import kept_sentences, labelled_tables
from wsd.corpora.importer.gathered import (
    ALL_SPLITS,
    Gathered,
    extra_columns,
    log_all,
    plural,
    shorten,
)
from wsd.corpora.importer.input_formats import KINDS, Request, expand_datasets, kind_of
from wsd.corpora.importer.kept_sentences import Words
from wsd.corpora.importer.write_corpus import check_forms, lay_out, start_manifest
from wsd.corpora.word_forms import similar_names
from wsd.errors import ConfigError, visible

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*")


def import_corpus(args: argparse.Namespace) -> str:
    """Import the files, and return a summary of a few lines.

    Parameters
    ----------
    args
        The arguments of the command.

    Raises
    ------
    ConfigError
        For an invalid argument, such as an output folder that is not empty.
    CorpusError
        Naming file and line.
    """
    request = _check_arguments(args)
    instead = (function(request) for function in _offered(args, "import_instead"))
    lines = next((lines for lines in instead if lines is not None), None)
    if lines is None:
        parts = _read_files(request)
        lines = parts if isinstance(parts, list) else _import_senses(request, *parts)
    # JSON is YAML, and its quotes keep a name such as 1e3 a text.
    name, path = (json.dumps(text, ensure_ascii=False) for text in (args.name, str(args.out)))
    config = f"  dataset: {{ name: {name}, path: {path} }}"
    return "\n".join([*lines, f"written to {args.out}; in a config:", config])


def _import_senses(request: Request, train: Gathered, test: Gathered) -> list[str]:
    """Import labelled sentences; return the lines of the summary."""
    args = request.args
    if not args.test:
        train.rows = [*kept_sentences.with_splits(train.rows, request.bad_lines)]
    train.rows = kept_sentences.without_contradictions(train.rows, request.bad_lines)
    test.rows = kept_sentences.without_contradictions(test.rows, request.bad_lines)
    total = train + test
    total.left_out += request.settle(len(total.rows))
    if args.senses is not None:
        total.given = glosses.read_senses(args.senses, total.rows)
        total.files.append(args.senses)
    _check_spelling(total, request)
    given = bool(args.test) or any(row.split for row in train.rows)
    if args.test:
        words, left_out = kept_sentences.train_and_test(train.rows, test.rows, args.at_least)
        total.left_out += left_out
    else:
        words = kept_sentences.by_word(total, args.at_least)
    for word, rows in words.items():
        if not given:
            rows = kept_sentences.divide(word, rows, share=args.test_share, seed=args.seed)
            words[word] = rows
        kept_sentences.check_splits(word, rows)
        glosses.check_names(word, rows, total.given.get(word, {}), args.senses)
    total.left_out = +total.left_out  # no zeros
    return _write(request, total, words, given)


def _check_arguments(args: argparse.Namespace) -> Request:
    """Check the arguments as far as this needs no content of the files."""
    check_name(args.name, "--name")
    if not 0 < args.test_share < 1:
        problem = f"the share {args.test_share} is not between 0 and 1"
        raise ConfigError(problem, where="--test-share", fix="give a share such as 0.3")
    if args.language and not _LANGUAGE.fullmatch(args.language):
        problem, fix = f"{args.language!r} is no code of a language", "give a code such as en or de"
        raise ConfigError(problem, where="--language", fix=fix)
    if args.out.exists() and (not args.out.is_dir() or any(args.out.iterdir())):
        problem = "a file, or a folder that is not empty, has this name"
        raise ConfigError(problem, where=str(args.out), fix="choose another path for --out")
    if bool(args.train) != bool(args.test) or bool(args.train) == bool(args.files):
        problem = "it is unclear which files are for training and testing"
        fix = "name files without an option; or name some with --train and some with --test"
        raise ConfigError(problem, where="FILE, --train, --test", fix=fix)
    files = [*args.files, *args.train, *args.test]
    if args.gold is not None and len(files) != 1:
        problem = "one file of gold keys for several files"
        raise ConfigError(problem, where="--gold", fix="import a single file")
    if len({path.resolve() for path in files}) < len(files):
        raise ConfigError("a file is named twice", where="FILE", fix="name each file once")
    named = expand_datasets(args.files, args.train, args.test)
    args.files, args.train, args.test = named
    about = {"name": args.name, **dict.fromkeys(ABOUT, ""), "title": args.name}
    keys = list(dict.fromkeys([*labelled_tables.NAMES, *chain(*_offered(args, "COLUMNS"))]))
    columns = labelled_tables.parse_columns(args.columns, keys)
    about |= _parse_about(vars(args))
    return Request(args, [*chain(*named)], columns, about)


def _offered(args: argparse.Namespace, name: str) -> list[Any]:
    """Return the objects of one name in the studies' modules."""
    return [getattr(study, name) for study in args.studies if hasattr(study, name)]


def _read_files(request: Request) -> tuple[Gathered, Gathered] | list[str]:
    """Read the sentences to train on and those to test on, or return a summary."""
    args = request.args
    known = [*KINDS, dwug_en.KIND, *_offered(args, "KIND")]
    kinds = {path: kind_of(path, known, args) for path in request.files}
    for kind in kinds.values():
        if kind.read_together:
            return kind.read_together(request)
    train, test = Gathered(), Gathered()
    for path, kind in kinds.items():
        assert kind.read is not None
        gathered = kind.read(path, request)
        if not kind.described:
            logs.log.info(f"{path}: {kind.name}, {plural(len(gathered.rows), 'instance')}")
        gathered.about = _parse_about(gathered.about)
        if path in args.test:
            test += gathered
        else:
            train += gathered
    return train, test


def _parse_about(given: Mapping[str, str]) -> dict[str, str]:
    """Return the given facts about the corpus, each on one line, checked for the manifest."""
    about = {key: " ".join((given.get(key) or "").split()) for key in ABOUT}
    for key, text in about.items():
        option = f"--{key.replace('_', '-')}"
        if visible(text) != text:
            problem = f"an invisible character in {text!r}"
            raise ConfigError(problem, where=option, fix="delete the character")
        if key == "licence_url" and text and not text.startswith(("https://", "http://")):
            problem = f"{text!r} is not an address"
            raise ConfigError(problem, where=option, fix="begin with https://")
    return {key: text for key, text in about.items() if text}


def _check_spelling(gathered: Gathered, request: Request) -> None:
    """Check the focal words' forms; log words and senses that differ only in spelling."""
    rows, forms = gathered.rows, FormCheck(request.known_forms(gathered))
    for row in rows:
        forms.add(row.word, row.position, row.tokens, row.where)
    check_forms(forms, request)
    words = kept_sentences.grouped(rows)
    log_all(similar_names(words), "such words")
    lines: list[str] = []
    for word, of_word in words.items():
        senses = [row.sense for row in of_word]
        lines += similar_names(senses, f"senses of {word!r}", str.casefold)
    log_all(lines, "such senses")


def _write(request: Request, gathered: Gathered, words: Words, given: bool) -> list[str]:
    """Write the folder; return the lines of the summary."""
    args = request.args
    split = {"made": True, "test_share": args.test_share, "seed": args.seed}
    about = dict(request.about) | gathered.about | _parse_about(vars(args))
    manifest = start_manifest(
        replace(request, about=about),
        gathered.files,
        split={"made": False} if given else split,
        left_out=gathered.left_out,
        gathered=gathered,
    )
    lay_out(args.out, words, manifest, given=gathered.given)
    how = "from the files" if given else "drawn, with near-duplicates in the same split"
    rows = [*chain(*words.values())]
    splits, counts = [name for name in ALL_SPLITS if any(row.split == name for row in rows)], []
    for word, facts in manifest["words"].items():
        senses = facts["senses"].items()
        numbers = [f"{name} {' + '.join(str(n[s]) for s in splits)}" for name, n in senses]
        counts.append(f"{word}: {', '.join(numbers)}")
    return [
        f"{plural(len(words), 'word')}; per sense, {' + '.join(splits)} instances; splits {how}",
        *shorten(counts, "words"),
        *extra_columns(rows),
        *(f"left out: {n} instances of {reason}" for reason, n in gathered.left_out.items()),
        # Splits that were drawn have no near-duplicates on both sides.
        *(describe_copied(sum(map(count_copied, words.values()), Counter())) if given else ()),
    ]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = (
        ".csv, .tsv, .json, .jsonl, .parquet or .arrow; XML with senses; .data.txt of WiC; or a "
        "folder (docs/reference/formats.md)"
    )
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE", help=text)
    add_optional_files(parser, "--train", "files to train on, together with --test")
    text = "files to test on; only words and senses of --train are tested, all instances count"
    add_optional_files(parser, "--test", text)
    add_out_folder(parser, "folder to write")
    text = "name of the corpus, and of its folder in results/"
    parser.add_argument("--name", required=True, help=text)
    parser.add_argument("--word", help="word of all rows, if there is no column for it")
    parser.add_argument(
        "--columns", nargs="+", default=[], metavar="KEY=COLUMN",
        help="column to read, if its name is not recognised: sentence=, sense=, word=, "
        "split=, document=, position=, start=, end=, span= (characters, such as 4:8), left=, "
        "keyword=, right=",
    )  # fmt: skip
    text = "what start, end and span count, if not characters: bytes of UTF-8, or units of UTF-16"
    parser.add_argument("--offsets", choices=labelled_tables.OFFSETS, help=text)
    text = "encoding of tables, such as cp1252 (default: UTF-8, or UTF-16 with its mark)"
    parser.add_argument("--encoding", help=text)
    text = "find the word in sentences without a mark or place; it must be there once"
    parser.add_argument("--find", action="store_true", help=text)
    text = "refuse several places in one cell, which otherwise are an instance each"
    parser.add_argument("--one-span", action="store_true", help=text)
    text = "leave out lines that cannot be read, and sentences with several senses"
    parser.add_argument("--skip-bad", action="store_true", help=text)
    text = "gold keys that are not next to their file"
    parser.add_argument("--gold", type=Path, metavar="FILE", help=text)
    text = "table of words' forms, with the columns word and form: they are found too"
    parser.add_argument("--forms", type=Path, metavar="FILE", help=text)
    text = "code of the language (default: of the files, or en); only English words are inflected"
    parser.add_argument("--language", metavar="CODE", help=text)
    text = "accept focal words that are not forms of their word"
    parser.add_argument("--any-form", action="store_true", help=text)
    text = "names and glosses of senses: a table with columns word, sense, name, gloss"
    parser.add_argument("--senses", type=Path, metavar="FILE", help=text)
    text = "leave out senses with fewer instances, then words with fewer than two senses"
    parser.add_argument("--at-least", type=count, metavar="N", help=text)
    text = "share of test instances, if the files have no splits (default: 0.3)"
    parser.add_argument("--test-share", type=float, default=0.3, help=text)
    add_seed(parser, "of the splits")
    parser.add_argument("--title", help="name of the corpus on the pages (default: its name)")
    parser.add_argument("--source", help="origin of the corpus: an address, a paper, a person")
    parser.add_argument("--licence", help="licence of the corpus")
    parser.add_argument("--licence-url", metavar="URL", help="address of the licence")
    parser.add_argument("--citation", help="publication to cite")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    logs.show(import_corpus(args))
