"""The first page: the answer, the selected configuration, the words, the comparison."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from report_builder import CHOSEN, READERS, Page, Run
from sklearn.metrics import f1_score

from wsd.report.pages.index import answer, write_index


def test_index_names_the_selected_configuration_with_its_interval(run: Run, built: Path) -> None:
    page = Page(built / "report" / "index.html")
    text = " ".join(page.text.split())
    (row,) = run.table("comparison", "selected").to_dict("records")
    assert f"selects focal {row['layers']} of tiny with" in text
    value, low, high = (row[f"mean_macro_f1{end}"] * 100 for end in ("", "_low", "_high"))
    assert f"F1 {value:.2f} (95% CI {low:.2f} to {high:.2f}" in text
    low, high = (row[f"mean_macro_f1_{end}_over_words"] * 100 for end in ("low", "high"))
    assert f"if words vary too, {low:.2f} to {high:.2f}) over 2 words" in text
    assert "It is also the best on the test set." in text and "reference only:" not in text
    # Candidates, best first; published systems separately.
    rows = run.table("comparison", "candidate").sort_values("mean_macro_f1", ascending=False)
    scores = zip(rows["classifier"], 100 * rows["mean_macro_f1"], strict=True)
    places = [text.rindex(f"{classifier}{score:.2f}") for classifier, score in scores]
    assert places == sorted(places)
    assert text.index("Published systems") < text.rindex("theirs")
    for needed in (
        "snakemake <all> & more", "<b>somewhere</b>", "0" * 64, '"note": "</pre><script>',
        "CC0 & free", "A paper & <its> file", "<b>no word</b> (1,234)",
        *(corpus.digest for corpus in run.corpora.values()),
    ):  # fmt: skip
        assert needed in page.text


def test_the_best_on_test_and_copied_test_sentences_are_told(run: Run, tmp_path: Path) -> None:
    report = run.load()
    facts = {"n_test_without_duplicates": 29, "mean_macro_f1_without_duplicates": 0.4321}
    table = run.table("comparison").assign(**facts, n_words_without_duplicates=1)
    best = table["kind"] == "best on test, for reference only"
    table.loc[best, ["layers", "classifier"]] = "mean-last-2", "nearest_centroid"
    report.tables["comparison"] = table
    write_index(report, tmp_path)
    text = " ".join(Page(tmp_path / "index.html").text.split())
    assert "reference only: focal mean-last-2 of tiny with nearest_centroid" in text
    assert "optimistic" in text and "also the best" not in text
    assert "or 43.21 over 1 word without the 7 of 36 test sentences that have a near-" in text


# Macro-F1 of layers 0, 1 and 2; bag of words; layer choices in the confidence set; the answer.
BEST, WITH = "best among single layers at", "With logistic, senses are"
READABLE = f"{WITH} best readable among single layers at"


ANSWERS = {
    "from": ([40, 70, 80], 50, ["1", "2", "mean-last-2"],
             f"from layer 1 (70.0) and {BEST} layers 1-2 (70.0-80.0). 3 of 8 "),
    "gap": ([70, 40, 80], 50, ["2"],
            f"at layers 0, 2 (70.0-80.0) and {BEST} layer 2 (80.0). The best of 8 "
            "configurations, layer 2 with logistic ("),
    "all": ([70, 70, 80], 50, ["0", "2"],
            f"{WITH} readable at layers 0-2 (70.0-80.0) and {BEST} layers 0, 2 (70.0-80.0). 2 of "),
    "none": ([40, 45, 52], 50, ["2", "1"], f"{READABLE} layers 1-2 (45.0-52.0)."),
    "no set": ([40, 45, 60], 50, [], f"{WITH} readable from layer 2 (60.0). A bag of words"),
    "nothing": ([40, 45, 60], None, [], None),
}  # fmt: skip


@pytest.mark.parametrize("case", ANSWERS)
def test_the_answer_is_true_in_all_cases(run: Run, case: str) -> None:
    scores, bag, within, expected = ANSWERS[case]
    table, best_set = run.table("comparison"), run.table("best-set")
    own = (table["kind"] == "candidate") & (table["classifier"] == "logistic")
    ends = ["mean_macro_f1", "mean_macro_f1_low", "mean_macro_f1_high"]
    for layer, score in enumerate(scores):
        row = own & (table["layers"] == str(layer))
        table.loc[row, ends] = np.array([score, score - 3, score + 2]) / 100
    if bag is not None:
        bow = table[table["kind"] == "baseline"].assign(classifier="bag_of_words")
        table = pd.concat([table, bow.assign(mean_macro_f1=bag / 100)])
    inside = best_set["layers"].isin(within) & (best_set["classifier"] == "logistic")
    report = run.load()
    best_set.loc[inside, "estimate"] = 0.99
    report.tables["best-set"] = best_set.assign(in_confidence_set=inside)
    report.tables["comparison"] = table[table["kind"] != "published"]
    sentences = " ".join(answer(report)).replace("\N{EN DASH}", "-")
    assert (not sentences) if expected is None else (expected in sentences), sentences
    assert ("no single layer is shown to exceed it" in sentences) == (case == "none")
    report.tables["comparison"] = table
    assert "The best published row, theirs, has" in " ".join(answer(report))


def test_index_has_a_row_per_word(run: Run, built: Path) -> None:
    text = " ".join(Page(built / "report" / "index.html").text.split())
    chosen = run.table("word-layers").query("selected_by_cv").set_index(["word", "classifier"])
    for word, corpus in run.corpora.items():
        test = corpus.split == "test"
        most = int(np.bincount(corpus.gold[~test]).argmax())
        baseline = f1_score(
            corpus.gold[test], np.full(test.sum(), most), average="macro", zero_division=0
        )
        line = f"{word} {len(corpus.senses)}3018{baseline * 100:.1f} "
        for reader in READERS:
            row = chosen.loc[word, reader]
            low, high = row["macro_f1_low"] * 100, row["macro_f1_high"] * 100
            line += f"{row['macro_f1'] * 100:.1f} {low:.0f}\N{EN DASH}{high:.0f}"
        assert line in text and f"layer {CHOSEN[word]} 1\N{EN DASH}2" in text


@pytest.mark.slow
def test_models_are_in_the_order_of_the_config_and_link_to_each_other(three_models: Path) -> None:
    """The first model's pages are in the folder `words`, whatever its name."""
    first, other = (Page(three_models / f"words/{name}bank.html") for name in ("", "tiny/"))
    assert [page.packed()["data"]["model"] for page in (first, other)] == ["wide", "tiny"]
    assert "../words/tiny/bank.html" in first.links()
    assert "../../words/bank.html" in other.links()
    text = (three_models / "index.html").read_text()
    table = text[text.index('id="models"') : text.index('id="words-title"')]
    rows = re.findall(r'<tr><th scope="row">(\w+)</th>(.*?)</tr>', table, re.DOTALL)
    assert [name for name, _ in rows] == ["wide", "tiny", "deep"]
    # The first model has no difference; the others have theirs to it.
    assert ["\u22124.25" in cells and "0.250" in cells for _, cells in rows] == [False, True, True]
    compared = pd.read_csv(three_models / "data" / "comparison.csv", keep_default_na=False)
    selected = compared[compared["kind"] == "selected"].drop_duplicates("model")
    best = selected.loc[selected["objective_cv"].astype(float).idxmax()]
    answer = text[text.index("Cross-validation on the training set") :].partition("</p>")[0]
    assert "across 3 models" in answer and f"of {best['model']} with" in answer
