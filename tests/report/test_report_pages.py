"""The report's files: their content, their completeness, and the same bytes every time."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import numpy as np
import pandas as pd
import pytest
from read_pages import files_in, lines_of, parts_of, sources_of
from report_builder import (
    CHOICES,
    CHOSEN,
    DATASET,
    GIVEN,
    KEPT,
    MODEL,
    READERS,
    SENSES,
    TOO_SMALL,
    Page,
    Run,
    build_report,
    decode,
    make_run,
    neighbours_of,
    pictures_of,
    predictions_of,
    word_page,
)
from sklearn.metrics import f1_score

from wsd.artifacts.predictions import WordPredictions
from wsd.artifacts.senses import SenseText
from wsd.errors import ResultError
from wsd.report.pages import curves, gallery, plots, render, report_data
from wsd.report.pages import word as word_module
from wsd.report.pages.index import answer, write_index
from wsd.report.pages.load_report import load_report
from wsd.report.pages.word import portable_page
from wsd.report.tables import METRICS, TABLES
from wsd.storage.file_names import file_name, word_of

HOSTILE_SENSE = "$$\\frac{1}{2}$$ @{gold}{safe}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def built(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built")
    for left in ("report/words/gone/old.html", "report/index.html"):
        (out / left).parent.mkdir(parents=True, exist_ok=True)
        (out / left).write_text("left over")
    build_report(**run.arguments(out))
    return out


@pytest.fixture(scope="module")
def all_pages(built: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted((built / "report").rglob("*.html"))}


def test_folders_hold_exactly_the_pages_of_this_run(run: Run, built: Path) -> None:
    own = {file.name for file in (package_files("wsd.report") / "assets").iterdir()}
    tables = set(TABLES) - {"model-layers"}
    assert set(files_in(built)) == (
        {f"report/{name}.html" for name in ("index", "layers")}
        | {f"report/assets/{name}" for name in ("bokeh.min.js", *own)}
        | {f"report/data/{folder}{name}.csv" for name in tables for folder in ("", ".sums/")}
        | {f"report/words/{file_name(word)}.html" for word in run.corpora}
    )


def test_failing_build_leaves_the_old_report(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report/index.html").write_text("old")
    before = files_in(tmp_path)

    def fail(*_: object) -> None:
        raise ResultError("no")

    monkeypatch.setattr("wsd.report.report.write_index", fail)
    with pytest.raises(ResultError):
        build_report(**run.arguments(tmp_path))
    assert files_in(tmp_path) == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("word", SENSES)
def test_page_has_every_instance_once_and_unchanged(run: Run, built: Path, word: str) -> None:
    corpus = run.corpora[word]
    data = word_page(built, word).packed()["data"]
    train = decode(data["train"], "u1") == 1
    split = np.where(train, "train", "test")
    at = {(s, i): row for row, (s, i) in enumerate(zip(corpus.split, corpus.index, strict=True))}
    rows = [at[key] for key in zip(split, decode(data["index"], "<i4"), strict=True)]
    assert sorted(rows) == list(range(len(corpus)))
    assert decode(data["gold"], "<u2").tolist() == corpus.gold[rows].tolist()
    assert data["senses"] == list(corpus.senses)
    given = GIVEN if word == "bank" else SenseText("other")
    assert data["names"] == [given.name if i == 1 else s for i, s in enumerate(corpus.senses)]
    assert data["glosses"] == [given.gloss if i == 1 else "" for i in range(len(corpus.senses))]
    for shown, row in enumerate(rows):
        tokens, position = corpus.tokens[row], corpus.position[row]
        assert data["focal"][shown] == tokens[position]
        assert data["left"][shown] == " ".join(tokens[:position])
        assert data["right"][shown] == " ".join(tokens[position + 1 :])
    assert [entry["name"] for entry in data["choices"]] == list(CHOICES)
    assert data["classifiers"] == [
        {"name": reader, "confidence": "probability"} for reader in READERS
    ]
    place = {row: shown for shown, row in enumerate(rows)}
    tests = [row for row in rows if corpus.split[row] == "test"]
    for entry, points in zip(data["choices"], pictures_of(run, word), strict=True):
        picture = entry["projections"]["pca"]
        whole = decode(picture["points"], "<i2").reshape(2, -1).T
        np.testing.assert_allclose(whole * picture["step"], points[rows], atol=picture["step"])
        assert picture["step"] < 2e-4
        assert (entry["score"], picture["score"]) == (0.75, 0.75)
        assert entry["single"] == entry["name"].isdigit()
        near = neighbours_of(run, word, entry["name"])
        shown = decode(entry["near"], "<u2").reshape(-1, 5)
        similar = decode(entry["similar"], "u1").reshape(-1, 5) / 127 - 1
        for line, row in enumerate(rows):
            expected = [place[other] if other >= 0 else 65535 for other in near.rows[row]]
            assert shown[line].tolist() == expected
            there = near.rows[row] >= 0
            np.testing.assert_allclose(
                similar[line][there], near.similarity[row][there], atol=0.5 / 127
            )
        for reader, codes, sure in zip(
            READERS, entry["predicted"], entry["confidence"], strict=True
        ):
            expected = predictions_of(run, word, entry["name"], reader)
            at_line = {line: i for i, line in enumerate(expected.index.tolist())}
            order = [at_line[corpus.index[row]] for row in tests]
            assert decode(codes, "<u2").tolist() == expected.predicted[order].tolist()
            actual = decode(sure["values"], "u1") * sure["step"]
            np.testing.assert_allclose(actual, expected.scores.max(axis=1)[order], atol=1 / 255)


def test_confidence_is_a_probability_or_a_lead() -> None:
    words = WordPredictions(
        word="w", senses=("a", "b", "c"), n_train=3, index=np.arange(3), gold=np.zeros(3, int),
        predicted=np.array([0, 2, 1]),
        scores=np.array([[0.7, 0.2, 0.1], [0.1, np.nan, 0.9], [np.nan, 1.0, np.nan]]),
    )  # fmt: skip
    assert report_data.confidence_of(words, report_data.PROBABILITY).tolist() == [0.7, 0.9, 1.0]
    lead = report_data.confidence_of(words, report_data.LEAD)
    assert lead.tolist() == pytest.approx([0.5, 0.8, 0.0])
    assert report_data.kind_of_scores([words]) == report_data.PROBABILITY
    for scores in (words.scores - 0.5, words.scores * 2):
        # One such file is enough, because confidence has one meaning on all layer choices.
        both = [words, replace(words, scores=scores)]
        assert report_data.kind_of_scores(both) == report_data.LEAD


def data_of(run: Run, word: str = "bank") -> dict[str, Any]:
    """Return the data of a word's page, without writing pages."""
    report = load_report(**given_of(run))
    return word_module.word_data(report, MODEL, report.words[MODEL][word])


