"""Predict new, hand-written sentences: how many are right, and how many with certainty?

    python bench/new_sentences.py results/quickstart/selected.wsd

`bench/new-sentences.jsonl` holds 130 sentences with the words of the built-in corpus, five per
sense, and 30 with five words of CoarseWSD-20. Nothing was predicted on them before they were
written. The script uses the sentences whose sense the model knows.
"""

import argparse
import json
from pathlib import Path

from wsd.fitted.wsd_file import WsdFile
from wsd.inference.encoders import fitted_encoder
from wsd.inference.input_output import Line
from wsd.inference.predictor import Predictor

FILE = Path(__file__).with_name("new-sentences.jsonl")
SURE = 0.8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model_file", type=Path)
    model_file = WsdFile(parser.parse_args().model_file)
    predictor = Predictor(model_file, fitted_encoder(model_file.encoder))
    senses = {word: model_file.word(word).senses for word in model_file.words}
    examples = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    examples = [
        example for example in examples if example["sense"] in senses.get(example["word"], ())
    ]
    lines = [
        Line(number, example["text"], example["word"])
        for number, example in enumerate(examples, start=1)
    ]
    predictions = list(predictor.predict(lines, neighbours=False))
    if [prediction.line.number for prediction in predictions] != [line.number for line in lines]:
        raise SystemExit("a sentence has no occurrence of its word, or several")
    right = [
        prediction
        for prediction, example in zip(predictions, examples, strict=True)
        if prediction.sense == example["sense"]
    ]
    for prediction, example in zip(predictions, examples, strict=True):
        if prediction.sense != example["sense"]:
            print(f"wrong: {prediction.line.text}")
            print(f"  {prediction.sense} ({prediction.probability:.0%}), not {example['sense']}")
    sure = sum((prediction.probability or 0) > SURE for prediction in right)
    ood = sum(prediction.ood for prediction in predictions)
    print(f"{len(right)} of {len(predictions)} right, ", end="")
    print(f"{sure} of these with a probability above {SURE:.0%}")
    print(f"{ood} flagged as out of distribution")


if __name__ == "__main__":
    main()
