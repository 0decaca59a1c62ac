"""The built-in corpora follow the rules for their sentences."""

import csv
from collections.abc import Iterator

import pytest

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import DATA, DATASETS
from wsd.corpora import folds
from wsd.corpora.text_format import read_text
from wsd.metrics.near_duplicates import components

NAMES = ("quickstart", "quickstart-hard")
CORPORA = {
    name: {word: read_text(DATA / name / word, word) for word in DATASETS[name].words}
    for name in NAMES
}
SENTENCES = {
    name: [tokens for table in words.values() for tokens in table.tokens]
    for name, words in CORPORA.items()
}


def grams(tokens: tuple[str, ...], n: int) -> Iterator[tuple[str, ...]]:
    return (tokens[i : i + n] for i in range(len(tokens) - n + 1))


@pytest.mark.parametrize("name", NAMES)
def test_no_two_sentences_are_near_duplicates(name: str) -> None:
    assert len(set(components(SENTENCES[name], 0.3))) == len(SENTENCES[name])


@pytest.mark.parametrize("name", NAMES)
def test_the_sizes_match_the_documentation(name: str) -> None:
    expected = []
    for word, table in CORPORA[name].items():
        train = table.take(table.split == "train")
        most = folds.most_folds_of(train.gold.tolist(), train.tokens)
        sizes = (len(table.senses), len(train), len(table) - len(train), 0, most)
        expected.append([name, word, *map(str, sizes)])
    with (DATA / "sizes.csv").open(encoding="utf-8", newline="") as file:
        assert [row for row in csv.reader(file) if row[0] == name] == expected


def test_nothing_is_taken_from_coarsewsd20(real_corpora: dict[str, Corpus]) -> None:
    """No ten consecutive tokens, and no whole shorter sentence, come from the licensed corpus."""
    own = [tokens for sentences in SENTENCES.values() for tokens in sentences]
    sizes = {min(10, len(tokens)) for tokens in own}
    known = {gram for tokens in own for gram in grams(tokens, min(10, len(tokens)))}
    for table in real_corpora.values():
        for tokens in table.tokens:
            assert not known & {gram for n in sizes for gram in grams(tokens, n)}
