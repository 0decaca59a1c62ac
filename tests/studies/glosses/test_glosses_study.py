"""The config key `glosses`; glosses and the other steps: rows in tables and on pages."""

from dataclasses import replace
from pathlib import Path

import pytest
from changed_config import Wrong, assert_refused, check_changed, ids, top
from steps import rows

from wsd.artifacts.dataset import DATASETS
from wsd.errors import ConfigError

CLS = {"store": ["cls"], "classify": ["cls"]}
TAKEN = [{"name": "Gloss", "estimator": "knn"}]
WRONG: list[Wrong] = [
    (top(glosses="nowhere.tsv"), "glosses", "'nowhere.tsv'", "word, sense and gloss, corpus or no"),
    (top(glosses="{a,b}.tsv"), "glosses", "'{a,b}.tsv' has braces", "a link to it"),
    (top(glosses="corpus", dataset="noad"), "glosses", "no glosses", "a table with"),
    (top(glosses="corpus", views=CLS), "views.store", "'focal'", "`glosses: none`"),
    (top(glosses="corpus", classifiers=TAKEN), "classifiers[0].name", "'Gloss'", "another name"),
]


@pytest.mark.parametrize("wrong", WRONG, ids=ids(WRONG))
def test_a_wrong_source_of_glosses_is_refused(wrong: Wrong) -> None:
    assert_refused(*wrong)


def test_a_corpus_without_senses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    unlabelled = replace(DATASETS["quickstart"], labelled=False)
    monkeypatch.setitem(DATASETS, "quickstart", unlabelled)
    with pytest.raises(ConfigError, match="no senses"):
        check_changed(top(glosses="corpus"))


@pytest.mark.slow
def test_zero_shot_rows_are_in_the_tables_and_on_the_page(every_step: Path) -> None:
    both = {"gloss", "gloss-mean"}
    compared = [r for r in rows(every_step / "comparison.csv") if r["kind"] == "zero-shot"]
    assert {(r["classifier"], r["layers"]) for r in compared} == {(name, "1") for name in both}
    assert both <= {r["classifier"] for r in rows(every_step / "comparison/differences.csv")}
    # They are not candidates for selection.
    assert not both & {r["classifier"] for r in rows(every_step / "selection.csv")}
    assert "none" in {r["train"] for r in rows(every_step / "summary.csv")}
    assert "zero-shot, gloss-mean" in (every_step / "report/layers.html").read_text()
