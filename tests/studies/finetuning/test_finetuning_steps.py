"""Fine-tuned encoders and the other steps: rows in tables and on pages."""

from pathlib import Path

from steps import rows


def test_every_seed_of_a_fine_tuned_encoder_is_a_row_and_none_is_a_candidate(
    every_step: Path,
) -> None:
    both = {"finetuned-1", "finetuned-2"}
    scored = [r for r in rows(every_step / "scores.csv") if r["layers"] == "finetuned"]
    assert {(r["view"], r["classifier"]) for r in scored} == {("focal", entry) for entry in both}
    compared = [r for r in rows(every_step / "comparison.csv") if r["classifier"] in both]
    assert {(r["kind"], r["model"]) for r in compared} == {("fine-tuned", "tiny")}
    assert both <= {r["classifier"] for r in rows(every_step / "comparison/differences.csv")}
    for table in ("selection.csv", "comparison/layers.csv", "comparison/best-set.csv"):
        assert not both & {r["classifier"] for r in rows(every_step / table)}, table
    assert "| fine-tuned | tiny | focal, fine-tuned | finetuned-1 |" in " ".join(
        (every_step / "comparison/comparison.md").read_text().split(" ")
    ).replace("  ", " ")
    assert "focal, fine-tuned" in (every_step / "report/index.html").read_text()
    assert "fine-tuned" not in (every_step / "report/layers.html").read_text()
