"""Build a run with known content: the tables of every step that the report reads."""

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from call_step import call_step

from wsd.artifacts import corpus_table as corpora_files
from wsd.artifacts import instance_tables
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.instance_tables import Neighbours, Projection, align_signs
from wsd.artifacts.predictions import WordPredictions, read_predictions, write_predictions
from wsd.artifacts.senses import SenseText
from wsd.evaluation import evaluate
from wsd.metrics.scores import MEAN_SCORES
from wsd.report.pages.load_report import load_report
from wsd.report.pages.report_data import Report
from wsd.report.report import write_report
from wsd.storage.file_names import file_name

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
CHOSEN = {"bank": "2", "a&b #1 <i>%": "1"}
# What the corpus calls the second sense of bank.
GIVEN = SenseText("<b>a name</b> & </script><script>", "<i onclick=window.pwned=1>gloss</i> &amp;")
DATASET = Dataset(
    name="made-up",
    title="Made <up> & small",
    source="here",
    licence="CC0 & free",
    licence_url="https://example.org/?a=1&b=2",
    citation='Nobody. "Nothing".',
    given={"bank": {SENSES["bank"][1]: GIVEN}},
    left_out={"lines with a problem: <b>no word</b>": 1234},
)


@dataclass(frozen=True)
class Run:
    """The tables of a made-up run, and the arguments that build its report."""

    folder: Path
    corpora: dict[str, Corpus]
    predictions: list[Path]
    projections: list[Path]
    neighbours: list[Path]
    tables: dict[str, list[Path]] = field(default_factory=dict)

    def arguments(self, out: Path) -> dict[str, Any]:
        return {
            **{name: value for name, value in vars(self).items() if name != "folder"},
            **{"dataset": DATASET, "tables": dict(self.tables), "view": "focal", "text": True},
            **{"provenance": self.folder / "provenance.json", "out": out / "report"},
        }

    def table(self, name: str, kind: str = "") -> pd.DataFrame:
        """Return a table, or its rows of a kind."""
        table = pd.read_csv(self.tables[name][0], dtype={"layers": str, "about": str})
        if "about" in table:
            table["about"] = table["about"].fillna("")
        return table[table["kind"] == kind] if kind else table

    def load(self, **changes: Any) -> Report:
        """Return the report, without writing it."""
        given = {**self.arguments(self.folder), **changes}
        del given["out"]
        return load_report(**given)


def build_report(*, out: Path, **given: Any) -> None:
    """Write the folder of a report, from the result of `Run.arguments`."""
    write_report(load_report(**given), out)


def make_corpus(
    word: str, senses: tuple[str, ...], rng: np.random.Generator, n_ood: int = 0
) -> Corpus:
    numbers = {"train": 30, "test": 18, "outofdomain": n_ood}
    n = sum(numbers.values())
    # Senses of different sizes in no order, so that pages draw rows in another order.
    shares = np.arange(1, len(senses) + 1) / sum(range(1, len(senses) + 1))
    gold = rng.choice(len(senses), size=n, p=shares).astype(np.int32)
    position = rng.integers(0, 3, size=n, dtype=np.int32)
    tokens = []
    for i, at in enumerate(position):
        sentence = ["left", HOSTILE[i % len(HOSTILE)], f"n{i}"]
        sentence.insert(at, word if i % 3 else sentence[1])
        tokens.append(tuple(sentence))
    split = np.repeat([*numbers], [*numbers.values()])
    index = np.concatenate([np.arange(k) for k in numbers.values()]).astype(np.int32)
    return Corpus(word, senses, split, index, tuple(tokens), position, gold)


# A name of a column, and a value, that a page must escape.
HOSTILE_COLUMN = '<img src=x onerror=window.pwned=1>&"='


def made_extra(n: int) -> dict[str, tuple[str, ...]]:
    """Return extra columns: periods, a hostile one with empty cells, identifiers, a constant."""
    return {
        "period": tuple(("1850", "1900", "990", "1900")[i % 4] for i in range(n)),
        HOSTILE_COLUMN: tuple(("", HOSTILE[0], "שלום=&%")[i % 3] for i in range(n)),
        "identifier": tuple(f"use {i}" for i in range(n)),
        # The page's own table has a column of this name.
        "gold": ("one",) * n,
    }


