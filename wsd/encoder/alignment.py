"""The alignment report: how a tokenizer cuts the focal words, and vectors of unusual length.

Embedding a word writes the pieces of its instances to ``alignment.json``, next to its vectors. The
command ``alignment`` combines the files of all words of a model into two tables. ``alignment.csv``
has a row per word and surface form. ``long-vectors.csv`` has a row per word, view and layer with
vectors that are far longer than the word's others, such as an attention sink (Sun et al., 2024,
https://arxiv.org/abs/2402.17762). One such vector can dominate the mean of its class.
"""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.arguments import add_out, add_path, add_word_files, add_words, writes
from wsd.artifacts.run_json import word_file
from wsd.storage.file_names import as_name
from wsd.storage.json import read_json

if TYPE_CHECKING:
    import pandas as pd

    from wsd.artifacts.corpus_table import Corpus
    from wsd.encoder.match_word_pieces import Aligned

ALIGNMENT_FILE = "alignment.json"
# The counts of an instance, which are summed over the instances of a surface form.
COUNTED = ("unknown", "windowed", "vanished_words", "special_words")
ALIGNMENT_COLUMNS = (
    *("model", "word", "form", "instances", "pieces", "spellings"),
    *("min_pieces", "mean_pieces", "max_pieces", *COUNTED),
)
# How many times as long as the median of its word's vectors a vector is counted as long.
LONG = 10
LONG_COLUMNS = ("model", "word", "view", "layer", "instances", "long", "median", "longest")
WARNINGS = {
    "unknown": "focal words have a piece that the tokenizer does not know",
    "special_words": "words are taken for special tokens, such as [SEP]",
}


def alignment_report(corpus: "Corpus", aligned: Sequence["Aligned"]) -> dict[str, Any]:
    """Return the report of a word.

    Returns
    -------
    dict
        ``word``; ``corpus``, its digest; and ``instances``, a list per column: ``form``, the focal
        word as it is written; ``pieces``, joined by spaces, and ``number``, how many there are;
        ``unknown``, whether the tokenizer does not know a piece; ``windowed``, whether the sentence
        was shortened to the length limit; ``vanished_words`` and ``special_words``, how many words
        of the sentence have no piece, or are taken for special tokens.
    """
    return {
        "word": corpus.word,
        "corpus": corpus.digest,
        "instances": {
            "form": corpus.focal_tokens,
            "pieces": [" ".join(instance.pieces) for instance in aligned],
            "number": [len(instance.pieces) for instance in aligned],
            "unknown": [int(instance.unknown) for instance in aligned],
            "windowed": [int(instance.windowed) for instance in aligned],
            "vanished_words": [instance.vanished for instance in aligned],
            "special_words": [instance.special for instance in aligned],
        },
    }


def long_vectors(view: str, layers: Sequence[int], norms: "np.ndarray") -> list[dict[str, Any]]:
    """Return a row per layer with vectors more than ``LONG`` times as long as the median.

    Parameters
    ----------
    view : str
    layers : sequence of int
        The numbers of the layers.
    norms : array of shape (layers, instances)
        The Euclidean norms of a word's vectors.

    Returns
    -------
    list of dict
        ``view``, ``layer``; ``instances``, how many the word has; ``long``, how many of them are
        long; ``median`` and ``longest``, two norms.

    >>> long_vectors("focal", [0, 1], np.array([[1, 1, 2], [3, 1, 31]], dtype=np.float32))
    [{'view': 'focal', 'layer': 1, 'instances': 3, 'long': 1, 'median': 3.0, 'longest': 31.0}]
    """
    medians = np.median(norms, axis=1)
    counts = (norms > LONG * medians[:, None]).sum(axis=1)
    columns = zip(
        layers, counts.tolist(), medians.tolist(), norms.max(axis=1).tolist(), strict=True
    )
    return [
        {"view": view, "layer": layer, "instances": norms.shape[1]}
        | {"long": count, "median": median, "longest": longest}
        for layer, count, median, longest in columns
        if count
    ]


def report_warnings(report: Mapping[str, Any]) -> list[str]:
    """Return the problems of a report that the user should see at once, as sentences."""
    totals = {key: sum(report["instances"][key]) for key in WARNINGS}
    number = len(report["instances"]["form"])
    return [
        f"{report['word']}: {totals[key]} {problem} ({number} instances)"
        for key, problem in WARNINGS.items()
        if totals[key]
    ]


def by_form(instances: "pd.DataFrame") -> "pd.DataFrame":
    """Return a row per word and surface form; the words keep their order.

    Its columns are :data:`ALIGNMENT_COLUMNS` without the model: ``pieces`` is the most frequent way
    to cut the form, and ``spellings`` the number of ways.

    Parameters
    ----------
    instances : DataFrame
        The instances of several reports, with the column ``word``.
    """
    forms = instances.groupby(["word", "form"], sort=False).agg(
        instances=("pieces", "size"),
        pieces=("pieces", lambda pieces: Counter(pieces).most_common(1)[0][0]),
        spellings=("pieces", "nunique"),
        min_pieces=("number", "min"),
        mean_pieces=("number", "mean"),
        max_pieces=("number", "max"),
        **{key: (key, "sum") for key in COUNTED},
    )
    places = {word: place for place, word in enumerate(instances["word"].unique())}
    forms = forms.reset_index().assign(place=lambda table: table["word"].map(places))
    return forms.sort_values(["place", "instances", "form"], ascending=[True, False, True])


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--model", required=True, help="the name of the model in the table")
    add_word_files(parser, "--embeddings", "folder of <word>/alignment.json")
    add_words(parser)
    add_path(parser, "--long", "the table of long vectors (.csv)")
    writes(parser, "long")
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Write the reports of all words of a model as two CSV tables."""
    import pandas as pd

    from wsd.storage.csv import write_csv

    frames, long = [], []
    for name in map(as_name, args.words):
        report = read_json(word_file(args.embeddings, f"{name}/{ALIGNMENT_FILE}"))
        columns = ["form", "pieces", "number", *COUNTED]
        frames.append(pd.DataFrame(report["instances"])[columns].assign(word=report["word"]))
        long += [{"model": args.model, "word": report["word"], **r} for r in report["long_vectors"]]
    table = by_form(pd.concat(frames)).assign(model=args.model)
    write_csv(args.long, pd.DataFrame(long, columns=list(LONG_COLUMNS)))
    write_csv(args.out, table[list(ALIGNMENT_COLUMNS)])
