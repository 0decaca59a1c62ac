"""Run the workflow that comes with the program; the command ``wsd run``.

It is ``snakemake`` with the workflow and the default profile of the program, for users without a
checkout. It has the same arguments as ``snakemake``.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from wsd.artifacts.dataset import PROGRAM
from wsd.run.config_files import there_or_packaged


def run_workflow(arguments: Sequence[str]) -> NoReturn:
    """Replace this process by Snakemake, which runs the program's workflow in this folder.

    Parameters
    ----------
    arguments : sequence of str
        Arguments of ``snakemake``. A path ``config/NAME.yaml`` that does not exist here stands for
        the program's own file.
    """
    workflow = {"snakefile": "workflow/Snakefile", "workflow-profile": "profiles/default"}
    flags = [part for key, path in workflow.items() for part in (f"--{key}", str(PROGRAM / path))]
    found = [str(there_or_packaged(Path(a))) if a.endswith(".yaml") else a for a in arguments]
    sys.stdout.flush()
    sys.stderr.flush()
    # -P: as with `snakemake`, no module of this folder takes the place of an installed one.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "snakemake", *flags, *found])  # noqa: S606


def arguments(parser: argparse.ArgumentParser) -> None:
    """Let `wsd.cli` pass every argument on."""
    parser.usage = "wsd run [ARGUMENTS OF SNAKEMAKE]"
    parser.epilog = "For example: wsd run --cores 8 --configfile config/minilm.yaml my.yaml"
    parser.set_defaults(passed_on=[])


def run(args: argparse.Namespace) -> NoReturn:
    """Run the command."""
    run_workflow(args.passed_on)