def make_run(
    folder: Path,
    *,
    models: Mapping[str, Mapping[str, int]] = MappingProxyType({MODEL: {}}),
    n_ood: int = 0,
    further: Sequence[tuple[str, str]] = (),
    methods: Sequence[str] = ("pca",),
) -> Run:
    """Write the tables of a run with known errors, through the package's own writers.

    ``models`` have keys of their model file; ``further`` are views and layer choices with
    predictions and scores, but without a picture. The corpus of ``bank`` has extra columns.
    """
    rng = np.random.default_rng(5)
    corpora = {word: make_corpus(word, senses, rng, n_ood) for word, senses in SENSES.items()}
    corpora["bank"] = replace(corpora["bank"], extra=made_extra(len(corpora["bank"])))
    for word, corpus in corpora.items():
        corpora_files.write(folder / "corpus" / f"{file_name(word)}.parquet", corpus)
    run, unseen = Run(folder, corpora, [], [], []), []
    for model, keys in models.items():
        encoder = {"model": {"name": model, **ABOUT, **keys}, **EMBEDDED}
        shared = {"encoder": encoder, "corpus": {w: c.digest for w, c in corpora.items()}}
        own = folder / model
        for choice in CHOICES:
            named = {"view": "focal", "layers": choice, **shared}
            for method in methods:
                pictures = {w: made_projection(c, method, choice, rng) for w, c in corpora.items()}
                path = own / "projections" / method / f"{choice}.parquet"
                provenance = {"method": method, **named}
                instance_tables.write_projections(path, corpora, pictures, provenance)
                run.projections.append(path)
            path = own / "neighbours" / f"{choice}.parquet"
            near = {word: made_neighbours(corpus, rng) for word, corpus in corpora.items()}
            instance_tables.write_neighbours(path, corpora, near, named)
            run.neighbours.append(path)
            for name in READERS:
                path = own / "predictions" / f"{choice}.{name}.parquet"
                learned = {"classifier": name, "estimator": name, **TUNED, **named}
                write_predictions(path, every_prediction(corpora, rng), learned)
                run.predictions.append(path)
        for view, choice in further:
            path = own / "further" / view / f"{choice}.parquet"
            named = {"view": view, "layers": choice, "classifier": "logistic"}
            # All predictions are right, so that these configurations rank first.
            words = [replace(m, predicted=m.gold) for m in every_prediction(corpora, rng)]
            write_predictions(path, words, {**learned, **named, "estimator": "logistic"})
            unseen.append(path)
    call_step(
        evaluate,
        predictions=[*run.predictions, *unseen],
        dataset=DATASET.name,
        config=json.dumps({"words": "all", "note": "</pre><script>window.pwned=1</script>"}),
        reproduce="snakemake <all> & more",
        scores=folder / "scores.csv",
        summary=folder / "summary.csv",
        provenance=folder / "provenance.json",
    )
    (folder / "tables").mkdir()
    run.tables.update({name: [folder / f"{name}.csv"] for name in ("scores", "summary")})
    blocks = {model: keys.get("blocks", ABOUT["blocks"]) for model, keys in models.items()}
    for name, table in made_tables(folder, blocks).items():
        run.tables[name] = [folder / "tables" / f"{name}.csv"]
        table.to_csv(run.tables[name][0], index=False)
    return run


ABOUT: dict[str, Any] = {
    **{"blocks": 3, "width": 8, "model_type": "bert", "source": {"folder": "<b>somewhere</b>"}},
    "files": {"model.safetensors": "0" * 64, "config.json": "1" * 64},
}
EMBEDDED = {
    "architecture": {
        "name": "BertModel", "tokenizer": "BertTokenizer", "max_length": 64, "causal": False,
        "wide_embeddings": False, "last_normed": False, "cls": "first", "segments": [0, 0],
        "first_token": "[CLS]",
    },
    "input": "plain", "pooling": "mean", "precision": "float32", "versions": {"numpy": "2"},
}  # fmt: skip
TUNED = {
    "train": "full", "parameters": {"C": 1.0}, "space": {"C": [0.5, 1.0], "metric": "cosine"},
    "versions": {"wsd": "0"},
}  # fmt: skip
# The score of each projection on folds; its score on the test set is 1 minus this.
KEPT = {"pca": 0.25, "discriminant": 0.5, "tsne": 0.875}


