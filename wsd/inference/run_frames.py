"""Return the files of a run as DataFrames."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.feature_set import JOIN, parse_features, read_features, vectors_file
from wsd.artifacts.run_json import Words
from wsd.artifacts.vectors import Embeddings
from wsd.artifacts.view_names import VIEWS
from wsd.errors import ConfigError, DamageError, ResultError, unknown_choice
from wsd.fitted.selected_results import Configuration, Results
from wsd.inference import result_tables
from wsd.inference.available_memory import require_memory
from wsd.inference.input_output import Answer
from wsd.inference.vector_frames import ALL, frame_of, frame_of_layers
from wsd.report.tables import PATHS
from wsd.storage.csv import read_csv

ANSWERED = (
    "sentence", "status", "word", "form", "start", "sense", "sense_name", "probability",
    "probabilities", "scores", "distance", "ood", "message",
)  # fmt: skip


def published_table(results: Results, name: str) -> pd.DataFrame:
    """Return a table of a run, as ``results/README.md`` describes it.

    Parameters
    ----------
    results : Results
    name : str
        A name of ``PATHS``.

    Raises
    ------
    ConfigError
        For another name.
    ResultError
        If the table is missing or damaged.
    """
    if name not in PATHS:
        raise unknown_choice(f"no table {name!r}", PATHS, "name")
    return read_csv(results.map.file(PATHS[name]))


def prediction_table(
    results: Results,
    configuration: Configuration,
    train: str,
    test: str,
    word: str | None = None,
) -> pd.DataFrame:
    """Return the predictions of a configuration for one split and one word, or all words.

    The columns and the errors are those of :func:`wsd.inference.result_tables.predictions`;
    ``scores`` are dicts.
    """
    import pyarrow as pa

    words = () if word is None else (word,)
    tables = result_tables.predictions(results, configuration, words, train=train, test=test)
    table = pa.concat_tables(tables).to_pandas()
    table["scores"] = [{s["sense"]: s["score"] for s in scores} for scores in table["scores"]]
    return table


def vector_table(words: Words, corpus: Corpus, view: str, layers: str) -> pd.DataFrame:
    """Return the vectors of a word's instances, which the index names by split, line and sense.

    Parameters
    ----------
    words : Words
        The files of a model's vectors.
    corpus : Corpus
    view, layers : str
        ``all`` layers are every stored layer, with a MultiIndex of columns.

    Raises
    ------
    ConfigError
        If the view is not stored, or the layer choice does not exist.
    ResultError
        If a file is damaged or belongs to another corpus, or a layer is not stored.
    """
    index = pd.MultiIndex.from_arrays(
        [corpus.split, corpus.index, np.array(corpus.senses, dtype=object)[corpus.gold]],
        names=["split", "index", "sense"],
    )
    for name in view.split(JOIN):
        if name not in (stored := [*_stored_views(words, corpus)]):
            raise unknown_choice(f"no vectors of the view {name!r}", stored, "view")
    if layers == ALL and JOIN in view:
        fix = f"name one view, or a layer choice for each, joined by {JOIN}"
        raise ConfigError(f"layers {ALL!r} of several views {view!r}", where="layers", fix=fix)
    opened = [Embeddings(vectors_file(words, corpus, v), corpus) for v in view.split(JOIN)]
    _require_memory(opened, corpus, view, layers)
    if layers == ALL:
        (embeddings,) = opened
        vectors = np.stack([embeddings.layer(layer) for layer in embeddings.stored], axis=1)
        return frame_of_layers(vectors, embeddings.stored, index)
    features, vectors, _ = read_features(words, corpus, view, layers)
    names = [f"{features.view}_{features.layers}_{i}" for i in range(vectors.shape[1])]
    return frame_of(vectors, names, index)


def _require_memory(opened: Sequence[Embeddings], corpus: Corpus, view: str, layers: str) -> None:
    """Refuse vectors whose layers do not fit into memory."""
    if layers == ALL:
        numbers = [len(embeddings.stored) for embeddings in opened]
    else:
        blocks = max(embeddings.blocks for embeddings in opened)
        parts = parse_features(view, layers, blocks, where="layers").parts
        numbers = [len(choice.layers) for _, choice in parts]
    sizes = (n * embeddings.width for n, embeddings in zip(numbers, opened, strict=True))
    what = f"the layers {layers} of {len(corpus):,} instances of {corpus.word!r}"
    require_memory(4 * len(corpus) * sum(sizes), what=what, fix="name fewer layers")


def _stored_views(words: Words, corpus: Corpus) -> Iterable[str]:
    for view in VIEWS:
        try:
            if vectors_file(words, corpus, view).is_file():
                yield view
        except DamageError:
            raise
        except ResultError:  # no listing has this view
            continue


def answer_table(answers: Iterable[Answer]) -> pd.DataFrame:
    """Return answers to new sentences, with a row per occurrence of a word."""
    records: list[dict[str, Any]] = [
        {**vars(answer), "sentence": answer.line.text} for answer in answers
    ]
    return pd.DataFrame.from_records(records, columns=list(ANSWERED))
