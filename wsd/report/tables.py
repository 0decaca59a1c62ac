"""The tables that pages and figures are made from, and the columns that each must have."""

from functools import partial

import pandas as pd

from wsd.artifacts.column_names import FINE_TUNED_LAYER, KEY_COLUMNS, NAMES
from wsd.metrics.scores import MEAN_SCORES, WORD_SCORES
from wsd.storage.csv import Columns

# Tables that lie together, behind the comparison.
COMPARISON_TABLES = (
    *("controls", "differences", "best-set", "errors", "learning"),
    *("layers", "word-layers", "model-layers", "group-layers", "group-peaks"),
    "strategies",
)


def after_fine_tuning(controls: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """The rows of layers of fine-tuned encoders, under the names of the models they were."""
    names = [comparison[column] for column in ("model", "reference_model")]
    base = {
        model: reference
        for kind, model, reference in zip(comparison["kind"], *names, strict=True)
        if kind == FINE_TUNED_LAYER
    }
    rows = controls[controls["kind"] == FINE_TUNED_LAYER]
    return rows.assign(model=rows["model"].map(base))


# The means over words, by column, as the pages name them.
METRICS = {
    "mean_macro_f1": "Macro-F1",
    "mean_balanced_accuracy": "Balanced accuracy",
    "mean_word_accuracy": "Word accuracy",
    "micro_accuracy": "Micro accuracy",
}
# Of these, what is told of words of one kind, and of strategies.
BY_KIND = ("mean_macro_f1", "micro_accuracy")
# What a strategy took: what was chosen, and with all that it was chosen among.
MINUTES = ("processor_minutes", "processor_minutes_with_search")
_KIND = ("part_of_speech", "training_instances")
_NAMES = NAMES[1:]
_MEANS = tuple(f"{mean}{bound}" for mean in MEAN_SCORES for bound in ("", "_low", "_high"))
_DIFFERENCE = ("difference", "difference_low", "difference_high", "p_holm")
# What is measured of the selected configuration's probabilities, one file each per model.
CONFIDENCE_TABLES = ("calibration", "reliability", "ood")
# The tables that earlier steps wrote. A run without controls, further training sets, a second model
# or parts of speech has no rows of some of them.
_optional = partial(Columns, may_be_empty=True)
TABLES = {
    "scores": Columns((*KEY_COLUMNS, "word"), ("n_senses", "n_train", "n_test", *WORD_SCORES)),
    "summary": Columns(tuple(KEY_COLUMNS), MEAN_SCORES),
    "comparison": Columns(
        (*NAMES, "about", "reference_model"), ("n_words", "objective_cv", *_MEANS)
    ),
    "controls": _optional(NAMES, _MEANS),
    "differences": _optional(
        ("reference_model", *NAMES, "metric"), ("difference", "low", "high", "p_holm")
    ),
    "best-set": Columns((*_NAMES, "metric"), ("estimate", "p"), ("in_confidence_set",)),
    "errors": _optional(
        ("reference_model", "kind", "model", "word", "gold", "selected", "predicted"), ("index",)
    ),
    "learning": _optional((*_NAMES, "train"), ("n_train", "mean_macro_f1_in_common")),
    "layers": Columns(
        (*_NAMES, "metric", "reference"),
        ("relative_depth", "objective_cv", "value", "low", "high", *_DIFFERENCE),
        ("selected_by_cv", "in_confidence_set"),
    ),
    "model-layers": _optional(
        (*_NAMES, "metric", "reference_model"),
        ("relative_depth", "value", "reference_value", *_DIFFERENCE),
    ),
    "word-layers": Columns(
        (*_NAMES, "word", "selected_by"),
        ("errors", "macro_f1", "macro_f1_low", "macro_f1_high", "macro_f1_cv"),
        ("selected_by_cv", "in_confidence_set"),
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
        ("n_words", "peak", "low", "high", "share_of_draws"),
        # Layers from the peak of nouns, where there is one.
        whole=_DIFFERENCE[:3],
    ),
    "strategies": _optional(
        (
            *("model", "strategy", "train", "view", "layers", "classifier", "setting"),
            "selected_by",
            *(f"{name}_of_runs" for name in BY_KIND),
        ),
        (
            *("n_words", "runs", "draws", "labels", *MINUTES),
            *(f"{name}{of}" for name in BY_KIND for of in ("", "_low", "_high")),
            *(f"{name}_{of}" for name in BY_KIND for of in _DIFFERENCE),
        ),
        ("in_confidence_set",),
    ),
    "geometry": _optional(
        ("model", "view", "layers", "transform", "fitted_on", "word"),
        ("anisotropy", "self_similarity", "silhouette", "pair_auc", "kmeans_ari", "kmeans_v"),
    ),
    "substitutes": _optional(
        ("model", "word", "sense", "input", "piece"), ("rank", "log_odds", "z", "instances", "n")
    ),
    "gloss-worth": _optional(
        ("model", "layers", "start"),
        (
            *("n", "mean_macro_f1", "mean_macro_f1_low", "mean_macro_f1_high"),
            *("as_many_alone", "as_many_alone_low", "as_many_alone_high"),
        ),
    ),
    "alignment": Columns(
        ("model", "word", "form", "pieces"),
        ("instances", "mean_pieces", "max_pieces", "unknown", "windowed"),
    ),
    "calibration": _optional(
        (*_NAMES, "test", "word", "scores"),
        ("n", "accuracy", "confidence", "ece", "ece_low", "ece_high"),
    ),
    "reliability": _optional(
        (*_NAMES, "test", "scores"),
        ("n", "confidence", "accuracy", "accuracy_low", "accuracy_high"),
    ),
    "ood": _optional(
        (*_NAMES, "sentences", "word"), ("n", "ood", "accuracy_ood", "accuracy_in_distribution")
    ),
}
# Those that the figures are drawn from, any of which may have no rows, with what is drawn of them.
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
    "controls": _optional(NAMES, MEAN_SCORES),
    "learning": _optional(
        (*_NAMES, "train"),
        ("n_words", "n_train", "mean_macro_f1", "lowest_draw", "highest_draw"),
    ),
}
