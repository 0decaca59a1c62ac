"""Every layer choice beside the one that the folds choose, over all words and word by word.

Layer choices are compared within one model, view and classifier, so that nothing but the layers
differs. The reference is what the folds of the training set choose there, and the figure of every
comparison is the objective that they choose by. Models are compared at the same layer choice, so
that nothing but the model differs: each less the first. All tables hold fractions.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from wsd import statistics, tuning
from wsd.comparison import ComparisonRow, adjust, best_of, read_rows, word_rows
from wsd.corpus import Corpus
from wsd.errors import ConfigError, ResultError
from wsd.features import features
from wsd.figures import FIGURES
from wsd.files import expecting
from wsd.selection import ALL_WORDS, Candidate, choose_each
from wsd.sheets import write_csv
from wsd.tables import CANDIDATE
from wsd.tuning import Search
from wsd.views import STATIC

log = logging.getLogger("wsd")

WORD = "word"
GROUP = ("model", "view", "classifier")
# What all searches have in common, as an error calls it, by its name in their provenance.
COMMON = {
    **{"training set": "train", "task": "task", "folds": "folds"},
    **{"objective": "objective", "words with folds": "tuned"},
}
DIFFERENCE = ("difference", "difference_low", "difference_high", "p", "p_holm")
LAYER_COLUMNS = [
    *(*GROUP, "layers", "relative_depth", "objective_on_folds", "chosen_on_folds"),
    *("figure", "value", "low", "high", "reference", *DIFFERENCE, "not_told_from_best"),
]
WORD_COLUMNS = [
    *(*GROUP, "word", "layers", "n_test", "errors"),
    *("macro_f1", "macro_f1_low", "macro_f1_high", "accuracy", "accuracy_low", "accuracy_high"),
    *("macro_f1_on_folds", "chosen_on_folds", "chosen_by", "not_told_from_best"),
]
MODEL_COLUMNS = [
    *(*GROUP, "layers", "relative_depth", "figure", "value"),
    *("reference_model", "reference_value", *DIFFERENCE),
]


class Member(NamedTuple):
    """One layer choice: its predictions, what the folds say of it, and its encoder's blocks."""

    row: ComparisonRow
    candidate: Candidate
    blocks: int


@dataclass(frozen=True, eq=False)
class Group:
    """The layer choices of one model, view and classifier, in the order of the grammar.

    Attributes
    ----------
    blocks : int
        Number of the encoder's blocks.
    rows : list of ComparisonRow
        Their predictions.
    searches : list of Search
        What the folds say of each.
    objective : str
        What the folds choose by: the figure of all comparisons.
    on_folds : list of float
        The objective of each.
    chosen : str
        The layer choice for all words.
    chosen_of : mapping of word to str
        That of each word; for a word without folds the one for all words.
    """

    blocks: int
    rows: list[ComparisonRow]
    searches: list[Search]
    objective: str
    on_folds: list[float]
    chosen: str
    chosen_of: Mapping[str, str]

    @property
    def names(self) -> dict[str, str]:
        """The columns that all its rows share."""
        return {name: getattr(self.rows[0], name) for name in GROUP}

    def columns(self, row: ComparisonRow) -> dict[str, Any]:
        """What both tables over all words say of a row by itself.

        The relative depth is where between the embeddings (0) and the last block (1) a single
        layer stands. A combination stands nowhere, and a static view has no layers.
        """
        single = row.layers.isdecimal() and row.view not in STATIC
        return {
            **self.names,
            "layers": row.layers,
            "relative_depth": int(row.layers) / self.blocks if single else None,
            "figure": self.objective,
            "value": row.mean(self.objective),
        }


