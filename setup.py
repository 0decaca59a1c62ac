"""Put the workflow, its profiles and the config files into the wheel.

They lie next to the package in a checkout, where Snakemake expects them, and in ``wsd/data`` in the
wheel (``wsd/artifacts/dataset.py``). Everything else about the package is in pyproject.toml.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

FOLDERS = ("config", "profiles", "workflow")


class BuildWithWorkflow(build_py):
    """Build the package, and copy the folders into it."""

    def run(self) -> None:
        """Build; an editable installation reads the folders of the checkout."""
        super().run()
        for name in () if self.editable_mode else FOLDERS:
            target = Path(self.build_lib, "wsd", "data", name)
            shutil.rmtree(target, ignore_errors=True)  # files of an earlier build
            shutil.copytree(name, target)


setup(cmdclass={"build_py": BuildWithWorkflow})
