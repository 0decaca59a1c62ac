"""The report's files: what stands in them; that they are whole, and the same every time."""

import base64
import hashlib
import json
import logging
import re
import subprocess
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import numpy as np
import pandas as pd
import pytest

from wsd import corpus as corpora_files
from wsd import evaluation, layers, predictions, projection
from wsd.corpus import Corpus
from wsd.datasets import Dataset
from wsd.errors import ResultError
from wsd.predictions import WordPredictions
from wsd.projection import Projection, align_signs
from wsd.report import build_report, figures, pages

HOSTILE = (
    "<script>window.pwned=1</script>",
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "<!--<script>",
    "\"double\" 'single' & &amp; &lt;b&gt;",
    "@{gold}{safe} @left{safe} $index",
    "$$x^2$$ \\(y\\) \\[z\\]",
    "שלום עולם مرحبا",
    "👩‍🔬 naïve\u2028line ⟨⟩",
    "javascript:window.pwned=1",
)
SENSES = {
    "bank": ("<img src=x onerror=window.pwned=1>", "$$\\frac{1}{2}$$ @{gold}{safe}", "\"&amp;'"),
    "a&b #1 <i>%": ("plain", "other"),
}
CHOICES = ("0", "1", "2", "mean-last-2")
READERS = ("logistic", "nearest_centroid")
MODEL = "tiny"
DATASET = Dataset(
    name="made-up",
    title="Made <up> & small",
    source="here",
    licence="CC0 & free",
    licence_url="https://example.org/?a=1&b=2",
    citation='Nobody. "Nothing".',
)


@dataclass(frozen=True)
class Run:
    """The tables of a made-up run, and the arguments that build its report."""

    folder: Path
    corpora: dict[str, Corpus]
    predictions: list[Path]
    projections: list[Path]

    def arguments(self, out: Path) -> dict[str, Any]:
        return {
            "dataset": DATASET,
            "corpora": self.corpora,
            "predictions": self.predictions,
            "projections": self.projections,
            "scores": self.folder / "scores.csv",
            "summary": self.folder / "summary.csv",
            "provenance": self.folder / "provenance.json",
            "view": "focal",
            "out": out / "report",
            "portable": out / "portable",
        }


def make_corpus(
    word: str, senses: tuple[str, ...], rng: np.random.Generator, n_ood: int = 0
) -> Corpus:
    n_train, n_test = 30, 18
    # Unequal senses in no order, so that the pages draw in another order than the corpus has.
    shares = np.arange(1, len(senses) + 1) / sum(range(1, len(senses) + 1))
    n = n_train + n_test + n_ood
    gold = rng.choice(len(senses), size=n, p=shares).astype(np.int32)
    tokens, position = [], []
    for i in range(n):
        hostile = HOSTILE[i % len(HOSTILE)]
        at = int(rng.integers(0, 3))
        sentence = ["left", hostile, f"n{i}"]
        sentence.insert(at, word if i % 3 else hostile)
        tokens.append(tuple(sentence))
        position.append(at)
    return Corpus(
        word=word,
        senses=senses,
        split=np.array(["train"] * n_train + ["test"] * n_test + ["outofdomain"] * n_ood),
        index=np.concatenate([np.arange(k) for k in (n_train, n_test, n_ood)]).astype(np.int32),
        tokens=tuple(tokens),
        position=np.array(position, dtype=np.int32),
        gold=gold,
    )


