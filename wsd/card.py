"""What a model file says of itself to people: a card in Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

Lines = Sequence[Mapping[str, Any]]

HOW_TO = """\
```
wsd predict "A sentence." --word {word} --model-file {file}
```

The encoder is not in this file: it is looked for where it came from ({source}), or in the folder
that `--encoder` names, and refused if a file of it has another checksum."""

LIMITS = """\
- The senses are those of the table, whatever else a word may mean: a sentence in another sense gets
  one of them. What is far from every training sentence is marked as uncertain; how often that
  catches such a sentence is measured, not promised.
- Trained on {title}. Other kinds of text are another task: figures above are of its test split.
- Words are found by the plural rules of English nouns; part of speech is not looked at.
- {probability}"""
CALIBRATED = (
    "Probabilities are temperature-scaled on folds of the training set, one temperature per word; "
    "words without one had too few instances. The parameters were tuned on the same folds."
)
SHIFTED = (
    " The folds chose to weigh the classes' priors otherwise than the training set has them, which "
    "macro-F1 gains from: rarer senses get more than their share, which no temperature mends."
)


def card(
    manifest: Mapping[str, Any],
    *,
    file: str,
    dataset: Mapping[str, str],
    scores: Lines,
    overall: Mapping[str, Any] | None,
    calibration: Lines,
    novelty: Lines,
    with_sentences: bool,
) -> str:
    """The card of a model file.

    Parameters
    ----------
    manifest : mapping
        With its words.
    file : str
        The file's name.
    dataset : mapping
        ``title``, ``licence``, ``source`` and ``citation``, as far as they are known.
    scores : sequence of mappings
        Rows of scores.csv on the test split, with ``macro_f1_low`` and ``macro_f1_high`` where
        there are intervals.
    overall : mapping or None
        The row of comparison.csv.
    calibration, novelty : sequences of mappings
        Rows of calibration.csv and novelty.csv over all words.
    with_sentences : bool
    """
    encoder, used = manifest["encoder"], manifest["configuration"]
    source = ", ".join(f"{key} {value}" for key, value in encoder["model"]["source"].items())
    versions = ", ".join(f"{name} {of}" for name, of in manifest["versions"].items())
    words = manifest["words"]
    parameters = ", ".join(f"{k} {v}" for k, v in manifest["predictions"]["parameters"].items())
    sentences = (
        "The training sentences are in the file: it may only be passed on as they may."
        if with_sentences
        else "The training sentences are not in the file, only their line numbers and vectors."
    )
    shift = _is_shifted(manifest["predictions"])
    parts = [
        f"# Senses of {', '.join(words)}",
        f"Made by `wsd fit` from the results of {dataset['title']}.",
        HOW_TO.format(word=next(iter(words)), file=file, source=source),
        "## What it is",
        _table(
            ["", ""],
            [
                ["encoder", f"{used['model']}: {source}"],
                ["its weights", _weights(encoder["model"]["files"])],
                ["pooling, input", f"{encoder['pooling']}, {encoder['input']}"],
                ["features", f"{used['view']}, layers {used['layers']}"],
                ["classifier", f"{used['classifier']} ({parameters or 'nothing to tune'})"],
                ["corpus", f"{dataset['title']}, {dataset['source']}"],
                ["licence of the corpus", dataset["licence"]],
                ["versions", versions],
            ],
        ),
        sentences,
        "## Scores",
        "On the test split, in percent"
        + (", with 95% intervals." if any("macro_f1_low" in row for row in scores) else "."),
        _scores(scores, overall, words),
        "## Calibration",
        _calibration(calibration),
        "## Far sentences",
        _novelty(novelty),
        "## Limits",
        LIMITS.format(title=dataset["title"], probability=CALIBRATED + (SHIFTED if shift else "")),
        "## To cite",
        dataset["citation"],
    ]
    return "\n\n".join(parts) + "\n"


def _is_shifted(source: Mapping[str, Any]) -> bool:
    parameters = source["parameters"]
    return parameters.get("prior_shift", 0) != 0 or parameters.get("prior_exponent", 1) != 1


def _weights(files: Mapping[str, str]) -> str:
    weights = [name for name in files if name.endswith(".safetensors")]
    return ", ".join(f"{name} sha256 {files[name]}" for name in weights)


def _scores(scores: Lines, overall: Mapping[str, Any] | None, words: Mapping[str, Any]) -> str:
    rows = [
        [
            row["word"],
            ", ".join(words[row["word"]]["senses"]),
            str(row["n_train"]),
            str(row["n_test"]),
            _interval(row, "macro_f1"),
            _interval(row, "accuracy"),
        ]
        for row in scores
    ]
    if overall is not None:
        name = "all words, mean"
        means = [_interval(overall, f) for f in ("mean_macro_f1", "mean_word_accuracy")]
        rows.append([name, "", "", str(overall["n_test"]), *means])
    header = ["word", "senses", "training", "test", "macro-F1", "accuracy"]
    return _table(header, rows) if rows else "There are none."


def _interval(row: Mapping[str, Any], figure: str) -> str:
    text = f"{100 * row[figure]:.1f}"
    if f"{figure}_low" in row:
        text += f" [{100 * row[f'{figure}_low']:.1f}, {100 * row[f'{figure}_high']:.1f}]"
    return text


def _calibration(rows: Lines) -> str:
    if not rows:
        return "Not measured: run `snakemake` before `wsd fit`."
    header = ["sentences", "probabilities", "n", "accuracy", "mean confidence", "ECE"]
    cells = [
        [
            row["test"],
            row["scores"],
            str(row["n"]),
            f"{100 * row['accuracy']:.1f}",
            f"{100 * row['confidence']:.1f}",
            _interval(row, "ece"),
        ]
        for row in rows
    ]
    return (
        "Expected calibration error over all words, ten bins of equal width, in percent, with the "
        "95% interval of the basic bootstrap.\n\n" + _table(header, cells)
    )


def _novelty(rows: Lines) -> str:
    if not rows:
        return "Not measured: run `snakemake` before `wsd fit`."
    header = ["sentences", "n", "marked as far, %"]
    cells = [[row["sentences"], str(row["n"]), f"{100 * row['far']:.1f}"] for row in rows]
    return _table(header, cells)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in lines)
