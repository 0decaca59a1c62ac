"""New inputs from old ones: a simple mutation loop that depends only on the seed.

Some changes keep the text a JSON value, so that more than the JSON parser is reached.
"""

import json
from collections.abc import Iterator, Sequence
from random import Random

from choices import Choices, damaged

SEPARATOR = b"\n%%%%\n"  # between the files of an input that is several
ODD: tuple[bytes, ...] = (
    b"", b"\n", b"\r\n", b"\t", b" ", b"\x00", b"\xff", b"\xef\xbb\xbf", "\u2028".encode(),
    "\u00a0".encode(), b"-", b"-1", b"0", b"1", b"999999999", b"1e999", b"NaN", b"\x1b[31m",
    "\u202e".encode(), b"..", b"/", b"{", b"}", b"[", b"]", b'"', b":", b",", b"=", b"%", b"'",
    "é".encode(), "e\u0301".encode(), "\u0661".encode(), b"\xed\xa0\x80", b"[" * 3000,
)  # fmt: skip


def mutations(seeds: Sequence[bytes], tokens: Sequence[bytes], random: Random) -> Iterator[bytes]:
    """Yield the seeds, and then mutations of them without end."""
    yield from seeds
    pool = list(seeds)
    while True:
        data = random.choice(pool)
        parts = data.split(SEPARATOR)
        i = random.randrange(len(parts))
        for _ in range(random.choice((1, 1, 1, 2, 4))):
            parts[i] = _changed(parts[i], tokens, pool, random)
        if random.random() < 0.02:
            random.shuffle(parts)
        made = SEPARATOR.join(parts)[: 2**16]
        # Some of the mutations are mutated further.
        if random.random() < 0.05:
            pool.append(made)
            if len(pool) > 200 + len(seeds):
                pool.pop(random.randrange(len(seeds), len(pool)))
        yield made


def _changed(data: bytes, tokens: Sequence[bytes], pool: Sequence[bytes], random: Random) -> bytes:
    if random.random() < 0.4 and (of_json := _changed_json(data, random)) is not None:
        return of_json
    i, j = sorted(random.randrange(len(data) + 1) for _ in range(2))
    j = min(j, i + random.choice((1, 1, 2, 8, 64, 4096)))
    match random.randrange(8):
        case 0:
            return data[:i] + data[j:]
        case 1:
            return data[:i] + random.choice((*tokens, *ODD)) + data[i:]
        case 2:
            return data[:i] + random.choice((*tokens, *ODD)) + data[j:]
        case 3:
            return data[:i] + data[i:j] * random.choice((2, 3, 20)) + data[j:]
        case 4:
            return data[:i]
        case 5:
            other = random.choice(pool)
            k = random.randrange(len(other) + 1)
            return data[:i] + other[k : k + 64] + data[j:]
        case 6:
            lines = data.split(b"\n")
            a, b = (random.randrange(len(lines)) for _ in range(2))
            lines[a], lines[b] = lines[b], lines[random.choice((a, b))]
            return b"\n".join(lines)
        case _:
            if not data:
                return bytes([random.randrange(256)])
            k = random.randrange(len(data))
            return data[:k] + bytes([data[k] ^ (1 << random.randrange(8))]) + data[k + 1 :]


def _changed_json(data: bytes, random: Random) -> bytes | None:
    """Change a JSON value in an input: the whole input, or one line."""
    lines = data.split(b"\n")
    whole = data.lstrip()[:1] in (b"{", b"[")
    i = random.randrange(len(lines))
    try:
        value = json.loads(data if whole else lines[i])
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list):
        return None
    text = json.dumps(damaged(value, Choices(random.randbytes(24)))).encode()
    if whole:
        return text
    lines[i] = text
    return b"\n".join(lines)
