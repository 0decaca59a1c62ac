"""The key of a file covers everything that its job reads, according to Snakemake."""

import json
import subprocess
import sys
from pathlib import Path

import full_config
import pytest

from wsd.artifacts.run_json import bare

ROOT = Path(__file__).parents[2]
# Run Snakemake as if a step had other code.
EDITED = """
import sys
from wsd.run import digests
edited, of = sys.argv.pop(1), digests.checksum
digests.checksum = lambda step: of(step) + (" edited" if step == edited else "")
from snakemake.cli import main
main()
"""


def jobs(folder: Path, edited: str) -> dict[str, tuple[str, str]]:
    """Map each published path to the file's real path and the inputs of its job."""
    command = [sys.executable, "-c", EDITED, edited, "-s", str(ROOT / "workflow/Snakefile")]
    command += ["--configfile", "rich.yaml", "--detailed-summary"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    lines = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    return {bare(output): (output, read) for output, _, _, _, read, *_ in lines[1:]}


@pytest.mark.slow
def test_a_job_with_other_inputs_writes_another_file(tmp_path: Path) -> None:
    """Can a file of older code or inputs pass for a current one?"""
    full_config.make(tmp_path)
    (tmp_path / "rich.yaml").write_text(json.dumps(full_config.build_config(tmp_path)))
    before = jobs(tmp_path, "no step")
    assert len(before) > 100
    for step in ("embed", "folds", "select"):
        after = jobs(tmp_path, step)
        assert {*after} == {*before}
        moved = {name for name in before if after[name][0] != before[name][0]}
        assert moved and len(moved) < len(before)
        stale = {name for name in before if after[name][1] != before[name][1]} - moved
        assert not stale, step