def made_projection(
    corpus: Corpus, method: str, choice: str, rng: np.random.Generator
) -> Projection:
    """Return points near their sense; a random sign, which pages must align between neighbours."""
    points = np.column_stack([corpus.gold, np.arange(len(corpus)) / 30])
    points = (points + rng.normal(scale=0.1, size=points.shape)).astype(np.float32)
    points *= rng.choice([-1, 1], size=2).astype(np.float32)
    is_line = method == "discriminant" and len(corpus.senses) == 2
    explained = (0.5, 0.25) if choice == "0" else (0.3, 0.125)
    score_cv = np.nan if method == "tsne" else KEPT[method]
    explained = None if method == "tsne" or is_line else explained
    return Projection(points, explained, 1 - KEPT[method], score_cv=score_cv)


def made_neighbours(corpus: Corpus, rng: np.random.Generator) -> Neighbours:
    """Draw five neighbours for each row, nearest first; one row has four, the last none."""
    n = len(corpus)
    rows = np.stack([rng.permutation(np.delete(np.arange(n), i))[:5] for i in range(n)])
    similarity = np.sort(rng.random((n, 5)), axis=1)[:, ::-1].astype(np.float32)
    rows[-1], similarity[-1] = -1, np.nan
    rows[0, 4], similarity[0, 4] = -1, np.nan
    return Neighbours(rows.astype(np.int32), similarity, 0.75)


NAMES = ["model", "view", "layers", "classifier"]


def read_table(path: Path) -> pd.DataFrame:
    """Read the rows of the full training set and the test split."""
    text = {"layers": str, "view": str, "draw": str}
    table = pd.read_csv(path, dtype=text, keep_default_na=False)
    return table[(table["train"] == "full") & (table["test"] == "test")]


def interval(
    value: pd.Series, *ends: str, low: float = 0.0625, high: float = 0.0625
) -> dict[str, pd.Series]:
    """Return columns of the ends of an interval around values."""
    return dict(zip(ends, (value - low, value + high), strict=True))


def over_words(start: str) -> tuple[str, str]:
    return f"{start}low_over_words", f"{start}high_over_words"