def read_groups(
    predictions: Sequence[Path], searches: Sequence[Path], corpora: Mapping[str, Corpus]
) -> list[Group]:
    """Read predictions and what the folds say of them, grouped by model, view and classifier.

    Parameters
    ----------
    predictions, searches : sequences of Path
        Written in pairs by :func:`wsd.predictions.classify`; in the same order.
    corpora : mapping of word to Corpus

    Raises
    ------
    ConfigError
        If there are not as many searches as predictions.
    ResultError
        If files do not belong together or to the corpora, or no word has folds.
    """
    if len(predictions) != len(searches):
        raise ConfigError(
            f"{len(predictions)} files of predictions, {len(searches)} of searches",
            where="--predictions, --searches",
            fix="give the search of each file of predictions, in the same order",
        )
    common: dict[str, Any] = {}
    found: dict[tuple[str, ...], dict[tuple[Any, ...], Member]] = {}
    rows = read_rows(predictions, CANDIDATE, corpora)
    for row, path, other in zip(rows, predictions, searches, strict=True):
        search, source = tuning.read(other)
        with expecting(other):
            settings = {name: source[key] for name, key in COMMON.items()}
            estimator, blocks = source["estimator"], source["encoder"]["model"]["blocks"]
        common = common or settings
        # One job writes both, with the same provenance but for what describes the rows.
        if any(source.get(key) != row.source[key] for key in row.source if key != "words"):
            raise _not_together(f"the search is not that of {path}", other)
        if settings != common:
            differing = " and ".join(key for key in settings if settings[key] != common[key])
            raise _not_together(f"not of the same {differing} as {searches[0]}", other)
        if {*search.figures, *search.untuned} != set(corpora):
            raise _not_together("the folds are not of the words that are asked for", other)
        group = found.setdefault((row.model, row.view, row.classifier), {})
        place = features(row.view, row.layers, blocks).order
        if place in group:
            raise _not_together("a second file of this model, view, layers and classifier", other)
        candidate = Candidate(row.view, row.layers, row.classifier, estimator, search)
        group[place] = Member(row, candidate, blocks)
    return [_group([of[p] for p in sorted(of)], common["objective"]) for of in found.values()]


def _not_together(wrong: str, where: Path) -> ResultError:
    return ResultError(
        wrong,
        where=str(where),
        fix="give predictions and searches of one run, in the same order; or delete and run again",
    )


def _group(members: Sequence[Member], objective: str) -> Group:
    rows = [member.row for member in members]
    of_folds = choose_each([member.candidate for member in members], objective)
    if of_folds is None:
        raise ResultError(
            f"nothing was selected for {rows[0].model!r}",
            fix="too few instances per sense for the folds: set tuning.folds lower",
        )
    on_folds = {r["layers"]: r["objective"] for r in of_folds["rows"] if r["scope"] == ALL_WORDS}
    chosen = of_folds["chosen"]
    return Group(
        blocks=members[-1].blocks,
        rows=rows,
        searches=[member.candidate.search for member in members],
        objective=objective,
        on_folds=[on_folds[row.layers] for row in rows],
        chosen=chosen["all"]["layers"],
        chosen_of={word: of_word["layers"] for word, of_word in chosen["words"].items()},
    )


def of_layers(group: Group, seed: int) -> list[dict[str, Any]]:
    """A table row per layer choice: the figure over all words, and how it compares.

    The reference is compared with every other choice on the same instances; these are the family
    of Holm's method. In its own row the comparison is empty.
    """
    figure = group.objective
    (reference,) = (row for row in group.rows if row.layers == group.chosen)
    told = best_of(group.rows, range(len(reference.words)), figure, seed).within
    table: list[dict[str, Any]] = []
    for row, on_folds, within in zip(group.rows, group.on_folds, told, strict=True):
        low, high = statistics.mean_intervals(row.confusions, rng=seed)[figure]
        table.append(
            {
                **group.columns(row),
                "objective_on_folds": on_folds,
                "chosen_on_folds": row is reference,
                "low": low,
                "high": high,
                "reference": reference.layers,
                **({} if row is reference else _difference(row, reference, figure, seed)),
                "not_told_from_best": bool(within),
            }
        )
    adjust([line for line in table if "p" in line])
    return table


