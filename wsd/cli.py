"""Run a command of the ``wsd`` program, and report how it ended.

:mod:`wsd.commands` has the table of commands. The module of a command defines its arguments and
does its work. A command by hand may not overwrite its inputs and files of a run, and a job of a run
ends if its code or its inputs have changed.
"""

import argparse
import atexit
import importlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from wsd import __version__, logs
from wsd.arguments import Parser, writes
from wsd.artifacts.dataset import MANIFEST
from wsd.artifacts.run_json import MAPS, RunMap, WordFiles
from wsd.commands import COMMANDS, GROUPS
from wsd.errors import ConfigError, DamageError, ResultError, WsdError
from wsd.logs import log
from wsd.run.digests import KINDS, MAP, PACKAGE, PROGRAM, package_checksum
from wsd.storage.checksums import STORE, set_aside, sha256
from wsd.studies.registry import extensions

# Every page of a report has this in its head.
GENERATOR = 'content="wsd report"'
# The exit code of a program that SIGPIPE ends: the reader of its output has ended.
READER_GONE = 128 + signal.SIGPIPE
# The workflow gives these commands their arguments in a file, @FILE, if there are many.
STEPS = {kind.step for kind in KINDS.values()}


class _Command(Parser):
    """The parser of a command; it imports the command's module only when it is needed."""

    step: str | None = None

    def fill(self) -> None:
        """Add the command's arguments, once."""
        if self.step:
            module = importlib.import_module(COMMANDS[self.step].module)
            parts = [importlib.import_module(name) for name in extensions(self.step)]
            self.set_defaults(run=module.run, step=self.step, studies=parts)
            writes(self, "log")
            if self.step in STEPS:
                self.fromfile_prefix_chars = "@"
            self.step = None
            module.arguments(self)
            for part in parts:
                if hasattr(part, "add_options"):
                    part.add_options(self)

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        """Parse with :mod:`argparse`, after adding the command's arguments.

        A command with the default ``passed_on`` gets the arguments that it does not know.
        """
        self.fill()
        known, others = super().parse_known_args(*args, **kwargs)
        if "passed_on" in known:
            known.passed_on, others = others, []
        return known, others


