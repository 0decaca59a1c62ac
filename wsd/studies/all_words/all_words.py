"""F1 over all instances of all-words sets, as it is published: any of several keys is right.

A system answers what it can. Precision is over what it answers, recall over all instances. A word
that is trained is answered always, also where none of the right senses was in training; of the
other words the training files' most frequent sense may be said, where they have the word.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from wsd import logs
from wsd.arguments import add_files, add_out, add_path
from wsd.artifacts.predictions import TEST, read_predictions
from wsd.errors import wrong_file
from wsd.storage.csv import write_csv
from wsd.studies.all_words.counted_instances import FILE, NO_SENSE, TESTED, CountedInstance, read

NAMES = ("model", "view", "layers", "classifier")
METRICS = ("instances", "answered", "right", "precision", "recall", "f1")
TRAINED, BACKED, FREQUENT = "trained words", "with the most frequent sense", "most frequent sense"
# What is answered: a sense, "" for a wrong one, None for nothing.
Answer = Callable[[CountedInstance], str | None]


def answers(instances: Sequence[CountedInstance], path: Path) -> tuple[dict[str, str], Answer]:
    """What a classifier is called, and what it answers.

    Raises
    ------
    ResultError
        If its predictions are not of these instances.
    """
    words, source = read_predictions(path)
    said = {
        (of.word, int(index)): (of.senses[predicted], of.senses[gold])
        for of in words
        if of.split == TEST
        for index, predicted, gold in zip(of.index, of.predicted, of.gold, strict=True)
    }
    for one in instances:
        if one.status == TESTED:
            found = said.get((one.word, one.index))
            if found is None or not one.is_right(found[1]):
                what = f"nothing of the instance of {one.word!r} in {one.where}, or another one"
                raise wrong_file(what, path)
    names = {key: str(source[key]) for key in NAMES[1:]}

    def answer(one: CountedInstance) -> str | None:
        if one.status == TESTED:
            return said[one.word, one.index][0]
        return "" if one.status == NO_SENSE else None

    return {"model": source["encoder"]["model"]["name"], **names}, answer


def frequent(one: CountedInstance) -> str | None:
    """The most frequent sense, where the training files have the word."""
    return one.most_frequent or None


def backed(answer: Answer) -> Answer:
    """An answer, or else the most frequent sense."""
    return lambda one: frequent(one) if (said := answer(one)) is None else said


def scores(instances: Sequence[CountedInstance], answer: Answer) -> dict[str, float]:
    """Precision, recall and F1, as fractions; 0 where nothing is answered."""
    said = [(one, sense) for one in instances if (sense := answer(one)) is not None]
    right = sum(one.is_right(sense) for one, sense in said)
    precision, recall = right / max(len(said), 1), right / len(instances)
    f1 = 2 * right / (len(said) + len(instances))
    numbers = (len(instances), len(said), right, precision, recall, f1)
    return dict(zip(METRICS, numbers, strict=True))


def table(instances: Sequence[CountedInstance], files: Sequence[Path]) -> pd.DataFrame:
    """A row for each classifier, what it answers, and part of speech."""
    parts = {"all": instances}
    for part in sorted({one.part for one in instances} - {""}):
        parts[part] = [one for one in instances if one.part == part]

    def rows(names: Mapping[str, str], how: str, answer: Answer) -> Iterator[dict[str, Any]]:
        for part, of in parts.items():
            yield {**names, "answered_by": how, "part": part, **scores(of, answer)}

    found = list(rows(dict.fromkeys(NAMES, "-"), FREQUENT, frequent))
    for path in files:
        names, answer = answers(instances, path)
        found += [*rows(names, TRAINED, answer), *rows(names, BACKED, backed(answer))]
    return pd.DataFrame(found)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_path(parser, "--corpus", f"folder that `wsd import --train --test` made, with {FILE}")
    add_files(parser, "--predictions", "of the test split, .parquet")
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    found = table(read(args.corpus / FILE), args.predictions)
    write_csv(args.out, found)
    for row in found[found["part"] == "all"].to_dict("records"):
        name = " ".join(dict.fromkeys(row[key] for key in NAMES if row[key] != "-"))
        logs.show(
            f"{f'{name}, ' if name else ''}{row['answered_by']}: F1 {100 * row['f1']:.1f} "
            f"(right {row['right']:,}, answered {row['answered']:,} of {row['instances']:,})"
        )
