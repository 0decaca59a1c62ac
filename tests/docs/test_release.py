"""A tag becomes a release only if every file has its version; other files name real things."""

from pathlib import Path

import pytest
import yaml
from checkout import REPOSITORY

from wsd import __version__
from wsd.run.config import load
from wsd.run.config_files import read_configs

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


def test_the_citation_has_the_version_of_the_program() -> None:
    """Zenodo reads the citation of a release."""
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text())
    assert citation["version"] == __version__


def test_the_config_of_the_tests_of_ci_is_valid_and_small() -> None:
    path = Path(REPOSITORY, ".test/config/config.yaml")
    config = load([path])
    assert len(config.words) == 2
    (quickstart,) = read_configs([REPOSITORY / "config/quickstart.yaml"])["models"]
    assert read_configs([path])["models"] == [quickstart]
