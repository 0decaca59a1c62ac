"""Runs and exports that no test changes."""

from pathlib import Path

import pytest
from log_state import logs_as_before
from made_exports import ERRORS, export, made_run


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run of two encoders, a run of each alone, and their exports."""
    folder = tmp_path_factory.mktemp("runs")
    with logs_as_before():
        for name, models in {"both": [*ERRORS], **{model: [model] for model in ERRORS}}.items():
            export(made_run(folder / name, models), folder / f"{name}.zip")
    return folder
