"""Layer choices: every spelling, one name each, and exact combinations."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wsd.artifacts.feature_set import OPERATIONS, LayerChoice, expand_layers, parse_layers
from wsd.errors import ConfigError

DEFAULT = ["all", "mean-last-2", "mean-last-3", "mean-last-4", "concat-last-4", "mean-all"]


@pytest.mark.parametrize(
    ("choice", "name", "layers"),
    [
        (0, "0", (0,)),
        ("0", "0", (0,)),
        (6, "6", (6,)),
        ("-1", "6", (6,)),
        (-1, "6", (6,)),
        (-2, "5", (5,)),
        ("-7", "0", (0,)),
        ("mean-last-1", "6", (6,)),
        ("sum-last-1", "6", (6,)),
        ("concat-3", "3", (3,)),
        ("mix-last-1", "6", (6,)),
        ("mix-2-1", "mix-1-2", (1, 2)),
        ("mix-last-6", "mix-all", (1, 2, 3, 4, 5, 6)),
        ("mean-0", "0", (0,)),
        ("mean-last-2", "mean-last-2", (5, 6)),
        ("sum-last-4", "sum-last-4", (3, 4, 5, 6)),
        ("mean-last-5", "mean-last-5", (2, 3, 4, 5, 6)),
        ("mean-all", "mean-all", (1, 2, 3, 4, 5, 6)),
        ("mean-last-6", "mean-all", (1, 2, 3, 4, 5, 6)),
        ("sum-1-2-3-4-5-6", "sum-all", (1, 2, 3, 4, 5, 6)),
        ("mean-last-7", "mean-last-7", (0, 1, 2, 3, 4, 5, 6)),
        ("concat-6-5-4-3-2-1-0", "concat-last-7", (0, 1, 2, 3, 4, 5, 6)),
        ("mean-5-6", "mean-last-2", (5, 6)),
        ("mean-1-2", "mean-1-2", (1, 2)),
        ("mean-2-1", "mean-1-2", (1, 2)),
        ("concat-4-0-2", "concat-0-2-4", (0, 2, 4)),
    ],
)
def test_of_six_blocks(choice: str | int, name: str, layers: tuple[int, ...]) -> None:
    actual = parse_layers(choice, 6)
    assert (actual.name, actual.layers) == (name, layers)
    assert actual.is_single == (len(layers) == 1)
    operation = "mean" if len(layers) == 1 else name.partition("-")[0]
    assert actual.operation == operation


def test_one_block() -> None:
    assert [parse_layers(choice, 1).name for choice in ("mean-all", "sum-last-1", "-2")] == [
        "1",
        "1",
        "0",
    ]
    assert parse_layers("mean-0-1", 1).name == "mean-last-2"


def test_the_default_sweep() -> None:
    assert [choice.name for choice in expand_layers(DEFAULT, 6)] == [
        *("0", "1", "2", "3", "4", "5", "6"),
        *("mean-last-2", "mean-last-3", "concat-last-4", "mean-last-4", "mean-all"),
    ]
    assert len(expand_layers(DEFAULT, 12)) == 18


def test_the_strategies_of_bert_and_of_the_notebook_can_be_asked_for() -> None:
    """Table 7 of Devlin et al. (2019), and the mean of the last k = 1, 2, 3, 4."""
    top = (9, 10, 11, 12)
    strategies = {
        "0": ("mean", (0,)),
        "-2": ("mean", (11,)),
        "-1": ("mean", (12,)),
        "sum-last-4": ("sum", top),
        "concat-last-4": ("concat", top),
        "sum-all": ("sum", tuple(range(1, 13))),
        "mean-last-1": ("mean", top[3:]),
        "mean-last-2": ("mean", top[2:]),
        "mean-last-3": ("mean", top[1:]),
        "mean-last-4": ("mean", top),
    }
    actual = {choice: parse_layers(choice, 12) for choice in strategies}
    assert {c: (f.operation, f.layers) for c, f in actual.items()} == strategies


REFUSED = [
    *(
        17,
        7,
        "7",
        -8,
        "-8",
        "-0",
        "-00",
        "01",
        "mean-last-04",
        "mean-02-1",
        10**6,
        True,
        False,
        1.5,
        1.0,
        "1.0",
        None,
    ),
    *("", " ", "1 ", "+1", "1\n", "\uff11", "1-2", "last", "all", "last-4", "6-mean"),
    *("mean", "concat", "mean-", "mean--1", "mean-1-", "mean-1--2", "mean-all-", "mean-1,2"),
    *("mean-last-0", "mean-last-8", "mean-last-", "mean-last", "mean-last--1", "mean-last-2.0"),
    *("mean-1-1", "mean-1-01", "mean-1-9", "sum-7", "mean-last-99999", "mean-last-4\n"),
    *("median-all", "max-last-4", "Mean-all", "mean_all", "mean all", "meanall", "mean-../../x"),
]


@pytest.mark.parametrize("choice", REFUSED)
def test_errors_have_key_value_and_alternatives(choice: str | int) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_layers(choice, 6, where="config key layers[3]")
    error = caught.value
    assert error.problem.startswith(f"layer choice {str(choice)!r}: there is no such")
    assert error.where == "config key layers[3]"
    assert error.fix == (
        "with 6 blocks, use 0 to 6 (or -1 to -7 from the top), <op>-last-<k> with k from 1 to 7, "
        "<op>-all, or <op>-<i>-<j>-... , with op mean, sum, concat, mix"
    )


@pytest.mark.parametrize("choice", ["mean-all", "concat-last-2"])
def test_more_blocks_than_any_encoder_has_are_not_counted_one_by_one(choice: str) -> None:
    with pytest.raises(ConfigError, match="there is no such layer choice"):
        parse_layers(choice, 10**18)


def test_a_list_names_the_place_of_the_bad_choice() -> None:
    with pytest.raises(ConfigError) as caught:
        expand_layers(["all", "mean-last-2", "mean-last-9"], 6, where="config key layers")
    assert caught.value.where == "config key layers[2]"
    assert expand_layers([], 6) == []


def test_two_spellings_are_one_job_and_the_order_of_a_list_does_not_matter() -> None:
    spellings: list[str | int] = [
        "mean-all",
        "sum-6-1",
        -1,
        "6",
        "mean-last-1",
        6,
        "mean-last-6",
        "sum-1-6",
    ]
    names = [choice.name for choice in expand_layers(spellings, 6)]
    assert names == ["6", "sum-1-6", "mean-all"]
    assert [choice.name for choice in expand_layers(reversed(spellings), 6)] == names


# Combining

STATES = {
    0: np.array([[1, 2], [3, 4]], dtype=np.float32),
    1: np.array([[10, 20], [30, 40]], dtype=np.float32),
    2: np.array([[100, 200], [300, 401]], dtype=np.float32),
    3: np.full((2, 2), np.nan, dtype=np.float32),
}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("1", [[10, 20], [30, 40]]),
        ("mean-0-1-2", [[37, 74], [111, 148 + 1 / 3]]),
        ("mean-0-2", [[50.5, 101], [151.5, 202.5]]),
        ("sum-0-2", [[101, 202], [303, 405]]),
        ("concat-2-0", [[1, 2, 100, 200], [3, 4, 300, 401]]),
        # A mix is learned, so its classifier gets the layers concatenated.
        ("mix-2-0", [[1, 2, 100, 200], [3, 4, 300, 401]]),
        ("concat-1-2-0", [[1, 2, 10, 20, 100, 200], [3, 4, 30, 40, 300, 401]]),
    ],
)
def test_combinations_are_exact(choice: str, expected: list[list[float]]) -> None:
    combined = parse_layers(choice, 4).combine(STATES)
    assert combined.dtype == np.float32
    np.testing.assert_array_equal(combined, np.array(expected, dtype=np.float32))


def test_only_the_named_layers_are_needed() -> None:
    choice = LayerChoice("mean-0-2", "mean", (0, 2))
    assert choice.combine({0: STATES[0], 2: STATES[2]}).shape == (2, 2)
    with pytest.raises(KeyError):
        choice.combine({0: STATES[0]})


# Properties


@st.composite
def choices(draw: st.DrawFn, blocks: int) -> str | int:
    operation = draw(st.sampled_from(OPERATIONS))
    layers = st.lists(st.integers(0, blocks), min_size=1, max_size=6, unique=True)
    kind = draw(st.sampled_from(["number", "last", "all", "list"]))
    if kind == "number":
        return draw(st.integers(-blocks - 1, blocks))
    if kind == "last":
        return f"{operation}-last-{draw(st.integers(1, blocks + 1))}"
    if kind == "all":
        return f"{operation}-all"
    return "-".join([operation, *map(str, draw(layers))])


@st.composite
def two_choices(draw: st.DrawFn) -> tuple[str | int, str | int, int]:
    blocks = draw(st.integers(1, 24))
    return draw(choices(blocks)), draw(choices(blocks)), blocks


@given(two_choices())
def test_names_are_fixed_points_file_safe_and_one_per_choice(
    drawn: tuple[str | int, str | int, int],
) -> None:
    *both, blocks = drawn
    first, second = (parse_layers(choice, blocks) for choice in both)
    for actual in (first, second):
        assert parse_layers(actual.name, blocks) == actual
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", actual.name)
        assert list(actual.layers) == sorted(set(actual.layers))
        assert 0 <= actual.layers[0] <= actual.layers[-1] <= blocks
    same = first.layers == second.layers and (
        first.is_single or first.operation == second.operation
    )
    assert (first.name == second.name) == same
