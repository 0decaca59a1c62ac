"""The alignment report: what a tokenizer made of the focal words, form by form.

Written beside a word's vectors as ``alignment.json`` when it is embedded, and put together for all
words of a model as ``alignment.csv``: one row per word and surface form.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsd.arguments import add_out, add_word_files, add_words
from wsd.artifacts.run_map import word_file
from wsd.errors import ResultError
from wsd.storage.file_names import as_name, file_name
from wsd.storage.json import read_json
from wsd.storage.result_files import parsing

if TYPE_CHECKING:
    from wsd.artifacts.corpus_table import Corpus
    from wsd.encoder.focal_pieces import Aligned


ALIGNMENT_FILE = "alignment.json"
# Of a form, as sums over its instances: what is counted of one.
COUNTED: dict[str, Callable[["Aligned"], int]] = {
    "unknown": lambda one: one.unknown,
    "windowed": lambda one: one.windowed,
    "vanished_words": lambda one: one.vanished,
    "special_words": lambda one: one.special,
    "unlike_text": lambda one: not one.as_text,
    "unlike_file": lambda one: not one.as_file,
}
ALIGNMENT_COLUMNS = (
    *("model", "word", "form", "instances", "pieces", "spellings"),
    *("min_pieces", "mean_pieces", "max_pieces", *COUNTED),
)
WARNINGS = {
    "unknown": "focal words have a piece that the tokenizer does not know",
    "special_words": "words are taken for special tokens, such as [SEP]",
    "unlike_text": "sentences have other pieces as running text than word by word",
    "unlike_file": "sentences have other pieces by the folder's tokenizer.json",
}


def alignment_report(corpus: "Corpus", aligned: Sequence["Aligned"]) -> dict[str, Any]:
    """What is to be known of a word's alignment.

    Returns
    -------
    dict
        ``word``; ``corpus``, its digest; ``instances``; ``pieces``, how many focal words have that
        many pieces; and ``forms``, a mapping per surface form with :data:`ALIGNMENT_COLUMNS` but
        for the model: ``pieces`` is how the tokenizer cuts most of them, ``spellings`` in how many
        ways it cuts them, ``unknown`` how many have a piece that it does not know, ``windowed`` how
        many lost words to the length limit, ``vanished_words`` and ``special_words`` how many words
        of their sentences have no piece or are taken for special tokens, and ``unlike_text`` and
        ``unlike_file`` how many sentences have other pieces as running text, or by the folder's
        ``tokenizer.json``.
    """
    forms: dict[str, list[Aligned]] = {}
    for tokens, position, one in zip(corpus.tokens, corpus.position, aligned, strict=True):
        forms.setdefault(tokens[position], []).append(one)
    numbers = Counter(len(one.pieces) for one in aligned)
    return {
        "word": corpus.word,
        "corpus": corpus.digest,
        "instances": len(aligned),
        "pieces": {str(number): count for number, count in sorted(numbers.items())},
        "forms": [
            {"word": corpus.word, "form": form, **_of_form(forms[form])}
            for form in sorted(forms, key=lambda form: (-len(forms[form]), form))
        ],
    }


def _of_form(aligned: Sequence["Aligned"]) -> dict[str, Any]:
    spelled = Counter(one.pieces for one in aligned)
    numbers = [len(one.pieces) for one in aligned]
    return {
        "instances": len(aligned),
        "pieces": " ".join(spelled.most_common(1)[0][0]),
        "spellings": len(spelled),
        "min_pieces": min(numbers),
        "mean_pieces": sum(numbers) / len(numbers),
        "max_pieces": max(numbers),
        **{key: sum(map(count, aligned)) for key, count in COUNTED.items()},
    }


def report_warnings(found: Mapping[str, Any]) -> list[str]:
    """What of a report a user should hear of at once, in sentences."""
    totals = {key: sum(form[key] for form in found["forms"]) for key in WARNINGS}
    return [
        f"{found['word']}: {totals[key]} {problem} ({found['instances']} instances)"
        for key, problem in WARNINGS.items()
        if totals[key]
    ]


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("--model", required=True, help="its name in the table")
    add_word_files(parser, "--embeddings", "folder of <word>/alignment.json")
    add_words(parser)
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Write the reports of all words of a model as one CSV table.

    Raises
    ------
    ResultError
        If a file is missing, damaged, or of another word.
    """
    import pandas as pd

    from wsd.storage.csv import write_csv

    rows: list[dict[str, Any]] = []
    for name in map(as_name, args.words):
        path = word_file(args.embeddings, f"{name}/{ALIGNMENT_FILE}")
        found = read_json(path)
        with parsing(path):
            if file_name(found["word"]) != name:
                raise ResultError(f"the report is of {found['word']!r}", where=str(path))
            rows += [
                {"model": args.model, **{column: form[column] for column in ALIGNMENT_COLUMNS[1:]}}
                for form in found["forms"]
            ]
    write_csv(args.out, pd.DataFrame(rows, columns=list(ALIGNMENT_COLUMNS)))
