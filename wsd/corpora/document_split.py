"""Divide documents into training and test documents, with every sense on both sides."""

import hashlib
from collections import Counter
from collections.abc import Mapping

import numpy as np

from wsd.errors import CorpusError

# The cost of a sense that is on one side alone, more than that of all shares together.
MISSING = 10**9
# Attempts if a search ends with a sense on one side alone.
ATTEMPTS = 20


def documents_to_test(
    documents: Mapping[str, Counter[tuple[str, str]]], *, share: float, seed: int
) -> frozenset[str]:
    """Return the documents to test on: about a share of each sense's instances, at least one.

    Documents change sides one after another, in a random order, as long as this brings the senses
    closer to the share. All numbers are integers, so that every machine returns the same.

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
        If no attempt has every sense on both sides.
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
        off = 1000 * test // all_instances - per_mille
        is_missing = (test == 0) | (test == all_instances)
        return int((off * off + MISSING * is_missing).sum())

    for attempt in range(seed, seed + ATTEMPTS):
        order = sorted(
            senses_of, key=lambda name: hashlib.sha256(f"{attempt} {name}".encode()).digest()
        )
        tested: set[str] = set()
        test = np.zeros(len(total), dtype=int)
        changed = True
        while changed:
            changed = False
            for name in order:
                senses, n = senses_of[name]
                now, then = test[senses], test[senses] + (-n if name in tested else n)
                if cost(then, total[senses]) < cost(now, total[senses]):
                    test[senses] = then
                    tested ^= {name}
                    changed = True
        if test.all() and (total - test).all():
            return frozenset(tested)
    word, sense = next(s for s, i in number.items() if test[i] in (0, total[i]))
    problem = f"no division of the documents has the sense {sense!r} of {word!r} on both sides"
    raise CorpusError(problem, fix="ask for more instances of a sense, with the key at_least")
