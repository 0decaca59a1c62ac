"""Are new sentences, written for this and by hand, told right, and surely?

    python bench/new_sentences.py results/quickstart/selected.wsd

`bench/new-sentences.jsonl` holds 130 sentences with the words of the built-in corpus, five a sense,
and 30 with five words of CoarseWSD-20, all written before anything had been predicted on them.
Those that have a sense of the model are asked.
"""

import json
import sys
from pathlib import Path

from wsd.fitted.wsd_file import WsdFile
from wsd.inference.encoders import fitted_encoder
from wsd.inference.input_output import Line
from wsd.inference.predictor import Predictor

FILE = Path(__file__).with_name("new-sentences.jsonl")
SURE = 0.8


def main() -> None:
    opened = WsdFile(Path(sys.argv[1]))
    predictor = Predictor(opened, fitted_encoder(opened.encoder))
    known = {word: opened.word(word).senses for word in opened.words}
    asked = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    asked = [one for one in asked if one["sense"] in known.get(one["word"], ())]
    lines = [Line(number, one["text"], one["word"]) for number, one in enumerate(asked, start=1)]
    rows = list(predictor.predict(lines, neighbours=False))
    if [row.line.number for row in rows] != [line.number for line in lines]:
        raise SystemExit("a sentence has no occurrence of its word, or several")
    right = [row for row, one in zip(rows, asked, strict=True) if row.sense == one["sense"]]
    for row, one in zip(rows, asked, strict=True):
        if row.sense != one["sense"]:
            print(
                f"wrong: {row.line.text}\n  {row.sense} ({row.probability:.0%}), not {one['sense']}"
            )
    sure = sum((row.probability or 0) > SURE for row in right)
    ood = sum(row.ood for row in rows)
    print(f"{len(right)} of {len(rows)} right, {sure} of these with a probability above {SURE:.0%}")
    print(f"{ood} flagged as out of distribution")


if __name__ == "__main__":
    main()
