"""The table of glosses under damaged input."""

from pathlib import Path

from fuzz_target import Target

from wsd.corpora import glosses

SENSES = {"crane": ("crane_bird", "crane_machine"), "Schloß": ("lock", "castle")}


def gloss_seeds() -> list[bytes]:
    lines = [
        f"{word}\t{sense}\tA {word} is what {sense} says."
        for word, senses in SENSES.items()
        for sense in senses
    ]
    texts = [lines, [*lines, "crane\tlock\tx"], lines[1:], [*lines, lines[0]]]
    texts += [[*lines, "crane\tcrane_bird\tit wades"], [*lines, "crane\tcrane_bird\t "]]
    return ["\n".join(["word\tsense\tgloss", *entry]).encode() for entry in texts]


def run_glosses(data: bytes, folder: Path) -> None:
    (folder / "glosses.tsv").write_bytes(data)
    for word, lines in glosses.read_glosses(folder / "glosses.tsv", SENSES).items():
        made = glosses.gloss_table(word, SENSES[word], lines)
        assert set(made.gold) == {0, 1} and len(made) == len(lines)
        assert all(
            0 <= at < len(words) for words, at in zip(made.tokens, made.position, strict=True)
        )


PARSERS = {
    "corpora/glosses": ("read_glosses", "_table_lines", "gloss_table"),
}
TARGETS = [
    Target(
        "glosses",
        gloss_seeds,
        run_glosses,
        (b"\t", b"\n", b"crane", b"lock", b"crane_bird", b" "),
        1.5,
    ),
]
