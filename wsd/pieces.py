"""The alignment report: what a tokenizer made of the focal words, form by form.

Written beside a word's vectors as ``alignment.json`` when it is embedded, and put together for all
words of a model as ``alignment.csv``: one row per word and surface form.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsd.errors import ResultError
from wsd.files import expecting, read_json
from wsd.names import as_name, file_name

if TYPE_CHECKING:
    from wsd.alignment import Aligned
    from wsd.corpus import Corpus

FILE = "alignment.json"
COLUMNS = (
    "model",
    "word",
    "form",
    "instances",
    "pieces",
    "spellings",
    "min_pieces",
    "mean_pieces",
    "max_pieces",
    "unknown",
    "windowed",
    "vanished_words",
    "special_words",
    "unlike_text",
    "unlike_file",
)


def report(corpus: "Corpus", aligned: Sequence["Aligned"]) -> dict[str, Any]:
    """What is to be known of a word's alignment.

    Returns
    -------
    dict
        ``word``; ``corpus``, its digest; ``instances``; ``pieces``, how many focal words have that
        many pieces; and ``forms``, a mapping per surface form with the keys of :data:`COLUMNS`:
        ``pieces`` is how the tokenizer cuts most of them, ``spellings`` in how many ways it cuts
        them, ``unknown`` how many have a piece that it does not know, ``windowed`` how many lost
        words to the length limit, ``vanished_words`` and ``special_words`` how many words of
        their sentences have no piece or are taken for special tokens, and ``unlike_text`` and
        ``unlike_file`` how many sentences have other pieces as running text, or by the folder's
        ``tokenizer.json``.
    """
    forms: dict[str, list[Aligned]] = {}
    for tokens, position, one in zip(corpus.tokens, corpus.position, aligned, strict=True):
        forms.setdefault(tokens[position], []).append(one)
    return {
        "word": corpus.word,
        "corpus": corpus.digest,
        "instances": len(aligned),
        "pieces": {
            str(n): count for n, count in sorted(Counter(len(o.pieces) for o in aligned).items())
        },
        "forms": [
            {"word": corpus.word, "form": form, **_row(forms[form])}
            for form in sorted(forms, key=lambda form: (-len(forms[form]), form))
        ],
    }


def _row(of_form: Sequence["Aligned"]) -> dict[str, Any]:
    spelled: Counter[tuple[str, ...]] = Counter(one.pieces for one in of_form)
    counts = [len(one.pieces) for one in of_form]
    return {
        "instances": len(of_form),
        "pieces": " ".join(spelled.most_common(1)[0][0]),
        "spellings": len(spelled),
        "min_pieces": min(counts),
        "mean_pieces": sum(counts) / len(counts),
        "max_pieces": max(counts),
        "unknown": sum(one.unknown for one in of_form),
        "windowed": sum(one.windowed for one in of_form),
        "vanished_words": sum(one.vanished for one in of_form),
        "special_words": sum(one.special for one in of_form),
        "unlike_text": sum(not one.as_text for one in of_form),
        "unlike_file": sum(not one.as_file for one in of_form),
    }


def warnings(found: Mapping[str, Any]) -> list[str]:
    """What of a report a user should hear of at once, in sentences."""
    told = {
        "unknown": "focal words have a piece that the tokenizer does not know",
        "special_words": "words are taken for special tokens, such as [SEP]",
        "unlike_text": "sentences have other pieces as running text than word by word",
        "unlike_file": "sentences have other pieces by the folder's tokenizer.json",
    }
    totals = {key: sum(form[key] for form in found["forms"]) for key in told}
    return [
        f"{found['word']}: {totals[key]} {what} ({found['instances']} instances)"
        for key, what in told.items()
        if totals[key]
    ]


def table(model: str, folder: Path, words: Sequence[str], out: Path) -> None:
    """Write the reports of ``folder/<name>/alignment.json`` of a model as one CSV table.

    Words are given as in :func:`wsd.corpus.read_all`.

    Raises
    ------
    ResultError
        If a file is missing, damaged, or of another word.
    """
    import pandas as pd

    from wsd.sheets import write_csv

    rows: list[dict[str, Any]] = []
    for name in map(as_name, words):
        path = folder / name / FILE
        found = read_json(path)
        with expecting(path):
            if file_name(found["word"]) != name:
                raise ResultError(f"the report is of {found['word']!r}", where=str(path))
            rows += [
                {"model": model, **{column: form[column] for column in COLUMNS[1:]}}
                for form in found["forms"]
            ]
    write_csv(out, pd.DataFrame(rows, columns=list(COLUMNS)))
