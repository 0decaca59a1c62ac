"""A finished run in a notebook: tables, predictions, vectors, figures, answers; nothing written."""

import html
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import shown_results
import small_results
from bokeh.models import ColumnDataSource, HoverTool, Legend
from log_state import logs_as_before
from numpy.testing import assert_allclose, assert_array_equal

import wsd
from wsd.artifacts.find_runs import tables_of
from wsd.artifacts.run_json import RUN_MAP
from wsd.artifacts.vectors import Embeddings
from wsd.errors import ConfigError, DamageError, ResultError, WsdError
from wsd.fitted.selected_results import Results
from wsd.inference import predictor
from wsd.report.pages.curves import COLOURS
from wsd.storage.csv import read_csv
from wsd.storage.json import read_json, write_json

FOLDER = shown_results.FOLDER
SENTENCE = "The crane lifted the container onto the ship."


@pytest.fixture
def run(shown_once: Path, monkeypatch: pytest.MonkeyPatch) -> wsd.Run:
    monkeypatch.chdir(shown_once)
    return wsd.open_run(FOLDER)


@pytest.fixture
def copied(shown_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Copy the results, so that a test can change them; the folder of the dataset."""
    monkeypatch.chdir(small_results.copy(shown_once, tmp_path / "copy"))
    with logs_as_before():
        yield FOLDER


# Tables


def test_a_run_says_what_it_has(run: wsd.Run) -> None:
    paths = ("scores", "summary", "comparison", "comparison/differences", "comparison/layers")
    for path in map(Path, paths):
        table, expected = getattr(run, path.name), read_csv(FOLDER / f"{path}.csv")
        pd.testing.assert_frame_equal(table, expected)
        table.iloc[:, 0] = None  # a user may change what they got
        pd.testing.assert_frame_equal(run.table(path.name), expected)
    assert run.words == ("apple", "crane") and run.models == ("tiny",) and run.name == ""
    assert run.config["projections"] == ["pca", "discriminant", "tsne"]
    assert str(run.selected) in repr(run) and run.command == "snakemake again"


# Predictions


def test_every_configuration_is_calibrated_as_in_new_text(run: wsd.Run) -> None:
    """Cosines too, which are no probabilities without a temperature."""
    other = next(c for c in shown_results.CHOICES if c != run.selected.layers)
    for layers, classifier in ((other, "nearest_centroid"), (other, "logistic"), (None, None)):
        stored = run.predictions(layers, classifier, word="crane").drop_duplicates("sentence")
        new = run.predict(stored["sentence"], "crane", layers=layers, classifier=classifier)
        both = new.drop_duplicates("sentence").merge(stored, on="sentence")
        assert len(both) == len(stored)
        assert_allclose(both["probability_x"], both["probability_y"], atol=1e-4)


def test_names_have_several_spellings_and_the_selected_configuration_answers(run: wsd.Run) -> None:
    same = pd.testing.assert_frame_equal
    for spelling in (-1, "mean-last-1"):
        same(run.predictions(spelling, "logistic"), run.predictions("2", "logistic"))
    chosen = run.selected
    same(run.predictions(), run.predictions(chosen.layers, chosen.classifier))
    # Some names leave the choice among the others to cross-validation.
    best = Results(FOLDER).choose(classifier="nearest_centroid").layers
    expected = run.predictions(best, "nearest_centroid")
    same(run.predictions(classifier="nearest_centroid"), expected)


def test_a_damaged_corpus_is_no_missing_corpus(copied: Path) -> None:
    path = copied / "corpus/crane.parquet"
    path.write_bytes(path.read_bytes().replace(b"crane", b"craze"))
    with pytest.raises(DamageError, match=r"crane\.parquet"):
        wsd.open_run(copied).predictions("2", "logistic")
    path.unlink()
    with pytest.raises(ResultError, match=r"crane\.parquet"):
        wsd.open_run(copied).predictions("2", "logistic")


LAYERS = "'9'[^@]*0, 1, 2, mean-all"
KNOWN = {"model": "tiny", "view": "focal", "classifier": "logistic", "word": "apple, crane"}
CRANE = {"word": "crane", "layers": "1"}


@pytest.mark.parametrize(
    ("method", "names", "says"),
    [
        *((method, {**names, key: "x"}, f"{key} 'x'[^@]*{KNOWN[key]}")
          for method, names, keys in (("predictions", {}, KNOWN), ("plot_word", CRANE, KNOWN),
                                      ("vectors", CRANE, ("word", "model")),
                                      ("plot_layers", {}, ("classifier", "model", "view")),
                                      ("predict", {"sentences": [SENTENCE]}, ("word", "model")))
          for key in keys),
        ("table", {"name": "layer"}, r"no table 'layer'[^@]*scores, summary"),
        ("predictions", {"layers": "9"}, LAYERS),
        ("predictions", {"train": "1pct"}, "train '1pct'[^@]*full"),
        ("vectors", {"word": "crane", "layers": "9"}, "layer choice '9'[^@]*use 0 to 2"),
        ("vectors", {**CRANE, "view": "focal+cls"}, r"crane/cls\.safetensors"),
        ("plot_layers", {"metric": "f1"}, "no metric 'f1'[^@]*mean_macro_f1, "),
        *(("plot_word", {**CRANE, "method": name}, f"'{name}'[^@]*pca") for name in ("x", "tsne")),
        ("predict", {"sentences": [SENTENCE, 3]}, "sentence 1 is not a text: 3"),
    ],
)  # fmt: skip
def test_unknown_names_list_what_there_is(
    run: wsd.Run, method: str, names: dict[str, Any], says: str
) -> None:
    with pytest.raises(WsdError, match=says) as error:
        getattr(run, method)(**names)
    assert "--" not in str(error.value)


# Vectors


def test_vectors_are_the_stored_ones_with_an_index(run: wsd.Run) -> None:
    corpus = Results(FOLDER).corpus("crane")
    stored = Embeddings(FOLDER / "tiny/embeddings/crane/focal.safetensors", corpus)
    frame = run.vectors("crane", layers="2")
    assert frame.dtypes.unique().tolist() == [np.float32]
    assert_array_equal(frame.to_numpy(), stored.layer(2))
    assert frame.index.names == ["split", "index", "sense"] and frame.columns[0] == "focal_2_0"
    senses = [corpus.senses[gold] for gold in corpus.gold]
    rows = zip(corpus.split, corpus.index, senses, strict=True)
    assert frame.index.tolist() == [*rows]
    everything = run.vectors("crane", layers="all")
    assert everything.columns.names == ["layer", "dimension"]
    for layer in range(3):
        assert_array_equal(everything[layer].to_numpy(), stored.layer(layer))
    assert_array_equal(run.vectors("crane", "mean-all"), run.vectors("crane", "mean-last-2"))


def test_a_notebook_may_change_its_folder(
    run: wsd.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"folder: {FOLDER}\n" in repr(run)
    monkeypatch.chdir(tmp_path)
    assert len(run.vectors("crane", "1")) and len(run.predictions()) and len(run.layers)


# Figures


def sources(figure: Any) -> list[dict[str, list[Any]]]:
    return [source.data for source in figure.select({"type": ColumnDataSource})]


def legend(figure: Any) -> list[str]:
    (box,) = figure.select({"type": Legend})
    return [item.label["value"] for item in box.items]


def test_the_curve_has_the_scores_and_intervals_of_the_comparison(run: wsd.Run) -> None:
    figure = run.plot_layers(metric="micro_accuracy", classifier="logistic")
    assert legend(figure) == ["logistic"]
    rows = run.comparison
    rows = rows[(rows["kind"] == "candidate") & (rows["classifier"] == "logistic")]
    drawn = pd.concat([pd.DataFrame(data) for data in sources(figure)])
    drawn.index = drawn["text"].str.extract(r"\n(?:layer )?(\S+), logistic")[0]
    columns = [f"micro_accuracy{end}" for end in ("", "_low", "_high")]
    expected = 100 * rows[columns].astype(float)
    assert_allclose(drawn.loc[rows["layers"], ["y", "low", "high"]], expected, atol=1e-3)
    assert legend(run.plot_layers()) == ["nearest_centroid", "logistic"]


def test_a_word_in_the_plane_of_its_page(run: wsd.Run) -> None:
    figure = run.plot_word("crane", layers=-1, method="pca", classifier="logistic")
    corpus = Results(FOLDER).corpus("crane")
    assert legend(figure) == list(corpus.senses)
    assert sum(len(data["x"]) for data in sources(figure) if "ring" not in data) == len(corpus)
    table = run.predictions("2", "logistic", word="crane")
    (wrong,) = (pd.DataFrame(data) for data in sources(figure) if "ring" in data)
    missed = table[table["gold"] != table["predicted"]]
    assert len(missed) and sorted(wrong["index"]) == sorted(missed["index"])
    colours = dict(zip(corpus.senses, COLOURS, strict=False))
    assert wrong["ring"].tolist() == [colours[sense] for sense in wrong["predicted"]]
    (hover,) = figure.select({"type": HoverTool})
    assert "@sentence" in hover.tooltips and "safe" not in hover.tooltips
    page = html.unescape(figure._repr_html_())  # it needs no network
    assert "crane, layer choice 2" in page and "cdn.bokeh" not in page
    assert " src=" not in page.split("<body>")[0]


# New sentences


def test_a_configuration_is_fitted_once_and_every_sentence_has_a_row(
    run: wsd.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [SENTENCE, "No such word.", "An apple fell by a [[crane]]."]
    table = run.predict(texts)
    monkeypatch.setattr(predictor, "fitted_words", None)
    assert table["status"].tolist() == ["ok", "not found", "ok"]
    assert table["sentence"].tolist() == texts and table["sense_name"][0] in ("bird", "machine")
    pd.testing.assert_frame_equal(run.predict(texts), table)


# Nothing is written


def test_nothing_is_written(run: wsd.Run, shown_once: Path) -> None:
    def state() -> dict[Path, tuple[int, int]]:
        files = [shown_once, *shown_once.rglob("*")]
        return {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in files}

    before = state()
    run.predictions(), run.vectors("crane", "1"), run.predict(SENTENCE), repr(run)
    run.plot_layers()._repr_html_(), run.plot_word("crane", "1"), run.scores
    assert state() == before


# Runs that cannot be opened


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (Path.unlink, ResultError, r"no run\.json"),
        (lambda f: f.write_bytes(f.read_bytes().replace(b"focal", b"x")), DamageError, "changed"),
        (lambda f: write_json(f, {"version": 2}), ResultError, "expected content"),
    ],
)
def test_a_run_that_cannot_be_opened(
    copied: Path, change: Callable[[Path], None], error: type[Exception], says: str
) -> None:
    change(copied / RUN_MAP)
    with pytest.raises(error, match=says):
        wsd.open_run(copied)


def test_a_run_of_another_name(copied: Path) -> None:
    mine = tables_of(copied, "mine")
    mine.mkdir(parents=True)
    write_json(mine / RUN_MAP, read_json(copied / RUN_MAP))
    assert wsd.open_run(copied, run="mine").name == "mine"
    with pytest.raises(ConfigError, match=r"no run 'yours'[^@]*choose among mine"):
        wsd.open_run(copied, run="yours")
