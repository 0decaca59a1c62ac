"""The kinds of files that ``wsd import`` reads, and how they are recognised.

A dataset that ``save_to_disk`` of the library ``datasets`` wrote is a folder of Arrow files that
``state.json`` lists, or a folder with such a folder for each split.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from wsd.artifacts.corpus_table import SPLITS
from wsd.artifacts.dataset import (
    ABOUT,
    DOCUMENTS,
    ENGLISH,
    EXTRA,
    FILES,
    FURTHER,
    MANIFEST,
    read_manifest,
)
from wsd.corpora.find_word import KnownForms, Sentence
from wsd.corpora.importer import labelled_tables, table_files, xml_formats
from wsd.corpora.importer.gathered import BadLines, Gathered, labelled
from wsd.corpora.importer.labelled_tables import OTHER_FORMATS, Options
from wsd.corpora.text_format import read_rows
from wsd.corpora.word_forms import language_code, plain, read_forms
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.storage.file_names import is_name, is_plain_name, word_of
from wsd.storage.result_files import UNEXPECTED, require
from wsd.storage.text_files import read_lines


@dataclass(frozen=True)
class Request:
    """One call of ``wsd import``.

    Attributes
    ----------
    args : argparse.Namespace
        The command's arguments.
    files : sequence of Path
        All files to read.
    columns : mapping of str to str
        From a key of :data:`wsd.corpora.importer.labelled_tables.NAMES` to a column of the file.
    about : mapping of str to str
        ``name``, and title, source, licence, licence_url and citation; some may be empty.
    bad_lines : BadLines
        Every reader passes its errors about single lines to it.
    """

    args: argparse.Namespace
    files: Sequence[Path]
    columns: Mapping[str, str]
    about: Mapping[str, str]
    bad_lines: BadLines = field(default_factory=BadLines)

    def known_forms(self, gathered: Gathered | None = None) -> KnownForms:
        """Return the forms that the user gives, in the language of ``--language`` or the files."""
        args, gathered = self.args, gathered or Gathered()
        language = language_code(args.language or gathered.language or ENGLISH)
        return KnownForms(language, gathered.forms | self.forms)

    @cached_property
    def forms(self) -> dict[str, tuple[str, ...]]:
        """The forms of ``--forms``."""
        return read_forms(self.args.forms, self.args.encoding) if self.args.forms else {}

    @cached_property
    def options(self) -> Options:
        """How tables are read."""
        names = ("word", "encoding", "find", "one_span", "offsets")
        given = {name: getattr(self.args, name) for name in names}
        forms = self.known_forms()
        return Options(self.columns, bad_lines=self.bad_lines, forms=forms, **given)

    def settle(self, n_left: int) -> Counter[str]:
        """Refuse the files if they have bad lines, or leave these out, as the user wishes.

        Parameters
        ----------
        n_left : int
            The number of instances without the bad lines.

        Raises
        ------
        CorpusError
        """
        return self.bad_lines.settle(n_left, skip=self.args.skip_bad)


@dataclass(frozen=True)
class FileKind:
    """A kind of file.

    Attributes
    ----------
    name : str
        Its name in messages.
    example : str
        An example, for the advice about an unknown kind.
    matches : function of a path
        Returns whether a file is of this kind, by its name or its content.
    options : tuple of str
        Options that only kinds with these options use.
    labels : tuple of str, optional
        The endings of the names of label files, and of the files with the sentences.
    read : function of a path and a Request
        Reads one file. None if the files of this kind are read together.
    read_together : function of a Request
        Reads all files, when all are of this kind. It returns the sentences to train on and those
        to test on; or the lines of the summary, if it has written a corpus of its own.
    described : bool
        Whether reading itself says what the file was taken for.
    """

    name: str
    example: str
    matches: Callable[[Path], bool]
    options: tuple[str, ...] = ()
    labels: tuple[str, str] | None = None
    read: Callable[[Path, Request], Gathered] | None = None
    read_together: Callable[[Request], tuple[Gathered, Gathered] | list[str]] | None = None
    described: bool = False


TABLE_OPTIONS = ("--word", "--columns", "--find", "--one-span", "--offsets", "--skip-bad")
# The last kind that matches a file counts: the first kinds only look at the end of its name.
KINDS = (
    FileKind(
        "a folder in the corpus format",
        "",
        lambda path: path.is_dir(),
        read=lambda path, _: read_folder(path),
    ),
    FileKind(
        "a table",
        "a .csv, .tsv, .json or .jsonl file",
        labelled_tables.is_table,
        options=(*TABLE_OPTIONS, "--encoding"),
        read=lambda path, request: labelled_tables.read(path, request.options),
        described=True,
    ),
    FileKind(
        "a Parquet or Arrow table",
        "a .parquet file",
        lambda path: path.suffix.lower() in table_files.ARROW,
        options=TABLE_OPTIONS,
        read=lambda path, request: labelled_tables.read(path, request.options),
        described=True,
    ),
    FileKind(
        "all-words .xml",
        f"an all-words {xml_formats.DATA}",
        lambda path: path.suffix.lower() == ".xml",
        options=("--gold", "--skip-bad"),
        labels=(xml_formats.GOLD, xml_formats.DATA),
        read=lambda path, request: xml_formats.read_all_words(
            path, request.args.gold, request.bad_lines.line
        ),
    ),
    FileKind(
        "lexical-sample XML",
        "XML of a lexical sample",
        xml_formats.is_lexical_sample,
        options=("--skip-bad",),
        read=lambda path, request: xml_formats.read_lexical_sample(path, request.bad_lines),
    ),
    FileKind(
        "UFSAC",
        "UFSAC",
        xml_formats.is_ufsac,
        options=("--skip-bad",),
        read=lambda path, request: xml_formats.read_ufsac(path, request.bad_lines),
    ),
)


def kind_of(path: Path, kinds: Sequence[FileKind], args: argparse.Namespace) -> FileKind:
    """Return the kind of a file.

    Raises
    ------
    ConfigError
        If no kind matches the file, or an option is given that its kind does not use.
    """
    kind = next((kind for kind in reversed(kinds) if kind.matches(path)), None)
    if kind is None:
        raise _unknown_kind(path, kinds)
    for option in dict.fromkeys(option for kind in kinds for option in kind.options):
        if getattr(args, option[2:].replace("-", "_")) and option not in kind.options:
            names = " and ".join(other.name for other in kinds if option in other.options)
            problem, fix = f"{path} is {kind.name}", f"leave out the option, which is for {names}"
            raise ConfigError(f"{problem}, for which it has no effect", where=option, fix=fix)
    return kind


def _unknown_kind(path: Path, kinds: Sequence[FileKind]) -> ConfigError:
    problem = f"{path.name!r} is of an unknown kind"
    examples = ", ".join(kind.example for kind in kinds if kind.example)
    fix = f"give {examples}, or a folder in the corpus format; unpack archives; {OTHER_FORMATS}; "
    fix += "for a text of sentences without senses add --unlabelled; if it is a table, call it .tsv"
    for gold, data in (kind.labels for kind in kinds if kind.labels):
        if path.name.endswith(gold):
            problem = f"{path.name} has labels only"
            fix = f"name {path.name.removesuffix(gold)}{data}; the labels next to it are read too"
            return ConfigError(problem, where=str(path), fix=fix)
    return ConfigError(problem, where=str(path), fix=fix)


def read_folder(path: Path) -> Gathered:
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
        senses, rows = read_rows(folder, word, further)
        for row in rows:
            sentence = Sentence(row.position, row.tokens, row.touching)
            own = labelled(row.where, word, senses[row.gold], sentence, row.split, row.document)
            gathered.rows.append(replace(own, extra=row.extra))
        # The files may have been edited since, so that some senses of the manifest are gone.
        texts = manifest.given.get(word, {}) if manifest else {}
        given = {plain(sense): texts[sense] for sense in senses if sense in texts}
        gathered.given[plain(word)] = given
    if further:
        gathered.files.append(further)
        others = sum(line.split("\t")[0] not in words for line in read_lines(further))
        gathered.left_out[f"words of {FURTHER} that have no folder"] += others
    return gathered


FIX_DATASET = "save it again with `dataset.save_to_disk(FOLDER)`"


def expand_datasets(
    files: Sequence[Path], train: Sequence[Path], test: Sequence[Path]
) -> tuple[list[Path], list[Path], list[Path]]:
    """Return the files of ``wsd import``; each saved dataset is replaced by its files.

    A dataset with the splits train and test is imported as with ``--train`` and ``--test``.

    Parameters
    ----------
    files, train, test : sequence of Path
        The arguments ``FILE``, ``--train`` and ``--test``.

    Raises
    ------
    ConfigError
        If it is unclear which files are for training and testing.
    CorpusError
        If a dataset cannot be read.
    """
    splits = _splits_of(files[0]) if len(files) == 1 else {}
    if set(SPLITS) <= splits.keys():
        others = [name for name in splits if name not in SPLITS]
        more = "".join(f"; left out: {name} (`--test {files[0]}/{name}`)" for name in others)
        log.info(f"{files[0]}: trains on train, tests on test{more}")
        return [], splits["train"], splits["test"]
    return _expand(files), _expand(train), _expand(test)


def _expand(paths: Sequence[Path]) -> list[Path]:
    """Return the files of several paths, each with one split."""
    files = []
    for path in paths:
        splits = _splits_of(path)
        if len(splits) > 1:
            first, second, *_ = splits
            fix = f"choose some, such as --train {path}/{first} --test {path}/{second}"
            problem = f"the dataset has the splits {', '.join(splits)}"
            raise ConfigError(problem, where=str(path), fix=fix)
        files += [file for part in splits.values() for file in part]
    return files


def _splits_of(path: Path) -> dict[str, list[Path]]:
    """Return the files of each split of a saved dataset; without a split, the name is empty.

    Any other path is returned as it is.
    """
    names, state = path / "dataset_dict.json", path / "state.json"
    try:
        if names.is_file():
            splits = json.loads(names.read_bytes())["splits"]
            require(splits and all(map(is_plain_name, splits)), "a split without a plain name")
            return {split: _splits_of(path / split)[""] for split in splits}
        if state.is_file():
            files = [entry["filename"] for entry in json.loads(state.read_bytes())["_data_files"]]
            require(files and all(map(is_plain_name, files)), "a file without a plain name")
            return {"": [path / file for file in files]}
    except (RecursionError, *UNEXPECTED) as error:
        problem = f"not a saved dataset: {type(error).__name__} {error}"
        raise CorpusError(problem, where=str(path), fix=FIX_DATASET) from None
    return {"": [path]}
