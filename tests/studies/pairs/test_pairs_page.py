"""The page of pairs: its content matches the tables, and foreign text is escaped."""

import re
from pathlib import Path

import numpy as np
import pytest
from made_pairs import pairs_of
from tiny import tiny_bert

from wsd.artifacts.dataset import SENTENCES
from wsd.cli import main
from wsd.storage.csv import read_csv, write_csv
from wsd.studies.pairs.pair_tables import COSINES, TABLE, columns_of, write_cosines, write_pairs
from wsd.studies.pairs.pairs import score
from wsd.studies.pairs.pairs_page import curve, histogram, page

HOSTILE = "<script>window.pwned=1</script>"
PAIRS = pairs_of(
    *(("a.n", "train", 0), ("a.n", "train", 1), ("b.v", "dev", 0), ("b.v", "dev", 1)),
    *(("c.n", "test", 0), ("c.n", "test", 1), (HOSTILE, "test", 1), ("e.v", "test", 0)),
    about={"title": HOSTILE, "citation": HOSTILE, "licence_url": "https://example.org/a"},
)
# The thresholds are 0.5. The third test pair is wrong in both layers, the fourth in one.
COSINE = {
    ("none", "0"): np.array([0.2, 0.8, 0.1, 0.9, 0.1, 0.9, 0.3, 0.6]),
    ("none", "1"): np.array([0.2, 0.8, 0.1, 0.9, 0.1, 0.9, 0.1, 0.4]),
    ("centre", "1"): np.array([0.2, 0.8, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1]),
}
SAID = {"model": "toy", "view": "focal"}


def text_of(pairs=PAIRS) -> str:
    return page(pairs, score(pairs, COSINE).assign(model="toy", view="focal"), COSINE, SAID)


def rows_of(text: str, table: str) -> list[list[str]]:
    body = text[text.index(f'id="{table}"') :].partition("<tbody>")[2].partition("</tbody>")[0]
    rows = re.findall("<tr.*?</tr>", body, re.DOTALL)
    return [
        [re.sub("<[^>]*>", "", c).strip() for c in re.split("<t[hd][^>]*>", r)[1:]] for r in rows
    ]


def test_the_content_of_the_page() -> None:
    text = text_of()
    output = " ".join(re.sub("<[^>]*>", "", text).split())
    assert (
        "in layer 0 of toy, selected on development pairs, classifies 50.00% of 4 test pairs"
        in output
    )
    assert "One answer for all pairs is right for 50.00%." in output
    assert "Its accuracy on 2 training pairs is 100.00%; it predicts same for 50%." in output
    assert "optimistic" not in output
    choices = rows_of(text, "choices")
    assert [row[:2] for row in choices] == [
        ["0", "as they are"],
        ["1", "as they are"],
        ["1", "centred"],
    ]
    assert choices[0][2] == "maybe" and choices[0][-1] == "selected" and choices[1][5] == "75.00"
    # One pair that only the other row gets right: half of all exchanges reach its difference.
    assert choices[1][-3:] == ["+25.00", "[+0.0, +50.0]", "1.000"] and choices[1][2] == "maybe"
    assert "this encoder and these thresholds; test pairs vary" in output
    assert "exchanges the decisions of the two on single pairs" in output
    assert "one family: p is corrected by Holm's method" in output.replace("&#39;", "'")
    # Of the transformation that was chosen; the first layer's cosine is shown.
    ((pair, gold, cosine, sentences),) = rows_of(text, "wrong")
    assert pair.endswith(" 7") and (gold, cosine) == ("same", "0.30")
    assert sentences == "t12 mint t13 mint"
    assert "1 of 4 test pairs are wrong in all of 0, 1;" in output


def test_without_labels_of_the_test_pairs() -> None:
    same = np.where(PAIRS.split == "test", np.nan, PAIRS.gold)
    output = " ".join(
        re.sub("<[^>]*>", "", text_of(type(PAIRS)(**{**vars(PAIRS), "gold": same}))).split()
    )
    assert "classifies 100.00% of 2 development pairs correctly" in output
    assert "so that accuracy is optimistic" in output
    assert "No row is tested" in output and "permutation test" not in output
    assert "No pair is wrong in all of 0, 1." in output


