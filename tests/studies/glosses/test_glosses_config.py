"""The config key `glosses`."""

from dataclasses import replace

import pytest
from changed_config import Change, Wrong, assert_refused, check_changed, ids, top

from wsd.artifacts.dataset import DATASETS
from wsd.errors import ConfigError

WRONG: list[Wrong] = [
    (top(glosses="nowhere.tsv"), "glosses", "'nowhere.tsv'", "word, sense and gloss, corpus or no"),
    (top(glosses="{a,b}.tsv"), "glosses", "'{a,b}.tsv' has braces", "a link to it"),
    (top(glosses="corpus", dataset="noad"), "glosses", "comes with no glosses", "a table with"),
    (top(glosses=True), "glosses", "True", "valid string"),
    (
        lambda c: c.update(glosses="corpus", views={"store": ["cls"], "classify": ["cls"]}),
        "views.store",
        "the view 'focal', which is not stored",
        "or say `glosses: none`",
    ),
    (
        lambda c: c.update(glosses="corpus", classifiers=[{"name": "Gloss", "estimator": "knn"}]),
        "classifiers[0].name",
        "'Gloss' is taken",
        "another name",
    ),
]


@pytest.mark.parametrize(("change", "key", "value", "fix"), WRONG, ids=ids(WRONG))
def test_a_wrong_source_of_glosses_is_refused(
    change: Change, key: str, value: str, fix: str
) -> None:
    assert_refused(change, key, value, fix)


def test_a_corpus_without_senses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    unlabelled = replace(DATASETS["quickstart"], labelled=False)
    monkeypatch.setitem(DATASETS, "quickstart", unlabelled)
    with pytest.raises(ConfigError, match="The quickstart corpus has no senses") as caught:
        check_changed(top(glosses="corpus"))
    assert caught.value.where == "config key glosses"
