"""Write and read an export: the results of a run for others, as one ``.zip``.

The archive has four members (docs/how-to/board.md describes them): ``export.json``, provenance and
facts; ``scores.parquet``, a row per configuration; ``predictions.parquet``, a row per test
instance, without its sentence; and ``SHA256SUMS``, their checksums. It holds no code and no pickle.
The same results give the same bytes. A sense is its 0-based place among the senses of its word.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import CANDIDATE
from wsd.artifacts.encoder_record import check_record
from wsd.artifacts.predictions import WordPredictions
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.evaluation.layer_groups import GROUP, Group
from wsd.metrics.scores import MEAN_SCORES, mean_scores
from wsd.storage.atomic import replacing
from wsd.storage.result_files import UNEXPECTED, parsing, require, require_file

KIND, FORMAT = "wsd export", 1
ABOUT, SCORES, PREDICTIONS, SUMS = MEMBERS = (
    "export.json", "scores.parquet", "predictions.parquet", "SHA256SUMS",
)  # fmt: skip
NAMES = ("model", "view", "layers", "classifier")
# The columns of every instance, from which no configuration's predictions come.
INSTANCE = ("word", "index", "gold", "near_duplicates", "unlike_training")
DOCUMENT = "document"
# The most bytes of all members: a small file can unpack to a huge one.
MOST_BYTES = 2**28
FOREIGN = (EOFError, OSError, zipfile.BadZipFile, zlib.error, *UNEXPECTED)


class Export(NamedTuple):
    """An export that was read.

    Attributes
    ----------
    path : Path
    about : mapping
        The content of ``export.json``.
    groups : list of Group
        The configurations by model, view and classifier, without searches.
    instances : DataFrame
        The columns of ``predictions.parquet`` that all exports of a corpus share.
    checksum : str
        The SHA-256 of the member ``SHA256SUMS``, so of all content.
    """

    path: Path
    about: Mapping[str, Any]
    groups: Sequence[Group]
    instances: pd.DataFrame
    checksum: str

    def by_word(self, column: str) -> dict[str, np.ndarray]:
        """Return a column of the instances by word."""
        return split(self.instances, column)


def split(instances: pd.DataFrame, column: str) -> dict[str, np.ndarray]:
    """Return a column of a table of instances by word."""
    words = instances.groupby("word", sort=False)[column]
    return {str(word): values.to_numpy() for word, values in words}


def write_export(
    path: Path, about: Mapping[str, Any], groups: Sequence[Group], instances: Mapping[str, Any]
) -> str:
    """Write an export atomically, and return its checksum.

    Parameters
    ----------
    path : Path
    about : mapping
        Provenance and facts.
    groups : sequence of Group
    instances : mapping of word to array, by column
        What is known of the test instances besides word, index and gold sense.
    """
    lines: list[dict[str, Any]] = []
    words = groups[0].rows[0].words
    columns = {
        "index": {word.word: word.index for word in words},
        "gold": {word.word: word.gold for word in words},
        **instances,
    }
    for group in groups:
        for row, objective_cv in zip(group.rows, group.objective_cv, strict=True):
            line = {**dict(zip(NAMES, row.configuration, strict=True)), "column": f"c{len(lines)}"}
            line |= {"selected": row.layers == group.selected, "objective_cv": objective_cv}
            line |= {name: float(value) for name, value in mean_scores(row.confusions).items()}
            columns[line["column"]] = {word.word: word.predicted for word in row.words}
            lines.append(line)
    names = [word.word for word in words]
    predictions = {
        "word": np.repeat(names, [len(word.gold) for word in words]),
        **{
            column: np.concatenate([by_word[name] for name in names])
            for column, by_word in columns.items()
        },
    }
    scores = pd.DataFrame(lines).astype({"objective_cv": float})
    header = {"kind": KIND, "format": FORMAT, **about}
    members = {
        ABOUT: json.dumps(header, indent=1, sort_keys=True, ensure_ascii=False).encode(),
        SCORES: scores.to_parquet(index=False, compression="zstd"),
        PREDICTIONS: pd.DataFrame(predictions).to_parquet(index=False, compression="zstd"),
    }
    members[SUMS] = checksums(members).encode()
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, member in members.items():
            # An entry by itself has a fixed date.
            archive.writestr(zipfile.ZipInfo(name), member, zipfile.ZIP_DEFLATED)
    return hashlib.sha256(members[SUMS]).hexdigest()


def checksums(members: Mapping[str, bytes]) -> str:
    """Return the SHA-256 of members by name, as ``sha256sum`` writes them."""
    sums = {name: hashlib.sha256(member).hexdigest() for name, member in members.items()}
    return "".join(f"{digest}  {name}\n" for name, digest in sums.items())


def corpus_checksum(words: Mapping[str, Any]) -> str:
    """Return one checksum of all words' tables, from the ``digest`` of each."""
    digests = {word: entry["digest"] for word, entry in words.items()}
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


