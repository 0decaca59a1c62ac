"""Too few sentences for the folds are refused before anything is embedded."""

import pytest
from changed_config import check_shipped

from wsd.errors import ConfigError

FOLDS = {"folds": 25, "repeats": 1, "objective": "mean_macro_f1"}


def test_impossible_folds_are_an_error_before_embedding(minilm: str) -> None:
    hard = {"dataset": "quickstart-hard", "tuning": FOLDS}
    check_shipped("minilm.yaml", **hard)  # one word has enough for all
    with pytest.raises(ConfigError) as caught:
        check_shipped("minilm.yaml", **hard, words=["apple", "bank"])
    assert "for 25 folds (at most 24)" in caught.value.problem
    assert caught.value.where == "config key tuning.folds"
    # A single candidate needs no selection.
    single = {"layers": [1], "classifiers": [{"name": "nearest_centroid"}], "features": []}
    controls = {"baselines": False, "views": [], "random_weights": [], "task": False}
    controls["classifiers"] = ["nearest_centroid"]
    words = {"words": ["apple", "bank"], "controls": controls}
    assert check_shipped("minilm.yaml", **hard, **single, **words).words == ("apple", "bank")
