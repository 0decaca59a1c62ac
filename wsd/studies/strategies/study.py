"""Which strategy for word sense disambiguation is worth its labels and processor time?"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from wsd.studies.base import Kind, Outputs, Study

if TYPE_CHECKING:
    from wsd.run.run_files import Files

# Baselines that are not strategies.
LEFT_OUT = ("position_length",)
# Kinds of rows that are strategies, if other studies add them.
ROWS = ("zero_shot", "finetuned")


class Strategies(Study):
    """Declare the study to the run and to the command line."""

    name = "strategies"
    commands = {
        "strategies": "Compare strategies: scores, labels, processor time.",
    }
    extends = {"report": "strategies_page"}
    kinds = {
        "strategies": Kind(
            "strategies",
            {"seed": "seed"},
            (
                *("models", "layers", "views.classify", "classifiers", "features", "trains"),
                *("controls.baselines", "controls.classifiers", "analyses"),
            ),
            ("selection", "per-word", "predictions", "baselines"),
        ),
    }

    def outputs(self, files: Files) -> Outputs:
        """Return the table of strategies."""
        if not self.applies(files.config):
            return Outputs()
        read = [
            files.of_every_train(files.searches),
            self.baselines(files),
            files.judged["per_word"],
            [files.further_scores.get(row, []) for row in ROWS],
            files.selection,
        ]
        key = files.keys.key("strategies", read)
        table = f"{files.store}/comparison/strategies@{key}.csv"
        files.study[self.name]["table"] = table
        return Outputs([table], shown={"strategies": [table]})

    def baselines(self, files: Files) -> list[str]:
        """Return the predictions of the baselines that are strategies."""
        from wsd.artifacts.run_map import bare

        paths = files.judged["baselines"]
        return [path for path in paths if bare(PurePath(path).stem) not in LEFT_OUT]


STUDY = Strategies()
