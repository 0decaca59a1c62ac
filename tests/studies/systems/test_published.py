"""The authors' outputs: only lines that match our instances are accepted."""

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from call_step import call_step

from wsd.artifacts import predictions
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import WordPredictions
from wsd.corpora.coarsewsd20 import ARCHIVE, downloaded_files, place
from wsd.corpora.text_format import read_text
from wsd.corpora.unpack_archive import extract
from wsd.errors import ConfigError, CorpusError
from wsd.evaluation import evaluate
from wsd.studies.systems.published import make_published, read_system, read_word
from wsd.studies.systems.system_descriptions import SYSTEMS

TEST = ("the mint struck a medal", "tea with mint", "mint coins and mint sweets")
GOLD = ("mint_coins", "mint_herb", "mint_sweet")
# Best first, each in an order of senses of its own.
MATCHES = (
    (("mint_coins", 0.75), ("mint_sweet", 0.5), ("mint_herb", -0.25)),
    (("mint_coins", 1.0), ("mint_herb", 1.0), ("mint_sweet", 0.125)),
    (("mint_sweet", 0.5), ("mint_herb", 0.25), ("mint_coins", 0.0)),
)
SENSES = ("mint_herb", "mint_coins", "mint_sweet")

Output = dict[str, Any]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    folder = tmp_path / "mint"
    folder.mkdir()
    (folder / "classes_map.txt").write_text(json.dumps(dict(enumerate(SENSES))))
    (folder / "train.data.txt").write_text("0\tmint\n" * 7)
    (folder / "train.gold.txt").write_text("0\n" * 7)
    (folder / "test.data.txt").write_text("\n".join(f"0\t{text}" for text in TEST))
    (folder / "test.gold.txt").write_text("\n".join(str(SENSES.index(gold)) for gold in GOLD))
    (folder / "further.tsv").write_text("mint\tmint_herb\t0\tMint tea\n")
    return read_text(folder, "mint", folder / "further.tsv")


def outputs() -> list[Output]:
    return [
        {"gold": gold, "idx": i, "matches": [list(m) for m in matches], "tokens": text.split()}
        for i, (text, gold, matches) in enumerate(zip(TEST, GOLD, MATCHES, strict=True))
    ]


