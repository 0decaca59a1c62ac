"""The built-in corpus obeys the rules it was written by."""

import csv
import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from wsd.artifacts.corpus import Corpus
from wsd.artifacts.dataset import DATA, DATASETS
from wsd.classification.estimators.registry import make_estimator
from wsd.classification.fit_word import predict_word
from wsd.corpora import folds
from wsd.corpora.text_format import read_text
from wsd.encoder.encoder import Encoder
from wsd.evaluation.evaluate import score_word

FOLDER = DATA / "quickstart"
WORDS = ("apple", "bank", "crane", "java", "spring")
CORPORA = {word: read_text(FOLDER / word, word) for word in WORDS}
SENTENCES = [tokens for table in CORPORA.values() for tokens in table.tokens]


@pytest.fixture(params=WORDS)
def table(request: pytest.FixtureRequest) -> Corpus:
    return CORPORA[request.param]


def grams(tokens: tuple[str, ...], n: int) -> Iterator[tuple[str, ...]]:
    return (tokens[i : i + n] for i in range(len(tokens) - n + 1))


def test_words_and_senses() -> None:
    assert tuple(sorted(path.name for path in FOLDER.iterdir())) == WORDS
    assert DATASETS["quickstart"].words == WORDS
    assert sum(len(table.senses) for table in CORPORA.values()) == 11
    for word, table in CORPORA.items():
        assert len(table.senses) >= 2
        assert all(sense.startswith(f"{word}_") for sense in table.senses)


def test_enough_instances_of_every_sense(table: Corpus) -> None:
    for split, least in (("train", 24), ("test", 12)):
        count = Counter(table.gold[table.split == split].tolist())
        assert sorted(count) == list(range(len(table.senses)))
        assert min(count.values()) >= least


def test_shape_of_the_sentences(table: Corpus) -> None:
    for tokens in table.tokens:
        assert 8 <= len(tokens) <= 40, tokens
        assert all(token == token.lower() for token in tokens), tokens


def test_the_focal_word_stands_once_and_bare(table: Corpus) -> None:
    for tokens, position in zip(table.tokens, table.position, strict=True):
        assert tokens[position] == table.word, tokens
        assert [token for token in tokens if table.word in token] == [table.word], tokens


def test_focal_words_stand_late_often_enough(table: Corpus) -> None:
    late = [
        2 * position >= len(tokens)
        for tokens, position in zip(table.tokens, table.position.tolist(), strict=True)
    ]
    assert sum(late) >= len(table) / 3


def test_senses_are_interleaved(table: Corpus) -> None:
    for split in ("train", "test"):
        gold = table.gold[table.split == split].tolist()
        assert max(len(list(run)) for _, run in itertools.groupby(gold)) <= 6


def test_no_sentence_twice() -> None:
    assert [s for s, n in Counter(SENTENCES).items() if n > 1] == []


def test_no_two_sentences_open_alike() -> None:
    assert [s for s, n in Counter(tokens[:5] for tokens in SENTENCES).items() if n > 1] == []


def test_no_two_sentences_are_near_duplicates() -> None:
    trigrams = [set(grams(tokens, 3)) for tokens in SENTENCES]
    assert all(len(a & b) < 0.3 * len(a | b) for a, b in itertools.combinations(trigrams, 2))


def test_the_sizes_are_the_ones_noted() -> None:
    with (DATA / "sizes.csv").open(encoding="utf-8", newline="") as file:
        noted = [tuple(row.values()) for row in csv.DictReader(file)]
    assert [row for row in noted if row[0] == "quickstart"] == [
        (
            "quickstart",
            word,
            str(len(table.senses)),
            str((table.split == "train").sum()),
            str((table.split == "test").sum()),
            "0",
            str(folds.most_folds_of(table)),
        )
        for word, table in CORPORA.items()
    ]


def test_nothing_is_taken_from_coarsewsd20(real_corpora: dict[str, Corpus]) -> None:
    """No ten tokens in a row, nor a whole shorter sentence, stand in the licensed corpus."""
    own: dict[int, set[tuple[str, ...]]] = {}
    for tokens in SENTENCES:
        n = min(10, len(tokens))
        own.setdefault(n, set()).update(grams(tokens, n))
    shared = {
        gram
        for table in real_corpora.values()
        for tokens in table.tokens
        for n, known in own.items()
        for gram in grams(tokens, n)
        if gram in known
    }
    assert shared == set()


@pytest.mark.slow
def test_it_is_hard_enough_to_show_something(minilm: str) -> None:
    """Layers differ by at least 5 points, and no classifier is perfect on every word."""
    encoder = Encoder.load(minilm, device="cpu")
    mean_f1: dict[tuple[str, int], list[float]] = {}
    for word in WORDS:
        corpus = CORPORA[word]
        vectors = np.zeros((encoder.blocks + 1, len(corpus), encoder.width))
        aligned = encoder.align(corpus)
        for rows, of_rows in encoder.encode(corpus, aligned, views=["focal"], seed=1):
            vectors[:, rows] = of_rows[0]
        for name in ("nearest_centroid", "logistic"):
            for layer, of_layer in enumerate(vectors):
                (found,) = predict_word(corpus, of_layer, make_estimator(name, {}))
                figures = score_word(found)
                mean_f1.setdefault((name, layer), []).append(figures["macro_f1"])
    assert all(min(of_words) < 1 for of_words in mean_f1.values())
    for name in ("nearest_centroid", "logistic"):
        means = [float(np.mean(v)) for (n, _), v in mean_f1.items() if n == name]
        assert max(means) - min(means) >= 0.05
