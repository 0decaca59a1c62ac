"""``--at-least``: the import writes what it announces, and keeps nothing that steps refuse."""

import json
import re
from pathlib import Path
from random import Random

import pytest
from importing import import_corpus

from wsd.artifacts.dataset import MANIFEST
from wsd.corpora.importer.kept_sentences import NUMBERS
from wsd.errors import CorpusError

LINE = re.compile(
    r"--at-least (\d+) would keep (\d+) of (\d+) words, (\d+) senses, (\d+) instances"
)
FILLING = [
    "amber",
    "brass",
    "cedar",
    "dune",
    "ember",
    "fjord",
    "glade",
    "heath",
    "islet",
    "jade",
    "knoll",
    "larch",
]


def rows(random: Random, splits: tuple[str, ...]) -> list[str]:
    """Return rows of words with a few senses, rare senses, and near-duplicates of any sense."""
    lines = []
    for word in ("oak", "elm", "fir", "yew", "ash"):
        texts = []
        for sense in range(random.randint(1, 4)):
            for _ in range(random.choice((1, 2, 3, 5, 11))):
                if texts and random.random() < 0.2:
                    text = f"{random.choice(texts)} {random.choice(FILLING)}"
                else:
                    text = " ".join(random.choices(FILLING, k=9))
                texts.append(text)
                lines.append(f"{word}\ts{sense}\t*{word}* {text}\t{random.choice(splits)}")
    # Repeated sentences might contradict each other, so each occurs once.
    return [f"{line.rsplit(chr(9), 1)[0]} {i}x{i}\t{line.rsplit(chr(9), 1)[1]}"
            for i, line in enumerate(lines)]  # fmt: skip


@pytest.mark.parametrize("splits", [("",), ("train", "test"), ("train", "train", "outofdomain")])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("least", NUMBERS)
def test_the_announced_words_and_senses_are_written(
    tmp_path: Path, seed: int, splits: tuple[str, ...], least: int, caplog: pytest.LogCaptureFixture
) -> None:
    path, out = tmp_path / "rows.tsv", tmp_path / "out"
    lines = rows(Random(f"{seed} {splits}"), splits)
    header = "word\tsense\tsentence\tsplit"
    if splits == ("",):
        header, lines = "word\tsense\tsentence", [line.rstrip("\t") for line in lines]
    path.write_text("\n".join([header, *lines, ""]))
    with caplog.at_level("INFO"):
        try:
            import_corpus([path], out=out, name="mine", at_least=least)
        except CorpusError as error:
            assert "no word with two senses is left" in error.problem
    message = {int(n): tuple(map(int, entry)) for n, *entry in LINE.findall(caplog.text)}
    assert list(message) == list(NUMBERS)
    words = json.loads((out / MANIFEST).read_text())["words"] if out.exists() else {}
    senses = [sense for entry in words.values() for sense in entry["senses"].values()]
    counts = ("train", "test", "outofdomain")
    instances = sum(sense.get(split, 0) for sense in senses for split in counts)
    assert message[least] == (len(words), 5, len(senses), instances)


HEADER = "word\tsense\tsentence\tsplit\n"
GOOD = "".join(
    f"oak\ts{i % 2}\t*oak* {filling}\t{'train' if i < 4 else 'test'}\n"
    for i, filling in enumerate(FILLING[:6])
)


def without_test(word: str) -> str:
    return "".join(f"{word}\ts{i % 2}\t*{word}* {FILLING[i]}\ttrain\n" for i in range(4))


def test_a_word_without_test_rows_is_left_out_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text(HEADER + GOOD + without_test("elm"))
    with pytest.raises(CorpusError, match="the word 'elm' has 2 senses in") as caught:
        import_corpus([path], out=tmp_path / "out", name="mine")
    # The fix in the message works.
    assert "leave it out (--at-least 1)" in str(caught.value.fix)
    text = import_corpus([path], out=tmp_path / "out", name="mine", at_least=1)
    assert "left out: 4 instances of words without a test instance" in text
    assert "1 word; " in text


def test_a_sense_without_training_rows_is_left_out_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text(HEADER + GOOD + "oak\ts9\t*oak* never\ttest\n")
    with pytest.raises(CorpusError, match="'s9' of 'oak' has no training instance") as caught:
        import_corpus([path], out=tmp_path / "out", name="mine")
    assert "leave out the sense (--at-least 1)" in str(caught.value.fix)
    text = import_corpus([path], out=tmp_path / "out", name="mine", at_least=1)
    assert "left out: 1 instances of senses without a training instance" in text
    assert "oak: s0 2 + 1, s1 2 + 1" in text


def test_a_lower_number_is_advised_only_if_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("word\tsense\tsentence\noak\ta\tan *oak*\noak\tb\tthe *oak*\n")
    for least, lower in ((2, False), (4, True)):
        with pytest.raises(CorpusError, match="no word with two senses is left") as caught:
            import_corpus([path], out=tmp_path / "out", name="mine", at_least=least)
        assert ("a lower --at-least" in str(caught.value.fix)) == lower
