"""Import files of pairs with ``wsd import``, as a corpus of pairs.

A column, or the name of a file, has the split: train, dev or test. Pairs without a split are
cross-validated. The folder is written as a whole or not at all, after everything has been read.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.corpus_table import UNLABELLED
from wsd.artifacts.dataset import OF_PAIRS, SENTENCES
from wsd.corpora.find_word import Sentence
from wsd.corpora.focal_form_check import is_form
from wsd.corpora.importer.gathered import log_all, plural
from wsd.corpora.importer.input_formats import FileKind, Request
from wsd.corpora.importer.write_corpus import start_manifest, write_manifest
from wsd.corpora.text_format import Row, make_corpus
from wsd.corpora.word_forms import similar_names
from wsd.errors import ConfigError, CorpusError
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import sha256
from wsd.studies.pairs import pair_reader
from wsd.studies.pairs.pair_reader import Pair, gold_of, is_pairs, split_of
from wsd.studies.pairs.pair_tables import ALL, SPLITS, Pairs, write_pairs

COLUMNS = tuple(pair_reader.NAMES)
SENTENCE_COLUMNS = {"sentence1", "sentence2"}


def import_instead(request: Request) -> list[str] | None:
    """Import tables in which the user names a column of sentences of pairs, and summarize them."""
    return import_pairs(request) if SENTENCE_COLUMNS & request.columns.keys() else None


def import_pairs(request: Request) -> list[str]:
    """Import the files as a corpus of pairs, and return the lines of the summary.

    Raises
    ------
    ConfigError
        If there are other files too, or an option that is only for a corpus of senses; or if only
        some of the pairs have a split, or a rating.
    CorpusError
        Naming file and line.
    """
    args = request.args
    named = SENTENCE_COLUMNS & request.columns.keys()
    is_other = not named and not all(map(is_pairs, request.files))
    if is_other or args.at_least or args.senses or args.train:
        problem = "pairs cannot be combined with other files, or with options for senses"
        fix = "give only pairs, as FILE, without --at-least and --senses"
        raise ConfigError(problem, where="FILE", fix=fix)
    paths = sorted(request.files, key=lambda path: SPLITS.index(split_of(path)))
    # A single file of a split needs no name, and files of different folders may share one.
    several = len({path.name for path in paths}) > len({*map(split_of, paths)})
    pairs = [
        pair._replace(extra={**pair.extra, "file": path.name}) if several else pair
        for path in paths
        for pair in pair_reader.read(path, request.options, args.gold)
    ]
    pairs.sort(key=lambda pair: SPLITS.index(pair.split))
    pairs = _without_contradictions(pairs, request)
    left_out = request.settle(len(pairs))
    _check(pairs, request)
    words = {pair.word for pair in pairs}
    log_all(similar_names(words), "such words")
    table = _table(pairs, request.about)
    counts, lines = _count(table)
    focal = [(pair.word, sentence.word) for pair in pairs for sentence in pair.sentences]
    # Across languages, most are.
    unlike = sum(not is_form(word, form) for word, form in focal)
    sizes = {"words": len(words), "sentences": len(table.sentences)}
    facts: dict[str, Any] = {"pairs": counts, **sizes, "unlike_their_word": unlike}
    facts |= {"left_out": left_out} if left_out else {}
    labels = [args.gold or gold_of(path) for path in paths]
    labels = [label for label in labels if label not in paths and label.exists()]
    manifest = start_manifest(request, [*paths, *labels], **facts)
    with replacing_folder(args.out) as folder:
        write_pairs(folder, table)
        manifest["files"] = {file: sha256(folder / file) for file in OF_PAIRS}
        write_manifest(folder, manifest)
    of_words = f"{plural(len(words), 'word')}, {plural(len(table.sentences), 'sentence')}"
    lines.insert(0, f"{plural(len(table), 'pair')} of {of_words}")
    if unlike:
        most = "; except across languages, check the places" if unlike > len(table) else ""
        text = f"{unlike} of {len(focal)} focal words are spelt unlike their word{most}"
        lines.append(text)
    if table.extra:
        lines.append(f"extra columns: {', '.join(table.extra)}")
    return [*lines, *(f"left out: {n} of {reason}" for reason, n in left_out.items())]


KIND = FileKind(
    "a file of pairs",
    f"WiC's {pair_reader.DATA}",
    is_pairs,
    options=("--gold", "--word", "--columns", "--encoding", "--find", "--skip-bad"),
    labels=(".gold.txt", pair_reader.DATA),
    read_together=import_pairs,
)


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


def _table(pairs: Sequence[Pair], about: Mapping[str, str]) -> Pairs:
    """Return the pairs, which are sorted by split; a sentence of a split has one row."""
    ends = [[(pair.split, sentence) for sentence in pair.sentences] for pair in pairs]
    different = list(dict.fromkeys(chain(*ends)))
    row_of = {sentence: row for row, sentence in enumerate(different)}
    index = _numbers_within(split for split, _ in different)
    rows = [Row(split, i, *own, 0) for (split, own), i in zip(different, index, strict=True)]
    words, _, gold, is_graded, splits, _, extra = zip(*pairs, strict=True)
    names = dict.fromkeys(chain(*extra))
    return Pairs(
        about=about,
        sentences=make_corpus(SENTENCES, UNLABELLED, rows),
        word=np.array(words),
        split=np.array(splits),
        line=np.array(_numbers_within(splits), dtype=np.int32) + 1,
        rows=np.array([[row_of[end] for end in both] for both in ends], dtype=np.int32),
        gold=np.array(gold),
        is_graded=is_graded[0],
        extra={name: tuple(own.get(name, "") for own in extra) for name in names},
    )


def _numbers_within(splits: Iterable[str]) -> list[int]:
    """Return the number of each item among those of its split, from 0."""
    column = pd.Series(splits)
    return column.groupby(column).cumcount().tolist()


def _count(table: Pairs) -> tuple[dict[str, dict[str, int]], list[str]]:
    """Return the manifest's numbers of pairs by split and label, and the lines about them."""
    counts, lines = {}, []
    for split in dict.fromkeys(table.split.tolist()):
        gold = table.gold[table.labelled(split)]
        unknown = int((table.split == split).sum()) - len(gold)
        if table.is_graded:
            known, kind = {"rated": len(gold)}, "ratings"
            low, middle, high = np.quantile(gold, (0, 0.5, 1)) if len(gold) else [np.nan] * 3
            text = f"{plural(len(gold), 'pair')} with ratings from {low:g} to {high:g}, "
            text += f"median {middle:g}"
        else:
            same = int(gold.sum())
            known, kind = {"same": same, "different": len(gold) - same}, "labels"
            text = f"{plural(same, 'pair')} with the same sense, "
            text += f"{len(gold) - same} with different senses"
        counts[split] = {**known, "unknown": unknown}
        lines += [f"{split}: {text}"] if len(gold) else []
        lines += [f"{split}: {plural(unknown, 'pair')} without {kind}"] if unknown else []
    return counts, lines
