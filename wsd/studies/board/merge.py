"""Read exports of the same corpus, and compute the tables of the board.

One run with all encoders gives the same tables: they are computed by the functions of `wsd compare`
and `wsd layerwise`, from the same predictions. They do not depend on the order of the exports.
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

from wsd.artifacts.column_names import ALL_WORDS, BEST, CANDIDATE
from wsd.artifacts.encoder_record import check_record
from wsd.artifacts.feature_set import JOIN
from wsd.artifacts.predictions import WordPredictions
from wsd.artifacts.training_set import FULL
from wsd.errors import ResultError
from wsd.evaluation.comparison_rows import ComparisonRow, assemble
from wsd.evaluation.comparison_tables import best_of, differences, with_intervals
from wsd.evaluation.layerwise import GROUP, LAYER_COLUMNS, Group, of_layers
from wsd.storage.result_files import UNEXPECTED, parsing, require, require_file
from wsd.studies.board import export
from wsd.studies.board.export import DOCUMENT, NAMES

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


def read_export(path: Path) -> Export:
    """Read an export, and check its members against their checksums.

    Raises
    ------
    ResultError
        If the file is missing, incomplete, changed, not an export, or of another format.
    """
    require_file(path)
    with parsing(path, "not a whole export", FOREIGN), zipfile.ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
        require(size <= MOST_BYTES, f"it unpacks to {size:,} bytes")
        members = {name: archive.read(name) for name in export.MEMBERS}
        sums = members.pop(export.SUMS)
        require(sums == export.checksums(members), "a member does not match its checksum")
        about = json.loads(members[export.ABOUT])
        require({**about, **export.KIND} == about, f"it is not of the kind {export.KIND}")
        for model in about["models"].values():
            check_record(model["encoder"]["model"])
        scores, table = (
            pd.read_parquet(io.BytesIO(members[n])) for n in (export.SCORES, export.PREDICTIONS)
        )
        groups = [
            _group(about, lines, table) for _, lines in scores.groupby(list(GROUP), sort=False)
        ]
        instances = table[[name for name in (*export.INSTANCE, DOCUMENT) if name in table]]
        return Export(path, about, groups, instances, hashlib.sha256(sums).hexdigest())


def by_word(table: pd.DataFrame, column: str) -> dict[str, np.ndarray]:
    """Return a column of a table of instances by word."""
    words = table.groupby("word", sort=False)[column]
    return {str(word): values.to_numpy() for word, values in words}


def _group(about: Mapping[str, Any], lines: pd.DataFrame, table: pd.DataFrame) -> Group:
    """Return the configurations of a model, view and classifier."""
    (selected,) = lines.loc[lines["selected"], "layers"]
    cv = [None if np.isnan(value) else value for value in lines["objective_cv"].astype(float)]
    source = {"encoder": about["models"][lines["model"].iloc[0]]["encoder"]}
    index, gold = by_word(table, "index"), by_word(table, "gold")
    documents = by_word(table, DOCUMENT) if DOCUMENT in table else {}
    rows = []
    for line in lines.to_dict("records"):
        predicted, words = by_word(table, line["column"]), []
        for word, entry in about["corpus"]["words"].items():
            senses, codes = tuple(entry["senses"]), np.stack([gold[word], predicted[word]])
            known = codes.dtype.kind == "i" and np.isin(codes, range(len(senses))).all()
            require(known, f"a sense that {word!r} does not have")
            scores = np.empty((len(gold[word]), 0))
            instances = (index[word], gold[word], predicted[word], scores)
            words.append(WordPredictions(word, senses, entry["n_train"], *instances))
        names = {name: line[name] for name in NAMES}
        rows.append(
            ComparisonRow(CANDIDATE, **names, words=words, source=source, documents=documents)
        )
    return Group(rows, [], about["objective"], cv, selected, {})


def check_together(exports: Sequence[Export]) -> None:
    """Refuse exports with different corpora or objectives, or with models of the same name.

    Raises
    ------
    ResultError
    """
    for i, other in enumerate(exports):
        for first in exports[:i]:
            corpora, problem = [each.about["corpus"]["words"] for each in (first, other)], ""
            if names := {*first.about["models"]} & {*other.about["models"]}:
                problem = f"two encoders have the name {min(names)!r}"
                fix = "export the other models of a run with `--model`"
            elif corpora[0] != corpora[1] or not first.instances.equals(other.instances):
                problem, fix = "the corpora differ", "merge exports of the same words and sentences"
            elif first.about["objective"] != other.about["objective"]:
                problem, fix = "the objectives differ", "run both with one `tuning.objective`"
            if problem:
                raise ResultError(problem, where=f"{first.path} and {other.path}", fix=fix)


def compute_tables(exports: Sequence[Export], seed: int) -> dict[str, pd.DataFrame]:
    """Return the tables of the board by name; scores are fractions.

    ``encoders`` has the selected configuration of each encoder, ``layers`` every layer choice of a
    single view, and ``differences`` each selected configuration minus every other one.
    """
    groups = sorted(
        (group for each in exports for group in each.groups),
        key=lambda group: tuple(group.names.values()),
    )
    metric, instances = groups[0].objective, exports[0].instances
    rows = [row for group in groups for row in group.rows]
    listed = pd.DataFrame([row.configuration for row in rows], columns=NAMES)
    listed["objective"] = [value for group in groups for value in group.objective_cv]
    listed = listed.assign(train=FULL, scope=ALL_WORDS)
    models = {name: facts for each in exports for name, facts in each.about["models"].items()}
    chosen = {name: {FULL: {"all": facts["selected"]}} for name, facts in models.items()}
    comparisons = assemble(rows, chosen, metric, listed)
    references = [comparison.reference for comparison in comparisons]
    unlike, clusters = (by_word(instances, name) for name in ("unlike_training", "near_duplicates"))
    encoders = pd.DataFrame(
        with_intervals(references, unlike, comparisons[0].objective, seed)
    ).drop(columns=["kind", "about"])
    depths = {row.configuration: group.columns(row) for group in groups for row in group.rows}
    encoders["relative_depth"] = [depths[r.configuration]["relative_depth"] for r in references]
    for key in ("blocks", "width"):
        encoders[key] = [models[row.model]["encoder"]["model"][key] for row in references]
    best = best_of(references, range(len(references[0].words)), metric, seed)
    encoders = encoders.assign(
        metric=metric, p_largest_advantage=best.p, in_confidence_set=best.within
    )
    apart = [line for own in comparisons for line in differences(own, clusters, seed)]
    others = pd.DataFrame(apart)
    single = [group for group in groups if JOIN not in group.names["view"]]
    layers = [line for group in single for line in of_layers(group, seed)]
    return {
        "encoders": encoders,
        "layers": pd.DataFrame(layers, columns=LAYER_COLUMNS),
        "differences": others[others["kind"] != BEST].drop(columns=["reference_kind", "kind"]),
    }
