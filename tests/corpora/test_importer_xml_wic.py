"""The all-words XML and the pairs of WiC: what becomes of them, and what is refused."""

import json
import zipfile
from itertools import permutations
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from checkout import REPOSITORY
from importing import import_corpus
from require import missing

from wsd.artifacts.dataset import MANIFEST
from wsd.artifacts.manifest import read_manifest
from wsd.corpora.importer import all_words_xml, wic
from wsd.corpora.text_format import read_text
from wsd.errors import CorpusError

LETTERS = "abcdefghij"
# Of sentences that are alike only one would count.
UNLIKE = [" ".join(letter + end for end in "vwxyz") for letter in LETTERS]


def xml_of(sentences: list[list[tuple[str, str, str]]]) -> str:
    """Sentences of (text, id, lemma); a token without id is a wf. One line per element."""
    lines = ["<corpus>", '<text id="d0">']
    for sentence in sentences:
        lines.append("<sentence>")
        for text, name, lemma in sentence:
            if name:
                attributes = f"id={quoteattr(name)} lemma={quoteattr(lemma)} pos='NOUN'"
                lines.append(f"<instance {attributes}>{escape(text)}</instance>")
            else:
                lines.append(f"<wf lemma={quoteattr(text)} pos='X'>{escape(text)}</wf>")
        lines.append("</sentence>")
    return "\n".join([*lines, "</text>", "</corpus>"])


def put(folder: Path, xml: str, gold: str, name: str = "all") -> Path:
    path = folder / f"{name}.data.xml"
    path.write_text(xml, encoding="utf-8")
    (folder / f"{name}.gold.key.txt").write_text(gold, encoding="utf-8")
    return path


def test_the_all_words_format(tmp_path: Path) -> None:
    sentences = [
        [("A", "", ""), ("<&>", "", ""), ("cells", f"i{i}", "cell"), (f"of {text}", "", "")]
        for i, text in enumerate(UNLIKE)
    ]
    sentences += [
        [("New York", "m", "new_york"), ("cell", "several", "cell"), ("pit", "rare", "pit")]
    ]
    gold = "".join(f"i{i} cell%{i % 2}:: \n" for i in range(len(LETTERS)))
    gold += "m york%1\nseveral cell%0:: cell%1::\nrare pit%1\n"
    path = put(tmp_path, xml_of(sentences), gold)
    found = all_words_xml.read(path, None)
    assert found.left_out == {}
    (two,) = [row for row in found.rows if row.also]
    assert (two.sense, two.also) == ("cell%0::", ("cell%1::",))
    assert (found.rows[0].position, found.rows[0].tokens) == (
        2,
        ("A", "<&>", "cells", "of", *UNLIKE[0].split()),
    )
    spaced = xml_of(sentences).replace('lemma="cell"', 'lemma=" cell "')
    assert all_words_xml.read(put(tmp_path, spaced, gold), None).rows == found.rows
    several = found.rows[-3]
    assert (several.word, several.position) == ("new_york.n", 0)
    assert several.tokens == ("New York", "cell", "pit")
    assert found.rows[-1].tokens == ("New", "York", "cell", "pit")
    assert (found.rows[-1].word, found.rows[-1].position) == ("pit.n", 3)
    # Without --at-least a word of one sense is an error that says what to do.
    with pytest.raises(CorpusError, match=r"'new_york\.n' has one sense") as caught:
        import_corpus([path], out=tmp_path / "no", name="mine", about={})
    assert "--at-least" in str(caught.value.fix)
    import_corpus([path], out=tmp_path / "out", name="mine", about={}, at_least=5)
    assert read_manifest(tmp_path / "out" / MANIFEST).words == ("cell.n",)
    corpus = read_text(tmp_path / "out" / "cell=2en", "cell.n")
    assert corpus.senses == ("cell%0::", "cell%1::")
    assert len(corpus) == 11


