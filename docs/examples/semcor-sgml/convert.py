"""Write a table of the senses in SemCor's SGML: python convert.py FILE TABLE."""

import csv
import html
import re
import sys
from itertools import chain
from pathlib import Path

rows = [["word", "sense", "position", "sentence"]]
for sentence in re.findall(r"<s snum.*?</s>", Path(sys.argv[1]).read_text(encoding="utf-8"), re.S):
    elements = re.findall(r"<(?:wf|punc)([^>]*)>([^<]*)<", sentence)
    tokens = [html.unescape(text).replace("_", " ").split() for _, text in elements]
    for i, (attributes, _) in enumerate(elements):
        values = dict(re.findall(r"(\w+)=(\S+)", attributes))
        if "lexsn" in values:
            start = sum(map(len, tokens[:i]))
            row = [f"{values['lemma']}.{'nvara'[int(values['lexsn'][0]) - 1]}"]
            row += [f"{values['lemma']}%{values['lexsn']}", f"{start}:{start + len(tokens[i])}"]
            rows.append([*row, " ".join(chain(*tokens))])
with Path(sys.argv[2]).open("w", encoding="utf-8", newline="") as table:
    csv.writer(table, delimiter="\t").writerows(rows)
