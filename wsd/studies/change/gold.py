"""Read what people know about change: judgments of pairs of uses, and the change of words.

``judgments.tsv`` and ``change.tsv`` lie in the corpus's folder: ``wsd import`` writes them for a
folder of DWUG. A column of clusters is a third source.
"""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.dataset import CHANGE, JUDGMENTS
from wsd.errors import CorpusError
from wsd.logs import log
from wsd.storage.result_files import reading_result
from wsd.studies.change.groups import Grouped, column
from wsd.studies.change.measures import jensen_shannon

GRADED, BINARY, COMPARE = "change_graded", "change_binary", "COMPARE"
# The gold columns: whether a higher number means more change (1) or less (-1).
GOLD = {GRADED: 1, BINARY: 1, COMPARE: -1}
# A judgment of 0 means that the annotator could not decide.
UNDECIDED = 0


class Judged(NamedTuple):
    """The judged pairs of one word.

    Attributes
    ----------
    rows : int array of shape (pairs, 2)
        Rows of the word's corpus.
    medians : float array of shape (pairs,)
        The median judgment of each pair.
    """

    rows: np.ndarray
    medians: np.ndarray


def read_change(folder: Path) -> pd.DataFrame:
    """Return the gold change, by word: the columns of ``GOLD`` that the file has.

    Raises
    ------
    CorpusError
        If the file is not such a table.
    """
    path = folder / CHANGE
    if not path.is_file():
        return pd.DataFrame(columns=[*GOLD])
    table = _read_table(path, ["word"]).set_index("word")
    columns = [name for name in GOLD if name in table]
    try:
        return table[columns].replace("", np.nan).astype(float)
    except ValueError as error:
        raise CorpusError(str(error), where=str(path), fix="write numbers, or no text") from None


def change_of_clusters(grouped: Grouped, name: str) -> float:
    """Return the Jensen-Shannon distance of the clusters of a column; NaN if a group has none.

    Uses without a cluster do not count, nor those with a negative one: DWUG's -1 is noise.
    """
    cells = np.array(grouped.corpus.extra[name])
    known = np.array([cell != "" and not cell.startswith("-") for cell in cells])
    _, codes = np.unique(cells[known], return_inverse=True)
    groups = [codes[grouped.is_second[known] == group] for group in (False, True)]
    if not all(map(len, groups)):
        return float("nan")
    counts = [np.bincount(own, minlength=codes.max() + 1)[None].astype(float) for own in groups]
    return jensen_shannon(*counts).item()


def read_judgments(folder: Path, corpora: Corpora, identifier: str) -> dict[str, Judged]:
    """Return the judged pairs of each word.

    Judgments of unknown words or identifiers are left out and counted. Pairs in both orders are the
    same pair.

    Raises
    ------
    CorpusError
        If the file is not such a table, or has no known identifier.
    """
    path = folder / JUDGMENTS
    if not path.is_file():
        return {}
    table = _read_table(path, ["word", "identifier1", "identifier2", "judgment"])
    names = column(corpora, identifier, str(path))
    places = {(word, name): row for word, own in names.items() for row, name in enumerate(own)}
    for side in ("1", "2"):
        keys = zip(table["word"], table[f"identifier{side}"], strict=True)
        table[f"row{side}"] = [places.get(key, -1) for key in keys]
    is_known = (table[["row1", "row2"]] >= 0).all(axis=1)
    if unknown := int((table["word"].isin(corpora) & ~is_known).sum()):
        log.warning("%s: %d judgments of unknown identifiers are left out", path, unknown)
    if not is_known.any() and table["word"].isin(corpora).any():
        fix = f"the column {identifier!r} of the uses has to hold these identifiers"
        raise CorpusError("no judgment has a known identifier", where=str(path), fix=fix)
    numbers = pd.to_numeric(table["judgment"], errors="coerce")
    table = table.assign(judgment=numbers)[is_known & (numbers > UNDECIDED)]
    ends = np.sort(table[["row1", "row2"]].to_numpy(dtype=int), axis=1)
    table = table.assign(row1=ends[:, 0], row2=ends[:, 1])
    medians = table.groupby(["word", "row1", "row2"])["judgment"].median().reset_index()
    return {
        str(word): Judged(rows[["row1", "row2"]].to_numpy(), rows["judgment"].to_numpy())
        for word, rows in medians.groupby("word")
    }


def _read_table(path: Path, needed: list[str]) -> pd.DataFrame:
    with reading_result(path):
        table = pd.read_csv(
            path, sep="\t", dtype=str, keep_default_na=False, quoting=csv.QUOTE_NONE
        )
    if missing := [name for name in needed if name not in table]:
        fix = f"give the columns {', '.join(needed)}"
        raise CorpusError(f"no column {missing[0]!r}", where=str(path), fix=fix)
    return table