ONE = xml_of([[("a", "", ""), ("cell", "i0", "cell")]])
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n' + ONE.replace("cell<", "&b;<")
XML_WRONG = {
    "bomb": (BOMB, "i0 k", "xml:1", "a document type or an entity"),
    "file": (
        '<!DOCTYPE x SYSTEM "file:///etc/passwd">\n' + ONE,
        "i0 k",
        "xml:1",
        "a document type or an entity",
    ),
    "no XML": (ONE.replace("</sentence>", ""), "i0 k", "xml:7", "not XML"),
    "undefined": (ONE.replace(">a<", ">&a;<"), "i0 k", "xml:4", "not XML"),
    "no key": (ONE, "i1 k", "xml:5", "the instance 'i0' has no key"),
    "key of none": (ONE, "i0 k\ni1 k", "txt:2", "a key of 'i1'"),
    "key twice": (ONE, "i0 k\ni0 k", "txt:2", "'i0' has keys already, in line 1"),
    "key empty": (ONE, "i0 k\ni1", "txt:2", "not an id and its keys"),
    "no lemma": (ONE.replace('lemma="cell"', ""), "i0 k", "xml:5", "lemma ''"),
    "pos": (ONE.replace("NOUN", "DET"), "i0 k", "xml:5", "pos 'DET'"),
    "twice": (
        xml_of([[("a", "i0", "a"), ("b", "i0", "b")]]),
        "i0 k",
        "xml:5",
        "the instance 'i0' is there twice",
    ),
    "empty": (ONE.replace(">cell<", "> <"), "i0 k", "xml:5", "an empty <instance>"),
    "nested": (ONE.replace(">cell<", "><b>cell</b><"), "i0 k", "xml:5", "<b> inside a token"),
    "outside": ("<wf>a</wf>", "i0 k", "xml:1", "<wf> is not in a sentence"),
    "none": ("<corpus/>", "i0 k", "xml", "no <sentence>"),
    "no instance": ("<sentence><wf>a</wf></sentence>", "i0 k", "xml", "no <instance>"),
}


@pytest.mark.parametrize(("xml", "gold", "where", "says"), XML_WRONG.values(), ids=XML_WRONG)
def test_xml_that_is_refused(tmp_path: Path, xml: str, gold: str, where: str, says: str) -> None:
    path = put(tmp_path, xml, gold)
    with pytest.raises(CorpusError) as caught:
        all_words_xml.read(path, None)
    assert says in caught.value.what
    assert str(caught.value.where).endswith(where)


def test_gold_that_is_not_there(tmp_path: Path) -> None:
    path = put(tmp_path, ONE, "i0 k")
    (tmp_path / "all.gold.key.txt").rename(tmp_path / "elsewhere.txt")
    with pytest.raises(CorpusError, match="no gold keys beside"):
        all_words_xml.read(path, None)
    assert len(all_words_xml.read(path, tmp_path / "elsewhere.txt").rows) == 1


# WiC

Pair = tuple[str, str, str]


def pairs(folder: Path, *lines: Pair, word: str = "cell") -> Path:
    """Pairs of sentences named by a letter: the first, the second, the label."""
    path = folder / "train.data.txt"
    path.write_text(
        "".join(f"{word}\tN\t1-1\t{a} {word} {a}{a}\t{b} {word} {b}{b}\n" for a, b, _ in lines)
    )
    (folder / "train.gold.txt").write_text("".join(f"{label}\n" for *_, label in lines))
    return path


def senses_of(path: Path) -> dict[str, str]:
    rows = wic.read([path], [], None)[0].rows
    assert all(row.word == "cell.n" and row.position == 1 for row in rows)
    return {row.tokens[0]: row.sense for row in rows}


def test_pairs_that_tell_senses_apart(tmp_path: Path) -> None:
    path = pairs(
        tmp_path,
        *(("a", "b", "T"), ("b", "c", "T"), ("d", "e", "T"), ("c", "e", "F")),
        # f is told apart from one group alone, and g and h from none.
        *(("f", "a", "F"), ("g", "h", "T")),
    )
    first, second = "cell.n.1", "cell.n.2"
    expected = {"a": first, "b": first, "c": first, "d": second, "e": second}
    assert senses_of(path) == expected
    assert list(wic.read([path], [], None)[0].left_out.values()) == [3]
    # Once f is told apart from the other group too it is a third.
    path = pairs(
        tmp_path,
        ("a", "b", "T"),
        ("b", "d", "F"),
        ("f", "a", "F"),
        ("f", "d", "F"),
        ("d", "e", "T"),
    )
    assert senses_of(path)["f"] == "cell.n.3"
    text = import_corpus(
        [pairs(tmp_path, ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))],
        out=tmp_path / "out",
        name="mine",
        about={},
        to_senses=True,
    )
    assert "cell.n.1 1 + 1, cell.n.2 1 + 1" in text


