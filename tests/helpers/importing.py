"""``wsd import`` as a function: ``import_corpus([path], out=folder, name="mine", at_least=2)``."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from wsd.arguments import Parser
from wsd.corpora import import_corpus as step
from wsd.studies.registry import extensions


def import_corpus(
    files: Sequence[Path],
    *,
    out: Path,
    name: str,
    about: Mapping[str, str] | None = None,
    **more: Any,
) -> str:
    """Import files with the command's defaults, and return its output."""
    parser = Parser()
    step.arguments(parser)
    studies = [import_module(name) for name in extensions("import")]
    for study in studies:
        if hasattr(study, "add_options"):
            study.add_options(parser)
    parser.set_defaults(studies=studies)
    args = parser.parse_args([*map(str, files), "--out", str(out), f"--name={name}"])
    if "columns" in more:
        more["columns"] = [f"{key}={column}" for key, column in more["columns"].items()]
    for key, value in {**(about or {}), **more}.items():
        assert hasattr(args, key), key
        setattr(args, key, value)
    return step.import_corpus(args)
