"""Decisions from bytes, and two uses of them: damaged JSON values and damaged tables."""

import copy
import math
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")

NASTY: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**63, -(2**63), 10**30, 0.5, 1.0, -0.0, 1e308,
    math.nan, math.inf, "", "0", "1", "-1", "a", "crane", "../x", "\x1b[31m", "\x00", "\ud800",
    "é", "e\u0301", "=1+1", "x" * 400, [], [0], ["a"], [[]], [None], {}, {"a": 1}, {"": None},
    [1, 2, 3], ["crane_bird", "crane_machine"], "crane_bird", "test", "train", "nan", "1e400",
)  # fmt: skip


class Choices:
    """A stream of decisions; past its end every decision is the first option."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def number(self, below: int) -> int:
        """A number from 0 up, of two bytes if one is too few."""
        width = 1 if below <= 256 else 2
        result = self._data[self._at : self._at + width]
        self._at += width
        return int.from_bytes(result, "little") % max(1, below)

    def pick(self, options: Sequence[T]) -> T:
        return options[self.number(len(options))]

    @property
    def done(self) -> bool:
        return self._at >= len(self._data)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return every path in a JSON value, the value itself first."""
    results = [path]
    if isinstance(value, dict):
        for key in value:
            results += places(value[key], (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value[:6]):
            results += places(item, (*path, i))
    return results


def damaged(value: Any, choices: Choices) -> Any:
    """Replace, remove or add one to three parts of a JSON value."""
    value = copy.deepcopy(value)
    for _ in range(1 + choices.number(3)):
        path = choices.pick(places(value))
        change = choices.number(6)
        if not path:
            if change == 5:
                value = copy.deepcopy(choices.pick(NASTY))
            continue
        parent = value
        for key in path[:-1]:
            parent = parent[key]
        key = path[-1]
        if change == 0:
            del parent[key]
        elif change == 1 and isinstance(parent, dict):
            parent[choices.pick(("", "x", "0", "auto_map", *map(str, parent)))] = copy.deepcopy(
                parent[key]
            )
        elif change == 1:
            parent.insert(key, copy.deepcopy(parent[key]))
        elif change == 2 and isinstance(parent[key], int | float):
            parent[key] = parent[key] + choices.pick((1, -1, 0.0, 0.5, 2**32))
        elif change == 3:
            parent[key] = [parent[key]]
        else:
            parent[key] = copy.deepcopy(choices.pick(NASTY))
    return value
