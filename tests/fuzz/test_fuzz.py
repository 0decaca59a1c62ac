"""Parsers on damaged input: earlier findings, and a short run; ``make fuzz`` is a long one."""

import string
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import run
from checkout import REPOSITORY
from fuzz_target import check_error, outcome
from hypothesis import given, settings
from hypothesis import strategies as st
from targets import TARGETS

from wsd.errors import WsdError
from wsd.run import config, config_files

CASES = [(p.parent.name, p.name) for p in sorted(run.CASES.glob("*/*"))]


@pytest.mark.parametrize(("target", "case"), CASES)
def test_an_earlier_finding_stays_fixed(target: str, case: str, tmp_path: Path) -> None:
    with run.limited():
        outcome(TARGETS[target], (run.CASES / target / case).read_bytes(), tmp_path)


@pytest.mark.parametrize(("target", "count"), run.shares(list(TARGETS), 1000).items())
def test_a_short_run(target: str, count: int, tmp_path: Path) -> None:
    actual = run.fuzz(target, count, seed=2, cases=tmp_path)
    assert actual.total() == count and actual["valid"]


SIMPLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text(string.printable)
JSON = SIMPLE | st.lists(SIMPLE) | st.dictionaries(st.text(max_size=5), SIMPLE | st.lists(SIMPLE))


CONFIGS = [REPOSITORY / "config" / name for name in ("config.yaml", "quickstart.yaml")]


@settings(deadline=None, max_examples=30)
@given(data=st.data(), value=JSON)
def test_any_value_of_any_key_is_accepted_or_refused(data: Any, value: Any) -> None:
    merged = config_files.read_configs(CONFIGS)
    key = data.draw(st.sampled_from(sorted(merged)))
    place: Any = merged
    while isinstance(place.get(key), dict) and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(st.sampled_from(sorted(place)))
    place[key] = value
    try:
        assert config.check(merged).models
    except WsdError as error:
        check_error(error)


ALIASES = "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in pairwise("abcdefghij"))
TEXTS = (
    f"a: &a [x]\n{ALIASES}",
    "a: &a [*a]\n",
    "a: 2001-99-99\n",
    "? [a]\n: b\n",
    "[" * 5000,
    "\x00",
)


@pytest.mark.parametrize("text", TEXTS, ids=range(6))
def test_yaml_that_is_no_config_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(WsdError) as error, run.limited():
        config.check(config_files.read_configs([tmp_path / "c.yaml"]))
    check_error(error.value)
