"""Published predictions and centroids under damaged input."""

import json
from pathlib import Path

import numpy as np
from fuzz_target import JSON_TOKENS, Target, check_predictions, small_corpus

from wsd.studies.systems import published, published_centroids


def published_seeds() -> list[bytes]:
    corpus = small_corpus()
    lines = []
    for i in range(3):
        gold = corpus.senses[corpus.gold[6 + i]]
        other = corpus.senses[1 - corpus.gold[6 + i]]
        lines.append(
            json.dumps(
                {"idx": i, "gold": gold, "tokens": corpus.tokens[6 + i],
                 "matches": [[gold, 0.9], [other, 0.1]]}
            )
        )  # fmt: skip
    swapped = json.loads(lines[0])
    swapped["matches"].reverse()
    twice = json.loads(lines[0])
    twice["matches"][1][0] = twice["matches"][0][0]
    good = ("\n".join(lines) + "\n").encode()
    return [
        good,
        good.replace(lines[0].encode(), json.dumps(swapped).encode()),
        good.replace(lines[0].encode(), json.dumps(twice).encode()),
        good.replace(b', ["crane_bird", 0.1]', b""),
        good.replace(b"0.9", b"NaN"),
        good.replace(b"0.9", b"1"),
        good.replace(b'"gold"', b'"silver"'),
        good[: len(lines[0]) + 1],
    ]


def run_published(data: bytes, folder: Path) -> None:
    (folder / "crane.jsonl").write_bytes(data)
    result = published.read_word(folder / "crane.jsonl", small_corpus())
    check_predictions([[result]])
    for i, line in enumerate(data.decode().removesuffix("\n").split("\n")):
        matches = dict(json.loads(line)["matches"])
        assert result.scores[i].tolist() == [matches[sense] for sense in result.senses]
        assert matches[result.senses[result.predicted[i]]] == max(matches.values())


def run_centroids(data: bytes, folder: Path) -> None:
    (folder / "c.txt").write_bytes(data)
    result = published_centroids.read_centroids(folder / "c.txt")
    lines = data.decode().removesuffix("\n").split("\n")
    assert len(result) == len(lines)
    for line, (sense, vector) in zip(lines, result.items(), strict=True):
        assert line.split(" ")[0] == sense and np.isfinite(vector).all()
        assert vector.tolist() == [float(number) for number in line.split(" ")[1:]]


PARSERS = {
    "studies/systems/published": ("read_word", "_check_instance", "_matches", "_is_match"),
    "studies/systems/published_centroids": ("read_centroids",),
}
TARGETS = [
    Target(
        "published",
        published_seeds,
        run_published,
        (b"idx", b"gold", b"matches", b"tokens", *JSON_TOKENS),
        1.5,
    ),
    Target(
        "centroids",
        lambda: [
            b"crane_bird 1.0 -2 3e-5\ncrane_machine 0.5 0 1E2\n",
            b"a 1e999",
            b"a 1\na 2",
            b"a 1\nb 1 2",
            b"a",
            b"a nan",
        ],
        run_centroids,
        (b" ", b"nan", b"inf", b"1_0", b"e", b".", b"1e400"),
        1.5,
    ),
]
