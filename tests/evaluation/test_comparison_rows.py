"""The rows of the comparison: what is compared with which model, and checks of the files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from two_words import FEW, GOLD, GOOD, MANY, SOME, Wrong, corpora, pair, words

from wsd.artifacts.column_names import (
    BASELINE,
    BEST,
    CANDIDATE,
    CONTROL_VIEW,
    FINE_TUNED,
    FINE_TUNED_LAYER,
    PUBLISHED,
    RANDOM_CONTROL,
    SELECTED,
    ZERO_SHOT,
)
from wsd.errors import ResultError
from wsd.evaluation.comparison_rows import (
    ComparisonRow,
    ModelComparison,
    assemble,
    count_rows,
    models_of,
    number_documents,
    read_rows,
)


def row(kind: str, layers: str, wrong: Wrong, model: str = "m", **other: str) -> ComparisonRow:
    names = {"view": "focal", "classifier": "lda", **other}
    return ComparisonRow(kind, model, names["view"], layers, names["classifier"], words(wrong))


def assembled(
    *rows: ComparisonRow, objective: str = "mean_macro_f1", **selected: str
) -> list[ModelComparison]:
    """Assemble rows, given the selected layer choice of each model; by default, 2 of m."""
    chosen, table = {}, []
    for model, layers in (selected or {"m": "2"}).items():
        names = {"view": "focal", "layers": layers, "classifier": "lda"}
        chosen[model] = {"full": {"all": names}}
        objectives = [("full", "all words", 0.9), ("full", "bat", 0.5), ("few", "all words", 0.2)]
        for train, scope, value in objectives:
            line = {"model": model, "train": train, "scope": scope, **names, "objective": value}
            table.append(line)
    return assemble(rows, chosen, objective, pd.DataFrame(table))


def shown(comparison: ModelComparison, kind: str) -> list[tuple[str, str, str]]:
    others = [row for row in comparison.others if row.kind == kind]
    return [(row.model, row.classifier, row.layers) for row in others]


def test_the_reference_is_the_selection_not_the_best() -> None:
    """Of the layers of a control, the best on the test set is shown."""
    (actual,) = assembled(
        row(CANDIDATE, "1", FEW),
        row(CANDIDATE, "2", SOME),
        row(CANDIDATE, "3", MANY),
        row(BASELINE, "-", MANY, model="no encoder"),
        *(row(CONTROL_VIEW, layers, wrong, view="context")
          for layers, wrong in (("0", MANY), ("1", SOME), ("2", MANY))),
        row(RANDOM_CONTROL, "1", FEW, model="other-random-1"),
        row(PUBLISHED, "sum-last-4", SOME, model="published"),
    )  # fmt: skip
    assert (actual.reference.kind, actual.reference.layers) == (SELECTED, "2")
    assert [candidate.layers for candidate in actual.candidates] == ["1", "2", "3"]
    expected = [(BEST, "1"), (BASELINE, "-"), (CONTROL_VIEW, "1"), (PUBLISHED, "sum-last-4")]
    assert [(other.kind, other.layers) for other in actual.others] == expected
    # Of all words and of the full training set.
    assert actual.objective == {("m", "focal", "2", "lda"): 0.9}


def test_the_best_is_the_best_in_the_objective() -> None:
    """A rare sense counts more for macro-F1: four errors of its four, or five of thirty."""
    rare, often = {"seal": [46, 47, 48, 49]}, {"seal": [0, 1, 2, 3, 4]}
    for objective, layers in (("mean_macro_f1", "2"), ("micro_accuracy", "1")):
        rows = row(CANDIDATE, "1", rare), row(CANDIDATE, "2", often)
        (actual,) = assembled(*rows, objective=objective)
        assert shown(actual, BEST) == [("m", "lda", layers)]


def test_zero_shot_is_shown_with_its_last_layer() -> None:
    of_glosses = [("1", FEW), ("10", MANY), ("9", FEW), ("mean-last-2", FEW)]
    (actual,) = assembled(
        row(CANDIDATE, "2", SOME),
        *(row(ZERO_SHOT, name, wrong, classifier="gloss") for name, wrong in of_glosses),
        row(ZERO_SHOT, "1", FEW, classifier="gloss-mean"),
    )
    assert shown(actual, ZERO_SHOT) == [("m", "gloss", "10"), ("m", "gloss-mean", "1")]


def test_fine_tuned_encoders_are_compared_with_their_own_model() -> None:
    """All seeds, and of single layers the best on the test set."""
    source = {"encoder": {"model": {"finetuned_from": "m"}}}
    layers = [
        replace(row(FINE_TUNED_LAYER, layer, wrong, model="any", classifier=name), source=source)
        for name in ("lda", "knn")
        for layer, wrong in (("0", MANY), ("1", FEW), ("2", SOME))
    ]
    seeds = [row(FINE_TUNED, "finetuned", FEW, classifier=f"finetuned-{n}") for n in (1, 2)]
    models = [row(CANDIDATE, "2", wrong, model=m) for m, wrong in (("m", SOME), ("n", MANY))]
    own, other = assembled(*models, *seeds, *layers, m="2", n="2")
    assert [name for _, name, _ in shown(own, FINE_TUNED)] == ["finetuned-1", "finetuned-2"]
    assert shown(own, FINE_TUNED_LAYER) == [("any", "lda", "1"), ("any", "knn", "1")]
    # Models are compared by their selections.
    assert [(row.kind, row.model) for row in other.others] == [(BEST, "n"), (SELECTED, "m")]
    assert [[r.model for r in x.candidates] for x in (own, other)] == [["m"], ["n"]]


def test_a_random_control_belongs_to_its_model_alone() -> None:
    """A model may have the name of another model's control, and its own controls."""
    names = ("a-random-1", "a-random-x-random-1", "a.b-random-2", "aXb-random-2")
    actual = [
        models_of(row(RANDOM_CONTROL, "1", FEW, model=name), ["a", "a-random-x", "a.b"])
        for name in names
    ]
    assert actual == [["a"], ["a-random-x"], ["a.b"], []]


