"""Keep a run's numbers: `python docs/make/keep_run.py results/<dataset>/runs/<run>`.

docs/findings/data/<run>/ gets the run's config and the rows of its tables that the findings quote.
No file has a sentence of a corpus, or a path of this machine.
"""

import sys
from pathlib import Path
from typing import Any

import pandas as pd

from wsd.storage.json import read_json, write_json

DATA = Path(__file__).parents[1] / "findings/data"
METRIC = "mean_macro_f1"


def of_metric(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of macro-F1, or its columns."""
    if "metric" in table:
        return table[table["metric"] == METRIC].drop(columns="metric")
    named = [column for column in table if column.startswith(("mean_", "micro_", "rare_"))]
    other = [column for column in named if not column.startswith(METRIC)]
    return table.drop(columns=other)


def run_of(run: dict[str, Any]) -> dict[str, Any]:
    """Return the command, the config and the checksums of the weights."""
    weights = {key: sha256 for key, sha256 in run["digests"].items() if "safetensors" in key}
    sums = {"/".join(Path(key).parts[-2:]): sha256 for key, sha256 in weights.items()}
    return {"command": run["command"], "config": run["config"], "sha256": sums}


def main(tables: Path) -> None:
    """Write the files of one run."""
    out = DATA / tables.name
    write_json(out / "run.json", run_of(read_json(tables / "run.json")))

    def read(table: str) -> pd.DataFrame:
        return of_metric(pd.read_csv(tables / f"{table}.csv", dtype=str, keep_default_na=False))

    best = read("comparison/best-set")
    row = ["model", "view", "layers", "classifier"]
    layers = read("comparison/layers").merge(best[[*row, "in_confidence_set"]], how="left", on=row)
    # The table has each row once per model that it is compared with.
    rows = read("comparison").drop(columns="reference_model").drop_duplicates()
    written = {
        "layers": layers,
        "rows": rows[rows["kind"] != "candidate"],
        "differences": read("comparison/differences"),
        "peaks": read("comparison/peaks"),
    }
    long = [pd.read_csv(path) for path in sorted(tables.glob("*/long-vectors.csv"))]
    written["long-vectors"] = (
        pd.concat(long)
        .groupby(["model", "view", "layer"], as_index=False)
        .agg({"word": "count", "long": "sum", "median": "median", "longest": "max"})
        .rename(columns={"word": "words"})
        .astype(str)
    )
    for table, content in written.items():
        if len(content):
            used = content.loc[:, (content != "").any()]
            used.to_csv(out / f"{table}.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
