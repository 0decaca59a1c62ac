"""The pages of uses: their content matches the files, and foreign text is escaped."""

import base64
import json
import re
import zlib
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_uses import GROUP, HOSTILE, WORD, corpus, made_uses
from tiny import corpus_of

from wsd.artifacts.corpus_table import UNLABELLED, write
from wsd.artifacts.dataset import find_dataset
from wsd.artifacts.feature_set import parse_layers
from wsd.artifacts.instance_tables import Neighbours
from wsd.cli import main
from wsd.errors import ResultError
from wsd.report.pages.render import encode
from wsd.storage.csv import read_csv
from wsd.storage.file_names import file_name
from wsd.studies.unlabelled.use_table import Partition, WordUses, write_uses
from wsd.studies.unlabelled.uses import agreement, find_uses
from wsd.studies.unlabelled.uses_page import page_data


def unpacked(page: str) -> Any:
    packed = re.search(r'id="packed">([^<]*)<', page)
    assert packed
    return json.loads(zlib.decompress(base64.b64decode(packed[1])))


def numbers(text: str, dtype: str) -> list[int]:
    return np.frombuffer(base64.b64decode(text), dtype).tolist()


def test_the_content_of_a_page(tmp_path: Path) -> None:
    folder = made_uses(tmp_path, labelled=True)
    page = (folder / "toy" / f"{file_name(WORD)}.html").read_text(encoding="utf-8")
    data = unpacked(page)
    assert [layer["name"] for layer in data["layers"]] == ["0", "1", "mean-all"]
    assert numbers(data["start"], "<i4") == [1] * len(GROUP)
    assert numbers(data["end"], "<i4") == [2] * len(GROUP)
    assert numbers(data["gold"], "<u2") == GROUP.tolist()
    for layer in data["layers"]:
        chosen = [entry for entry in layer["partitions"] if entry["chosen"]]
        assert [(entry["method"], entry["k"]) for entry in chosen] == [
            ("k-means", 3),
            ("agglomerative", 3),
        ]
        assert numbers(chosen[0]["labels"], "<u2") == GROUP.tolist()
    # The page opens with the last single layer.
    assert '<option value="1" selected>' in page


def test_foreign_text_is_text_and_nothing_is_loaded(tmp_path: Path) -> None:
    folder = made_uses(tmp_path, labelled=True)
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert HOSTILE not in text and "default-src 'none'" in unescape(text)
        assert not re.search(r'(src|href)="(https?:)?//', text)
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;" in index and "script-src 'none'" in unescape(index)


def test_the_table_of_a_labelled_corpus(tmp_path: Path) -> None:
    folder = made_uses(tmp_path, labelled=True)
    table = read_csv(folder / "uses.csv")
    # Three layer choices, two methods, three ways.
    assert len(table) == 18 and set(table["instances"]) == {len(GROUP)}
    for how, k in (("silhouette", 3), ("as many as senses", 3), ("one cluster", 1)):
        rows = table[table["number"] == how]
        assert set(rows["clusters"]) == {k}
        expected = agreement(GROUP, GROUP if k == 3 else np.zeros_like(GROUP))
        for name, value in expected.items():
            assert rows[name].tolist() == pytest.approx([value] * 6, abs=1e-6)
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert index.count("100.0") >= 6 * 8


def test_without_senses_there_is_nothing_to_agree_with(tmp_path: Path) -> None:
    folder = made_uses(tmp_path, labelled=False)
    table = read_csv(folder / "uses.csv")
    assert set(table["number"]) == {"silhouette"} and table["ari"].isna().all()
    data = unpacked((folder / "toy" / f"{file_name(WORD)}.html").read_text(encoding="utf-8"))
    assert data["gold"] is None and data["senses"] == []
    assert all(entry["agreement"] is None for entry in data["layers"][0]["partitions"])
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert 'id="means"' not in index
    assert UNLABELLED[0] not in json.dumps(data)


def test_without_text_there_are_no_word_pages(tmp_path: Path) -> None:
    folder = made_uses(tmp_path, labelled=True, more=["--no-text"])
    assert [path.name for path in folder.rglob("*.html")] == ["index.html"]
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert "steel" not in text and '<a href="toy' not in text


def test_uses_of_another_corpus_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made_uses(tmp_path, labelled=True)
    other = corpus(labelled=True)
    write(tmp_path / "corpus" / f"{file_name(WORD)}.parquet", replace(other, gold=other.gold[::-1]))
    arguments = ["--corpus", str(tmp_path / "corpus"), "--words", WORD, "--dataset", "quickstart"]
    out = tmp_path / "again"
    files = ["--uses", str(tmp_path / "1.parquet"), "--out", str(out)]
    assert main(["uses-page", *arguments, *files]) == 6
    assert "belong to other words or sentences" in capsys.readouterr().err
    assert not out.exists()