def make_run(
    folder: Path,
    *,
    models: Sequence[str] = (MODEL,),
    trains: Sequence[str] = ("full",),
    views: Sequence[str] = ("focal",),
    n_ood: int = 0,
    further: Sequence[tuple[str, str]] = (),
) -> Run:
    """Write the tables of a run with known errors, through the package's own writers.

    ``further`` are views and layer choices with predictions and scores, but without a picture.
    """
    rng = np.random.default_rng(5)
    corpora = {word: make_corpus(word, senses, rng, n_ood) for word, senses in SENSES.items()}
    for word, corpus in corpora.items():
        corpora_files.write(folder / "corpus" / f"{word}.parquet", corpus)
    predicted, projected, unseen = [], [], []
    for model in models:
        encoder = {
            "model": {
                "name": model,
                "blocks": 3,
                "width": 8,
                "model_type": "bert",
                "source": {"folder": "<b>somewhere</b>"},
                "files": {"model.safetensors": "0" * 64, "config.json": "1" * 64},
            },
            "pooling": "mean",
            "precision": "float32",
            "seed": 1,
            "versions": {"numpy": "2"},
        }
        shared = {"encoder": encoder, "corpus": {w: c.digest for w, c in corpora.items()}}
        for view in views:
            for choice in CHOICES:
                path = folder / model / "projections" / view / f"{choice}.parquet"
                pictures = {
                    # A random sign, which the pages must align between neighbours.
                    word: Projection(
                        (
                            np.column_stack([corpus.gold, np.arange(len(corpus)) / 30])
                            + rng.normal(scale=0.1, size=(len(corpus), 2))
                        ).astype(np.float32)
                        * rng.choice([-1, 1], size=2).astype(np.float32),
                        (0.5, 0.25) if choice == "0" else (0.3, 0.125),
                    )
                    for word, corpus in corpora.items()
                }
                projection.write(
                    path, corpora, pictures, {"view": view, "layers": choice, **shared}
                )
                projected.append(path)
                for train in trains:
                    for name in READERS:
                        path = (
                            folder
                            / model
                            / "predictions"
                            / train
                            / view
                            / f"{choice}.{name}.parquet"
                        )
                        provenance = {
                            "train": train,
                            "view": view,
                            "layers": choice,
                            "classifier": name,
                            "estimator": name,
                            "parameters": {"C": 1.0},
                            "space": {"C": [0.5, 1.0], "metric": "cosine"},
                            "versions": {"wsd": "0"},
                            **shared,
                        }
                        words = [
                            made for of in corpora.values() for made in make_predictions(of, rng)
                        ]
                        predictions.write(path, words, provenance)
                        predicted.append(path)
        for view, choice in further:
            path = folder / model / "further" / view / f"{choice}.parquet"
            named = {"view": view, "layers": choice, "classifier": "logistic"}
            # All right: they head the list.
            words = [
                replace(made, predicted=made.gold)
                for of in corpora.values()
                for made in make_predictions(of, rng)
            ]
            predictions.write(path, words, {**provenance, **named, "estimator": "logistic"})
            unseen.append(path)
    evaluation.evaluate(
        [*predicted, *unseen],
        dataset=DATASET.name,
        config={"words": "all", "note": "</pre><script>window.pwned=1</script>"},
        command="snakemake <all> & more",
        scores=folder / "scores.csv",
        summary=folder / "summary.csv",
        out=folder / "provenance.json",
    )
    return Run(folder, corpora, predicted, projected)


def make_predictions(corpus: Corpus, rng: np.random.Generator) -> list[WordPredictions]:
    found = []
    for split in dict.fromkeys(corpus.split[corpus.split != "train"].tolist()):
        rows = corpus.split == split
        gold = corpus.gold[rows]
        wrong = rng.random(len(gold)) < 0.25
        predicted = np.where(wrong, (gold + 1) % len(corpus.senses), gold).astype(np.int32)
        made = WordPredictions(
            word=corpus.word,
            senses=corpus.senses,
            n_train=int((corpus.split == "train").sum()),
            index=corpus.index[rows],
            gold=gold,
            predicted=predicted,
            scores=np.zeros((len(gold), len(corpus.senses))),
            split=split,
        )
        found.append(made)
    return found


def predictions_of(run: Run, word: str, choice: str, reader: str) -> WordPredictions:
    (path,) = (p for p in run.predictions if p.name == f"{choice}.{reader}.parquet")
    words, _ = predictions.read(path)
    return next(of_word for of_word in words if of_word.word == word)


