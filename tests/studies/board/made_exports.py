"""Small runs of two encoders with known errors, for exports."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from call_step import call_step
from small_results import map_files
from two_words import FAIR, FEW, GOOD, MANY, POOR, SOME, Wrong, corpora, pair

from wsd.artifacts import corpus_table
from wsd.artifacts.run_json import RUN_MAP
from wsd.classification import select
from wsd.cli import main
from wsd.evaluation import compare, evaluate, layerwise

BLOCKS = 2
# Per encoder, the errors of each layer choice on the test set.
ERRORS: dict[str, dict[str, Wrong]] = {
    "large": {"0": MANY, "1": FEW, "2": SOME, "mean-all": FEW},
    "small": {"0": MANY, "1": SOME, "2": MANY, "mean-all": SOME},
}
FOLDS = {"0": POOR, "1": FAIR, "2": GOOD, "mean-all": POOR}
VERSIONS = {"wsd": "0", "numpy": "0"}
READ = {"pooling": "mean", "input": "plain", "precision": "float32"}


def record(model: str) -> dict[str, Any]:
    """Return the record of an encoder as `wsd model` writes it; its folder does not exist."""
    return {
        "name": model,
        "source": {"path": f"/home/somebody/{model}"},
        "files": dict.fromkeys(("config.json", "model.safetensors"), "0" * 64),
        "blocks": BLOCKS,
        "width": 32,
        "model_type": "bert",
    }


def made_run(
    folder: Path,
    models: Sequence[str] = ("large", "small"),
    *,
    errors: Mapping[str, Mapping[str, Wrong]] = ERRORS,
) -> Path:
    """Write the files of a run that an export reads, and the tables of its comparison."""
    folder.mkdir(parents=True)
    own = corpora()
    for word, corpus in own.items():
        corpus_table.write(folder / f"corpus/{word}.parquet", corpus)
    (folder / "corpus/words.json").write_text("{}")
    files: dict[str, list[Path]] = {"predictions": [], "searches": []}
    for model in models:
        for classifier in ("centroid", "lda"):
            for layers, wrong in errors[model].items():
                scores = FOLDS[layers]
                source = {"classifier": classifier, "space": {}, "versions": VERSIONS}
                encoder = {"model": record(model), **READ, "versions": VERSIONS}
                made = pair(folder, layers, wrong, scores, encoder=encoder, **source)
                for kind, path, name in zip(files, made, ("predictions", "search"), strict=True):
                    place = f"{model}/{name}/full/focal/{layers}.{classifier}.parquet"
                    (folder / place).parent.mkdir(parents=True, exist_ok=True)
                    files[kind].append(path.rename(folder / place))
    selection = {"table": folder / "selection.csv", "out": folder / "selection.json"}
    call_step(select, searches=files["searches"], **selection)
    names = {"scores": folder / "scores.csv", "summary": folder / "summary.csv"}
    provenance = {"provenance": folder / "provenance.json", "dataset": "made"}
    call_step(evaluate, predictions=files["predictions"], **names, **provenance)
    compared = {"table": folder / "comparison.csv", "out": folder / "comparison"}
    chosen = {"selection": selection["out"], "selection_table": selection["table"]}
    scores = names["scores"]
    call_step(compare, own, candidates=files["predictions"], scores=scores, **chosen, **compared)
    tables = ("layers", "word_layers", "model_layers", "peaks")
    places = {name: folder / f"comparison/{name}.csv" for name in tables}
    call_step(layerwise, own, **files, **places)
    (folder / RUN_MAP).unlink(missing_ok=True)
    map_files(folder)
    return folder


def export(results: Path, out: Path, *options: str) -> Path:
    assert main(["export", "--results", str(results), "--out", str(out), *options]) == 0
    return out
