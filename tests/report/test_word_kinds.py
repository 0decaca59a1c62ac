"""The layers page by part of speech and number of training instances."""

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from read_pages import files_in, lines_of
from report_builder import CHOICES, MODEL, READERS, Page, Run, build_report, make_run
from wsd.evaluation.word_groups import GROUP_COLUMNS, PEAK_COLUMNS

KINDS = [("all", "all"), ("noun", "all"), ("verb", "all"), ("adverb", "all"), ("all", "20-49"),
         ("verb", "20-49")]  # fmt: skip
FEW = "adverb"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run"))


def with_tables(run: Run, folder: Path, groups: pd.DataFrame, peaks: pd.DataFrame) -> Run:
    groups.to_csv(folder / "groups.csv", index=False)
    peaks.to_csv(folder / "peaks.csv", index=False)
    tables = {"group-layers": [folder / "groups.csv"], "group-peaks": [folder / "peaks.csv"]}
    return replace(run, tables={**run.tables, **tables})


def made() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return tables in which nouns peak at layer 2, verbs at layer 1, and adverbs are few."""
    groups, peaks = [], []
    for reader in READERS:
        for i, (part, size) in enumerate(KINDS):
            named = {"model": MODEL, "view": "focal", "classifier": reader, "part_of_speech": part,
                     "training_instances": size, "n_words": 10 + i}  # fmt: skip
            for j, layers in enumerate(CHOICES):
                value = 0.5 + 0.01 * i + 0.1 * j
                ends = {} if part == FEW else {"low": value - 0.05, "high": value + 0.04}
                scores = {
                    f"{metric}{end}": number
                    for metric in ("mean_macro_f1", "micro_accuracy")
                    for end, number in (("", value), *((f"_{k}", v) for k, v in ends.items()))
                }
                groups.append({**named, "n_train": 1234, "n_test": 5, "layers": layers, **scores})
            for metric in ("mean_macro_f1", "micro_accuracy"):
                line = {**named, "metric": metric, "peak": 2, "low": 1, "high": 2}
                if part == "verb":
                    low = -2 if size == "all" else -1
                    line |= {"peak": 1, "reference": "noun", "difference": -1}
                    line |= {"difference_low": low, "difference_high": 0}
                    line |= {"interaction_p": 0.01, "interaction_p_holm": 0.03}
                if part != FEW:
                    peaks.append({**line, "share_of_draws": 0.9})
    return pd.DataFrame(groups, columns=GROUP_COLUMNS), pd.DataFrame(peaks, columns=PEAK_COLUMNS)


@pytest.fixture(scope="module")
def path(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kinds")
    build_report(**with_tables(run, folder, *made()).arguments(folder))
    return folder / "report" / "layers.html"


def test_a_curve_with_its_interval_per_part_of_speech(path: Path) -> None:
    page = Page(path)
    ids = [attributes.get("id") or "" for attributes, _ in page.scripts]
    own = f"{MODEL}.logistic.mean_macro_f1"
    assert {name for name in ids if name.endswith(f".{own}")} == {
        f"part_of_speech.{own}", f"training_instances.{own}"
    }  # fmt: skip
    assert set(lines_of(page, f"training_instances.{own}")) == {"20-49"}
    by_name = lines_of(page, f"part_of_speech.{own}")
    # The small group has no interval and no line.
    assert set(by_name) == {"noun", "verb"}
    assert by_name["verb"]["x"] == [0, 1, 2]
    assert by_name["verb"]["y"] == pytest.approx([52, 62, 72])
    assert by_name["verb"]["low"] == pytest.approx([47, 57, 67])


def rows_of(page: str, heading: str) -> list[list[str]]:
    """Return the words of every table row of a section."""
    section = page[page.index(f'id="{heading}"') :].partition("</section>")[0]
    section = section.replace("\N{EN DASH}", "-").replace("\N{MINUS SIGN}", "-")
    return [re.sub(r"<[^>]*>|\s", " ", row).split() for row in section.split("<tr>")]


def test_each_kind_has_a_row_with_its_peak(path: Path) -> None:
    layers = path.read_text(encoding="utf-8")
    rows = rows_of(layers, "kinds-title")
    # Words, train, test; then the peak layer, its score, the difference from the nouns'
    # peak with its verdict, and the p-value of the shape.
    for part, size, n_words, *cells in (
        ("verb", "all", 12, "1 1-2 62.00 57.0-66.0", "-1 -2 to +0 not shown to be equal 0.030"),
        ("verb", "20-49", 15, "1 1-2 65.00 60.0-69.0", "-1 -1 to +0 within one layer 0.030"),
        ("noun", "all", 11, "2 1-2 71.00 66.0-75.0", "- -"),
    ):
        actual = [" ".join(row) for row in rows if row[:2] == [part, size] and "1,234" in row]
        figure = " ".join(cells)
        expected = f"{part} {size} {n_words} 1,234 5 {figure}"
        assert [text[: len(expected)] for text in actual] == [expected] * 2 * len(READERS)
    few = [row for row in rows if row[:1] == [FEW] and "1,234" in row]
    assert few == [[FEW, "all", "13", "1,234", "5", *"----"]] * 2 * len(READERS)
    at_layers = [row for row in rows if row[:2] == ["verb", "all"] and "1,234" not in row]
    assert len(at_layers) == 2 * len(READERS)
    assert at_layers[0][:4] == ["verb", "all", "52.0", "47.0-56.0"]


def test_a_corpus_without_parts_of_speech_has_a_peak(run: Run, tmp_path: Path) -> None:
    """The layers page and the caption of the first page's curve have it."""
    groups, peaks = made()
    whole = peaks[(peaks["part_of_speech"] == "all") & (peaks["training_instances"] == "all")]
    build_report(**with_tables(run, tmp_path, groups.head(0), whole).arguments(tmp_path))
    layers, index = (
        (tmp_path / "report" / name).read_text(encoding="utf-8")
        for name in ("layers.html", "index.html")
    )
    rows = rows_of(layers, "peak-title")[1:]
    cells = ["2", "1-2", "90%", "10"]
    assert rows[1:3] == rows[4:6] == [["logistic", *cells], ["nearest_", "centroid", *cells]]
    assert rows[0][1:3] == ["Macro-F1", "peaks"] and rows[3][1:3] == ["Micro", "accuracy"]
    caption = "Peak, with a 95% CI over words: logistic, layer 2 [1, 2]; nearest_centroid, layer 2"
    assert caption in index
    assert 'href="#peak-title"' in layers and "kinds-title" not in layers


def test_without_tables_of_groups_the_pages_do_not_change(run: Run, tmp_path: Path) -> None:
    build_report(**run.arguments(tmp_path / "without"))
    (tmp_path / "tables").mkdir()
    groups, peaks = (table.head(0) for table in made())
    empty = with_tables(run, tmp_path / "tables", groups, peaks)
    build_report(**empty.arguments(tmp_path / "empty"))
    actual = files_in(tmp_path / "empty")
    assert actual == files_in(tmp_path / "without")
    pages = [
        content.decode()
        for name, content in actual.items()
        if name.endswith(("index.html", "layers.html"))
    ]
    for text in pages:
        assert "art of speech" not in text and "arts of speech" not in text
        assert "data-part" not in text and "kinds" not in text and "peak" not in text.casefold()
