"""Write the model card of a `.wsd` file, in Markdown."""

from collections.abc import Mapping

from wsd.artifacts.input_template import as_argument
from wsd.fitted.card_metadata import Record, Records, front_matter
from wsd.storage.text_table import markdown

Measured = Mapping[str, Records]
HOW_TO = """\
```
wsd predict "A sentence." --word {word} --model-file {file}
```

The encoder is not in this file: it is looked for where it came from ({source}), or in the folder
that `--encoder` names, and refused if a file of it has another checksum."""
LIMITS = """\
- The senses are those of the table, whatever else a word may mean: a sentence in another sense gets
  one of them. Sentences far from every training sentence are marked as uncertain; the section on
  far sentences has the measured rates.
- Trained on {title}. The scores above are of its test split; other kinds of text may give others.
- Words are found in the forms that the training sentences have, and in those that the rules of
  English make; the part of speech in the text is not checked.
- {probability}"""
CALIBRATED = (
    "Probabilities are temperature-scaled on folds of the training set, one temperature per word, "
    "shrunk towards the temperature of all words. The parameters were tuned on the same folds."
)
SEEN = (
    "The encoder was trained on the labels of the training sentences. Probabilities are therefore "
    "not calibrated, and no sentence is marked as far."
)
SHIFTED = (
    " Cross-validation selected a shift of the senses' priors, which improves macro-F1: "
    "rarer senses get higher probabilities than their frequency, whatever the temperature."
)
SENTENCES_IN = "The training sentences are in the file: it may only be passed on as they may."
SENTENCES_OUT = "The training sentences are not in the file, only their line numbers and vectors."
OWN, UNKNOWN = "a corpus of the user's own", "not known here"
UNMEASURED = "Not measured: run `snakemake` before `wsd fit`."
EXPECTED_ERROR = (
    "Over all words. NLL is the mean negative log-likelihood in nats. The gap is mean confidence "
    "minus accuracy. ECE is the expected calibration error over ten bins of equal width; the noise "
    "floor is the mean ECE of a perfectly calibrated classifier with the same confidences, and its "
    "95% quantile. All but NLL are in percent."
)


def card(
    manifest: Record, file: str, dataset: Record, measured: Measured, *, with_sentences: bool
) -> str:
    """Return the card of a model file, with the metadata that model hubs read in front.

    Parameters
    ----------
    manifest : mapping
        With its words.
    file : str
        The file's name.
    dataset : mapping
        ``name``, ``title``, ``source``, ``licence``, ``licence_url`` and ``citation``; empty where
        unknown.
    measured : mapping
        ``scores``, rows of scores.csv on the test split, with ``macro_f1_low`` and
        ``macro_f1_high`` if there are intervals; ``overall``, the row of comparison.csv, if any;
        ``calibration`` and ``ood``, the rows of those tables over all words.
    with_sentences : bool
    """
    encoder, used, predicted = (manifest[k] for k in ("encoder", "configuration", "predictions"))
    source, versions, parameters = (
        ", ".join(f"{name} {value}" for name, value in pairs.items())
        for pairs in (encoder["model"]["source"], manifest["versions"], predicted["parameters"])
    )
    weights = {k: v for k, v in encoder["model"]["files"].items() if k.endswith(".safetensors")}
    words, scores = manifest["words"], measured["scores"]
    facts = {
        "encoder": f"{used['model']}: {source}",
        "its weights": ", ".join(f"{name} sha256 {digest}" for name, digest in weights.items()),
        "pooling, input": f"{encoder['pooling']}, `{as_argument(encoder['input'])}`",
        "features": f"{used['view']}, layers {used['layers']}",
        "classifier": f"{used['classifier']} ({parameters or 'nothing to tune'})",
        "corpus": f"{dataset['title']}, {dataset['source'] or OWN}",
        "licence of the corpus": dataset["licence"] or UNKNOWN,
        "versions": versions,
    }
    intervals = ", with 95% intervals" if any("macro_f1_low" in row for row in scores) else ""
    probability = SEEN if "finetuned_from" in encoder["model"] else CALIBRATED
    probability += SHIFTED if _is_shifted(predicted["parameters"]) else ""
    parts = [
        front_matter(manifest, file, dataset, measured),
        f"# Senses of {', '.join(words)}",
        f"Made by `wsd fit` from the results of {dataset['title']}.",
        HOW_TO.format(word=next(iter(words)), file=file, source=source),
        "## What it is",
        markdown(["", ""], facts.items()),
        SENTENCES_IN if with_sentences else SENTENCES_OUT,
        "## Scores",
        f"On the test split, in percent{intervals}.",
        _scores(scores, measured["overall"], words),
        "## Calibration",
        _calibration(measured["calibration"]),
        "## Far sentences",
        _out_of_distribution(measured["ood"]),
        "## Limits",
        LIMITS.format(title=dataset["title"], probability=probability),
        "## To cite",
        dataset["citation"] or "Cite the corpus.",
    ]
    return "\n\n".join(parts) + "\n"


def _is_shifted(parameters: Record) -> bool:
    return parameters.get("prior_shift", 0) != 0 or parameters.get("prior_exponent", 1) != 1


def _scores(scores: Records, overall: Records, words: Record) -> str:
    rows = []
    for row in scores:
        called, measures = words[row["word"]]["called"], _percents(row, "macro_f1", "accuracy")
        senses = [name for name, _ in called]
        counts = [str(row["n_train"]), str(row["n_test"])]
        rows.append([row["word"], ", ".join(senses), *counts, *measures])
    for row in overall:
        means = _percents(row, "mean_macro_f1", "mean_word_accuracy")
        rows.append(["all words, mean", "", "", str(row["n_test"]), *means])
    header = ["word", "senses", "training", "test", "macro-F1", "word accuracy"]
    return markdown(header, rows) if rows else "There are none."


def _percents(row: Record, *names: str) -> list[str]:
    """Return scores in percent, each with its interval if it has one."""
    cells = []
    for name in names:
        text, bounds = f"{100 * row[name]:.1f}", (f"{name}_low", f"{name}_high")
        if bounds[0] in row:
            text += " [{:.1f}, {:.1f}]".format(*(100 * row[bound] for bound in bounds))
        cells.append(text)
    return cells


def _calibration(rows: Records) -> str:
    if not rows:
        return UNMEASURED
    header = ["sentences", "probabilities", "n", "NLL", "micro accuracy", "mean confidence", "gap"]
    header += ["Brier", "ECE", "noise floor", "95%"]
    percents = ("accuracy", "confidence", "gap", "brier", "ece", "ece_floor", "ece_floor_95")
    facts = [[r["test"], r["scores"], str(r["n"]), f"{r['nll']:.4f}"] for r in rows]
    cells = [[*fact, *_percents(row, *percents)] for fact, row in zip(facts, rows, strict=True)]
    return f"{EXPECTED_ERROR}\n\n{markdown(header, cells)}"


def _out_of_distribution(rows: Records) -> str:
    if not rows:
        return UNMEASURED
    header = ["sentences", "n", "marked as far, %"]
    return markdown(header, [[r["sentences"], str(r["n"]), *_percents(r, "ood")] for r in rows])
