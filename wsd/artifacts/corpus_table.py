"""Read and write the table of a word: instances, positions of the focal word, senses."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.storage.file_names import as_name
from wsd.storage.parquet import as_tuples, read_table, write_table

if TYPE_CHECKING:
    import pyarrow as pa

SPLITS = ("train", "test")
OUT_OF_DOMAIN = "outofdomain"
# The senses of a word without labels.
UNLABELLED = ("unknown",)
# The prefix of an extra column in the table.
EXTRA = "extra:"


@dataclass(frozen=True, eq=False)
class Corpus:
    """The instances of one word: the training split, the test split and any out-of-domain split.

    Each split is in the order of its file.

    Attributes
    ----------
    word : str
        The lemma, which names the word's folder.
    senses : tuple of str
        The sense inventory, in the order of the class numbers.
    split : array of shape (n,)
        ``"train"``, ``"test"`` or ``"outofdomain"``.
    index : array of shape (n,)
        The 0-based line in the file of the split. All words share the out-of-domain file.
    tokens : tuple of n tuples of str
        Tokens have no white space, except for a focal word of several tokens, such as ``New York``:
        it is a single token here, with single spaces.
    position : int array of shape (n,)
        0-based index of the focal word among the tokens.
    touching : tuple of n tuples of int
        The positions of the tokens that no space separates from the one before, as in running text;
        empty if there are none.
    gold : int array of shape (n,)
        0-based index into ``senses``.
    document : array of shape (n,), or None
        The name of each instance's document: instances of one document are not independent. Empty
        where the document is unknown; None if all are unknown.
    extra : mapping of str to tuple of n str
        The columns of the imported file that the product does not use, as text by column. They do
        not count for the digest.
    """

    word: str
    senses: tuple[str, ...]
    split: np.ndarray
    index: np.ndarray
    tokens: tuple[tuple[str, ...], ...]
    position: np.ndarray
    gold: np.ndarray
    document: np.ndarray | None = None
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    touching: tuple[tuple[int, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def is_labelled(self) -> bool:
        """Return whether the instances have senses."""
        return self.senses != UNLABELLED

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 of the content: tables with equal digests have the same rows.

        The documents do not count, because no vector depends on them.
        """
        columns = (self.split, self.index, self.position, self.gold)
        parts = [[self.word, self.senses], *(column.tolist() for column in columns)]
        # Chunks of 1,000 rows, because single rows take five times as long, and all rows too much
        # memory.
        parts += [self.tokens[i : i + 1000] for i in range(0, len(self), 1000)]
        parts += [self.touching] if any(self.touching) else []
        hasher = hashlib.sha256()
        for part in parts:
            hasher.update(json.dumps(part).encode())
        return hasher.hexdigest()

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """Return the distinct focal tokens of the training split, sorted and case-folded."""
        focal = np.array(self.focal_tokens, dtype=object)[self.split == "train"]
        return tuple(sorted({token.casefold() for token in focal}))

    @property
    def focal_tokens(self) -> list[str]:
        """Return the focal word of every instance, as it stands in the sentence."""
        places = zip(self.tokens, self.position.tolist(), strict=True)
        return [tokens[position] for tokens, position in places]

    def parts(self, row: int) -> tuple[str, str, str]:
        """Return the text of an instance: before the focal word, the focal word, and after it."""
        touching = self.touching[row] if self.touching else ()
        return text_parts(int(self.position[row]), self.tokens[row], touching)

    def text(self, row: int) -> str:
        """Return the text of an instance."""
        return "".join(self.parts(row))

    def training_rows(self, lines: np.ndarray) -> np.ndarray:
        """Return the rows of lines of the training file, in the order of the lines."""
        rows = np.flatnonzero(self.split == "train")
        return rows[np.searchsorted(self.index[rows], lines)]

    def take(self, rows: np.ndarray) -> "Corpus":
        """Return the table of the selected rows.

        Parameters
        ----------
        rows : bool array of shape (n,)
        """
        arrays = ["split", "index", "position", "gold"]
        if self.document is not None:
            arrays.append("document")
        taken = {name: getattr(self, name)[rows] for name in arrays}
        extra = {name: tuple(compress(cells, rows)) for name, cells in self.extra.items()}
        for name in ("tokens", "touching"):
            taken[name] = tuple(compress(getattr(self, name), rows))
        return replace(self, extra=extra, **taken)

    def joined(self, other: "Corpus") -> "Corpus":
        """Return the table with another's rows at its end, without documents.

        Parameters
        ----------
        other : Corpus
            Its rows have empty cells in the extra columns of this table.
        """
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("split", "index", "position", "gold")
        }
        arrays["tokens"] = self.tokens + other.tokens
        touching = chain.from_iterable(c.touching or [()] * len(c) for c in (self, other))
        extra = {name: (*cells, *[""] * len(other)) for name, cells in self.extra.items()}
        return replace(self, touching=tuple(touching), document=None, extra=extra, **arrays)


