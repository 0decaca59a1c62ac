"""Call a step as `wsd` does, with corpora that need not be files."""

import argparse
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from wsd.artifacts import corpus_table as corpus_files
from wsd.artifacts.corpus_table import Corpus
from wsd.storage.file_names import file_name
from wsd.studies.registry import extensions


def call_step(
    module: ModuleType, corpora: Mapping[str, Corpus] | None = None, **arguments: Any
) -> None:
    """Run a step with the defaults of arguments that are missing; unknown arguments fail."""
    parser = argparse.ArgumentParser(add_help=False)
    command = module.__name__.rpartition(".")[2].replace("_", "-").removesuffix("-corpus")
    parts = [import_module(name) for name in extensions(command)]
    module.arguments(parser)
    for part in parts:
        if hasattr(part, "add_options"):
            part.add_options(parser)
    known = {action.dest: action.default for action in parser._actions}
    with TemporaryDirectory() as folder:
        if corpora is not None:
            arguments |= {"corpus": Path(folder), "words": list(corpora)}
            for word, corpus in corpora.items():
                corpus_files.write(Path(folder) / f"{file_name(word)}.parquet", corpus)
        assert arguments.keys() <= known.keys()
        module.run(argparse.Namespace(studies=parts, **known | arguments))
