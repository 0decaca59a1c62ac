"""``wsd import`` of files as users have them gives the right corpus, or one precise message.

The files of ``tests/corpora/formats`` have the shapes of real ones, in our own words.
"""

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from require import needs

from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.cli import main
from wsd.corpora.text_format import read_text, read_unlabelled
from wsd.storage.file_names import file_name

FIELD = Path(__file__).parent / "formats"
FLOWER, BUNDLE = "\u82b1.n", "\u5305\u88b1.n"


class Refused(NamedTuple):
    problem: str
    where: str
    fix: str


class Senses(NamedTuple):
    counts: dict[str, dict[str, int]]  # of instances, by word and sense
    sentences: tuple[str, ...] = ()


class Uses(NamedTuple):
    word: str
    size: int


class Pairs(NamedTuple):
    rows: list[tuple[str, str, str, float]]  # word, two focal words, and a label or a rating


BANK = {"bank": {"bank_money": 4, "bank_river": 4}}
SYNSETS = {"bank.n": {"bank%1:14:00::": 4, "bank%1:17:01::": 4}}
DASHED = "She paid the cheque in at the bank on \u201c Friday \u201d ; later morning ."
PLAIN = Senses(BANK, (DASHED, "The bank refused the loan to the baker ."))
QUOTED = Senses(BANK, (DASHED, 'The bank said " no " to the baker , twice .'))
TOKENIZED = ("She paid the cheque in at the bank on Friday morning .",)
NO_SENTENCE, NO_SENSE = "no column for the sentence", "no column for the sense"
UNMARKED = Refused("no word is marked (8)", ":2, column sentence, and 7 more", "[[crane]]")
KIND = " is of an unknown kind"
TOOL = "docs/how-to/annotation-tools.md"
CONVERT, KINDS = "docs/reference/formats.md", "give a .csv, .tsv, .json or .jsonl file"
UNLABELLED = "--unlabelled"
LIGHT, PORTA = ("light.a", "light", "light"), ("porter.v", "porte", "porta", 1)

EXPECTED: dict[str, Refused | Senses | Pairs] = {
    "dwug/clusters.csv": Refused(NO_SENTENCE, ":1", "--columns sentence=NAME"),
    "dwug/judgments.csv": Pairs([("cell", "cell", "cells", 4), ("cell", "cell", "cells", 1.5)]),
    **{
        f"dwug/{name}": Refused(NO_SENSE, ":1", UNLABELLED)
        for name in ("uses-early.tsv", "uses.csv", "uses.tsv")
    },
    "array.json": Senses(BANK),
    "bom.csv": PLAIN,
    "conllu.conllu": Refused(f"'conllu.conllu'{KIND}", "", CONVERT),
    "cp1252.csv": Refused("byte 0x93 is not UTF-8", ":2", "--encoding cp1252"),
    "doccano.jsonl": Refused("a list for the sense (8)", ":1, column label, and 7 more", TOOL),
    "fews.txt": Refused(f"'fews.txt'{KIND}", "", CONVERT),
    "kwic-antconc.tsv": Senses(BANK),
    "kwic-sketchengine.csv": Senses(BANK),
    "labelstudio.json": Refused(NO_SENTENCE, ":2", TOOL),
    "lexical-sample.xml": Senses({"bank.n": BANK["bank"]}, TOKENIZED),
    **{f"marked-{mark}.tsv": Senses(BANK) for mark in ("b", "head", "tgt", "word")},
    **{f"marked-{mark}.tsv": UNMARKED for mark in ("dollar", "quote", "under")},
    "naf.xml": Refused("no <sentence> with an <instance>", "", CONVERT),
    **{f"{name}.csv": QUOTED for name in ("pandas-quoted-tab", "quoted-comma")},
    "pandas-quoted.tsv": QUOTED,
    "pandas-tab.csv": PLAIN,
    "pandas.tsv": PLAIN,
    "prodigy.jsonl": Refused(NO_SENSE, ":1", TOOL),
    "semcor.xml": Refused("not XML", ":1", CONVERT),
    "semicolon.csv": PLAIN,
    "ufsac.xml": Senses(SYNSETS, TOKENIZED),
    "utf16-excel.tsv": PLAIN,
    "utf16-excel.txt": PLAIN,
    "webanno.tsv": Refused(NO_SENTENCE, ":1", CONVERT),
    "graded/ambistory.json": Refused("all ratings are 4.6", "", "different ratings"),
    "graded/graded.csv": Pairs([("act", "act", "act", 3.6), ("act", "act", "act", 1.9)]),
    "onechar/glosses.tsv": Refused(NO_SENTENCE, ":1", "--columns sentence=NAME"),
    "onechar/pairs/train.data.txt": Pairs(
        [(w, w[0], w[0], label) for w in (FLOWER, "X.n") for label in (1, 0)]
    ),
    "onechar/test.data.xml": Refused(f"'bn:bundle' of '{BUNDLE}' has 1", ":20", "add instances"),
    "onechar/train.data.xml": Senses(
        {FLOWER: {"bn:flower": 2, "bn:blur": 2}, BUNDLE: {"bn:bundle": 2, "bn:burden": 2}}
    ),
    "onechar/uses.txt": Refused(f"'uses.txt'{KIND}", "", UNLABELLED),
    "onechar/zh.data.xml": Senses({FLOWER: {"bn:flower": 4, "bn:blur": 4}}),
    "pairs-json/fr/train.data.txt": Pairs([PORTA, ("porter.v", "porte", "porte", 0)]),
    "pairs-json/train.data.txt": Pairs([(*LIGHT, 1), PORTA]),
    "pairs-json/trial.data": Pairs([(*LIGHT, 1), (*LIGHT, 0), PORTA]),
    "pairs-json/trial.gold": Refused(f"'trial.gold'{KIND}", "", KINDS),
    "unmarked/unmarked.csv": Refused(NO_SENSE, ":1", UNLABELLED),
    **{
        f"{name}.txt": Refused("has labels only", "", "name ")
        for name in (
            *(f"onechar/{name}.gold.key" for name in ("test", "train", "zh")),
            *(f"{name}/train.gold" for name in ("onechar/pairs", "pairs-json/fr", "pairs-json")),
        )
    },
}
FIND = ["--find"]
WITH_OPTIONS: list[tuple[str, list[str], Senses | Uses]] = [
    ("cp1252.csv", ["--encoding", "cp1252"], Senses(BANK, (DASHED,))),
    *((f"marked-{mark}.tsv", FIND, Senses(BANK)) for mark in ("dollar", "quote", "b")),
    ("unmarked/unmarked.csv", [*FIND, "--columns", "sense=true_label"],
     Senses({"Bank": {"1": 4, "2": 4}})),
    ("unmarked/unmarked.csv", [UNLABELLED], Uses("Bank", 8)),
    ("onechar/uses.txt", [UNLABELLED, "--word", FLOWER], Uses(FLOWER, 4)),
    ("dwug/uses-early.tsv", [UNLABELLED], Uses("cell", 5)),
]  # fmt: skip


