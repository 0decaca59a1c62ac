"""Write the model card of a `.wsd` file, in Markdown, from the template ``card.md``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import yaml

from wsd.artifacts.input_template import as_argument
from wsd.storage.text_table import markdown

Record = Mapping[str, Any]
COLUMNS = {
    "Words": ("scores", ["word", "n_train", "n_test", "macro_f1", "accuracy"]),
    "Probabilities, over all words": (
        "calibration",
        ["test", "scores", "n", "nll", "brier", "ece"],
    ),
    "Sentences marked as far": ("ood", ["sentences", "n", "ood"]),
}


def card(
    manifest: Record,
    file: str,
    dataset: Record,
    measured: Mapping[str, Sequence[Record]],
    *,
    with_sentences: bool,
) -> str:
    """Return the card of a model file, with the metadata that model hubs read in front."""
    encoder, used, predicted = (manifest[k] for k in ("encoder", "configuration", "predictions"))
    source = ", ".join(f"{k} {v}" for k, v in encoder["model"]["source"].items())
    metadata = {"library_name": "wsd", "tags": ["wsd", "word-sense-disambiguation"]}
    metadata |= {"language": manifest["language"][:2], "license": "other"}
    metadata |= {"license_name": dataset["licence"], "license_link": dataset["licence_url"]}
    facts = {
        "encoder": f"{used['model']}: {source}",
        **{f: f"sha256 {d}" for f, d in encoder["model"]["files"].items() if "safetensors" in f},
        "pooling, input": f"{encoder['pooling']}, `{as_argument(encoder['input'])}`",
        "features": f"{used['view']}, layers {used['layers']}",
        "classifier": f"{used['classifier']} {predicted['parameters'] or ''}",
        "corpus": f"{dataset['title']}, {dataset['source'] or 'a corpus of your own'}",
        "licence of the corpus": dataset["licence"] or "not known here",
        "versions": ", ".join(f"{k} {v}" for k, v in manifest["versions"].items()),
    }
    template = jinja2.Template(Path(__file__).with_name("card.md").read_text(encoding="utf-8"))
    return template.render(
        metadata=yaml.safe_dump(metadata, sort_keys=False),
        words=manifest["words"],
        file=file,
        source=source,
        facts=facts,
        with_sentences=with_sentences,
        tables={title: _table(measured[k], names) for title, (k, names) in COLUMNS.items()},
        tuned="finetuned_from" in encoder["model"],
        citation=dataset["citation"] or "the corpus.",
    )


def _table(rows: Sequence[Record], columns: Sequence[str]) -> str:
    if not rows:
        return ""
    table = pd.DataFrame(rows)[list(columns)]
    shares = table.select_dtypes("float").columns.difference(["nll"])
    table[shares] = (100 * table[shares]).round(1)
    return markdown(list(columns), table.astype(str).to_numpy().tolist())