def test_rare_senses_and_test_instances_are_drawn_last(tmp_path: Path) -> None:
    data = data_of(make_run(tmp_path / "run", rare=True))
    assert decode(data["gold"], "<u2").tolist() == [0] * 46 + [2, 2]
    assert decode(data["train"], "u1").tolist() == [1] * 29 + [0] * 17 + [1, 0]


def test_a_sample_of_a_large_word_has_every_sense_and_split(run: Run) -> None:
    """Scores and confusions are of all instances; a neighbour that is left out is missing."""
    report = load_report(**given_of(run))
    results = report.words[MODEL]["bank"]
    kept = word_module.sample(results.corpus, most=24, rare=3)
    assert abs(kept.sum() - 24) <= 3
    assert kept.tolist() == word_module.sample(results.corpus, most=24, rare=3).tolist()
    for column in (results.corpus.gold, results.corpus.split):
        assert set(column[kept]) == set(column)
    data = word_module.word_data(report, MODEL, results.take(kept))
    whole = word_module.word_data(report, MODEL, results)

    def rows(data: dict[str, Any]) -> list[tuple[int, ...]]:
        columns = [decode(data[k], t) for k, t in (("index", "<i4"), ("train", "u1"))]
        return list(zip(*(column.tolist() for column in columns), strict=True))

    places = [rows(whole).index(row) for row in rows(data)]
    assert len(places) == kept.sum() and places == sorted(places)
    for entry, complete in zip(data["choices"], whole["choices"], strict=True):
        assert [entry[k] for k in ("score", "scores", "confusion")] == [
            complete[k] for k in ("score", "scores", "confusion")
        ]
        near, all_near = (decode(side["near"], "<u2").reshape(-1, 5) for side in (entry, complete))
        assert near.tolist() == [
            [places.index(i) if i in places else 65535 for i in all_near[p]] for p in places
        ]


def test_tables_of_the_word_page_count_the_errors(run: Run, built: Path) -> None:
    scores = pd.read_csv(run.folder / "scores.csv", dtype={"layers": str})
    for word in run.corpora:
        text = " ".join(word_page(built, word).text.split())
        for choice in CHOICES:
            for reader in READERS:
                words = predictions_of(run, word, choice, reader)
                row = scores[
                    (scores["word"] == word)
                    & (scores["layers"] == choice)
                    & (scores["classifier"] == reader)
                ].iloc[0]
                wrong = int((words.predicted != words.gold).sum())
                assert wrong
                cells = f"{row['macro_f1'] * 100:.2f}{row['accuracy'] * 100:.2f}{wrong}"
                assert cells in text


