"""What the tests of runs share."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def no_sync() -> Iterator[None]:
    """Do not wait for the disk: tests/storage checks that files are synced."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield
