"""The pages of uses: what they hold is in the files, foreign text is text, the table by hand."""

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
from made_uses import GROUP, HOSTILE, WORD, made_uses

from wsd.artifacts.corpus import UNLABELLED
from wsd.cli import main
from wsd.metrics.partitions import agreement
from wsd.storage.csv import read_csv
from wsd.storage.file_names import file_name


def unpacked(page: str) -> Any:
    packed = re.search(r'id="packed">([^<]*)<', page)
    assert packed
    return json.loads(zlib.decompress(base64.b64decode(packed[1])))


def numbers(text: str, dtype: str) -> list[int]:
    return np.frombuffer(base64.b64decode(text), dtype).tolist()


def test_what_a_page_holds(tmp_path: Path) -> None:
    folder = made_uses(tmp_path, labelled=True)
    page = (folder / "toy" / f"{file_name(WORD)}.html").read_text(encoding="utf-8")
    data = unpacked(page)
    assert [layer["name"] for layer in data["layers"]] == ["0", "1", "mean-all"]
    assert numbers(data["position"], "<i4") == [1] * len(GROUP)
    assert numbers(data["gold"], "<u2") == GROUP.tolist()
    for layer in data["layers"]:
        chosen = [of for of in layer["partitions"] if of["chosen"]]
        assert [(of["method"], of["k"]) for of in chosen] == [("k-means", 3), ("agglomerative", 3)]
        assert numbers(chosen[0]["labels"], "u1") == GROUP.tolist()
    # The last single layer is shown first.
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
    assert all(of["agreement"] is None for of in data["layers"][0]["partitions"])
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
    from made_uses import corpus

    from wsd.artifacts.corpus import write

    other = corpus(labelled=True)
    write(tmp_path / "corpus" / f"{file_name(WORD)}.parquet", replace(other, gold=other.gold[::-1]))
    arguments = ["--corpus", str(tmp_path / "corpus"), "--words", WORD, "--dataset", "quickstart"]
    out = tmp_path / "again"
    files = ["--uses", str(tmp_path / "1.parquet"), "--out", str(out)]
    assert main(["uses-page", *arguments, *files]) == 6
    assert "of other words, or of other sentences" in capsys.readouterr().err
    assert not out.exists()
