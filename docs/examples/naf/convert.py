"""Write a table of the senses in NAF: python convert.py FILE TABLE.

Each term gets its reference with the highest confidence.
"""

import csv
import sys
from pathlib import Path
from xml.etree import ElementTree

rows = [["word", "sense", "position", "sentence"]]
root = ElementTree.parse(sys.argv[1]).getroot()
sentences, place = {}, {}
for word in root.iter("wf"):
    place[word.get("id")] = len(sentences.setdefault(word.get("sent"), [])), word.get("sent")
    sentences[word.get("sent")].append(word.text)
for term in root.iter("term"):
    positions = [place[target.get("id")] for target in term.iter("target")]
    references = sorted(term.iter("externalRef"), key=lambda r: float(r.get("confidence", 0)))
    if references:
        span = f"{positions[0][0]}:{positions[-1][0] + 1}"
        name = f"{term.get('lemma')}.{term.get('pos')[0].lower()}"
        text = " ".join(sentences[positions[0][1]])
        rows.append([name, references[-1].get("reference"), span, text])
with Path(sys.argv[2]).open("w", encoding="utf-8", newline="") as table:
    csv.writer(table, delimiter="\t").writerows(rows)
