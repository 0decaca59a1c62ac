"""The authors' outputs: converted for `wsd score`, they give the published scores."""

import json
from pathlib import Path

import pytest
from builders import MakeCorpus
from call_step import call_step
from steps import rows as read

from wsd.artifacts import predictions
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import WordPredictions
from wsd.corpora.download import ARCHIVE, extract, place
from wsd.errors import ResultError
from wsd.evaluation import evaluate
from wsd.studies.systems import published
from wsd.studies.systems.published import SYSTEMS
from wsd.studies.systems.score import score_outputs

# Best first; the first of two best scores counts, as in the authors' code.
MATCHES = ([["b", 0.5], ["a", 0.25]], [["b", 1.0], ["a", 1.0]], [["a", 0.5], ["b", -0.25]])


@pytest.fixture
def corpus(make_corpus: MakeCorpus) -> Corpus:
    return make_corpus([("train", 0), ("train", 1), *[("test", 1)] * 3], word="mint")


def outputs_in(folder: Path) -> Path:
    """Write the outputs for a word's test instances."""
    folder.mkdir(parents=True)
    lines = [{"gold": "b", "idx": i, "matches": m, "tokens": ["a"]} for i, m in enumerate(MATCHES)]
    (folder / "mint.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def scored(
    source: Path, system: str, corpora: dict[str, Corpus], out: Path
) -> list[WordPredictions]:
    """Convert a system's outputs and score them, as the rules do."""
    lines = out.with_suffix(".jsonl")
    call_step(published, source=source, system=system, out=lines)
    return score_outputs(lines, system, corpora, out)


@pytest.mark.parametrize("line", ["{}", '{"idx": 0, "matches": []}', '{"idx": 0, "matches": "b"}'])
def test_another_file_is_refused(tmp_path: Path, line: str) -> None:
    folder = outputs_in(tmp_path / "outputs")
    with (folder / "mint.jsonl").open("a") as file:
        file.write(line)
    with pytest.raises(ResultError) as caught:
        list(published.convert(folder))
    assert caught.value.where == f"{folder / 'mint.jsonl'}:4"


def folder_of(system: str) -> str:
    """Return the archive's folder with a system's outputs."""
    return f"results/CoarseWSD-20/{system.replace('-', '/', 1)}"


def summary_of(folder: Path, files: list[Path]) -> list[dict[str, str]]:
    scores, summary, out = (folder / name for name in ("scores.csv", "summary.csv", "p.json"))
    tables = {"scores": scores, "summary": summary, "provenance": out}
    call_step(evaluate, predictions=files, dataset="d", reproduce="c", **tables)
    return read(summary)


def test_outputs_become_predictions_and_rows_of_the_tables(corpus: Corpus, tmp_path: Path) -> None:
    paths = []
    for system in sorted(SYSTEMS):
        outputs_in(tmp_path / "published" / system)
        paths.append(tmp_path / "out" / f"{system}.parquet")
        (actual,) = scored(tmp_path, system, {"mint": corpus}, paths[-1])
        assert actual.predicted.tolist() == [1, 1, 0]
        assert actual.scores.tolist() == [[0.25, 0.5], [1.0, 1.0], [0.5, -0.25]]
    large = predictions.read_predictions(paths[1])[1]
    model = {"name": "1nn-bert-large-uncased", "blocks": 24, "width": 1024}
    assert large["encoder"]["model"] == model and large["corpus"] == {"mint": corpus.digest}
    assert large["encoder"]["published"]["source"] == SYSTEMS[model["name"]].source
    rows = summary_of(tmp_path / "out", paths)
    keys = ("model", "train", "view", "layers", "classifier")
    assert [tuple(row[key] for key in keys) for row in rows] == [
        ("1nn-bert-base-uncased", "full", "focal", "sum-last-4", "published-1nn"),
        ("1nn-bert-large-uncased", "full", "focal", "sum-last-4", "published-1nn"),
        ("fasttext-base-100d", "full", "sentence", "0", "published-fasttext"),
        ("fasttext-crawl-300d-2M", "full", "sentence", "0", "published-fasttext"),
    ]
    assert {row["micro_accuracy"] for row in rows} == {"0.666667"}


# The real outputs

FIGURES = {
    "fasttext-base-100d": (95.39, 90.04, 78.47, 76.52),
    "fasttext-crawl-300d-2M": (96.91, 93.84, 86.82, 84.87),
    "1nn-bert-base-uncased": (95.71, 93.97, 90.96, 94.52),
    "1nn-bert-large-uncased": (96.66, 95.78, 93.24, 96.43),
}


@pytest.mark.slow
def test_the_published_outputs_give_the_published_scores(
    archive: Path, real_corpora: dict[str, Corpus], coarsewsd20: Path, tmp_path: Path
) -> None:
    manifest, source = ARCHIVE.file_checksums(), tmp_path / "source"
    extract(archive, source, {n: d for n, d in manifest.items() if "published/" in place(n)})
    paths = [tmp_path / f"{system}.parquet" for system in SYSTEMS]
    for path in paths:
        words = scored(source, path.stem, real_corpora, path)
        rows = read(coarsewsd20 / folder_of(path.stem) / "summary.csv")
        theirs = {row["word"]: float(row["acc"]) for row in rows if row["sense"] == "ALL"}
        ours = {word.word: float((word.gold == word.predicted).mean()) for word in words}
        assert len(theirs) == 20 and ours == pytest.approx(theirs, abs=1e-6)
    means = ("micro_accuracy", "mean_word_accuracy", "mean_macro_f1", "mean_balanced_accuracy")
    actual = {
        row["model"]: tuple(round(100 * float(row[mean]), 2) for mean in means)
        for row in summary_of(tmp_path, paths)
    }
    assert actual == FIGURES
