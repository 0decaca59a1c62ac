"""Substitutes on the report's word pages: per sense in the legend, per instance in its card."""

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from wsd.arguments import add_optional_files
from wsd.artifacts.corpus_table import Corpora, Corpus
from wsd.artifacts.encoder_input import MASKED
from wsd.artifacts.run_json import word_files_at
from wsd.artifacts.substitute_table import SEEN, Substitutes, read_substitutes, shown
from wsd.report.pages.load_report import read_tables
from wsd.report.pages.render import encode, render_fragment
from wsd.report.pages.report_data import Extension, Report

TABLE = "substitutes"
COLUMNS = ("model", "word", "sense", "input", "rank", "piece", "z")
# The most substitutes in the legend of a sense.
MOST = 6
# The least z-score of a substitute that distinguishes a sense.
SIGNIFICANT = 1.96


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the study's options."""
    text = "substitutes of `wsd substitutes`, one per model: a folder, or a listing"
    add_optional_files(parser, "--substitutes", text, metavar="PATH")
    add_optional_files(parser, "--sense-substitutes", "tables of `wsd sense-substitutes`")


def load(args: argparse.Namespace, corpora: Corpora) -> Extension:
    """Read the files of the study."""
    if not args.sense_substitutes:
        return Extension()
    by_model: dict[str, Mapping[str, Substitutes]] = {}
    for path in args.substitutes:
        words, provenance = read_substitutes(word_files_at([path]), corpora)
        by_model[provenance["model"]["name"]] = words
    table = read_tables(args.sense_substitutes, COLUMNS)
    return WordPanel(table, by_model, corpora)


class WordPanel(Extension):
    """Substitutes of every sense and of every instance.

    Parameters
    ----------
    table : DataFrame
        The substitutes that distinguish each sense.
    by_model : mapping of model to mapping of word to Substitutes
        In the order of the corpora's rows.
    corpora : mapping of word to Corpus
    """

    name = "substitutes"
    word_scripts = ("substitutes/word-substitutes.js",)

    def __init__(
        self,
        table: pd.DataFrame,
        by_model: Mapping[str, Mapping[str, Substitutes]],
        corpora: Corpora,
    ) -> None:
        self.tables = {TABLE: table}
        self.by_model, self.corpora = by_model, corpora

    def sense_note(self, report: Report, model: str, word: str, sense: str) -> Markup | str:
        """Return the substitutes that distinguish a sense, the strongest first."""
        rows = report.rows(TABLE, model=model, word=word, sense=sense, input=MASKED)
        rows = rows[rows["z"] >= SIGNIFICANT].sort_values("rank", kind="stable")
        pieces = [shown(piece) for piece in rows["piece"]][:MOST]
        template = "substitutes/sense_note.html"
        return render_fragment(template, model=model, pieces=pieces) if pieces else ""

    def word_values(self, model: str, corpus: Corpus, order: np.ndarray) -> dict[str, Any] | None:
        """Return the substitutes of the instances on a page."""
        substitutes = self.by_model.get(model, {}).get(corpus.word)
        if substitutes is None:
            return None
        rows = {key: row for row, key in enumerate(_instances(self.corpora[corpus.word]))}
        instances = _instances(corpus)
        kept = [rows[instances[i]] for i in order]
        return packed_substitutes({seen: substitutes[seen].take(kept) for seen in SEEN})


def _instances(corpus: Corpus) -> list[tuple[str, int]]:
    return list(zip(corpus.split.tolist(), corpus.index.tolist(), strict=True))


def packed_substitutes(substitutes: Substitutes) -> dict[str, Any]:
    """Return substitutes as numbers of pieces, with probabilities in 250 steps."""
    numbers: dict[str, int] = {}
    packed: dict[str, Any] = {}
    for seen in SEEN:
        pieces, probabilities = substitutes[seen]
        codes = [numbers.setdefault(shown(piece), len(numbers)) for piece in pieces.flat]
        packed[seen] = {
            "most": pieces.shape[1],
            "pieces": encode(np.array(codes), "<u4"),
            "probabilities": encode(np.round(probabilities.astype(float) * 250).clip(0, 250), "u1"),
        }
    return {"names": list(numbers), **packed}
