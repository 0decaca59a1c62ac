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
from typing import Any

import numpy as np
import pandas as pd

from wsd import statistics, tuning
from wsd.comparison import CANDIDATE, Row, per_word, read_rows
from wsd.corpus import Corpus
from wsd.errors import ConfigError, ResultError
from wsd.features import features
from wsd.figures import FIGURES
from wsd.files import expecting, read_table
from wsd.selection import ALL_WORDS, Candidate, choose_each
from wsd.sheets import write_csv
from wsd.tuning import Search
from wsd.views import STATIC

log = logging.getLogger("wsd")

WORD = "word"
GROUP = ("model", "view", "classifier")
LAYER_COLUMNS = [
    *GROUP,
    "layers",
    "relative_depth",
    "objective_on_folds",
    "chosen_on_folds",
    "figure",
    "value",
    "low",
    "high",
    "reference",
    "difference",
    "difference_low",
    "difference_high",
    "p",
    "p_holm",
    "not_told_from_best",
]
WORD_COLUMNS = [
    *GROUP,
    "word",
    "layers",
    "n_test",
    "errors",
    "macro_f1",
    "macro_f1_low",
    "macro_f1_high",
    "accuracy",
    "accuracy_low",
    "accuracy_high",
    "macro_f1_on_folds",
    "chosen_on_folds",
    "chosen_by",
    "not_told_from_best",
]
MODEL_COLUMNS = [
    *GROUP,
    "layers",
    "relative_depth",
    "figure",
    "value",
    "reference_model",
    "reference_value",
    "difference",
    "difference_low",
    "difference_high",
    "p",
    "p_holm",
]


@dataclass(frozen=True, eq=False)
class Group:
    """The layer choices of one model, view and classifier, in the order of the grammar.

    Attributes
    ----------
    blocks : int
        Number of the encoder's blocks.
    rows : list of Row
        Their predictions.
    searches : list of Search
        What the folds say of each.
    objective : str
        What the folds choose by.
    on_folds : list of float
        The objective of each.
    chosen : str
        The layer choice for all words.
    chosen_of : mapping of word to str
        That of each word; for a word without folds the one for all words.
    """

    blocks: int
    rows: list[Row]
    searches: list[Search]
    objective: str
    on_folds: list[float]
    chosen: str
    chosen_of: Mapping[str, str]

    @property
    def names(self) -> dict[str, str]:
        """The columns that all its rows share."""
        return {name: getattr(self.rows[0], name) for name in GROUP}

    def depth(self, layers: str) -> float | None:
        """Where between the embeddings (0) and the last block (1) a single layer stands.

        A combination stands nowhere, and a static view has no layers.
        """
        if not layers.isdecimal() or self.rows[0].view in STATIC:
            return None
        return int(layers) / self.blocks


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
    found: dict[tuple[str, ...], dict[tuple[Any, ...], tuple[Row, Candidate]]] = {}
    blocks_of: dict[str, int] = {}
    for row, path, other in zip(
        read_rows(predictions, CANDIDATE, corpora), predictions, searches, strict=True
    ):
        search, source = tuning.read(other)
        with expecting(other):
            settings = {
                "training set": source["train"],
                "task": source["task"],
                "folds": source["folds"],
                "objective": source["objective"],
                "words with folds": source["tuned"],
            }
            estimator, blocks = source["estimator"], source["encoder"]["model"]["blocks"]
        common = common or settings
        # One job writes both, with the same provenance but for what describes the rows.
        of_predictions = {k: v for k, v in read_table(path)[1].items() if k != "words"}
        if any(source.get(key) != value for key, value in of_predictions.items()):
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
        group[place] = (row, candidate)
        blocks_of[row.model] = blocks
    return [
        _group([of[p] for p in sorted(of)], common["objective"], blocks_of[model])
        for (model, *_), of in found.items()
    ]


