"""From WiC's files to a folder with a corpus of pairs, and a manifest.

The split is the file's name: ``train.data.txt``, ``dev.data.txt``, ``test.data.txt``, each with
its ``.gold.txt`` beside it; ``test`` may come without. The folder is written whole or not at all,
after everything was read.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import numpy as np

from wsd.artifacts.corpus_table import UNLABELLED, Corpus
from wsd.artifacts.dataset import FORMAT, MANIFEST, OF_PAIRS, SENTENCES
from wsd.artifacts.pair_table import DIFFERENT, SAME, SPLITS, UNKNOWN, Pairs, write_pairs
from wsd.corpora.focal_form_check import ANY_FORM, FIX_ANY_FORM, PlaceCheck, is_form
from wsd.corpora.importer import wic
from wsd.corpora.importer.focal_word import Sentence
from wsd.corpora.importer.import_summary import as_yaml, first
from wsd.corpora.importer.labelled_sentence import labelled
from wsd.corpora.inflection import forms
from wsd.corpora.word_names import alike
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import sha256

LABELS = {True: SAME, False: DIFFERENT, None: UNKNOWN}


def import_pairs(
    files: Sequence[Path],
    gold: Path | None,
    out: Path,
    about: Mapping[str, str],
    *,
    any_form: bool = False,
) -> str:
    """Import the files of pairs, and say in a few lines what came of it.

    Parameters
    ----------
    files : sequence of Path
    gold : Path or None
        The labels, where they do not lie beside the one file.
    out : Path
        The folder to make.
    about : mapping of str to str
        As in :class:`wsd.artifacts.pair_table.Pairs`.
    any_form : bool
        Whether the focal words are meant, though they are not forms of their words.

    Raises
    ------
    ConfigError
        For a file whose name is no split, a split twice, or none to train on.
    CorpusError
        Naming file and line.
    """
    splits: dict[str, Path] = {}
    for path in files:
        split = path.name.lower().removesuffix(wic.DATA)
        if split not in SPLITS or split in splits:
            what = f"the pairs of {path.name}: {'a split twice' if split in splits else 'no split'}"
            fix = f"name a file each {', '.join(f'{name}{wic.DATA}' for name in SPLITS)}"
            raise ConfigError(what, where=str(path), fix=fix)
        splits[split] = path
    if "train" not in splits:
        fix = f"give train{wic.DATA} too: thresholds are set on it"
        raise ConfigError("no pairs to train on", where="FILE", fix=fix)
    splits = {split: splits[split] for split in SPLITS if split in splits}
    labels = {split: gold or wic.gold_of(path) for split, path in splits.items()}
    if "test" in labels and not labels["test"].exists():
        del labels["test"]
    found = {
        split: list(checked(wic.labelled_pairs(path, labels.get(split))))
        for split, path in splits.items()
    }
    _check_contradictions(chain.from_iterable(found.values()))
    if not any_form:
        places = PlaceCheck()
        for pair in chain.from_iterable(found.values()):
            places.add(pair.word, *pair.first, pair.where)
            places.add(pair.word, *pair.second, pair.where)
        places.report(", ".join(map(str, files)), FIX_ANY_FORM)
    for line in first(alike(pair.word for of in found.values() for pair in of), "such words"):
        log.info(line)
    pairs = _gathered(found, about)
    counts = {split: Counter(pair.same for pair in of) for split, of in found.items()}
    words = len(set(pairs.word.tolist()))
    manifest = {
        "format": FORMAT,
        **about,
        **({ANY_FORM: True} if any_form else {}),
        "imported": [
            {"file": str(path), "sha256": sha256(path)}
            for path in (*splits.values(), *labels.values())
        ],
        "pairs": {
            split: {"same": of[True], "different": of[False], "unknown": of[None]}
            for split, of in counts.items()
        },
        "words": words,
        "sentences": len(pairs.sentences),
        "version": version("wsd"),
    }
    with replacing_folder(out) as made:
        write_pairs(made, pairs)
        manifest["files"] = {file: sha256(made / file) for file in OF_PAIRS}
        text = json.dumps(manifest, indent=2, ensure_ascii=False)
        (made / MANIFEST).write_text(f"{text}\n", encoding="utf-8", newline="\n")
    lines = [
        f"{_number(len(pairs))} of {words} word{'s' if words > 1 else ''}, "
        f"{len(pairs.sentences)} sentences",
        *(f"{split}: {_said(of)}" for split, of in counts.items()),
        f"written to {out}; in a config:",
        f"  dataset: {{ name: {as_yaml(about['name'])}, path: {as_yaml(str(out))} }}",
    ]
    return "\n".join(lines)


def _said(counts: Counter[bool | None]) -> str:
    if counts[None]:
        return f"{_number(counts[None])} without labels"
    return f"{_number(counts[True])} of one sense, {counts[False]} of two"


def _number(pairs: int) -> str:
    return f"{pairs} pair{'s' if pairs != 1 else ''}"


def checked(pairs: Iterator[wic.Pair]) -> Iterator[wic.Pair]:
    """The pairs, each with a form of its word, or a focal word spelt like it, in one sentence."""
    for pair in pairs:
        # Refuses what cannot be seen, or is no Unicode.
        for sentence in (pair.first, pair.second):
            labelled(pair.where, pair.word, pair.word, sentence)
        there = {token.casefold() for _, tokens in (pair.first, pair.second) for token in tokens}
        focal = (tokens[at] for at, tokens in (pair.first, pair.second))
        may_be_form = any(is_form(pair.word, form) for form in focal)
        if there.isdisjoint(forms(pair.word)) and not may_be_form:
            what = f"no form of {pair.word!r} in either sentence"
            raise CorpusError(what, where=pair.where, fix="correct the line, or leave it out")
        yield pair


def _check_contradictions(pairs: Iterable[wic.Pair]) -> None:
    """Refuse a pair that has two labels, or a sentence that has two senses compared with itself."""
    seen: dict[tuple[str, frozenset[Sentence]], wic.Pair] = {}
    for pair in pairs:
        both = frozenset((pair.first, pair.second))
        first = seen.setdefault((pair.word, both), pair)
        if pair.same is None or first.same is None:
            continue
        if first.same != pair.same:
            what = f"the label {'FT'[pair.same]}, but {'FT'[first.same]} for the same pair in"
            raise CorpusError(f"{what} {first.where}", where=pair.where, fix="keep one of the two")
        if len(both) == 1 and not pair.same:
            what, fix = "the label F for a sentence and itself", "correct the pair, or leave it out"
            raise CorpusError(what, where=pair.where, fix=fix)


def _gathered(found: Mapping[str, Sequence[wic.Pair]], about: Mapping[str, str]) -> Pairs:
    """The pairs of all splits; a sentence that several pairs of a split have stands once."""
    rows: dict[tuple[str, Sentence], int] = {}
    index: list[int] = []
    columns = []
    for split, pairs in found.items():
        before = len(rows)
        for line, pair in enumerate(pairs, start=1):
            both = []
            for sentence in (pair.first, pair.second):
                row = rows.setdefault((split, sentence), len(rows))
                if row == len(index):
                    index.append(row - before)
                both.append(row)
            columns.append((pair.word, split, line, both, LABELS[pair.same]))
    word, of_split, lines, both_rows, same = zip(*columns, strict=True)
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
        word=np.array(word),
        split=np.array(of_split),
        line=np.array(lines, dtype=np.int32),
        rows=np.array(both_rows, dtype=np.int32),
        same=np.array(same, dtype=np.int8),
    )