def compared(run: Run, kind: str) -> list[dict[str, Any]]:
    table = pd.read_csv(run.tables["comparison"][0], dtype={"layers": str})
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")
            if row["kind"] == kind]  # fmt: skip


def test_index_names_the_selected_configuration_with_its_interval(run: Run, built: Path) -> None:
    page = Page(built / "report" / "index.html")
    text = " ".join(page.text.split())
    (row,) = compared(run, "selected")
    assert f"selects focal {row['layers']} of tiny with" in text
    value, low, high = (row[f"mean_macro_f1{end}"] * 100 for end in ("", "_low", "_high"))
    assert f"F1 {value:.2f} (95% CI {low:.2f} to {high:.2f}" in text
    low, high = (row[f"mean_macro_f1_{end}_over_words"] * 100 for end in ("low", "high"))
    assert f"if words vary too, {low:.2f} to {high:.2f}) over 2 words" in text
    assert "It is also the best on the test set." in text and "reference only:" not in text
    # Candidates, best first; published systems separately.
    candidates = sorted(compared(run, "candidate"), key=lambda r: -r["mean_macro_f1"])
    places = [text.rindex(f"{r['classifier']}{100 * r['mean_macro_f1']:.2f}") for r in candidates]
    assert places == sorted(places)
    assert text.index("Published systems") < text.rindex("theirs")
    for needed in (
        "snakemake <all> & more", "<b>somewhere</b>", "0" * 64, '"note": "</pre><script>',
        "CC0 & free", "A paper & <its> file", "<b>no word</b> (1,234)",
        *(corpus.digest for corpus in run.corpora.values()),
    ):  # fmt: skip
        assert needed in page.text


def given_of(run: Run) -> dict[str, Any]:
    """Return the arguments of `load_report`."""
    given = run.arguments(run.folder)
    return {name: value for name, value in given.items() if name not in ("out", "portable")}


def changed_index(run: Run, out: Path, comparison: pd.DataFrame, **tables: pd.DataFrame) -> str:
    """Return the text of the first page with other tables."""
    arguments = given_of(run)
    for name, table in {"comparison": comparison, **tables}.items():
        table.to_csv(out / f"{name}.csv", index=False)
        arguments["tables"][name] = [out / f"{name}.csv"]
    write_index(load_report(**arguments), out)
    return (out / "index.html").read_text(encoding="utf-8")


def read(run: Run, name: str) -> pd.DataFrame:
    table = pd.read_csv(run.tables[name][0], dtype={"layers": str, "about": str})
    return table.fillna({"about": ""})


def test_the_best_on_test_is_named_if_it_is_not_the_selected(run: Run, tmp_path: Path) -> None:
    table = read(run, "comparison")
    best = table["kind"] == "best on test, for reference only"
    table.loc[best, ["layers", "classifier"]] = "mean-last-2", "nearest_centroid"
    index = changed_index(run, tmp_path, table)
    assert "reference only: focal mean-last-2 of tiny with nearest_centroid" in index
    assert "It was selected on the test set, so this score is optimistic." in index
    assert "also the best" not in index


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
    table, best_set = read(run, "comparison"), read(run, "best-set")
    own = (table["kind"] == "candidate") & (table["classifier"] == "logistic")
    for layer, score in enumerate(scores):
        value = {"": score, "_low": score - 3, "_high": score + 2}
        for end, number in value.items():
            row = own & (table["layers"] == str(layer))
            table.loc[row, f"mean_macro_f1{end}"] = number / 100
    if bag is not None:
        bow = table[table["kind"] == "baseline"].assign(classifier="bag_of_words")
        table = pd.concat([table, bow.assign(mean_macro_f1=bag / 100)])
    inside = best_set["layers"].isin(within) & (best_set["classifier"] == "logistic")
    report = load_report(**given_of(run))
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
    table = pd.read_csv(run.tables["word-layers"][0], dtype={"layers": str})
    for word, corpus in run.corpora.items():
        test = corpus.split == "test"
        most = int(np.bincount(corpus.gold[~test]).argmax())
        baseline = f1_score(
            corpus.gold[test], np.full(test.sum(), most), average="macro", zero_division=0
        )
        line = f"{word} {len(corpus.senses)}3018{baseline * 100:.1f} "
        for reader in READERS:
            rows_of_word = table[(table["word"] == word) & (table["classifier"] == reader)]
            row = rows_of_word[rows_of_word["selected_by_cv"]].iloc[0]
            low, high = row["macro_f1_low"] * 100, row["macro_f1_high"] * 100
            line += f"{row['macro_f1'] * 100:.1f} {low:.0f}\N{EN DASH}{high:.0f}"
        chosen = {"1": "layer 1", "2": "layer 2"}[CHOSEN[word]]
        assert line in text
        assert f"{chosen} 1\N{EN DASH}2" in text


