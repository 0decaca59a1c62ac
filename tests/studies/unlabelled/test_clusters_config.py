"""The config key `clusters`."""

from typing import Any

import pytest
from changed_config import Wrong, assert_refused, check_changed, ids, top

WRONG: list[Wrong] = [
    (top(clusters=51), "clusters", "51", "50"),
    (top(clusters={"most": 1}), "clusters.most", "1", "2"),
    (top(clusters={"centre": "sense"}), "clusters.centre", "'sense'", "form"),
]


@pytest.mark.parametrize("wrong", WRONG, ids=ids(WRONG))
def test_a_wrong_number_of_clusters_is_refused(wrong: Wrong) -> None:
    assert_refused(*wrong)


@pytest.mark.parametrize(
    ("given", "most", "centre"), [(2, 2, None), ({"centre": "form"}, None, "form")]
)
def test_both_spellings_of_the_number(given: Any, most: int | None, centre: str | None) -> None:
    actual = check_changed(top(clusters=given)).sections["clusters"]
    assert (actual.most, actual.centre) == (most, centre)
