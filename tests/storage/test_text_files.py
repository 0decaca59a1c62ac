"""JSON objects with their places: an array, or one object per line."""

import json
from pathlib import Path
from random import Random

import pytest

from wsd.errors import CorpusError
from wsd.storage.text_files import json_objects

OBJECTS = [{"a": 1, "b": ["x, [y]", "\n"]}, {}, {"c": {"d": None}}]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("n", [0, 3, 6])
def test_items_of_an_array_have_their_lines(tmp_path: Path, indent: int | None, n: int) -> None:
    path, objects = tmp_path / "a.json", Random(n).choices(OBJECTS, k=n)
    path.write_text("\ufeff\n " + json.dumps(objects, indent=indent) + "\n", encoding="utf-8")
    lined = tmp_path / "a.jsonl"
    lined.write_text("\n".join(["", *map(json.dumps, objects), ""]) or " ")
    expected = [(f"{lined}:{number}", value) for number, value in enumerate(objects, 2)]
    assert list(json_objects(lined, "fix")) == expected
    actual = list(json_objects(path, "fix"))
    assert [value for _, value in actual] == objects
    lines = path.read_text(encoding="utf-8").split("\n")
    if indent is None:
        assert [where for where, _ in actual] == [f"{path}[{i}]" for i in range(len(objects))]
    else:
        numbers = [int(where.removeprefix(f"{path}:")) for where, _ in actual]
        starts = [i for i, line in enumerate(lines, 1) if line.startswith(" {")]
        assert numbers == starts


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ('[{"a": 1},\n\n 2]', ":3", "not a JSON object"),
        ('[{"a": 1}\n{"b": 2}]', "", "line 2"),
        ('[{"a": 1, "a": 2}]', "", "a key twice"),
        ("[{}] x", "", "Extra data"),
        ("[" * 10**5, "", "not valid JSON"),
        ('{"a": 1}\n[]', ":2", "not a JSON object"),
    ],
)
def test_what_is_no_array_of_objects_is_refused(
    tmp_path: Path, text: str, where: str, says: str
) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(CorpusError, match=says) as caught:
        list(json_objects(path, "fix"))
    assert caught.value.where == f"{path}{where}"
