"""The page of pairs: its content matches the tables, and foreign text is escaped."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from made_pairs import pairs_of

from wsd.cli import main
from wsd.storage.csv import write_csv
from wsd.studies.pairs.pair_tables import (
    COSINES,
    OUT_OF_FOLD,
    TABLE,
    Pairs,
    columns_of,
    write_cosines,
    write_pairs,
)
from wsd.studies.pairs.pairs import score
from wsd.studies.pairs.pairs_page import main_result, page

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


def text_of(pairs: Pairs = PAIRS, cosines: Any = COSINE) -> str:
    return page(pairs, score(pairs, cosines).assign(**SAID), cosines, SAID)


def shown(text: str) -> str:
    main_part = text.partition("<header>")[2].partition("</main>")[0]
    return " ".join(re.sub("<[^>]*>", "", main_part).replace("&#39;", "'").split())


def rows_of(text: str, table: str) -> list[list[str]]:
    body = text[text.index(f'id="{table}"') :].partition("<tbody>")[2].partition("</tbody>")[0]
    rows = re.findall("<tr.*?</tr>", body, re.DOTALL)
    return [
        [re.sub("<[^>]*>", "", c).strip() for c in re.split("<t[hd][^>]*>", r)[1:]] for r in rows
    ]


def test_the_content_of_the_page() -> None:
    text = text_of()
    output = shown(text)
    assert "in layer 0 of toy, selected on development pairs, classifies 50.00% of 4" in output
    assert "is right for 50.00%." in output and "on 2 training pairs is 100.00%" in output
    assert "optimistic" not in output and HOSTILE not in text
    assert "default-src 'none'" in text.replace("&#39;", "'")
    choices = rows_of(text, "choices")
    assert [row[:2] for row in choices] == [
        *(["0", "as they are"], ["1", "as they are"], ["1", "centred"]),
    ]
    assert choices[0][2] == "maybe" and choices[0][-1] == "selected" and choices[1][5] == "75.00"
    # One pair that only the other row gets right: half of all exchanges reach its difference.
    assert choices[1][-3:] == ["+25.00", "[+0.0, +50.0]", "1.000"] and choices[1][2] == "maybe"
    # Of the transformation that was chosen; the first layer's cosine is shown.
    ((pair, gold, cosine, sentences),) = rows_of(text, "wrong")
    assert pair.endswith(" 7") and (gold, cosine) == ("same", "0.30")
    assert sentences == "t12 mint t13 mint"
    assert "1 of 4 test pairs are wrong in all of 0, 1;" in output


def test_the_command(tmp_path: Path) -> None:
    write_pairs(tmp_path / "pairs", PAIRS)
    write_cosines(tmp_path / COSINES, PAIRS, COSINE, SAID)
    table = score(PAIRS, COSINE).assign(**SAID)
    write_csv(tmp_path / TABLE, table[columns_of(is_graded=False)])
    call = ["pairs-page", "--pairs", str(tmp_path / "pairs"), "--scores", str(tmp_path)]
    assert main([*call, "--out", str(tmp_path / "a.html")]) == 0
    # Six decimals of the table are enough for what is shown.
    assert (tmp_path / "a.html").read_text() == text_of()


def test_the_page_of_ratings_and_its_score_in_the_list_of_all_reports(tmp_path: Path) -> None:
    """In the only choice, the cosine of the first pair is the lowest, its rating the highest."""
    rng = np.random.default_rng(0)
    ratings = rng.integers(1, 5, size=120)
    pairs = pairs_of(*((f"w{i // 4}", "all", r) for i, r in enumerate(ratings)), graded=True)
    pairs.gold[0] = 9
    pairs = replace(pairs, extra={"id": ("<b>key", *[""] * 119)})
    cosines = {("none", "1"): np.r_[-9, (ratings + 0.3 * rng.normal(size=120))[1:]]}
    text, table = text_of(pairs, cosines), score(pairs, cosines).assign(**SAID)
    output, values = shown(text), table.set_index("split")["spearman"]
    assert f"correlation of {values['all']:.2f} with the ratings of 120" in output
    assert f"Out of fold, the selection scores {values[OUT_OF_FOLD]:.2f}" in output
    assert text.count("<circle cx=") == 120
    assert "1 of 120 pairs have a rank by cosine" in output and "&lt;b&gt;key" in text
    assert all(word not in output for word in ("threshold", "accuracy", "nan"))
    write_csv(tmp_path / TABLE, table[columns_of(is_graded=True)].assign(spearman=0.123))
    result = main_result(tmp_path / TABLE)
    assert result is not None and result.score == 0.123
