"""A config with everything that a corpus with senses can have, on tiny encoders."""

from pathlib import Path
from typing import Any

from checkout import REPOSITORY
from tiny import tiny_bert

from wsd.run.config_files import read_configs
from wsd.run.schema import ANALYSES, ConfigFile
from wsd.studies.registry import STUDIES


def make(folder: Path) -> Path:
    """Write two encoders, the outputs of two systems, and a table of glosses."""
    tiny_bert(folder / "tiny", head=True)
    tiny_bert(folder / "other", head=True, max_length=32)
    (folder / "said.jsonl").write_text('{"word": "crane"}\n')
    (folder / "more.jsonl").write_text('{"word": "apple"}\n')
    (folder / "glosses.tsv").write_text("word\tsense\tgloss\n")
    return folder


def build_config(folder: Path) -> dict[str, Any]:
    """Return a config with everything, except for deleted studies."""
    config = read_configs([REPOSITORY / "config/config.yaml"])
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
        "finetune": {"rate": [1e-4], "epochs": [1]},
        "analyses": ["geometry", "audit", "code_length", "substitutes"],
        "projections": ["pca", "tsne"],
        "clusters": {"most": 5, "centre": "form"},
        "systems": [{"name": "they", "file": str(folder / "said.jsonl")}],
    }
    config["controls"] = {
        **{"baselines": True, "views": ["context"], "random_weights": [1], "task": True},
        "classifiers": ["nearest_centroid", "logistic"],
    }
    config["classifiers"] = [*config["classifiers"], {"name": "lda", "shrinkage": [0.5]}]
    return without_deleted_studies(config)


def without_deleted_studies(config: dict[str, Any]) -> dict[str, Any]:
    """Return the config without the keys, analyses and models of studies that are deleted."""
    kept = {key: value for key, value in config.items() if key in ConfigFile.model_fields}
    kept["analyses"] = [name for name in kept["analyses"] if name in ANALYSES]
    if "finetuning" not in STUDIES:
        kept["models"] = [entry for entry in kept["models"] if not entry.get("finetuned_from")]
    return kept
