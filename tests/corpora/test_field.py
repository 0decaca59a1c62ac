"""``wsd import`` of files as users have them gives the right corpus, or one precise message.

A file of ``tests/corpora/formats`` without an expectation here fails the walk. These files have the
shapes of real ones, in our own words.
"""

from pathlib import Path
from typing import NamedTuple

import pytest
from require import needs

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.cli import main
from wsd.corpora.text_format import read_text, read_unlabelled
from wsd.storage.file_names import file_name

FIELD = Path(__file__).parent / "formats"
FLOWER, BUNDLE = "\u82b1.n", "\u5305\u88b1.n"


class Refused(NamedTuple):
    """The expected message: problem, place and fix."""

    problem: str
    where: str
    fix: str


class Senses(NamedTuple):
    """The expected import of labelled sentences: instances by word and sense, some sentences."""

    counts: dict[str, dict[str, int]]
    sentences: tuple[str, ...] = ()


class Pairs(NamedTuple):
    """The expected import of pairs: word, focal words, one sense or two, or a rating."""

    rows: list[tuple[str, str, str, float]]


BANK = {"bank": {"bank_money": 4, "bank_river": 4}}
DASHED = "She paid the cheque in at the bank on \u201c Friday \u201d ; later morning ."
PLAIN = Senses(BANK, (DASHED, "The bank refused the loan to the baker ."))
QUOTED = Senses(BANK, (DASHED, 'The bank said " no " to the baker , twice .'))
TOKENIZED = Senses(BANK, ("She paid the cheque in at the bank on Friday morning .",))
BOTH = "no column for the sentence and the sense among "
NO_SENTENCE, NO_SENSE = "no column for the sentence among ", "no column for the sense among "
COLUMNS = "or add --columns sentence=NAME"
MARK = "mark the whole focal word once, as [[crane]] or *crane*, or with a tag such as <b>crane</b>"
UNMARKED = Refused("no word is marked (8)", ":2, column sentence, and 7 more", MARK)
KIND = " is of an unknown kind"
KINDS = "give a .csv, .tsv, .json or .jsonl file"
JSON = "write an array of objects, or one object per line"
CONVERT = "docs/reference/formats.md shows how to convert other formats"
TOOL = "run the script in docs/how-to/annotation-tools.md"
LABELS = "has labels only"
UNLABELLED = "for sentences without senses add --unlabelled"

