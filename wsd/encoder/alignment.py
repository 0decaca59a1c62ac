"""The alignment report: how a tokenizer cuts the focal words, by surface form.

Embedding a word writes its report to ``alignment.json``, next to its vectors. The command
``alignment`` combines the reports of all words of a model into ``alignment.csv``, with a row per
word and surface form.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsd.arguments import add_out, add_word_files, add_words
from wsd.artifacts.run_json import word_file
from wsd.errors import ResultError
from wsd.storage.file_names import as_name, file_name
from wsd.storage.json import read_json
from wsd.storage.result_files import parsing

if TYPE_CHECKING:
    from wsd.artifacts.corpus_table import Corpus
    from wsd.encoder.aligned import Aligned


ALIGNMENT_FILE = "alignment.json"
# The counts of a surface form: each is a sum over its instances.
COUNTED: dict[str, Callable[["Aligned"], int]] = {
    "unknown": lambda instance: instance.unknown,
    "windowed": lambda instance: instance.windowed,
    "vanished_words": lambda instance: instance.vanished,
    "special_words": lambda instance: instance.special,
}
ALIGNMENT_COLUMNS = (
    *("model", "word", "form", "instances", "pieces", "spellings"),
    *("min_pieces", "mean_pieces", "max_pieces", *COUNTED),
)
WARNINGS = {
    "unknown": "focal words have a piece that the tokenizer does not know",
    "special_words": "words are taken for special tokens, such as [SEP]",
}


def alignment_report(corpus: "Corpus", aligned: Sequence["Aligned"]) -> dict[str, Any]:
    """Return the report of a word.

    Returns
    -------
    dict
        ``word``; ``corpus``, its digest; ``instances``, their number; ``pieces``, the number of
        focal words by their number of pieces; and ``forms``, a mapping per surface form. Its keys
        are :data:`ALIGNMENT_COLUMNS` without the model: ``pieces`` is the most frequent way to cut
        the form, and ``spellings`` the number of ways. ``unknown`` counts focal words with a piece
        that the tokenizer does not know, and ``windowed`` sentences shortened to the length limit.
        ``vanished_words`` and ``special_words`` count words of the sentences that have no piece, or
        are taken for special tokens. ``unlike_text`` and ``unlike_file`` count sentences that have
        other pieces as running text, or by the folder's ``tokenizer.json``.
    """
    forms: dict[str, list[Aligned]] = {}
    for tokens, position, instance in zip(corpus.tokens, corpus.position, aligned, strict=True):
        forms.setdefault(tokens[position], []).append(instance)
    numbers = Counter(len(instance.pieces) for instance in aligned)
    return {
        "word": corpus.word,
        "corpus": corpus.digest,
        "instances": len(aligned),
        "pieces": {str(number): count for number, count in sorted(numbers.items())},
        "forms": [
            {"word": corpus.word, "form": form, **_form_counts(forms[form])}
            for form in sorted(forms, key=lambda form: (-len(forms[form]), form))
        ],
    }


def _form_counts(aligned: Sequence["Aligned"]) -> dict[str, Any]:
    spellings = Counter(instance.pieces for instance in aligned)
    numbers = [len(instance.pieces) for instance in aligned]
    return {
        "instances": len(aligned),
        "pieces": " ".join(spellings.most_common(1)[0][0]),
        "spellings": len(spellings),
        "min_pieces": min(numbers),
        "mean_pieces": sum(numbers) / len(numbers),
        "max_pieces": max(numbers),
        **{key: sum(map(count, aligned)) for key, count in COUNTED.items()},
    }


def report_warnings(report: Mapping[str, Any]) -> list[str]:
    """Return the problems of a report that the user should see at once, as sentences."""
    totals = {key: sum(form[key] for form in report["forms"]) for key in WARNINGS}
    return [
        f"{report['word']}: {totals[key]} {problem} ({report['instances']} instances)"
        for key, problem in WARNINGS.items()
        if totals[key]
    ]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--model", required=True, help="the name of the model in the table")
    add_word_files(parser, "--embeddings", "folder of <word>/alignment.json")
    add_words(parser)
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Write the reports of all words of a model as one CSV table.

    Raises
    ------
    ResultError
        If a file is missing, damaged, or belongs to another word.
    """
    import pandas as pd

    from wsd.storage.csv import write_csv

    rows: list[dict[str, Any]] = []
    for name in map(as_name, args.words):
        path = word_file(args.embeddings, f"{name}/{ALIGNMENT_FILE}")
        report = read_json(path)
        with parsing(path):
            if file_name(report["word"]) != name:
                raise ResultError(f"the report is of {report['word']!r}", where=str(path))
            rows += [
                {"model": args.model, **{column: form[column] for column in ALIGNMENT_COLUMNS[1:]}}
                for form in report["forms"]
            ]
    write_csv(args.out, pd.DataFrame(rows, columns=list(ALIGNMENT_COLUMNS)))
