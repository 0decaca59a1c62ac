"""Folders of word usage graphs: uses, groups, clusters, judgments and change."""

import csv
import json
import logging
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from importing import import_corpus
from scipy.spatial.distance import jensenshannon

from wsd.artifacts.dataset import CHANGE, JUDGMENTS, MANIFEST, read_manifest
from wsd.corpora.text_format import read_unlabelled
from wsd.errors import ConfigError, CorpusError
from wsd.storage.file_names import file_name

GRAPHS = Path(__file__).parent / "formats/dwug"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data set of one word."""
    root = tmp_path / "dwug_xx"
    for source, target in (
        ("uses.csv", "data/cell_nn/uses.csv"),
        ("judgments.csv", "data/cell_nn/judgments.csv"),
        ("clusters.csv", "clusters/opt/cell_nn.csv"),
        ("clusters.csv", "clusters/full/cell_nn.csv"),
    ):
        (root / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(GRAPHS / source, root / target)
    stats = root / "stats/opt/stats_groupings.csv"
    stats.parent.mkdir(parents=True)
    stats.write_text("lemma\tgrouping\tchange_graded\tchange_binary\ncell\t1_2\t0.5\t1\n")
    return root


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_data_set_is_imported_as_it_is(folder: Path, tmp_path: Path) -> None:
    text = import_corpus([folder], out=tmp_path / "out", name="xx")
    assert "1 word without senses; 3 judgments, 1 word with a published change" in text
    dataset = read_manifest(tmp_path / "out" / MANIFEST)
    assert not dataset.labelled and dataset.words == ("cell",)
    corpus = read_unlabelled(tmp_path / "out/cell", "cell")
    assert corpus.extra["identifier"] == tuple(
        f"cell-{n}" for n in ("a1", "a2", "a3", "b1", "b2", "b3")
    )
    assert corpus.extra["grouping"] == ("1",) * 3 + ("2",) * 3
    assert corpus.extra["cluster"] == ("0",) * 3 + ("1",) * 3
    # Columns that repeat the sentence, or are empty, are left out.
    assert set(corpus.extra) == {"identifier", "grouping", "cluster", "pos", "date"}
    words = [tokens[at] for tokens, at in zip(corpus.tokens, corpus.position, strict=True)]
    assert words == ["cell", "cells", "cells", "cells", "cell", "cell"]
    # The second of two cells in a sentence is the focal word.
    assert corpus.position[4] > corpus.tokens[4].index("cell")
    assert table(tmp_path / "out" / JUDGMENTS)[1] == {
        "word": "cell", "identifier1": "cell-a1", "identifier2": "cell-b1",
        "annotator": "annotator0", "judgment": "1.0",
    }  # fmt: skip
    (change,) = table(tmp_path / "out" / CHANGE)
    assert (change["change_graded"], change["change_binary"], change["COMPARE"]) == ("0.5", "1", "")
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert {JUDGMENTS, CHANGE} < set(manifest["files"])


def test_the_folder_of_a_word_is_enough(tmp_path: Path) -> None:
    import_corpus([GRAPHS], out=tmp_path / "out", name="xx")
    corpus = read_unlabelled(tmp_path / "out/cell", "cell")
    assert corpus.extra["cluster"] == ("0",) * 3 + ("1",) * 3
    assert len(table(tmp_path / "out" / JUDGMENTS)) == 3
    assert not (tmp_path / "out" / CHANGE).exists()


def test_a_use_that_is_there_twice_stays_with_its_identifier(folder: Path, tmp_path: Path) -> None:
    path = folder / "data/cell_nn/uses.csv"
    line = path.read_text().splitlines()[1]
    path.write_text(path.read_text() + line.replace("cell-a1", "cell-a4") + "\n")
    import_corpus([folder], out=tmp_path / "out", name="xx")
    assert read_unlabelled(tmp_path / "out/cell", "cell").extra["identifier"][-1] == "cell-a4"


@pytest.mark.parametrize(
    ("file", "old", "new", "where", "problem"),
    [
        ("uses.csv", "\t4:8\t", "\t4:99\t", "uses.csv:2", "4 to 99 are not within the text"),
        ("uses.csv", "cell-a2", "cell-a1", "uses.csv:3", "'cell-a1' occurs in"),
        ("uses.csv", "cell-a2", "", "uses.csv:3", "a use without an identifier"),
        ("uses.csv", "identifier", "id", "uses.csv:1", "no column 'identifier'"),
        ("uses.csv", "indexes_target_token\t", "places\t", "uses.csv:1", "no column for the span"),
        ("judgments.csv", "cell-b1", "cell-b9", "judgments.csv:3", "no use has the identifier"),
        ("judgments.csv", "4.0", "four", "judgments.csv:2", "string to float: 'four'"),
        ("judgments.csv", "judgment\t", "rating\t", "judgments.csv:1", "no column 'judgment'"),
    ],
)
def test_a_fault_is_named_with_its_line(
    folder: Path, file: str, old: str, new: str, where: str, problem: str, tmp_path: Path
) -> None:
    edit(folder / "data/cell_nn" / file, old, new)
    with pytest.raises(CorpusError, match=problem) as caught:
        import_corpus([folder], out=tmp_path / "out", name="xx")
    assert where in str(caught.value.where)
    assert not (tmp_path / "out").exists()


def test_bad_lines_can_be_left_out(folder: Path, tmp_path: Path) -> None:
    edit(folder / "data/cell_nn/judgments.csv", "cell-b1", "cell-b9")
    edit(folder / "data/cell_nn/uses.csv", "\t4:9\t", "\t4:99\t")
    import_corpus([folder], out=tmp_path / "out", name="xx", skip_bad=True)
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert sum(manifest["left_out"].values()) == 2
    # The judgment about the use that is left out is left out too, and it is no further bad line.
    (left,) = table(tmp_path / "out" / JUDGMENTS)
    assert (left["identifier2"], left["judgment"]) == ("cell-b1", "2.0")


def test_quotes_are_text(folder: Path, tmp_path: Path) -> None:
    """Quoted as CSV, the sentence would be shorter, and the place another one."""
    path = folder / "data/cell_nn/uses.csv"
    edit(path, "The cell of the monk had one window , and a hard bed stood in it\t4:8",
         '"The ""cell"" of the monk"\t7:11')  # fmt: skip
    import_corpus([folder], out=tmp_path / "out", name="xx")
    corpus = read_unlabelled(tmp_path / "out/cell", "cell")
    assert "".join(corpus.tokens[0]) == '"The""cell""ofthemonk"'


def test_an_annotator_may_be_undecided(folder: Path, tmp_path: Path) -> None:
    """DURel writes a hyphen, DWUG a 0."""
    edit(folder / "data/cell_nn/judgments.csv", "4.0", "-")
    import_corpus([folder], out=tmp_path / "out", name="xx")
    assert [row["judgment"] for row in table(tmp_path / "out" / JUDGMENTS)] == ["0", "1.0", "2.0"]


def test_change_between_more_than_two_groups_is_left_out(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = folder / "stats/opt/stats_groupings.csv"
    path.write_text(path.read_text() + "cell\t1_3\t0.7\t1\n")
    with caplog.at_level(logging.INFO):
        text = import_corpus([folder], out=tmp_path / "out", name="xx")
    assert "0 words with a published change" in text and "left out, of cell" in caplog.text
    assert not (tmp_path / "out" / CHANGE).exists()


def test_every_file_has_the_encoding(folder: Path, tmp_path: Path) -> None:
    for path in folder.rglob("*.csv"):
        text = path.read_text().replace("cell-", "zéllé-")
        path.write_bytes(text.encode("cp1252"))
    import_corpus([folder], out=tmp_path / "out", name="xx", encoding="cp1252")
    assert table(tmp_path / "out" / JUDGMENTS)[0]["identifier1"] == "zéllé-a1"


def test_other_files_are_not_mixed_in(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no folder of usage graphs"):
        import_corpus([folder, GRAPHS / "uses.csv"], out=tmp_path / "out", name="xx")


def test_a_word_with_two_uses_is_left_out(folder: Path, tmp_path: Path) -> None:
    path = folder / "data/cell_nn/uses.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:3]) + "\n")
    (folder / "data/cell_nn/judgments.csv").unlink()
    shutil.rmtree(folder / "clusters")
    with pytest.raises(CorpusError, match="no word has 3 uses"):
        import_corpus([folder], out=tmp_path / "out", name="xx")


def test_published_graded_change_follows_from_the_clusters(dwug_en: Path, tmp_path: Path) -> None:
    """It is the Jensen-Shannon distance (base 2) of the groups' cluster shares, without noise."""
    import_corpus([dwug_en], out=tmp_path / "out", name="en")
    dataset = read_manifest(tmp_path / "out" / MANIFEST)
    assert len(dataset.words) == 46
    sizes = 0
    for row in table(tmp_path / "out" / CHANGE):
        folder = tmp_path / "out" / file_name(row["word"])
        corpus = read_unlabelled(folder, row["word"])
        sizes += len(corpus)
        pairs = Counter(zip(corpus.extra["grouping"], corpus.extra["cluster"], strict=True))
        clusters = sorted({c for _, c in pairs} - {"-1", ""})
        shares = [np.array([pairs[group, c] for c in clusters]) for group in ("1", "2")]
        expected = jensenshannon(*shares, base=2)
        np.testing.assert_allclose(float(row["change_graded"]), expected, atol=1e-12)
    assert sizes == 9107
