"""Write a table of the senses in the first layer of a WebAnno TSV: python convert.py FILE TABLE."""

import csv
import re
import sys
from itertools import groupby
from pathlib import Path

rows = [["sense", "position", "sentence"]]
for sentence in Path(sys.argv[1]).read_text(encoding="utf-8").split("\n\n"):
    tokens = [line.split("\t") for line in sentence.split("\n") if re.match(r"\d+-\d+\t", line)]
    labels = [(token[3], "[" in token[3] or i) for i, token in enumerate(tokens)]
    for (label, _), group in groupby(range(len(tokens)), labels.__getitem__):
        first, *others = group
        if label != "_":  # bank_river[1] is a label of several tokens
            place = f"{first}:{first + 1 + len(others)}"
            rows.append([label.split("[")[0], place, " ".join(token[2] for token in tokens)])
with Path(sys.argv[2]).open("w", encoding="utf-8", newline="") as table:
    csv.writer(table, delimiter="\t").writerows(rows)
