"""A config that asks for everything that a corpus with senses can have, on tiny encoders."""

from pathlib import Path
from typing import Any

from tiny import tiny_bert

from wsd.run.config_files import read_configs

ROOT = Path(__file__).parents[2]


def make(folder: Path) -> Path:
    """An encoder, another, and what two systems say."""
    tiny_bert(folder / "tiny", head=True)
    tiny_bert(folder / "other", head=True, max_length=32)
    (folder / "said.jsonl").write_text('{"word": "crane"}\n')
    (folder / "more.jsonl").write_text('{"word": "apple"}\n')
    (folder / "glosses.tsv").write_text("word\tsense\tgloss\n")
    return folder


def said(folder: Path) -> dict[str, Any]:
    """A config that asks for everything."""
    config = read_configs([ROOT / "config/config.yaml"])
    entry = {"blocks": 2, "width": 32}
    config |= {
        "words": ["apple", "crane", "java"],
        "models": [
            {"name": "a", "path": str(folder / "tiny"), **entry},
            {"name": "b", "path": str(folder / "tiny"), **entry},
            {"name": "trained", "finetuned_from": "a", **entry},
        ],
        "layers": ["all", "mean-last-2"],
        "features": [{"focal": 1, "context": 2}],
        "trains": ["1pct", "5pct", "10pct", "25pct", "50pct"],
        "glosses": "corpus",
        "finetune": {"rate": [1e-4], "epochs": [1], "blocks": ["all"]},
        "analyses": ["geometry", "audit", "code_length", "substitutes"],
        "projections": ["pca", "tsne"],
        "clusters": {"most": 5, "centre": "form"},
        "systems": [{"name": "they", "file": str(folder / "said.jsonl")}],
    }
    config["controls"] = {
        "baselines": True,
        "views": ["context"],
        "random_weights": [1],
        "task": True,
        "classifiers": ["nearest_centroid", "logistic"],
    }
    config["classifiers"] = [*config["classifiers"], {"name": "lda", "shrinkage": [0.5]}]
    return config
