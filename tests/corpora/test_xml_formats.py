"""All-words sets, lexical samples and UFSAC: XML that is read, and XML that is refused."""

from pathlib import Path
from typing import Any

import pytest

from wsd.corpora.importer.gathered import BadLines, Gathered, LabelledSentence
from wsd.corpora.importer.xml_formats import read_all_words, read_lexical_sample, read_ufsac
from wsd.errors import CorpusError

ONE = """<corpus><text id="d0">
<sentence>
<wf>a</wf>
<instance id="i0" lemma="cell" pos="NOUN">cell</instance>
</sentence>
</text></corpus>"""


def put(folder: Path, xml: str, gold: str, end: str = "\n") -> Path:
    path = folder / "all.data.xml"
    path.write_text(xml, encoding="utf-8", newline=end)
    (folder / "all.gold.key.txt").write_text(gold, encoding="utf-8", newline=end)
    return path


def test_the_all_words_format(tmp_path: Path) -> None:
    text = """<text id="d0"><sentence>
<wf>A</wf><wf>&lt;&amp;&gt;</wf><instance id="i" lemma=" cell " pos="NOUN">cells</instance>
<wf>of two</wf></sentence><sentence>
<instance id="m" lemma="new_york" pos="NOUN">New York</instance>
<instance id="several" lemma="cell" pos="NOUN">cell</instance>
<instance id="rare" lemma="pit" pos="NOUN">pit</instance></sentence></text>"""
    gold = "i cell%1 \nm york%1\nseveral cell%0:: cell%1::\nrare pit%1\n"
    first, york, cell, pit = read_all_words(put(tmp_path, text, gold), None).rows
    assert (first.word, first.position) == ("cell.n", 2)
    assert first.tokens == ("A", "<&>", "cells", "of", "two")
    assert (cell.sense, cell.also) == ("cell%0::", ("cell%1::",))
    assert (york.word, york.position, york.tokens) == ("new_york.n", 0, ("New York", "cell", "pit"))
    assert (pit.position, pit.tokens) == (3, ("New", "York", "cell", "pit"))
    # Files number their texts alike, so the name of the file is part of the document's name.
    assert first.document == pit.document == "all.data.xml d0"
    windows = read_all_words(put(tmp_path, text.replace(' id="d0"', ""), gold, "\r\n"), None).rows
    assert [(row.tokens, row.document) for row in windows] == [
        (row.tokens, "") for row in (first, york, cell, pit)
    ]


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n' + ONE.replace("cell<", "&b;<")
XML_WRONG = [
    (BOMB, "i0 k", "xml:1", "a document type or an entity"),
    (ONE.replace("</sentence>", ""), "i0 k", "xml:6", "not XML"),
    (f"<corpus>\n{'<x>' * 100}", "i0 k", "xml:2", "inside 100 other elements"),
    (f"<?xml version='1.0' encoding='x-y'?>{ONE}", "", "xml:1", "unknown encoding"),
    (ONE, "i1 k", "xml:4", "the instance 'i0' has no key"),
    (ONE, "i0 k\ni1 k", "txt:2", "a key of 'i1'"),
    (ONE, "i0 k\ni0 k", "txt:2", "'i0' has keys already"),
    (ONE.replace("NOUN", "DET"), "i0 k", "xml:4", "pos 'DET'"),
    (ONE.replace("<wf>a</wf>", ONE.split("\n")[3]), "i0 k", "xml:4", "have the id 'i0'"),
    (ONE.replace(">cell<", "><b>cell</b><"), "i0 k", "xml:4", "<b> inside a token"),
    ("<sentence><wf>a</wf></sentence>", "i0 k", "xml", "with an <instance>"),
]


@pytest.mark.parametrize(("xml", "gold", "where", "says"), XML_WRONG)
def test_xml_that_is_refused(tmp_path: Path, xml: str, gold: str, where: str, says: str) -> None:
    path = put(tmp_path, xml, gold)
    with pytest.raises(CorpusError) as caught:
        read_all_words(path, None)
    assert says in caught.value.problem
    assert str(caught.value.where).endswith(where)


def test_the_declared_encoding_counts(tmp_path: Path) -> None:
    path = put(tmp_path, "", "i0 k")
    text = ONE.replace(">a<", ">amb\u00e9r<")
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(CorpusError, match="not well-formed"):
        read_all_words(path, None)
    path.write_bytes(f'<?xml version="1.0" encoding="ISO-8859-1"?>{text}'.encode("latin-1"))
    assert read_all_words(path, None).rows[0].tokens[0] == "amb\u00e9r"


def test_where_gold_keys_are(tmp_path: Path) -> None:
    path = put(tmp_path, ONE, "i0 k").rename(tmp_path / "all.XML")
    assert len(read_all_words(path, None).rows) == 1
    (tmp_path / "all.gold.key.txt").rename(tmp_path / "elsewhere.txt")
    with pytest.raises(CorpusError, match="the file of gold keys is missing"):
        read_all_words(path, None)
    assert len(read_all_words(path, tmp_path / "elsewhere.txt").rows) == 1


INSTANCE = """<instance id="i{}" docsrc="BNC">
<answer instance="i{}" senseid="x"/>
<context>
The <head>banks</head> , they lent .
</context>
</instance>"""
SAMPLE = f'<corpus lang="english">\n<lexelt item="bank.n">\n{INSTANCE}\n</lexelt>\n</corpus>'
WORD = '<word surface_form="banks" lemma="bank" pos="NNS" wn30_key="bank%1:14:00::"/>'
UFSAC = f"""<corpus>
<document id="d1"><paragraph><sentence>
<word surface_form="The" lemma="the" pos="DT"/>
{WORD}
<word surface_form="lent" lemma="lend" pos="VBD"/>
</sentence></paragraph></document>
</corpus>"""
ENTITY = '<!DOCTYPE corpus [<!ENTITY a "aaaa">]>'


