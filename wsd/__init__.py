"""wsd: which layer of an encoder knows which sense of a word?

The library behind the workflow and the ``wsd`` command. Each step of the workflow is one
module and one command; nothing here imports Snakemake.

A notebook can import the names below from here, as in ``from wsd import FocalEmbedder``. Their
modules are loaded at the first use, so that ``import wsd`` is fast.
"""

import sys
from typing import TYPE_CHECKING, Any

__version__ = "2.0.0"

if sys.platform == "win32":
    # This line runs first, in a command, the workflow and a notebook.
    sys.exit(
        "wsd needs the file locks and signals of Linux or macOS. On Windows, use it in WSL: "
        "https://learn.microsoft.com/windows/wsl/install"
    )

if TYPE_CHECKING:
    from wsd.artifacts.corpus_table import Corpus
    from wsd.classification.estimators.logistic import Logistic
    from wsd.classification.estimators.vector_classifiers import KNN, LDA, NearestCentroid
    from wsd.corpora.text_format import read_text
    from wsd.errors import WsdError
    from wsd.inference.encoders import open_encoder
    from wsd.inference.finished_run import Run, open_run
    from wsd.inference.focal_embedder import FocalEmbedder
    from wsd.inference.inspect import inspect
    from wsd.inference.sentences import cut, find, labelled, quickstart

__all__ = (
    "KNN", "LDA", "Corpus", "FocalEmbedder", "Logistic", "NearestCentroid", "Run", "WsdError",
    "cut", "find", "inspect", "labelled", "open_encoder", "open_run", "quickstart", "read_text",
)  # fmt: skip

_MODULES = {
    "artifacts.corpus_table": ("Corpus",),
    "classification.estimators.registry": ("KNN", "LDA", "Logistic", "NearestCentroid"),
    "corpora.text_format": ("read_text",),
    "errors": ("WsdError",),
    "inference.focal_embedder": ("FocalEmbedder",),
    "inference.sentences": ("cut", "find", "labelled", "quickstart"),
    "inference.inspect": ("inspect",),
    "inference.encoders": ("open_encoder",),
    "inference.finished_run": ("Run", "open_run"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"wsd.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
