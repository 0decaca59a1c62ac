"""Skip tests whose requirements are missing, or fail them where CI requires them."""

import os
from typing import NoReturn

import pytest

from wsd.studies.registry import STUDIES


def missing(problem: str, reason: str) -> NoReturn:
    """Skip the test; fail it if ``WSD_TESTS_REQUIRE`` lists the problem, as in CI."""
    if problem in os.environ.get("WSD_TESTS_REQUIRE", "").split():
        pytest.fail(f"WSD_TESTS_REQUIRE has {problem!r}, but {reason}")
    pytest.skip(reason)


def needs(*studies: str) -> pytest.MarkDecorator:
    """Skip a test if one of the studies is deleted."""
    deleted = [study for study in studies if study not in STUDIES]
    return pytest.mark.skipif(bool(deleted), reason=f"these studies are deleted: {deleted}")
