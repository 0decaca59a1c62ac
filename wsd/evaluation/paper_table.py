"""The comparison as a table for a paper: Markdown and LaTeX, in percent."""

from collections.abc import Mapping, Sequence
from typing import Any

from wsd.artifacts.column_names import CANDIDATE, NAMES, SELECTED, feature_set
from wsd.storage import text_table

SHOWN = {
    "micro_accuracy": "micro accuracy",
    "mean_word_accuracy": "word accuracy",
    "mean_macro_f1": "macro-F1",
    "mean_balanced_accuracy": "balanced accuracy",
}
CHOSEN = "was chosen on folds of the training set before a test score was computed"
ONLY = "is the one candidate: no word has enough training sentences for folds"
NOTE = (
    "Percent on the test split, with 95% intervals. 'selected' {how}; 'best on test' is for "
    "reference only. Controls stand with their best layer on the test set, zero-shot rows with the "
    "last layer. Difference: selected less this row in {figure}, in points, its 95% interval, and "
    "the p-value of the paired permutation test, by Holm's method over the rows. "
    "{models}Published rows are computed from the outputs that their authors stored, not run "
    "again; rows called system from outputs that were given."
)
MODELS = (
    "The table has a part for each model: it begins with the selected row of the model, which all "
    "rows of the part are compared with. "
)
SAME = "the same predictions"
# A baseline stands once beside each model's selected row.
KEY = ("reference_model", *NAMES)
Lines = Sequence[Mapping[str, Any]]


def printed_rows(figures: Lines, differences: Lines, objective: str) -> list[list[str]]:
    """Header and cells of the table: every row but the candidates, which are too many to print."""
    found = {
        tuple(line[k] for k in KEY): line for line in differences if line["figure"] == objective
    }
    cells = [["", "model", "features", "classifier", *SHOWN.values(), "difference", "p"]]
    for line in figures:
        if line["kind"] == CANDIDATE:
            continue
        names = [line["kind"], line["model"], feature_set(line["view"], line["layers"])]
        means = [_interval(line[n], line[f"{n}_low"], line[f"{n}_high"]) for n in SHOWN]
        against = ["", ""]
        of = found.get(tuple(line[k] for k in KEY))
        if of and of["p_holm"] is None:
            against = [SAME, ""]
        elif of:
            difference = _interval(of["difference"], of["low"], of["high"], sign="+")
            against = [difference, "<0.001" if of["p_holm"] < 0.001 else f"{of['p_holm']:.3f}"]
        cells.append([*names, line["classifier"], *means, *against])
    return cells


def _interval(value: float, low: float, high: float, sign: str = "") -> str:
    return f"{100 * value:{sign}.2f} [{100 * low:{sign}.2f}, {100 * high:{sign}.2f}]"


def _note(figures: Lines, objective: str) -> str:
    """What stands below the table; one without folds has no figure of theirs."""
    on_folds = [row.get("objective_on_folds") for row in figures if row["kind"] == SELECTED]
    chosen = any(value is not None and value == value for value in on_folds)
    several = len({row["reference_model"] for row in figures}) > 1
    how, models = CHOSEN if chosen else ONLY, MODELS if several else ""
    return NOTE.format(how=how, figure=SHOWN[objective], models=models)


def markdown(figures: Lines, differences: Lines, objective: str) -> str:
    """The table in Markdown.

    Parameters
    ----------
    figures, differences : sequences of mappings
        Rows of comparison.csv and of differences.csv.
    objective : str
        The figure whose difference is shown.
    """
    header, *body = printed_rows(figures, differences, objective)
    table = text_table.markdown(header, body, right=range(4, len(header)))
    return f"{table}\n\n{_note(figures, objective)}\n"


SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        **{c: f"\\{c}" for c in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
)


def latex(figures: Lines, differences: Lines, objective: str) -> str:
    """The table in LaTeX, for the package booktabs. Parameters as :func:`markdown`."""
    header, *body = [
        " & ".join(cell.translate(SPECIAL) for cell in row) + r" \\"
        for row in printed_rows(figures, differences, objective)
    ]
    return "\n".join(
        [
            r"\begin{table*}",
            r"\centering\footnotesize",
            rf"\begin{{tabular}}{{llll{'r' * (len(SHOWN) + 2)}}}",
            r"\toprule",
            header,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{_note(figures, objective).translate(SPECIAL)}}}",
            r"\end{table*}",
            "",
        ]
    )