def case(name: str, options: list[str], entry: Refused | Senses | Uses | Pairs) -> Any:
    """A case, and which study it needs."""
    of_pairs = isinstance(entry, Pairs) or "ambistory" in name or name.endswith("train.gold.txt")
    study = "pairs" if of_pairs else "unlabelled" if isinstance(entry, Uses) else ""
    return pytest.param(name, options, entry, marks=[needs(study)] if study else [])


def test_every_file_has_an_expectation() -> None:
    there = {path.relative_to(FIELD).as_posix() for path in FIELD.rglob("*") if path.is_file()}
    assert there == EXPECTED.keys()


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [*(case(name, [], entry) for name, entry in EXPECTED.items()),
     *(case(*entry) for entry in WITH_OPTIONS)],
)  # fmt: skip
def test_an_import_is_right_or_refused_with_one_message(
    name: str, options: list[str], expected: Any, tmp_path: Path, capsys: Any
) -> None:
    path, out = FIELD / name, tmp_path / "out"
    code = main(["import", str(path), *options, "--out", str(out), "--name", "mine"])
    error = capsys.readouterr().err
    if isinstance(expected, Refused):
        assert error.count("error: ") == 1 and "Traceback" not in error and code in (2, 3)
        problem, where, fix, *_ = error[error.index("error: ") :].split("\n")
        assert expected.problem in problem and expected.fix in fix
        assert where == f"  where: {path}{expected.where}" and not out.exists()
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
    if isinstance(expected, Uses):
        uses = read_unlabelled(out / file_name(expected.word), expected.word)
        assert len(uses) == expected.size
        assert {*uses.focal_tokens} <= {FLOWER[0], "cell", "cells", "Cells", "bank"}
        return
    assert "left out" not in error
    words = read_manifest(out / MANIFEST).words
    actual = {word: read_text(out / file_name(word), word) for word in words}
    assert {
        word: {sense: corpus.gold.tolist().count(i) for i, sense in enumerate(corpus.senses)}
        for word, corpus in actual.items()
    } == expected.counts
    sentences = {" ".join(tokens) for corpus in actual.values() for tokens in corpus.tokens}
    assert sentences >= set(expected.sentences)
    for word, corpus in actual.items():
        assert {*corpus.focal_tokens} == {word.lower().removesuffix(".n")}
