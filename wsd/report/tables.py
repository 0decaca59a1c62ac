"""The tables behind the pages and figures, and the columns that each must have."""

from functools import partial

import pandas as pd

from wsd.artifacts.column_names import FINE_TUNED_LAYER, KEY_COLUMNS, NAMES
from wsd.metrics.scores import MEAN_SCORES, WORD_SCORES
from wsd.storage.csv import Columns

# Tables of `wsd compare` and `wsd layerwise`, next to the comparison.
COMPARISON_TABLES = (
    *("controls", "differences", "sensitivity", "best-set", "errors", "learning"),
    *("layers", "word-layers", "model-layers", "group-layers", "group-peaks"),
)


def with_verdicts(layers: pd.DataFrame, best_set: pd.DataFrame) -> pd.DataFrame:
    """Return rows of layers.csv with a column ``is_within``: yes, no or a dash.

    It says whether the confidence set of best-set.csv contains the row; a row that is no candidate
    has a dash.
    """
    keys = list(NAMES[1:])
    verdicts = best_set.set_index(keys)["in_confidence_set"].map({True: "yes", False: "no"})
    is_within = layers.join(verdicts, on=keys)["in_confidence_set"]
    return layers.assign(is_within=is_within.fillna("\N{EN DASH}"))


def after_fine_tuning(controls: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of fine-tuned encoders' layers, under the names of the original models."""
    names = [comparison[column] for column in ("model", "reference_model")]
    base = {
        model: reference
        for kind, model, reference in zip(comparison["kind"], *names, strict=True)
        if kind == FINE_TUNED_LAYER
    }
    rows = controls[controls["kind"] == FINE_TUNED_LAYER]
    return rows.assign(model=rows["model"].map(base))


# The means over words: the pages' name for each column.
METRICS = {
    "mean_macro_f1": "Macro-F1",
    "mean_balanced_accuracy": "Balanced accuracy",
    "mean_word_accuracy": "Word accuracy",
    "micro_accuracy": "Micro accuracy",
}
# The metrics over words of one kind.
BY_KIND = ("mean_macro_f1", "micro_accuracy")
_KIND = ("part_of_speech", "training_instances")
_NAMES = NAMES[1:]
_BOUNDS = ("", "_low", "_high", "_low_over_words", "_high_over_words")
_MEANS = tuple(f"{mean}{bound}" for mean in MEAN_SCORES for bound in _BOUNDS)
DETECTABLE = ("detectable", "detectable_in_family", "detectable_over_words")
_DIFFERENCE = ("difference", "difference_low", "difference_high")
_OVER_WORDS = ("difference_low_over_words", "difference_high_over_words")
# Tables about the selected configuration's probabilities, one file each per model.
CONFIDENCE_TABLES = ("calibration", "reliability", "ood")
# The tables of earlier steps. Some are empty if a run has no controls, no further training sets, no
# second model or no parts of speech.
_optional = partial(Columns, may_be_empty=True)
TABLES = {
    "scores": Columns((*KEY_COLUMNS, "word"), ("n_senses", "n_train", "n_test", *WORD_SCORES)),
    "summary": Columns(tuple(KEY_COLUMNS), MEAN_SCORES),
    "comparison": Columns(
        (*NAMES, "about", "reference_model"), ("n_words", "objective_cv", *_MEANS)
    ),
    "controls": _optional(NAMES, _MEANS),
    "differences": _optional(
        ("reference_model", *NAMES, "metric"),
        (
            *("difference", "low", "high", "p_holm", "low_over_words", "high_over_words"),
            *("p_over_words_holm", "d_over_words", "words_won", *DETECTABLE),
        ),
    ),
    "sensitivity": _optional(
        ("reference_model", *NAMES, "metric", "method", "varies", "scale", "verdict"),
        ("estimate", "low", "high", "p", "worse", "equivalent", "better"),
    ),
    "best-set": Columns(
        (*_NAMES, "metric"), ("estimate", "p_largest_advantage"), ("in_confidence_set",)
    ),
    "errors": _optional(
        ("reference_model", "kind", "model", "word", "gold", "selected", "predicted"), ("index",)
    ),
    "learning": _optional((*_NAMES, "train"), ("n_train", "mean_macro_f1_in_common")),
    "layers": Columns(
        (*_NAMES, "metric", "reference"),
        (
            *("relative_depth", "objective_cv", "value", "low", "high", *_DIFFERENCE),
            *(*_OVER_WORDS, *DETECTABLE),
        ),
        ("selected_by_cv",),
    ),
    "model-layers": _optional(
        (*_NAMES, "metric", "reference_model"),
        (
            *("relative_depth", "value", "reference_value", *_DIFFERENCE, "p_holm"),
            *(*_OVER_WORDS, *DETECTABLE),
        ),
    ),
    "word-layers": Columns(
        (*_NAMES, "word", "selected_by"),
        ("errors", "macro_f1", "macro_f1_low", "macro_f1_high", "macro_f1_cv"),
        ("selected_by_cv", "in_confidence_set_of_word"),
    ),
    "group-layers": _optional(
        (*_NAMES, *_KIND),
        (
            *("n_words", "n_train", "n_test"),
            *(f"{name}{bound}" for name in BY_KIND for bound in ("", "_low", "_high")),
        ),
    ),
    "group-peaks": _optional(
        (*(name for name in _NAMES if name != "layers"), *_KIND, "metric", "reference"),
        ("n_words", "peak", "low", "high", "share_of_draws", "interaction_p", "interaction_p_holm"),
        # The distance from the nouns' peak in layers, if the nouns have a peak.
        whole=_DIFFERENCE,
    ),
    "alignment": Columns(
        ("model", "word", "form", "pieces"),
        ("instances", "mean_pieces", "max_pieces", "unknown", "windowed"),
    ),
    "calibration": _optional(
        (*_NAMES, "test", "word", "scores"),
        ("n", "accuracy", "confidence", "gap", "nll", "brier", "ece", "ece_floor", "ece_floor_95"),
    ),
    "reliability": _optional(
        (*_NAMES, "test", "scores"),
        ("n", "confidence", "accuracy", "accuracy_low", "accuracy_high"),
    ),
    "ood": _optional(
        (*_NAMES, "sentences", "word"), ("n", "ood", "accuracy_ood", "accuracy_in_distribution")
    ),
}
# The tables behind the figures, with the columns that are drawn; any of them may be empty.
DRAWN_TABLES = {
    "comparison": _optional(
        ("kind", "model", "layers", "classifier", "reference_model"), MEAN_SCORES
    ),
    "layers": _optional(
        (*_NAMES, "metric"),
        ("relative_depth", "value", "low", "high", *_DIFFERENCE),
        ("selected_by_cv",),
    ),
    "word-layers": _optional((*_NAMES, "word"), ("macro_f1",), ("selected_by_cv",)),
    "word-scores": _optional(("kind", "model", "classifier", "word"), ("macro_f1",)),
    "best-set": _optional(_NAMES, flags=("in_confidence_set",)),
    "controls": _optional(NAMES, MEAN_SCORES),
    "learning": _optional(
        (*_NAMES, "train"),
        ("n_words", "n_train", "mean_macro_f1", "lowest_draw", "highest_draw"),
    ),
}