def test_cells_link_to_the_word_at_that_layer(run: Run, built: Path) -> None:
    table = pd.read_csv(run.tables["word-layers"][0], dtype={"layers": str})
    best = table.groupby(["word", "classifier"])["macro_f1"].transform("max")
    table["below"] = (table["macro_f1"] - best) * 100
    page = (built / "report" / "layers.html").read_text()
    cells = re.findall(
        r'<td class="n h( chosen)?" style="--heat: \d+"><a href="(words/[^"]*)#layers=([^"&]*)'
        r'&amp;classifier=([^"]*)" title="score: ([\d.]+)">(\N{MINUS SIGN}?[\d.]+)<',
        page,
    )
    actual = {}
    for chosen, path, choice, reader, value, below in cells:
        assert (built / "report" / unquote(path)).is_file()
        word = word_of(Path(path).stem)
        actual[word, unquote(choice), unquote(reader)] = (value, below, bool(chosen))
    assert actual == {
        (row["word"], row["layers"], row["classifier"]): (
            f"{row['macro_f1'] * 100:.1f}",
            f"{row['below'] + 0:.1f}".replace("-", "\N{MINUS SIGN}"),
            row["selected_by_cv"],
        )
        for row in table.to_dict("records")
    }


ENDS = ("low", "high", "low_over_words", "high_over_words")


def test_differences_match_the_table(run: Run, built: Path) -> None:
    text = " ".join(Page(built / "report" / "layers.html").text.split())
    names = ["model", "view", "layers", "classifier"]
    best = pd.read_csv(run.tables["best-set"][0], dtype={"layers": str}).set_index(names)
    for row in pd.read_csv(run.tables["layers"][0], dtype={"layers": str}).to_dict("records"):
        minus = "\N{MINUS SIGN}"
        within = best.loc[tuple(row[name] for name in names), "in_confidence_set"]
        verdict = "yes" if within else "no"
        if row["layers"] == row["reference"]:
            number = f"{row['value'] * 100:.2f}{row['objective_cv'] * 100:.2f}"
            assert f"{number} reference\N{EN DASH} {verdict}" in text
            continue
        numbers = [
            f"{row[n] * 100:+.2f}".replace("-", minus)
            for n in ("difference", *(f"difference_{end}" for end in ENDS))
        ]
        cells = "{} {} to {}{} to {}".format(*numbers) + verdict
        assert f"{row['objective_cv'] * 100:.2f} {cells}" in text


def test_peaks_are_on_the_layers_page_and_in_the_caption(built: Path) -> None:
    layers, index = (
        " ".join(Page(built / f"report/{name}.html").text.split()) for name in ("layers", "index")
    )
    for metric, peak in (("Macro-F1", 2), ("Micro accuracy", 1)):
        assert f"logistic{metric}{peak}1\N{EN DASH}275%2" in layers
    assert "over words: logistic, layer 2 [1, 2]; nearest_centroid, layer 2 [1, 2]. " in index


def test_curves_have_the_scores_of_the_tables(run: Run, built: Path) -> None:
    page = Page(built / "report" / "layers.html")
    for metric in METRICS:
        sources = sources_of(page.json(f"curves.{MODEL}.{metric}"))
        for reader in READERS:
            rows = {r["layers"]: r for r in compared(run, "candidate") if r["classifier"] == reader}
            singles = [rows[name] for name in ("0", "1", "2")]
            shown = [s for s in sources if s["name"] == reader]
            for end, key in (("", "y"), ("_low", "low"), ("_high", "high")):
                expected = [row[f"{metric}{end}"] * 100 for row in singles]
                assert any(s[key] == pytest.approx(expected, abs=1e-3) for s in shown)
                combined = [rows["mean-last-2"][f"{metric}{end}"] * 100]
                assert any(s[key] == pytest.approx(combined, abs=1e-3) for s in shown)
            context = [s for s in sources if s["name"] == f"{reader}, context only"]
            expected = [row[metric] * 100 for row in singles]
            assert context[0]["y"] == pytest.approx(expected, abs=1e-3)
    learned = sources_of(page.json(f"learning.{MODEL}.logistic"))
    assert [s["y"] for s in learned] == [[10.0, 60.0]] * 3
    assert [[text.split("\n")[1] for text in s["text"]] for s in learned] == [
        [f"{train}, layer {layer}" for train in ("1pct", "full")] for layer in range(3)
    ]


