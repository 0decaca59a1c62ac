"""Count the corpus sentences in which ``wsd predict`` would find the focal word by itself."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from wsd.artifacts.corpus_table import Corpus, read
from wsd.artifacts.dataset import MANIFEST, OF_PAIRS
from wsd.artifacts.manifest import read_manifest
from wsd.artifacts.run_json import RUN_MAP, SOURCE, TABLES, RunMap, read_listing
from wsd.corpora.known_forms import RULES, KnownForms
from wsd.corpora.word_forms import Finder
from wsd.errors import WsdError


def count_found(finder: Finder, sentences: Iterable[tuple[Sequence[str], int]]) -> Counter[str]:
    """Look for the focal word of each sentence, given as tokens and a position.

    Returns
    -------
    Counter
        The number of ``sentences``, of sentences ``with_word`` (the focal word is found), and of
        sentences with ``several`` occurrences.
    """
    count = Counter[str]()
    for tokens, position in sentences:
        occurrences = finder.find(" ".join(tokens))
        start = len(" ".join([*tokens[:position], ""]))
        span = start, start + len(tokens[position])
        is_found = any((match.start, match.end) == span for match in occurrences)
        count.update(sentences=1, with_word=is_found, several=len(occurrences) > 1)
    return count


def found_in_test(corpus: Corpus, known: KnownForms = RULES) -> Counter[str]:
    """Apply :func:`count_found` to a word's test sentences, with the forms of its training set."""
    finder = known.finder_of([corpus.word], {corpus.word: corpus.forms})
    rows = np.flatnonzero(corpus.split == "test")
    return count_found(finder, ((corpus.tokens[i], int(corpus.position[i])) for i in rows))


def _known_forms(files: RunMap) -> KnownForms:
    """Return the forms and the language that the manifest of a run's corpus names."""
    manifest = files.file(SOURCE).with_suffix("") / MANIFEST if files.has(SOURCE) else None
    if manifest is None or not manifest.exists():
        return RULES
    dataset = read_manifest(manifest)
    return KnownForms(dataset.language, dataset.forms)


def found_words(tables: Iterable[Path], leave_out: Collection[Path]) -> Iterator[str]:
    """Yield a line per run with the number of test sentences whose focal word is found.

    Parameters
    ----------
    tables : iterable of Path
        The folders of the runs' tables.
    leave_out : collection of Path
        Damaged files.
    """
    count = cache(lambda path, known: found_in_test(read(path), known))
    damaged = {path.absolute() for path in leave_out}
    for folder in tables:
        try:
            files = RunMap(folder / RUN_MAP)
            listing, known = files.file(f"corpus/{TABLES}"), _known_forms(files)
            paths = [listing.parent / name for name in read_listing(listing)]
        except WsdError:
            continue
        if {path.name for path in paths} >= {*OF_PAIRS}:  # these sentences share no word
            continue
        total = sum((count(path, known) for path in paths if path not in damaged), Counter[str]())
        if n := total["sentences"]:
            number = f"{total['with_word']:,} of {n:,} test sentences"
            yield f"{folder}: finds the focal word in {number}"
