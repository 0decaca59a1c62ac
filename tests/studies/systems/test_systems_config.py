"""The config key `systems`."""

import pytest
from changed_config import MINILM, Change, Wrong, assert_refused, coarsewsd20, ids, shipped, top

from wsd.errors import ConfigError
from wsd.run.config import check
from wsd.studies.systems.published import SYSTEMS

WRONG: list[Wrong] = [
    (
        top(systems=[{"name": "x", "file": "{a,b}.jsonl"}]),
        "systems[0].file",
        "'{a,b}.jsonl' has braces",
        "a link to it",
    ),
    (top(systems=["x"]), "systems[0]", "'x'", "Another system: its name"),
    (top(systems=[{"name": "x"}]), "systems[0]", "'file'", "add the key"),
    (
        top(systems=[{"name": "x", "file": "x" * 300}]),
        "systems[0].file",
        "there is no file",
        "a file of JSON lines",
    ),
    (
        top(systems=[{"name": "x", "file": "nowhere"}]),
        "systems[0].file",
        "'nowhere'",
        "a file of JSON lines",
    ),
    (
        top(systems=[{"name": MINILM.upper(), "file": __file__}]),
        "systems[0].name",
        MINILM.upper(),
        "a name that no model",
    ),
    (
        top(systems=[{"name": "x", "file": __file__}, {"name": "X", "file": __file__}]),
        "systems[1].name",
        "'X'",
        "a name that no model",
    ),
    (
        coarsewsd20(systems=[{"name": "fasttext-base-100d", "file": __file__}]),
        "systems[0].name",
        "'fasttext-base-100d'",
        "a name that no model",
    ),
]


@pytest.mark.parametrize(("change", "key", "value", "fix"), WRONG, ids=ids(WRONG))
def test_a_wrong_system_is_refused(change: Change, key: str, value: str, fix: str) -> None:
    assert_refused(change, key, value, fix)


def test_a_model_called_like_a_published_system_is_refused() -> None:
    """In the tables it would be that system."""
    config = shipped()
    config["models"][0]["name"] = next(iter(SYSTEMS))
    with pytest.raises(ConfigError, match="is taken") as caught:
        check(config)
    assert caught.value.where == "config key models[0].name"
