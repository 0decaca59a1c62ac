"""The config key `clusters`."""

import pytest
from changed_config import Wrong, assert_refused, ids, top

WRONG: list[Wrong] = [
    (top(clusters=51), "clusters", "51", "50"),
    (top(clusters={"most": 1}), "clusters.most", "1", "2"),
    (top(clusters={"centre": "sense"}), "clusters.centre", "'sense'", "form"),
]


@pytest.mark.parametrize("wrong", WRONG, ids=ids(WRONG))
def test_a_wrong_number_of_clusters_is_refused(wrong: Wrong) -> None:
    assert_refused(*wrong)
