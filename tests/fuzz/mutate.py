"""New inputs from old ones: a simple mutation loop that depends only on the seed.

Some changes keep the text a JSON value, so that more than the JSON parser is reached.
"""

import copy
import json
import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

SEPARATOR = b"\n%%%%\n"  # between the files of an input that is several
ODD: tuple[bytes, ...] = (
    b"", b"\n", b"\r\n", b"\t", b" ", b"\x00", b"\xff", b"\xef\xbb\xbf", "\u2028".encode(),
    "\u00a0".encode(), b"-", b"-1", b"0", b"1", b"999999999", b"1e999", b"NaN", b"\x1b[31m",
    "\u202e".encode(), b"..", b"/", b"{", b"}", b"[", b"]", b'"', b":", b",", b"=", b"%", b"'",
    "é".encode(), "e\u0301".encode(), "\u0661".encode(), b"\xed\xa0\x80", b"[" * 3000,
)  # fmt: skip
NASTY: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**63, -(2**63), 10**30, 0.5, 1.0, -0.0, 1e308,
    math.nan, math.inf, "", "0", "1", "-1", "a", "crane", "../x", "\x1b[31m", "\x00", "\ud800",
    "é", "e\u0301", "=1+1", "x" * 400, [], [0], ["a"], [[]], [None], {}, {"a": 1}, {"": None},
    [1, 2, 3], ["crane_bird", "crane_machine"], "crane_bird", "test", "train", "nan", "1e400",
)  # fmt: skip


def mutations(seeds: Sequence[bytes], tokens: Sequence[bytes], random: Random) -> Iterator[bytes]:
    """Yield the seeds, and then mutations of them, and of some of these, without end."""
    yield from seeds
    pool = list(seeds)
    while True:
        parts = random.choice(pool).split(SEPARATOR)
        i = random.randrange(len(parts))
        for _ in range(random.choice((1, 1, 1, 2, 4))):
            parts[i] = _changed(parts[i], (*tokens, *ODD), pool, random)
        if random.random() < 0.02:
            random.shuffle(parts)
        made = SEPARATOR.join(parts)[: 2**16]
        if random.random() < 0.05 and len(pool) < 200 + len(seeds):
            pool.append(made)
        yield made


def _changed(data: bytes, tokens: Sequence[bytes], pool: Sequence[bytes], random: Random) -> bytes:
    if random.random() < 0.4 and (of_json := _changed_json(data, random)) is not None:
        return of_json
    i, j = sorted(random.randrange(len(data) + 1) for _ in range(2))
    j = min(j, i + random.choice((1, 1, 2, 8, 64, 4096)))
    match random.randrange(7):
        case 0:
            return data[:i] + data[j:]
        case 1:
            return data[:i] + random.choice(tokens) + data[i:]
        case 2:
            return data[:i] + random.choice(tokens) + data[j:]
        case 3:
            return data[:i] + data[i:j] * random.choice((2, 3, 20)) + data[j:]
        case 4:
            return data[:i]
        case 5:
            other = random.choice(pool)
            k = random.randrange(len(other) + 1)
            return data[:i] + other[k : k + 64] + data[j:]
        case _:
            return data[:i] + bytes([random.randrange(256)]) + data[i + 1 :]


def _changed_json(data: bytes, random: Random) -> bytes | None:
    """Change a JSON value in an input: the whole input, or one line."""
    lines = [data] if data.lstrip()[:1] in (b"{", b"[") else data.split(b"\n")
    i = random.randrange(len(lines))
    try:
        value = json.loads(lines[i])
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list):
        return None
    lines[i] = json.dumps(damaged(value, random)).encode()
    return b"\n".join(lines)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every part of a JSON value."""
    keys = [*value] if isinstance(value, dict) else range(min(6, len(value)))
    parts = [(*path, key) for key in keys]
    inner = [(p, value[p[-1]]) for p in parts if isinstance(value[p[-1]], dict | list)]
    return parts + [place for p, part in inner for place in places(part, p)]


def damaged(value: Any, random: Random) -> Any:
    """Replace, remove or add one to three parts of a JSON value."""
    value = copy.deepcopy(value)
    for _ in range(random.randint(1, 3)):
        if not (paths := places(value)):
            return value
        *path, key = random.choice(paths)
        parent = value
        for step in path:
            parent = parent[step]
        change = random.randrange(6)
        if change == 0:
            del parent[key]
        elif change == 1 and isinstance(parent, dict):
            name = random.choice(("", "x", "0", "auto_map", *map(str, parent)))
            parent[name] = copy.deepcopy(parent[key])
        elif change == 1:
            parent.insert(key, copy.deepcopy(parent[key]))
        elif change == 2 and isinstance(parent[key], int | float):
            parent[key] += random.choice((1, -1, 0.0, 0.5, 2**32))
        elif change == 3:
            parent[key] = [parent[key]]
        else:
            parent[key] = copy.deepcopy(random.choice(NASTY))
    return value
