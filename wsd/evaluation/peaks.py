"""Find the peak of each curve over layers: the single layer with the highest score over all words.

The interval generalises to other words of the same kind: words are drawn with replacement, the same
words for every layer, and a word keeps its measured scores.
"""

import numpy as np

from wsd.evaluation.comparison_tables import Line
from wsd.evaluation.layer_groups import GROUP, Group
from wsd.metrics.confidence_intervals import TAILS, resampled
from wsd.metrics.over_words import FEWEST
from wsd.metrics.scores import word_scores

PEAK_COLUMNS = [*GROUP, "n_words", "metric", "peak", "low", "high", "share_of_draws"]


def find_peaks(group: Group, seed: int) -> list[Line]:
    """Return the peak by macro-F1 and by micro accuracy, with its 95% interval over words.

    There is none with fewer than ``FEWEST`` words, or without single layers.
    """
    single = [row for row in group.rows if group.columns(row)["relative_depth"] is not None]
    n_words = len(group.rows[0].words)
    if not single or n_words < FEWEST:
        return []
    layers = np.array([int(row.layers) for row in single])
    drawn = resampled(np.arange(n_words), rng=np.random.default_rng([seed, 0]))
    weights = np.vstack([np.ones(n_words), drawn])
    confusions = [row.confusions for row in single]
    # A score by word; its sum over words has the same peak as the mean.
    f1 = [[float(word_scores(matrix)["macro_f1"]) for matrix in row] for row in confusions]
    right = [[int(np.trace(matrix)) for matrix in row] for row in confusions]
    table = []
    for metric, values in (("mean_macro_f1", f1), ("micro_accuracy", right)):
        peak, *peaks = layers[(weights @ np.array(values).T).argmax(axis=1)].tolist()
        low, high = np.quantile(peaks, TAILS, method="closest_observation")
        line = {**group.names, "n_words": n_words, "metric": metric, "peak": peak}
        line |= {"low": min(int(low), peak), "high": max(int(high), peak)}
        table.append(line | {"share_of_draws": float(np.mean(np.array(peaks) == peak))})
    return table