def read_export(path: Path) -> Export:
    """Read an export; check its members against their checksums, and its scores.

    Raises
    ------
    ResultError
        If the file is missing, incomplete, changed, not an export, or of another format.
    """
    require_file(path)
    with parsing(path, "not a whole export", FOREIGN), zipfile.ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
        require(size <= MOST_BYTES, f"it unpacks to {size:,} bytes")
        members = {name: archive.read(name) for name in MEMBERS}
        sums = members.pop(SUMS)
        require(sums.decode() == checksums(members), "a member does not match its checksum")
        about = json.loads(members[ABOUT])
        require(about["kind"] == KIND and about["format"] == FORMAT, f"not {KIND} {FORMAT}")
        words, link = about["corpus"]["words"], about["dataset"]["licence_url"]
        require(not link or link.startswith(("https://", "http://")), "licence_url is not a link")
        agrees = about["corpus"]["checksum"] == corpus_checksum(words)
        require(agrees, "the checksum of the corpus is not that of its words")
        for model in about["models"].values():
            check_record(model["encoder"]["model"])
        scores = pd.read_parquet(io.BytesIO(members[SCORES]))
        table = pd.read_parquet(io.BytesIO(members[PREDICTIONS]))
        in_order = np.repeat([*words], [entry["n_test"] for entry in words.values()])
        require([*table["word"]] == [*in_order], "its instances and its words do not match")
        grouped = scores.groupby(list(GROUP), sort=False)
        groups = [_group(about, lines, table) for _, lines in grouped]
        names = {tuple(line) for line in scores[list(NAMES)].itertuples(index=False)}
        for name, entry in about["models"].items():
            chosen = (name, *(entry["selected"][key] for key in NAMES[1:]))
            require(chosen in names, f"the selected configuration of {name!r} is missing")
        instances = table[[*INSTANCE, *({DOCUMENT} & {*table})]]
        return Export(path, about, groups, instances, hashlib.sha256(sums).hexdigest())


def _group(about: Mapping[str, Any], lines: pd.DataFrame, table: pd.DataFrame) -> Group:
    """Return the configurations of a model, view and classifier."""
    (selected,) = lines.loc[lines["selected"], "layers"]
    cv = lines["objective_cv"].astype(float)
    return Group(
        rows=[_row(about, line, table) for line in lines.to_dict("records")],
        searches=[],
        objective=about["objective"],
        objective_cv=[None if np.isnan(value) else value for value in cv.tolist()],
        selected=selected,
        selected_for={},
    )


def _row(about: Mapping[str, Any], line: Mapping[Any, Any], table: pd.DataFrame) -> ComparisonRow:
    """Return a configuration; its scores must follow from its predictions."""
    index, gold, predicted = (split(table, name) for name in ("index", "gold", line["column"]))
    words = [
        WordPredictions(
            word=word,
            senses=tuple(entry["senses"]),
            n_train=entry["n_train"],
            index=index[word],
            gold=gold[word],
            predicted=predicted[word],
            scores=np.empty((len(gold[word]), 0)),
        )
        for word, entry in about["corpus"]["words"].items()
    ]
    for word in words:
        codes = np.stack([word.gold, word.predicted])
        known = codes.dtype.kind == "i" and ((codes >= 0) & (codes < len(word.senses))).all()
        require(known, f"a sense that {word.word!r} does not have")
    source = {"encoder": about["models"][line["model"]]["encoder"]}
    documents = split(table, DOCUMENT) if DOCUMENT in table else {}
    names = (line[name] for name in NAMES)
    row = ComparisonRow(CANDIDATE, *names, words, "", source, documents)
    means = mean_scores(row.confusions)
    agrees = all(abs(line[name] - float(means[name])) < 1e-9 for name in MEAN_SCORES)
    require(agrees, f"the scores of {line['column']} do not follow from its predictions")
    return row
