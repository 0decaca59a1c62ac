"""Write the tables of docs/findings/*.md from docs/findings/data/: `python docs/make/tables.py`.

A comment `<!-- table: name -->` in a page is followed by the table that the function of that name
returns. tests/docs/test_findings.py writes all of them again and compares.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

PAGES = Path(__file__).parents[1] / "findings"
MINILM, MPNET = "all-MiniLM-L6-v2", "all-mpnet-base-v2"
LOGISTIC, CENTROID = "logistic regression", "nearest centroid"
SHOWN = (0, 4, 8, 12, 16, 20, 24, 28, 30)
_TABLE = re.compile(r"(<!-- table: (\w+) -->\n\n)(?:\|.*\n)*")


def read(name: str) -> pd.DataFrame:
    """Return a table of numbers; a cell without a number is text."""
    return pd.read_csv(PAGES / f"data/{name}.csv", keep_default_na=False)


def where(table: pd.DataFrame, **values: object) -> pd.DataFrame:
    """Return the rows with these values."""
    for column, value in values.items():
        table = table[table[column] == value]
    return table


def markdown(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n".replace("  ", " ") for line in lines)


def number(value: object, digits: int = 1, sign: bool = False) -> str:
    """Return a number with a minus sign as in print; whole numbers have no decimals."""
    return f"{float(value):{'+' if sign else ''}.{digits}f}".replace("-", "\N{MINUS SIGN}")


def interval(row: pd.Series, level: str = "", digits: int = 1) -> str:
    """Return a row's interval at a level, in brackets."""
    ends = (number(row[f"{end}{level}"], digits) for end in ("low", "high"))
    return f"[{', '.join(ends)}]"


def cell(row: pd.Series, level: str = "", digits: int = 1) -> str:
    """Return a row's value and its interval."""
    return f"{number(row['value'], digits)} {interval(row, level, digits)}"


def curves(table: pd.DataFrame, named: dict[str, dict[str, object]], head: str) -> str:
    """Return a row of scores per model, a column per layer."""
    scores = {
        name: where(table, **values).set_index("layer")["mean_macro_f1"]
        for name, values in named.items()
    }
    layers = sorted({layer for curve in scores.values() for layer in curve.index})
    rows = ([n, *(number(c[i]) if i in c else "" for i in layers)] for n, c in scores.items())
    return markdown([head, *layers], rows)


def coarsewsd20_layers() -> str:
    """Logistic regression on every layer of two encoders."""
    models = {
        "MiniLM, 6 \N{MULTIPLICATION SIGN} 384": MINILM,
        f"{MPNET}, 12 \N{MULTIPLICATION SIGN} 768": MPNET,
    }
    named = {name: {"model": model, "classifier": LOGISTIC} for name, model in models.items()}
    return curves(read("coarsewsd20-layers"), named, f"{LOGISTIC}, layer")


def coarsewsd20_encoders() -> str:
    """The selected rows of two encoders, and their peaks."""
    rows, peaks = read("coarsewsd20-rows"), read("coarsewsd20-peaks")
    rows = where(rows, run="default sweep", metric="mean_macro_f1")
    selected = [where(rows, model=model).iloc[0] for model in (MINILM, MPNET)]
    single = [where(peaks, model=model).iloc[0] for model in (MINILM, MPNET)]
    table = [
        ["selected row", *(cell(row, digits=2) for row in selected)],
        ["the same over words", *(interval(row, "_over_words", 2) for row in selected)],
        ["peak of the single layers", *(cell(row, digits=0) for row in single)],
        ["single layers in the confidence set", *(row["in_confidence_set"] for row in single)],
    ]
    return markdown(["", "MiniLM", MPNET], table)


def coarsewsd20_differences() -> str:
    """The selected rows minus nearest centroid on BERT-large."""
    rows = where(read("coarsewsd20-differences"), minus=f"{CENTROID}, BERT-large")
    rows = rows[rows["run"].str.contains("study")]
    table = []
    names = {
        "mean_word_accuracy": "word accuracy",
        "mean_macro_f1": "macro-F1",
        "mean_balanced_accuracy": "balanced accuracy",
    }
    for metric, name in names.items():
        cells = [name]
        for model in (MINILM, MPNET):
            row = where(rows, metric=metric, model=model).iloc[0]
            p = str(row["p_holm"]).lstrip("0").replace("<0", "< ")
            cells += [f"{number(row['difference'], 2, sign=True)} {interval(row, digits=2)}", p]
        table.append(cells)
    return markdown(["metric", "MiniLM", "p (Holm)", MPNET, "p (Holm)"], table)


def coarsewsd20_probabilities() -> str:
    """The selected probabilities before and after the temperature, pooled over words."""
    rows = where(read("coarsewsd20-calibration"), word="(all)")
    table = []
    for classifier, name in (("logistic", "logistic"), ("lda", "LDA")):
        for test, shown in (("test", "test"), ("outofdomain", "out of domain")):
            scores = where(rows, classifier=classifier, test=test)
            raw, after = (where(scores, scores=kind).iloc[0] for kind in ("raw", "calibrated"))
            loss = (number(row["nll"], 4) for row in (raw, after))
            gap = (number(100 * row["gap"], 2, sign=True) for row in (raw, after))
            ece = (number(100 * row["ece"], 2) for row in (raw, after))
            table.append([f"{name}, {shown}", *map(" → ".join, (loss, gap, ece))])
    return markdown(["", "NLL, raw → calibrated", "gap, points", "ECE, %"], table)


