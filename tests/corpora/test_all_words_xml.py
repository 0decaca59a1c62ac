"""The all-words XML format: reading it, and the errors that it refuses."""

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from importing import import_corpus

from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.corpora.importer.xml_formats import read_all_words
from wsd.corpora.text_format import read_text
from wsd.errors import CorpusError

LETTERS = "abcdefghij"
# Sentences must differ, because equal sentences count once.
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
    actual = read_all_words(path, None)
    assert actual.left_out == {}
    (two,) = [row for row in actual.rows if row.also]
    assert (two.sense, two.also) == ("cell%0::", ("cell%1::",))
    assert (actual.rows[0].position, actual.rows[0].tokens) == (
        2,
        ("A", "<&>", "cells", "of", *UNLIKE[0].split()),
    )
    spaced = xml_of(sentences).replace('lemma="cell"', 'lemma=" cell "')
    assert read_all_words(put(tmp_path, spaced, gold), None).rows == actual.rows
    several = actual.rows[-3]
    assert (several.word, several.position) == ("new_york.n", 0)
    assert several.tokens == ("New York", "cell", "pit")
    assert actual.rows[-1].tokens == ("New", "York", "cell", "pit")
    assert (actual.rows[-1].word, actual.rows[-1].position) == ("pit.n", 3)
    # Without --at-least, a word with one sense is an error that explains the option.
    with pytest.raises(CorpusError, match=r"'new_york\.n' has only one sense") as caught:
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
    "key twice": (ONE, "i0 k\ni0 k", "txt:2", "'i0' has keys already"),
    "key empty": (ONE, "i0 k\ni1", "txt:2", "not an id and its keys"),
    "no lemma": (ONE.replace('lemma="cell"', ""), "i0 k", "xml:5", "lemma ''"),
    "pos": (ONE.replace("NOUN", "DET"), "i0 k", "xml:5", "pos 'DET'"),
    "twice": (
        xml_of([[("a", "i0", "a"), ("b", "i0", "b")]]),
        "i0 k",
        "xml:5",
        "two instances have the id 'i0'",
    ),
    "empty": (ONE.replace(">cell<", "> <"), "i0 k", "xml:5", "an empty <instance>"),
    "nested": (ONE.replace(">cell<", "><b>cell</b><"), "i0 k", "xml:5", "<b> inside a token"),
    "outside": ("<wf>a</wf>", "i0 k", "xml", "no <sentence>"),
    "none": ("<corpus/>", "i0 k", "xml", "no <sentence>"),
    "no instance": ("<sentence><wf>a</wf></sentence>", "i0 k", "xml", "with an <instance>"),
}


@pytest.mark.parametrize(("xml", "gold", "where", "says"), XML_WRONG.values(), ids=XML_WRONG)
def test_xml_that_is_refused(tmp_path: Path, xml: str, gold: str, where: str, says: str) -> None:
    path = put(tmp_path, xml, gold)
    with pytest.raises(CorpusError) as caught:
        read_all_words(path, None)
    assert says in caught.value.problem
    assert str(caught.value.where).endswith(where)


def test_missing_gold_keys(tmp_path: Path) -> None:
    path = put(tmp_path, ONE, "i0 k")
    (tmp_path / "all.gold.key.txt").rename(tmp_path / "elsewhere.txt")
    with pytest.raises(CorpusError, match="the file of gold keys is missing"):
        read_all_words(path, None)
    assert len(read_all_words(path, tmp_path / "elsewhere.txt").rows) == 1


@pytest.mark.parametrize("name", ["all.DATA.XML", "all.Data.xml", "all.XML"])
def test_gold_keys_are_found_whatever_the_capitals_of_a_suffix(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, xml_of([[("cell", "i0", "cell")]]), "i0 a\n").rename(tmp_path / name)
    assert [row.sense for row in read_all_words(path, None).rows] == ["a"]
