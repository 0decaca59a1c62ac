"""What a test needs and may not find: a skip, or a failure where it must be there."""

import os
from typing import NoReturn

import pytest


def missing(what: str, reason: str) -> NoReturn:
    """Skip the test; fail it if ``WSD_TESTS_REQUIRE`` lists ``what``, as CI's does."""
    if what in os.environ.get("WSD_TESTS_REQUIRE", "").split():
        pytest.fail(f"WSD_TESTS_REQUIRE has {what!r}, but {reason}")
    pytest.skip(reason)
