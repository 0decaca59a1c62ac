"""One thread: on several, the last bits of a product depend on their number, and a tie on those."""

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """Hold every library of linear algebra and OpenMP that is loaded to one thread."""
    return _libraries(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """Looking for them takes longer than a small word's products; only an import loads others."""
    return ThreadpoolController()
