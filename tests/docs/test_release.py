"""A tag becomes a release only if every file has its version."""

import pytest
from checkout import REPOSITORY

CHANGELOG = """# Changelog

## [1.1.0] - 2027-02-01

### Added

- More.

## [1.0.0] - 2026-12-01
"""


def test_the_notes_are_the_section_of_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "tools"))
    from release_notes import notes

    texts = {"wsd/__init__.py": '__version__ = "1.1.0"\n', "CITATION.cff": "version: 1.1.0\n"}
    assert notes("v1.1.0", texts, CHANGELOG) == "### Added\n\n- More."
    with pytest.raises(ValueError, match=r"wsd/__init__.py has 1\.1\.0"):
        notes("v1.0.0", {**texts, "CITATION.cff": "version: 1.0.0\n"}, CHANGELOG)
    with pytest.raises(ValueError, match=r"no section '## \[1\.1\.0\]"):
        notes("v1.1.0", texts, "# Changelog\n")
