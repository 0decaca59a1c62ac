"""Words that distinguish groups: one list of cases for both implementations of log-odds ratios,
wsd/studies/substitutes/sense_substitutes.py and wsd/studies/unlabelled/uses-words.js.

Both use the counts of all words as the prior. The z-scores follow from the formula of Monroe,
Colaresi and Quinn (2008), and are above 1, since the page lists no others.
"""

import math


def z_score(here: int, inside: int, there: int, outside: int) -> float:
    """Return the z-score of a word from counts that include the prior.

    The word occurs ``here`` times among the ``inside`` words of a group, and ``there`` times among
    the ``outside`` words of all other groups.
    """
    ratio = math.log(here / (inside - here)) - math.log(there / (outside - there))
    return ratio / math.sqrt(1 / here + 1 / there)


# Per case the words of each sentence, the group of each sentence, and the expected words per group.
CASES = [
    (
        # "a" occurs 2 times in 3 words of the first group; the prior adds 2 in 5.
        [["a", "a"], ["b"], ["b", "c"]],
        [0, 0, 1],
        [{"a": z_score(4, 8, 2, 7)}, {}],
    ),
    (
        [["a"] * 20, ["b"] * 10],
        [0, 1],
        [{"a": z_score(40, 50, 20, 40)}, {"b": z_score(20, 40, 10, 50)}],
    ),
    (
        [["x"] * 9 + ["y"], ["y"] * 12, ["x", "w", "w", "w", "w"]],
        [0, 1, 2],
        [
            {"x": z_score(19, 37, 11, 44)},
            {"y": z_score(25, 39, 14, 42)},
            {"w": z_score(8, 32, 4, 49)},
        ],
    ),
]
