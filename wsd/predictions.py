"""Fit one classifier on one layer choice, word by word, and predict the test instances.

One file holds all words: word, index (line of the test file), gold, predicted, and a map from
every sense of the word to its score. A sense without training instances scores NaN and is never
predicted.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from wsd.corpus import Corpus
from wsd.embeddings import Embeddings
from wsd.errors import ResultError
from wsd.files import expecting, read_table, write_table
from wsd.layers import LayerChoice, parse

log = logging.getLogger("wsd")

PACKAGES = ("numpy", "scikit-learn", "scipy", "wsd")


@dataclass(frozen=True, eq=False)
class WordPredictions:
    """The test instances of one word.

    Attributes
    ----------
    word : str
    senses : tuple of str
        The word's inventory.
    n_train : int
        Training instances that the classifier saw.
    index : int array of shape (n,)
        0-based line in the test file.
    gold, predicted : int arrays of shape (n,)
        0-based index into ``senses``.
    scores : float array of shape (n, len(senses))
        NaN for a sense without training instances.
    """

    word: str
    senses: tuple[str, ...]
    n_train: int
    index: np.ndarray
    gold: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray


def predict_word(corpus: Corpus, vectors: np.ndarray, classifier: Any) -> WordPredictions:
    """Fit on a word's training rows and predict its test rows.

    Parameters
    ----------
    corpus : Corpus
    vectors : array of shape (len(corpus), features)
        In the corpus's row order.
    classifier : scikit-learn classifier
        Unfitted; with ``predict_proba`` or ``decision_function`` over all classes.
    """
    if len(vectors) != len(corpus):
        raise ValueError(f"{len(vectors)} vectors for {len(corpus)} instances of {corpus.word}")
    train, test = corpus.split == "train", corpus.split == "test"
    classifier.fit(vectors[train], corpus.gold[train])
    tested = vectors[test]
    score = getattr(classifier, "predict_proba", None) or classifier.decision_function
    scores = np.full((len(tested), len(corpus.senses)), np.nan)
    scores[:, classifier.classes_] = score(tested)
    return WordPredictions(
        word=corpus.word,
        senses=corpus.senses,
        n_train=int(train.sum()),
        index=corpus.index[test],
        gold=corpus.gold[test],
        predicted=classifier.predict(tested).astype(np.int32),
        scores=scores,
    )


def combined(embeddings: Embeddings, choice: LayerChoice) -> np.ndarray:
    """The vectors of a layer choice, reading only the layers it names."""
    return choice.combine({layer: embeddings.layer(layer) for layer in choice.layers})


def classify(
    corpora: Mapping[str, Corpus],
    embeddings: Path,
    *,
    view: str,
    layers: str,
    name: str,
    estimator: str,
    parameters: Mapping[str, Any],
    train: str,
    out: Path,
) -> None:
    """Fit and predict every word, and write one file.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    embeddings : Path
        Folder with ``<word>/<view>.safetensors``.
    view : str
        Which view is classified.
    layers : str
        A layer choice.
    name, estimator, parameters
        The classifier's name in the config, its estimator and that one's parameters.
    train : str
        Name of the training set.
    out : Path
    """
    from threadpoolctl import threadpool_limits

    from wsd.classifiers import build

    words: list[WordPredictions] = []
    sources: dict[str, Any] = {}
    # On several threads a product's last bits depend on their number, and with them a near tie.
    with threadpool_limits(1):
        for word, corpus in corpora.items():
            opened = Embeddings(embeddings / word / f"{view}.safetensors", corpus)
            choice = parse(layers, opened.blocks, where="layers")
            words.append(
                predict_word(corpus, combined(opened, choice), build(estimator, parameters))
            )
            sources[word] = opened.provenance
            log.debug("%s %s %s: %d of %d words", choice.name, name, word, len(words), len(corpora))
    provenance = {
        "train": train,
        "view": view,
        "layers": choice.name,
        "classifier": name,
        "estimator": estimator,
        "parameters": dict(parameters),
        **shared(sources, out),
        "versions": {package: version(package) for package in PACKAGES},
    }
    write(out, words, provenance)


def shared(sources: Mapping[str, Mapping[str, Any]], where: Path) -> dict[str, Any]:
    """What the embeddings of all words must have in common, and the digest of each word's corpus.

    Parameters
    ----------
    sources : mapping of word to the provenance of its embeddings
    where : Path
        For the error.

    Raises
    ------
    ResultError
        If two words' vectors come from different models, poolings or seeds.
    """
    keys = ("model", "pooling", "precision", "seed", "device", "versions")
    found = {word: {key: source[key] for key in keys} for word, source in sources.items()}
    first, *others = found
    for other in others:
        for key in keys:
            if found[other][key] != found[first][key]:
                raise ResultError(
                    f"the vectors of {first!r} and {other!r} were made with another {key}",
                    where=str(where),
                    fix="delete the embeddings of the model and run again",
                )
    return {
        "encoder": found[first],
        "corpus": {word: source["corpus"] for word, source in sources.items()},
    }


def write(path: Path, words: Sequence[WordPredictions], provenance: Mapping[str, Any]) -> None:
    """Write the predictions of all words, whole or not at all."""
    import pyarrow as pa

    def column(values: Any) -> list[Any]:
        return [value for word in words for value in values(word)]

    table = pa.table(
        {
            "word": column(lambda w: [w.word] * len(w.index)),
            "index": pa.array(np.concatenate([w.index for w in words])),
            "gold": column(lambda w: [w.senses[code] for code in w.gold]),
            "predicted": column(lambda w: [w.senses[code] for code in w.predicted]),
            # A map, so that a reader in any language sees which score is which sense's.
            "scores": pa.array(
                column(lambda w: [list(zip(w.senses, r, strict=True)) for r in w.scores.tolist()]),
                type=pa.map_(pa.string(), pa.float64()),
            ),
        }
    )
    per_word = {w.word: {"senses": list(w.senses), "n_train": w.n_train} for w in words}
    write_table(path, table, {**provenance, "words": per_word})


def read(path: Path) -> tuple[list[WordPredictions], dict[str, Any]]:
    """Read what :func:`write` wrote: the predictions of each word, and their provenance."""
    table, provenance = read_table(path)
    with expecting(path):
        columns = {name: table[name].to_pylist() for name in table.column_names}
        names = np.array(columns["word"])
        words = [
            _of_word(word, of_word, {k: [v[i] for i in rows] for k, v in columns.items()})
            for word, of_word in provenance["words"].items()
            for rows in [np.flatnonzero(names == word)]
        ]
    return words, provenance


def _of_word(
    word: str, of_word: Mapping[str, Any], columns: Mapping[str, list[Any]]
) -> WordPredictions:
    senses = tuple(of_word["senses"])
    code = {sense: i for i, sense in enumerate(senses)}
    scores = [[score for _, score in row] for row in columns["scores"]]
    return WordPredictions(
        word=word,
        senses=senses,
        n_train=of_word["n_train"],
        index=np.array(columns["index"], dtype=np.int32),
        gold=np.array([code[sense] for sense in columns["gold"]], dtype=np.int32),
        predicted=np.array([code[sense] for sense in columns["predicted"]], dtype=np.int32),
        scores=np.array(scores, dtype=float).reshape(len(scores), len(senses)),
    )