def of_file(folder: Path, name: str, *lines: Pair) -> Path:
    (folder / name).mkdir()
    return pairs(folder / name, *lines)


def test_pairs_of_several_files_are_one_set_of_senses(tmp_path: Path) -> None:
    """Each file alone would call its larger group the first sense."""
    of_one = (("a", "b", "T"), ("b", "c", "T"), ("d", "e", "T"), ("a", "d", "F"))
    of_other = (("d", "f", "T"), ("d", "g", "T"), ("d", "h", "T"), ("a", "f", "F"))
    one, other = of_file(tmp_path, "1", *of_one), of_file(tmp_path, "2", *of_other)
    first, second = "cell.n.1", "cell.n.2"
    assert senses_of(one)["a"] == first and senses_of(other)["a"] == second
    expected = dict.fromkeys("defgh", first) | dict.fromkeys("abc", second)
    for files in ([one, other], [other, one]):
        rows = wic.read(files, [], None)[0].rows
        assert {row.tokens[0]: row.sense for row in rows} == expected
        assert len(rows) == len(expected)  # a sentence of both files is one row
    text = import_corpus([one, other], out=tmp_path / "out", name="mine", to_senses=True)
    assert "cell.n.1 3 + 2, cell.n.2 2 + 1" in text


def test_pairs_to_train_on_and_pairs_to_test_on_have_the_same_senses(tmp_path: Path) -> None:
    train = of_file(tmp_path, "1", ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))
    test = of_file(tmp_path, "2", ("c", "e", "T"), ("e", "f", "T"), ("a", "e", "F"))
    found, tested = wic.read([train], [test], None)
    senses = dict.fromkeys("cdef", "cell.n.1") | dict.fromkeys("ab", "cell.n.2")
    assert {row.tokens[0]: row.sense for row in found.rows} == {of: senses[of] for of in "abcd"}
    assert {row.tokens[0]: row.sense for row in tested.rows} == {of: senses[of] for of in "acef"}
    out = tmp_path / "out"
    import_corpus([], out=out, name="mine", train=[train], test=[test], to_senses=True)
    corpus = read_text(out / "cell=2en", "cell.n")
    assert corpus.split.tolist().count("test") == 4


def test_pairs_to_test_on_that_have_no_sense_are_not_forgotten(tmp_path: Path) -> None:
    """Else the training files alone would be divided."""
    train = of_file(tmp_path, "1", ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))
    test = of_file(tmp_path, "2", ("e", "f", "T"))
    out = tmp_path / "out"
    with pytest.raises(CorpusError, match="and an instance of one in the others"):
        import_corpus([], out=out, name="mine", train=[train], test=[test], to_senses=True)
    assert not out.exists()


def test_pairs_that_contradict_those_of_another_file(tmp_path: Path) -> None:
    one = of_file(tmp_path, "1", ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))
    other = of_file(tmp_path, "2", ("a", "c", "T"))
    assert senses_of(one)
    with pytest.raises(CorpusError, match="no word's pairs tell two senses apart") as caught:
        wic.read([one, other], [], None)
    assert caught.value.where == f"{one}, {other}"
    assert f"whose pairs contradict themselves ({one}:3)" in caught.value.what


@pytest.fixture(scope="module")
def real_wic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """WiC v1.0."""
    path = REPOSITORY.parent / "shared" / "data" / "WiC_dataset.zip"
    if not path.is_file():
        missing("archive", f"no {path}")
    folder = tmp_path_factory.mktemp("wic")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("splits", "words"),
    [
        (("train", "dev"), 117),
        (("dev", "test", "train"), 139),
    ],
)
def test_every_pairing_of_the_real_files_ends_well(
    real_wic: Path, tmp_path: Path, splits: tuple[str, ...], words: int
) -> None:
    files = [real_wic / split / f"{split}.data.txt" for split in splits]
    text = import_corpus(files, out=tmp_path / "out", name="mine", to_senses=True, at_least=2)
    assert len(json.loads((tmp_path / "out" / MANIFEST).read_text())["words"]) == words
    assert text.count("whose pairs contradict themselves") == 1
    assert "instances of stay.v, whose pairs contradict themselves" in text


