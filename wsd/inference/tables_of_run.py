"""The tables of a finished run, and what a notebook shows of it."""

from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import pandas as pd
from markupsafe import escape

from wsd.artifacts.find_runs import RUNS, run_label
from wsd.artifacts.run_json import TABLES, read_listing
from wsd.errors import WsdError
from wsd.fitted.selected_results import Configuration, Results
from wsd.inference.run_choices import models_of
from wsd.inference.run_frames import published_table
from wsd.storage.file_names import word_of


class RunTables:
    """The tables of a finished run.

    Parameters
    ----------
    results : Results
        Of the run's map.

    Attributes
    ----------
    folder : Path
        The folder of its tables.
    name : str
        Empty for the run without a name.
    config : dict
        Its config.
    command : str
        The command that repeats it.
    models : tuple of str
    """

    def __init__(self, results: Results) -> None:
        self._results, files = results, results.map
        self.folder, self.config, self.command = files.path.parent, files.config, files.command
        self.models = models_of(files)
        self.name = self.folder.name if self.folder.parent.name == RUNS else ""
        self._table = lru_cache(maxsize=None)(published_table)

    def table(self, name: str) -> pd.DataFrame:
        """Return a table of the run by name, such as ``word-layers`` or ``learning``."""
        return self._table(self._results, name).copy()

    @property
    def scores(self) -> pd.DataFrame:
        """``scores.csv``: the metrics of each word, for every configuration and test set."""
        return self.table("scores")

    @property
    def summary(self) -> pd.DataFrame:
        """``summary.csv``: the means of the metrics over words."""
        return self.table("summary")

    @property
    def comparison(self) -> pd.DataFrame:
        """``comparison.csv``: configurations, baselines and controls with 95% intervals."""
        return self.table("comparison")

    @property
    def differences(self) -> pd.DataFrame:
        """``comparison/differences.csv``: the selected configuration minus the other rows."""
        return self.table("differences")

    @property
    def layers(self) -> pd.DataFrame:
        """``comparison/layers.csv``: every layer choice minus the selected one."""
        return self.table("layers")

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the run."""
        files = self._results.map
        if files.has("scores.csv"):
            return tuple(dict.fromkeys(self._table(self._results, "scores")["word"]))
        # A corpus without senses has no scores.
        tables = read_listing(files.file(f"corpus/{TABLES}"))
        return tuple(word_of(name.partition(".")[0]) for name in tables)

    @property
    def selected(self) -> Configuration:
        """The configuration of the best model that cross-validation selects for all words."""
        return self._results.choose()

    def _facts(self) -> dict[str, str]:
        facts = {
            "words": lambda: ", ".join(self.words),
            "models": lambda: ", ".join(self.models),
            "selected": lambda: str(self.selected),
        }
        here = Path.cwd()
        inside = self.folder.is_relative_to(here)
        folder = self.folder.relative_to(here) if inside else self.folder
        shown = {"folder": str(folder), "run": run_label(self.name)}
        for name, fact in facts.items():
            with suppress(WsdError):  # a notebook shows a damaged run too
                shown[name] = fact()
        return shown

    def __repr__(self) -> str:
        lines = (f"  {name}: {value}" for name, value in self._facts().items())
        return "\n".join(["Run", *lines])

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><th>{name}</th><td style='text-align: left'>{escape(value)}</td></tr>"
            for name, value in self._facts().items()
        )
        return f"<table>{''.join(rows)}</table>"