def made_tables(folder: Path, blocks: Mapping[str, int]) -> dict[str, pd.DataFrame]:
    """Return tables in the form of `wsd compare` and `wsd layerwise`."""
    own = read_table(folder / "summary.csv")
    own = own[[*NAMES, *MEAN_SCORES]].astype(dict.fromkeys(MEAN_SCORES, float))
    own = own.assign(kind="candidate", n_words=len(SENSES), about="", reference_model=own["model"])
    own = own.assign(n_test=36, n_test_without_duplicates=36)
    for mean in MEAN_SCORES:
        ends = interval(own[mean], f"{mean}_low", f"{mean}_high", low=0.03, high=0.02)
        # As in a corpus with too few words; `selected` has intervals over words.
        own = own.assign(**ends, **dict.fromkeys(over_words(f"{mean}_"), np.nan))
    value = own["mean_macro_f1"]
    own["objective_cv"] = value - 0.1
    best = own.loc[[value.idxmax()]]
    no_ends = {c: np.nan for c in own if c.endswith(("_low", "_high", "_over_words"))}
    of_models = own.groupby("model", sort=False)["mean_macro_f1"]
    selected = own.loc[of_models.idxmax()].assign(kind="selected")
    for mean in MEAN_SCORES:
        selected = selected.assign(**interval(selected[mean], *over_words(f"{mean}_")))
    baseline = {"kind": "baseline", "model": "no encoder", "view": "text", "layers": "-"}
    published = {"kind": "published", "model": "theirs", "classifier": "1nn", "layers": "-"}
    # The same layers of the first model after fine-tuning.
    first, *others = blocks
    single = own["layers"].str.isdecimal()
    after = own[(own["model"] == first) & single & (own["view"] == "focal")]
    after = after.assign(kind="fine-tuned, frozen again", model="<b>after</b>")
    after["mean_macro_f1"] -= 0.125
    comparison = [
        selected,
        best.assign(kind="best on test, for reference only", **no_ends),
        best.assign(classifier="most <frequent>_sense", **baseline),
        best.assign(about="A paper & <its> file", **published),
        own,
        after.drop_duplicates("classifier"),
    ]
    last = own.groupby(["model", "view", "classifier"])[["layers", "mean_macro_f1"]]
    reference = last.transform("last")
    apart = value - reference["mean_macro_f1"]
    depth = pd.to_numeric(own["layers"].where(single)) / own["model"].map(blocks)
    layers = own[[*NAMES, "objective_cv"]].assign(
        relative_depth=depth, selected_by_cv=own["layers"] == reference["layers"],
        metric="mean_macro_f1", value=value, reference=reference["layers"], difference=apart,
        **interval(value, "low", "high", low=0.03, high=0.02),
        **interval(apart, "difference_low", "difference_high", low=0.03, high=0.03),
        **interval(apart, *over_words("difference_")),
    )  # fmt: skip
    alike = own["model"].isin(others) & (own["model"].map(blocks) == blocks[first])
    by_model = own[NAMES].assign(
        relative_depth=None, metric="mean_macro_f1", value=value, reference_model=first,
        reference_value=value - 0.0625, difference=0.0625, difference_low=0.05,
        difference_high=0.07, p_holm=0.01, difference_low_over_words=0.0,
        difference_high_over_words=0.125,
    )[alike]  # fmt: skip
    scores = read_table(folder / "scores.csv")
    macro_f1, accuracy = (scores[name].astype(float) for name in ("macro_f1", "accuracy"))
    by_word = scores[[*NAMES, "word", "n_test"]].assign(
        errors=((1 - accuracy) * scores["n_test"]).round().astype(int),
        macro_f1=macro_f1, macro_f1_cv=macro_f1 - 0.1,
        **interval(macro_f1, "macro_f1_low", "macro_f1_high", low=0.05, high=0.04),
        # The choice of each word; pages open with it instead of the last choice.
        selected_by_cv=scores["layers"] == scores["word"].map(CHOSEN), selected_by="word",
        in_confidence_set_of_word=scores["layers"].isin(["1", "2"]),
    )  # fmt: skip
    best_set = own[NAMES].assign(
        metric="mean_macro_f1", estimate=value, p_largest_advantage=0.5,
        in_confidence_set=own["layers"] == "1",
    )  # fmt: skip
    controls = own[single].assign(kind="control view", view="context")
    zero_shot = own[(own["view"] == "focal") & (own["classifier"] == READERS[0])]
    zero_shot = zero_shot.assign(kind="zero-shot", classifier="gloss")
    sizes = {"1pct": 10, "full": 60}
    learning = crossed(own[NAMES], train=[*sizes])
    learning["n_train"] = learning["train"].map(sizes)
    learning["mean_macro_f1_in_common"] = learning["n_train"] / 100
    compared = {"metric": "mean_macro_f1", "p_over_words_holm": 0.125, "d_over_words": 0.75,
                "words_won": 0.625, **dict.fromkeys(NAMES, "x")}  # fmt: skip
    differences = pd.DataFrame(
        [{**compared, "kind": "baseline", "difference": 0.1, "low": 0.0, "high": 0.2,
          "p_holm": 0.5, "reference_model": first}]
        + [{**compared, "kind": "selected", "difference": -0.0425, "low": -0.05, "high": 0.01,
            "p_holm": 0.25, "reference_model": other, "model": first} for other in others]
    )  # fmt: skip
    differences = differences.assign(**interval(differences["difference"], *over_words("")))
    counts = ["instances", "mean_pieces", "max_pieces", "windowed", "unknown"]
    alignment = pd.DataFrame([(2000, 1.5, 2, 3, 0)] * len(blocks), columns=counts)
    long = pd.DataFrame([("focal", 1, 18)], columns=["view", "layer", "long"])
    peaks_of = {"mean_macro_f1": 2, "micro_accuracy": 1}
    curves = own[["model", "view", "classifier"]].drop_duplicates()
    peaks = crossed(curves, metric=[*peaks_of]).assign(
        n_words=2, low=1, high=2, share_of_draws=0.75
    )
    peaks["peak"] = peaks["metric"].map(peaks_of)
    return {
        "comparison": pd.concat(comparison),
        "controls": pd.concat([controls, after, zero_shot]),
        "differences": differences,
        "best-set": best_set,
        "learning": learning,
        "words": by_word.assign(kind="selected", n_test_without_duplicates=18),
        "layers": layers,
        "word-layers": by_word,
        "model-layers": by_model,
        "peaks": peaks,
        "alignment": alignment.assign(model=[*blocks]),
        "long-vectors": long.assign(model=first),
        **made_confidence(selected[NAMES]),
    }


def crossed(rows: pd.DataFrame, **values: Sequence[Any]) -> pd.DataFrame:
    """Return every combination of a row and the values of further columns."""
    further = pd.DataFrame(product(*values.values()), columns=[*values])
    return rows.merge(further, how="cross")


