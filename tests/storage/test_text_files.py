"""JSON objects with their places: an array, or one object per line."""

import json
from pathlib import Path
from random import Random

import pytest

from wsd.errors import CorpusError
from wsd.storage.text_files import json_objects

OBJECTS = [{"a": 1, "b": ["x, [y]", "\n"]}, {}, {"c": {"d": None}}]


@pytest.mark.parametrize("n", [0, 3, 6])
def test_objects_have_their_places(tmp_path: Path, n: int) -> None:
    objects = Random(n).choices(OBJECTS, k=n)
    path = tmp_path / "a.json"
    path.write_text("\n".join(["", *map(json.dumps, objects), ""]) or " ")
    assert list(json_objects(path, "")) == [(f"{path}:{i}", o) for i, o in enumerate(objects, 2)]
    path.write_text("\ufeff\n " + json.dumps(objects) + "\n", encoding="utf-8")
    assert list(json_objects(path, "")) == [(f"{path}[{i}]", o) for i, o in enumerate(objects)]
    text = "\ufeff\n " + json.dumps(objects, indent=1) + "\n"
    path.write_text(text, encoding="utf-8")
    starts = [i for i, line in enumerate(text.split("\n"), 1) if line.startswith(" {")]
    places = [f"{path}:{i}" for i in starts]
    assert list(json_objects(path, "")) == list(zip(places, objects, strict=True))


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ('[{"a": 1},\n\n 2]', ":3", "not a JSON object"),
        ('[{"a": 1, "a": 2}]', "", "a key twice"),
        ("[{}] x", "", "Extra data"),
        ("[" * 10**5, "", "not valid JSON"),
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
