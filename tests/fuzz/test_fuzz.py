"""Parsers on damaged input: earlier findings, a short run, and a longer run.

``make fuzz`` is the long one, with counts and coverage.
"""

import string
from pathlib import Path
from typing import Any

import planted
import pytest
import run
from checkout import REPOSITORY
from fuzz_target import check_error, outcome
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from targets import TARGETS

from wsd.artifacts import corpus_table, feature_set
from wsd.corpora import text_format
from wsd.errors import WsdError
from wsd.run import config, config_files
from wsd.storage.file_names import file_name

CASES = [(p.parent.name, p.name) for p in sorted(run.CASES.glob("*/*"))]


@pytest.mark.parametrize(("target", "case"), CASES)
def test_an_earlier_finding_stays_fixed(target: str, case: str, tmp_path: Path) -> None:
    with run.limited():
        outcome(TARGETS[target], (run.CASES / target / case).read_bytes(), tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_the_first_seed_is_valid(target: str, tmp_path: Path) -> None:
    assert outcome(TARGETS[target], TARGETS[target].seeds()[0], tmp_path) == "valid"


@pytest.mark.parametrize(("target", "count"), run.shares(list(TARGETS), 1000).items())
def test_a_short_run(target: str, count: int, tmp_path: Path) -> None:
    actual = run.fuzz(target, count, seed=2, cases=tmp_path)
    assert actual.total() == count and actual["valid"]


@pytest.mark.slow
@pytest.mark.parametrize(("target", "count"), run.shares(list(TARGETS), 12_000).items())
def test_a_longer_run(target: str, count: int, tmp_path: Path) -> None:
    actual = run.fuzz(target, count, seed=3, cases=tmp_path)
    assert actual["valid"] and actual["refused"]


@pytest.mark.slow
@pytest.mark.parametrize("name", planted.FAULTS)
def test_a_planted_fault_is_found(name: str) -> None:
    assert planted.is_found(planted.FAULTS[name])


@pytest.mark.slow
def test_a_fault_that_is_not_planted_is_not_found() -> None:
    fault = planted.FAULTS["a layer too many"]
    assert not planted.is_found(
        planted.Fault(fault.target, fault.module, fault.right, fault.right), count=500
    )


def test_a_hang_is_a_finding(tmp_path: Path) -> None:
    with pytest.raises(run.HangError), run.limited(0.05):
        while True:
            pass


# Inputs that are valid by construction


TOKENS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1)
SENTENCES = st.lists(TOKENS.filter(lambda t: t.split() == [t]), min_size=1, max_size=6)


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40
)
@given(data=st.data(), word=st.text(min_size=1, max_size=80))
def test_a_valid_corpus_is_read_correctly(data: Any, word: str, tmp_path: Path) -> None:
    senses = data.draw(st.lists(TOKENS, min_size=1, max_size=3, unique=True))
    (tmp_path / "classes_map.txt").write_text(
        "{" + ", ".join(f'"{i}": {plan_json(sense)}' for i, sense in enumerate(senses)) + "}",
        encoding="utf-8",
    )
    written = {}
    for split in ("train", "test"):
        sentences = data.draw(st.lists(SENTENCES, min_size=1, max_size=4))
        at = [data.draw(st.integers(0, len(tokens) - 1)) for tokens in sentences]
        gold = [data.draw(st.integers(0, len(senses) - 1)) for _ in sentences]
        lines = [f"{i}\t{' '.join(tokens)}" for i, tokens in zip(at, sentences, strict=True)]
        for kind, entry in (("data", lines), ("gold", map(str, gold))):
            path = tmp_path / f"{split}.{kind}.txt"
            path.write_text("\n".join(entry), encoding="utf-8", newline="\n")
        written[split] = list(zip(at, map(tuple, sentences), gold, strict=True))
    try:
        actual = text_format.read_text(tmp_path, word)
    except WsdError as error:  # of a word that cannot be seen
        check_error(error)
        assert not word.strip() or not word.isprintable()
        return
    for split, of_split in written.items():
        rows = [i for i, s in enumerate(actual.split) if s == split]
        assert [(actual.position[i], actual.tokens[i], actual.gold[i]) for i in rows] == of_split
    path = tmp_path / f"{file_name(word)}.parquet"
    corpus_table.write(path, actual)
    assert corpus_table.read_corpora(tmp_path, [file_name(word)])[word].digest == actual.digest
    path.unlink()


def plan_json(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)


@settings(deadline=None)
@given(st.data(), st.integers(1, 30), st.sampled_from(feature_set.OPERATIONS))
def test_every_choice_of_the_grammar_is_its_layers(data: Any, blocks: int, operation: str) -> None:
    chosen = data.draw(st.sets(st.integers(0, blocks), min_size=1))
    shuffled = data.draw(st.permutations(sorted(chosen)))
    actual = feature_set.parse_layers("-".join([operation, *map(str, shuffled)]), blocks)
    assert actual.layers == tuple(sorted(chosen))
    k = data.draw(st.integers(1, blocks + 1))
    last = feature_set.parse_layers(f"{operation}-last-{k}", blocks)
    assert last.layers == tuple(range(blocks + 1 - k, blocks + 1))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(string.printable, max_size=9),
    lambda values: (
        st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=5), values, max_size=3)
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=60)
@given(data=st.data(), value=JSON)
def test_any_value_of_any_key_is_accepted_or_refused(data: Any, value: Any) -> None:
    files = [REPOSITORY / "config" / name for name in ("config.yaml", "quickstart.yaml")]
    merged = config_files.read_configs(files)
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


ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [ALIASES, "a: &a [*a]\n", "a: 2001-99-99\n", "1: 2\n", "? [a]\n: b\n", "a: !!python/name:os\n",
     "[" * 5000, "a: " + "[" * 40 + "]" * 40, "\x00", "a: \x1b", "- a\n", "a: b: c\n", "\ufeff"],
    ids=["bomb", "circle", "no date", "number", "list", "python", "nested", "deep", "nul", "escape",
         "no mapping", "no yaml", "mark"],
)  # fmt: skip
def test_yaml_that_is_no_config_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(WsdError) as error, run.limited():
        config.check(config_files.read_configs([tmp_path / "c.yaml"]))
    check_error(error.value)
