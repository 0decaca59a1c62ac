"""The figures of docs/tutorial.md: `python docs/make/figures.py` writes docs/figures/*.svg.

From the built-in corpus and the packaged MiniLM, so that anyone can make them again;
tests/docs/test_tutorial.py does, and compares.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from wsd.analysis.project import pca
from wsd.inference.focal_embedder import FocalEmbedder
from wsd.inference.focal_word_input import labelled, quickstart
from wsd.report.paper.style import MM, TWO_COLUMNS, styled
from wsd.report.series import COLOURS, MARKERS

WORDS = ("apple", "bank", "crane", "java", "spring")
KS = (1, 2, 3, 4)
FIGURES = Path(__file__).parents[1] / "figures"


def draw(k: int, out: Path) -> None:
    """All sentences of every word on two principal components of the mean of the last k layers."""
    embedder = FocalEmbedder("all-MiniLM-L6-v2", f"mean-last-{k}", device="cpu")
    markers = [name for _, name in MARKERS.values()]
    with styled():
        figure = Figure(figsize=(TWO_COLUMNS * MM, 44 * MM), layout="constrained")
        for ax, word in zip(figure.subplots(1, len(WORDS)), WORDS, strict=True):
            corpus = quickstart(word)
            parts = [labelled(corpus, split) for split in ("train", "test")]
            gold = np.concatenate([y for _, y in parts])
            vectors = embedder.fit_transform([one for X, _ in parts for one in X])
            train = np.arange(len(gold)) < len(parts[0][0])
            points, _ = pca(vectors, train)
            for i, sense in enumerate(corpus.senses):
                x, y = points[gold == sense].T
                look = {"color": COLOURS[i], "marker": markers[i], "alpha": 0.8}
                ax.scatter(x, y, s=9, linewidths=0, label=sense.removeprefix(f"{word}_"), **look)
            ax.set(title=word, xticks=[], yticks=[])
            ax.legend(fontsize=5, loc="upper center", bbox_to_anchor=(0.5, -0.02), handlelength=1)
        figure.savefig(out / f"mean-last-{k}.svg", metadata={"Date": None})


def main(out: Path) -> None:
    """Write every figure."""
    out.mkdir(parents=True, exist_ok=True)
    for k in KS:
        draw(k, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else FIGURES)
