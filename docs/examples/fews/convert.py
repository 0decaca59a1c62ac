"""Write a table of the senses in FEWS: python convert.py FILE TABLE."""

import csv
import sys
from pathlib import Path

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
rows = [["word", "sense", "sentence"]]
for line in Path(sys.argv[1]).read_text(encoding="utf-8").strip().split("\n"):
    sentence, sense = line.split("\t")
    word, part, _ = sense.rsplit(".", 2)
    sentence = sentence.replace("<WSD>", "[[").replace("</WSD>", "]]")
    rows.append([f"{word}.{PARTS.get(part, part)}", sense, sentence])
with Path(sys.argv[2]).open("w", encoding="utf-8", newline="") as table:
    csv.writer(table, delimiter="\t").writerows(rows)