def put(path: Path, lines: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_outputs_become_predictions(corpus: Corpus, tmp_path: Path) -> None:
    actual = read_word(put(tmp_path / "mint.jsonl", outputs()), corpus)
    assert (actual.word, actual.senses, actual.n_train) == ("mint", SENSES, 7)
    assert actual.index.tolist() == [0, 1, 2]
    assert actual.gold.tolist() == [1, 0, 2]
    # The first of two best scores counts, as in the authors' code.
    assert actual.predicted.tolist() == [1, 1, 2]
    assert actual.scores.tolist() == [[-0.25, 0.75, 0.5], [1.0, 1.0, 0.125], [0.25, 0.0, 0.5]]


def changed(key: str, value: Any) -> Callable[[Output], Any]:
    return lambda output: {**output, key: value}


def matches(*pairs: Any) -> Callable[[Output], Any]:
    return changed("matches", [list(pair) if isinstance(pair, tuple) else pair for pair in pairs])


A, B, C = MATCHES[1]
WRONG: dict[str, tuple[Callable[[Output], Any], str]] = {
    "other idx": (changed("idx", 2), "idx 2, not 1: not the output for test instance 1 of 'mint'"),
    "idx True": (changed("idx", True), "idx True, not 1"),
    "idx text": (changed("idx", "1"), "idx '1', not 1"),
    "other gold": (changed("gold", "mint_coins"), "gold 'mint_coins', not 'mint_herb'"),
    "other tokens": (changed("tokens", ["tea", "with", "mint", "."]), "other tokens"),
    "tokens as text": (changed("tokens", "tea with mint"), "other tokens"),
    "no object": (lambda output: [output], "not an object with gold, idx, matches, tokens"),
    "a key less": (lambda o: {"idx": 1, "gold": o["gold"]}, "not an object with gold, idx"),
    "a key more": (changed("pred", "mint_herb"), "not an object with gold, idx"),
    "matches text": (changed("matches", "mint_herb"), "not pairs of a sense and a finite score"),
    "matches object": (changed("matches", {"mint_herb": 1.0}), "not pairs of a sense"),
    "a match of one": (matches(A, B, ("mint_sweet",)), "not pairs of a sense"),
    "score text": (matches(A, B, ("mint_sweet", "0.1")), "not pairs of a sense"),
    "score NaN": (matches(A, B, ("mint_sweet", float("nan"))), "not pairs of a sense"),
    "score infinite": (matches(("mint_coins", float("inf")), B, C), "not pairs of a sense"),
    "score true": (matches(("mint_coins", True), B, C), "not pairs of a sense"),
    "no matches": (changed("matches", []), "the scores are of no sense, not of each of mint_herb"),
    "a sense less": (matches(A, B), "the scores are of mint_coins, mint_herb, not of each of"),
    "a sense twice": (matches(A, B, B, C), "the matches have a sense twice"),
    "another sense": (matches(A, B, ("NULL", -1.0)), "mint_coins, mint_herb, NULL, not of each of"),
    "not best first": (matches(C, A, B), "not in the order of their scores"),
}


@pytest.mark.parametrize(("change", "says"), WRONG.values(), ids=WRONG)
def test_an_invalid_line_is_named(
    corpus: Corpus, tmp_path: Path, change: Callable[[Output], Any], says: str
) -> None:
    lines = outputs()
    path = put(tmp_path / "mint.jsonl", [lines[0], change(lines[1]), lines[2]])
    with pytest.raises(CorpusError) as caught:
        read_word(path, corpus)
    assert says in caught.value.problem
    assert caught.value.where == f"{path}:2"


def test_a_line_that_is_not_json(corpus: Corpus, tmp_path: Path) -> None:
    path = put(tmp_path / "mint.jsonl", outputs())
    first, _, last = path.read_text().splitlines()
    for line in ("", "{", "NULL", "[" * 100_000):
        path.write_text("\n".join([first, line, last]))
        with pytest.raises(CorpusError, match="not valid JSON") as caught:
            read_word(path, corpus)
        assert caught.value.where == f"{path}:2"


@pytest.mark.parametrize(("count", "line"), [(2, 3), (4, 4)])
def test_another_number_of_lines(corpus: Corpus, tmp_path: Path, count: int, line: int) -> None:
    path = put(tmp_path / "mint.jsonl", (outputs() * 2)[:count])
    with pytest.raises(CorpusError, match=f"{count} outputs for the 3 test instances") as caught:
        read_word(path, corpus)
    assert caught.value.where == f"{path}:{line}"


def test_outputs_in_another_order_and_none(corpus: Corpus, tmp_path: Path) -> None:
    first, second, third = outputs()
    path = put(tmp_path / "mint.jsonl", [first, third, second])
    with pytest.raises(CorpusError, match="idx 2, not 1") as caught:
        read_word(path, corpus)
    assert caught.value.where == f"{path}:2"
    path.unlink()
    with pytest.raises(CorpusError, match="missing"):
        read_word(path, corpus)


def test_an_unknown_system(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no published system 'elmo'") as caught:
        read_system(tmp_path, "elmo", {"mint": corpus})
    assert "1nn-bert-base-uncased" in str(caught.value.fix)


def folder_of(system: str) -> str:
    """Return the archive's folder with a system's outputs."""
    return f"results/CoarseWSD-20/{system.replace('-', '/', 1)}"


def test_every_system_is_downloaded_and_described() -> None:
    files = [file.split("/") for file in downloaded_files() if file.startswith("published/")]
    assert {file[1] for file in files} == {*SYSTEMS, "centroids"}
    manifest = ARCHIVE.file_checksums()
    for name, system in SYSTEMS.items():
        assert system.name == name
        outputs = folder_of(name)
        assert f"{outputs}/apple.jsonl" in manifest
        assert place(f"{outputs}/apple.jsonl") == f"published/{name}/apple.jsonl"
        assert "Computational Linguistics 47(2), 2021" in system.source
        assert system.source.endswith(f"d8728bc5f0bbd2a14cdeb19aa71844fb89a31cb6/{outputs}")
        assert "full training set" in system.protocol
        assert str(system.width) in system.protocol or "bert" in name


def summary_of(folder: Path, files: list[Path]) -> list[dict[str, str]]:
    scores, summary, out = (folder / name for name in ("scores.csv", "summary.csv", "p.json"))
    tables = {"scores": scores, "summary": summary, "provenance": out}
    call_step(evaluate, predictions=files, dataset="d", reproduce="c", **tables)
    with summary.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_file_is_one_of_predictions(corpus: Corpus, tmp_path: Path) -> None:
    paths = []
    for system in SYSTEMS:
        put(tmp_path / "source" / "published" / system / "mint.jsonl", outputs())
        paths.append(tmp_path / "out" / f"{system}.parquet")
        make_published(tmp_path / "source", system, {"mint": corpus}, paths[-1])
    words, provenance = predictions.read_predictions(paths[-1])
    assert [word.predicted.tolist() for word in words] == [[1, 1, 2]]
    assert provenance["corpus"] == {"mint": corpus.digest}
    system = SYSTEMS["1nn-bert-large-uncased"]
    assert provenance["encoder"]["published"] == {
        "title": "BERT-large, nearest centroid",
        "source": system.source,
        "protocol": system.protocol,
    }
    assert provenance["encoder"]["model"] == {"name": system.name, "blocks": 24, "width": 1024}
    models = [predictions.read_predictions(path)[1]["encoder"]["model"] for path in paths[:2]]
    assert [(model["blocks"], model["width"]) for model in models] == [(0, 100), (0, 300)]
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


@pytest.fixture(scope="module")
def source(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("real") / "source"
    manifest = ARCHIVE.file_checksums()
    extract(archive, out, {n: d for n, d in manifest.items() if "published/" in place(n)})
    return out


@pytest.mark.slow
def test_the_published_outputs_give_the_published_figures(
    source: Path, real_corpora: dict[str, Corpus], tmp_path: Path
) -> None:
    paths = [tmp_path / f"{system}.parquet" for system in SYSTEMS]
    for path in paths:
        make_published(source, path.stem, real_corpora, path)
    means = ("micro_accuracy", "mean_word_accuracy", "mean_macro_f1", "mean_balanced_accuracy")
    actual = {
        row["model"]: tuple(round(100 * float(row[mean]), 2) for mean in means)
        for row in summary_of(tmp_path, paths)
    }
    assert actual == FIGURES


def accuracies(words: list[WordPredictions]) -> Mapping[str, float]:
    return {word.word: float((word.gold == word.predicted).mean()) for word in words}


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_accuracies_are_the_authors_own(
    source: Path, real_corpora: dict[str, Corpus], coarsewsd20: Path, system: str
) -> None:
    with (coarsewsd20 / folder_of(system) / "summary.csv").open(newline="") as file:
        theirs = {
            row["word"]: float(row["acc"]) for row in csv.DictReader(file) if row["sense"] == "ALL"
        }
    assert len(theirs) == 20
    assert accuracies(read_system(source, system, real_corpora)) == pytest.approx(theirs, abs=1e-6)