def test_a_selection_that_does_not_fit_the_candidates() -> None:
    with pytest.raises(ResultError, match="m, focal, 9, lda") as caught:
        assembled(row(CANDIDATE, "1", FEW), m="9")
    assert "--selection" in str(caught.value.where)


# Files


def test_rows_count_the_documents_of_all_words_alike(tmp_path: Path) -> None:
    paths = [pair(tmp_path, "1", wrong, GOOD)[0] for wrong in (FEW, SOME)]
    one, other = read_rows(paths, CANDIDATE, corpora())
    assert all(counts.documents is None for counts in [*count_rows(one), *count_rows(one, other)])
    # Training rows have documents too. The last four test rows of bat have none.
    named = corpora()
    names = np.array(["t", "u", *["a"] * 12, *["b"] * 16, *[""] * 4])
    named["bat"] = replace(named["bat"], document=names)
    numbers = number_documents(named)
    assert numbers["bat"][:28].tolist() == [numbers["bat"][0]] * 12 + [numbers["bat"][12]] * 16
    # Every instance without a document is a document by itself, in words without any document too.
    assert len(np.unique(np.concatenate(list(numbers.values())))) == 2 + 4 + len(GOLD["seal"])
    named["seal"] = replace(named["seal"], document=np.array(["x"] * 3 + ["b"] * 25 + ["c"] * 25))
    one, other = read_rows(paths, CANDIDATE, named)
    for single, joint, sizes in zip(
        count_rows(one), count_rows(one, other), ([12, 16, 1, 1, 1, 1], [25, 25]), strict=True
    ):
        assert single.documents is not None and joint.documents is not None
        assert joint.documents.numbers.sum(axis=1).tolist() == sizes
        np.testing.assert_array_equal(single.documents.names, joint.documents.names)
        np.testing.assert_array_equal(single.documents.numbers.sum(axis=0), single.numbers)
    seal = count_rows(one)[1].documents
    assert seal is not None and seal.names[0] == number_documents(named)["bat"][12]
