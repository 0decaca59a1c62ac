"""Published predictions under damaged input."""

import json
from pathlib import Path

from fuzz_target import JSON_TOKENS, Target, check_predictions, small_corpus

from wsd.studies.systems import published, score


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
    converted = folder / "converted.jsonl"
    converted.write_text("".join(published.convert(folder)))
    check_predictions([score.read_outputs(converted, {"crane": small_corpus()})])


TARGETS = [
    Target(
        "published",
        published_seeds,
        run_published,
        (b"idx", b"gold", b"matches", b"tokens", *JSON_TOKENS),
        1.5,
    ),
]
