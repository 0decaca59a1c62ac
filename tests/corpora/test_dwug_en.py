"""Word usage graphs: folders of DURel and DWUG, small archives, and the real archive."""

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import small_dwug
from importing import import_corpus
from scipy.spatial.distance import jensenshannon

from wsd.artifacts.dataset import (
    CHANGE,
    DATASETS,
    JUDGMENTS,
    MANIFEST,
    dataset_of_results,
    read_manifest,
)
from wsd.corpora import dwug_en
from wsd.corpora.text_format import read_unlabelled
from wsd.errors import ConfigError, CorpusError, DownloadError
from wsd.storage.file_names import file_name

WORDS = ("cell_nn", "file_nn", "mouse_nn")
GRAPHS = Path(__file__).parent / "formats/dwug"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "results/dwug-en/source"


def test_the_corpus_is_that_of_an_import(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, sums = small_dwug.write_archive(tmp_path / "made", "tar.xz")
    monkeypatch.setattr(dwug_en, "ARCHIVE", replace(dwug_en.ARCHIVE, checksums=sums))
    monkeypatch.setenv("WSD_DWUG_EN_ARCHIVE", str(archive))
    dwug_en.write_dataset(out)
    dataset = dataset_of_results(out.parent)
    assert not dataset.labelled and dataset.words == WORDS
    assert dataset.title == DATASETS["dwug-en"].title and "CC BY-ND 4.0" in dataset.licence
    import_corpus([small_dwug.write(tmp_path / "dwug")], out=tmp_path / "imported", name="x")
    assert read_manifest(tmp_path / "imported" / MANIFEST).digests == dataset.digests
    (out / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match="refused to replace"):
        dwug_en.write_dataset(out)
    (out / "thesis.txt").unlink()
    sums.write_text("0" * 8 + sums.read_text()[8:])
    with pytest.raises(DownloadError, match="is not the file it should be"):
        dwug_en.write_dataset(out)


@pytest.mark.slow
def test_the_real_archive(dwug_archive: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WSD_DWUG_EN_ARCHIVE", str(dwug_archive))
    dwug_en.write_dataset(out)
    dataset = dataset_of_results(out.parent)
    # The table in the package, by which runs are planned before the download.
    assert dataset.sizes == DATASETS["dwug-en"].sizes
    assert sum(dataset.sizes.values()) == 9107
    assert len(table(out / JUDGMENTS)) == 68_887
    # The published change is the Jensen-Shannon distance (base 2) of the groups' cluster shares,
    # without noise.
    for row in table(out / CHANGE):
        corpus = read_unlabelled(out / file_name(row["word"]), row["word"])
        assert {*corpus.extra} == {"identifier", "grouping", "date", "pos", "cluster"}
        pairs = Counter(zip(corpus.extra["grouping"], corpus.extra["cluster"], strict=True))
        clusters = sorted({c for _, c in pairs} - {"-1", ""})
        shares = [np.array([pairs[group, c] for c in clusters]) for group in ("1", "2")]
        expected = jensenshannon(*shares, base=2)
        np.testing.assert_allclose(float(row["change_graded"]), expected, atol=1e-12)


def table(path: Path) -> list[dict[str, str]]:
    frame = pd.read_csv(path, sep="\t", quoting=3, dtype=str, keep_default_na=False)
    return frame.to_dict("records")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data set of one word."""
    shutil.copytree(GRAPHS, tmp_path / "xx/data/cell_nn")
    for kind in ("opt", "full"):
        (tmp_path / f"xx/clusters/{kind}").mkdir(parents=True)
        shutil.copyfile(GRAPHS / "clusters.csv", tmp_path / f"xx/clusters/{kind}/cell_nn.csv")
    stats = tmp_path / "xx/stats/opt/stats_groupings.csv"
    stats.parent.mkdir(parents=True)
    stats.write_text("lemma\tgrouping\tchange_graded\tchange_binary\ncell\t1_2\t0.5\t1\n")
    return tmp_path / "xx"


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
    extra = {name: " ".join(cells) for name, cells in corpus.extra.items()}
    assert extra["identifier"] == "cell-a1 cell-a2 cell-a3 cell-b1 cell-b2 cell-b3"
    assert (extra["grouping"], extra["cluster"]) == ("1 1 1 2 2 2", "0 0 0 1 1 1")
    # Columns that repeat the sentence, or are empty, are left out.
    assert set(extra) == {"identifier", "grouping", "cluster", "pos", "date"}
    assert corpus.focal_tokens == ["cell", "cells", "cells", "cells", "cell", "cell"]
    # The second of two cells in a sentence is the focal word.
    assert corpus.position[4] > corpus.tokens[4].index("cell")
    judgment = [*table(tmp_path / "out" / JUDGMENTS)[1].values()]
    assert judgment == ["cell", "cell-a1", "cell-b1", "annotator0", "1.0"]
    (change,) = table(tmp_path / "out" / CHANGE)
    assert (change["change_graded"], change["change_binary"], change["COMPARE"]) == ("0.5", "1", "")
    assert {JUDGMENTS, CHANGE} < set(dataset.digests)


def test_odd_data_are_kept_as_they_are(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    uses = folder / "data/cell_nn/uses.csv"
    line = uses.read_text().splitlines()[1]
    # Quotes are text. Read as CSV, the sentence would be shorter, and the place another one.
    edit(uses, "The cell of the monk had one window , and a hard bed stood in it\t4:8",
         '"The ""cell"" of the monk"\t7:11')  # fmt: skip
    # A use that is there twice stays, with its identifier.
    uses.write_text(uses.read_text() + line.replace("cell-a1", "cell-a4") + "\n")
    # An undecided annotator: DURel writes a hyphen, DWUG a 0.
    edit(folder / "data/cell_nn/judgments.csv", "4.0", "-")
    # The change between more than two groups is left out.
    stats = folder / "stats/opt/stats_groupings.csv"
    stats.write_text(stats.read_text() + "cell\t1_3\t0.7\t1\n")
    for path in folder.rglob("*.csv"):
        path.write_bytes(path.read_text().replace("cell-", "zéllé-").encode("cp1252"))
    with caplog.at_level("INFO"):
        import_corpus([folder], out=tmp_path / "out", name="xx", encoding="cp1252")
    corpus = read_unlabelled(tmp_path / "out/cell", "cell")
    assert "".join(corpus.tokens[0]) == '"The""cell""ofthemonk"'
    assert corpus.extra["identifier"][-1] == "zéllé-a4"
    assert [row["judgment"] for row in table(tmp_path / "out" / JUDGMENTS)] == ["0", "1.0", "2.0"]
    assert "left out, of cell" in caplog.text and not (tmp_path / "out" / CHANGE).exists()
    with pytest.raises(ConfigError, match="is no folder of usage graphs"):
        import_corpus([folder, GRAPHS / "uses.csv"], out=tmp_path / "no", name="xx")


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "problem"),
    [
        ("uses.csv", "\t4:8\t", "\t4:99\t", 2, "4 to 99 are not within the text"),
        ("uses.csv", "cell-a2", "cell-a1", 3, "'cell-a1' occurs in"),
        ("judgments.csv", "cell-b1", "cell-b9", 3, "no use has the identifier"),
        ("judgments.csv", "4.0", "four", 2, "string to float: 'four'"),
    ],
)
def test_a_fault_is_named_with_its_line(
    folder: Path, file: str, old: str, new: str, line: int, problem: str, tmp_path: Path
) -> None:
    edit(folder / "data/cell_nn" / file, old, new)
    with pytest.raises(CorpusError, match=problem) as caught:
        import_corpus([folder], out=tmp_path / "out", name="xx")
    assert f"{file}:{line}" in str(caught.value.where) and not (tmp_path / "out").exists()


def test_bad_lines_can_be_left_out(folder: Path, tmp_path: Path) -> None:
    edit(folder / "data/cell_nn/judgments.csv", "cell-b1", "cell-b9")
    edit(folder / "data/cell_nn/uses.csv", "\t4:9\t", "\t4:99\t")
    import_corpus([folder], out=tmp_path / "out", name="xx", skip_bad=True)
    assert sum(read_manifest(tmp_path / "out" / MANIFEST).left_out.values()) == 2
    # The judgment about the use that is left out is left out too, and it is no further bad line.
    (left,) = table(tmp_path / "out" / JUDGMENTS)
    assert (left["identifier2"], left["judgment"]) == ("cell-b1", "2.0")