def made_confidence(selected: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of calibration for configurations."""
    of_kind, words = {"raw": 0.08, "calibrated": 0.02}, ("(all)", "bank")
    tests = ("test", "outofdomain")
    calibration = crossed(selected, test=tests, word=words, scores=[*of_kind])
    ece = calibration["scores"].map(of_kind)
    calibration = calibration.assign(
        n=90, accuracy=0.9, confidence=0.9 + ece, gap=ece, nll=3 * ece, brier=2 * ece, ece=ece,
        ece_floor=0.03, ece_floor_95=0.05,
    )  # fmt: skip
    reliability = crossed(selected, test=("test",), scores=[*of_kind], high=(0.7, 1.0))
    ece, high = reliability["scores"].map(of_kind), reliability["high"]
    reliability = reliability.assign(
        low=high - 0.1, n=45, confidence=high - 0.02, accuracy=high - 0.02 - ece,
        accuracy_low=high - 0.2, accuracy_high=high,
    )  # fmt: skip
    ood = crossed(selected, sentences=("test", "other words"), word=words)
    ood = ood.assign(
        threshold=0.3, n_train=60, n=90, ood=ood["sentences"].map({"test": 0.012}).fillna(0.75),
        accuracy_ood=0.5, accuracy_in_distribution=0.9,
    )  # fmt: skip
    return {"calibration": calibration, "reliability": reliability, "ood": ood}


def every_prediction(
    corpora: Mapping[str, Corpus], rng: np.random.Generator
) -> list[WordPredictions]:
    """Predict a quarter of the instances wrongly, each with the highest of drawn probabilities."""
    predictions = []
    for corpus in corpora.values():
        for split in dict.fromkeys(corpus.split[corpus.split != "train"].tolist()):
            gold, index = (codes[corpus.split == split] for codes in (corpus.gold, corpus.index))
            n, k = len(gold), len(corpus.senses)
            wrong = rng.random(n) < 0.25
            predicted = np.where(wrong, (gold + 1) % k, gold).astype(np.int32)
            scores = rng.random((n, k))
            scores[np.arange(n), predicted] = 1.5
            scores /= scores.sum(axis=1, keepdims=True)
            codes = 30, index, gold, predicted, scores, split
            predictions.append(WordPredictions(corpus.word, corpus.senses, *codes))
    return predictions


def predictions_of(run: Run, word: str, choice: str, reader: str) -> WordPredictions:
    (path,) = (p for p in run.predictions if p.name == f"{choice}.{reader}.parquet")
    words, _ = read_predictions(path)
    return next(of_word for of_word in words if of_word.word == word)


def pictures_of(run: Run, word: str) -> list[np.ndarray]:
    paths = {path.stem: path for path in run.projections if "pca" in path.parts}
    read = [instance_tables.read_projections(paths[choice])[0] for choice in CHOICES]
    return align_signs([of_words[word].points for of_words in read])


def neighbours_of(run: Run, word: str, choice: str) -> Neighbours:
    (path,) = (p for p in run.neighbours if p.stem == choice)
    return instance_tables.read_neighbours(path)[0][word]


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run"), methods=("pca", "tsne"))


@pytest.fixture(scope="session")
def built(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report over files that are left of another."""
    out = tmp_path_factory.mktemp("built #1 & <co>")
    for left in ("report/words/gone/old.html", "report/index.html"):
        (out / left).parent.mkdir(parents=True, exist_ok=True)
        (out / left).write_text("left over")
    build_report(**run.arguments(out))
    return out


@pytest.fixture(scope="session")
def three_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The names are not in alphabetical order; one model has random weights, and one is deeper."""
    folder = tmp_path_factory.mktemp("three")
    models = {"wide": {}, "tiny": {"random_weights": 7}, "deep": {"blocks": 6}}
    build_report(**make_run(folder / "run", models=models).arguments(folder))
    return folder / "report"


class Page(HTMLParser):
    """A page: (tag, attributes) in order, its text, and the text of each script."""

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

    def packed(self) -> dict[str, Any]:
        """What the page's script unpacks."""
        text = next(text for a, text in self.scripts if a.get("id") == "packed")
        return dict(json.loads(zlib.decompress(base64.b64decode(text))))

    def links(self) -> list[str]:
        values = [a.get(name) for _, a in self.elements for name in ("href", "src")]
        return [value for value in values if value is not None]

    @property
    def csp(self) -> str:
        policy = "Content-Security-Policy"
        return next(a["content"] or "" for _, a in self.elements if a.get("http-equiv") == policy)


def decode(text: str, dtype: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype)


def word_page(built: Path, word: str) -> Page:
    return Page(built / "report" / "words" / f"{file_name(word)}.html")
