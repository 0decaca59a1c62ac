"""Run a command of the ``wsd`` program, and report how it ended.

:mod:`wsd.commands` has the table of commands. The module of a command defines its arguments and
does its work.
"""

import argparse
import atexit
import importlib
import os
import resource
import select
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from wsd import __version__, logs
from wsd.arguments import Parser, writes
from wsd.commands import COMMANDS, GROUPS
from wsd.errors import DamageError, ResultError, StorageError, WsdError, advice, as_user_error
from wsd.logs import log
from wsd.run import lock, overwrite_checks
from wsd.storage.checksums import set_aside
from wsd.studies.registry import extensions

MORE_MEMORY = "run fewer jobs side by side (snakemake --cores), or fewer words or layers at once"
# With less address space than this, libraries fail to load, and may hang or end the process.
LEAST_MEMORY = 2**30
# Parts of the error messages of libraries that lack memory.
OUT_OF_MEMORY = ("failed to map segment", "cannot allocate memory", "can't start new thread")
# The exit code of a program that SIGPIPE ends: the reader of its output has ended.
READER_GONE = 128 + signal.SIGPIPE


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
            self.step = None
            module.arguments(self)
            for part in parts:
                part.arguments(self)

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
    _occupy_standard_streams()
    try:
        code = _run(argv)
    except SystemExit as end:  # the help, or a usage error
        code = end.code if isinstance(end.code, int) else 1
    _leave(code)


def _occupy_standard_streams() -> None:
    """Open the null device for each closed standard stream.

    Otherwise the next file would get the stream's number, and libraries would print into it.
    """
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(handle, True)
    os.close(handle)
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115


def _leave(code: int) -> NoReturn:
    """End the process without tearing down torch and other libraries, which takes a second."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # None if the parent process has closed it
                stream.flush()
        except BrokenPipeError:
            code = code or READER_GONE
        except OSError as error:
            if code == 0:  # otherwise an error has been reported
                problem = f"not everything was printed: {error.strerror}"
                log.error("error: %s", WsdError(problem, fix=advice(error.errno)))
                code = WsdError.exit_code
    os._exit(code)


def _run(argv: Sequence[str] | None) -> int:
    args = parser()[0].parse_args(argv)
    job = vars(args)
    logs.start(None, args.step, {})
    with suppress(ValueError):  # not the main thread: the caller handles signals
        signal.signal(signal.SIGTERM, _terminate)
    try:
        _check_process()
        overwrite_checks.check_outputs(args, of_a_run=lock.VARIABLE in os.environ)
        if args.log:
            logs.start(args.log, args.step, logs.job_fields(job))
        if "configfile" in args:
            args.config = _config_of(args)
        with lock.as_job() as of_a_run:
            try:
                if of_a_run:
                    overwrite_checks.check_unchanged(args)
                code = args.run(args) or 0
                if of_a_run:
                    overwrite_checks.check_unchanged(args)
            except DamageError as error:
                if not of_a_run:
                    raise
                raise _set_aside(error) from error
        log.debug(logs.DONE, extra={"spent": logs.usage()})
    except WsdError as error:
        log.error("error: %s", error)
        return error.exit_code
    except KeyboardInterrupt:
        log.error("interrupted")
        return 130
    except _Terminated:
        log.error("terminated")
        return 128 + signal.SIGTERM
    except Exception as error:
        if isinstance(error, BrokenPipeError) and _reader_gone():
            return READER_GONE
        translated = _translated(error, job)
        if translated is None:
            log.exception("a fault in the program; please report it with the lines below")
            return 70
        # The terminal does not show this message; the log file has it.
        log.debug("the error below comes from here", exc_info=True)
        log.error("error: %s", translated)
        return translated.exit_code
    return int(code)


def _translated(error: Exception, job: Mapping[str, Any]) -> WsdError | None:
    """Return an error for the user, or None if the program is at fault."""
    if isinstance(error, MemoryError) or any(part in str(error).lower() for part in OUT_OF_MEMORY):
        return _memory_error()
    if not isinstance(error, OSError):
        return None
    lists = (value if isinstance(value, list) else [value] for value in job.values())
    named = [item for values in lists for item in values if isinstance(item, str | Path)]
    return as_user_error(error, named)


def _check_process() -> None:
    """Refuse to start without a current folder, or with too little memory for the libraries."""
    try:
        Path.cwd()
    except OSError:
        fix = "change to a folder that exists: cd"
        raise StorageError("the current folder no longer exists", fix=fix) from None
    if 0 <= resource.getrlimit(resource.RLIMIT_AS)[0] < LEAST_MEMORY:
        raise _memory_error()


def _memory_error() -> WsdError:
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return WsdError("not enough memory", fix=MORE_MEMORY)
    problem = f"not enough memory: this process may use {limit / 2**20:,.0f} MiB of address space"
    fix = "raise the limit, as with `ulimit -v unlimited`, or ask the batch system for more memory"
    return WsdError(problem, where="`ulimit -v`", fix=fix)


def _reader_gone() -> bool:
    """Return whether the program that reads the output or the messages has ended."""
    streams = select.poll()
    for handle in (1, 2):
        streams.register(handle, 0)
    return any(event & select.POLLERR for _, event in streams.poll(0))


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
