"""The tables for a paper: the right rows, and characters that would break them."""

from wsd.artifacts.column_names import BEST
from wsd.evaluation.latex_table import KEY, latex, markdown
from wsd.metrics.scores import MEAN_SCORES

TESTED = ("low", "high", "p_holm", "low_over_words", "high_over_words", "p_over_words_holm")


def line(kind: str, **other: object) -> dict[str, object]:
    names = {
        "reference_model": "m_1",
        "model": "m_1",
        "view": "focal+context",
        "layers": "5+mean-all",
        "classifier": "a&b|c",
    }
    ends = ("", "_low", "_high", "_low_over_words", "_high_over_words")
    scores = {f"{name}{end}": 0.5 for name in MEAN_SCORES for end in ends}
    return {"kind": kind, **names, **scores, **other}


def difference(of: dict[str, object], value: float, metric: str = "mean_macro_f1") -> dict:
    numbers = dict(zip(TESTED, (-0.01, 0.05, 0.0004, -0.02, 0.06, 0.25), strict=True))
    return {**{k: of[k] for k in KEY}, "metric": metric, "difference": value, **numbers}


ROWS = [line("selected"), line("candidate", layers="1+2"), line("published")]
AGAINST = [difference(ROWS[2], 0.09, "micro_accuracy"), difference(ROWS[2], 0.02)]


def rows_of(text: str) -> list[str]:
    """Return the body of a table in Markdown."""
    return text.split("\n\n")[0].splitlines()[2:]


def test_markdown() -> None:
    text = markdown(ROWS, AGAINST, "mean_macro_f1")
    header, rule, *_ = text.splitlines()
    selected, published = rows_of(text)
    assert header.count("|") == rule.count("|") == selected.replace("\\|", "").count("|")
    assert "focal 5 + context mean-all" in selected
    assert "a&b\\|c" in selected
    assert published.endswith(
        " [50.00, 50.00] | +2.00 [-1.00, +5.00] | < 0.001 | [-2.00, +6.00] | 0.250 |"
    )


def test_the_same_predictions_and_the_best_on_test_have_no_test() -> None:
    none = dict.fromkeys(TESTED)
    same = {**AGAINST[1], "difference": 0.0, **none}
    assert "| the same predictions |  |" in markdown(ROWS, [same], "mean_macro_f1")
    ends = [name for name in ROWS[0] if name.endswith(("_low", "_high", "_over_words"))]
    best = {**line(BEST, layers="3+3"), **dict.fromkeys(ends)}
    text = markdown([ROWS[0], best], [{**difference(best, 0.02), **none}], "mean_macro_f1")
    assert rows_of(text)[1].endswith("| 50.00 | 50.00 | 50.00 | 50.00 |  | +2.00 |  |  |  |")


def test_latex_escapes() -> None:
    text = latex(ROWS, AGAINST, "mean_macro_f1")
    for shown in (r"m\_1", r"a\&b|c", r"\textless{} 0.001", r"95\% confidence"):
        assert shown in text
    columns = text.split(r"\begin{tabular}{")[1].split("}")[0]
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
    for row in body.strip().splitlines():
        assert row.replace(r"\&", "").count("&") == len(columns) - 1
