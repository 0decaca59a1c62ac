"""Divide documents into training and test documents, with every sense in both groups."""

import hashlib
from collections import Counter
from collections.abc import Mapping

import numpy as np

from wsd.errors import CorpusError

# The cost of a sense that is in one group only: more than all other costs together.
MISSING = 10**9
# The most searches. Another one starts if a sense is still in one group only.
ATTEMPTS = 20


def documents_to_test(
    documents: Mapping[str, Counter[tuple[str, str]]], *, share: float, seed: int
) -> frozenset[str]:
    """Return the test documents, which have about the given share of each sense's instances.

    Documents change groups one after another, in a random order, as long as this brings the senses
    closer to the share. All numbers are integers, so that every machine returns the same result.

    Parameters
    ----------
    documents : mapping of name to counts of (word, sense)
        Every sense is in at least two documents.
    share : float
        Between 0 and 1.
    seed : int

    Raises
    ------
    CorpusError
        If no search ends with every sense in both groups.
    """
    totals = Counter[tuple[str, str]]()
    for counts in documents.values():
        totals.update(counts)
    number = {sense: i for i, sense in enumerate(totals)}
    total = np.array(list(totals.values()))
    senses_of = {
        name: (np.array([number[s] for s in counts], dtype=int), np.array(list(counts.values())))
        for name, counts in documents.items()
        if counts
    }
    per_mille = round(1000 * share)

    def cost(test: np.ndarray, all_instances: np.ndarray) -> int:
        deviation = 1000 * test // all_instances - per_mille
        is_missing = (test == 0) | (test == all_instances)
        return int((deviation * deviation + MISSING * is_missing).sum())

    for attempt in range(seed, seed + ATTEMPTS):
        digests = {
            name: hashlib.sha256(f"{attempt} {name}".encode()).digest() for name in senses_of
        }
        tested: set[str] = set()
        test = np.zeros(len(total), dtype=int)
        changed = True
        while changed:
            changed = False
            for name in sorted(digests, key=digests.__getitem__):
                senses, n = senses_of[name]
                before, after = test[senses], test[senses] + (-n if name in tested else n)
                if cost(after, total[senses]) < cost(before, total[senses]):
                    test[senses] = after
                    tested ^= {name}
                    changed = True
        if test.all() and (total - test).all():
            return frozenset(tested)
    word, sense = next(s for s, i in number.items() if test[i] in (0, total[i]))
    problem = f"no division has the sense {sense!r} of {word!r} in training and test documents"
    raise CorpusError(problem, fix="require more instances of a sense, with the key at_least")
