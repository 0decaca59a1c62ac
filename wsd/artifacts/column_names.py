"""Name the columns and the kinds of rows of the CSV tables that several steps share."""

from wsd.metrics.scores import MEAN_SCORES, WORD_SCORES

# The columns that identify a row of the comparison, and the kinds of rows.
NAMES = ("kind", "model", "view", "layers", "classifier")
SELECTED, SELECTED_PER_WORD = "selected", "selected per word"
BEST = "best on test, for reference only"
CANDIDATE, BASELINE, CONTROL_VIEW = "candidate", "baseline", "control view"
RANDOM_CONTROL = "random weights"
PUBLISHED, SYSTEM, ZERO_SHOT = "published", "system", "zero-shot"
FINE_TUNED, FINE_TUNED_LAYER = "fine-tuned", "fine-tuned, frozen again"
# Instead of a layer choice, if the whole encoder was trained.
FINETUNED = "finetuned"


def feature_set(view: str, layers: str) -> str:
    """Return the views and the layer choices of a feature set as one text.

    >>> feature_set("focal+context", "mean-last-2+6"), feature_set("text", "-")
    ('focal mean-last-2 + context 6', 'text')
    """
    if layers in ("-", view):
        return view
    if layers == FINETUNED:
        return f"{view}, {FINE_TUNED}"
    pairs = zip(view.split("+"), layers.split("+"), strict=True)
    return " + ".join(f"{name} {choice}" for name, choice in pairs)


KEY_COLUMNS = ["model", "train", "draw", "test", "view", "layers", "classifier"]
SCORES_COLUMNS = [*KEY_COLUMNS, "word", "n_senses", "n_train", "n_test", *WORD_SCORES]
SUMMARY_COLUMNS = [*KEY_COLUMNS, *MEAN_SCORES]
ALL_WORDS = "all words"
TOGETHER = "(all)"  # all words together, instead of a word
