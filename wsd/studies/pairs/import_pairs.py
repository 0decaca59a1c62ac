"""Import files of WiC with ``wsd import``, as a corpus of pairs or with ``--to-senses`` of senses.

The name of a file is its split: ``train.data.txt``, ``dev.data.txt``, ``test.data.txt``. Next to
each is its ``.gold.txt``; ``test`` may come without. The folder is written as a whole or not at
all, after everything has been read.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from wsd.artifacts.corpus_table import UNLABELLED, Corpus
from wsd.artifacts.dataset import OF_PAIRS, SENTENCES
from wsd.corpora.focal_form_check import FormCheck, is_form
from wsd.corpora.importer.file_kinds import FileKind, Request
from wsd.corpora.importer.focal_word import Sentence
from wsd.corpora.importer.import_summary import log_all, plural
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.corpora.importer.write_corpus import check_forms, start_manifest, write_manifest
from wsd.corpora.inflection import forms
from wsd.corpora.word_names import similar_names
from wsd.errors import ConfigError, CorpusError
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import sha256
from wsd.studies.pairs import pairs_to_senses, wic
from wsd.studies.pairs.pair_table import DIFFERENT, SAME, SPLITS, UNKNOWN, Pairs, write_pairs

LABELS = {True: SAME, False: DIFFERENT, None: UNKNOWN}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add an option to ``wsd import``."""
    text = "of WiC's pairs: the words whose pairs tell senses apart, as a corpus of senses"
    parser.add_argument("--to-senses", action="store_true", help=text)


def read_files(request: Request) -> tuple[Gathered, Gathered] | list[str]:
    """Read files of pairs as senses, or import them as pairs and return the summary.

    Raises
    ------
    ConfigError
        If there are other files too, or an option that only a corpus of senses has.
    """
    args = request.args
    if args.to_senses:
        train = [path for path in request.files if path not in args.test]
        return pairs_to_senses.read(train, args.test, args.gold)
    is_other = any(not _is_wic(path) for path in request.files)
    if is_other or args.at_least or args.senses or args.train:
        fix = "give pairs alone, as FILE, without --at-least and --senses; or --to-senses"
        raise ConfigError("pairs are a corpus of their own", where="FILE", fix=fix)
    return import_pairs(request)


def _is_wic(path: Path) -> bool:
    return path.name.lower().endswith(wic.DATA)


KIND = FileKind(
    "the .data.txt of WiC",
    f"WiC's {wic.DATA}",
    _is_wic,
    options=("--gold", "--to-senses"),
    labels=(wic.GOLD, wic.DATA),
    read_together=read_files,
)


def import_pairs(request: Request) -> list[str]:
    """Import the files as a corpus of pairs, and return the lines of the summary.

    Raises
    ------
    ConfigError
        For a file whose name is no split, a split that is there twice, or no file to train on.
    CorpusError
        Naming file and line.
    """
    splits = _by_split(request.files)
    labels = {split: request.args.gold or wic.gold_of(path) for split, path in splits.items()}
    if "test" in labels and not labels["test"].exists():
        del labels["test"]
    pairs_of = {
        split: list(checked(wic.labelled_pairs(path, labels.get(split))))
        for split, path in splits.items()
    }
    all_pairs = list(chain.from_iterable(pairs_of.values()))
    _check_contradictions(all_pairs)
    focal_words = FormCheck()
    for pair in all_pairs:
        focal_words.add(pair.word, *pair.first, pair.where)
        focal_words.add(pair.word, *pair.second, pair.where)
    check_forms(focal_words, request)
    words = {pair.word for pair in all_pairs}
    log_all(similar_names(words), "such words")
    table = _table(pairs_of, request.about)
    counts = {split: Counter(pair.same for pair in pairs) for split, pairs in pairs_of.items()}
    manifest = start_manifest(
        request,
        [*splits.values(), *labels.values()],
        pairs={
            split: {"same": number[True], "different": number[False], "unknown": number[None]}
            for split, number in counts.items()
        },
        words=len(words),
        sentences=len(table.sentences),
    )
    with replacing_folder(request.args.out) as folder:
        write_pairs(folder, table)
        manifest["files"] = {file: sha256(folder / file) for file in OF_PAIRS}
        write_manifest(folder, manifest)
    total = f"{plural(len(table), 'pair')} of {plural(len(words), 'word')}"
    return [
        f"{total}, {len(table.sentences)} sentences",
        *(f"{split}: {_count(number)}" for split, number in counts.items()),
    ]


