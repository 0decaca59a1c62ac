"""A finished run in a notebook: tables, predictions, vectors, figures, answers; nothing written."""

import html
from collections.abc import Callable, Iterator
from itertools import pairwise
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
from wsd.artifacts.run_json import MAPS, RUN_MAP
from wsd.artifacts.vectors import Embeddings
from wsd.errors import ConfigError, DamageError, ResultError, WsdError
from wsd.fitted.selected_results import Results
from wsd.inference import predictor
from wsd.report.pages.curves import COLOURS
from wsd.storage.checksums import STORE
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
    for name in ("scores", "summary", "comparison", "differences", "layers"):
        (path,) = (FOLDER / end for end in (f"{name}.csv", f"comparison/{name}.csv")
                   if (FOLDER / end).exists())  # fmt: skip
        table = getattr(run, name)
        pd.testing.assert_frame_equal(table, read_csv(path))
        table.iloc[:, 0] = None  # a user may change what they got
        pd.testing.assert_frame_equal(run.table(name), read_csv(path))
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
    expected = run.predictions("2", "logistic")
    for spelling in (2, -1, "mean-last-1"):
        pd.testing.assert_frame_equal(run.predictions(spelling, "logistic"), expected)
    chosen = run.selected
    expected = run.predictions(chosen.layers, chosen.classifier, chosen.model, chosen.view)
    pd.testing.assert_frame_equal(run.predictions(), expected)
    # Some names leave the choice among the others to cross-validation.
    chosen = Results(FOLDER).choose(classifier="nearest_centroid")
    expected = run.predictions(chosen.layers, "nearest_centroid")
    pd.testing.assert_frame_equal(run.predictions(classifier="nearest_centroid"), expected)


def test_a_damaged_corpus_is_no_missing_corpus(copied: Path) -> None:
    path = copied / "corpus/crane.parquet"
    with path.open("r+b") as file:
        file.seek(40)
        file.write(b"damaged")
    with pytest.raises(DamageError, match=r"crane\.parquet"):
        wsd.open_run(copied).predictions("2", "logistic")
    path.unlink()
    with pytest.raises(ResultError, match=r"crane\.parquet"):
        wsd.open_run(copied).predictions("2", "logistic")


TINY = "model 'bert'[^@]*choose among tiny"
LAYERS = "'9'[^@]*0, 1, 2, mean-all"