def parser() -> tuple[argparse.ArgumentParser, dict[str, _Command]]:
    """Return the parser of all commands, and the parser of each command by name."""
    width = max(map(len, COMMANDS)) + 2
    groups = [
        "\n".join([f"{group}:", *(f"  {name:{width}}{row.text}" for name, row in rows.items())])
        for group, rows in GROUPS.items()
    ]
    program = Parser(
        prog="wsd",
        description="Which layer of an encoder knows which sense of a word?\n"
        "Every step of the workflow is one of these commands; `wsd run` runs them all, and so does "
        "`snakemake` in a clone.",
        epilog="\n\n".join([*groups, "`wsd COMMAND --help` lists the arguments of a command."]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    program.add_argument("--version", action="version", version=f"wsd {__version__}")
    program.add_argument("--log", type=Path, metavar="FILE", help="write the messages here too")
    commands = program.add_subparsers(required=True, metavar="COMMAND", parser_class=_Command)
    each = {}
    for name, command in COMMANDS.items():
        each[name] = commands.add_parser(name, description=command.text)
        each[name].step = name
    return program, each


class _Terminated(BaseException):
    """SIGTERM; it unwinds like Ctrl-C, so that no half-written file stays."""


def _terminate(number: int, frame: FrameType | None) -> None:
    raise _Terminated


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; an error for the user prints no traceback.

    Without ``argv``, run the command of this process, and end the process.
    """
    if argv is not None:
        return _run(argv)
    try:
        code = _run(argv)
    except SystemExit as end:  # the help, or a usage error
        code = end.code if isinstance(end.code, int) else 1
    atexit._run_exitfuncs()
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except OSError as error:
        code = code or (READER_GONE if isinstance(error, BrokenPipeError) else WsdError.exit_code)
    # Tearing down torch and other libraries takes half a second.
    os._exit(code)


def _run(argv: Sequence[str] | None) -> int:
    logs.start(None, "", {})
    with suppress(ValueError):  # not the main thread: the caller handles signals
        signal.signal(signal.SIGTERM, _terminate)
    try:
        args = parser()[0].parse_args(argv)
        check_outputs(args)
        if args.log:
            logs.start(args.log, args.step, logs.job_fields(vars(args)))
        if "configfile" in args:
            args.config = _config_of(args)
        check_unchanged(args)
        code = args.run(args) or 0
        check_unchanged(args)
        log.debug(logs.DONE)
        return int(code)
    except DamageError as error:
        log.error("error: %s", _set_aside(error) if MAP in os.environ else error)
        return error.exit_code
    except WsdError as error:
        log.error("error: %s", error)
        return error.exit_code
    except (KeyboardInterrupt, _Terminated) as error:
        log.error("interrupted" if isinstance(error, KeyboardInterrupt) else "terminated")
        return 130 if isinstance(error, KeyboardInterrupt) else 128 + signal.SIGTERM
    except BrokenPipeError:
        return READER_GONE
    except (OSError, MemoryError) as error:
        # The terminal does not show this message; the log file has it.
        log.debug("the error below comes from here", exc_info=True)
        log.error("error: %s", WsdError(str(error) or "not enough memory"))
        return WsdError.exit_code
    except Exception:
        log.exception("a fault in the program; please report it with the lines below")
        return 70


def _config_of(args: argparse.Namespace) -> Any:
    """Return the config of a command, or None if the user names no config files."""
    if args.configfile is None:
        return None
    from wsd.run import config

    files = [*getattr(args, "under", []), *args.configfile]
    return config.load(files, getattr(args, "of_run", None))


def _set_aside(error: DamageError) -> ResultError:
    """Rename a damaged file of a run, so that the next run rebuilds it."""
    try:
        renamed = set_aside(error.path)
    except OSError:
        return error
    fix = f"run the same command again: it rebuilds the file (this one is kept as {renamed.name})"
    return ResultError(error.problem, where=error.where, fix=fix)


def check_outputs(args: argparse.Namespace) -> None:
    """Refuse a command by hand whose output would replace an input, or files that are not its own.

    Parameters
    ----------
    args
        The command's arguments; ``outputs`` has the names of the output arguments, and
        ``replaced`` of those that are folders of pages.
    """
    names = () if MAP in os.environ else getattr(args, "outputs", ())
    others = (value for name, value in vars(args).items() if name not in names)
    inputs = [path for value in others for path in _paths(value) if path.exists()]
    for option, path in ((name, path) for name in names for path in _paths(getattr(args, name))):
        above, problem = {path.resolve(), *path.resolve().parents}, ""
        if path.is_file() and any(file.resolve() in above for file in inputs):
            problem = f"{path} is an input of this command, and would be overwritten"
        elif any(folder.name == STORE and (folder / MAPS).is_dir() for folder in above):
            problem = f"{path} is in a store, and runs own every file there"
        elif option in getattr(args, "replaced", ()) and _is_foreign(path):
            problem = f"{path} has files, and is no report: it would be replaced"
        if problem:
            where = f"--{option.replace('_', '-')}"
            raise ConfigError(problem, where=where, fix="name a place elsewhere")


def check_unchanged(args: argparse.Namespace) -> None:
    """Refuse a job if its code or a foreign file has changed since its run began.

    Otherwise a new result would get the key of the old code or file.

    Raises
    ------
    ResultError
        Naming the file that has changed.
    """
    if not (named := os.environ.get(MAP)):
        return
    digests = RunMap(Path(named)).digests
    paths = [path for value in vars(args).values() for path in _paths(value)]
    files = [file for path in paths for file in (path, path / MANIFEST)]
    known = {file: digests.get(f"file {file}") for file in files}
    changed = [path for path, digest in known.items() if digest and digest != sha256(path)]
    if digests.get(PROGRAM) != package_checksum():
        changed = [PACKAGE]
    if changed:
        problem = f"{changed[0]} has changed since the run began"
        raise ResultError(problem, fix="run snakemake again: it takes what is there now")


def _is_foreign(folder: Path) -> bool:
    """Return whether a folder has files, and no page of a report."""
    page = folder / "index.html"
    text = page.read_text(encoding="utf-8", errors="replace") if page.is_file() else ""
    return folder.is_dir() and any(folder.iterdir()) and GENERATOR not in text


def _paths(value: Any) -> Iterator[Path]:
    if isinstance(value, WordFiles):
        yield from value.listings
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, Path):
            yield item


if __name__ == "__main__":
    sys.exit(main())
