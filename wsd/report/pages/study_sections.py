"""The additions that a study can make to the report.

A study that extends the command ``report`` names a module with two functions:
``arguments(parser)`` adds its options, and ``load(args, corpora)`` returns an :class:`Extension`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from markupsafe import Markup

from wsd.artifacts.corpus_table import Corpus

if TYPE_CHECKING:
    from wsd.report.pages.report_data import Report


class Section(NamedTuple):
    """A section of the layers page: its anchor, its entry in the contents, its HTML."""

    anchor: str
    title: str
    html: Markup


class Link(NamedTuple):
    """An entry of the navigation: a page in the report's folder, and its name."""

    page: str
    name: str


class Extension:
    """The addition of one study; every method adds nothing by default.

    Attributes
    ----------
    name : str
        The name of the study.
    tables : mapping of name to DataFrame
        Tables that the report offers for download next to its own.
    word_scripts : sequence of str
        Scripts of the word pages, as paths below ``wsd/studies``. A script may define
        ``wsd.wordExtensions[name]``, which ``word-data.js`` calls with :meth:`word_values`.
    link : Link or None
        The study's own page.
    """

    name: str = ""
    tables: Mapping[str, pd.DataFrame] = {}
    word_scripts: Sequence[str] = ()
    link: Link | None = None

    def layer_sections(self, report: Report) -> Iterable[Section]:
        """Return sections for the layers page."""
        return ()

    def sense_note(self, report: Report, model: str, word: str, sense: str) -> str | Markup:
        """Return a note for a sense in the legend of a word page."""
        return ""

    def word_values(self, model: str, corpus: Corpus, order: np.ndarray) -> Any:
        """Return values for the script of a word page, as JSON; None if there are none.

        Parameters
        ----------
        model : str
        corpus : Corpus
            The instances on the page.
        order : int array of shape (len(corpus),)
            The corpus's rows in the order of the page.
        """
        return None

    def write_page(self, report: Report, folder: Path) -> None:
        """Write the page of :attr:`link` into the report's folder."""
