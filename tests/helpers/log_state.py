"""Restore the loggers of this process, which every command configures."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def logs_as_before() -> Iterator[None]:
    """Restore the loggers after the block, and close the log file."""
    root, wsd = logging.getLogger(), logging.getLogger("wsd")
    handlers, level, wsd_level = root.handlers[:], root.level, wsd.level
    yield
    for handler in root.handlers:
        if isinstance(handler, logging.FileHandler) and handler not in handlers:
            handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)
    wsd.setLevel(wsd_level)
    logging.captureWarnings(False)
