"""A copy of the repository in which a test may edit files and run the real workflow."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from tiny import tiny_bert

REPOSITORY = Path(__file__).parents[2]
PARTS = ("Snakefile", "config", "profiles", "workflow", "wsd")
# The table of rules and numbers of jobs that Snakemake prints before it starts.
TABLE = re.compile(r"^Job stats:\njob +count\n[- ]+\n((?:\w+ +\d+\n)+)", re.MULTILINE)


@dataclass
class Run:
    """The outcome of one call of snakemake."""

    code: int
    text: str

    @property
    def jobs(self) -> Counter[str]:
        """How many jobs of each rule were run, or would be in a dry run."""
        table = TABLE.search(self.text)
        counts = dict(line.split() for line in table[1].splitlines()) if table else {}
        # `all` is the target; its job does nothing.
        return Counter({rule: int(n) for rule, n in counts.items() if rule not in ("all", "total")})

    @property
    def nothing(self) -> bool:
        return "Nothing to be done" in self.text


@dataclass
class Checkout:
    """The repository's files at ``root``, imported from there by every step."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)

    @classmethod
    def create(cls, root: Path) -> "Checkout":
        for part in PARTS:
            source = REPOSITORY / part
            if source.is_dir():
                # Compiled modules are copied too: their time stamps stay valid.
                shutil.copytree(source, root / part)
            else:
                root.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, root / part)
        return cls(root)

    def run(self, *arguments: str, code: int = 0, **environment: str) -> Run:
        """Call snakemake; its exit code must be ``code``."""
        own = {"PYTHONPATH": str(self.root), "HF_HUB_OFFLINE": "0"}
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", *arguments],
            cwd=self.root,
            env={**os.environ, **own, **self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
        )
        assert done.returncode == code, done.stdout[-6000:]
        return Run(done.returncode, done.stdout)

    def wsd(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Call a command of the checkout, which must succeed."""
        done = subprocess.run(
            [sys.executable, "-m", "wsd.cli", *map(str, arguments)],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(self.root)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def configure(self, name: str, **config: Any) -> str:
        """Write a config file and return its path."""
        path = self.root / "config" / f"{name}.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        return str(path)

    def one_word(self, name: str) -> str:
        """Configure a run of seconds: one word, one layer, one classifier; the file's path."""
        return self.configure(
            name,
            dataset="quickstart",
            words=["crane"],
            models=[{**self.tiny_model(), "path": "tiny-bert"}],
            layers=[1],
            tuning={"folds": 3, "repeats": 1},
            classifiers=[{"name": "nearest_centroid"}],
            controls={"baselines": False},
        )

    def tiny_model(self) -> dict[str, Any]:
        """A config entry for a BERT of two blocks with random weights."""
        folder = self.root / "tiny-bert"
        if not folder.exists():
            tiny_bert(folder)
        return {"name": "tiny", "path": str(folder), "blocks": 2, "width": 32}
