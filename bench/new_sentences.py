"""Are new sentences, written for this and by hand, told right?

    python bench/new_sentences.py results/coarsewsd20/selected.wsd

`bench/new-sentences.jsonl` holds 30 sentences with five words of CoarseWSD-20 and their senses, all
written before anything had been predicted on them.
"""

import json
import sys
from pathlib import Path

from wsd.fitted.wsd_file import WsdFile
from wsd.inference import lines
from wsd.inference.encoders import fitted_encoder
from wsd.inference.predictor import Predictor

FILE = Path(__file__).with_name("new-sentences.jsonl")


def main() -> None:
    opened = WsdFile(Path(sys.argv[1]))
    predictor = Predictor(opened, fitted_encoder(opened.encoder))
    gold = [json.loads(line)["sense"] for line in FILE.read_text(encoding="utf-8").splitlines()]
    with FILE.open("rb") as file:
        rows = list(predictor.predict(lines.read(file, word=None, as_json=True)))
    if [row.line.number for row in rows] != list(range(1, len(gold) + 1)):
        raise SystemExit("a sentence has no occurrence of its word, or several")
    right = 0
    for row, sense in zip(rows, gold, strict=True):
        right += row.sense == sense
        if row.sense != sense:
            print(f"wrong: {row.line.text}\n  {row.sense} ({row.probability:.0%}), not {sense}")
    far = sum(row.far for row in rows)
    print(f"{right} of {len(gold)} right; {far} marked as far from every training sentence")


if __name__ == "__main__":
    main()
