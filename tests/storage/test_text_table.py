"""Tables as text, and p-values."""

from wsd.storage.text_table import aligned, markdown, p_value


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    rows = [["word", "n", "note"], ["mint", "12", ""], ["a", "7", "rare"]]
    assert aligned(rows, right=[1]) == ["word   n  note", "mint  12", "a      7  rare"]


def test_markdown_has_a_rule_and_no_cell_ends_early() -> None:
    table = markdown(["a", "b"], [["x|y", "1"]], right=[1])
    assert table == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |"


def test_p_values_near_five_percent_have_four_decimals() -> None:
    texts = {0.0004: "< 0.001", 0.0449: "0.045", 0.045: "0.0450", 0.0497: "0.0497"}
    texts |= {0.0504: "0.0504", 0.0549: "0.0549", 0.055: "0.055", 1.0: "1.000"}
    assert {p: p_value(p) for p in texts} == texts
