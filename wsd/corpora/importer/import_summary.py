"""Lines of what an import says when it is done."""

import json
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path

import yaml

from wsd.artifacts.fold_table import K
from wsd.corpora.importer import all_words_xml, wic

# Words that are named.
SHOWN = 20
# Ends of the names of files with labels, and of the files that they belong to.
LABELS = {all_words_xml.GOLD: all_words_xml.DATA, wic.GOLD: wic.DATA}


def too_small(most: Mapping[str, int]) -> list[str]:
    """A line on the words that the folds of a config leave untuned by default, if there are any."""
    small = {word: n for word, n in most.items() if n < K}
    if not small:
        return []
    if len(small) < len(most):
        what = f"words that the default of {K} folds leaves untuned"
        do = "`tuning: {folds: N}` in a config takes fewer"
    else:
        what = f"no word has enough training sentences for the default of {K} folds"
        fewer = "take fewer, such as `tuning: {folds: 2}`, or " if max(small.values()) > 1 else ""
        do = (
            f"in a config, {fewer}have one layer choice and one classifier without lists of "
            "values, so that nothing has to be selected"
        )
    words = [f"{word} {n}" for word, n in sorted(small.items(), key=itemgetter(1))]
    more = [f"{len(words) - SHOWN} more"] if len(words) > SHOWN else []
    return [f"{what} (at most: {', '.join(words[:SHOWN] + more)}); {do}"]


def first(lines: list[str], what: str) -> list[str]:
    """The lines, or the first of them and how many more there are."""
    more = [f"... and {len(lines) - SHOWN} {what} more"] if len(lines) > SHOWN else []
    return lines[:SHOWN] + more


def other_kind(path: Path) -> tuple[str, str]:
    """What a file is that no reader takes, and what to do."""
    what = f"what kind of file is {path.name!r}?"
    for gold, data in LABELS.items():
        if path.name.endswith(gold):
            of = path.name.removesuffix(gold) + data
            return f"{path.name} has labels alone", f"name {of}: its labels are found beside it"
    if path.suffix.lower() == ".txt":
        what = f"{path.name} may hold sentences, or a table"
        return what, "for sentences without senses add --unlabelled; if it is a table, call it .tsv"
    if path.suffix.lower() == ".json":
        keys = "the keys word, sense, sentence, start and end"
        return what, f"write one object per line, with {keys}, and call the file .jsonl"
    kinds = ".csv, .tsv or .jsonl file, an all-words .data.xml, WiC's .data.txt, or a folder"
    return what, f"give a {kinds} in the corpus format"


def as_yaml(text: str) -> str:
    """A text as a value in YAML's braces, in quotes where it would not be itself without."""
    try:
        # What begins like a number may be one for another version of YAML.
        plain = text[:1] not in "+-.0123456789"
        plain = plain and yaml.safe_load(f"{{ x: {text} }}") == {"x": text}
    except yaml.YAMLError:
        plain = False
    return text if plain else json.dumps(text, ensure_ascii=False)
