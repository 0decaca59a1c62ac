"""Find the rows of the full training set that make up the other training sets of CoarseWSD-20.

The other sets repeat sentences of the full one, in another order.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from wsd.arguments import add_corpora, add_files, add_path, writes
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.training_set import TrainingSet, write
from wsd.corpora.download import TRAINS
from wsd.corpora.text_format import Instance, read_classes, read_split
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.storage.file_names import file_name


def read_training_set(source: Path, train: str, corpora: Mapping[str, Corpus]) -> TrainingSet:
    """Find the rows of a training set in the full training set.

    Parameters
    ----------
    source : Path
        The folder of the download.
    train : str
        One of ``TRAINS``; a folder under ``trains``.
    corpora : mapping of word to Corpus
        Words for which the training set has no folder are skipped.

    Raises
    ------
    CorpusError
        Naming file and line, for a malformed file, and for a row that the full training set does
        not have, or has less often.
    """
    folder = source / "trains" / train
    words = [word for word in corpora if (folder / file_name(word)).is_dir()]
    if not words:
        problem = f"no training set {train!r} for {', '.join(corpora)}"
        fix = f"choose among {', '.join(TRAINS)}; some of these do not have every word"
        raise CorpusError(problem, where=str(folder), fix=fix)
    lines = {
        word: _lines(source / file_name(word), folder / file_name(word), corpora[word])
        for word in words
    }
    return TrainingSet(train, lines, {word: corpora[word].digest for word in words})


def _lines(full: Path, part: Path, corpus: Corpus) -> np.ndarray:
    """Return the lines of one word's full training file that ``part`` holds."""
    classes = list(read_classes(full / "classes_map.txt"))
    free: dict[Instance, list[int]] = defaultdict(list)
    for row in np.flatnonzero(corpus.split == "train").tolist():
        place, touching = int(corpus.position[row]), corpus.touching[row] if corpus.touching else ()
        instance = Instance(place, corpus.tokens[row], touching, int(corpus.gold[row]))
        free[instance].append(int(corpus.index[row]))
    lines = []
    for number, instance in enumerate(read_split(part, "train", classes), start=1):
        if not free[instance]:
            problem = f"the full training set of {corpus.word!r} lacks the sentence"
            where, fix = f"{part / 'train.data.txt'}:{number}", "download the corpus again"
            raise CorpusError(problem, where=where, fix=fix)
        lines.append(free[instance].pop(0))
    return np.array(sorted(lines), dtype=np.int32)


def write_training_sets(
    source: Path, corpora: Mapping[str, Corpus], tables: Mapping[str, Path]
) -> None:
    """Find the rows of several training sets, and write the table of each to its path.

    Parameters
    ----------
    source, corpora
        As in :func:`read_training_set`.
    tables : mapping of training set to Path
    """
    for train, path in tables.items():
        training_set = read_training_set(source, train, corpora)
        write(path, training_set)
        rows, words = sum(map(len, training_set.lines.values())), len(training_set.lines)
        log.info("%s: %d rows of %d words, all in the full training set", train, rows, words)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_corpora(parser)
    add_path(parser, "--source", "folder of the download")
    text = "training sets, by name"
    parser.add_argument("--trains", nargs="+", required=True, metavar="TRAIN", help=text)
    add_files(parser, "--out", ".parquet files to write, one for each training set, in their order")
    writes(parser, "out")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if len(args.out) != len(args.trains):
        problem = f"{len(args.out)} files for {len(args.trains)} training sets"
        raise ConfigError(problem, where="--trains, --out", fix="name a file for each")
    tables = dict(zip(args.trains, args.out, strict=True))
    write_training_sets(args.source, read_corpora(args.corpus, args.words), tables)
