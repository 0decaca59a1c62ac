"""Compute on one thread, because the last bits of a product depend on the number of threads.

The last bits can decide a tie between two neighbours.
"""

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """Limit every loaded library of linear algebra and OpenMP to one thread in a block."""
    return _libraries(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """Find the libraries, which takes longer than a small word's products.

    Only an import loads further libraries, so the number of modules is the key of the cache.
    """
    return ThreadpoolController()
