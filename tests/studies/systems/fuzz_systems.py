"""Published predictions under damaged input."""

import json
from pathlib import Path

from fuzz_target import JSON_TOKENS, Target, check_predictions, small_corpus

from wsd.studies.systems import published, score


def published_seeds() -> list[bytes]:
    corpus = small_corpus()
    lines = []
    for i, gold in enumerate(corpus.gold[6:]):
        sense, other = corpus.senses[gold], corpus.senses[1 - gold]
        matches = [[sense, 0.9], [other, 0.1]]
        line = {"idx": i, "gold": sense, "tokens": corpus.tokens[6 + i], "matches": matches}
        lines.append(json.dumps(line).encode())
    good = b"\n".join(lines) + b"\n"
    twice = good.replace(b'["crane_bird", 0.9], ["crane_machine", 0.1]', b'["x", 1], ["x", 2]')
    changes = ((b', ["crane_bird", 0.1]', b""), (b"0.9", b"NaN"), (b"0.9", b"1"))
    changed = [good.replace(*change) for change in (*changes, (b'"gold"', b'"silver"'))]
    return [good, twice, *changed, good[: len(lines[0]) + 1]]


def run_published(data: bytes, folder: Path) -> None:
    (folder / "crane.jsonl").write_bytes(data)
    converted = folder / "converted.jsonl"
    converted.write_text("".join(published.convert(folder)))
    check_predictions([score.read_outputs(converted, {"crane": small_corpus()})])


TOKENS = (b"idx", b"gold", b"matches", b"tokens", *JSON_TOKENS)
TARGETS = [Target("published", published_seeds, run_published, TOKENS, 1.5)]
