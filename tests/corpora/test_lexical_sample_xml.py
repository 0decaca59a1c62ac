"""Lexical samples with answers inside, and UFSAC: XML that is read, and XML that is refused."""

from pathlib import Path
from typing import Any

import pytest
from importing import import_corpus

from wsd.corpora.importer.gathered import BadLines, Gathered
from wsd.corpora.importer.input_formats import KINDS
from wsd.corpora.importer.xml_formats import read_lexical_sample, read_ufsac
from wsd.errors import CorpusError

FIELD = Path(__file__).parent / "formats"
INSTANCE = """<instance id="i{}" docsrc="BNC">
<answer instance="i{}" senseid="x"/>
<context>
The <head>banks</head> , they lent .
</context>
</instance>"""
ONE = f'<corpus lang="english">\n<lexelt item="bank.n">\n{INSTANCE}\n</lexelt>\n</corpus>'
WORD = '<word surface_form="banks" lemma="bank" pos="NNS" wn30_key="bank%1:14:00::"/>'
UFSAC = f"""<corpus>
<document id="d1"><paragraph><sentence>
<word surface_form="The" lemma="the" pos="DT"/>
{WORD}
<word surface_form="lent" lemma="lend" pos="VBD"/>
</sentence></paragraph></document>
</corpus>"""
BOMB = '<!DOCTYPE corpus [<!ENTITY a "aaaa">]>'


def read(kind: Any, path: Path) -> Gathered:
    """Read a file, and raise an error about bad instances."""
    bad_lines = BadLines()
    gathered = kind(path, bad_lines)
    assert isinstance(gathered, Gathered)
    bad_lines.settle(len(gathered.rows), skip=False)
    return gathered


