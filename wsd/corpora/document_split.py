"""Divides documents so that no text is on both sides and every sense is."""

import hashlib
from collections import Counter
from collections.abc import Mapping

import numpy as np

from wsd.errors import CorpusError

# A sense that is on one side alone weighs more than all shares together.
MISSING = 10**9
# Drawn anew where a search ends with a sense on one side.
ATTEMPTS = 20


def documents_to_test(
    documents: Mapping[str, Counter[tuple[str, str]]], *, share: float, seed: int
) -> frozenset[str]:
    """The documents to test on: of every sense about a share of its instances, at least one.

    Documents change sides, one after the other in an order that is drawn, while that brings the
    senses nearer to the share; whole numbers throughout, so that every machine finds the same.

    Parameters
    ----------
    documents : mapping of name to counts of (word, sense)
        Every sense stands in two documents or more.
    share : float
        Between 0 and 1.
    seed : int

    Raises
    ------
    CorpusError
        If there is a sense that no division that was found has on both sides.
    """
    totals: Counter[tuple[str, str]] = Counter()
    for senses_of_document in documents.values():
        totals.update(senses_of_document)
    number = {sense: i for i, sense in enumerate(totals)}
    total = np.array(list(totals.values()))
    own = {
        name: (np.array([number[s] for s in of], dtype=int), np.array(list(of.values())))
        for name, of in documents.items()
        if of
    }
    per_mille = round(1000 * share)

    def cost(test: np.ndarray, of: np.ndarray) -> int:
        off = 1000 * test // of - per_mille
        return int((off * off + MISSING * ((test == 0) | (test == of))).sum())

    for attempt in range(seed, seed + ATTEMPTS):
        order = sorted(own, key=lambda name: hashlib.sha256(f"{attempt} {name}".encode()).digest())
        taken: set[str] = set()
        test = np.zeros(len(total), dtype=int)
        changed = True
        while changed:
            changed = False
            for name in order:
                senses, n = own[name]
                now, then = test[senses], test[senses] + (-n if name in taken else n)
                if cost(then, total[senses]) < cost(now, total[senses]):
                    test[senses] = then
                    taken ^= {name}
                    changed = True
        if test.all() and (total - test).all():
            return frozenset(taken)
    word, sense = next(s for s, i in number.items() if test[i] in (0, total[i]))
    what = f"no division of the documents has the sense {sense!r} of {word!r} on both sides"
    raise CorpusError(what, fix="ask for more instances of a sense, with the key at_least")
