"""All-words sets: several keys, line ends, bad input; trained on one and tested on another."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from importing import import_corpus

from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.corpora.importer.xml_formats import read_all_words
from wsd.corpora.text_format import read_text
from wsd.errors import ConfigError, CorpusError

FILLING = ("amber", "brass", "cedar", "dune", "ember", "fjord", "glade", "heath", "islet", "jade")


def put(folder: Path, name: str, *instances: tuple[str, str], end: str = "\n") -> Path:
    """A set of (lemma, keys), a sentence each; `_` in a lemma is a space in the text."""
    lines, keys = ["<corpus>", "<text>"], []
    for i, (lemma, key) in enumerate(instances):
        filling = "".join(f"<wf>{word}{name}{chr(97 + i)}</wf>" for word in FILLING)
        text = lemma.replace("_", " ")
        own = f'<instance id="i{i}" lemma="{lemma}" pos="NOUN">{text}</instance>'
        lines.append(f"<sentence>{filling}{own}</sentence>")
        keys.append(f"i{i} {key}")
    (folder / f"{name}.data.xml").write_text(end.join([*lines, "</text>", "</corpus>"]))
    (folder / f"{name}.gold.key.txt").write_text("".join(key + end for key in keys), newline="")
    return folder / f"{name}.data.xml"


TRAIN = (
    *(("cell", "c1"), ("cell", "c2"), ("cell", "c2"), ("cell", "c3")),
    *(("hot_dog", "h1"), ("hot_dog", "h2 h3")),
    *(("one", "o1"), ("one", "o1"), ("spare", "s1")),
)
TEST = (
    ("cell", "c9 c2"), ("cell", "c1"), ("cell", "c9"), ("hot_dog", "h2"), ("one", "o1"),
    ("one", "o2"), ("never", "n1"), ("cell", "c3 c1"),
)  # fmt: skip


def test_trained_on_one_and_tested_on_another(tmp_path: Path) -> None:
    train, test = put(tmp_path, "a", *TRAIN), put(tmp_path, "b", *TEST)
    out = tmp_path / "out"
    text = import_corpus([], out=out, name="mine", train=[train], test=[test])
    assert read_manifest(out / MANIFEST).words == ("cell.n", "hot_dog.n")
    corpus = read_text(out / "cell=2en", "cell.n")
    output = [
        (split, corpus.senses[gold]) for split, gold in zip(corpus.split, corpus.gold, strict=True)
    ]
    assert output == [
        *(("train", "c1"), ("train", "c2"), ("train", "c2"), ("train", "c3")),
        # The first of several keys that training knows.
        *(("test", "c2"), ("test", "c1"), ("test", "c3")),
    ]
    several = read_text(out / "hot=5fdog=2en", "hot_dog.n").tokens
    (hot_dog,) = [tokens for tokens in several if tokens[0] == "amberbd"]
    assert hot_dog[-1] == "hot dog"
    assert "left out: 1 instances of words that the test files lack" in text


def test_rare_senses_of_training_are_announced_and_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    train = put(tmp_path, "a", *TRAIN, ("cell", "c1"))
    test = put(tmp_path, "b", *TEST)
    with caplog.at_level("INFO"):
        import_corpus([], out=tmp_path / "out", name="m", train=[train], test=[test], at_least=2)
    assert "--at-least 2 would keep 1 of 3 words, 2 senses, 7 instances" in caplog.text
    assert "--at-least 4 would keep 0 of 3 words" in caplog.text
    assert read_manifest(tmp_path / "out" / MANIFEST).words == ("cell.n",)


def test_a_word_without_an_instance_of_its_senses_is_not_announced(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """``lone`` is in the test files, but with none of the kept senses."""
    lone = [("lone", key) for key in ("l1", "l1", "l2", "l2")]
    cell = [("cell", key) for key in ("c1", "c1", "c2", "c2")]
    train = put(tmp_path, "a", *lone, *cell)
    test = put(tmp_path, "b", ("lone", "l9"), ("cell", "c1"))
    out = tmp_path / "out"
    with caplog.at_level("INFO"):
        text = import_corpus([], out=out, name="m", train=[train], test=[test], at_least=2)
    assert "--at-least 2 would keep 1 of 2 words, 2 senses, 5 instances" in caplog.text
    assert "left out: 4 instances of words of whose senses the test files have no" in text
    written = json.loads((out / MANIFEST).read_text())["words"]
    assert [(word, len(entry["senses"])) for word, entry in written.items()] == [("cell.n", 2)]


@pytest.mark.parametrize(
    "files", [{}, {"train": 1}, {"test": 1}, {"train": 1, "test": 1, "files": 1}]
)
def test_files_that_are_for_nothing(tmp_path: Path, files: Mapping[str, int]) -> None:
    path = put(tmp_path, "a", *TRAIN)
    arguments = {name: [path] for name in files}
    with pytest.raises(ConfigError, match="unclear which files are for training"):
        import_corpus(arguments.pop("files", []), out=tmp_path / "out", name="mine", **arguments)


def test_nothing_to_train_and_test(tmp_path: Path) -> None:
    train, test = put(tmp_path, "a", ("cell", "c1")), put(tmp_path, "b", ("cell", "c1"))
    with pytest.raises(CorpusError, match="no word has two senses in the training files"):
        import_corpus([], out=tmp_path / "out", name="mine", train=[train], test=[test])
    assert not (tmp_path / "out").exists()


def test_keys_with_other_line_ends_and_several_in_a_line(tmp_path: Path) -> None:
    """Both files; the first key is the sense."""
    plain = read_all_words(put(tmp_path, "a", *TRAIN), None)
    actual = read_all_words(put(tmp_path, "a", *TRAIN, end="\r\n"), None)
    text = [(r.word, r.sense, r.also, r.tokens) for r in actual.rows]
    assert text == [(r.word, r.sense, r.also, r.tokens) for r in plain.rows]
    assert actual.left_out == {} and text[5][1:3] == ("h2", ("h3",))


def test_the_refusal_lists_what_lower_minima_would_keep(tmp_path: Path) -> None:
    instances = [("cell", f"c{i % 2}") for i in range(8)] + [("one", "o")]
    with pytest.raises(CorpusError, match=r"'one\.n' has only one sense") as caught:
        import_corpus([put(tmp_path, "a", *instances)], out=tmp_path / "out", name="mine")
    fix = str(caught.value.fix)
    assert "--at-least 4 would keep 1 of 2 words, 2 senses, 8 instances" in fix
    assert "--at-least 10 would keep 0 of 2 words, 0 senses, 0 instances" in fix


DEEP = "<x>" * 1000 + "</x>" * 1000
BAD = {
    "deep": (lambda xml: xml.replace("<text>", f"<text>\n{DEEP}"), None, "xml:3", "other elements"),
    "gold without instance": (None, "i0 a\ni1 b\n\ni2 c\n", "key.txt:4", "a key of 'i2'"),
    "instance without gold": (None, "i0 a\n", "xml:4", "the instance 'i1' has no key"),
}


@pytest.mark.parametrize(("change", "gold", "where", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_one_error_and_nothing_is_written(
    tmp_path: Path, change, gold: str | None, where: str, says: str
) -> None:
    path = put(tmp_path, "a", ("cell", "c1"), ("cell", "c2"))
    if change:
        path.write_text(change(path.read_text()))
    if gold:
        (tmp_path / "a.gold.key.txt").write_text(gold, newline="")
    with pytest.raises(CorpusError) as caught:
        import_corpus([path], out=tmp_path / "out", name="mine")
    assert says in caught.value.problem and str(caught.value.where).endswith(where)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("head", "encoding", "says"),
    [
        ("", "latin-1", "not well-formed"),
        ('<?xml version="1.0" encoding="UTF-8"?>', "latin-1", "not well-formed"),
        ('<?xml version="1.0" encoding="none-such"?>', "utf-8", "unknown encoding"),
        ('<?xml version="1.0" encoding="shift_jis"?>', "utf-8", "encoding"),
    ],
)
def test_a_wrong_encoding(tmp_path: Path, head: str, encoding: str, says: str) -> None:
    path = put(tmp_path, "a", ("cell", "c1"), ("cell", "c2"))
    text = path.read_text().replace("amber", "ambér")
    path.write_bytes((head + text).encode(encoding))
    with pytest.raises(CorpusError, match=says) as caught:
        read_all_words(path, None)
    assert str(caught.value.where).startswith(f"{path}:")
    # A valid file with a name is read.
    path.write_bytes(f'<?xml version="1.0" encoding="ISO-8859-1"?>{text}'.encode("latin-1"))
    assert read_all_words(path, None).rows[0].tokens[0].startswith("ambér")
