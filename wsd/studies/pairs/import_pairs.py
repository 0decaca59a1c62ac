"""Import files of WiC with ``wsd import``: as a corpus of pairs, or of senses (``--to-senses``).

The name of a file is its split: ``train.data.txt``, ``dev.data.txt``, ``test.data.txt``. Each has a
``.gold.txt`` next to it, which only ``test`` may lack. The folder is written as a whole or not at
all, after everything has been read.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import UNLABELLED
from wsd.artifacts.dataset import OF_PAIRS, SENTENCES
from wsd.corpora.focal_form_check import FormCheck, is_form
from wsd.corpora.importer.focal_word import Sentence
from wsd.corpora.importer.import_summary import log_all, plural
from wsd.corpora.importer.input_formats import FileKind, Request
from wsd.corpora.importer.labelled_sentence import Gathered, labelled
from wsd.corpora.importer.write_corpus import check_forms, start_manifest, write_manifest
from wsd.corpora.inflection import forms
from wsd.corpora.text_format import Row, make_corpus
from wsd.corpora.word_names import similar_names
from wsd.errors import ConfigError, CorpusError
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import sha256
from wsd.studies.pairs import pairs_to_senses, wic
from wsd.studies.pairs.pair_table import DIFFERENT, SAME, SPLITS, UNKNOWN, Pairs, write_pairs

LABELS = {True: SAME, False: DIFFERENT, None: UNKNOWN}
LABEL_NAMES = {True: "same", False: "different", None: "unknown"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add an option to ``wsd import``."""
    text = "import WiC as a corpus of senses, with the words whose pairs separate two senses"
    parser.add_argument("--to-senses", action="store_true", help=text)


def read_files(request: Request) -> tuple[Gathered, Gathered] | list[str]:
    """Read files of pairs as senses, or import them as pairs and return the summary.

    Raises
    ------
    ConfigError
        If there are other files too, or an option that is only for a corpus of senses.
    """
    args = request.args
    if args.to_senses:
        train = [path for path in request.files if path not in args.test]
        return pairs_to_senses.read(train, args.test, args.gold)
    is_other = any(not _is_wic(path) for path in request.files)
    if is_other or args.at_least or args.senses or args.train:
        problem = "pairs cannot be combined with other files, or with options for senses"
        fix = "give only pairs, as FILE, without --at-least and --senses; or add --to-senses"
        raise ConfigError(problem, where="FILE", fix=fix)
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
        For a file whose name is no split, two files of a split, or no file to train on.
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
        for sentence in pair.sentences:
            focal_words.add(pair.word, *sentence, pair.where)
    check_forms(focal_words, request)
    words = {pair.word for pair in all_pairs}
    log_all(similar_names(words), "such words")
    table = _table(pairs_of, request.about)
    counts = {}
    for split, pairs in pairs_of.items():
        number = Counter(pair.same for pair in pairs)
        counts[split] = {name: number[label] for label, name in LABEL_NAMES.items()}
    n_sentences = len(table.sentences)
    files = [*splits.values(), *labels.values()]
    facts: dict[str, Any] = {"pairs": counts, "words": len(words), "sentences": n_sentences}
    manifest = start_manifest(request, files, **facts)
    with replacing_folder(request.args.out) as folder:
        write_pairs(folder, table)
        manifest["files"] = {file: sha256(folder / file) for file in OF_PAIRS}
        write_manifest(folder, manifest)
    return [
        f"{plural(len(table), 'pair')} of {plural(len(words), 'word')}, {n_sentences} sentences",
        *(
            f"{split}: {plural(number['unknown'], 'pair')} without labels"
            if number["unknown"]
            else f"{split}: {plural(number['same'], 'pair')} with the same sense, "
            f"{number['different']} with different senses"
            for split, number in counts.items()
        ),
    ]


def _by_split(files: Sequence[Path]) -> dict[str, Path]:
    """Return each split's file, in the order of the splits."""
    splits: dict[str, Path] = {}
    for path in files:
        split = path.name.lower().removesuffix(wic.DATA)
        if split not in SPLITS or split in splits:
            problem = "has the same split as another" if split in splits else "names no split"
            fix = f"give at most one file each: {', '.join(f'{s}{wic.DATA}' for s in SPLITS)}"
            raise ConfigError(f"the file {path.name} {problem}", where=str(path), fix=fix)
        splits[split] = path
    if "train" not in splits:
        fix = f"give train{wic.DATA} too: thresholds are set on it"
        raise ConfigError("no pairs to train on", where="FILE", fix=fix)
    return {split: splits[split] for split in SPLITS if split in splits}


def checked(pairs: Iterable[wic.Pair]) -> Iterator[wic.Pair]:
    """Yield the pairs; refuse a pair in which neither sentence has a form of its word."""
    for pair in pairs:
        for sentence in pair.sentences:
            # Refuses invisible characters and invalid Unicode.
            labelled(pair.where, pair.word, pair.word, sentence)
        tokens = {token.casefold() for _, tokens in pair.sentences for token in tokens}
        is_any_form = any(is_form(pair.word, tokens[i]) for i, tokens in pair.sentences)
        if tokens.isdisjoint(forms(pair.word)) and not is_any_form:
            problem = f"no form of {pair.word!r} in either sentence"
            raise CorpusError(problem, where=pair.where, fix="correct the line, or leave it out")
        yield pair


def _check_contradictions(pairs: Iterable[wic.Pair]) -> None:
    """Refuse a pair that has two labels, or the label F for twice the same sentence."""
    seen: dict[tuple[str, frozenset[Sentence]], wic.Pair] = {}
    for pair in pairs:
        sentences = frozenset(pair.sentences)
        first = seen.setdefault((pair.word, sentences), pair)
        if pair.same is None or first.same is None:
            continue
        if first.same != pair.same:
            label, other = "FT"[pair.same], "FT"[first.same]
            problem = f"the label {label}, but {other} for the same pair in {first.where}"
            raise CorpusError(problem, where=pair.where, fix="keep one of the two")
        if len(sentences) == 1 and not pair.same:
            problem = "the label F for twice the same sentence"
            fix = "correct the pair, or leave it out"
            raise CorpusError(problem, where=pair.where, fix=fix)


def _table(pairs_of: Mapping[str, Sequence[wic.Pair]], about: Mapping[str, str]) -> Pairs:
    """Return the pairs of all splits; each different sentence of a split has one row."""
    sentences: list[Row] = []
    columns = []
    for split, pairs in pairs_of.items():
        n_before = len(sentences)
        row_of: dict[Sentence, int] = {}
        for line, pair in enumerate(pairs, start=1):
            for sentence in pair.sentences:
                if sentence not in row_of:
                    row_of[sentence] = len(sentences)
                    sentences.append((split, len(sentences) - n_before, *sentence, 0))
            rows = [row_of[sentence] for sentence in pair.sentences]
            columns.append((pair.word, split, line, rows, LABELS[pair.same]))
    words, splits, lines, all_rows, same = zip(*columns, strict=True)
    return Pairs(
        about=about,
        sentences=make_corpus(SENTENCES, UNLABELLED, sentences),
        word=np.array(words),
        split=np.array(splits),
        line=np.array(lines, dtype=np.int32),
        rows=np.array(all_rows, dtype=np.int32),
        same=np.array(same, dtype=np.int8),
    )
