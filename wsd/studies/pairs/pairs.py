"""Compare the two vectors of a word in a pair of sentences, by their cosine.

For pairs with labels, the cosine decides whether the word has the same sense in both sentences. For
each layer choice and transformation, a threshold is set on the training pairs. The layer choice and
transformation with the highest accuracy on the development pairs are selected (on the training
pairs, if there are none). This is the method of Pilehvar and Camacho-Collados (NAACL 2019), layer
by layer. For pairs with ratings, the cosine predicts the rating, and the highest Spearman
correlation is selected.

A corpus without splits is cross-validated over words: in each fold, the other folds set the
thresholds and select. Its reference in all tests is the *out-of-fold* selection: each pair is
scored with what the other folds select.
"""

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wsd.arguments import add_out_folder, add_path, add_seed, add_transforms, add_word_files
from wsd.artifacts.dataset import SENTENCES
from wsd.artifacts.feature_set import expand_layers
from wsd.artifacts.run_json import word_file
from wsd.artifacts.vectors import VECTORS, Embeddings
from wsd.errors import ConfigError, CorpusError
from wsd.logs import log
from wsd.metrics import confidence_set, graded
from wsd.metrics.confidence_intervals import percentiles, resampled
from wsd.metrics.confidence_set import Best
from wsd.metrics.graded import FEWEST_WORDS, accuracy, auc, best_threshold, clusters_of
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.permutation import Difference, compare_systems, holm
from wsd.metrics.scores import count_kinds
from wsd.metrics.single_thread import one_thread
from wsd.metrics.transforms import fitted
from wsd.storage.csv import write_csv
from wsd.studies.pairs import pair_tables as tables
from wsd.studies.pairs.pair_tables import OUT_OF_FOLD, TESTS, Cosines, Pairs

DECIMALS = 6
DEFAULT = ("all", "mean-last-2", "mean-last-3", "mean-last-4", "concat-last-4", "mean-all")
FOLDS = 5


class Answers(NamedTuple):
    """What layer choices say about some pairs.

    Attributes
    ----------
    values : float array of shape (choices, n), or (n,) for one choice
        The cosines.
    called : bool array of the same shape
        Whether a pair counts as *same*; not used for ratings.
    """

    values: np.ndarray
    called: np.ndarray

    def of(self, choice: int) -> "Answers":
        """Return the answers of one choice."""
        return Answers(self.values[choice], self.called[choice])