def noad_layers() -> str:
    """Logistic regression on every layer of two encoders, 642 words."""
    named = {
        name: {"model": model, "classifier": LOGISTIC, "words": "all"}
        for name, model in (("MiniLM", MINILM), ("mpnet", MPNET))
    }
    return curves(read("noad-layers"), named, "layer")


def noad_encoders() -> str:
    """The selected rows, last layers and peaks of two encoders, over 642 words."""
    rows = read("noad-rows")
    names = list(dict.fromkeys(rows["row"]))
    table = []
    for name in names:
        cells = [where(rows, row=name, model=model).iloc[0] for model in (MINILM, MPNET)]
        digits = 0 if name.startswith("peak") else 1
        table.append([name, *(cell(row, "_over_words", digits) for row in cells)])
        if cells[0]["low_by_documents"]:
            table.append(["with *documents*", *(interval(r, "_by_documents") for r in cells)])
    return markdown(["", "MiniLM", "mpnet"], table)


def published_ranks() -> str:
    """The published curves of a family's base and large model: peaks, and rank correlation.

    A curve is read at 13 equal depths, between two layers by linear interpolation.
    """
    rows = where(read("published"), source="github.com/danlou/LMMS")
    table = []
    families = ("bert-base-uncased", "bert-base-cased", "roberta-base", "xlnet-base-cased")
    for base in (*families, "albert-base-v2"):
        peaks, shapes = [], []
        for model in (base, base.replace("base", "large")):
            scores = where(rows, model=model).sort_values("layer")["score"].to_numpy(float)
            blocks = len(scores) - 1
            peaks.append(f"{scores.argmax()}/{blocks}")
            shapes.append(np.interp(np.linspace(0, blocks, 13), np.arange(blocks + 1), scores))
        correlation = spearmanr(*shapes).statistic
        table.append([base.replace("-base", ""), *peaks, number(correlation, 2)])
    return markdown(["family", "peak of base", "peak of large", "rank correlation"], table)


def percent(rows: pd.DataFrame, score: str, ends: str = "") -> pd.Series:
    """Return the last row's score and intervals in percent, by the names of the other tables."""
    names = ("low", "high", "low_over_words", "high_over_words")
    row = pd.to_numeric(rows.iloc[-1][[score, *(ends + name for name in names)]]) * 100
    return row.set_axis(["value", *names])


def decoder_layers() -> str:
    """Some layers of the decoder's inputs on CoarseWSD-20."""
    rows = where(read("decoders-coarsewsd20/layers"), view="focal")
    table = []
    named = {
        "plain": ("plain", "logistic"),
        "echo": ("echo", "logistic"),
        f"echo, {CENTROID}": ("echo", "nearest_centroid"),
        "prompt": ("prompt", "logistic"),
    }
    for name, (model, classifier) in named.items():
        curve = where(rows, model=model, classifier=classifier).set_index("layers")["value"]
        table.append([name, *(number(100 * curve[layer]) for layer in SHOWN)])
    return markdown([f"{LOGISTIC}, layer", *SHOWN], table)


def decoder_selected() -> str:
    """The selected layer of each input on CoarseWSD-20, and its difference from the plain one."""
    return selected_layers("decoders-coarsewsd20", ["plain", "echo", "prompt", MINILM])


def decoder_noad() -> str:
    """The same on words of SemCor and MASC, with the difference from MiniLM."""
    return selected_layers("decoders-noad", [MINILM, "echo", "prompt"])


def selected_layers(run: str, models: list[str]) -> str:
    """Return what a kept run says about each model's selected layer, beside the first model's."""
    pairs = where(read(f"{run}/differences"), reference_kind="selected", kind="selected")
    names = [model.removeprefix("all-").removesuffix("-L6-v2") for model in models]
    columns = []
    for model in models:
        row = where(read(f"{run}/rows"), kind="selected", model=model)
        score = percent(row, "mean_macro_f1", "mean_macro_f1_")
        minus = where(pairs, reference_model=model, model=models[0])
        first = None if minus.empty else percent(minus, "difference")
        layers = where(read(f"{run}/layers"), view="focal", classifier="logistic", model=model)
        last = percent(layers, "difference", "difference_")
        peak = where(read(f"{run}/peaks"), view="focal", classifier="logistic", model=model)
        columns.append(
            {
                "selected layer": row["layers"].iloc[0],
                "its macro-F1": cell(score),
                "over words": interval(score, "_over_words"),
                f"minus {names[0]}": "" if first is None else cell(first),
                f"minus {names[0]}, over words": ""
                if first is None
                else interval(first, "_over_words"),
                "last layer minus selected": "selected" if last.isna().any() else cell(last),
                "peak over words": cell(peak.rename(columns={"peak": "value"}).iloc[0], digits=0),
                "in the confidence set": ranges(
                    layers[layers["in_confidence_set"].astype(str) == "True"]["layers"]
                ),
            }
        )
    return markdown(["", *names], ([fact, *(c[fact] for c in columns)] for fact in columns[0]))


def ranges(layers: Iterable[int]) -> str:
    """Return layers such as 4, 6, 7 and 8 as "4, 6 to 8"."""
    runs: list[list[int]] = []
    for layer in sorted(layers):
        if runs and layer == runs[-1][-1] + 1:
            runs[-1].append(layer)
        else:
            runs.append([layer])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


def fill(page: str) -> str:
    """Return a page with its tables written again."""
    written: dict[str, Callable[[], str]] = globals()
    return _TABLE.sub(lambda found: found[1] + written[found[2]](), page)


def main() -> None:
    """Write the tables of every page."""
    for path in sorted(PAGES.glob("*.md")):
        path.write_text(fill(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
