"""The config key `clusters`."""

from pathlib import Path

import pytest
from changed_config import Wrong, assert_refused, check_changed, ids, top
from importing import import_corpus

WRONG: list[Wrong] = [
    (top(clusters=1), "clusters", "1", "or only the largest"),
    (top(clusters=51), "clusters", "51", "50"),
    (top(clusters={"most": 1}), "clusters.most", "1", "2"),
    (top(clusters={"centre": "sense"}), "clusters.centre", "'sense'", "form"),
    (top(clusters={"number": 3}), "clusters", "number", "centre, most"),
    (top(clusters="form"), "clusters", "'form'", "centre"),
]


@pytest.mark.parametrize("wrong", WRONG, ids=ids(WRONG))
def test_a_wrong_number_of_clusters_is_refused(wrong: Wrong) -> None:
    assert_refused(*wrong)


def test_both_spellings_of_the_number(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("a cell\nthe cell\nmy cell\n", encoding="utf-8")
    given = {"unlabelled": True, "word": "cell", "name": "mine"}
    import_corpus([tmp_path / "s.txt"], out=tmp_path / "mine", **given)
    own = top(dataset={"name": "mine", "path": str(tmp_path / "mine")}, words="all")
    for output, most, centre in ((2, 2, None), ({"most": 2}, 2, None),
                                 ({"centre": "form"}, None, "form")):  # fmt: skip
        config = check_changed(own, top(clusters=output))
        actual = config.sections["clusters"]
        assert (actual.most, actual.centre) == (most, centre) and not config.dataset.labelled
