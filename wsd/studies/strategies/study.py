"""Which strategy for word sense disambiguation is worth its labels and processor time?"""

from pathlib import PurePath

from wsd.studies.base import Files, Kind, Outputs, Paths, Study

# Baselines that are not strategies.
LEFT_OUT = ("position_length",)
# Kinds of rows that are strategies; other studies may add them.
ROWS = ("zero_shot", "finetuned")


class Strategies(Study):
    """Declare the study to the run and to the command line."""

    name = "strategies"
    commands = {"strategies": "Compare strategies: scores, labels, processor time."}
    extends = {"report": "strategies_page"}
    kinds = {"strategies": Kind("strategies", {"seed": "seed"})}

    def outputs(self, files: Files) -> Outputs:
        """Return the table of strategies."""
        read = [
            files.of_every_train(files.searches),
            self.baselines(files),
            files.judged["per_word"],
            [files.further_scores.get(row, []) for row in ROWS],
            files.selection,
        ]
        table = f"{files.store}/comparison/strategies@{files.keys.key('strategies', read)}.csv"
        files.study[self.name] = {"table": table}
        return Outputs(shown={"strategies": [table]})

    def baselines(self, files: Files) -> Paths:
        """Return the predictions of the baselines that are strategies."""
        from wsd.artifacts.run_json import bare

        paths = files.judged["baselines"]
        return [path for path in paths if bare(PurePath(path).stem) not in LEFT_OUT]


STUDY = Strategies()