def of_models(groups: Sequence[Group], seed: int) -> list[dict[str, Any]]:
    """A table row per layer choice of every model but the first: what it has over the first one.

    Of the same view and classifier, on the same instances, where both models have as many blocks:
    layer 3 of 6 and layer 3 of 12 are no pair. The layer choices of one model, view and classifier
    are the family of Holm's method.
    """
    first = groups[0].rows[0].model
    references = {
        (row.view, row.classifier, row.layers): row
        for group in groups
        for row in group.rows
        if row.model == first
    }
    table: list[dict[str, Any]] = []
    for group in groups:
        if group.rows[0].model == first or group.blocks != groups[0].blocks:
            continue
        pairs = [
            (row, references.get((row.view, row.classifier, row.layers))) for row in group.rows
        ]
        family = [
            {
                **group.columns(row),
                "reference_model": first,
                "reference_value": reference.mean(group.objective),
                **_difference(row, reference, group.objective, seed),
            }
            for row, reference in pairs
            if reference is not None
        ]
        adjust(family)
        table += family
    return table


def _difference(
    row: ComparisonRow, reference: ComparisonRow, figure: str, seed: int
) -> dict[str, float]:
    """A row less its reference: the columns of ``DIFFERENCE``, but for Holm's."""
    joints = row.joints(reference)
    low, high = statistics.difference_intervals(joints, rng=seed)[figure]
    difference, p = statistics.paired_permutations(joints, rng=seed)[figure]
    return {"difference": difference, "difference_low": low, "difference_high": high, "p": p}


def of_words(group: Group, seed: int) -> list[dict[str, Any]]:
    """A table row per word and layer choice: the word's figures, and what its folds say."""
    lines = {(line["word"], line["layers"]): line for line in word_rows(group.rows, seed)}
    table = []
    for i, word in enumerate(of.word for of in group.rows[0].words):
        told = best_of(group.rows, [i], group.objective, seed).within
        for row, search, within in zip(group.rows, group.searches, told, strict=True):
            table.append(
                {
                    **lines[word, row.layers],
                    "macro_f1_on_folds": _macro_f1_on_folds(search, group.objective, word),
                    "chosen_on_folds": row.layers == group.chosen_of[word],
                    "chosen_by": WORD if word in search.figures else ALL_WORDS,
                    "not_told_from_best": bool(within),
                }
            )
    return table


def _macro_f1_on_folds(search: Search, objective: str, word: str) -> float | None:
    """A word's macro-F1 on its held-out instances, at the point that is best for this word."""
    point = search.best(objective, [word])
    if point is None:
        return None
    of_repeats = search.figures[word][:, search.grid.index(point), FIGURES.index("macro_f1")]
    return float(of_repeats.mean())


def layerwise(
    corpora: Mapping[str, Corpus],
    *,
    predictions: Sequence[Path],
    searches: Sequence[Path],
    seed: int,
    layers: Path,
    words: Path,
    models: Path,
) -> None:
    """Write the table of layer choices over all words, the one word by word, and that of models.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    predictions, searches : sequences of Path
        As in :func:`read_groups`.
    seed : int
    layers, words, models : Path
        The CSV tables. With one model the last has no rows.
    """
    over_all: list[dict[str, Any]] = []
    by_word: list[dict[str, Any]] = []
    groups = read_groups(predictions, searches, corpora)
    for group in groups:
        log.info("%s: %d layer choices", ", ".join(group.names.values()), len(group.rows))
        over_all += of_layers(group, seed)
        by_word += of_words(group, seed)
    for path, table, columns in (
        (layers, over_all, LAYER_COLUMNS),
        (words, by_word, WORD_COLUMNS),
        (models, of_models(groups, seed), MODEL_COLUMNS),
    ):
        write_csv(path, pd.DataFrame(table, columns=columns))
