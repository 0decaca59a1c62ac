"""What a model would say in the word's place, as a word's page has it."""

from typing import Any

import numpy as np

from wsd.artifacts.substitute_table import SEEN, Substitutes, shown
from wsd.artifacts.view_names import MASKED
from wsd.report.pages.render import encode
from wsd.report.pages.report_data import Report

# Beside a sense, at most.
MOST = 6
# Standard deviations from which on a substitute is said to set a sense apart.
APART = 1.96


def telling(report: Report, model: str, word: str, sense: str) -> list[str]:
    """The substitutes that set a sense apart, the strongest first."""
    rows = report.rows("substitutes", model=model, word=word, sense=sense, input=MASKED)
    rows = rows[rows["z"] >= APART].sort_values("rank", kind="stable")
    return [shown(piece) for piece in rows["piece"]][:MOST]


def packed_substitutes(found: Substitutes, order: np.ndarray) -> dict[str, Any]:
    """The instances' substitutes in an order: numbers of pieces, probabilities in 250 steps.

    An instance has as many as any has; where it has fewer, the largest number stands.
    """
    names: dict[str, int] = {}
    packed: dict[str, Any] = {}
    nothing = np.iinfo(np.uint32).max
    for seen in SEEN:
        of = found.fillers[seen]
        most = max(map(len, of.pieces), default=0)
        numbers = np.full((len(order), most), nothing, dtype=np.uint32)
        probabilities = np.zeros((len(order), most))
        for i, row in enumerate(order):
            pieces = [shown(piece) for piece in of.pieces[row]]
            numbers[i, : len(pieces)] = [names.setdefault(one, len(names)) for one in pieces]
            probabilities[i, : len(pieces)] = of.probabilities[row]
        percents = np.round(probabilities * 250).clip(0, 250)
        packed[seen] = {
            "most": most,
            "pieces": encode(numbers, "<u4"),
            "probabilities": encode(percents, "u1"),
        }
    return {"names": list(names), **packed}
