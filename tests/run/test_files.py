"""The arguments of steps, and the division of words into jobs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wsd.cli import parser
from wsd.run.files import SENTENCES, command_line, in_parts


def test_a_step_reads_its_arguments_from_a_file(tmp_path: Path) -> None:
    """The workflow gives a step its arguments in a file if they are many."""
    paths = [f"store/{number}.parquet" for number in range(2000)]
    words = command_line({"predictions": paths, "dataset": "quickstart", "scores": "s.csv"})
    file = tmp_path / "list.txt"
    file.write_text("\n".join([*words, "--summary=t.csv", "--provenance=p.json"]))
    args = parser()[0].parse_args(["evaluate", f"@{file}"])
    assert [*map(str, args.predictions)] == paths
    assert (args.dataset, str(args.summary)) == ("quickstart", "t.csv")
    sentence = parser()[0].parse_args(["predict", "@crane flew"])
    assert "@crane flew" in str(vars(sentence))


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


@given(st.lists(st.integers(1, 3 * SENTENCES), min_size=1, max_size=50))
def test_every_word_is_in_one_part_in_its_order(sizes: list[int]) -> None:
    sentences = {f"w{i}": n for i, n in enumerate(sizes)}
    parts = in_parts(list(sentences), sentences)
    assert [word for part in parts for word in part] == list(sentences)
    for part in parts:
        assert part and sum(sentences[word] for word in part[:-1]) < SENTENCES
    assert len(parts) <= 1 + sum(sizes) // SENTENCES
