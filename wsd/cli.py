"""Run a command of the ``wsd`` program, and report how it ended.

:mod:`wsd.commands` has the table of commands. The module of a command defines its arguments and
does its work.
"""

import argparse
import atexit
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from wsd import __version__, logs
from wsd.arguments import Parser, writes
from wsd.commands import COMMANDS, GROUPS
from wsd.errors import DamageError, ResultError, WsdError
from wsd.logs import log
from wsd.run import overwrite_checks
from wsd.run.digests import KINDS, MAP
from wsd.storage.checksums import set_aside
from wsd.studies.registry import extensions

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
        overwrite_checks.check_outputs(args)
        if args.log:
            logs.start(args.log, args.step, logs.job_fields(vars(args)))
        if "configfile" in args:
            args.config = _config_of(args)
        overwrite_checks.check_unchanged(args)
        code = args.run(args) or 0
        overwrite_checks.check_unchanged(args)
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


if __name__ == "__main__":
    sys.exit(main())
