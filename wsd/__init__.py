"""wsd: which layer of an encoder knows which sense of a word?

The library behind the workflow and the ``wsd`` command. Each step of the workflow is one
module and one command; nothing here imports Snakemake.

What a notebook needs can be had from here, as in ``from wsd import FocalEmbedder``; it is
imported when it is first asked for, so that ``import wsd`` costs nothing.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from wsd.classifiers.centroid import NearestCentroid
    from wsd.classifiers.knn import KNN
    from wsd.classifiers.lda import LDA
    from wsd.classifiers.logistic import Logistic
    from wsd.corpus import Corpus, read_text
    from wsd.errors import WsdError
    from wsd.focus import cut, find, labelled, quickstart
    from wsd.inspection import inspect
    from wsd.opening import open_encoder
    from wsd.transformer import FocalEmbedder

__all__ = [
    "KNN",
    "LDA",
    "Corpus",
    "FocalEmbedder",
    "Logistic",
    "NearestCentroid",
    "WsdError",
    "cut",
    "find",
    "inspect",
    "labelled",
    "open_encoder",
    "quickstart",
    "read_text",
]

_MODULES = {
    "classifiers": ("KNN", "LDA", "Logistic", "NearestCentroid"),
    "corpus": ("Corpus", "read_text"),
    "errors": ("WsdError",),
    "focus": ("cut", "find", "labelled", "quickstart"),
    "inspection": ("inspect",),
    "opening": ("open_encoder",),
    "transformer": ("FocalEmbedder",),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"wsd.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
