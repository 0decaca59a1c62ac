"""The tables behind the pages and figures."""

import pandas as pd

from wsd.artifacts.column_names import FINE_TUNED_LAYER, NAMES

# The tables of earlier steps about all models, and the path of each in the folder of a run. Some
# are empty if a run has no controls, no further training sets or no second model.
PATHS = {name: f"{name}.csv" for name in ("scores", "summary", "comparison")} | {
    name: f"comparison/{name}.csv"
    for name in (
        *("controls", "differences", "best-set", "learning", "words"),
        *("layers", "model-layers", "word-layers", "peaks"),
    )
}
# The tables about one model, in the model's folder.
PER_MODEL = ("alignment", "long-vectors", "calibration", "reliability", "ood")
TABLES = (*PATHS, *PER_MODEL)
# The means over words: the pages' name for each column.
METRICS = {
    "mean_macro_f1": "Macro-F1",
    "mean_balanced_accuracy": "Balanced accuracy",
    "mean_word_accuracy": "Word accuracy",
    "micro_accuracy": "Micro accuracy",
}


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