def _not_together(wrong: str, where: Path) -> ResultError:
    return ResultError(
        wrong,
        where=str(where),
        fix="give predictions and searches of one run, in the same order; or delete and run again",
    )


def _group(members: Sequence[tuple[Row, Candidate]], objective: str, blocks: int) -> Group:
    rows = [row for row, _ in members]
    of_folds = choose_each([candidate for _, candidate in members], objective)
    if of_folds is None:
        raise ResultError(
            f"nothing was selected for {rows[0].model!r}",
            fix="too few instances per sense for the folds: set tuning.folds lower",
        )
    on_folds = {r["layers"]: r["objective"] for r in of_folds["rows"] if r["scope"] == ALL_WORDS}
    chosen = of_folds["chosen"]
    return Group(
        blocks=blocks,
        rows=rows,
        searches=[candidate.search for _, candidate in members],
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
    reference = next(row for row in group.rows if row.layers == group.chosen)
    told = _not_told_from_best(group.rows, range(len(reference.words)), figure, seed)
    table: list[dict[str, Any]] = []
    for row, on_folds, within in zip(group.rows, group.on_folds, told, strict=True):
        low, high = statistics.mean_intervals(row.confusions, rng=seed)[figure]
        line: dict[str, Any] = {
            **group.names,
            "layers": row.layers,
            "relative_depth": group.depth(row.layers),
            "objective_on_folds": on_folds,
            "chosen_on_folds": row is reference,
            "figure": figure,
            "value": row.figure(figure),
            "low": low,
            "high": high,
            "reference": reference.layers,
            "not_told_from_best": bool(within),
        }
        if row is not reference:
            joints = row.joints(reference)
            low, high = statistics.difference_intervals(joints, rng=seed)[figure]
            test = statistics.paired_permutation(joints, figure, rng=seed)
            line |= {"difference": test.difference, "p": test.p}
            line |= {"difference_low": low, "difference_high": high}
        table.append(line)
    others = [line for line in table if "p" in line]
    adjusted = statistics.holm([line["p"] for line in others])
    for line, p in zip(others, adjusted, strict=True):
        line["p_holm"] = float(p)
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
        family: list[dict[str, Any]] = []
        for row in group.rows:
            reference = references.get((row.view, row.classifier, row.layers))
            if reference is None:
                continue
            joints = row.joints(reference)
            low, high = statistics.difference_intervals(joints, rng=seed)[group.objective]
            test = statistics.paired_permutation(joints, group.objective, rng=seed)
            family.append(
                {
                    **group.names,
                    "layers": row.layers,
                    "relative_depth": group.depth(row.layers),
                    "figure": group.objective,
                    "value": row.figure(group.objective),
                    "reference_model": first,
                    "reference_value": reference.figure(group.objective),
                    "difference": test.difference,
                    "difference_low": low,
                    "difference_high": high,
                    "p": test.p,
                }
            )
        adjusted = statistics.holm([line["p"] for line in family])
        table += [{**line, "p_holm": float(p)} for line, p in zip(family, adjusted, strict=True)]
    return table


def of_words(group: Group, seed: int) -> list[dict[str, Any]]:
    """A table row per word and layer choice: the word's figures, and what its folds say."""
    lines = {(line["word"], line["layers"]): line for line in per_word(group.rows, seed)}
    table = []
    for i, word in enumerate(of.word for of in group.rows[0].words):
        told = _not_told_from_best(group.rows, [i], group.objective, seed)
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


def _not_told_from_best(
    rows: Sequence[Row], words: Sequence[int], figure: str, seed: int
) -> np.ndarray:
    """Which rows cannot be told from the best on some of the words."""
    gold = [rows[0].words[i].gold for i in words]
    predicted = [np.stack([row.words[i].predicted for row in rows]) for i in words]
    return statistics.not_told_from_best(gold, predicted, (figure,), rng=seed)[figure].within


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
        frame = pd.DataFrame(table, columns=columns)
        write_csv(path, frame)
