"""Write an archive in NOAD's layout: ten documents with our own sentences, two words."""

import hashlib
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from archive_server import build_archive

PREFIX = "/dictionary/sense/en_us_NOAD3e_2012/"
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE SimpleWsdDoc SYSTEM "simple-wsd-doc.dtd">\n'
)
# A token, optionally with lemma, part of speech and sense.
Token = str | tuple[str, str, str, str]


def document(sentences: Sequence[Sequence[Token]], head: str = HEAD) -> bytes:
    """Return a document; every other sentence begins a paragraph."""
    lines = []
    for number, sentence in enumerate(sentences):
        for place, token in enumerate(sentence):
            text, *label = (token,) if isinstance(token, str) else token
            attributes = "".join(
                f' {key}="{PREFIX if key == "sense" else ""}{value}"'
                for key, value in zip(("lemma", "pos", "sense"), label, strict=False)
            )
            first = ("PARAGRAPH_BREAK", "SENTENCE_BREAK")[number % 2]
            after = first if place == 0 else "LINE_BREAK" if place == 2 else "SPACE_BREAK"
            lines.append(f'  <word text="{escape(text)}"{attributes} break_level="{after}"/>')
    return f'{head}<SimpleWsdDoc name="made">\n{chr(10).join(lines)}\n</SimpleWsdDoc>\n'.encode()


def sentences_of(number: int) -> list[list[Token]]:
    """Return a document's sentences: two words in two senses, a third word, a rare sense once."""
    tail = f"near house {number}"
    made: list[list[Token]] = [
        ["She", ("served", "serve", "VERB", "m_1.001"), "soup", "&", "bread", *tail.split()],
        ["He", ("serves", "serve", "VERB", "m_1.002"), "in", "the", "army", *tail.split()],
        ["A", ("cell", "cell", "NOUN", "m_2.001"), "divides", *tail.split()],
        ["A", "prison", ("cell", "cell", "NOUN", "m_2.002"), "was", "locked", *tail.split()],
        ["A", ("lone", "lone", "ADJ", "m_3.001"), "tree", *tail.split()],
    ]
    if number == 4:
        made.append(["Two", *[("cells", "cell", "NOUN", "m_2.003")] * 3, "here"])
    return made


FILES = {
    **{f"semcor/br-{n}.xml": document(sentences_of(n)) for n in range(5)},
    **{f"masc/written/m{n}.xml": document(sentences_of(n)) for n in range(5, 10)},
    "manual_map.txt": f"{PREFIX}m_1.001\tserve%2:34:00::,serve%2:34:01::\n".encode(),
}


def write(folder: Path, files: Mapping[str, bytes] = FILES) -> tuple[Path, Path]:
    """Write an archive of some files and the checksums of the expected files."""
    folder.mkdir(parents=True, exist_ok=True)
    archive, sums = folder / "noad.tar.gz", folder / "noad.sha256"
    archive.write_bytes(build_archive({**files, "README.md": b"not asked for"}))
    lines = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in FILES.items())
    sums.write_text("".join(lines))
    return archive, sums
