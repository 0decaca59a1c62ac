"""The page on formats: every example is imported, and every conversion works."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import REPOSITORY
from doc_examples import FENCE, follow, sections
from require import needs

from wsd.artifacts.dataset import COUNTS, MANIFEST, read_manifest
from wsd.cli import main
from wsd.corpora.text_format import read_text
from wsd.errors import ConfigError, CorpusError

PAGE = REPOSITORY / "docs/reference/formats.md"
FIELD = REPOSITORY / "tests/corpora/formats"


SECTIONS = sections(PAGE)


UNLABELLED = "Sentences without senses"


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=needs("unlabelled") if n == UNLABELLED else ()) for n in SECTIONS],
)
def test_every_example_is_imported(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = follow(FENCE.findall(SECTIONS[name]), tmp_path, monkeypatch)
    assert codes and not any(codes)
    manifest = json.loads((tmp_path / "data/bank" / MANIFEST).read_text())
    (word,) = manifest["words"].values()
    if manifest.get("labelled", True):
        assert [n["train"] + n["test"] for n in word["senses"].values()] == [2, 2]
    else:
        assert word[COUNTS[0]] == 4


def test_every_format_has_an_entry_in_the_table_and_an_example() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = re.findall(r"\[([^\]]+)\]\(#([^)]+)\)", page[: page.index("**How")])
    anchors = {re.sub(r"[^a-z0-9 -]", "", name.lower()).replace(" ", "-") for name in SECTIONS}
    assert {anchor for _, anchor in named} == anchors


CONVERTED = {
    "WebAnno TSV": "webanno.tsv",
    "CoNLL-U": "conllu.conllu",
    "FEWS": "fews.txt",
    "SemCor SGML": "semcor.xml",
    "NAF": "naf.xml",
}


@pytest.mark.parametrize(("name", "file"), CONVERTED.items())
def test_an_unread_format_is_refused_and_its_conversion_works(
    name: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["import", str(FIELD / file), "--out", str(tmp_path / "no"), "--name", "bank"]
    assert main(arguments) in (ConfigError.exit_code, CorpusError.exit_code)
    assert str(PAGE.relative_to(REPOSITORY)) in capsys.readouterr().err
    (code,) = [text for _, title, text in FENCE.findall(SECTIONS[name]) if title == "convert.py"]
    (tmp_path / "convert.py").write_text(code)
    table, out = tmp_path / "bank.tsv", tmp_path / "out"
    subprocess.run([sys.executable, tmp_path / "convert.py", FIELD / file, table], check=True)
    assert main(["import", str(table), "--out", str(out), "--name", "bank"]) == 0
    (word,) = read_manifest(out / MANIFEST).words
    (folder,) = [path for path in out.iterdir() if path.is_dir()]
    corpus = read_text(folder, word)
    texts = {" ".join(tokens).rstrip(" .") for tokens in corpus.tokens}
    expected = (FIELD / "doccano.jsonl").read_text().splitlines()
    assert texts == {line.split('"text": "')[1].split('."')[0] for line in expected}
    assert len(corpus.senses) == 2 and [*map(list(corpus.gold).count, (0, 1))] == [4, 4]
    for tokens, position in zip(corpus.tokens, corpus.position, strict=True):
        assert tokens[position] == "bank"
