"""Write the comparison as a table for a paper: in Markdown and LaTeX, in percent."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from wsd.artifacts.column_names import BEST, CANDIDATE, NAMES, SELECTED, feature_set
from wsd.storage import text_table

SHOWN = {
    "micro_accuracy": "micro accuracy",
    "mean_word_accuracy": "word accuracy",
    "mean_macro_f1": "macro-F1",
    "mean_balanced_accuracy": "balanced accuracy",
}
SELECTED_BY_CV = "was selected by cross-validation on the training set, before any test score"
ONLY = "is the only candidate: no word has enough training sentences for cross-validation"
NOTE = (
    "Percent on the test split. Brackets are 95% confidence intervals for these words and this "
    "trained classifier: test {sampled} vary. In the columns 'over words', words vary too: the "
    "t-interval of {score}, and of its difference. 'selected' {how}; 'best on test' is for "
    "reference only, so it has no interval and no test. Controls are shown with their best layer "
    "on the test set, zero-shot rows with the last layer. Difference: selected minus this row in "
    "{score}, in percentage points. The p-values are from the paired permutation test and, over "
    "words, from the sign-flip test; both are adjusted by Holm's method over the rows. {models}"
    "Published rows are computed from the predictions that their authors stored; rows called "
    "system, from predictions that were provided."
)
MODELS = (
    "The table has a part for each model: its first row is the selected configuration of the "
    "model, with which all rows of the part are compared. "
)
SAME = "the same predictions"
# The columns that identify a row: each model has its own row of a baseline.
KEY = ("reference_model", *NAMES)
Lines = Sequence[Mapping[str, Any]]


def printed_rows(scores: Lines, differences: Lines, objective: str) -> list[list[str]]:
    """Return header and cells of the table, without candidates, which are too many to print."""
    by_name = {
        tuple(line[k] for k in KEY): line for line in differences if line["metric"] == objective
    }
    selected = {_configuration(line) for line in scores if line["kind"] == SELECTED}
    header = ["", "model", "features", "classifier", *SHOWN.values(), "over words"]
    cells = [[*header, "difference", "p", "difference over words", "p over words"]]
    for line in scores:
        if line["kind"] == CANDIDATE:
            continue
        names = [line["kind"], line["model"], feature_set(line["view"], line["layers"])]
        means = [_percent(line[n]) + _interval(line, f"{n}_") for n in SHOWN]
        compared = [_interval(line, f"{objective}_", "_over_words").strip(), "", "", "", ""]
        if test := by_name.get(tuple(line[k] for k in KEY)):
            is_tested = test["p_holm"] is not None
            is_same = test["difference"] == 0 and not is_tested
            # The best row on the test set has no test, even with other predictions.
            is_same &= line["kind"] != BEST or _configuration(line) in selected
            difference = _percent(test["difference"], "+") + _interval(test, sign="+")
            compared[1:] = [
                SAME if is_same else difference,
                _p(test["p_holm"]),
                _interval(test, end="_over_words", sign="+").strip(),
                _p(test["p_over_words_holm"]),
            ]
        cells.append([*names, line["classifier"], *means, *compared])
    return cells


def _configuration(line: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(line[name] for name in NAMES if name != "kind")


def _percent(value: float, sign: str = "") -> str:
    return f"{100 * value:{sign}.2f}"


def _interval(line: Mapping[str, Any], name: str = "", end: str = "", sign: str = "") -> str:
    low, high = (line[f"{name}{bound}{end}"] for bound in ("low", "high"))
    return "" if low is None else f" [{_percent(low, sign)}, {_percent(high, sign)}]"


def _p(value: float | None) -> str:
    return "" if value is None else text_table.p_value(value)


def _note(scores: Lines, objective: str, sampled: str) -> str:
    cv_scores = [row.get("objective_cv") for row in scores if row["kind"] == SELECTED]
    by_cv = any(value is not None and value == value for value in cv_scores)  # not NaN
    several = len({row["reference_model"] for row in scores}) > 1
    how, models = SELECTED_BY_CV if by_cv else ONLY, MODELS if several else ""
    return NOTE.format(how=how, score=SHOWN[objective], models=models, sampled=sampled)


def markdown(scores: Lines, differences: Lines, objective: str, sampled: str = "sentences") -> str:
    """Return the table in Markdown.

    Parameters
    ----------
    scores, differences : sequences of mappings
        Rows of comparison.csv and of differences.csv.
    objective : str
        The score whose differences are shown.
    sampled : str
        What varies in the intervals: ``"sentences"`` or ``"documents"``.
    """
    header, *body = printed_rows(scores, differences, objective)
    table = text_table.markdown(header, body, right=range(4, len(header)))
    return f"{table}\n\n{_note(scores, objective, sampled)}\n"


def latex(scores: Lines, differences: Lines, objective: str, sampled: str = "sentences") -> str:
    """Return the table in LaTeX, for the package booktabs. Parameters as :func:`markdown`."""
    header, *body = printed_rows(scores, differences, objective)
    table = pd.DataFrame(body, columns=header).style.hide(axis="index")
    table.format(lambda text: str(text).replace("<", r"\textless{}"), escape="latex")
    # A command of LaTeX without arguments, in the notation of Styler.
    table.set_table_styles([{"selector": "footnotesize", "props": ":;"}])
    return table.to_latex(
        environment="table*",
        position_float="centering",
        hrules=True,
        column_format="llll" + "r" * (len(header) - 4),
        caption=_note(scores, objective, sampled).replace("%", r"\%"),
    )