@pytest.mark.slow
@pytest.mark.parametrize(("train", "test"), list(permutations(["train", "dev", "test"], 2)))
def test_every_real_file_is_tested_on_every_other(
    real_wic: Path, tmp_path: Path, train: str, test: str
) -> None:
    of = {split: real_wic / split / f"{split}.data.txt" for split in (train, test)}
    given = {"train": [of[train]], "test": [of[test]], "to_senses": True}
    text = import_corpus([], out=tmp_path / "out", name="mine", **given)
    assert ("stay.v, whose pairs" in text) == ("train" in (train, test))


def test_a_byte_order_mark_is_no_letter(tmp_path: Path) -> None:
    path = pairs(tmp_path, ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))
    plain = senses_of(path)
    for file in (path, path.with_name("train.gold.txt")):
        file.write_text("\ufeff" + file.read_text())
    assert senses_of(path) == plain


def test_both_files_are_named_in_the_manifest(tmp_path: Path) -> None:
    path = pairs(tmp_path, ("a", "b", "T"), ("c", "d", "T"), ("a", "c", "F"))
    import_corpus([path], out=tmp_path / "out", name="mine", about={}, to_senses=True)
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    files = [Path(of["file"]).name for of in manifest["imported"]]
    assert files == ["train.data.txt", "train.gold.txt"]


def test_a_word_whose_pairs_contradict_themselves_is_left_out(tmp_path: Path) -> None:
    path = pairs(tmp_path, ("a", "b", "T"), ("b", "c", "T"), ("a", "c", "F"))
    good = "mint\tN\t1-1\t{0} mint {0}{0}\t{1} mint {1}{1}\n"
    lines = [good.format(*both) for both in ("de", "fd", "fg")]
    path.write_text(path.read_text() + "".join(lines))
    gold = path.with_name("train.gold.txt")
    gold.write_text(gold.read_text() + "T\nF\nT\n")
    found = wic.read([path], [], None)[0]
    assert {row.word for row in found.rows} == {"mint.n"}
    why = f"cell.n, whose pairs contradict themselves ({path}:3)"
    assert found.left_out[why] == 3
    out = tmp_path / "out"
    text = import_corpus([path], out=out, name="mine", to_senses=True)
    assert f"left out: 3 instances of {why}" in text


def test_pairs_that_say_nothing_of_senses(tmp_path: Path) -> None:
    path = pairs(tmp_path, ("a", "b", "T"), ("c", "d", "T"))
    with pytest.raises(CorpusError, match="no word's pairs tell two senses apart"):
        wic.read([path], [], None)[0]


@pytest.mark.parametrize(
    ("line", "label", "where", "says"),
    [
        ("cell\tN\t0-0\tcell a", "T", "data.txt:2", "4 columns, not 5"),
        ("cell\tJ\t0-0\tcell a\tcell b", "T", "data.txt:2", "the part of speech 'J'"),
        ("cell\tN\t0\tcell a\tcell b", "T", "data.txt:2", "the places '0'"),
        ("cell\tN\t0-2\tcell a\tcell b", "T", "data.txt:2", "the position 2 of a sentence of 2"),
        (" \tN\t0-0\tcell a\tcell b", "T", "data.txt:2", "the word is empty"),
        ("cell\tN\t0-0\tcell a\tcell b", "1", "gold.txt:2", "the label '1'"),
        ("cell\tN\t0-0\tcell a\tcell b", "T\nF", "gold.txt:3", "2 pairs but 3 labels"),
    ],
)
def test_a_pair_that_is_none(tmp_path: Path, line: str, label: str, where: str, says: str) -> None:
    path = pairs(tmp_path, ("a", "b", "F"))
    path.write_text(f"{path.read_text()}{line}\n")
    gold = path.with_name("train.gold.txt")
    gold.write_text(f"{gold.read_text()}{label}\n")
    with pytest.raises(CorpusError) as caught:
        wic.read([path], [], None)[0]
    assert says in caught.value.what
    assert str(caught.value.where).endswith(where)


@pytest.mark.parametrize("name", ["all.DATA.XML", "all.Data.xml", "all.XML"])
def test_gold_keys_are_found_whatever_the_capitals_of_a_suffix(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, xml_of([[("cell", "i0", "cell")]]), "i0 a\n").rename(tmp_path / name)
    assert [row.sense for row in all_words_xml.read(path, None).rows] == ["a"]
    assert wic.gold_of(tmp_path / "train.DATA.TXT") == tmp_path / "train.gold.txt"
