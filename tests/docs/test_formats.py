"""The page on formats: every example is imported, and every conversion works."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import REPOSITORY
from doc_examples import follow
from require import needs

from wsd.artifacts.dataset import COUNTS, MANIFEST, read_manifest
from wsd.cli import main
from wsd.corpora.text_format import read_text
from wsd.errors import ConfigError, CorpusError

PAGE = REPOSITORY / "docs/reference/formats.md"
FIELD = REPOSITORY / "tests/corpora/formats"
# A folder per format: a sample, a converter if the format needs one, and the commands.
EXAMPLES = REPOSITORY / "docs/examples"
NAMES = sorted(path.name for path in EXAMPLES.iterdir())
UNLABELLED = "sentences-without-senses"


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=needs("unlabelled") if n == UNLABELLED else ()) for n in NAMES],
)
def test_every_example_is_imported(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(EXAMPLES / name, tmp_path / name)
    codes = follow([("console", "", (folder / "import.sh").read_text())], folder, monkeypatch)
    assert codes and not any(codes)
    manifest = json.loads((folder / "data/bank" / MANIFEST).read_text())
    (word,) = manifest["words"].values()
    if manifest.get("labelled", True):
        assert [n["train"] + n["test"] for n in word["senses"].values()] == [2, 2]
    else:
        assert word[COUNTS[0]] == 4


def test_every_format_of_the_table_has_a_section_and_an_example() -> None:
    page = PAGE.read_text(encoding="utf-8")
    headings = {name.lower().replace(" ", "-") for name in re.findall(r"^## (.+)$", page, re.M)}
    tables = page[: page.index("## All formats")]
    assert headings - {"all-formats"} == set(re.findall(r"\]\(#([^)]+)\)", tables))
    linked = re.findall(r"\]\(\.\./examples/([^)]+)\)", tables)
    assert {path.split("/")[0] for path in linked} == {*NAMES}
    assert all((EXAMPLES / path).is_file() for path in linked)


CONVERTED = {
    "webanno-tsv": "webanno.tsv",
    "conll-u": "conllu.conllu",
    "fews": "fews.txt",
    "semcor-sgml": "semcor.xml",
    "naf": "naf.xml",
}


@pytest.mark.parametrize(("name", "file"), CONVERTED.items())
def test_an_unread_format_is_refused_and_its_conversion_works(
    name: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["import", str(FIELD / file), "--out", str(tmp_path / "no"), "--name", "bank"]
    assert main(arguments) in (ConfigError.exit_code, CorpusError.exit_code)
    assert str(PAGE.relative_to(REPOSITORY)) in capsys.readouterr().err
    script, table, out = EXAMPLES / name / "convert.py", tmp_path / "bank.tsv", tmp_path / "out"
    subprocess.run([sys.executable, script, FIELD / file, table], check=True)
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
