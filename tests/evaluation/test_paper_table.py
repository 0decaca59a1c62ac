"""The tables for a paper: the right rows, and characters that would break them."""

from wsd.evaluation.latex_table import KEY, latex, markdown
from wsd.metrics.scores import MEAN_SCORES


def line(kind: str, **other: str) -> dict[str, object]:
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


ROWS = [line("selected"), line("candidate", layers="1+2"), line("published")]
AGAINST = [
    {
        **{k: ROWS[2][k] for k in KEY},
        "metric": metric,
        "difference": difference,
        "low": -0.01,
        "high": 0.05,
        "p_holm": 0.0004,
        "low_over_words": -0.02,
        "high_over_words": 0.06,
        "p_over_words_holm": 0.25,
    }
    for metric, difference in (("micro_accuracy", 0.09), ("mean_macro_f1", 0.02))
]


NO_TEST = (
    "low", "high", "p_holm", "low_over_words", "high_over_words", "p_over_words_holm",
)  # fmt: skip


def test_markdown() -> None:
    text = markdown(ROWS, AGAINST, "mean_macro_f1")
    header, rule, selected, published, *rest = text.splitlines()
    assert header.count("|") == rule.count("|") == selected.replace("\\|", "").count("|")
    assert "focal 5 + context mean-all" in selected
    assert "a&b\\|c" in selected
    assert published.endswith(
        " [50.00, 50.00] | +2.00 [-1.00, +5.00] | < 0.001 | [-2.00, +6.00] | 0.250 |"
    )
    assert "1+2" not in text
    assert rest[0] == ""


def test_the_same_predictions_are_marked() -> None:
    none = dict.fromkeys(NO_TEST)
    text = markdown(ROWS, [{**AGAINST[1], "difference": 0.0, **none}], "mean_macro_f1")
    assert "| the same predictions |  |" in text
    for name in ("micro accuracy", "word accuracy", "macro-F1", "balanced accuracy"):
        assert f"| {name} |" in text.splitlines()[0]


def test_p_values_near_five_percent_have_four_decimals() -> None:
    for p, text in ((0.0004, "< 0.001"), (0.0496, "0.0496"), (0.0504, "0.0504"), (0.2, "0.200")):
        table = markdown(ROWS, [{**AGAINST[1], "p_holm": p}], "mean_macro_f1")
        assert f"| {text} |" in table


def test_the_best_row_on_test_has_no_interval_and_no_test() -> None:
    ends = [name for name in ROWS[0] if name.endswith(("_low", "_high", "_over_words"))]
    best = {**line("best on test"), **dict.fromkeys(ends)}
    against = {**AGAINST[1], "kind": "best on test", **dict.fromkeys(NO_TEST)}
    text = markdown([ROWS[0], best], [against], "mean_macro_f1")
    assert text.splitlines()[3].endswith("| 50.00 | 50.00 | 50.00 | 50.00 |  | +2.00 |  |  |  |")


def test_the_caption_says_what_varies() -> None:
    text = markdown(ROWS, AGAINST, "mean_macro_f1")
    assert "these words and this trained classifier: test sentences vary" in text
    assert "words vary too: the t-interval of macro-F1" in text


def test_latex_escapes() -> None:
    text = latex(ROWS, AGAINST, "mean_macro_f1")
    assert r"m\_1" in text
    assert r"a\&b|c" in text
    assert r"\textless{} 0.001" in text
    columns = text.split(r"\begin{tabular}{")[1].split("}")[0]
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
    for row in body.strip().splitlines():
        assert row.replace(r"\&", "").count("&") == len(columns) - 1


def test_a_published_row_stands_with_each_model_s_difference() -> None:
    rows = [line("published"), line("published", reference_model="m_2")]
    against = [
        {**AGAINST[1], "reference_model": model, "difference": difference}
        for model, difference in (("m_1", 0.1), ("m_2", -0.2))
    ]
    text = markdown(rows, against, "mean_macro_f1")
    first, second = [text_line for text_line in text.splitlines() if "published" in text_line][:2]
    assert "+10.00 [" in first
    assert "-20.00 [" in second
    # The table says what each row is compared with, and in what unit.
    assert "minus this row in macro-F1, in percentage points." in text
    assert "its first row is the selected configuration" in text
    assert "part for each model" not in markdown(ROWS, AGAINST, "mean_macro_f1")
