"""Compute the figures of change and graded pairs on DWUG EN without the program.

    python tests/helpers/naive_dwug.py results/dwug-en/store/MODEL@KEY/embeddings DWUG_EN

This script shares no code with ``wsd``. It prints a line per layer, with Spearman correlations:

- ``apd``: of words' average pairwise cosine distance between the two periods with the published
  ``change_graded``; ``prototype``: the same for the cosine distance of the two mean vectors;
- ``pairs``: of the cosines of the judged pairs of all words with the median judgment. Judgments of
  0 (cannot decide) are left out.
"""

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr


def table(path: Path) -> pd.DataFrame:
    """Return a table as DWUG writes it: tabs, and quotes are text."""
    return pd.read_csv(path, sep="\t", quoting=3, keep_default_na=False)


def vectors(folder: Path) -> np.ndarray:
    """Return the vectors of a word: shape (layers, uses, width)."""
    raw = (folder / "focal.safetensors").read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    entry = json.loads(raw[8:start])["vectors"]
    assert entry["dtype"] == "F32"
    begin, end = (start + offset for offset in entry["data_offsets"])
    return np.frombuffer(raw[begin:end], "<f4").reshape(entry["shape"]).astype(np.float64)


def word_folders(embeddings: Path) -> dict[str, Path]:
    """Return the folder of each word; ``=5f`` in a name is the character with this code."""
    paths = embeddings.glob("*/focal.safetensors")
    names = {path.parent: path.parent.name.partition("@")[0] for path in paths}
    return {
        re.sub("=([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), name): folder
        for folder, name in names.items()
    }


def compute(embeddings: Path, dwug: Path) -> pd.DataFrame:
    """Return a row per layer, with the number of words and pairs."""
    published = table(dwug / "stats/opt/stats_groupings.csv").set_index("lemma")["change_graded"]
    distances: dict[str, list[np.ndarray]] = defaultdict(list)
    cosines, medians, words = [], [], []
    for word, folder in sorted(word_folders(embeddings).items()):
        words.append(word)
        layers = vectors(folder)
        uses = table(dwug / "data" / word / "uses.csv")
        assert layers.shape[1] == len(uses), word
        first, second = sorted(set(uses["grouping"]))
        early, late = ((uses["grouping"] == group).to_numpy() for group in (first, second))
        for name, pairs in (
            ("apd", [(layer[early], layer[late]) for layer in layers]),
            ("prototype", [(x[early].mean(0)[None], x[late].mean(0)[None]) for x in layers]),
        ):
            distances[name].append(np.array([cdist(*pair, "cosine").mean() for pair in pairs]))
        judged = table(dwug / "data" / word / "judgments.csv")
        judged = judged[judged["judgment"] > 0]
        keys = ["identifier1", "identifier2"]
        judged[keys] = np.sort(judged[keys].to_numpy().astype(str), axis=1)
        ratings = judged.groupby(keys)["judgment"].median()
        rows = pd.Series(range(len(uses)), index=uses["identifier"].astype(str))
        one, other = (rows[ratings.index.get_level_values(key)].to_numpy() for key in keys)
        units = layers / np.linalg.norm(layers, axis=2, keepdims=True)
        cosines.append((units[:, one] * units[:, other]).sum(axis=2))
        medians.append(ratings.to_numpy())
    gold = published[words].to_numpy(dtype=float)
    rating = np.concatenate(medians)
    lines = []
    for layer in range(len(cosines[0])):
        by_layer = {name: [word[layer] for word in each] for name, each in distances.items()}
        line = {name: spearmanr(values, gold).statistic for name, values in by_layer.items()}
        pairs = spearmanr(np.concatenate([word[layer] for word in cosines]), rating).statistic
        counts = {"n_words": len(words), "n_pairs": len(rating)}
        lines.append({"layer": layer, **line, "pairs": pairs, **counts})
    return pd.DataFrame(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("embeddings", type=Path)
    parser.add_argument("dwug", type=Path)
    args = parser.parse_args()
    print(compute(args.embeddings, args.dwug).to_csv(index=False, float_format="%.4f"), end="")