# ---- Numbers that a page holds as bytes ----


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        ("u1", [0, 255]),
        ("u1", [True, False]),
        ("u1", [254.0]),
        ("<u2", [256, 300, 65535]),
        ("<u4", [65536, 2**32 - 1]),
        ("i1", [-128, 127]),
        ("<i2", [-32768.0, 32767.0]),
        ("<u2", []),
    ],
)
def test_numbers_come_back(dtype: str, values: list[float]) -> None:
    assert numbers(encode(np.array(values), dtype), dtype) == values


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("u1", 256),
        ("u1", 300),
        ("u1", 65536),
        ("u1", -1),
        ("<u2", 65536),
        ("<u2", -1),
        ("i1", 128),
        ("<i2", 32768.0),
        ("u1", 0.5),
        ("<i2", float("nan")),
    ],
)
def test_a_number_without_room_is_refused(dtype: str, value: float) -> None:
    with pytest.raises(ResultError, match="a page can hold whole numbers"):
        encode(np.array([0, value]), dtype)


@pytest.mark.parametrize("k", [255, 256, 300])
def test_more_clusters_than_a_byte_has_numbers(k: int) -> None:
    corpus = corpus_of(*((f"the crane {i}", 1) for i in range(k)), n_train=k)
    labels = np.arange(k, dtype=np.int16)
    partition = Partition("k-means", k, 0.5, True, [[i] for i in range(k)], None, {})
    near = Neighbours(np.full((k, 5), -1), np.full((k, 5), np.nan), float("nan"))
    uses = WordUses(np.zeros((k, 2)), near, [partition], labels[:, None])
    data = page_data(find_dataset("quickstart"), "toy", corpus, {parse_layers("0", 2): uses})
    assert numbers(data["layers"][0]["partitions"][0]["labels"], "<u2") == labels.tolist()


# ---- Forms of the focal word ----


def test_clusters_by_form_are_told_in_table_and_index(tmp_path: Path) -> None:
    forms = ("tower crane", "Tower cranes")
    folder = made_uses(tmp_path, labelled=False, word="tower crane", forms=forms)
    table = read_csv(folder / "uses.csv")
    assert table["form_nmi"].tolist() == pytest.approx([1] * 6)
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert index.count("form 1.00") == 2 and "clusters: {centre: form}" in index
    page = (folder / "toy" / "tower=20crane.html").read_text(encoding="utf-8")
    data = unpacked(page)
    assert numbers(data["start"], "<i4") == [1] * len(GROUP)
    assert numbers(data["end"], "<i4") == [3] * len(GROUP)
    assert "centred for each form" not in page


def test_with_the_form_taken_out_the_planted_clusters_are_back(tmp_path: Path) -> None:
    forms = ("crane", "cranes")
    folder = made_uses(tmp_path, labelled=False, forms=forms, centre="form")
    table = read_csv(folder / "uses.csv")
    assert set(table["clusters"]) == {3} and (table["form_nmi"] < 0.1).all()
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert "centred for each form" in index and "centre: form" not in index
    page = (folder / "toy" / f"{WORD}.html").read_text(encoding="utf-8")
    assert "centred for each form" in page and "centre: form" not in page


def test_one_form_has_no_number(tmp_path: Path) -> None:
    table = read_csv(made_uses(tmp_path, labelled=False) / "uses.csv")
    assert table["form_nmi"].isna().all()


def test_uses_of_another_centring_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made_uses(tmp_path, labelled=True)
    corpora = {WORD: corpus(labelled=True)}
    uses = find_uses(corpora[WORD], np.eye(8)[GROUP], 4, seed=1, centre="form")
    content = {"view": "focal", "layers": "1", "encoder": {"model": {"name": "toy", "blocks": 2}}}
    write_uses(
        tmp_path / "1.parquet", corpora, {WORD: uses}, {**content, "seed": 1, "centre": "form"}
    )
    files = ["--uses", str(tmp_path / "0.parquet"), str(tmp_path / "1.parquet")]
    arguments = ["--corpus", str(tmp_path / "corpus"), "--words", WORD, "--dataset", "quickstart"]
    assert main(["uses-page", *arguments, *files, "--out", str(tmp_path / "again")]) == 6
    assert "seed or --centre of the uses differs" in capsys.readouterr().err


# ---- How many there are ----


def test_a_word_of_which_a_part_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wsd.studies.unlabelled.use_table.MOST", len(GROUP) - 4)
    folder = made_uses(tmp_path, labelled=False)
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert re.search(r'<td class="n">25 <small class="quiet">21 drawn</small></td>', index)
    page = (folder / "toy" / f"{WORD}.html").read_text(encoding="utf-8")
    assert "21 sentences, drawn at random from 25" in page
