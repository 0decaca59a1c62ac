"""A tag becomes a release only if every file has its version; other files name real things."""

import re
from pathlib import Path

import pytest
import yaml
from checkout import REPOSITORY

from wsd import __version__
from wsd.run.config import load
from wsd.run.config_files import read_configs

CHANGELOG = """# Changelog

## [Unreleased]

## [1.1.0] - 2027-02-01

### Added

- More.

## [1.0.0] - 2026-12-01

First.
"""


@pytest.fixture
def texts() -> dict[str, str]:
    return {"wsd/__init__.py": '__version__ = "1.1.0"\n', "CITATION.cff": "version: 1.1.0\n"}


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(REPOSITORY / "tools"))
    import release_notes

    return release_notes.notes


def test_the_notes_are_the_section_of_the_version(notes, texts: dict[str, str]) -> None:
    assert notes("v1.1.0", texts, CHANGELOG) == "### Added\n\n- More."


@pytest.mark.parametrize(
    ("tag", "citation", "says"),
    [
        ("v1.0.0", "version: 1.0.0", "wsd/__init__.py has 1.1.0"),
        ("v1.1.0", "version: 1.0.0", "CITATION.cff has 1.0.0"),
        ("v1.1.0", "title: wsd", "CITATION.cff has no version"),
    ],
)
def test_other_versions_are_refused(
    notes, texts: dict[str, str], tag: str, citation: str, says: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        notes(tag, {**texts, "CITATION.cff": f"{citation}\n"}, CHANGELOG)


def test_a_version_without_a_section_is_refused(notes, texts: dict[str, str]) -> None:
    others = {path: text.replace("1.1.0", "1.2.0") for path, text in texts.items()}
    with pytest.raises(ValueError, match=r"no section '## \[1\.2\.0\]"):
        notes("v1.2.0", others, CHANGELOG)


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
