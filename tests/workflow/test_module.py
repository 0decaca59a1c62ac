"""Another workflow uses this one as a module, as `snakedeploy` writes it."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from checkout import REPOSITORY, Checkout

SNAKEFILE = """
configfile: "config/config.yaml"


module wsd:
    snakefile:
        "{repository}/workflow/Snakefile"
    config:
        config["wsd"]


use rule * from wsd as wsd_*


rule mine:
    default_target: True
    input:
        rules.wsd_corpus.output,
    output:
        "mine.json",
    shell:
        "cp {{input}} {{output}}"
"""


@pytest.mark.slow
def test_a_rule_reads_a_result_of_the_module(tmp_path: Path) -> None:
    """Can I use this workflow as a module of mine?"""
    other = Checkout(tmp_path / "other")
    (other.root / "workflow").mkdir(parents=True)
    (other.root / "workflow/Snakefile").write_text(SNAKEFILE.format(repository=REPOSITORY))
    shutil.copytree(REPOSITORY / "profiles", other.root / "profiles")
    (other.root / "config").mkdir()
    config = {"wsd": yaml.safe_load(Path(other.one_word("one")).read_text())}
    # Versions of YAML read `yes` differently, which is the business of the other workflow.
    (other.root / "config/config.yaml").write_text(f"other: yes\n{yaml.safe_dump(config)}")
    source = {"PYTHONPATH": str(REPOSITORY)}
    run = other.run("--cores", "1", **source)
    assert run.jobs == {"mine": 1, "wsd_corpus": 1}
    (table,) = json.loads((other.root / "mine.json").read_text())
    assert "crane" in str(table)
    everything = other.run("-n", "wsd_all", **source).jobs
    assert everything["wsd_report"] == 1 and "wsd_corpus" not in everything
