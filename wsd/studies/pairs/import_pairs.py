"""Import files of pairs with ``wsd import``: as a corpus of pairs, or of senses (``--to-senses``).

A column, or the name of a file, has the split: train, dev or test. Pairs without a split are
cross-validated. The folder is written as a whole or not at all, after everything has been read.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import UNLABELLED
from wsd.artifacts.dataset import OF_PAIRS, SENTENCES
from wsd.corpora.focal_form_check import is_form
from wsd.corpora.importer.focal_word import Sentence
from wsd.corpora.importer.import_summary import log_all, plural
from wsd.corpora.importer.input_formats import FileKind, Request
from wsd.corpora.importer.labelled_sentence import Gathered
from wsd.corpora.importer.write_corpus import start_manifest, write_manifest
from wsd.corpora.text_format import Row, make_corpus
from wsd.corpora.word_names import similar_names
from wsd.errors import ConfigError, CorpusError
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import sha256
from wsd.studies.pairs import pair_columns, pair_files, pair_formats, pairs_to_senses
from wsd.studies.pairs.pair_files import Pair
from wsd.studies.pairs.pair_table import ALL, SPLITS, Pairs, write_pairs

COLUMNS = tuple(pair_columns.NAMES)
SENTENCE_COLUMNS = {"sentence1", "sentence2"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add an option to ``wsd import``."""
    text = "import pairs as a corpus of senses, with the words whose pairs separate two senses"
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
        return pairs_to_senses.read(train, args.test, args.gold, request.options)
    is_other = any(not pair_formats.is_pairs(path) for path in request.files)
    is_other = is_other and not SENTENCE_COLUMNS & request.columns.keys()
    if is_other or args.at_least or args.senses or args.train:
        problem = "pairs cannot be combined with other files, or with options for senses"
        fix = "give only pairs, as FILE, without --at-least and --senses; or add --to-senses"
        raise ConfigError(problem, where="FILE", fix=fix)
    return import_pairs(request)


def import_instead(request: Request) -> list[str] | None:
    """Import tables in which the user names a column of sentences of pairs, and summarize them."""
    named = SENTENCE_COLUMNS & request.columns.keys() and not request.args.to_senses
    return import_pairs(request) if named else None


KIND = FileKind(
    "a file of pairs",
    f"WiC's {pair_formats.DATA}",
    pair_formats.is_pairs,
    options=("--gold", "--to-senses", "--word", "--columns", "--encoding", "--find", "--skip-bad"),
    labels=(".gold.txt", pair_formats.DATA),
    read_together=read_files,
)


def import_pairs(request: Request) -> list[str]:
    """Import the files as a corpus of pairs, and return the lines of the summary.

    Raises
    ------
    ConfigError
        If only some of the pairs have a split, or a rating.
    CorpusError
        Naming file and line.
    """
    gold, pairs = request.args.gold, []
    paths = sorted(request.files, key=lambda path: SPLITS.index(pair_formats.split_of(path)))
    # A single file of a split needs no name, and files of different folders may share one.
    splits = {pair_formats.split_of(path) for path in paths}
    several = len({path.name for path in paths}) > len(splits)
    for path in paths:
        own = pair_files.read(path, request.options, gold)
        for pair in own:
            extra = {**pair.extra, "file": path.name} if several else pair.extra
            pairs.append(pair._replace(extra=extra))
    pairs.sort(key=lambda pair: SPLITS.index(pair.split))
    pairs = _without_contradictions(pairs, request)
    left_out = request.settle(len(pairs))
    _check(pairs, request)
    words = {pair.word for pair in pairs}
    log_all(similar_names(words), "such words")
    table = _table(pairs, request.about)
    counts = _counts(table)
    files = [*paths, *_label_files(paths, gold)]
    facts: dict[str, Any] = {
        "pairs": counts,
        "words": len(words),
        "sentences": len(table.sentences),
        "unlike_their_word": _count_unlike(pairs),
        **({"left_out": left_out} if left_out else {}),
    }
    manifest = start_manifest(request, files, **facts)
    with replacing_folder(request.args.out) as folder:
        write_pairs(folder, table)
        manifest["files"] = {file: sha256(folder / file) for file in OF_PAIRS}
        write_manifest(folder, manifest)
    return list(_summary(table, facts))


def _check(pairs: Sequence[Pair], request: Request) -> None:
    """Refuse pairs of which only some have a split or a rating, and ratings that do not vary."""
    where = ", ".join(map(str, request.files))
    if ALL in (splits := {pair.split for pair in pairs}) and len(splits) > 1:
        first = next(pair for pair in pairs if pair.split == ALL)
        problem = "some pairs have a split, and others have none"
        fix = "name each file after its split, such as train.data.txt, or write a column `split`"
        raise ConfigError(problem, where=first.where, fix=fix)
    if len({pair.is_graded for pair in pairs}) > 1:
        problem, fix = "some pairs have ratings, and others labels", "import them one by one"
        raise ConfigError(problem, where=where, fix=fix)
    for split in splits if pairs[0].is_graded else ():
        ratings = {pair.gold for pair in pairs if pair.split == split and pair.gold == pair.gold}
        if len(ratings) == 1:
            problem = f"all ratings are {ratings.pop():g}, but a correlation needs two"
            fix = "give pairs with different ratings, or name another column: --columns rating=NAME"
            raise CorpusError(problem, where=where, fix=fix)