@pytest.mark.parametrize(
    ("method", "names", "says"),
    [
        ("table", {"name": "layer"}, r"no table 'layer'[^@]*scores, summary"),
        ("predictions", {"layers": "9"}, LAYERS),
        ("predictions", {"layers": "seven"}, "layers 'seven'[^@]*0, 1, 2, mean-all"),
        ("predictions", {"classifier": "svm"}, "'svm'[^@]*logistic, nearest_centroid"),
        ("predictions", {"model": "bert"}, TINY),
        ("predictions", {"view": "cls"}, "view 'cls'[^@]*choose among focal"),
        ("predictions", {"train": "1pct"}, "train '1pct'[^@]*choose among full"),
        ("predictions", {"test": "outofdomain"}, "'outofdomain'[^@]*choose among test"),
        ("predictions", {"word": "pear"}, "no word 'pear'[^@]*choose among apple, crane"),
        ("vectors", {"word": "pear", "layers": "1"}, "no word 'pear'[^@]*apple, crane"),
        ("vectors", {"word": "crane", "layers": "9"}, "layer choice '9'[^@]*use 0 to 2"),
        ("vectors", {"word": "crane", "layers": "1", "model": "bert"}, TINY),
        *(("vectors", {"word": "crane", "layers": "1", "view": view}, r"crane/cls\.safetensors")
          for view in ("cls", "focal+cls")),
        ("plot_layers", {"metric": "f1"}, "no metric 'f1'[^@]*mean_macro_f1, "),
        ("plot_layers", {"classifier": "svm"}, "classifier 'svm'[^@]*logistic"),
        ("plot_layers", {"model": "bert"}, "model 'bert'[^@]*tiny"),
        ("plot_layers", {"view": "cls"}, "view 'cls'[^@]*focal"),
        ("plot_word", {"word": "pear", "layers": "1"}, "no word 'pear'[^@]*apple, crane"),
        ("plot_word", {"word": "crane", "layers": "9"}, LAYERS),
        *(("plot_word", {"word": "crane", "layers": "1", name: value}, f"'{value}'[^@]*{known}")
          for name, value, known in (("method", "umap", "pca"), ("method", "tsne", "pca"),
                                     ("view", "cls", "focal"), ("model", "bert", "tiny"),
                                     ("classifier", "svm", "logistic"))),
        ("predict", {"sentences": [SENTENCE, 3]}, "sentence 1 is not a text: 3"),
        ("predict", {"sentences": [SENTENCE], "word": "pear"}, "no word 'pear'[^@]*apple, crane"),
        ("predict", {"sentences": [SENTENCE], "layers": "9"}, LAYERS),
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
    assert frame.loc["train"].shape[0] == (corpus.split == "train").sum()
    senses = [corpus.senses[gold] for gold in corpus.gold]
    assert frame.index.get_level_values("sense").tolist() == senses
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


def test_a_run_without_senses_has_words_and_vectors(copied: Path) -> None:
    content = read_json(copied / RUN_MAP)
    for name in ("scores.csv", "selection.csv"):
        del content["files"][name]
    write_json(copied / RUN_MAP, content)
    run = wsd.open_run(copied)
    assert run.words == ("apple", "crane") and len(run.vectors("crane", "1"))


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
    rows = rows.set_index("layers")
    drawn = {}
    for data in sources(figure):
        for i, label in enumerate(data["text"]):
            name = label.split("\n")[1].removesuffix(", logistic").removeprefix("layer ")
            drawn[name] = [data[column][i] for column in ("y", "low", "high")]
    assert drawn.keys() == set(rows.index)
    for name, values in drawn.items():
        columns = [f"micro_accuracy{end}" for end in ("", "_low", "_high")]
        assert_allclose(values, 100 * rows.loc[name, columns].astype(float), atol=1e-3)
    assert legend(run.plot_layers()) == ["nearest_centroid", "logistic"]


def test_a_word_in_the_plane_of_its_page(run: wsd.Run) -> None:
    figure = run.plot_word("crane", layers=-1, method="pca", classifier="logistic")
    corpus = Results(FOLDER).corpus("crane")
    assert legend(figure) == list(corpus.senses)
    points = pd.concat([pd.DataFrame(data) for data in sources(figure) if "ring" not in data])
    assert len(points) == len(corpus)
    table = run.predictions("2", "logistic", word="crane")
    (wrong,) = (pd.DataFrame(data) for data in sources(figure) if "ring" in data)
    missed = table[table["gold"] != table["predicted"]]
    assert len(missed) and sorted(wrong["index"]) == sorted(missed["index"])
    colours = dict(zip(corpus.senses, COLOURS, strict=False))
    assert wrong["ring"].tolist() == [colours[sense] for sense in wrong["predicted"]]
    (hover,) = figure.select({"type": HoverTool})
    assert "@sentence" in hover.tooltips and "safe" not in hover.tooltips


def test_axes_point_in_the_same_direction_in_all_layers(run: wsd.Run) -> None:
    def points(layers: str) -> pd.DataFrame:
        data = [pd.DataFrame(d) for d in sources(run.plot_word("crane", layers)) if "ring" not in d]
        return pd.concat(data).set_index(["split", "index"]).sort_index()[["x", "y"]]

    planes = [points(layers) for layers in ("0", "1", "2")]
    for first, second in pairwise(planes):
        assert ((first * second).sum() > 0).all()


def test_a_figure_shows_itself_without_a_network(run: wsd.Run) -> None:
    page = html.unescape(run.plot_word("crane", "1")._repr_html_())
    assert "crane, layer choice 1" in page and "cdn.bokeh" not in page
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
        return {path: (path.lstat().st_mtime_ns, path.lstat().st_size)
                for path in [shown_once, *shown_once.rglob("*")]}  # fmt: skip

    before = state()
    opened = wsd.open_run(FOLDER)
    opened.predictions(), opened.vectors("crane", "1"), opened.predict(SENTENCE)
    opened.plot_layers()._repr_html_(), opened.plot_word("crane", "1"), repr(opened)
    _ = opened.scores, opened.summary, opened.comparison, opened.differences, opened.layers
    assert state() == before


# Runs that cannot be opened


def started_again(folder: Path) -> None:
    """Leave the map of a run that never finished, and no file."""
    content = read_json(folder / RUN_MAP)
    write_json(folder / STORE / MAPS / "@0123456789.json", content)
    for name in (RUN_MAP, *content["files"]):
        (folder / name).unlink()


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (started_again, ResultError, "no run of this version is finished[^@]*run snakemake"),
        (lambda f: (f / RUN_MAP).unlink(), ResultError, r"no run\.json here: no run of this vers"),
        (lambda f: (f / RUN_MAP).write_bytes((f / RUN_MAP).read_bytes().replace(b"focal", b"x")),
         DamageError, "has changed since it was written"),
        (lambda f: write_json(f / RUN_MAP, {"version": 2}), ResultError, "the expected content"),
    ],
)  # fmt: skip
def test_a_run_that_cannot_be_opened(
    copied: Path, change: Callable[[Path], None], error: type[Exception], says: str
) -> None:
    change(copied)
    with pytest.raises(error, match=says):
        wsd.open_run(copied)


