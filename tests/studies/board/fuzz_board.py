"""Exports under damaged input, with checksums that are right."""

import hashlib
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from fuzz_target import BYTE_TOKENS, JSON_TOKENS, Target, small_corpus

from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.evaluation.layer_groups import Group
from wsd.studies.board import export_checks, export_file, export_tables

SEPARATOR = b"\n\0\n"


@cache
def valid() -> dict[str, bytes]:
    """Return the members of an export of one word and two layer choices."""
    corpus = small_corpus()
    gold = corpus.gold[corpus.split == TEST]
    files = dict.fromkeys(("config.json", "model.safetensors"), "0")
    shape = {"blocks": 2, "width": 3, "model_type": "bert"}
    record = {"name": "tiny", "source": {"path": "tiny"}, "files": files, **shape}
    rows = [
        ComparisonRow(
            "candidate", "tiny", "focal", layers, "lda",
            [WordPredictions("crane", corpus.senses, 6, np.arange(3, dtype=np.int32), gold,
                             predicted, np.empty((3, 0)))],
            source={"encoder": {"model": record}},
        )
        for layers, predicted in (("1", gold), ("mean-all", 1 - gold))
    ]  # fmt: skip
    groups = [Group(rows, [], "mean_macro_f1", [0.5, None], "1", {})]
    entry = {"digest": corpus.digest, "senses": [*corpus.senses], "n_train": 6, "n_test": 3}
    selected = {"view": "focal", "layers": "1", "classifier": "lda"}
    facts = {"parameters": 9, "embedding_processor_seconds": 1.5}
    about = {
        "dataset": dict.fromkeys(export_checks.DATASET, ""),
        "corpus": {"checksum": export_checks.corpus_checksum({"crane": entry}),
                   "words": {"crane": entry}},
        "models": {"tiny": {"encoder": {"model": record}, "selected": selected, **facts}},
        "objective": "mean_macro_f1", "folds": {}, "spaces": {}, "config": {}, "seed": 1,
        "versions": {}, "written_by": "0",
    }  # fmt: skip
    near, unlike = {"crane": np.arange(3)}, {"crane": np.zeros(3, dtype=bool)}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.zip"
        export_file.write_export(path, about, export_tables.Content(groups, near, unlike))
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in export_file.MEMBERS[:3]}


def seeds() -> list[bytes]:
    about, *tables = valid().values()
    return [about, SEPARATOR.join([about, tables[0]]), SEPARATOR.join([about, *tables])]


def run_export(data: bytes, folder: Path) -> None:
    """Write the members to an archive, and read it; a missing member is valid."""
    given = dict(zip(export_file.MEMBERS, data.split(SEPARATOR, 2), strict=False))
    members = {**valid(), **given}
    sums = [f"{hashlib.sha256(content).hexdigest()}  {n}" for n, content in members.items()]
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.writestr(export_file.SUMS, "\n".join(sums))
    export = export_file.read_export(folder / "a.zip")
    rows = [row for group in export.content.groups for row in group.rows]
    assert {row.model for row in rows} == set(export.about["models"])
    for row in rows:
        for words in row.words:
            assert len(words.gold) == len(words.predicted) == len(words.index) > 0
            assert max(words.gold.max(), words.predicted.max()) < len(words.senses)
    for group in export.content.groups:
        assert group.selected in [row.layers for row in group.rows]
        assert [group.columns(row) for row in group.rows]


TOKENS = (b"export", b"format", *JSON_TOKENS, *BYTE_TOKENS)
PARSERS = {
    "studies/board/export_file": ("read_export", "_unpacked"),
    "studies/board/export_checks": ("*",),
    "studies/board/export_tables": ("from_tables",),
}
TARGETS = [Target("export", seeds, run_export, TOKENS, 0.4)]