EXPECTED: dict[str, Refused | Senses | Pairs] = {
    "dwug/clusters.csv": Refused(f"{BOTH}identifier, cluster", ":1", COLUMNS),
    "dwug/judgments.csv": Pairs([("cell", "cell", "cells", 4), ("cell", "cell", "cells", 1.5)]),
    "dwug/uses-early.tsv": Refused(f"{NO_SENSE}lemma, pos, date", ":1", UNLABELLED),
    "dwug/uses.csv": Refused(f"{NO_SENSE}lemma, pos, date", ":1", UNLABELLED),
    "dwug/uses.tsv": Refused(f"{NO_SENSE}lemma, pos, date", ":1", UNLABELLED),
    "array.json": Senses(BANK),
    "bom.csv": PLAIN,
    "conllu.conllu": Refused(f"'conllu.conllu'{KIND}", "", CONVERT),
    "cp1252.csv": Refused("byte 0x93 is not UTF-8", ":2", "often --encoding cp1252"),
    "doccano.jsonl": Refused("a list for the sense (8)", ":1, column label, and 7 more", TOOL),
    "fews.txt": Refused(f"'fews.txt'{KIND}", "", CONVERT),
    "kwic-antconc.tsv": Senses(BANK),
    "kwic-sketchengine.csv": Senses(BANK),
    "labelstudio.json": Refused(f"{BOTH}id, data, annotations", ":2", TOOL),
    "lexical-sample.xml": Senses({"bank.n": BANK["bank"]}, TOKENIZED.sentences),
    **{f"marked-{mark}.tsv": Senses(BANK) for mark in ("b", "head", "tgt", "word")},
    **{f"marked-{mark}.tsv": UNMARKED for mark in ("dollar", "quote", "under")},
    "naf.xml": Refused("no <sentence> with an <instance>", "", CONVERT),
    "pandas-quoted-tab.csv": QUOTED,
    "pandas-quoted.tsv": QUOTED,
    "pandas-tab.csv": PLAIN,
    "pandas.tsv": PLAIN,
    "prodigy.jsonl": Refused(f"{NO_SENSE}text, spans, answer", ":1", TOOL),
    "quoted-comma.csv": QUOTED,
    "semcor.xml": Refused("not XML", ":1", CONVERT),
    "semicolon.csv": PLAIN,
    "ufsac.xml": Senses(
        {"bank.n": {"bank%1:14:00::": 4, "bank%1:17:01::": 4}}, TOKENIZED.sentences
    ),
    "utf16-excel.tsv": PLAIN,
    "utf16-excel.txt": PLAIN,
    "webanno.tsv": Refused(f"{BOTH}#FORMAT=WebAnno TSV", ":1", CONVERT),
    "graded/ambistory.json": Refused(
        "all ratings are 4.6, but a correlation needs two", "", "give pairs with different ratings"
    ),
    "graded/graded.csv": Pairs([("act", "act", "act", 3.6), ("act", "act", "act", 1.9)]),
    "onechar/glosses.tsv": Refused(f"{NO_SENTENCE}word, sense, gloss", ":1", COLUMNS),
    "onechar/pairs/train.data.txt": Pairs(
        [
            (FLOWER, "\u82b1", "\u82b1", 1),
            (FLOWER, "\u82b1", "\u82b1", 0),
            ("X.n", "X", "X", 1),
            ("X.n", "X", "X", 0),
        ]
    ),
    "onechar/pairs/train.gold.txt": Refused(LABELS, "", "name train.data.txt"),
    "onechar/test.data.xml": Refused(
        f"the sense 'bn:bundle' of '{BUNDLE}' has 1 instances", ":20", "add instances"
    ),
    "onechar/test.gold.key.txt": Refused(LABELS, "", "name test.data.xml"),
    "onechar/train.data.xml": Senses(
        {FLOWER: {"bn:flower": 2, "bn:blur": 2}, BUNDLE: {"bn:bundle": 2, "bn:burden": 2}}
    ),
    "onechar/train.gold.key.txt": Refused(LABELS, "", "name train.data.xml"),
    "onechar/uses.txt": Refused(f"'uses.txt'{KIND}", "", "senses add --unlabelled"),
    "onechar/zh.data.xml": Senses({FLOWER: {"bn:flower": 4, "bn:blur": 4}}),
    "onechar/zh.gold.key.txt": Refused(LABELS, "", "name zh.data.xml"),
    "pairs-json/fr/train.data.txt": Pairs(
        [("porter.v", "porte", "porta", 1), ("porter.v", "porte", "porte", 0)]
    ),
    "pairs-json/fr/train.gold.txt": Refused(LABELS, "", "name train.data.txt"),
    "pairs-json/train.data.txt": Pairs(
        [("light.a", "light", "light", 1), ("porter.v", "porte", "porta", 1)]
    ),
    "pairs-json/train.gold.txt": Refused(LABELS, "", "name train.data.txt"),
    "pairs-json/trial.data": Pairs(
        [
            ("light.a", "light", "light", 1),
            ("light.a", "light", "light", 0),
            ("porter.v", "porte", "porta", 1),
        ]
    ),
    "pairs-json/trial.gold": Refused(f"'trial.gold'{KIND}", "", KINDS),
    "unmarked/unmarked.csv": Refused(f"{NO_SENSE}text, true_label", ":1", UNLABELLED),
}


@pytest.fixture(scope="module")
def field() -> Path:
    return FIELD


def refusal(error: str) -> tuple[str, str, str]:
    """Return problem, place and fix of the only message."""
    assert error.count("error: ") == 1 and "Traceback" not in error, error
    problem, where, fix, *listed = error[error.index("error: ") :].rstrip("\n").split("\n")
    assert all(line.startswith("    ") for line in listed)
    assert where.startswith("  where: ") and fix.startswith("  what to do: ")
    return (
        problem.removeprefix("error: "),
        where.removeprefix("  where: "),
        fix.removeprefix("  what to do: "),
    )


def corpora(out: Path) -> dict[str, Corpus]:
    dataset = read_manifest(out / MANIFEST)
    read = read_text if dataset.labelled else read_unlabelled
    return {word: read(out / file_name(word), word) for word in dataset.words}


def test_every_file_has_an_expectation(field: Path) -> None:
    there = {path.relative_to(field).as_posix() for path in field.rglob("*") if path.is_file()}
    assert there == EXPECTED.keys()


def _marks(name: str) -> list[pytest.MarkDecorator]:
    """Return what a file of pairs needs."""
    entry = EXPECTED[name]
    is_label = isinstance(entry, Refused) and entry.fix == "name train.data.txt"
    of_pairs = isinstance(entry, Pairs) or is_label or name == "graded/ambistory.json"
    return [needs("pairs")] if of_pairs else []