def put(folder: Path, text: str, name: str = "a.xml", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_text(text, encoding=encoding)
    return path


def sample(folder: Path, old: str = "", new: str = "", encoding: str = "utf-8") -> Path:
    assert old in ONE
    return put(folder, ONE.replace(old, new, 1) if old else ONE, encoding=encoding)


def test_a_lexical_sample(tmp_path: Path) -> None:
    (row,) = read(read_lexical_sample, sample(tmp_path)).rows
    assert (row.word, row.keys, row.position) == ("bank.n", ("x",), 1)
    assert row.tokens == ("The", "banks", ",", "they", "lent", ".")
    assert row.extra == {"id": "i{}", "docsrc": "BNC"}
    assert row.where == f"{tmp_path / 'a.xml'}:3"
    changed = ONE.replace("<context>", "<note>no</note><context>").replace("banks", " banks, ")
    (row,) = read(read_lexical_sample, put(tmp_path, changed)).rows
    assert row.tokens == ("The", "banks", ",", ",", "they", "lent", ".")
    # SemEval gives the part of speech in an attribute.
    (row,) = read(
        read_lexical_sample, sample(tmp_path, 'item="bank.n"', 'item="bank" pos="n"')
    ).rows
    assert row.word == "bank.n"
    (row,) = read(read_lexical_sample, sample(tmp_path, '.n"', ".n\" pos='n'")).rows
    assert row.word == "bank.n"


def test_files_of_senseval_that_are_not_quite_xml(tmp_path: Path) -> None:
    instance = INSTANCE.replace(
        "they lent", "caf&eacute; &frac12 ; R&D &bquo; &#233; &lt; &amp;amp"
    )
    text = f'<lexelt item="bank.n">\n{instance}\n</lexelt>\n' * 2
    doctype = '<?xml version="1.0" encoding="iso-8859-1"?>\n<!DOCTYPE corpus SYSTEM "a.dtd">\n'
    for prologue in ("", doctype):
        path = put(tmp_path, prologue + text.replace("The ", "Thé "), "EnglishLS.train", "latin-1")
        if not prologue:
            path.write_text(text.replace("The ", "Thé "), encoding="utf-8")
        first, second = read(read_lexical_sample, path).rows
        assert first.tokens == second.tokens
        focal, rest = first.tokens[:3], " ".join(first.tokens[3:])
        assert focal == ("Thé", "banks", ",")
        assert rest == "café ½ R&D & bquo ; é < & amp ."
        line = int(first.where.rpartition(":")[2])
        assert path.read_bytes().splitlines()[line - 1].startswith(b"<instance")
    data = ONE.replace("they", "<![CDATA[a & &eacute; b]]>")
    (row,) = read(read_lexical_sample, put(tmp_path, data)).rows
    assert row.tokens[3:9] == ("a", "&", "&", "eacute", ";", "b")


def test_answers(tmp_path: Path) -> None:
    def answers(*senses: str) -> str:
        elements = "".join(f'<answer instance="i" senseid="{sense}"/>' for sense in senses)
        return INSTANCE.replace('<answer instance="i{}" senseid="x"/>', elements)

    instances = [answers("U"), answers("P", "b", "U", "a", "b"), answers(), answers("P", "U")]
    text = f'<lexelt item="bank.n">{"".join(instances)}</lexelt>'
    gathered = read(read_lexical_sample, put(tmp_path, text))
    assert [row.keys for row in gathered.rows] == [("b", "a")]
    assert gathered.left_out == {"no assigned sense (U or P)": 2, "no answer": 1}
    with pytest.raises(CorpusError, match="no instance has an answer with a sense") as caught:
        read(read_lexical_sample, put(tmp_path, f'<lexelt item="bank.n">{answers()}</lexelt>'))
    assert "another file are not read" in str(caught.value.fix)


SAMPLE_WRONG = {
    "no head": ("<head>banks</head>", "banks", 3, "0 <head> in the <context>"),
    "two heads": ("they", "<head>they</head>", 3, "2 <head> in the <context>"),
    "empty head": (">banks<", "> <", 3, "the focal word is empty"),
    "part": ("</head>", "</head>ter", 3, "is part of a word"),
    "no word": (' item="bank.n"', "", 3, "the word is empty"),
    "no XML": ("</context>", "", 8, "not XML"),
    "number": ("The", "&#0;", 6, "not XML"),
    "bomb": ("<corpus ", f"{BOMB}\n<corpus ", 1, "a document type or an entity"),
    "deep": ("they", "<b>" * 100, 6, "inside 100 other elements"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "says"), SAMPLE_WRONG.values(), ids=SAMPLE_WRONG)
def test_a_lexical_sample_that_is_refused(
    tmp_path: Path, old: str, new: str, line: int, says: str
) -> None:
    path = sample(tmp_path, old, new)
    with pytest.raises(CorpusError) as caught:
        read(read_lexical_sample, path)
    assert says in caught.value.problem
    assert caught.value.where == f"{path}:{line}"


def test_ufsac(tmp_path: Path) -> None:
    (row,) = read(read_ufsac, put(tmp_path, UFSAC)).rows
    assert (row.word, row.keys, row.document) == ("bank.n", ("bank%1:14:00::",), "a.xml d1")
    assert (row.position, row.tokens) == (1, ("The", "banks", "lent"))
    assert row.where == f"{tmp_path / 'a.xml'}:4" and row.extra == {}
    several = WORD.replace('::"', '::; bank%1:17:01::;" id="w1"')
    (row,) = read(read_ufsac, put(tmp_path, UFSAC.replace(WORD, several))).rows
    assert row.keys == ("bank%1:14:00::", "bank%1:17:01::") and row.extra == {"id": "w1"}
    # A word of several tokens; parts of speech; a word without a key for the chosen inventory.
    several = WORD.replace('"banks"', '"West_Banks"').replace('"bank"', '"west_bank"')
    (row,) = read(read_ufsac, put(tmp_path, UFSAC.replace(WORD, several))).rows
    assert (row.word, row.tokens) == ("west_bank.n", ("The", "West Banks", "lent"))
    for tag, part in (("VBD", ".v"), ("ADJ", ".a"), ("RBR", ".r"), ("NNP", ".n"), ("X", "")):
        (row,) = read(read_ufsac, put(tmp_path, UFSAC.replace("NNS", tag))).rows
        assert row.word == f"bank{part}"
    other = WORD.replace("wn30", "wn16") + WORD.replace("bank%1:14:00::", " ;")
    assert len(read(read_ufsac, put(tmp_path, UFSAC.replace(WORD, WORD + other))).rows) == 1


UFSAC_WRONG = {
    "no form": (' surface_form="banks"', "", ":4", "a <word> without a surface_form"),
    "no lemma": (' lemma="bank"', "", ":4", "the word is empty"),
    "no key": ("wn30_key", "wn16_key", "", "no word has a wn30_key"),
    "no XML": ("</corpus>", "", ":7", "not XML"),
    "entity": ("The", "&eacute;", ":3", "not XML"),
    "bomb": ("<corpus>", f"{BOMB}\n<corpus>", ":1", "a document type or an entity"),
}


@pytest.mark.parametrize(("old", "new", "line", "says"), UFSAC_WRONG.values(), ids=UFSAC_WRONG)
def test_ufsac_that_is_refused(tmp_path: Path, old: str, new: str, line: str, says: str) -> None:
    assert old in UFSAC
    path = put(tmp_path, UFSAC.replace(old, new, 1))
    with pytest.raises(CorpusError) as caught:
        read(read_ufsac, path)
    assert says in caught.value.problem
    assert caught.value.where == f"{path}{line}"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"<!-- x -->\n{ONE}", "lexical-sample XML"),
        (UFSAC, "UFSAC"),
        ("<corpus><text><sentence/></text></corpus>", "all-words .xml"),
        ("<?xml version='1.0'?>" + "<!-- x -->" * 10_000, "all-words .xml"),
        ("<!" * 30_000, "all-words .xml"),
    ],
)
def test_xml_is_recognised_by_its_beginning(tmp_path: Path, text: str, kind: str) -> None:
    path = put(tmp_path, text)
    assert next(entry for entry in reversed(KINDS) if entry.matches(path)).name == kind


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("lexical-sample.xml", "bank.n: bank_money 3 + 1, bank_river 3 + 1"),
        ("ufsac.xml", "bank.n: bank%1:14:00:: 3 + 1, bank%1:17:01:: 3 + 1"),
    ],
)
def test_the_xml_of_the_field_is_imported(tmp_path: Path, file: str, line: str) -> None:
    text = import_corpus([FIELD / file], out=tmp_path / "out", name="mine", skip_bad=True)
    assert line in text


def test_all_bad_instances_are_named_at_once(tmp_path: Path) -> None:
    bad = INSTANCE.replace("<head>", "").replace("</head>", "")
    sample = put(tmp_path, ONE.replace(INSTANCE, f"{INSTANCE}\n{bad}\n{bad}"))
    ufsac = put(
        tmp_path, UFSAC.replace(WORD, WORD + 2 * f"\n{WORD.replace('lemma', 'x')}"), "b.xml"
    )
    for kind, path, lines in ((read_lexical_sample, sample, (9, 15)), (read_ufsac, ufsac, (5, 6))):
        with pytest.raises(CorpusError, match="2 lines cannot be read") as caught:
            read(kind, path)
        assert all(f"{path}:{line}: " in str(caught.value.fix) for line in lines)