def pictures_of(run: Run, word: str) -> list[np.ndarray]:
    read = {path.stem: projection.read(path)[0] for path in run.projections}
    return align_signs([read[choice][word].points for choice in CHOICES])


class Page(HTMLParser):
    """Elements of a page: (tag, attributes) in order, and the text inside each script."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.text = ""
        self._inside: str | None = None
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            attributes, text = self.scripts[-1]
            self.scripts[-1] = (attributes, text + data)
        elif self._inside != "style":
            self.text += data

    def json(self, identifier: str) -> Any:
        return next(json.loads(text) for a, text in self.scripts if a.get("id") == identifier)

    def links(self) -> list[str]:
        return [
            value
            for _, attributes in self.elements
            for name in ("href", "src")
            if (value := attributes.get(name)) is not None
        ]

    @property
    def csp(self) -> str:
        return next(
            a["content"] or ""
            for _, a in self.elements
            if a.get("http-equiv") == "Content-Security-Policy"
        )


def decode(text: str, dtype: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype)


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def built(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built")
    build_report(**run.arguments(out))
    return out


@pytest.fixture(scope="module")
def all_pages(built: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted((built / "report").rglob("*.html"))}


def word_page(built: Path, word: str) -> Page:
    return Page(built / "report" / "words" / MODEL / f"{word}.html")


def test_folders_hold_exactly_the_pages_of_this_run(run: Run, tmp_path: Path) -> None:
    for old in ("report/words/gone/old.html", "report/index.html", "portable/gone/old.html"):
        (tmp_path / old).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / old).write_text("left over")
    build_report(**run.arguments(tmp_path))
    words = {f"{MODEL}/{word}.html" for word in run.corpora}
    assert set(files_in(tmp_path)) == (
        {"report/index.html"}
        | {f"report/assets/{name}" for name in ("app.js", "bokeh.min.js", "style.css")}
        | {f"report/words/{page}" for page in words}
        | {f"portable/{page}" for page in words}
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["portable", "report"]


def test_failing_build_leaves_the_old_report(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("report", "portable"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text("old")
    before = files_in(tmp_path)

    def fail(*_: object) -> None:
        raise ResultError("no")

    monkeypatch.setattr(pages, "write_index", fail)
    with pytest.raises(ResultError):
        build_report(**run.arguments(tmp_path))
    assert files_in(tmp_path) == before
    assert len(list(tmp_path.iterdir())) == 2


BUILD = """
import json, sys
from pathlib import Path
from wsd import corpus
from wsd.datasets import Dataset
from wsd.report import build_report
given = json.loads(sys.argv[1])
folder, out = Path(given["folder"]), Path(given["out"])
build_report(
    dataset=Dataset(**given["dataset"]), corpora=corpus.read_all(folder / "corpus", given["words"]),
    predictions=[Path(p) for p in given["predictions"]],
    projections=[Path(p) for p in given["projections"]],
    scores=folder / "scores.csv", summary=folder / "summary.csv",
    provenance=folder / "provenance.json", view="focal",
    out=out / "report", portable=out / "portable")