@pytest.mark.parametrize("name", [pytest.param(n, marks=_marks(n)) for n in EXPECTED])
def test_an_import_is_right_or_refused_with_one_message(
    name: str, field: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out, expected = field / name, tmp_path / "out", EXPECTED[name]
    code = main(["import", str(path), "--out", str(out), "--name", "mine"])
    error = capsys.readouterr().err
    if isinstance(expected, Refused):
        problem, where, fix = refusal(error)
        assert code in (2, 3) and expected.problem in problem and expected.fix in fix
        assert where == f"{path}{expected.where}"
        assert not list(tmp_path.iterdir())
        return
    assert code == 0 and "error" not in error
    if isinstance(expected, Pairs):
        from wsd.studies.pairs.pair_tables import read_pairs

        pairs = read_pairs(out)
        tokens, at = pairs.sentences.tokens, pairs.sentences.position
        focal = [[tokens[row][at[row]] for row in entry] for entry in pairs.rows]
        actual = zip(pairs.word.tolist(), focal, pairs.gold.tolist(), strict=True)
        assert [(word, *both, gold) for word, both, gold in actual] == expected.rows
        return
    actual = corpora(out)
    assert {
        word: {sense: corpus.gold.tolist().count(i) for i, sense in enumerate(corpus.senses)}
        for word, corpus in actual.items()
    } == expected.counts
    sentences = {" ".join(tokens) for corpus in actual.values() for tokens in corpus.tokens}
    assert sentences >= set(expected.sentences)
    for word, corpus in actual.items():
        focal = {words[i] for words, i in zip(corpus.tokens, corpus.position, strict=True)}
        assert focal == {word.removesuffix(".n")}


# The advice of the messages


@needs("unlabelled")
@pytest.mark.parametrize(
    ("name", "options", "counts"),
    [
        ("onechar/uses.txt", ["--word", "\u82b1"], {"\u82b1": 4}),
        ("onechar/uses.txt", ["--word", FLOWER], {FLOWER: 4}),
        ("dwug/uses.csv", [], {"cell": None}),
        ("dwug/uses-early.tsv", [], {"cell": None}),
        ("unmarked/unmarked.csv", [], {"Bank": 8}),
    ],
)
def test_sentences_without_senses(
    name: str, options: list[str], counts: dict[str, int | None], field: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    given = ["--out", str(out), "--name", "mine", "--unlabelled", *options]
    assert main(["import", str(field / name), *given]) == 0
    actual = corpora(out)
    assert actual.keys() == counts.keys()
    for word, corpus in actual.items():
        if (n := counts[word]) is not None:
            assert len(corpus.tokens) == n
        focal = {words[i].lower() for words, i in zip(corpus.tokens, corpus.position, strict=True)}
        assert focal <= {word.lower().removesuffix(".n"), "cells"}


def test_words_of_one_character_are_trained_and_tested(field: Path, tmp_path: Path) -> None:
    out, source = tmp_path / "out", field / "onechar"
    files = ["--train", str(source / "train.data.xml"), "--test", str(source / "test.data.xml")]
    assert main(["import", *files, "--out", str(out), "--name", "mine"]) == 0
    actual = corpora(out)
    assert {word: corpus.split.tolist().count("test") for word, corpus in actual.items()} == {
        FLOWER: 2,
        BUNDLE: 2,
    }


# Options


@pytest.mark.parametrize(
    ("name", "options", "counts"),
    [
        ("cp1252.csv", ["--encoding", "cp1252"], BANK),
        *((f"marked-{mark}.tsv", ["--find"], BANK) for mark in ("dollar", "quote", "b")),
        ("unmarked/unmarked.csv", ["--find", "--columns", "sense=true_label"],
         {"Bank": {"1": 4, "2": 4}}),
    ],
)  # fmt: skip
def test_an_option_makes_a_file_readable(
    name: str, options: list[str], counts: dict[str, dict[str, int]], field: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert main(["import", str(field / name), "--out", str(out), "--name", "mine", *options]) == 0
    (corpus,) = corpora(out).values()
    assert {corpus.word: {s: corpus.gold.tolist().count(i) for i, s in enumerate(corpus.senses)}}
    assert {
        sense: corpus.gold.tolist().count(i) for i, sense in enumerate(corpus.senses)
    } == counts[corpus.word]
    focal = {words[i] for words, i in zip(corpus.tokens, corpus.position, strict=True)}
    assert focal == {"bank"}
    if "cp1252" in name:
        assert DASHED in {" ".join(tokens) for tokens in corpus.tokens}


@pytest.mark.parametrize(
    "name", [name for name, entry in EXPECTED.items() if isinstance(entry, Senses)]
)
def test_bad_lines_can_be_left_out_of_every_format(
    name: str, field: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["import", str(field / name), "--out", str(tmp_path / "out"), "--name", "mine"]
    assert main([*command, "--skip-bad"]) == 0
    assert "left out" not in capsys.readouterr().err
