"""The workflow gives a step its arguments in a file if they are many."""

from pathlib import Path

import pytest

from wsd.cli import parser
from wsd.run.files import command_line


def test_a_step_reads_its_arguments_from_a_file(tmp_path: Path) -> None:
    paths = [f"store/{number}.parquet" for number in range(2000)]
    words = command_line({"predictions": paths, "dataset": "quickstart", "scores": "s.csv"})
    (tmp_path / "list.txt").write_text(
        "\n".join([*words, "--summary=t.csv", "--provenance=p.json"])
    )
    args = parser()[0].parse_args(["evaluate", f"@{tmp_path / 'list.txt'}"])
    assert [*map(str, args.predictions)] == paths
    assert (args.dataset, str(args.summary)) == ("quickstart", "t.csv")


def test_a_sentence_may_begin_with_an_at_sign() -> None:
    args = parser()[0].parse_args(["predict", "@crane flew"])
    assert "@crane flew" in str(vars(args))


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"seed": 0, "title": "@x {y}"}, ["--seed=0", "--title=@x {y}"]),
        ({"store_layers": None, "no-text": False, "title": "", "judge": []}, []),
        ({"no-text": True, "layers": ("0", "1"), "view": ["focal"]},
         ["--no-text", "--layers", "0", "1", "--view=focal"]),
    ],
)  # fmt: skip
def test_flags_as_words(flags: dict[str, object], words: list[str]) -> None:
    assert command_line(flags) == words
