"""Build the wheel and install it in a new environment, with the dependencies of this one."""

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from checkout import REPOSITORY
from require import missing

# The sources of the package.
SOURCES = (
    *("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"),
    *("wsd", "config", "profiles", "workflow"),
)


def build_wheel(folder: Path) -> Path:
    """Build the wheel with this environment's setuptools, from a copy of the sources in a folder.

    Building writes files next to the sources.
    """
    if find_spec("setuptools") is None:
        missing("setuptools", "setuptools, which builds the wheel, is not installed")
    for name in SOURCES:
        if (REPOSITORY / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(REPOSITORY / name, folder / name, ignore=ignored)
        else:
            shutil.copy2(REPOSITORY / name, folder / name)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--quiet", "--wheel-dir", folder / "dist", folder], check=True)
    return wheel_in(folder)


def wheel_in(folder: Path) -> Path:
    """Return the wheel that was built in a folder."""
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


@dataclass
class Installed:
    """An environment with the wheel, and a folder without files of the repository."""

    environment: Path
    folder: Path

    @property
    def python(self) -> Path:
        return self.environment / "bin" / "python"

    def call(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Call a program of the environment in the folder."""
        program, *others = map(str, arguments)
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [self.environment / "bin" / program, *others],
            cwd=self.folder,
            env={**clean, "HF_HUB_OFFLINE": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done


def install(wheel: Path, folder: Path) -> Installed:
    """Install a wheel in ``folder/environment``; ``folder/away`` is empty."""
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps"]
    subprocess.run([*command, "--no-index", "--quiet", wheel], check=True)
    # Add only the packages' folder: a .pth line does not process the .pth files in that folder,
    # such as the file that makes a checkout importable.
    (packages,) = environment.glob("lib/python*/site-packages")
    dependencies = sysconfig.get_path("purelib")
    (packages / "dependencies.pth").write_text(f"{dependencies}\n", encoding="utf-8")
    (folder / "away").mkdir()
    return Installed(environment, folder / "away")
