"""Count the corpus sentences in which ``wsd predict`` would find the focal word by itself."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.corpora.find_word import RULES, Finder, KnownForms


def count_found(finder: Finder, sentences: Iterable[tuple[Sequence[str], int]]) -> Counter[str]:
    """Count sentences (tokens and a position), those in which the word is found, or several."""
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
    finder = known.finder(corpus.word, *corpus.forms)
    rows = np.flatnonzero(corpus.split == "test")
    return count_found(finder, ((corpus.tokens[i], int(corpus.position[i])) for i in rows))