def _label_files(paths: Sequence[Path], gold: Path | None) -> list[Path]:
    labels = [gold or pair_formats.gold_of(path) for path in paths]
    known = zip(labels, paths, strict=True)
    return [label for label, path in known if label != path and label.exists()]


def _without_contradictions(pairs: Sequence[Pair], request: Request) -> list[Pair]:
    """Return the pairs without those with a second label, or *different* for equal sentences."""
    seen: dict[tuple[str, frozenset[Sentence]], Pair] = {}
    kept = []
    for pair in pairs:
        with request.bad_lines.line():
            sentences = frozenset(pair.sentences)
            first = seen.setdefault((pair.word, sentences), pair)
            if not pair.is_graded and {pair.gold, first.gold} == {0.0, 1.0}:
                label, other = ("FT"[int(gold)] for gold in (pair.gold, first.gold))
                problem = f"the label {label}, but {other} for the same pair in {first.where}"
                raise CorpusError(problem, where=pair.where, fix="keep one of the two")
            if not pair.is_graded and len(sentences) == 1 and pair.gold == 0:
                problem = "the label F for twice the same sentence"
                fix = "correct the pair, or leave it out"
                raise CorpusError(problem, where=pair.where, fix=fix)
            kept.append(pair)
    return kept


def _count_unlike(pairs: Sequence[Pair]) -> int:
    """Count focal words that are spelt unlike their word; across languages, most are."""
    focal = ((pair.word, tokens[position]) for pair in pairs for position, tokens in pair.sentences)
    return sum(not is_form(*both) for both in focal)


def _table(pairs: Sequence[Pair], about: Mapping[str, str]) -> Pairs:
    """Return the pairs of all splits; each different sentence of a split has one row."""
    sentences: list[Row] = []
    ordered: list[Pair] = []
    rows: list[list[int]] = []
    lines: list[int] = []
    for split in SPLITS:
        own = [pair for pair in pairs if pair.split == split]
        n_before = len(sentences)
        row_of: dict[Sentence, int] = {}
        for line, pair in enumerate(own, start=1):
            for sentence in pair.sentences:
                if sentence not in row_of:
                    row_of[sentence] = len(sentences)
                    sentences.append((split, len(sentences) - n_before, *sentence, 0))
            rows.append([row_of[sentence] for sentence in pair.sentences])
            lines.append(line)
        ordered += own
    names = dict.fromkeys(name for pair in ordered for name in pair.extra)
    return Pairs(
        about=about,
        sentences=make_corpus(SENTENCES, UNLABELLED, sentences),
        word=np.array([pair.word for pair in ordered]),
        split=np.array([pair.split for pair in ordered]),
        line=np.array(lines, dtype=np.int32),
        rows=np.array(rows, dtype=np.int32),
        gold=np.array([pair.gold for pair in ordered]),
        is_graded=ordered[0].is_graded,
        extra={name: tuple(pair.extra.get(name, "") for pair in ordered) for name in names},
    )


def _counts(table: Pairs) -> dict[str, dict[str, int]]:
    """Return the manifest's numbers of pairs by split and label."""
    counts = {}
    for split in dict.fromkeys(table.split.tolist()):
        gold = table.gold[table.split == split]
        unknown = int(np.isnan(gold).sum())
        if table.is_graded:
            counts[split] = {"rated": len(gold) - unknown, "unknown": unknown}
        else:
            number = Counter(gold.tolist())
            counts[split] = {"same": number[1], "different": number[0], "unknown": unknown}
    return counts


def _summary(table: Pairs, facts: Mapping[str, Any]) -> Iterator[str]:
    words, sentences = plural(facts["words"], "word"), plural(facts["sentences"], "sentence")
    yield f"{plural(len(table), 'pair')} of {words}, {sentences}"
    for split, number in facts["pairs"].items():
        ratings = table.gold[table.labelled(split)]
        if table.is_graded and len(ratings):
            low, middle, high = np.quantile(ratings, (0, 0.5, 1))
            known = f"ratings from {low:g} to {high:g}, median {middle:g}"
            yield f"{split}: {plural(number['rated'], 'pair')} with {known}"
        elif len(ratings):
            different = f"{number['different']} with different senses"
            yield f"{split}: {plural(number['same'], 'pair')} with the same sense, {different}"
        if number["unknown"]:
            kind = "ratings" if table.is_graded else "labels"
            yield f"{split}: {plural(number['unknown'], 'pair')} without {kind}"
    if number := facts["unlike_their_word"]:
        most = "; except across languages, check the places" if number > len(table) else ""
        yield f"{number} of {2 * len(table)} focal words are spelt unlike their word{most}"
    if table.extra:
        yield f"extra columns: {', '.join(table.extra)}"
    yield from (f"left out: {n} of {reason}" for reason, n in facts.get("left_out", {}).items())