print(sorted({"torch", "transformers", "tokenizers"} & set(sys.modules)))
"""


def test_same_bytes_in_another_process_without_a_model(
    run: Run, built: Path, tmp_path: Path
) -> None:
    given = {
        "folder": str(run.folder),
        "out": str(tmp_path),
        "dataset": DATASET.__dict__ | {},
        "words": list(run.corpora),
        "predictions": [str(p) for p in reversed(run.predictions)],
        "projections": [str(p) for p in reversed(run.projections)],
    }
    done = subprocess.run(
        [sys.executable, "-c", BUILD, json.dumps(given)],
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": "77", "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
    assert files_in(tmp_path) == files_in(built)


@pytest.mark.parametrize("word", SENSES)
def test_page_holds_every_instance_once_as_it_is(run: Run, built: Path, word: str) -> None:
    corpus = run.corpora[word]
    data = word_page(built, word).json("data")
    train = decode(data["train"], "u1") == 1
    split = np.where(train, "train", "test")
    at = {(s, i): row for row, (s, i) in enumerate(zip(corpus.split, corpus.index, strict=True))}
    rows = [at[key] for key in zip(split, decode(data["index"], "<i4"), strict=True)]
    assert sorted(rows) == list(range(len(corpus)))
    assert decode(data["gold"], "<u2").tolist() == corpus.gold[rows].tolist()
    assert data["senses"] == list(corpus.senses)
    for shown, row in enumerate(rows):
        tokens, position = corpus.tokens[row], corpus.position[row]
        assert data["focal"][shown] == tokens[position]
        assert data["left"][shown] == " ".join(tokens[:position])
        assert data["right"][shown] == " ".join(tokens[position + 1 :])
    assert [entry["name"] for entry in data["choices"]] == list(CHOICES)
    for entry, points in zip(data["choices"], pictures_of(run, word), strict=True):
        whole = decode(entry["points"], "<i2").reshape(2, -1).T
        np.testing.assert_allclose(whole * entry["step"], points[rows], atol=entry["step"])
        assert entry["step"] < 2e-4
        for reader, codes in zip(data["readers"], entry["predicted"], strict=True):
            expected = predictions_of(run, word, entry["name"], reader)
            by_line = dict(zip(expected.index.tolist(), expected.predicted.tolist(), strict=True))
            tests = [row for row in rows if corpus.split[row] == "test"]
            assert decode(codes, "<u2").tolist() == [by_line[corpus.index[r]] for r in tests]


def test_rare_senses_and_test_instances_are_drawn_last(run: Run, tmp_path: Path) -> None:
    corpus = run.corpora["bank"]
    gold = corpus.gold.copy()
    gold[:] = 0
    gold[[3, 40]] = 2
    rare = replace(corpus, gold=gold)
    made = pages._word_data(_word_run(rare), [layers.parse("0", 2)], pages.FULL, training_text=True)
    assert decode(made["gold"], "<u2").tolist() == [0] * (len(corpus) - 2) + [2, 2]
    assert decode(made["train"], "u1").tolist() == [1] * 29 + [0] * 17 + [1, 0]


def _word_run(corpus: Corpus) -> Any:
    from wsd.report.inputs import WordRun

    return WordRun(corpus, [np.zeros((len(corpus), 2))], [(0.0, 0.0)], {}, {})


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


def test_index_leads_with_the_best_and_sorts_by_macro_f1(run: Run, built: Path) -> None:
    page = Page(built / "report" / "index.html")
    summary = pd.read_csv(run.folder / "summary.csv", dtype={"layers": str})
    best = summary.sort_values("mean_macro_f1", ascending=False).iloc[0]
    text = " ".join(page.text.split())
    of_best = f"with {best['classifier']}, mean macro\N{NON-BREAKING HYPHEN}F1"
    assert f"{of_best} {best['mean_macro_f1'] * 100:.2f}. It was chosen by the figure" in text
    assert "For reference only: the best single configuration" in text
    # What was searched, and what was fixed.
    assert "logistic, C among 0.5, 1.0, metric = cosine" in text
    shown = re.findall(r"(?:logistic|nearest_centroid)((?:\d+\.\d\d){4})", text)
    metrics = list(pages.SUMMARY_METRICS)
    expected = summary.sort_values("mean_macro_f1", ascending=False, kind="stable")[metrics]
    assert shown == ["".join(f"{value * 100:.2f}" for value in row) for row in expected.to_numpy()]
    for needed in (
        "snakemake <all> & more",
        "<b>somewhere</b>",
        "0" * 64,
        '"note": "</pre><script>',
        "CC0 & free",
        "Nobody",
    ):
        assert needed in page.text
    assert "may have seen these sentences" in page.text
    for corpus in run.corpora.values():
        assert corpus.digest in page.text


def test_cells_link_to_the_word_at_that_layer(run: Run, built: Path) -> None:
    scores = pd.read_csv(run.folder / "scores.csv", dtype={"layers": str})
    page = (built / "report" / "index.html").read_text()
    cells = re.findall(
        r'<a href="(words/[^"]*)#layers=([^"&]*)&amp;errors=([^"]*)">([\d.]+)</a>', page
    )
    found = {}
    for path, choice, reader, value in cells:
        assert (built / "report" / unquote(path)).is_file()
        found[Path(unquote(path)).stem, unquote(choice), unquote(reader)] = value
    assert found == {
        (row["word"], row["layers"], row["classifier"]): f"{row['macro_f1'] * 100:.1f}"
        for row in scores.to_dict("records")
    }


def test_every_link_resolves_and_nothing_is_remote(all_pages: dict[Path, Page]) -> None:
    for path, page in all_pages.items():
        for link in page.links():
            target, _ = urldefrag(link)
            if target in ("", "data:,") or link == DATASET.licence_url:
                continue
            assert (path.parent / unquote(target)).is_file(), link
        assert [t for t, a in page.elements if t in ("img", "iframe", "i") and a] == [
            "i" for _ in range(21 if path.name == "index.html" else 0)
        ]


def test_policy_allows_only_own_files(all_pages: dict[Path, Page]) -> None:
    for page in all_pages.values():
        assert "default-src 'none'; script-src 'self'; " in page.csp
        assert "connect-src 'none'" in page.csp and "unsafe-eval" not in page.csp
        for attributes, text in page.scripts:
            assert attributes.get("type") == "application/json" or not text
        assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]


def test_hostile_text_stays_text(run: Run, all_pages: dict[Path, Page]) -> None:
    for path, page in all_pages.items():
        source = path.read_text()
        assert "<script>window" not in source and "<img" not in source
        ids = [a["id"] for a, _ in page.scripts if "id" in a]
        assert ids == (
            [f"curve-{metric}" for metric in pages.SUMMARY_METRICS]
            if path.name == "index.html"
            else ["data", "figure"]
        )
        assert "</body>" in source.splitlines()[-2]
        if path.name == "bank.html":
            for sense in run.corpora["bank"].senses:
                assert sense in page.text


def test_figures_carry_no_code(all_pages: dict[Path, Page]) -> None:
    for page in all_pages.values():
        for attributes, text in page.scripts:
            if attributes.get("id") != "data":
                assert "CustomJS" not in text and "{safe}" not in text


def test_ids_do_not_depend_on_earlier_figures() -> None:
    first = figures.scatter(3, 100)
    figures.scatter(2, 10)
    assert figures.scatter(3, 100) == first


def test_hundred_senses_all_look_different() -> None:
    assert len({figures.sense_style(sense) for sense in range(100)}) == 100
    figures.scatter(12, 50)


def unpack(page: Page) -> dict[str, Any]:
    text = next(text for a, text in page.scripts if a.get("id") == "packed")
    return dict(json.loads(zlib.decompress(base64.b64decode(text))))


def test_portable_page_needs_no_other_file(run: Run, built: Path) -> None:
    for word in run.corpora:
        page = Page(built / "portable" / MODEL / f"{word}.html")
        links = [link for link in page.links() if link != DATASET.licence_url]
        assert links and all(link.startswith("#layers=") for link in links)
        packed = unpack(page)
        whole = word_page(built, word)
        assert packed["figure"] == whole.json("figure")
        assert packed["data"]["left"] == whole.json("data")["left"]
        app = next(text for a, text in page.scripts if not a)
        for script in (app, packed["bokeh"]):
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in page.csp
        assert "unsafe-inline' 'unsafe" not in page.csp
        assert re.search(r"script-src ('sha256-[^']*' ?){2};", page.csp)


def test_portable_page_drops_training_sentences_before_it_grows_too_large(
    run: Run,
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    whole = (built / "portable" / MODEL / "bank.html").stat().st_size
    monkeypatch.setattr(pages, "PORTABLE_BYTES", whole - 1)
    build_report(**run.arguments(tmp_path))
    page = Page(tmp_path / "portable" / MODEL / "bank.html")
    data = unpack(page)["data"]
    train = decode(data["train"], "u1") == 1
    assert all(
        (text == "") == of_train for text, of_train in zip(data["focal"], train, strict=True)
    )
    assert "leaves out the sentences of training instances" in page.text
    assert "leaves out" not in Page(built / "portable" / MODEL / "bank.html").text
    monkeypatch.setattr(pages, "PORTABLE_BYTES", 1000)
    with caplog.at_level(logging.WARNING, "wsd"):
        build_report(**run.arguments(tmp_path))
    assert "too large" in caplog.text


def test_progress_names_every_page(
    run: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "wsd"):
        build_report(**run.arguments(tmp_path))
    assert "page 1 of 2: tiny bank" in caplog.text
    assert "page 2 of 2: tiny a&b #1 <i>%" in caplog.text


def test_several_models_and_training_sets_and_views(tmp_path: Path) -> None:
    run = make_run(
        tmp_path / "run", models=("tiny", "wide"), trains=("full", "1pct"), views=("focal", "cls")
    )
    build_report(**run.arguments(tmp_path))
    page = Page(tmp_path / "report" / "index.html")
    data = Page(tmp_path / "report" / "words" / "wide" / "bank.html").json("data")
    assert data["readers"] == list(READERS)
    # 2 models x 2 views x 4 choices x 2 classifiers of the full training set; tables of one view.
    text = (tmp_path / "report" / "index.html").read_text()
    assert len(re.findall(r'class="n quiet rank"', text)) == 32
    assert len(re.findall(r"<tfoot>", text)) == 4
    assert "wide, logistic" in " ".join(page.text.split())
    # The pages of a run that has nothing else show the same figures.
    summary = pd.read_csv(run.folder / "summary.csv", dtype={"layers": str})
    full = summary[summary["train"] == "full"]["mean_macro_f1"]
    shown = re.findall(r'class="n lead">([\d.]+)<', text)
    assert sorted(shown) == sorted(f"{100 * value:.2f}" for value in full)


def test_instances_out_of_domain_are_in_the_tables_and_not_on_the_pages(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", n_ood=7)
    summary = pd.read_csv(run.folder / "summary.csv", dtype={"layers": str})
    assert set(summary["test"]) == {"test", "outofdomain"}
    build_report(**run.arguments(tmp_path))
    index = Page(tmp_path / "report" / "index.html")
    shown = re.findall(r"(?:logistic|nearest_centroid)((?:\d+\.\d\d){4})", index.text)
    assert len(shown) == len(CHOICES) * len(READERS)
    for word, corpus in run.corpora.items():
        data = word_page(tmp_path, word).json("data")
        assert len(decode(data["gold"], "<u2")) == (corpus.split != "outofdomain").sum() == 48
        assert len(decode(data["choices"][0]["predicted"][0], "<u2")) == 18


FURTHER = (
    ("focal", "mix-all"),
    ("focal+context", "mean-last-2+2"),
    ("per-word", "per-word"),
    ("context", "1"),
)


def test_what_has_no_picture_is_in_the_leaderboard_alone(tmp_path: Path) -> None:
    """A mix, several vectors, a choice per word and a control view: all better than the rest."""
    run = make_run(tmp_path / "run", further=FURTHER)
    build_report(**run.arguments(tmp_path))
    text = (tmp_path / "report" / "index.html").read_text()
    assert len(re.findall(r'class="n quiet rank"', text)) == 8 + len(FURTHER)
    words = " ".join(Page(tmp_path / "report" / "index.html").text.split())
    assert f"on the test set itself is mix-all of {MODEL} with logistic" in words
    for view, layers_ in FURTHER:
        assert view in words and layers_ in words
    data = word_page(tmp_path, "bank").json("data")
    assert [entry["name"] for entry in data["choices"]] == list(CHOICES)
    assert len(re.findall(r"<tfoot>", text)) == len(READERS)


def test_a_comparison_leads_the_index(run: Run, tmp_path: Path) -> None:
    """What was selected stands at the top; the candidates are too many for the table."""
    rows = [
        ("selected", MODEL, "focal+context", "mean-last-2+2", "logistic", 0.91),
        ("candidate", MODEL, "focal", "nowhere", "logistic", 0.81),
        ("most frequent <sense>", "no encoder", "text", "-", "most_frequent_sense", 0.31),
    ]
    metrics = list(pages.SUMMARY_METRICS)
    table = pd.DataFrame(
        {
            "kind": kind, "model": model, "view": view, "layers": choice, "classifier": classifier,
            "train": "full", "draw": "", "test": "test", "n_words": 2,
            **dict.fromkeys(metrics, value),
            **{f"{m}_low": value - 0.05 for m in metrics},
            **{f"{m}_high": value + 0.05 for m in metrics},
        }
        for kind, model, view, choice, classifier, value in rows
    )  # fmt: skip
    table.to_csv(tmp_path / "comparison.csv", index=False)
    build_report(**run.arguments(tmp_path), comparison=tmp_path / "comparison.csv")
    page = Page(tmp_path / "report" / "index.html")
    text = " ".join(page.text.split())
    assert "Selected on folds of the training set: focal+context mean-last-2+2 of tiny" in text
    assert "macro\N{NON-BREAKING HYPHEN}F1 91.00 (95% interval 86.00 to 96.00) over 2 words" in text
    assert "most frequent <sense>" in text and "nowhere" not in text
    assert "31.00 26.0\N{EN DASH}36.0" in text


def test_a_comparison_that_is_none(run: Run, tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="not a table of comparisons"):
        build_report(**run.arguments(tmp_path), comparison=tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda a: a.update(projections=a["projections"][1:]), "predictions but no projection"),
        (lambda a: a.update(predictions=a["predictions"][1:]), "has no predictions of logistic"),
        (lambda a: a.update(view="context"), "no projection of the view 'context'"),
        (lambda a: a.update(scores=a["out"] / "none.csv"), "missing"),
        (lambda a: a.update(summary=a["provenance"]), "not a table of scores"),
        (lambda a: a.update(predictions=[]), "no predictions"),
        (
            lambda a: (
                (a["out"].parent / "p.json").write_text('{"models": {}}'),
                a.update(provenance=a["out"].parent / "p.json"),
            ),
            "does not name the model 'tiny'",
        ),
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


def test_a_missing_row_of_scores(run: Run, tmp_path: Path) -> None:
    table = pd.read_csv(run.folder / "scores.csv", dtype={"layers": str})
    table.iloc[:-1].to_csv(tmp_path / "scores.csv", index=False)
    with pytest.raises(ResultError, match="no scores of nearest_centroid"):
        build_report(**run.arguments(tmp_path) | {"scores": tmp_path / "scores.csv"})


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_from_their_ground(scheme: str) -> None:
    css = pages._asset("style.css")
    light, dark = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    colours = dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", light if scheme == "light" else dark))
    senses = [colours[f"--sense-{i}"] for i in range(figures.COLOURS)]
    assert len(set(senses)) == figures.COLOURS
    for colour in (*senses, colours["--error-mark"], colours["--rule-2"]):
        minimum = 2.0 if colour == colours["--rule-2"] else 3.0
        assert contrast(colour, colours["--surface"]) >= minimum, colour
    for ink in ("--ink", "--ink-2", "--link", "--ok", "--wrong"):
        for ground in ("--page", "--surface", "--soft"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for ground in ("--heat-low", "--heat-high"):
        assert contrast(colours["--ink"], colours[ground]) >= 4.5