class Scorer(NamedTuple):
    """The scores of answers, for labels or for ratings.

    Attributes
    ----------
    gold : float array of shape (n,)
    word : array of shape (n,)
    is_graded : bool
    seed : int
    """

    gold: np.ndarray
    word: np.ndarray
    is_graded: bool
    seed: int

    @property
    def metric(self) -> str:
        """The metric that selects and is tested."""
        return (tables.RATING_METRICS if self.is_graded else tables.LABEL_METRICS)[0]

    @property
    def documents(self) -> np.ndarray | None:
        """The number of each pair's word, if words are exchanged as a whole."""
        numbers = clusters_of(self.word)
        return numbers if len(np.unique(self.word)) >= FEWEST_WORDS else None

    def right(self, called: np.ndarray) -> np.ndarray:
        """Return whether each decision is right."""
        return called == (self.gold == 1)

    def scores(self, own: Answers, weights: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Return each metric of one choice, for each row of weights (default: once each)."""
        weights = np.ones((1, len(self.gold))) if weights is None else weights
        if self.is_graded:
            return {
                metric: graded.correlate(own.values, self.gold, metric, weights)
                for metric in tables.RATING_METRICS
            }
        right = accuracy(self.right(own.called), weights)
        return {"accuracy": right, "auc": auc(own.values, self.gold == 1, weights)}

    def select(self, answers: Answers) -> int:
        """Return the choice with the best first metric; a correlation may be unknown."""
        choices = range(len(answers.values))
        scores = [self.scores(answers.of(i))[self.metric].item() for i in choices]
        return int(np.nan_to_num(scores, nan=-2).argmax())

    def compare(self, first: Answers, second: Answers) -> Difference | None:
        """Test the difference of the first metric; None if both give the same answers."""
        if self.is_graded:
            if (first.values == second.values).all():
                return None
            both, clusters = (first.values, second.values), clusters_of(self.word)
            return graded.compare(*both, self.gold, clusters, self.metric, rng=self.seed)
        if (first.called == second.called).all():
            return None
        right = [self.right(answers.called) for answers in (first, second)]
        joint = count_kinds([np.ones(len(self.gold), dtype=int), *right], 2, self.documents)
        return compare_systems([joint], rng=self.seed)["micro_accuracy"]

    def best(self, answers: Answers) -> Best:
        """Return the confidence set of the first metric."""
        if self.is_graded:
            clusters = clusters_of(self.word)
            return graded.confidence_set(
                answers.values, self.gold, clusters, self.metric, rng=self.seed
            )
        documents = None if self.documents is None else [self.documents]
        right, ones = self.right(answers.called).astype(int), np.ones(len(self.gold), dtype=int)
        return confidence_set.confidence_set(
            [ones], [right], "micro_accuracy", documents=documents, rng=self.seed
        )


def measure(pairs: Pairs, vectors: np.ndarray, transforms: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the cosines of all pairs, by transformation.

    Parameters
    ----------
    pairs : Pairs
    vectors : array of shape (sentences, features)
    transforms : sequence of str
        Names of :mod:`wsd.metrics.transforms`; they are fitted on the sentences of training pairs,
        or on all sentences if there are no splits.
    """
    train = vectors[pairs.sentences.split == pairs.fitted_on]
    cosines = {}
    for name in transforms:
        directions = unit_vectors(fitted(name, train).apply(vectors))
        first, second = (directions[rows] for rows in pairs.rows.T)
        # Rounding errors would rank pairs of equal vectors, of which layer 0 has many.
        cosines[name] = np.einsum("ij,ij->i", first, second).round(DECIMALS)
    return cosines


def score(pairs: Pairs, cosines: Cosines, seed: int = 1) -> pd.DataFrame:
    """Return scores with intervals, and tests against the selected row, by split.

    With at least ``FEWEST_WORDS`` words, the tests exchange the answers on whole words.

    Parameters
    ----------
    pairs : Pairs
    cosines : Cosines
        The simplest choice first, since the first wins a tie.
    seed : int
        The seed of the folds and the resampling.

    Returns
    -------
    DataFrame
        The columns of ``pairs.csv``, without values for model and view.

    Raises
    ------
    CorpusError
        If no pair that thresholds are fitted on has a label or rating.
    """
    names, values = [*cosines], np.stack([*cosines.values()])
    train = pairs.labelled(pairs.fitted_on)
    if not len(train):
        kind = "rating" if pairs.is_graded else "label"
        problem = f"no {'training ' * (pairs.fitted_on == 'train')}pair has a {kind}"
        fix = f"import them with their {kind}s"
        raise CorpusError(problem, where=str(pairs.about["name"]), fix=fix)

    def scorer(rows: np.ndarray) -> Scorer:
        return Scorer(pairs.gold[rows], pairs.word[rows], pairs.is_graded, seed)

    if pairs.fitted_on in (tables.ALL, tables.TEST):
        return _cross_validate(pairs.fitted_on, names, values[:, train], scorer(train))
    thresholds = _thresholds(values[:, train], scorer(train))
    selected_on = dev if len(dev := pairs.labelled("dev")) else train
    chosen = scorer(selected_on).select(_answers(values[:, selected_on], thresholds))
    parts = []
    for split in tables.SPLITS:
        if len(rows := pairs.labelled(split)):
            answers = _answers(values[:, rows], thresholds)
            table = _table(scorer(rows), names, answers, chosen, answers.of(chosen))
            if split == tables.TEST:
                _add_tests(table, scorer(rows), answers, answers.of(chosen))
            parts.append(table.assign(split=split, threshold=thresholds))
    return pd.concat(parts, ignore_index=True)


def _cross_validate(
    split: str, names: Sequence[Any], values: np.ndarray, scorer: Scorer
) -> pd.DataFrame:
    """Score what the other folds select, and every choice with the thresholds of other folds."""
    answers = Answers(values, np.empty(values.shape, dtype=bool))
    selected = Answers(np.empty(len(scorer.gold)), np.empty(len(scorer.gold), dtype=bool))
    # All pairs of a word are in one fold, unless there are few words.
    clusters = clusters_of(scorer.word)
    words = np.random.default_rng(scorer.seed).permutation(np.unique(clusters))
    for part in np.array_split(words, min(FOLDS, len(words))):
        fold = np.isin(clusters, part)
        others = scorer._replace(gold=scorer.gold[~fold], word=scorer.word[~fold])
        thresholds = _thresholds(values[:, ~fold], others)
        chosen = others.select(_answers(values[:, ~fold], thresholds))
        answers.called[:, fold] = _answers(values[:, fold], thresholds).called
        # Folds may select choices with cosines on different scales.
        every = values[chosen]
        selected.values[fold] = (every[fold] - every.mean()) / (every.std() or 1)
        selected.called[fold] = answers.called[chosen, fold]
    chosen = scorer.select(answers)
    table = _table(scorer, names, answers, chosen, selected)
    _add_tests(table, scorer, answers, selected)
    out_of_fold = _table(scorer, [names[chosen]], Answers(*np.atleast_2d(*selected)), 0, selected)
    out_of_fold = out_of_fold.assign(split=OUT_OF_FOLD, threshold=np.nan)
    table = table.assign(split=split, threshold=_thresholds(values, scorer))
    return pd.concat([out_of_fold, table], ignore_index=True)


def _thresholds(values: np.ndarray, scorer: Scorer) -> list[float]:
    """Return the threshold of each choice on these pairs; NaN for ratings."""
    if scorer.is_graded or not len(scorer.gold):
        return [np.nan] * len(values)
    return [best_threshold(own, scorer.gold == 1) for own in values]


def _answers(values: np.ndarray, thresholds: Sequence[float]) -> Answers:
    return Answers(values, values >= np.array(thresholds, dtype=values.dtype)[:, None])


def _table(
    scorer: Scorer, names: Sequence[Any], answers: Answers, chosen: int, reference: Answers
) -> pd.DataFrame:
    """Score the answers of each choice on one split."""
    n, n_words = len(scorer.gold), len(set(scorer.word))
    units = {"": (np.arange(n), n)}
    if n_words >= FEWEST_WORDS:
        units["_by_word"] = scorer.word, n_words
    draws = {by: (resampled(unit, scorer.seed), count) for by, (unit, count) in units.items()}
    floor = -1 if scorer.is_graded else 0
    reference_score = scorer.scores(reference)[scorer.metric].item()
    rows: list[dict[str, Any]] = []
    for i, (transform, layers) in enumerate(names):
        own = answers.of(i)
        row = {metric: value.item() for metric, value in scorer.scores(own).items()}
        for by, (weights, count) in draws.items():
            for metric, drawn in scorer.scores(own, weights).items():
                bounds = percentiles(drawn, row[metric], count, floor)
                row[f"{metric}_low{by}"], row[f"{metric}_high{by}"] = bounds
        row["difference"] = row[scorer.metric] - reference_score
        names_of_row = {"transform": transform, "layers": layers, "chosen": i == chosen}
        rows.append({**names_of_row, "called_same": own.called.mean(), **row})
    table = pd.DataFrame(rows).reindex(columns=tables.columns_of(is_graded=scorer.is_graded))
    return table.assign(n=n, words=n_words, in_confidence_set=False)


def _add_tests(table: pd.DataFrame, scorer: Scorer, answers: Answers, reference: Answers) -> None:
    """Test each row against the reference, unless both give the same answers; add the best."""
    for i in table.index:
        if difference := scorer.compare(answers.of(i), reference):
            table.loc[i, TESTS[:3]] = difference[1:4]
    tested = table["p"].notna()
    table.loc[tested, "p_holm"] = holm(table.loc[tested, "p"].tolist())
    best = scorer.best(answers)
    table["p_largest_advantage"], table["in_confidence_set"] = best.p, best.within


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_path(parser, "--pairs", "folder of pairs that `wsd import` wrote")
    add_word_files(parser, "--embeddings", f"folder of {SENTENCES}/<view>.safetensors")
    parser.add_argument("--view", default="focal", help="view to compare (default: focal)")
    text = f"layer choices (default: {' '.join(DEFAULT)})"
    parser.add_argument("--layers", nargs="+", default=list(DEFAULT), help=text)
    add_transforms(parser)
    add_seed(parser, "of the resampling")
    add_out_folder(parser, f"folder, for {tables.TABLE} and {tables.COSINES}")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    pairs = tables.read_pairs(args.pairs)
    path = word_file(args.embeddings, f"{SENTENCES}/{args.view}{VECTORS}")
    vectors = Embeddings(path, pairs.sentences)
    choices = expand_layers(args.layers, vectors.blocks, where="--layers", stored=vectors.stored)
    if mixed := [choice.name for choice in choices if choice.operation == "mix"]:
        problem = f"layers {mixed[0]!r}: a mix needs training, but pairs train no classifier"
        raise ConfigError(problem, where="--layers", fix="use mean, sum or concat")
    by_choice: dict[str, dict[str, np.ndarray]] = {}
    # With several threads, the scores would depend on their number.
    with one_thread():
        for choice in choices:
            combined = choice.combine({layer: vectors.layer(layer) for layer in choice.layers})
            by_choice[choice.name] = measure(pairs, combined, args.transforms)
            log.info("cosines of %s", choice.name)
    cosines = {(t, name): own[t] for t in args.transforms for name, own in by_choice.items()}
    model = vectors.provenance["model"]["name"]
    table = score(pairs, cosines, args.seed).assign(model=model, view=args.view)
    provenance = {"model": model, "view": args.view, "blocks": vectors.blocks, "seed": args.seed}
    tables.write_cosines(args.out / tables.COSINES, pairs, cosines, provenance)
    write_csv(args.out / tables.TABLE, table[tables.columns_of(is_graded=pairs.is_graded)])
