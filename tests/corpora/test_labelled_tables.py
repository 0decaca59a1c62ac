"""Places that count bytes or units of UTF-16 are read with --offsets, and never guessed."""

from pathlib import Path

import pytest

from wsd.cli import main
from wsd.corpora.importer.labelled_tables import in_characters
from wsd.errors import CorpusError

SENTENCES = [
    "\U0001f3a3 na\u00efve crane drivers",
    "the crane flew",
    "two \u00e9clairs , crane",
    "a crane",
]
ENCODINGS = {"bytes": ("utf-8", 1), "utf16": ("utf-16-le", 2)}


def write(folder: Path, encoding: str, size: int) -> Path:
    lines = ["word\tsense\tsentence\tstart\tend"]
    for i, sentence in enumerate(SENTENCES * 4):
        text = f"{sentence} {i}"
        start, end = (len(text[: text.index("crane") + n].encode(encoding)) // size for n in (0, 5))
        lines.append(f"crane\t{'ab'[i % 2]}\t{text}\t{start}\t{end}")
    path = folder / "table.tsv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("offsets", ENCODINGS)
def test_offsets(tmp_path: Path, capsys: pytest.CaptureFixture[str], offsets: str) -> None:
    table, out = write(tmp_path, *ENCODINGS[offsets]), tmp_path / "out"
    arguments = ["import", str(table), "--name", "x", "--out", str(out)]
    assert main(arguments) == CorpusError.exit_code
    assert f"add --offsets {offsets}" in capsys.readouterr().err and not out.exists()
    other = next(name for name in ENCODINGS if name != offsets)
    assert main([*arguments, "--offsets", other]) == CorpusError.exit_code and not out.exists()
    assert main([*arguments, "--offsets", offsets]) == 0
    words = [
        line.split("\t")[1].split()[int(line.split("\t")[0])]
        for split in ("train", "test")
        for line in (out / "crane" / f"{split}.data.txt").read_text("utf-8").splitlines()
    ]
    assert words == ["crane"] * 16


def test_an_offset_inside_a_character() -> None:
    assert in_characters("\u00e9clair", 2, "bytes") == 1
    for offset in (1, 9):
        with pytest.raises(ValueError, match=r"inside a character|in a sentence of"):
            in_characters("\u00e9clair", offset, "bytes")