def test_a_damaged_file_is_named_when_it_is_read(copied: Path) -> None:
    run = wsd.open_run(copied)
    with (copied / "comparison.csv").open("a") as file:
        file.write("x\n")
    with pytest.raises(DamageError, match=r"comparison\.csv"):
        _ = run.comparison
    assert len(run.summary)
    with (copied / "scores.csv").open("a") as file:
        file.write("x\n")
    assert "models: tiny" in repr(wsd.open_run(copied))


def test_a_run_of_another_name(copied: Path) -> None:
    with pytest.raises(ConfigError, match="no run 'mine'") as error:
        wsd.open_run(copied, run="mine")
    assert error.value.where == "run"
    mine = tables_of(copied, "mine")
    mine.mkdir(parents=True)
    content = read_json(copied / RUN_MAP)
    (copied / STORE).mkdir()
    write_json(mine / RUN_MAP, content)
    assert wsd.open_run(copied, run="mine").name == "mine"
    with pytest.raises(ConfigError, match=r"no run 'yours'[^@]*choose among mine"):
        wsd.open_run(copied, run="yours")


def test_a_run_that_was_started_again_has_its_former_results(
    copied: Path, caplog: pytest.LogCaptureFixture
) -> None:
    content = read_json(copied / RUN_MAP)
    files = {**content["files"], "further.csv": "store/further@0123456789.csv"}
    changed = {**content["files"], "scores.csv": "store/scores@0123456789.csv"}
    del files, content["files"]["summary.csv"]
    write_json(copied / STORE / MAPS / "@0123456789.json", {**content, "files": changed})
    assert len(wsd.open_run(copied).scores)
    assert "is not finished: these are its former results" in caplog.text


def test_models_have_the_order_of_the_config(copied: Path) -> None:
    files = read_json(copied / RUN_MAP)["files"]
    shown_results.change_config(models=[{"name": "tiny"}, {"name": "alpha"}, {"name": "absent"}])
    content = read_json(copied / RUN_MAP)
    further = {f"{name}/model.json": "tiny/model.json" for name in ("alpha", "a-control")}
    write_json(copied / RUN_MAP, {**content, "files": {**files, **further}})
    assert wsd.open_run(copied).models == ("tiny", "alpha", "a-control")