def test_one_word_has_no_interval_by_words() -> None:
    one_word = type(PAIRS)(**{**vars(PAIRS), "word": np.full(len(PAIRS.word), "a.n")})
    table = score(one_word, COSINE)
    by_words = [name for name in table if name.endswith("_by_word")]
    assert len(by_words) == 4 and table[by_words].isna().all().all()
    assert table[[name.removesuffix("_by_word") for name in by_words]].notna().all().all()
    text = text_of(one_word).partition("<header>")[2].partition("</main>")[0]
    output = " ".join(re.sub("<[^>]*>", "", text).split())
    assert "by words" not in output.split("AUC")[0] and "nan" not in output
    assert "With fewer than 6 words there is no interval by words." in output
    assert [row[7] for row in rows_of(text, "choices")] == ["\N{EN DASH}"] * 3


def test_foreign_text_is_text() -> None:
    text = text_of()
    assert HOSTILE not in text
    assert "default-src 'none'" in text.replace("&#39;", "'")


def test_the_pictures() -> None:
    table = score(PAIRS, COSINE)
    shown = table[table["split"] == "test"]
    chosen = shown[shown["chosen"]].iloc[0].to_dict()
    drawing = str(curve(shown, chosen, "accuracy"))
    assert all(name in drawing for name in ("as they are", "centred", "'ring'"))
    drawing = histogram(np.array([0.1, 0.1, 0.9]), np.array([False, False, True]), 0.5)
    left, _, right = drawing["field"]
    assert drawing["threshold"] == ((left + drawing["field"][1]) / 2, "0.500")
    same, different = drawing["kinds"]
    assert same["text"] == "same: 1 pairs, median cosine 0.90"
    # Two in the first bin reach the top, one in the last half the way.
    highest = min(float(point.split(",")[1]) for point in different["points"].split())
    half = min(float(point.split(",")[1]) for point in same["points"].split())
    assert half - highest == pytest.approx((right - highest) / 2, abs=0.2)


def test_the_command(tmp_path: Path) -> None:
    write_pairs(tmp_path / "pairs", PAIRS)
    write_cosines(tmp_path / COSINES, PAIRS, COSINE, SAID)
    table = score(PAIRS, COSINE).assign(model="toy", view="focal")
    write_csv(tmp_path / TABLE, table[columns_of(is_graded=False)])
    call = ["pairs-page", "--pairs", str(tmp_path / "pairs"), "--scores", str(tmp_path)]
    assert main([*call, "--out", str(tmp_path / "a.html")]) == 0
    # Six decimals of the table are enough for what is shown.
    assert (tmp_path / "a.html").read_text() == text_of()
    write_csv(tmp_path / TABLE, read_csv(tmp_path / TABLE).query("layers == '1'"))
    assert main([*call, "--out", str(tmp_path / "b.html")]) == 6
    assert not (tmp_path / "b.html").exists()


LINES = {
    "train": ("crane\tN\t1-1\tthe crane flew\ta crane lifted\n", "F\n"),
    "test": ("bank\tN\t1-1\tthe bank of\ta bank near\n", "T\n"),
}


@pytest.mark.slow
def test_from_files_to_the_page(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "tiny")
    for split, (data, gold) in LINES.items():
        (tmp_path / f"{split}.data.txt").write_text(data)
        (tmp_path / f"{split}.gold.txt").write_text(gold)
    data, model, out = (str(tmp_path / name) for name in ("wic", "tiny.json", "out"))
    files = [str(tmp_path / f"{split}.data.txt") for split in LINES]
    for call in (
        ["import", *files, "--name", "wic", "--out", data],
        f"model --name tiny --path {tmp_path}/tiny --blocks 2 --width 32 --out {model}".split(),
        f"embed --model {model} --corpus {data} --words {SENTENCES} --out {out}".split(),
        ["pairs", "--pairs", data, "--embeddings", out, "--layers", "all", "--out", out],
        ["pairs-page", "--pairs", data, "--scores", out, "--out", f"{out}/pairs.html"],
    ):
        assert main(call) == 0, call[0]
    table = read_csv(tmp_path / "out" / TABLE)
    assert table["layers"].unique().tolist() == ["0", "1", "2"]
    assert set(table["model"]) == {"tiny"}
    assert "<bdi>wic</bdi>" in (tmp_path / "out" / "pairs.html").read_text()
