"""Write a table of the senses in CoNLL-U: python convert.py FILE TABLE.

CoNLL-U has no column for senses; here the last column says Sense=bank_money.
"""

import csv
import re
import sys
from pathlib import Path

rows = [["word", "sense", "position", "sentence"]]
for sentence in Path(sys.argv[1]).read_text(encoding="utf-8").split("\n\n"):
    tokens = [line.split("\t") for line in sentence.split("\n") if re.match(r"\d+\t", line)]
    text = " ".join(token[1].replace(" ", "_") for token in tokens)
    for position, token in enumerate(tokens):
        if sense := re.search(r"Sense=([^|]+)", token[9]):
            rows.append([token[2], sense[1], str(position), text])
with Path(sys.argv[2]).open("w", encoding="utf-8", newline="") as table:
    csv.writer(table, delimiter="\t").writerows(rows)
