"""From labelled sentences of elsewhere to a folder in the corpus format, with a manifest.

The folder has, per word, the files that :func:`wsd.corpora.text_format.read_text` reads, and
``dataset.json``: what the corpus is, where it comes from, how many instances each sense has, and
every file's checksum. It is written whole or not at all, after it has been read back.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wsd import logs
from wsd.arguments import add_optional_files, add_out_folder, add_seed, count
from wsd.artifacts import counted_instances
from wsd.artifacts.dataset import ABOUT, FORMAT, check_name
from wsd.corpora.focal_form_check import ANY_FORM, FIX_ANY_FORM, PlaceCheck
from wsd.corpora.importer import (
    all_words_xml,
    corpus_folder,
    labelled_tables,
    sense_texts,
    splits,
    two_corpora,
    wic,
)
from wsd.corpora.importer.import_summary import as_yaml, first, other_kind, too_small
from wsd.corpora.importer.labelled_sentence import Gathered, LabelledSentence
from wsd.corpora.importer.write_corpus import in_order, lay_out
from wsd.corpora.word_names import alike
from wsd.errors import ConfigError, visible
from wsd.logs import log
from wsd.storage.checksums import sha256
from wsd.studies.pairs import import_pairs
from wsd.studies.unlabelled import import_unlabelled

FOLDER, TABLE = "a folder in the corpus format", "a table"
XML, WIC = "all-words .xml", "the .data.txt of WiC"
# The kinds of files that an option is for.
TAKEN_BY = {"--word": (TABLE,), "--columns": (TABLE,), "--gold": (XML, WIC), "--to-senses": (WIC,)}


def import_corpus(args: argparse.Namespace) -> str:
    """Import files of one kind or several, and say in a few lines what came of it.

    Parameters
    ----------
    args
        What :func:`arguments` asks for.

    Raises
    ------
    ConfigError
        For a name that is none, a share that is no share, or a folder that is there.
    CorpusError
        Naming file and line.
    """
    out, share = args.out, args.test_share
    check_name(args.name, "--name")
    if not 0 < share < 1:
        raise ConfigError(f"the share {share}", where="--test-share", fix="give one such as 0.3")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        if not out.is_dir():
            raise ConfigError("a file is there", where=str(out), fix="choose another for --out")
        what = "the folder is there and not empty"
        raise ConfigError(what, where=str(out), fix="delete it, or choose another for --out")
    files = _files(args)
    if args.gold is not None and len(files) != 1:
        raise ConfigError("one gold file for several files", where="--gold", fix="import one file")
    there = [path.resolve() for path in files]
    if twice := [path for path in files if there.count(path.resolve()) > 1]:
        raise ConfigError(f"the file {twice[0]} twice", where="FILE", fix="name each file once")
    columns = _named_columns(args.columns)
    found = Gathered(about=_about(vars(args)))
    about = {"name": args.name, **dict.fromkeys(ABOUT, ""), "title": args.name, **found.about}
    if args.unlabelled:
        return import_unlabelled.import_unlabelled(files, out, vars(args), columns, about)
    options = {"--" + k.replace("_", "-"): v for k, v in vars(args).items()}
    kinds = {path: _kind(path, options) for path in files}
    if WIC in kinds.values() and not args.to_senses:
        if set(kinds.values()) != {WIC} or args.at_least or args.senses or args.train:
            fix = "give pairs alone, as FILE, without --at-least and --senses; or --to-senses"
            raise ConfigError("pairs are a corpus of their own", where="FILE", fix=fix)
        return import_pairs.import_pairs(files, args.gold, out, about, any_form=args.any_form)
    tests: list[LabelledSentence] = []
    for of_file, is_test in _read_all(kinds, args, columns):
        (tests if is_test else found.rows).extend(of_file.rows)
        found.files += of_file.files
        found.left_out.update(of_file.left_out)
        found.about = _about(of_file.about) | found.about
        for word, senses in of_file.given.items():
            found.given[word] = {**senses, **found.given.get(word, {})}
    if args.senses is not None:
        found.given = sense_texts.read(args.senses, [*found.rows, *tests])
        found.files.append(args.senses)
    if not args.any_form:
        places = PlaceCheck()
        for one in (*found.rows, *tests):
            places.add(one.word, one.position, one.tokens, one.where)
        places.report(", ".join(map(str, files)), FIX_ANY_FORM)
    all_rows = [*found.rows, *tests]
    for line in first(alike(one.word for one in all_rows), "such words"):
        log.info(line)
    labels: dict[str, set[str]] = {}
    for one in all_rows:
        labels.setdefault(one.word, set()).add(one.sense)
    alike_senses = [
        line
        for word, of in labels.items()
        for line in alike(of, f"senses of {word!r}", str.casefold)
    ]
    for line in first(alike_senses, "such senses"):
        log.info(line)
    splits.check_contradictions(found.rows)
    splits.check_contradictions(tests)
    given = bool(args.test) or splits.given_splits(found.rows)
    if args.test:
        divided = two_corpora.divide(found.rows, tests, args.at_least)
        words, instances, said = divided.words, divided.instances, [*divided.said]
        found.left_out += divided.left_out
    else:
        words, said = splits.by_word(found, args.at_least), []
    for word, rows in words.items():
        if not given:
            words[word] = splits.divide(word, rows, share=share, seed=args.seed)
        splits.check_splits(word, words[word])
        sense_texts.check_together(word, rows, found.given.get(word, {}))
    manifest = {
        "format": FORMAT,
        "name": args.name,
        **dict.fromkeys(ABOUT, ""),
        "title": args.name,
        **found.about,
        **({ANY_FORM: True} if args.any_form else {}),
        "imported": [{"file": str(path), "sha256": sha256(path)} for path in found.files],
        "split": {"made": False}
        if given
        else {"made": True, "test_share": share, "seed": args.seed},
        "left_out": found.left_out,
        "version": version("wsd"),
    }
    if not args.test:
        # Several keys are all kept, so that any of them counts.
        several = any(one.also for rows in words.values() for one in rows)
        instances = two_corpora.tested(words) if several else []
    beside = {counted_instances.FILE: [*counted_instances.lines(instances)]} if instances else {}
    lay_out(out, words, found.given, manifest, beside=beside)
    how = "as given" if given else "made here, near-duplicates on one side"
    number = f"{len(words)} word{'s' if len(words) > 1 else ''}"
    lines = [
        f"{number}; per sense, training + test instances; splits {how}",
        *_of_words(words),
        *said,
        *(f"left out: {count} instances of {why}" for why, count in found.left_out.items()),
        *too_small({word: of["most_folds"] for word, of in manifest["words"].items()}),
        f"written to {out}; in a config:",
        f"  dataset: {{ name: {as_yaml(args.name)}, path: {as_yaml(str(out))} }}",
    ]
    return "\n".join(lines)


def _files(args: argparse.Namespace) -> list[Path]:
    """What is to be read: FILE, or the files to train on and those to test on."""
    if bool(args.train) != bool(args.test) or bool(args.train) == bool(args.files):
        fix = "name files, whose splits are given or made; or some with --train, some with --test"
        raise ConfigError("which files are for what?", where="FILE, --train, --test", fix=fix)
    return [*args.files, *args.train, *args.test]


def _kind(path: Path, options: Mapping[str, Any]) -> str:
    """What kind of file it is; options that are not for it are refused."""
    if path.is_dir():
        kind = FOLDER
    elif path.suffix.lower() in labelled_tables.KINDS:
        kind = TABLE
    elif path.suffix.lower() == ".xml":
        kind = XML
    elif path.name.lower().endswith(wic.DATA):
        kind = WIC
    else:
        what, fix = other_kind(path)
        raise ConfigError(what, where=str(path), fix=fix)
    for option, kinds in TAKEN_BY.items():
        if options[option] and kind not in kinds:
            fix = f"leave it out: it is for {' and '.join(kinds)}"
            raise ConfigError(f"{path} is {kind}, read without it", where=option, fix=fix)
    return kind


def _read_all(
    kinds: Mapping[Path, str], args: argparse.Namespace, columns: Mapping[str, str]
) -> Iterator[tuple[Gathered, bool]]:
    """Read each file, and whether it is one to test on; files of WiC are read together."""
    pairs = [path for path, kind in kinds.items() if kind == WIC]
    if pairs:
        train = [path for path in pairs if path not in args.test]
        found, tested = wic.read(train, [path for path in pairs if path in args.test], args.gold)
        yield found, False
        yield tested, True
    for path, kind in kinds.items():
        if kind != WIC:
            yield _read(path, kind, args.word, columns, args.gold), path in args.test


def _read(
    path: Path, kind: str, word: str | None, columns: Mapping[str, str], gold: Path | None
) -> Gathered:
    if kind == FOLDER:
        return corpus_folder.read(path)
    return (
        labelled_tables.read(path, columns, word)
        if kind == TABLE
        else all_words_xml.read(path, gold)
    )


def _about(given: Mapping[str, str]) -> dict[str, str]:
    """What is said of the corpus, each on one line, as the manifest may have it."""
    said = {key: " ".join((given.get(key) or "").split()) for key in ABOUT}
    for key, text in said.items():
        option = f"--{key.replace('_', '-')}"
        if visible(text) != text:
            raise ConfigError(
                f"a character in {text!r} that cannot be seen",
                where=option,
                fix="leave the character out",
            )
        if key == "licence_url" and text and not text.startswith(("https://", "http://")):
            raise ConfigError(f"{text!r} is no address", where=option, fix="begin with https://")
    return {key: text for key, text in said.items() if text}


def _named_columns(items: Sequence[str]) -> dict[str, str]:
    """What is looked for -> the column that was said to have it."""
    pairs = [item.partition("=") for item in items]
    for key, _, name in pairs:
        if key not in labelled_tables.NAMES or not name:
            fix = f"write one of {', '.join(labelled_tables.NAMES)}, = and the name that it has in the file"
            raise ConfigError(f"{key}={name} is not KEY=COLUMN", where="--columns", fix=fix)
    for named in zip(*((key, name) for key, _, name in pairs), strict=True):
        if twice := [name for name in named if named.count(name) > 1]:
            fix = "give each key one column, and each column one key"
            raise ConfigError(f"{twice[0]} is named twice", where="--columns", fix=fix)
    return {key: name for key, _, name in pairs}


def _of_words(words: Mapping[str, Sequence[LabelledSentence]]) -> list[str]:
    """What of each word was imported, a line each, as far as it can be taken in."""
    lines = []
    for word, rows in words.items():
        count = Counter((one.sense, one.split) for one in rows)
        senses = ", ".join(
            f"{sense} {count[sense, 'train']} + {count[sense, 'test']}" for sense in in_order(rows)
        )
        lines.append(f"{word}: {senses}")
    return first(lines, "words")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    text = ".csv, .tsv or .jsonl; .xml with gold keys; .data.txt of WiC; or a folder of words"
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE", help=text)
    add_optional_files(parser, "--train", "files to train on, with others in --test")
    text = "files to test on: words and senses of --train are tested, all instances are counted"
    add_optional_files(parser, "--test", text)
    add_out_folder(parser, "folder to make")
    text = "of the corpus, and its folder under results/"
    parser.add_argument("--name", required=True, help=text)
    parser.add_argument("--word", help="the word of all rows, where there is no column for it")
    parser.add_argument(
        "--columns", nargs="+", default=[], metavar="KEY=COLUMN",
        help="what a column is called that is not found by its name: sentence=, sense=, word=, "
        "split=, position=, start=, end=, span= (characters, as 4:8)",
    )  # fmt: skip
    parser.add_argument("--gold", type=Path, metavar="FILE", help="gold keys that lie elsewhere")
    text = "of WiC's pairs: the words whose pairs tell senses apart, as a corpus of senses"
    parser.add_argument("--to-senses", action="store_true", help=text)
    text = "sentences without senses: a .txt with one in each line, or a table"
    parser.add_argument("--unlabelled", action="store_true", help=text)
    text = "focal words that are not forms of their word are meant as they are"
    parser.add_argument("--any-form", action="store_true", help=text)
    text = "what senses are called and mean: a table with columns word, sense, name, gloss"
    parser.add_argument("--senses", type=Path, metavar="FILE", help=text)
    text = "leave out senses with fewer instances, and words with fewer than two senses then"
    parser.add_argument("--at-least", type=count, metavar="N", help=text)
    text = "where there are no splits (default: 0.3)"
    parser.add_argument("--test-share", type=float, default=0.3, help=text)
    add_seed(parser, "of the splits")
    parser.add_argument("--title", help="what the pages call the corpus (default: its name)")
    parser.add_argument("--source", help="where it comes from: an address, a paper, a person")
    parser.add_argument("--licence", help="what may be done with it")
    parser.add_argument("--licence-url", metavar="URL")
    parser.add_argument("--citation", help="what to cite")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    logs.show(import_corpus(args))
