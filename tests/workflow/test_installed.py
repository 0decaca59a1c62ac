"""The wheel; tests/docs/test_tutorial.py runs the quickstart and two notebooks with it."""

import zipfile
from pathlib import Path

import pytest
from checkout import REPOSITORY

# Folders of the repository, and where the wheel has them.
PLACES = {
    "wsd": Path("wsd"),
    **{name: Path("wsd/data", name) for name in ("config", "profiles", "workflow")},
}


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_the_workflow(wheel: Path) -> None:
    """Does the package that I install have the workflow of the repository?"""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        held = {name: archive.read(name) for name in names}
    here = {
        (place / path.relative_to(REPOSITORY / folder)).as_posix(): path.read_bytes()
        for folder, place in PLACES.items()
        for path in (REPOSITORY / folder).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    assert {name for name in {*held, *here} if held.get(name) != here.get(name)} == set()