def text_parts(
    position: int, tokens: Sequence[str], touching: Collection[int] = ()
) -> tuple[str, str, str]:
    """Return the text before the focal word, the focal word, and the text after it.

    >>> text_parts(1, ("the", "crane", "'s", "arm"), (2,))
    ('the ', 'crane', "'s arm")
    """
    written = [token if i in touching else f" {token}" for i, token in enumerate(tokens)]
    before, after = "".join(written[:position]), "".join(written[position + 1 :])
    space = "" if position in touching or not position else " "
    return before[1:] + space, tokens[position], after


# Each word's table, by word.
Corpora = Mapping[str, Corpus]


def write(path: Path, corpus: Corpus) -> None:
    """Write a word's table as Parquet, atomically."""
    import pyarrow as pa

    table = pa.table(
        {
            "word": [corpus.word] * len(corpus),
            "split": corpus.split.tolist(),
            "index": corpus.index,
            "position": corpus.position,
            "tokens": list(map(list, corpus.tokens)),
            "sense": [corpus.senses[gold] for gold in corpus.gold],
        }
    )
    if any(corpus.touching):
        table = table.append_column("touching", pa.array([*map(list, corpus.touching)]))
    if corpus.document is not None:
        table = table.append_column("document", pa.array(corpus.document.tolist()))
    table = with_extra(table, corpus.extra)
    write_table(path, table, {key: getattr(corpus, key) for key in ("word", "senses", "digest")})


def with_extra(table: "pa.Table", extra: Mapping[str, tuple[str, ...]]) -> "pa.Table":
    """Return a table with the extra columns of its rows; ``extra:`` begins their names."""
    import pyarrow as pa

    for name, cells in extra.items():
        table = table.append_column(EXTRA + name, pa.array(cells, pa.string()))
    return table


def extra_columns(table: "pa.Table") -> dict[str, tuple[str, ...]]:
    """Return the extra columns of a table of :func:`with_extra`."""
    return {
        name.removeprefix(EXTRA): tuple(table[name].to_pylist())
        for name in table.column_names
        if name.startswith(EXTRA)
    }


def read(path: Path) -> Corpus:
    """Read a table that :func:`write` wrote."""
    table, provenance = read_table(path, "tokens", "sense")
    senses = tuple(provenance["senses"])
    has_documents = "document" in table.column_names
    corpus = Corpus(
        word=provenance["word"],
        senses=senses,
        split=np.array(table["split"].to_pylist()),
        index=table["index"].to_numpy(),
        tokens=as_tuples(table["tokens"]),
        position=table["position"].to_numpy(),
        touching=as_tuples(table["touching"]) if "touching" in table.column_names else (),
        gold=np.array([senses.index(s) for s in table["sense"].to_pylist()], dtype=np.int32),
        document=np.array(table["document"].to_pylist()) if has_documents else None,
        extra=extra_columns(table),
    )
    # The checksum of the file proves it, and every step reads the tables.
    vars(corpus)["digest"] = provenance["digest"]
    return corpus


def read_corpora(folder: Path, words: Sequence[str]) -> dict[str, Corpus]:
    """Read the tables ``folder/<name>.parquet`` of several words, in the order of ``words``.

    Parameters
    ----------
    folder : Path
    words : sequence of str
        Words, or their names as :func:`wsd.storage.file_names.file_name` gives them.
    """
    tables = (read(folder / f"{as_name(word)}.parquet") for word in words)
    return {corpus.word: corpus for corpus in tables}


def instance_name(corpus: Corpus, row: int) -> str:
    """Return the name of an instance in messages: its word, split and line."""
    return f"{corpus.word} {corpus.split[row]} {corpus.index[row]}"