def _by_split(files: Sequence[Path]) -> dict[str, Path]:
    """Return each split's file, in the order of the splits."""
    splits: dict[str, Path] = {}
    for path in files:
        split = path.name.lower().removesuffix(wic.DATA)
        if split not in SPLITS or split in splits:
            problem = "a split twice" if split in splits else "no split"
            fix = f"name a file each {', '.join(f'{name}{wic.DATA}' for name in SPLITS)}"
            raise ConfigError(f"the pairs of {path.name}: {problem}", where=str(path), fix=fix)
        splits[split] = path
    if "train" not in splits:
        fix = f"give train{wic.DATA} too: thresholds are set on it"
        raise ConfigError("no pairs to train on", where="FILE", fix=fix)
    return {split: splits[split] for split in SPLITS if split in splits}


def _count(number: Counter[bool | None]) -> str:
    if number[None]:
        return f"{plural(number[None], 'pair')} without labels"
    return f"{plural(number[True], 'pair')} of one sense, {number[False]} of two"


def checked(pairs: Iterable[wic.Pair]) -> Iterator[wic.Pair]:
    """Yield the pairs; refuse one without a form of its word, or a similar focal word."""
    for pair in pairs:
        sentences = pair.first, pair.second
        for sentence in sentences:
            # Refuses invisible characters and invalid Unicode.
            labelled(pair.where, pair.word, pair.word, sentence)
        tokens = {token.casefold() for _, tokens in sentences for token in tokens}
        is_any_form = any(is_form(pair.word, tokens[position]) for position, tokens in sentences)
        if tokens.isdisjoint(forms(pair.word)) and not is_any_form:
            problem = f"no form of {pair.word!r} in either sentence"
            raise CorpusError(problem, where=pair.where, fix="correct the line, or leave it out")
        yield pair


def _check_contradictions(pairs: Iterable[wic.Pair]) -> None:
    """Refuse a pair that has two labels, or the label F for a sentence and itself."""
    seen: dict[tuple[str, frozenset[Sentence]], wic.Pair] = {}
    for pair in pairs:
        sentences = frozenset((pair.first, pair.second))
        first = seen.setdefault((pair.word, sentences), pair)
        if pair.same is None or first.same is None:
            continue
        if first.same != pair.same:
            problem = f"the label {'FT'[pair.same]}, but {'FT'[first.same]} for the same pair in"
            fix = "keep one of the two"
            raise CorpusError(f"{problem} {first.where}", where=pair.where, fix=fix)
        if len(sentences) == 1 and not pair.same:
            problem = "the label F for a sentence and itself"
            fix = "correct the pair, or leave it out"
            raise CorpusError(problem, where=pair.where, fix=fix)


def _table(pairs_of: Mapping[str, Sequence[wic.Pair]], about: Mapping[str, str]) -> Pairs:
    """Return the pairs of all splits; each sentence of a split is one row."""
    rows: dict[tuple[str, Sentence], int] = {}
    index: list[int] = []
    columns = []
    for split, pairs in pairs_of.items():
        before = len(rows)
        for line, pair in enumerate(pairs, start=1):
            pair_rows = []
            for sentence in (pair.first, pair.second):
                row = rows.setdefault((split, sentence), len(rows))
                if row == len(index):
                    index.append(row - before)
                pair_rows.append(row)
            columns.append((pair.word, split, line, pair_rows, LABELS[pair.same]))
    words, splits, lines, all_rows, same = zip(*columns, strict=True)
    sentences = Corpus(
        word=SENTENCES,
        senses=UNLABELLED,
        split=np.array([split for split, _ in rows]),
        index=np.array(index, dtype=np.int32),
        tokens=tuple(tokens for _, (_, tokens) in rows),
        position=np.array([position for _, (position, _) in rows], dtype=np.int32),
        gold=np.zeros(len(rows), dtype=np.int32),
    )
    return Pairs(
        about=about,
        sentences=sentences,
        word=np.array(words),
        split=np.array(splits),
        line=np.array(lines, dtype=np.int32),
        rows=np.array(all_rows, dtype=np.int32),
        same=np.array(same, dtype=np.int8),
    )
