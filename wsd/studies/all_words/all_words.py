"""Score all instances of all-words sets as in publications: any of several senses is right.

Precision is over the instances that a system answers, recall is over all instances. A trained word
always has an answer, even if no right sense was in training. For other words, the answer can be the
most frequent sense in the training files, if they have the word.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from wsd import logs
from wsd.arguments import add_files, add_out, add_path
from wsd.artifacts.predictions import TEST, read_predictions
from wsd.errors import wrong_file
from wsd.storage.csv import write_csv
from wsd.studies.all_words.instance_table import FILE, NO_SENSE, TESTED, CountedInstance, read

NAMES = ("model", "view", "layers", "classifier")
METRICS = ("instances", "answered", "right", "precision", "recall", "f1")
TRAINED, BACKED, FREQUENT = "trained words", "with the most frequent sense", "most frequent sense"
# Returns the answer for an instance: a sense, "" for a wrong one, None for no answer.
Answer = Callable[[CountedInstance], str | None]


def read_answers(instances: Sequence[CountedInstance], path: Path) -> tuple[dict[str, str], Answer]:
    """Return the names of a classifier, and its answers.

    Raises
    ------
    ResultError
        If its predictions are for other instances.
    """
    words, source = read_predictions(path)
    predictions = {
        (word.word, int(index)): (word.senses[predicted], word.senses[gold])
        for word in words
        if word.split == TEST
        for index, predicted, gold in zip(word.index, word.predicted, word.gold, strict=True)
    }
    for instance in instances:
        if instance.status == TESTED:
            _, gold = predictions.get((instance.word, instance.index), ("", ""))
            if not instance.is_right(gold):
                place = f"{instance.word!r} in {instance.where}"
                raise wrong_file(f"the instance of {place} is missing or differs", path)
    names = {key: str(source[key]) for key in NAMES[1:]}

    def answer(instance: CountedInstance) -> str | None:
        if instance.status == TESTED:
            return predictions[instance.word, instance.index][0]
        return "" if instance.status == NO_SENSE else None

    return {"model": source["encoder"]["model"]["name"], **names}, answer


def most_frequent(instance: CountedInstance) -> str | None:
    """Answer with the most frequent sense, if the training files have the word."""
    return instance.most_frequent or None


def scores(instances: Sequence[CountedInstance], answer: Answer) -> dict[str, float]:
    """Return precision, recall and F1 as fractions, which are 0 if nothing is answered."""
    are_right = [i.is_right(sense) for i in instances if (sense := answer(i)) is not None]
    right, answered, n = sum(are_right), len(are_right), len(instances)
    precision, recall, f1 = right / max(answered, 1), right / n, 2 * right / (answered + n)
    return dict(zip(METRICS, (n, answered, right, precision, recall, f1), strict=True))


def score_table(instances: Sequence[CountedInstance], files: Sequence[Path]) -> pd.DataFrame:
    """Return a row for each classifier, way to answer and part of speech."""
    parts = {"all": instances}
    for part in sorted({instance.part for instance in instances} - {""}):
        parts[part] = [instance for instance in instances if instance.part == part]

    table: list[dict[str, Any]] = []

    def add_rows(names: Mapping[str, str], answered_by: str, answer: Answer) -> None:
        for part, members in parts.items():
            row = {**names, "answered_by": answered_by, "part": part}
            table.append({**row, **scores(members, answer)})

    add_rows(dict.fromkeys(NAMES, "-"), FREQUENT, most_frequent)
    for path in files:
        names, answer = read_answers(instances, path)
        add_rows(names, TRAINED, answer)

        def with_most_frequent(instance: CountedInstance, answer: Answer = answer) -> str | None:
            sense = answer(instance)
            return most_frequent(instance) if sense is None else sense

        add_rows(names, BACKED, with_most_frequent)
    return pd.DataFrame(table)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_path(parser, "--corpus", f"folder that `wsd import --train --test` wrote, with {FILE}")
    add_files(parser, "--predictions", "predictions for the test split, .parquet")
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    table = score_table(read(args.corpus / FILE), args.predictions)
    write_csv(args.out, table)
    for row in table[table["part"] == "all"].to_dict("records"):
        name = " ".join(dict.fromkeys(row[key] for key in NAMES if row[key] != "-"))
        logs.show(
            f"{f'{name}, ' if name else ''}{row['answered_by']}: F1 {100 * row['f1']:.1f} "
            f"(right {row['right']:,}, answered {row['answered']:,} of {row['instances']:,})"
        )
