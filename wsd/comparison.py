"""Which configuration is how good, how sure that is, and what it is better than.

Everything is about the full training set and the test split. The reference of a model is the one
configuration that its folds selected for all words. It is compared, on the same instances, with
what was selected per word, what turned out best on the test set, the other models' references, the
baselines and controls, and the outputs that others published. All tables hold fractions.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd import statistics
from wsd.audit import read_test_split, scores_without_duplicates, without_duplicates
from wsd.corpus import Corpus
from wsd.duplicates import components
from wsd.errors import ResultError
from wsd.figures import MEANS, confusion, joint_confusion, mean_figures, word_figures
from wsd.files import expecting, read_json, write_text
from wsd.predictions import TEST, WordPredictions
from wsd.selection import ALL_WORDS
from wsd.sheets import read_csv, write_csv
from wsd.tables import (
    BASELINE,
    BEST,
    CANDIDATE,
    CONTROL_VIEW,
    NAMES,
    PUBLISHED,
    SELECTED,
    SELECTED_PER_WORD,
    SYSTEM,
    TWIN,
    latex,
    markdown,
)

RARE = 15  # a sense with fewer test instances gets a row of its own
CONTROL_TASK = "control"
# What `compare` is given: the kind of the rows, and what the files are predictions of.
FILES = {
    "candidates": (CANDIDATE, "every configuration that could be selected"),
    "per_word": (SELECTED_PER_WORD, "each word as its own folds choose"),
    "baselines": (BASELINE, "no encoder"),
    "views": (CONTROL_VIEW, "control views"),
    "twins": (TWIN, "encoders with random weights"),
    "control": (CONTROL_TASK, "the control task"),
    "published": (PUBLISHED, "of `wsd published`"),
    "systems": (SYSTEM, "of `wsd score`"),
}
# What is read of selection.csv and of scores.csv.
LISTED = ["train", "scope", *NAMES[1:], "objective"]
SCORED = ["train", "draw", "test", *NAMES[1:], "word", "n_train", "macro_f1"]

Line = dict[str, Any]


@dataclass(frozen=True, eq=False)
class ComparisonRow:
    """One system's predictions for the test split.

    Attributes
    ----------
    kind : str
    model, view, layers, classifier : str
    words : list of WordPredictions
    about : str
        Where a published system's outputs come from, and how it works.
    base : str
        The model that an encoder with random weights is a twin of.
    source : mapping
        The provenance of the predictions.
    """

    kind: str
    model: str
    view: str
    layers: str
    classifier: str
    words: Sequence[WordPredictions]
    about: str = ""
    base: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """The row's own columns."""
        return {name: getattr(self, name) for name in NAMES}

    @property
    def configuration(self) -> tuple[str, ...]:
        """What is told apart within a kind: model, view, layers and classifier."""
        return (self.model, self.view, self.layers, self.classifier)

    @property
    def confusions(self) -> list[np.ndarray]:
        """One confusion matrix per word."""
        return [confusion(w.gold, w.predicted, len(w.senses)) for w in self.words]

    def mean(self, name: str) -> float:
        """A mean over words."""
        return float(mean_figures(self.confusions)[name])

    def joints(self, other: "ComparisonRow") -> list[np.ndarray]:
        """Per word, the joint confusion of this system and another."""
        return [
            joint_confusion(a.gold, a.predicted, b.predicted, len(a.senses))
            for a, b in zip(self.words, other.words, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """Everything to compare, for one model: its rows, and those that belong to no model.

    Attributes
    ----------
    model : str
    reference : ComparisonRow
        What the folds selected for all words.
    candidates : list of ComparisonRow
    others : list of ComparisonRow
        Selected per word, best on test, other models' references, baselines, controls, published,
        systems.
    objective : mapping of (model, view, layers, classifier) to float
        What the folds say of each candidate, the other models' included.
    """

    model: str
    reference: ComparisonRow
    candidates: list[ComparisonRow]
    others: list[ComparisonRow]
    objective: Mapping[tuple[str, ...], float]


def read_rows(
    paths: Sequence[Path], kind: str, corpora: Mapping[str, Corpus]
) -> list[ComparisonRow]:
    """Read prediction files as rows of one kind, checked against the corpora.

    Raises
    ------
    ResultError
        If a file has other words or other instances than the corpora.
    """
    rows = []
    for path in paths:
        words, source = read_test_split(path, corpora, relabelled=kind == CONTROL_TASK)
        with expecting(path):
            published = source["encoder"].get("published")
            about = f"{published['source']}: {published['protocol']}" if published else ""
            model = source["encoder"]["model"]["name"]
            names = {key: source[key] for key in NAMES[2:]}
        rows.append(ComparisonRow(kind, model, **names, words=words, about=about, source=source))
    return rows


def assemble(
    *,
    candidates: Sequence[ComparisonRow],
    per_word: Sequence[ComparisonRow],
    others: Sequence[ComparisonRow],
    chosen: Mapping[str, Any],
    objective: str,
    table: pd.DataFrame,
) -> list[ModelComparison]:
    """Sort rows by model, find the models' references, and reduce the controls.

    Of a model's control views and of its twins the layer that is best *on the test set* stands
    for each classifier: the comparison favours the control.

    Parameters
    ----------
    candidates, per_word, others : sequences of ComparisonRow
    chosen : mapping
        The ``chosen`` of selection.json.
    objective : str
    table : DataFrame
        selection.csv.

    Raises
    ------
    ResultError
        If nothing was selected for a model, or what was is no candidate.
    """
    of_models: dict[str, list[ComparisonRow]] = {}
    for row in candidates:
        of_models.setdefault(row.model, []).append(row)
    references = {model: _reference(model, own, chosen) for model, own in of_models.items()}
    listed = table[(table["train"] == "full") & (table["scope"] == ALL_WORDS)]
    on_folds: dict[Any, float] = listed.set_index(list(NAMES[1:]))["objective"].to_dict()
    strongest = _strongest(others, objective)
    return [
        ModelComparison(
            model=model,
            reference=references[model],
            candidates=own,
            others=[
                *(replace(row, kind=SELECTED_PER_WORD) for row in per_word if row.model == model),
                replace(max(own, key=lambda row: row.mean(objective)), kind=BEST),
                *(row for other, row in references.items() if other != model),
                *(r for r in strongest if not _is_control(r) or model in (r.model, r.base)),
            ],
            objective=on_folds,
        )
        for model, own in of_models.items()
    ]


def _reference(
    model: str, candidates: Sequence[ComparisonRow], chosen: Mapping[str, Any]
) -> ComparisonRow:
    """The candidate of a model that its folds selected for all words."""
    if "full" not in chosen.get(model, {}):
        raise ResultError(
            f"nothing was selected for {model!r}",
            fix="too few instances per sense for the folds: set tuning.folds lower",
        )
    pick = chosen[model]["full"]["all"]
    selected = (model, *(pick[name] for name in NAMES[2:]))
    for row in candidates:
        if row.configuration == selected:
            return replace(row, kind=SELECTED)
    raise ResultError(
        f"what was selected is not among the candidates: {', '.join(selected)}",
        where="--selection, --candidates",
        fix="give the selection and the candidates of one run",
    )


def _is_control(row: ComparisonRow) -> bool:
    return row.kind in (CONTROL_VIEW, TWIN)


def _strongest(rows: Sequence[ComparisonRow], objective: str) -> list[ComparisonRow]:
    """The best layer of each control; of the rest every row."""
    groups: dict[tuple[str, ...], list[ComparisonRow]] = {}
    for row in rows:
        layers = "" if _is_control(row) else row.layers
        key = (row.kind, row.model, row.view, row.classifier, layers)
        groups.setdefault(key, []).append(row)
    return [max(group, key=lambda row: row.mean(objective)) for group in groups.values()]


def with_intervals(
    rows: Sequence[ComparisonRow],
    unlike: Mapping[str, np.ndarray],
    objective: Mapping[tuple[str, ...], float],
    seed: int,
) -> list[Line]:
    """A table row per system: the means over words with their 95% intervals, and checks.

    Beside the means stand those over the test instances that have nothing alike in training,
    which some words may have none of, and the mean recall of the rare senses.

    Parameters
    ----------
    rows : sequence of ComparisonRow
    unlike : mapping of word to bool array of shape (n_test,)
    objective : mapping of (model, view, layers, classifier) to float
    seed : int
    """
    table = []
    for row in rows:
        kept = scores_without_duplicates(row.words, unlike)
        unalike = replace(row, words=kept).confusions
        of_kept = mean_figures(unalike) if kept else dict.fromkeys(MEANS, np.nan)
        rare = [of["recall"] for of in rare_senses([row])]
        own = row.kind in (SELECTED, BEST, CANDIDATE)
        table.append(
            {
                **row.names,
                "n_words": len(row.words),
                "n_test": sum(len(w.gold) for w in row.words),
                "objective_on_folds": objective.get(row.configuration) if own else None,
                **_bounded(
                    mean_figures(row.confusions),
                    statistics.mean_intervals(row.confusions, rng=seed),
                ),
                **{f"{name}_without_duplicates": float(of_kept[name]) for name in MEANS},
                "n_words_without_duplicates": len(kept),
                "rare_sense_recall": float(np.mean(rare)) if rare else None,
                "about": row.about,
            }
        )
    return table


def word_rows(rows: Sequence[ComparisonRow], seed: int) -> list[Line]:
    """A table row per system and word: its figures with their 95% intervals."""
    return [
        {
            **row.names,
            "word": word.word,
            "n_test": len(word.gold),
            "errors": int((word.gold != word.predicted).sum()),
            **_bounded(word_figures(matrix), statistics.word_intervals(matrix, rng=seed)),
        }
        for row in rows
        for word, matrix in zip(row.words, row.confusions, strict=True)
    ]


def _bounded(
    figures: Mapping[str, np.ndarray], intervals: Mapping[str, statistics.Interval]
) -> Line:
    """Each figure beside the ends of its interval."""
    line: Line = {}
    for name, (low, high) in intervals.items():
        line |= {name: float(figures[name]), f"{name}_low": low, f"{name}_high": high}
    return line


def rare_senses(rows: Sequence[ComparisonRow]) -> list[Line]:
    """A table row per system and sense with fewer than ``RARE`` test instances."""
    from statsmodels.stats.proportion import proportion_confint

    table = []
    for row in rows:
        for word, matrix in zip(row.words, row.confusions, strict=True):
            for sense, right, n in zip(word.senses, np.diag(matrix), matrix.sum(1), strict=True):
                if not 0 < n < RARE:
                    continue
                low, high = proportion_confint(right, n, method="jeffreys")
                line = {**row.names, "word": word.word, "sense": sense, "n_test": n}
                table.append(
                    {**line, "right": right, "recall": right / n, "low": low, "high": high}
                )
    return table


def errors(systems: ModelComparison) -> list[Line]:
    """Test instances that the reference or a system from elsewhere gets wrong, beside one another.

    A table row per system, published or not, and instance: its line in the test file, gold, what
    was selected says and what the system says.
    """
    return [
        {
            "kind": row.kind,
            "model": row.model,
            "word": of.word,
            "index": int(of.index[i]),
            "gold": of.senses[of.gold[i]],
            "selected": of.senses[ours.predicted[i]],
            "predicted": of.senses[of.predicted[i]],
        }
        for row in systems.others
        if row.kind in (PUBLISHED, SYSTEM)
        for ours, of in zip(systems.reference.words, row.words, strict=True)
        for i in np.flatnonzero((ours.predicted != of.gold) | (of.predicted != of.gold)).tolist()
    ]


def differences(
    systems: ModelComparison, clusters: Mapping[str, np.ndarray], seed: int
) -> list[Line]:
    """The reference less every other system, on the same instances.

    Per mean: the difference, its 95% interval, the p-value of the paired permutation test on that
    very figure (two systems' predictions exchanged within words), and the same adjusted by Holm's
    method over all systems of this table for that figure. McNemar's test is on pooled instances
    and so stands with micro accuracy alone. The last columns draw clusters of near-duplicates in
    place of instances, as a check.

    Parameters
    ----------
    systems : ModelComparison
    clusters : mapping of word to int array of shape (n_test,)
    seed : int
    """
    reference = systems.reference
    table: list[Line] = []
    for other in systems.others:
        joints = reference.joints(other)
        intervals = statistics.difference_intervals(joints, rng=seed)
        tests = statistics.paired_permutations(joints, rng=seed)
        clustered = statistics.cluster_intervals(
            [w.gold for w in reference.words],
            [w.predicted for w in reference.words],
            [w.predicted for w in other.words],
            [clusters[w.word] for w in reference.words],
            rng=seed,
        )
        table += [
            {
                **{f"reference_{key}": value for key, value in reference.names.items()},
                **other.names,
                "figure": name,
                "difference": tests[name].difference,
                "low": intervals[name][0],
                "high": intervals[name][1],
                "p": tests[name].p,
                "p_holm": None,
                "p_mcnemar": statistics.mcnemar(joints) if name == "micro_accuracy" else None,
                **{f"{key}_by_clusters": x for key, x in clustered[name]._asdict().items()},
            }
            for name in MEANS
        ]
    for name in MEANS:
        adjust([line for line in table if line["figure"] == name])
    return table


def adjust(family: Sequence[Line]) -> None:
    """Put beside the p-value of each line of a family what Holm's method makes of it."""
    for line, p in zip(family, statistics.holm([of["p"] for of in family]), strict=True):
        line["p_holm"] = float(p)


def best_set(systems: ModelComparison, objective: str, seed: int) -> list[Line]:
    """Which candidates of a model cannot be told from the best by one figure."""
    rows = systems.candidates
    best = best_of(rows, range(len(rows[0].words)), objective, seed)
    return [
        {
            **row.names,
            "figure": objective,
            "estimate": float(best.estimate[i]),
            "p": float(best.p[i]),
            "not_told_from_best": bool(best.within[i]),
        }
        for i, row in enumerate(rows)
    ]


def best_of(
    rows: Sequence[ComparisonRow], words: Sequence[int], figure: str, seed: int
) -> statistics.Best:
    """Which rows cannot be told from the best on some of the words."""
    gold = [rows[0].words[i].gold for i in words]
    predicted = [np.stack([row.words[i].predicted for row in rows]) for i in words]
    return statistics.not_told_from_best(gold, predicted, figure, rng=seed)


def selectivity(task: Sequence[ComparisonRow], control: Sequence[ComparisonRow]) -> list[Line]:
    """Sense task and control task side by side, and the difference of their accuracies.

    Hewitt and Liang (2019): a probe that learns arbitrary labels as well as the senses says
    little about the vectors.
    """
    of_task = {row.configuration: row for row in task}
    table = []
    for row in control:
        if row.configuration not in of_task:
            continue
        line: Line = {name: row.names[name] for name in NAMES[1:]}
        for name in ("micro_accuracy", "mean_word_accuracy", "mean_macro_f1"):
            senses, control_task = of_task[row.configuration].mean(name), row.mean(name)
            line |= {name: senses, f"{name}_control": control_task}
            line[f"{name}_selectivity"] = senses - control_task
        table.append(line)
    return table


def learning(scores: pd.DataFrame, common: Sequence[str]) -> list[Line]:
    """Mean macro-F1 against the training set, over its draws where there are several.

    Parameters
    ----------
    scores : DataFrame
        scores.csv.
    common : sequence of str
        Words that every training set has: means over these can be compared.
    """
    rows = scores[scores["test"] == TEST]
    keys = ["model", "view", "layers", "classifier", "train"]
    lines = []
    for names, group in rows.groupby(keys, sort=False):
        draws = group.groupby("draw", sort=False)
        all_words = draws["macro_f1"].mean()
        shared = group[group["word"].isin(common)].groupby("draw", sort=False)["macro_f1"].mean()
        lines.append(
            {
                **dict(zip(keys, names, strict=True)),
                "draws": len(all_words),
                "n_words": group["word"].nunique(),
                "n_train": draws["n_train"].sum().mean(),
                "mean_macro_f1": all_words.mean(),
                "lowest_draw": all_words.min() if len(all_words) > 1 else None,
                "highest_draw": all_words.max() if len(all_words) > 1 else None,
                "n_words_in_common": len(common),
                "mean_macro_f1_in_common": shared.mean(),
            }
        )
    return lines


def compare(
    corpora: Mapping[str, Corpus],
    *,
    selection: Path,
    selection_table: Path,
    scores: Path,
    seed: int,
    table: Path,
    out: Path,
    **files: Sequence[Path],
) -> None:
    """Write ``comparison.csv`` and, in ``out``, everything that stands behind it.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    selection, selection_table, scores : Path
        selection.json, selection.csv and scores.csv.
    seed : int
    table, out : Path
        The CSV table, and a folder.
    **files : sequences of Path
        Of predictions, by the names of ``FILES``.
    """
    with expecting(selection):
        chosen = read_json(selection)
        objective, chosen = chosen["objective"], chosen["chosen"]
    rows = {name: read_rows(files[name], kind, corpora) for name, (kind, _) in FILES.items()}
    own = rows["candidates"]
    controls = [*rows["views"], *with_base(rows["twins"], [row.model for row in own])]
    elsewhere = [*rows["published"], *rows["systems"]]
    with expecting(selection_table):
        listed = read_csv(selection_table)[LISTED]
    found = assemble(
        candidates=own,
        per_word=rows["per_word"],
        others=[*rows["baselines"], *controls, *elsewhere],
        chosen=chosen,
        objective=objective,
        table=listed,
    )
    unlike = without_duplicates(corpora)
    clusters = {
        word: components([corpus.tokens[i] for i in np.flatnonzero(corpus.split == TEST)])
        for word, corpus in corpora.items()
    }
    # What a system learned from is not known here.
    score_table = _read_scores(scores, unknown={row.model for row in elsewhere})
    sets = score_table.groupby("train")["word"].agg(set)
    common = sorted(set.intersection(*sets)) if len(sets) else []
    figures: list[Line] = []
    behind: dict[str, list[Line]] = {
        **{name: [] for name in ("words", "rare-senses", "differences", "best-set", "errors")},
        "controls": with_intervals(controls, unlike, {}, seed),
        "selectivity": selectivity([*own, *controls], rows["control"]),
        "learning": learning(score_table, common),
    }
    for systems in found:
        shown = [systems.reference, *systems.others]
        # Baselines and published rows stand once beside each model's selected row.
        beside = {"reference_model": systems.model}
        of_model = with_intervals([*shown, *systems.candidates], unlike, systems.objective, seed)
        figures += [{**line, **beside} for line in of_model]
        behind["words"] += [{**line, **beside} for line in word_rows(shown, seed)]
        behind["rare-senses"] += [{**line, **beside} for line in rare_senses(shown)]
        behind["differences"] += differences(systems, clusters, seed)
        behind["best-set"] += best_set(systems, objective, seed)
        behind["errors"] += [{**beside, **line} for line in errors(systems)]
    write_csv(table, pd.DataFrame(figures))
    for name, lines in behind.items():
        write_csv(out / f"{name}.csv", pd.DataFrame(lines))
    write_text(out / "comparison.md", markdown(figures, behind["differences"], objective))
    write_text(out / "comparison.tex", latex(figures, behind["differences"], objective))


def _read_scores(path: Path, unknown: set[str]) -> pd.DataFrame:
    """The rows of scores.csv, but those of some models."""
    with expecting(path):
        scores = read_csv(path)[SCORED]
    scores["draw"] = scores["draw"].astype(object).fillna("")
    return scores[~scores["model"].isin(unknown)]


def with_base(twins: Sequence[ComparisonRow], models: Sequence[str]) -> list[ComparisonRow]:
    """Twins with the model that each is one of: its name without what follows."""

    def base(name: str) -> str:
        found = (m for m in models if re.fullmatch(rf"{re.escape(m)}-random-[0-9]+", name))
        return next(found, "")

    return [replace(row, base=base(row.model)) for row in twins]