def test_fine_tuned_layers_are_lines_of_their_model(run: Run, built: Path) -> None:
    page = Page(built / "report" / "layers.html")
    rows = {(r["layers"], r["classifier"]): r for r in compared(run, "candidate")}
    sources = sources_of(page.json(f"curves.{MODEL}.mean_macro_f1"))
    for reader in READERS:
        (shown,) = (s["y"] for s in sources if s["name"] == f"{reader}, fine-tuned")
        before = [rows[name, reader]["mean_macro_f1"] for name in ("0", "1", "2")]
        assert shown == pytest.approx([100 * (value - 0.125) for value in before], abs=1e-3)
    assert "after fine-tuning. They are a control" in " ".join(page.text.split())
    assert "curves.<b>after</b>.mean_macro_f1" not in (built / "report/layers.html").read_text()


def test_calibration_and_ood_flags(built: Path) -> None:
    page = Page(built / "report" / "layers.html")
    lines = {s["name"]: s for s in sources_of(page.json(f"reliability.{MODEL}"))}
    assert lines["raw"]["x"] == [68.0, 98.0]
    assert lines["raw"]["y"] == [60.0, 90.0]
    assert lines["calibrated"]["y"] == [66.0, 96.0]
    assert lines["calibrated"]["low"] == [50.0, 80.0]
    assert lines["confidence = micro accuracy"]["y"] == [0.0, 100.0]
    counts = parts_of(page.json(f"reliability.{MODEL}"), "Label")
    assert {(note["text"], note["x"]) for note in counts} == {("45", 65.0), ("45", 95.0)}
    ranges = parts_of(page.json(f"reliability.{MODEL}"), "Range1d")
    assert [(ends.get("start", 0), ends["end"]) for ends in ranges] == [(0, 100), (0, 100)]
    text = " ".join(page.text.split())
    assert "testraw9090.0098.00+8.000.24000.16008.003.005.00" in text
    assert "above the 95% quantile of its noise floor in 0 of 1 words" in text
    assert "bank9090.0092.00+2.000.06000.04002.003.005.00" in text
    assert "1.2% of 90 sentences (test); 75.0% of 90 sentences (other words)" in text


def test_every_link_resolves_and_nothing_is_remote(all_pages: dict[Path, Page]) -> None:
    for path, page in all_pages.items():
        for link in page.links():
            target, _ = urldefrag(link)
            if target == "" or target.startswith("data:image/") or link == DATASET.licence_url:
                continue
            assert (path.parent / unquote(target)).is_file(), link
        assert not [t for t, _ in page.elements if t in ("img", "iframe", "object", "embed")]


def test_policy_allows_only_own_files(all_pages: dict[Path, Page]) -> None:
    for page in all_pages.values():
        assert "default-src 'none'; script-src 'self'; " in page.csp
        assert "connect-src 'none'" in page.csp and "unsafe-eval" not in page.csp
        for attributes, text in page.scripts:
            assert attributes.get("type") in ("application/json", "text/plain") or not text
        assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]


def test_hostile_text_stays_text(run: Run, all_pages: dict[Path, Page]) -> None:
    for path, page in all_pages.items():
        source = path.read_text()
        assert "<script>window" not in source and "<img" not in source
        assert "</body>" in source.splitlines()[-2]
        assert "CustomJS" not in source and "{safe}" not in source.replace(HOSTILE_SENSE, "")
        if path.name == "bank.html":
            first, second, third = run.corpora["bank"].senses
            for texts in (first, *GIVEN, third):
                assert texts in page.text
            # The tooltip shows the label of a sense that has a name.
            assert second not in page.text
            assert second in [a.get("title") for tag, a in page.elements if tag == "bdi"]
            for attributes, text in page.scripts:
                if attributes.get("id") == "packed":
                    assert re.fullmatch(r"[A-Za-z0-9+/=]+", text)


def test_portable_page_needs_no_other_file(run: Run, built: Path, tmp_path: Path) -> None:
    report = load_report(**given_of(run))
    for word in run.corpora:
        path = tmp_path / "page.html"
        path.write_text(portable_page(report, MODEL, report.words[MODEL][word]), encoding="utf-8")
        page = Page(path)
        links = [link for link in page.links() if link != DATASET.licence_url]
        assert links and all(link.startswith(("#layers=", "data:image/svg")) for link in links)
        packed, whole = page.packed(), word_page(built, word).packed()
        assert packed["figure"] == whole["figure"] and packed["data"] == whole["data"]
        assert "bokeh" not in whole
        app = next(text for a, text in page.scripts if not a)
        for script in (app, packed["bokeh"]):
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in page.csp
        assert "unsafe-inline' 'unsafe" not in page.csp
        assert re.search(r"script-src ('sha256-[^']*' ?){2};", page.csp)