def read(kind: Any, path: Path) -> Gathered:
    bad_lines = BadLines()
    gathered = kind(path, bad_lines)
    bad_lines.settle(len(gathered.rows), skip=False)
    return gathered


def write(folder: Path, text: str, name: str = "a.xml", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_text(text, encoding=encoding)
    return path


def test_a_lexical_sample(tmp_path: Path) -> None:
    (row,) = read(read_lexical_sample, write(tmp_path, SAMPLE)).rows
    assert (row.word, row.keys, row.position) == ("bank.n", ("x",), 1)
    assert row.tokens == ("The", "banks", ",", "they", "lent", ".")
    assert row.extra == {"id": "i{}", "docsrc": "BNC"}
    assert row.where == f"{tmp_path / 'a.xml'}:3"
    changed = SAMPLE.replace("<context>", "<note>no</note><context>").replace("banks", " banks, ")
    (row,) = read(read_lexical_sample, write(tmp_path, changed)).rows
    assert row.tokens == ("The", "banks", ",", ",", "they", "lent", ".")
    # SemEval gives the part of speech in an attribute.
    for item in ('.n" pos="n"', '" pos="n"'):
        (row,) = read(read_lexical_sample, write(tmp_path, SAMPLE.replace('.n"', item))).rows
        assert row.word == "bank.n"
    # The first of several answers is the sense; some instances have none.
    answer = '<answer instance="i{}" senseid="x"/>'
    instances = [
        INSTANCE.replace(answer, "".join(answer.replace("x", sense) for sense in senses))
        for senses in ("U", "PbUab", "", "PU")
    ]
    text = f'<lexelt item="bank.n">{"".join(instances)}</lexelt>'
    gathered = read(read_lexical_sample, write(tmp_path, text))
    assert [row.keys for row in gathered.rows] == [("b", "a")]
    assert gathered.left_out == {"no assigned sense (U or P)": 2, "no answer": 1}


def test_files_of_senseval_that_are_not_quite_xml(tmp_path: Path) -> None:
    instance = INSTANCE.replace(
        "they lent", "caf&eacute; &frac12 ; R&D &bquo; &#233; &lt; &amp;amp"
    )
    text = f'<lexelt item="bank.n">\n{instance.replace("The", "Thé")}\n</lexelt>\n' * 2
    doctype = '<?xml version="1.0" encoding="iso-8859-1"?>\n<!DOCTYPE corpus SYSTEM "a.dtd">\n'
    for prologue, encoding in (("", "utf-8"), (doctype, "latin-1")):
        path = write(tmp_path, prologue + text, "EnglishLS.train", encoding)
        first, second = read(read_lexical_sample, path).rows
        assert first.tokens == second.tokens
        assert " ".join(first.tokens) == "Thé banks , café ½ R&D & bquo ; é < & amp ."
        line = int(first.where.rpartition(":")[2])
        assert path.read_bytes().splitlines()[line - 1].startswith(b"<instance")


def test_ufsac(tmp_path: Path) -> None:
    def only(old: str = "", new: str = "") -> LabelledSentence:
        (row,) = read(read_ufsac, write(tmp_path, UFSAC.replace(old, new))).rows
        return row

    row = only()
    assert (row.word, row.keys, row.document) == ("bank.n", ("bank%1:14:00::",), "a.xml d1")
    assert (row.position, row.tokens) == (1, ("The", "banks", "lent"))
    assert row.where == f"{tmp_path / 'a.xml'}:4" and row.extra == {}
    row = only(':00::"', ':00::; bank%1:17:01::;" id="w1"')
    assert row.keys == ("bank%1:14:00::", "bank%1:17:01::") and row.extra == {"id": "w1"}
    # A word of several tokens; parts of speech; a word without a key for the chosen inventory.
    row = only('"banks" lemma="bank"', '"West_Banks" lemma="west_bank"')
    assert (row.word, row.tokens) == ("west_bank.n", ("The", "West Banks", "lent"))
    for tag, part in (("VBD", ".v"), ("ADJ", ".a"), ("RBR", ".r"), ("NNP", ".n"), ("X", "")):
        assert only("NNS", tag).word == f"bank{part}"
    only(WORD, WORD + WORD.replace("wn30", "wn16") + WORD.replace("bank%1:14:00::", " ;"))


WRONG = [
    *((read_lexical_sample, SAMPLE, *case) for case in (
        ("<head>banks</head>", "banks", ":3", "0 <head> in the <context>"),
        ("they", "<head>they</head>", ":3", "2 <head> in the <context>"),
        ("</head>", "</head>ter", ":3", "is part of a word"),
        ('senseid="x"', 'senseid="U"', "", "no instance has an answer with a sense"),
        ("</context>", "", ":8", "not XML"),
        ("<corpus ", f"{ENTITY}\n<corpus ", ":1", "a document type or an entity"),
    )),
    *((read_ufsac, UFSAC, *case) for case in (
        (' surface_form="banks"', "", ":4", "a <word> without a surface_form"),
        ("wn30_key", "wn16_key", "", "no word has a wn30_key"),
        ("<corpus>", f"{ENTITY}\n<corpus>", ":1", "a document type or an entity"),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "old", "new", "line", "says"), WRONG)
def test_xml_that_is_not_read(
    tmp_path: Path, kind: Any, text: str, old: str, new: str, line: str, says: str
) -> None:
    assert old in text
    path = write(tmp_path, text.replace(old, new, 1))
    with pytest.raises(CorpusError) as caught:
        read(kind, path)
    assert says in caught.value.problem
    assert caught.value.where == f"{path}{line}"
