"""Which configuration is how good, how sure that is, and what it is better than.

Everything is about the full training set and the test split. The reference of a model is the one
configuration that its folds selected for all words. It is compared, on the same instances, with
what was selected per word, what turned out best on the test set, the other models' references, the
baselines and controls, and the outputs that others published. All tables hold fractions.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd import predictions, statistics
from wsd.audit import scores_without_duplicates, without_duplicates
from wsd.corpus import Corpus
from wsd.duplicates import components
from wsd.errors import ResultError
from wsd.figures import FIGURES, MEANS, confusion, joint_confusion, mean_figures, word_figures
from wsd.files import expecting, read_json, write_text
from wsd.predictions import TEST, WordPredictions
from wsd.selection import ALL_WORDS
from wsd.sheets import read_csv, write_csv

RARE = 15  # a sense with fewer test instances gets a row of its own
SELECTED, PER_WORD, BEST = "selected", "selected per word", "best on test, for reference only"
CANDIDATE, BASELINE, CONTROL, TWIN = "candidate", "baseline", "control view", "random weights"
PUBLISHED, SYSTEM = "published", "system"
NAMES = ("kind", "model", "view", "layers", "classifier")
# What is read of selection.csv and of scores.csv.
LISTED = ["train", "scope", *NAMES[1:], "objective"]
SCORED = ["train", "draw", "test", *NAMES[1:], "word", "n_train", "macro_f1"]


@dataclass(frozen=True, eq=False)
class Row:
    """One system's predictions for the test split.

    Attributes
    ----------
    kind : str
    model, view, layers, classifier : str
    words : list of WordPredictions
    about : str
        Where a published system's outputs come from, and how it works.
    """

    kind: str
    model: str
    view: str
    layers: str
    classifier: str
    words: list[WordPredictions]
    about: str = ""
    base: str = ""

    @property
    def names(self) -> dict[str, str]:
        """The row's own columns."""
        return {name: getattr(self, name) for name in NAMES}

    @property
    def confusions(self) -> list[np.ndarray]:
        """One confusion matrix per word."""
        return [confusion(w.gold, w.predicted, len(w.senses)) for w in self.words]

    def figure(self, name: str) -> float:
        """A mean over words."""
        return float(mean_figures(self.confusions)[name])

    def joints(self, other: "Row") -> list[np.ndarray]:
        """Per word, the joint confusion of this system and another."""
        return [
            joint_confusion(a.gold, a.predicted, b.predicted, len(a.senses))
            for a, b in zip(self.words, other.words, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Systems:
    """Everything to compare, for one model: its rows, and those that belong to no model.

    Attributes
    ----------
    model : str
    reference : Row
        What the folds selected for all words.
    candidates : list of Row
    others : list of Row
        Selected per word, best on test, other models' references, baselines, controls, published,
        systems.
    objective : mapping of (model, view, layers, classifier) to float
        What the folds say of each candidate, the other models' included.
    """

    model: str
    reference: Row
    candidates: list[Row]
    others: list[Row]
    objective: Mapping[tuple[str, ...], float] = field(default_factory=dict)


def read_rows(paths: Sequence[Path], kind: str, corpora: Mapping[str, Corpus]) -> list[Row]:
    """Read prediction files as rows of one kind, checked against the corpora.

    Raises
    ------
    ResultError
        If a file has other words or other instances than the corpora.
    """
    rows = []
    for path in paths:
        found, source = predictions.read(path)
        by_word = {of.word: of for of in found if of.split == TEST}
        with expecting(path):
            model = source["encoder"]["model"]
            published = source["encoder"].get("published", {})
            names = {key: source[key] for key in ("view", "layers", "classifier")}
            of_senses = source["task"] == "sense"
        words = []
        for word, corpus in corpora.items():
            of = by_word.get(word)
            test = corpus.split == TEST
            if (
                of is None
                or source["corpus"].get(word) != corpus.digest
                or not np.array_equal(of.index, corpus.index[test])
                or (of_senses and not np.array_equal(of.gold, corpus.gold[test]))
            ):
                raise ResultError(
                    f"the predictions are not of the test instances of {word!r}",
                    where=str(path),
                    fix="delete the file and run again",
                )
            words.append(of)
        about = f"{published['source']}: {published['protocol']}" if published else ""
        rows.append(Row(kind, model["name"], **names, words=words, about=about))
    return rows


def assemble(
    *,
    candidates: Sequence[Row],
    per_word: Sequence[Row],
    others: Sequence[Row],
    chosen: Mapping[str, Any],
    objective: str,
    table: pd.DataFrame,
) -> list[Systems]:
    """Sort rows by model, find the models' references, and reduce the controls.

    Of a model's control views and of its twins the layer that is best *on the test set* stands
    for each classifier: the comparison favours the control.

    Parameters
    ----------
    candidates, per_word, others : sequences of Row
    chosen : mapping
        The ``chosen`` of selection.json.
    objective : str
    table : DataFrame
        selection.csv.
    """
    of_models: dict[str, list[Row]] = {}
    for row in candidates:
        of_models.setdefault(row.model, []).append(row)
    references = {
        model: _as(_reference(model, own, chosen), SELECTED) for model, own in of_models.items()
    }
    listed = table[(table["train"] == "full") & (table["scope"] == ALL_WORDS)]
    on_folds = {
        tuple(row[name] for name in NAMES[1:]): row["objective"]
        for row in listed.to_dict("records")
    }
    found = []
    for model, own in of_models.items():
        best = max(own, key=lambda row: row.figure(objective))
        strongest: dict[tuple[str, ...], Row] = {}
        for row in others:
            if row.kind in (CONTROL, TWIN) and model not in (row.model, row.base):
                continue
            group: tuple[str, ...] = (row.kind, row.model, row.view, row.classifier)
            if row.kind not in (CONTROL, TWIN):
                group = (*group, row.layers)
            if group not in strongest or row.figure(objective) > strongest[group].figure(objective):
                strongest[group] = row
        found.append(
            Systems(
                model=model,
                reference=references[model],
                candidates=own,
                others=[
                    *(_as(row, PER_WORD) for row in per_word if row.model == model),
                    _as(best, BEST),
                    *(row for other, row in references.items() if other != model),
                    *strongest.values(),
                ],
                objective=on_folds,
            )
        )
    return found


def _reference(model: str, candidates: Sequence[Row], chosen: Mapping[str, Any]) -> Row:
    """The candidate of a model that its folds selected for all words."""
    if "full" not in chosen.get(model, {}):
        raise ResultError(
            f"nothing was selected for {model!r}",
            fix="too few instances per sense for the folds: set tuning.folds lower",
        )
    pick = chosen[model]["full"]["all"]
    key = tuple(pick[name] for name in NAMES[2:])
    return next(row for row in candidates if (row.view, row.layers, row.classifier) == key)


def _as(row: Row, kind: str) -> Row:
    return Row(kind, row.model, row.view, row.layers, row.classifier, row.words, row.about)


def with_intervals(
    rows: Sequence[Row],
    unlike: Mapping[str, np.ndarray],
    objective: Mapping[tuple[str, ...], float],
    seed: int,
) -> list[dict[str, Any]]:
    """A table row per system: the means over words with their 95% intervals, and checks.

    Beside the means stand those over the test instances that have nothing alike in training,
    which some words may have none of, and the mean recall of the rare senses.

    Parameters
    ----------
    rows : sequence of Row
    unlike : mapping of word to bool array of shape (n_test,)
    objective : mapping of (model, view, layers, classifier) to float
    seed : int
    """
    table = []
    for row in rows:
        matrices = row.confusions
        means = mean_figures(matrices)
        intervals = statistics.mean_intervals(matrices, rng=seed)
        kept = scores_without_duplicates(row.words, unlike)
        unalike = [confusion(w.gold, w.predicted, len(w.senses)) for w in kept]
        of_kept = mean_figures(unalike) if unalike else dict.fromkeys(MEANS, np.nan)
        line: dict[str, Any] = {**row.names, "n_words": len(row.words)}
        line["n_test"] = sum(len(w.gold) for w in row.words)
        key = (row.model, row.view, row.layers, row.classifier)
        own = row.kind in (SELECTED, BEST, CANDIDATE)
        line["objective_on_folds"] = objective.get(key) if own else None
        for name in MEANS:
            line[name] = float(means[name])
            line[f"{name}_low"], line[f"{name}_high"] = intervals[name]
        for name in MEANS:
            line[f"{name}_without_duplicates"] = float(of_kept[name])
        line["n_words_without_duplicates"] = len(kept)
        rare = [of["recall"] for of in rare_senses([row])]
        line["rare_sense_recall"] = float(np.mean(rare)) if rare else None
        table.append({**line, "about": row.about})
    return table


def per_word(rows: Sequence[Row], seed: int) -> list[dict[str, Any]]:
    """A table row per system and word: its figures with their 95% intervals."""
    table = []
    for row in rows:
        for word, matrix in zip(row.words, row.confusions, strict=True):
            figures = word_figures(matrix)
            intervals = statistics.word_intervals(matrix, rng=seed)
            line: dict[str, Any] = {**row.names, "word": word.word, "n_test": len(word.gold)}
            line["errors"] = int((word.gold != word.predicted).sum())
            for name in FIGURES:
                line[name] = float(figures[name])
                line[f"{name}_low"], line[f"{name}_high"] = intervals[name]
            table.append(line)
    return table


def rare_senses(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """A table row per system and sense with fewer than ``RARE`` test instances."""
    from statsmodels.stats.proportion import proportion_confint

    table = []
    for row in rows:
        for word in row.words:
            for code, sense in enumerate(word.senses):
                of_sense = word.predicted[word.gold == code]
                if not 0 < len(of_sense) < RARE:
                    continue
                right = int((of_sense == code).sum())
                low, high = proportion_confint(right, len(of_sense), method="jeffreys")
                line = {**row.names, "word": word.word, "sense": sense, "n_test": len(of_sense)}
                recall = right / len(of_sense)
                table.append({**line, "right": right, "recall": recall, "low": low, "high": high})
    return table


def errors(systems: Systems) -> list[dict[str, Any]]:
    """Test instances that the reference or a system from elsewhere gets wrong, beside one another.

    A table row per system, published or not, and instance: its line in the test file, gold, what
    was selected says and what the system says.
    """
    return [
        {
            **{key: value for key, value in row.names.items() if key in ("kind", "model")},
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
    systems: Systems, clusters: Mapping[str, np.ndarray], seed: int
) -> list[dict[str, Any]]:
    """The reference less every other system, on the same instances.

    Per mean: the difference, its 95% interval, the p-value of the paired permutation test on that
    very figure (two systems' predictions exchanged within words), and the same adjusted by Holm's
    method over all systems of this table for that figure. McNemar's test is on pooled instances
    and so stands with micro accuracy alone. The last columns draw clusters of near-duplicates in
    place of instances, as a check.

    Parameters
    ----------
    systems : Systems
    clusters : mapping of word to int array of shape (n_test,)
    seed : int
    """
    reference = systems.reference
    table: list[dict[str, Any]] = []
    for other in systems.others:
        joints = reference.joints(other)
        intervals = statistics.difference_intervals(joints, rng=seed)
        tests = statistics.paired_permutations(joints, rng=seed)
        clustered = statistics.cluster_intervals(
            [w.gold for w in reference.words],
            [w.predicted for w in reference.words],
            [clusters[w.word] for w in reference.words],
            minus=[w.predicted for w in other.words],
            rng=seed,
        )
        for name in MEANS:
            table.append(
                {
                    **{f"reference_{key}": value for key, value in reference.names.items()},
                    **other.names,
                    "figure": name,
                    "difference": tests[name].difference,
                    "low": intervals[name][0],
                    "high": intervals[name][1],
                    "p": tests[name].p,
                    "p_holm": None,
                    "p_mcnemar": (statistics.mcnemar(joints) if name == "micro_accuracy" else None),
                    "low_by_clusters": clustered[name].low,
                    "high_by_clusters": clustered[name].high,
                    "inflation_by_clusters": clustered[name].inflation,
                }
            )
    for name in MEANS:
        family = [line for line in table if line["figure"] == name]
        adjusted = statistics.holm([float(line["p"]) for line in family])
        for line, p in zip(family, adjusted, strict=True):
            line["p_holm"] = float(p)
    return table


def best_set(systems: Systems, objective: str, seed: int) -> list[dict[str, Any]]:
    """Which candidates of a model cannot be told from the best by one figure."""
    rows = systems.candidates
    gold = [word.gold for word in rows[0].words]
    stacked = [
        np.stack([row.words[i].predicted for row in rows]) for i in range(len(rows[0].words))
    ]
    found = statistics.not_told_from_best(gold, stacked, figures=(objective,), rng=seed)[objective]
    return [
        {
            **row.names,
            "figure": objective,
            "estimate": float(found.estimate[i]),
            "p": float(found.p[i]),
            "not_told_from_best": bool(found.within[i]),
        }
        for i, row in enumerate(rows)
    ]


def selectivity(task: Sequence[Row], control: Sequence[Row]) -> list[dict[str, Any]]:
    """Sense task and control task side by side, and the difference of their accuracies.

    Hewitt and Liang (2019): a probe that learns arbitrary labels as well as the senses says
    little about the vectors.
    """
    by_names = {(r.model, r.view, r.layers, r.classifier): r for r in task}
    table = []
    for row in control:
        of_task = by_names.get((row.model, row.view, row.layers, row.classifier))
        if of_task is None:
            continue
        line: dict[str, Any] = {name: row.names[name] for name in NAMES[1:]}
        for name in ("micro_accuracy", "mean_word_accuracy", "mean_macro_f1"):
            of_senses, of_control = of_task.figure(name), row.figure(name)
            line[name] = of_senses
            line[f"{name}_control"] = of_control
            line[f"{name}_selectivity"] = of_senses - of_control
        table.append(line)
    return table


def learning(scores: pd.DataFrame, common: Sequence[str]) -> list[dict[str, Any]]:
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
                "n_train": group.groupby("draw", sort=False)["n_train"].sum().mean(),
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
    candidates: Sequence[Path],
    per_word_files: Sequence[Path],
    baselines: Sequence[Path],
    views: Sequence[Path],
    twins: Sequence[Path],
    control: Sequence[Path],
    published: Sequence[Path],
    outputs: Sequence[Path],
    selection: Path,
    selection_table: Path,
    scores: Path,
    seed: int,
    table: Path,
    out: Path,
) -> None:
    """Write ``comparison.csv`` and, in ``out``, everything that stands behind it.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    candidates, per_word_files, baselines, views, twins, control, published, outputs
        Sequences of prediction files.
    selection, selection_table, scores : Path
        selection.json, selection.csv and scores.csv.
    seed : int
    table, out : Path
        The CSV table, and a folder.
    """
    from wsd.tables import latex, markdown

    with expecting(selection):
        chosen = read_json(selection)
        objective, chosen = chosen["objective"], chosen["chosen"]
    own = read_rows(candidates, CANDIDATE, corpora)
    others = [
        *read_rows(baselines, BASELINE, corpora),
        *read_rows(views, CONTROL, corpora),
        *_of_base(read_rows(twins, TWIN, corpora), [row.model for row in own]),
        *read_rows(published, PUBLISHED, corpora),
        *read_rows(outputs, SYSTEM, corpora),
    ]
    with expecting(selection_table):
        listed = read_csv(selection_table)[LISTED]
    found = assemble(
        candidates=own,
        per_word=read_rows(per_word_files, PER_WORD, corpora),
        others=others,
        chosen=chosen,
        objective=objective,
        table=listed,
    )
    unlike = without_duplicates(corpora)
    clusters = {
        word: components([corpus.tokens[i] for i in np.flatnonzero(corpus.split == TEST)])
        for word, corpus in corpora.items()
    }
    lines: list[dict[str, Any]] = []
    words: list[dict[str, Any]] = []
    rare: list[dict[str, Any]] = []
    against: list[dict[str, Any]] = []
    best: list[dict[str, Any]] = []
    wrong: list[dict[str, Any]] = []
    everything = [row for row in others if row.kind in (CONTROL, TWIN)]
    for systems in found:
        shown = [systems.reference, *systems.others]
        # Baselines and published rows stand once beside each model's selected row.
        beside = {"reference_model": systems.model}
        of_model = with_intervals([*shown, *systems.candidates], unlike, systems.objective, seed)
        lines += [{**line, **beside} for line in of_model]
        words += [{**line, **beside} for line in per_word(shown, seed)]
        rare += [{**line, **beside} for line in rare_senses(shown)]
        against += differences(systems, clusters, seed)
        wrong += [{**beside, **line} for line in errors(systems)]
        best += best_set(systems, objective, seed)
    _write(table, lines)
    _write(out / "words.csv", words)
    _write(out / "rare-senses.csv", rare)
    _write(out / "differences.csv", against)
    _write(out / "best-set.csv", best)
    _write(out / "errors.csv", wrong)
    _write(out / "controls.csv", with_intervals(everything, unlike, {}, seed))
    task = [*own, *everything]
    _write(out / "selectivity.csv", selectivity(task, read_rows(control, "control", corpora)))
    with expecting(scores):
        score_table = read_csv(scores)[SCORED]
    score_table["draw"] = score_table["draw"].astype(object).fillna("")
    # What a system learned from is not known here.
    unknown = {row.model for row in others if row.kind in (PUBLISHED, SYSTEM)}
    score_table = score_table[~score_table["model"].isin(unknown)]
    sets = score_table.groupby("train")["word"].agg(set)
    common = sorted(set.intersection(*sets)) if len(sets) else []
    _write(out / "learning.csv", learning(score_table, common))
    text = {"figures": lines, "differences": against, "objective": objective}
    write_text(out / "comparison.md", markdown(**text))
    write_text(out / "comparison.tex", latex(**text))


def _of_base(twins: Sequence[Row], models: Sequence[str]) -> list[Row]:
    """Twins with the model that each is one of: its name without what follows."""
    return [
        Row(
            *(row.kind, row.model, row.view, row.layers, row.classifier, row.words),
            base=next((m for m in models if _is_twin(row.model, m)), ""),
        )
        for row in twins
    ]


def _is_twin(name: str, model: str) -> bool:
    return re.fullmatch(rf"{re.escape(model)}-random-[0-9]+", name) is not None


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    write_csv(path, pd.DataFrame(list(rows)))