@pytest.mark.slow
def test_a_page_opens_with_the_projection_selected_by_cv(tmp_path: Path) -> None:
    """The page opens neither with the best projection on the test set nor with t-SNE."""
    run = make_run(tmp_path / "run", methods=("tsne", "pca", "discriminant"), too_small="bank")
    build_report(**run.arguments(tmp_path))
    small, other = SENSES
    for word, opening in ((small, "pca"), (other, "discriminant")):
        for page in (word_page(tmp_path, word),):
            options = [a for tag, a in page.elements if tag == "option" and a["value"] in KEPT]
            assert [a["value"] for a in options if "selected" in a] == [opening]
            offered = [a["value"] for a in options]
            assert list(page.packed()["data"]["choices"][0]["projections"]) == offered
            if word == small:
                assert offered == ["tsne", "pca"]
                assert f"There is no projection by LDA: {TOO_SMALL}." in page.text
                assert "opens with PCA; t-SNE is never selected, since it also depends" in page.text
            else:
                assert "opens with LDA, selected by cross-validation at layer 1" in page.text
                assert "25.0 in PCA, 50.0 in LDA; t-SNE" in page.text


def test_a_word_without_any_projection_is_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", methods=("discriminant",), too_small="bank")
    with pytest.raises(ResultError, match="no projection of the word 'bank': too few to fold"):
        build_report(**run.arguments(tmp_path))


@pytest.mark.slow
def test_without_text_no_sentence_is_anywhere(run: Run, tmp_path: Path) -> None:
    build_report(**run.arguments(tmp_path) | {"text": False})
    words = {
        token for c in run.corpora.values() for s in c.tokens for token in s if token[1:].isdigit()
    }
    assert len(words) > 40
    for path in (p for p in tmp_path.rglob("*") if p.suffix in (".html", ".csv")):
        source = path.read_text(encoding="utf-8")
        if path.parent.name in ("words", MODEL):
            page = Page(path)
            packed = page.packed()
            assert not {"left", "focal", "right"} & set(packed["data"])
            assert packed["data"]["text"] is False
            assert "omits the corpus's sentences" in page.text
            assert not [a for _, a in page.elements if a.get("id") == "search"]
            # Numbers are base64 and may contain any letters.
            numbers = ("choices", "train", "index", "gold")
            rest = {key: value for key, value in packed["data"].items() if key not in numbers}
            source = page.text + json.dumps(rest, ensure_ascii=False)
        else:
            source = source.replace("\\n", " ")  # a line end in JSON
        assert not [word for word in words if re.search(rf"\b{word}\b", source)]
        assert "שלום" not in source


