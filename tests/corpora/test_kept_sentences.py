"""Which sentences an import keeps, and for which split: what it announces is what it writes."""

import json
import re
from pathlib import Path
from random import Random

import pytest
from importing import import_corpus

from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.corpora.importer.kept_sentences import NUMBERS
from wsd.corpora.text_format import read_text
from wsd.errors import ConfigError, CorpusError

LINE = re.compile(
    r"--at-least (\d+) would keep (\d+) of (\d+) words, (\d+) senses, (\d+) instances"
)
HEADER = "word\tsense\tsentence\tsplit\n"
SPLITS = ("train", "test", "outofdomain")
FILLING = (
    *("amber", "brass", "cedar", "dune", "ember", "fjord"),
    *("glade", "heath", "islet", "jade", "knoll", "larch"),
)


def rows(random: Random, splits: tuple[str, ...]) -> list[str]:
    """Return rows of words with a few senses, rare senses, and near-duplicates of any sense."""
    lines = []
    for word in ("oak", "elm", "fir", "yew", "ash"):
        texts = []
        for sense in range(random.randint(1, 4)):
            for _ in range(random.choice((1, 2, 3, 5, 11))):
                text = " ".join(random.choices(FILLING, k=9))
                if texts and random.random() < 0.2:
                    text = f"{random.choice(texts)} {random.choice(FILLING)}"
                texts.append(text)
                # Repeated sentences might contradict each other, so each has its number.
                sentence = f"*{word}* {text} {len(lines)}x{len(lines)}"
                lines.append(f"{word}\ts{sense}\t{sentence}\t{random.choice(splits)}")
    return lines


@pytest.mark.parametrize("splits", [("",), ("train", "test"), ("train", "train", "outofdomain")])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("least", NUMBERS)
def test_the_announced_words_and_senses_are_written(
    tmp_path: Path, seed: int, splits: tuple[str, ...], least: int, caplog: pytest.LogCaptureFixture
) -> None:
    path, out = tmp_path / "rows.tsv", tmp_path / "out"
    text = HEADER + "".join(f"{line}\n" for line in rows(Random(f"{seed} {splits}"), splits))
    # Without splits the file has no column for them.
    path.write_text(text if any(splits) else text.replace("\t\n", "\n").replace("\tsplit", ""))
    with caplog.at_level("INFO"):
        try:
            import_corpus([path], out=out, name="mine", at_least=least)
        except CorpusError as error:
            assert "no word with two senses is left" in error.problem
    message = {int(n): tuple(map(int, entry)) for n, *entry in LINE.findall(caplog.text)}
    assert list(message) == list(NUMBERS)
    words = json.loads((out / MANIFEST).read_text())["words"] if out.exists() else {}
    senses = [sense for entry in words.values() for sense in entry["senses"].values()]
    instances = sum(sense.get(split, 0) for sense in senses for split in SPLITS)
    assert message[least] == (len(words), 5, len(senses), instances)


GOOD = "".join(
    f"oak\ts{i % 2}\t*oak* {filling}\t{'train' if i < 4 else 'test'}\n"
    for i, filling in enumerate(FILLING[:6])
)
NEVER_TESTED = "".join(f"elm\ts{i % 2}\t*elm* {FILLING[i]}\ttrain\n" for i in range(4))


@pytest.mark.parametrize(
    ("lines", "problem", "left_out"),
    [
        (NEVER_TESTED, "the word 'elm' has 2 senses in", "4 instances of words without a test"),
        ("oak\ts9\t*oak* x\ttest\n", "'s9' of 'oak' has no training", "1 instances of senses with"),
        ("elm\ts0\t*elm* x\ttrain\n", "'elm' has only one sense", "1 instances of words with"),
    ],
)
def test_what_cannot_be_trained_and_tested_is_left_out_with_the_reason(
    tmp_path: Path, lines: str, problem: str, left_out: str
) -> None:
    path, out = tmp_path / "rows.tsv", tmp_path / "out"
    path.write_text(HEADER + GOOD + lines)
    with pytest.raises(CorpusError, match=problem) as caught:
        import_corpus([path], out=out, name="mine")
    # The fix in the message works.
    assert "--at-least" in str(caught.value.fix)
    text = import_corpus([path], out=out, name="mine", at_least=1)
    assert f"left out: {left_out}" in text and "1 word; " in text
    assert "oak: s0 2 + 1, s1 2 + 1" in text


def put(folder: Path, name: str, instances: str) -> Path:
    """A set of lemmas with their keys, a sentence each."""
    lines, keys = ["<corpus>", "<text>"], []
    for i, (lemma, key) in enumerate(text.split(" ", 1) for text in instances.split(";")):
        filling = "".join(f"<wf>{word}{name}{chr(97 + i)}</wf>" for word in FILLING[:10])
        own = f'<instance id="i{i}" lemma="{lemma}" pos="NOUN">{lemma}</instance>'
        lines.append(f"<sentence>{filling}{own}</sentence>")
        keys.append(f"i{i} {key}\n")
    (folder / f"{name}.data.xml").write_text("\n".join([*lines, "</text>", "</corpus>"]))
    (folder / f"{name}.gold.key.txt").write_text("".join(keys))
    return folder / f"{name}.data.xml"


TRAIN = "cell c1;cell c2;cell c2;cell c3;pit h1;pit h2 h3;one o1;one o1;spare s1"
TEST = "cell c9 c2;cell c1;cell c9;pit h2;one o1;one o2;never n1;cell c3 c1"


def test_trained_on_one_and_tested_on_another(tmp_path: Path) -> None:
    train, test = put(tmp_path, "a", TRAIN), put(tmp_path, "b", TEST)
    out = tmp_path / "out"
    text = import_corpus([], out=out, name="mine", train=[train], test=[test])
    assert read_manifest(out / MANIFEST).words == ("cell.n", "pit.n")
    corpus = read_text(out / "cell=2en", "cell.n")
    assert corpus.split.tolist() == ["train"] * 4 + ["test"] * 3
    # The first of several keys that training knows.
    assert " ".join(corpus.senses[gold] for gold in corpus.gold) == "c1 c2 c2 c3 c2 c1 c3"
    assert "left out: 1 instances of words that the test files lack" in text
    single = put(tmp_path, "c", "cell c1")
    with pytest.raises(CorpusError, match="no word has two senses in the training files"):
        import_corpus([], out=tmp_path / "no", name="mine", train=[single], test=[test])
    for given in ({}, {"train": [train]}, {"test": [test]}, {"train": [train], "test": [test]}):
        files = [train] if len(given) == 2 else []
        with pytest.raises(ConfigError, match="unclear which files are for training"):
            import_corpus(files, out=tmp_path / "no", name="mine", **given)
    assert not (tmp_path / "no").exists()
