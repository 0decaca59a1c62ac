"""Cross-validation scores: the points of a search space, the best one, and the file."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from wsd.artifacts.cv_table import OBJECTIVES, Search, grid_points, read_search, write_search
from wsd.metrics.scores import WORD_SCORES

GRID = grid_points({"C": [0.1, 1, 10], "prior_shift": 0})


def search(name: str, **words: list[list[float]]) -> Search:
    """Return a search with a metric of each word by repeat and point; other metrics are worse."""
    scores = {}
    for word, values in words.items():
        scores[word] = np.zeros((2, 3, len(WORD_SCORES)))
        scores[word] += np.array([0, 0.1, 0.2])[None, :, None]  # other metrics like the last point
        scores[word][..., WORD_SCORES.index(OBJECTIVES[name])] = values
    return Search(GRID, scores, ("rare",))


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_best_point_has_the_highest_mean_over_words_and_repeats(name: str) -> None:
    # The last point is best in the last repeat, the first one for one of the words.
    of_words = {"a": [[0.5, 0.6, 0.0], [0.5, 0.4, 0.7]], "b": [[0.1, 0.9, 0.0], [0.1, 0.1, 0.9]]}
    actual = search(name, **of_words)
    assert actual.best(name) == GRID[1]
    assert actual.best(name, ["a"]) == GRID[0]
    assert actual.objective(name) == pytest.approx(np.array([[0.3, 0.75, 0.0], [0.3, 0.25, 0.8]]))
    assert actual.by_word(name, ["b", "a"]) == pytest.approx(
        np.array([[0.1, 0.5, 0.45], [0.5, 0.5, 0.35]])
    )
    assert actual.best(name, ["rare"]) is None and actual.objective(name, ["rare"]) is None


def test_the_first_of_equal_points_wins_whatever_the_last_bits() -> None:
    third = [[0.1, 0.2, 0.3], [0.3, 0.2 + 1e-16, 0.1 + 1e-16]]
    assert search("mean_macro_f1", a=third).best("mean_macro_f1") == GRID[0]


def test_a_search_is_read_back(tmp_path: Path) -> None:
    made = search("mean_macro_f1", b=[[1, 2, 3], [4, 5, 6]], a=[[7, 8, 9], [10, 11, 12]])
    write_search(tmp_path / "s.parquet", made, {"layers": "6"})
    again, provenance = read_search(tmp_path / "s.parquet")
    assert provenance["layers"] == "6" and again.untuned == ("rare",) and again.grid == GRID
    assert list(again.scores) == ["b", "a"]
    for word, scores in made.scores.items():
        assert_array_equal(again.scores[word], scores)