def test_a_page_opens_with_the_layer_selected_by_cv(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", further=[("focal", "mix-all")])
    path = run.tables["word-layers"][0]
    table = pd.read_csv(path, dtype={"layers": str})

    def opened() -> str:
        report = load_report(**given_of(run))
        index = word_module.initial_choice(report, MODEL, "bank", "logistic")
        return report.choices[MODEL][index].name

    assert opened() == "2"
    # A learned mix has no plot; the page opens with the best choice that has one.
    of_bank = (table["word"] == "bank") & (table["classifier"] == "logistic")
    table.loc[of_bank, "selected_by_cv"] = table["layers"] == "mix-all"
    table.loc[of_bank, "macro_f1_cv"] = 0.1
    table.loc[of_bank & (table["layers"] == "1"), "macro_f1_cv"] = 0.9
    table.to_csv(path, index=False)
    assert opened() == "1"


@pytest.fixture(scope="module")
def three_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The names are not in alphabetical order; one model has random weights, and one is deeper."""
    folder = tmp_path_factory.mktemp("three")
    run = make_run(
        folder / "run",
        models=("wide", "tiny", "deep"),
        random={"tiny": 7},
        blocks={"deep": 6},
        architecture={"causal": True, "last_normed": True, "tokenizer": "GPT2Tokenizer"},
    )
    build_report(**run.arguments(folder))
    return folder / "report"


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


@pytest.mark.slow
def test_curves_of_models_line_up_by_relative_depth(three_models: Path) -> None:
    page = Page(three_models / "layers.html")
    lines = lines_of(page, "models.logistic.mean_macro_f1")
    shallow, deep = [0, 2, 4], [0, 1, 2]
    places = {name: line["x"] for name, line in lines.items()}
    assert places == {"wide": shallow, "tiny": shallow, "deep": deep}
    names = {name: [text.split("\n")[1] for text in line["text"]] for name, line in lines.items()}
    assert names["tiny"] == [f"layer {i} of 3, tiny" for i in range(3)]
    assert names["deep"][2] == "layer 2 of 6, deep"
    assert "relative depth" in page.text
    table = pd.read_csv(three_models / "data" / "comparison.csv", dtype={"layers": str})
    own = table[(table["kind"] == "candidate") & (table["model"] == "deep")]
    own = own[own["classifier"] == "logistic"].set_index("layers")["mean_macro_f1"]
    assert lines["deep"]["y"] == pytest.approx([100 * own[i] for i in "012"], abs=1e-3)
    # Each model's own plot has its layer numbers.
    assert lines_of(page, "curves.deep.mean_macro_f1")["logistic"]["x"][:3] == [0, 1, 2]
    text = (three_models / "layers.html").read_text()
    assert '<th scope="col" class="n">Depth</th>' in text
    assert '<th scope="row">layer 1</th><td class="n quiet">0.17</td>' in text


@pytest.mark.slow
def test_instances_out_of_domain_are_in_the_tables_and_not_on_the_pages(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", n_ood=7)
    summary = pd.read_csv(run.folder / "summary.csv", dtype={"layers": str})
    assert set(summary["test"]) == {"test", "outofdomain"}
    build_report(**run.arguments(tmp_path))
    for name, corpus in run.corpora.items():
        data = word_page(tmp_path, name).packed()["data"]
        assert len(decode(data["gold"], "<u2")) == (corpus.split != "outofdomain").sum() == 48
        assert len(decode(data["choices"][0]["predicted"][0], "<u2")) == 18
        near = decode(data["choices"][0]["near"], "<u2")
        assert near[near != 65535].max() < 48


FURTHER = (("focal", "mix-all"), ("focal+context", "mean-last-2+2"), ("per-word", "per-word"))


@pytest.mark.slow
def test_choices_without_a_projection_are_only_in_the_tables(tmp_path: Path) -> None:
    """A mix, a feature set and a choice per word, all better than the other configurations."""
    run = make_run(tmp_path / "run", further=FURTHER)
    build_report(**run.arguments(tmp_path))
    words = " ".join(Page(tmp_path / "report" / "index.html").text.split())
    assert "reference only: focal mix-all of tiny with logistic" in words
    assert "focal mean-last-2 + context 2" in words and "per-word" in words
    data = word_page(tmp_path, "bank").packed()["data"]
    assert [entry["name"] for entry in data["choices"]] == list(CHOICES)


@pytest.mark.slow
def test_small_runs_have_no_controls_and_no_further_training_sets(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    for name in ("controls", "learning", "differences", "calibration", "reliability", "ood"):
        path = run.tables[name][0]
        path.write_text(path.read_text().partition("\n")[0] + "\n")
    arguments = run.arguments(tmp_path)
    build_report(**arguments)
    page = Page(tmp_path / "report" / "layers.html")
    text = " ".join(page.text.split())
    for missing in ("context only", "fine-tuned", "dashdot", "Learning curves", "Geometry",
                    "dashed", "Calibration", "zero-shot", "gloss"):  # fmt: skip
        assert missing not in text
    assert not (tmp_path / "report" / "data" / "controls.csv").exists()
    assert "controls.csv" not in Page(tmp_path / "report" / "index.html").text


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda a: a.update(view="context"), "no projection of the view 'context'"),
        (lambda a: a["tables"].update(scores=[a["out"] / "none.csv"]), "missing"),
        (lambda a: a.update(predictions=[]), "no predictions"),
        (
            lambda a: a["corpora"].update(
                bank=replace(a["corpora"]["bank"], tokens=a["corpora"]["bank"].tokens[::-1])
            ),
            "other instances of 'bank'",
        ),
    ],
)
def test_tables_that_do_not_belong_together(
    run: Run, tmp_path: Path, spoil: Any, message: str
) -> None:
    arguments = run.arguments(tmp_path)
    arguments["corpora"] = dict(run.corpora)
    spoil(arguments)
    with pytest.raises(ResultError, match=re.escape(message)):
        build_report(**arguments)
    assert not (tmp_path / "report").exists()


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_contrast_with_their_background(scheme: str) -> None:
    css = render.asset("style.css")
    light, dark, _ = re.findall(r":root\S* \{(.*?)\}", css, re.DOTALL)
    colours = dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", light if scheme == "light" else dark))
    senses = [colours[f"--sense-{i}"] for i in range(len(curves.COLOURS))]
    assert len(set(senses)) == len(curves.COLOURS)
    if scheme == "light":
        assert tuple(senses) == curves.COLOURS  # the figures of a paper have the same
        ramp = tuple(colours[f"--ramp-{i}"] for i in range(plots.RAMP))
        assert ramp == curves.RAMP
        assert (colours["--heat-low"], colours["--heat-high"]) == curves.HEAT
    # Instances that the filters leave out are meant to be faint.
    tones = [colours[name] for tone, name in plots.TONES.items() if tone != "off"]
    # Ten values, unlike the senses; further values have the colours of senses.
    values = [colours[f"--value-{i}"] for i in range(10)]
    assert len({*values, *senses}) == 20
    for colour in (*senses, *values, *tones, colours["--error-mark"], colours["--rule-2"]):
        minimum = 2.0 if colour == colours["--rule-2"] else 3.0
        assert contrast(colour, colours["--surface"]) >= minimum, colour
    for ink in ("--ink", "--ink-2", "--link", "--ok", "--wrong"):
        for ground in ("--page", "--surface", "--soft"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for ground in ("--heat-low", "--heat-high"):
        assert contrast(colours["--ink"], colours[ground]) >= 4.5


def test_the_film_strip_has_the_word_with_the_largest_gain(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = load_report(**given_of(run))
    scores = {word: words.scores["logistic"] for word, words in report.words[MODEL].items()}
    for word, values in {"bank": (0.5, 0.75, 0.625), "a&b #1 <i>%": (0.75, 0.875, 0.5)}.items():
        for layer, value in enumerate(values):
            scores[word][layer]["macro_f1"] = value
    strip = gallery.film_strip(report)
    assert strip
    assert (strip["word"], strip["best"]["layer"]) == ("bank", 1)
    assert [frame["macro_f1"] for frame in strip["frames"]] == [0.5, 0.75, 0.625]
    corpus = run.corpora["bank"]
    gold = corpus.gold[corpus.split == "test"]
    for frame in strip["frames"]:
        counts = [len(places.split()) for places in frame["senses"]]
        assert counts == np.bincount(gold, minlength=len(counts)).tolist()
    scores["bank"][1]["macro_f1"] = 0.55
    assert (gallery.film_strip(report) or {})["word"] == "bank"
    scores["bank"][2]["macro_f1"] = 0.5
    assert (gallery.film_strip(report) or {})["word"] == "a&b #1 <i>%"
    # A word with few test instances competes only if all words have few.
    monkeypatch.setattr(gallery, "ENOUGH", 18)
    report.words[MODEL]["a&b #1 <i>%"] = report.words[MODEL]["a&b #1 <i>%"].take(corpus.index > 0)
    assert (gallery.film_strip(report) or {})["word"] == "bank"


def test_frames_share_their_axes(run: Run) -> None:
    """PCA's unit is the layer's total standard deviation; the largest coordinate is 100."""
    report = load_report(**given_of(run))
    results = report.words[MODEL]["bank"]
    placed = gallery.on_same_axes(results, [0, 1], "pca")
    train = results.corpus.split == "train"
    spreads = []
    for projection in results.projections["pca"][:2]:
        total = projection.points[train, 0].std() / np.sqrt(projection.explained[0])
        spreads.append(np.ptp(projection.points[~train] / total, axis=0))
    ratio = [np.ptp(points, axis=0) / reach for points, reach in zip(placed, spreads, strict=True)]
    np.testing.assert_allclose(ratio, np.full((2, 2), np.mean(ratio)), rtol=0.02)
    assert np.abs(np.concatenate(placed)).max() == gallery.LARGEST
    # The second axis of an LDA with two senses has a scale of its own.
    two = replace(results, corpus=replace(results.corpus, senses=("a", "b")))
    two = replace(two, projections={"discriminant": results.projections["pca"]})
    apart = np.concatenate(gallery.on_same_axes(two, [0, 1], "discriminant"))
    assert np.abs(apart).max(axis=0).tolist() == [100, 100]


def test_the_first_words_have_a_plot_without_a_script(
    run: Run, built: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    index = (built / "report/index.html").read_text(encoding="utf-8")
    assert "Without JavaScript, nothing here moves" in index
    report = load_report(**given_of(run))
    plots = gallery.still_plots(report)
    for (word, corpus), plot in zip(run.corpora.items(), plots, strict=True):
        words = predictions_of(run, word, CHOSEN[word], "logistic")
        assert len(plot["errors"].split()) == (words.predicted != words.gold).sum()
        counts = [len(places.split()) for places in plot["senses"]]
        gold = corpus.gold[corpus.split == "test"]
        assert counts == np.bincount(gold, minlength=len(counts)).tolist()
        assert all(places in index for places in plot["senses"])
    monkeypatch.setattr(gallery, "STILL", 1)
    assert len(gallery.still_plots(report)) == 1
    write_index(report, tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<li data-word=") == page.count('<li data-word="bank"') == 1
    assert "only the first 1 words are listed" in page
