"""A run of one word on a real SLURM with one machine, compared with a run without SLURM."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from checkout import Checkout, Run
from require import missing
from same_results import differences

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("slurm.sh")
# `wsd folds` takes so many MB more than it needs that it fits into the memory of a second attempt
# and not into that of the first, whatever Snakemake beside it takes: as much as the first attempt
# has. Snakemake's own command names the rule too.
HOARD = 900
HOARDER = f"""
import sys, time
if {{"--log", "folds"}} <= set(sys.orig_argv):
    hoard = b"x" * ({HOARD} << 20)
    time.sleep(6)  # SLURM looks every second
"""


@dataclass
class Job:
    """A finished job of SLURM, from its completion log."""

    id: int
    state: str
    mb: int

    @classmethod
    def parse(cls, line: str) -> "Job":
        results = dict(field.split("=", 1) for field in line.split() if "=" in field)
        memory = dict(part.split("=") for part in results["Tres"].split(","))["mem"]
        mb = float(memory[:-1]) * {"M": 1, "G": 1024}[memory[-1]]
        return cls(int(results["JobId"]), results["JobState"], round(mb))


@dataclass
class Queued:
    """The run through SLURM, and SLURM's jobs."""

    run: Run
    checkout: Checkout
    jobs: list[Job]
    logs: dict[int, Path]

    def jobs_of_rule(self, name: str) -> list[Job]:
        """Return the jobs of a rule or group, by the beginning of their log's path."""
        parts = {job.id: self.logs[job.id].parts for job in self.jobs}
        return [job for job in self.jobs if any(part.startswith(name) for part in parts[job.id])]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if os.geteuid() != 0:
        missing("slurm", "only root can start SLURM's daemons")
    if not all(map(shutil.which, ("slurmctld", "slurmd", "munged"))):
        missing("slurm", "slurm-wlm and munge are not installed")
    folder = tmp_path_factory.mktemp("slurm")
    try:
        subprocess.run([SCRIPT, "start", folder], check=True, timeout=120)
        yield folder
    finally:
        subprocess.run([SCRIPT, "stop", folder], check=True, timeout=120)


@pytest.fixture(scope="module")
def queued(slurm: Path, tmp_path_factory: pytest.TempPathFactory) -> Queued:
    checkout = Checkout.create(tmp_path_factory.mktemp("queued"))
    hoarder = tmp_path_factory.mktemp("hoarder")
    (hoarder / "sitecustomize.py").write_text(HOARDER)
    run = checkout.run(
        *("--profile", "profiles/slurm", "--configfile", checkout.one_word("one")),
        # One node with the processors of this machine, no accounting, no network file system.
        *("--cores", str(os.cpu_count()), "--slurm-status-command", "squeue"),
        *("--slurm-init-seconds-before-status-checks", "3", "--latency-wait", "5"),
        PYTHONPATH=f"{checkout.root}:{hoarder}",
    )
    lines = (slurm / "jobs.txt").read_text().splitlines()
    logs = re.findall(r"submitted with SLURM jobid (\d+) \(log: (\S+)\)", run.text)
    return Queued(run, checkout, [*map(Job.parse, lines)], {int(i): Path(p) for i, p in logs})


def test_every_job_went_through_the_queue(queued: Queued) -> None:
    assert {job.id for job in queued.jobs} == set(queued.logs)
    # Steps of one kind form a group, so that the queue has fewer jobs than steps.
    assert 10 < len(queued.jobs) + 5 < sum(queued.run.jobs.values())
    assert len(queued.jobs_of_rule("rule_corpus")) == len(queued.jobs_of_rule("rule_embed")) == 1
    assert [job.state for job in queued.jobs_of_rule("group_tables")] == ["COMPLETED"]


def test_a_job_over_its_memory_is_killed_and_passes_with_more(queued: Queued) -> None:
    killed, passed = queued.jobs_of_rule("rule_folds")
    assert killed.state != "COMPLETED"
    assert passed.mb == 2 * killed.mb
    assert "exceeded" in queued.logs[killed.id].read_text()
    assert all(job.state == "COMPLETED" for job in queued.jobs if job != killed)


def test_results_and_paths_of_logs_are_those_of_a_run_without_slurm(
    queued: Queued, finished: Callable[[Path], Checkout], tmp_path: Path
) -> None:
    local = finished(tmp_path / "local")

    def logs(checkout: Checkout) -> list[str]:
        folder = checkout.root / "results/logs"
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.log"))

    assert logs(queued.checkout) == logs(local)
    assert differences(queued.checkout.root / "results", local.root / "results") == []
    again = queued.checkout.run("-n", "--cores", "1", "--configfile", "config/one.yaml")
    assert again.nothing
