"""Transform instances batch by batch, so that memory does not grow with their number."""

import copy
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pandas as pd
from tqdm import tqdm

from wsd.errors import ConfigError
from wsd.inference import table_rows
from wsd.inference.feature_vectors import UNIT


def transform_in_batches(embedder: Any, X: Any, size: int) -> Iterator[Any]:
    """Yield the vectors of each batch, and hold one batch at a time.

    Parameters
    ----------
    embedder : FocalEmbedder
        Fitted.
    X : iterable of instances
        An iterator is read as far as the batches need it.
    size : int

    Raises
    ------
    ConfigError
        For an instance without its focal word. It names the first instance of the batch.
    """
    single = copy.copy(embedder).set_params(progress=False)
    # The length of a path is not a number of instances.
    total = len(X) if hasattr(X, "__len__") and not isinstance(X, str) else None
    with tqdm(total=total, unit=UNIT, disable=not embedder.progress) as bar:
        for first, part in _parts(X, size):
            # The result has no name here, which would keep it until the next one is ready.
            yield _transform(single, part, first)
            bar.update(len(part))


def _transform(embedder: Any, part: Any, first: int) -> Any:
    try:
        return embedder.transform(part)
    except ConfigError as error:
        problem = f"in the batch from instance {first}: {error.problem}"
        raise ConfigError(problem, where=error.where, fix=error.fix) from None


def _parts(X: Any, size: int) -> Iterator[tuple[int, Any]]:
    """Yield parts of a frame or of an iterable, each with the number of its first instance."""
    if isinstance(X, pd.DataFrame):
        yield from ((first, X.iloc[first : first + size]) for first in range(0, len(X), size))
        return
    first, rows = 0, iter(table_rows.rows(X))
    while part := list(islice(rows, size)):
        yield first, part
        first += len(part)
